/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Histogram. */

import {Chart} from './chart.mjs';
import {colour} from './colours.mjs';
import {largestOf, sumOf, withEmptyBins} from './data.mjs';
import {few, format, grouped, limit, scaleOf, space, ticks} from './numbers.mjs';

/** @typedef {Chart<{bin: number}>} Base */

/** @extends {Chart<{bin: number}>} */
export class Histogram extends Chart {
    /** @param {import('./document').Histogram} part */
    constructor(part) {
        super(part.title, 'Left and right move between columns.');
        this.unit = part.unit;
        this.bins = withEmptyBins(part.bins);
        this.total = sumOf(this.bins.map(bin => bin.count));
        this.largest = largestOf(this.bins.map(bin => bin.count)) || 1;
        this.isLog = false;
        this.column = 1; /* width */
    }

    height() { return 260; }

    /** @param {string} scale */
    setScale(scale) {
        this.isLog = scale === 'log';
        this.redraw();
    }

    /** From 0 to 1; the log scale starts below the smallest count to keep it visible.
     * @param {number} count */
    share(count) {
        const {largest} = this;
        return this.isLog ? (count > 0 ? Math.log10(count * 2) / Math.log10(largest * 2) : 0) : count / largest;
    }

    marks() {
        if (!this.isLog)
            return ticks(0, this.largest, 'number', 5);
        const found = [];
        for (let power = 1; power <= this.largest; power *= 10)
            found.push({value: power, name: grouped.format(power)});
        const each = Math.ceil(found.length / 6);
        return found.filter((_, i) => i % each === 0);
    }

    /** @type {Base['paint']} */
    paint(context, width, height) {
        const marks = this.marks();
        const labels = largestOf(marks.map(mark => context.measureText(mark.name).width));
        this.area = {x: Math.ceil(labels) + 10, y: 20, width: width - labels - 14, height: height - 50};
        const {area} = this;
        this.column = Math.min(90, area.width / this.bins.length);
        context.textAlign = 'right';
        for (const {value, name} of marks) {
            const y = area.y + area.height * (1 - this.share(value));
            context.fillStyle = colour('line');
            context.fillRect(area.x, Math.round(y), area.width, 1);
            context.fillStyle = colour('soft');
            context.fillText(name, area.x - 8, y);
        }
        this.bins.forEach((bin, i) => this.paintBin(context, bin, i));
        context.fillStyle = colour('edge');
        context.fillRect(area.x, area.y + area.height, area.width, 1);
    }

    /** @param {CanvasRenderingContext2D} context
     * @param {{from: number, count: number}} bin
     * @param {number} i */
    paintBin(context, bin, i) {
        const {x, y, width, height} = this.box({bin: i});
        context.fillStyle = colour('series-0');
        context.fillRect(x, y, width, height);
        const name = this.edge(bin.from);
        const each = Math.ceil((context.measureText('512' + space + 'MiB').width + 8) / this.column);
        context.fillStyle = colour('soft');
        context.textAlign = 'center';
        if (i % each === 0)
            context.fillText(name, Math.min(x + width / 2, context.canvas.clientWidth - context.measureText(name).width / 2),
                             this.area.y + this.area.height + 14);
        const count = grouped.format(bin.count);
        if (bin.count > 0 && context.measureText(count).width <= this.column)
            context.fillText(count, x + width / 2, y - 8);
    }

    /** Bin bounds are round: 16 KiB, not 16.00 KiB.
     * @param {number} value */
    edge(value) {
        if (this.unit === 'number' || this.unit === 'percent')
            return format(value, this.unit);
        const [factor, suffix] = scaleOf(this.unit, value);
        return few.format(value / factor) + space + suffix;
    }

    first() { return {bin: 0}; }

    /** @type {Base['at']} */
    at(x) {
        const bin = Math.floor((x - this.area.x) / this.column);
        return bin >= 0 && bin < this.bins.length ? {bin} : null;
    }

    /** @type {Base['step']} */
    step({bin}, x) { return {bin: limit(bin + x, 0, this.bins.length - 1)}; }
    show() {}

    /** @type {Base['box']} */
    box({bin}) {
        const gap = this.column > 10 ? 4 : 1, count = this.bins[bin].count;
        const height = count > 0 ? Math.max(1, this.share(count) * this.area.height) : 0;
        return {x: this.area.x + bin * this.column + gap / 2, y: this.area.y + this.area.height - height, width: this.column - gap, height};
    }

    /** @type {Base['lines']} */
    lines({bin}) {
        const {from, to, count} = this.bins[bin];
        return [`${this.edge(from)} and more, below ${this.edge(to)}`,
                ['Count', grouped.format(count)], ['Share', format(100 * count / (this.total || 1), 'percent')]];
    }

    /** @type {Base['columns']} */
    columns() {
        return [{title: 'From', unit: this.unit, values: this.bins.map(bin => bin.from)},
                {title: 'Below', unit: this.unit, values: this.bins.map(bin => bin.to)},
                {title: 'Count', unit: 'number', values: this.bins.map(bin => bin.count)}];
    }
}
