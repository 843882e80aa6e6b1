/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Stacked bars. */

import {paintTicks} from './chart.mjs';
import {colour} from './colours.mjs';
import {largestOf, sumOf, unpack} from './data.mjs';
import {exactly, limit, ticks} from './numbers.mjs';
import {Rows} from './rows.mjs';
import {shownSeries} from './series.mjs';

/** @typedef {import('./chart.mjs').Line} Line */
/** @typedef {Rows<{row: number}>} Base */

/** @extends {Rows<{row: number}>} */
export class Bars extends Rows {
    /** @param {import('./document').Bars} part */
    constructor(part) {
        const names = unpack(part.rows);
        super(part.title, 'Arrow keys move between rows, plus and minus zoom, 0 shows all.', names);
        this.unit = part.unit;
        this.largest = 1;
        this.how = 'given';
        this.order = names.map((_, row) => row);
        const values = part.series.map(series => unpack(series.values));
        const {shown, number} = shownSeries(part.series.map(series => series.name), values.map(sumOf));
        this.series = shown;
        this.values = shown.map(() => new Float64Array(names.length));
        values.forEach((list, i) => number[i] >= 0 && list.forEach((value, row) => { this.values[number[i]][row] += value || 0; }));
        this.source = {part, values};
    }

    get visible() { return this.series.map((_, i) => i).filter(i => this.series[i].isOn); }

    /** @param {number} row */
    total(row) { return sumOf(this.visible.map(i => this.values[i][row])); }

    /** @param {string} how */
    sortRows(how) {
        this.order.sort((a, b) => a - b);
        if (how === 'largest') {
            const totals = this.order.map(row => this.total(row));
            this.order.sort((a, b) => totals[b] - totals[a] || a - b);
        }
        this.how = how;
        this.redraw();
    }

    /** Mean over the rows of a stripe.
     * @param {number} series
     * @param {import('./rows.mjs').Stripe} stripe */
    mean(series, {from, to}) {
        let sum = 0;
        for (let i = from; i < to; i++)
            sum += this.values[series][this.order[i]];
        return sum / (to - from);
    }

    /** @type {Base['paint']} */
    paint(context, width, height) {
        this.layOut(context, width, height, 12);
        const {area, visible} = this;
        this.largest = largestOf(this.order.map(row => this.total(row))) || 1;
        const scale = area.width / this.largest;
        paintTicks(context, area, ticks(0, this.largest, this.unit, width / 110), value => area.x + value * scale);
        this.paintNames(context, i => this.names[this.order[i]]);
        this.clip(context);
        for (const stripe of this.stripes(2)) {
            const gap = stripe.height >= 12 ? 3 : stripe.height >= 4 ? 1 : 0;
            let x = area.x;
            for (const i of visible) {
                const part = this.mean(i, stripe) * scale;
                context.fillStyle = colour(this.series[i].colour);
                context.fillRect(x, stripe.y + gap / 2, Math.max(0, part - (part > 4 && gap ? 1 : 0)), stripe.height - gap);
                x += part;
            }
        }
        context.restore();
    }

    first() { return {row: Math.ceil(this.axes.y.begin)}; }
    /** @type {Base['at']} */
    at(x, y) { return this.isInside(x, y) ? {row: this.rowAt(y)} : null; }
    /** @type {Base['step']} */
    step({row}, x, y) { return {row: limit(row + y + (Number.isFinite(x) ? 0 : x), 0, this.names.length - 1)}; }
    /** @type {Base['show']} */
    show({row}) { this.axes.y.include(row, row + 1); }

    /** @type {Base['box']} */
    box({row}) {
        const width = Math.max(2, this.total(this.order[row]) / this.largest * this.area.width);
        return {x: this.area.x, y: this.top(row), width, height: this.top(row + 1) - this.top(row)};
    }

    /** @type {Base['lines']} */
    lines({row}) {
        const which = this.order[row];
        const lines = this.visible.filter(i => this.values[i][which] > 0)
                          .map(i => /** @type {Line} */ ([this.series[i].name, exactly(this.values[i][which], this.unit), this.series[i].colour]));
        return [this.names[which], ...lines, ['Total', exactly(this.total(which), this.unit)]];
    }

    /** @type {Base['columns']} */
    columns() {
        const {part, values} = this.source;
        return [{title: 'Row', unit: 'text', values: this.names},
                ...part.series.map((series, i) => ({title: series.name, unit: part.unit, values: values[i]}))];
    }
}
