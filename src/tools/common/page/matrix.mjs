/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Colour map of the values between processes. */

import {Chart, contextOf, shortened} from './chart.mjs';
import {colour, heatRamp} from './colours.mjs';
import {firstNotBelow, largestOf} from './data.mjs';
import {make} from './elements.mjs';
import {exactly, format, grouped, limit} from './numbers.mjs';
import {Pairs} from './pairs.mjs';
import {Range} from './range.mjs';

/** @typedef {{row: number, column: number}} Cell */
/** @typedef {import('./chart.mjs').Line} Line */
/** @typedef {Chart<Cell>} Base */

const totalsSize = 64;
const matrixTop = 40;

/** @extends {Chart<Cell>} */
export class Matrix extends Chart {
    /** @param {import('./document').Matrix} part */
    constructor(part) {
        super(part.title, 'Arrow keys move between pairs, with shift by ten; the totals follow the last. Plus and minus zoom, 0 shows all.');
        this.n = part.n;
        this.measures = part.measures.map(measure => new Pairs(part.n, measure));
        this.pairs = this.measures[0];
        this.isLog = true;
        this.each = 1; /* ranks that share a pixel */
        /** @type {{x: Range, y: Range}} */
        this.axes = {x: new Range(0, part.n, 4), y: new Range(0, part.n, 4)};
        this.side = make('div', {class: 'side'});
    }

    /** @param {number} measure */
    choose(measure) {
        this.pairs = this.measures[measure];
        this.redraw();
    }

    /** @param {string} scale */
    setScale(scale) {
        this.isLog = scale === 'log';
        this.redraw();
    }

    /** @param {number} width */
    square(width) {
        const room = width - 54 - totalsSize - 10;
        return Math.max(80, Math.min(room, 600, Math.max(240, this.n * 66)));
    }

    /** @type {Base['height']} */
    height(width) { return this.square(width) + matrixTop + totalsSize + 10; }

    /* Lower end of the colour map, low enough that similar values look similar. */
    get faintest() {
        const {smallest, largest} = this.pairs;
        return this.isLog ? Math.min(smallest, largest / 16) : 0;
    }

    /** @param {number} value */
    strength(value) {
        const {largest} = this.pairs, {faintest} = this;
        return this.isLog ? Math.log(value / faintest) / Math.log(largest / faintest) : value / largest;
    }

    /* Maximum over the cells that share a pixel. */
    bins() {
        const {x, y} = this.axes;
        const points = this.area.width * (window.devicePixelRatio || 1);
        const each = Math.max(1, Math.ceil(x.size / points));
        const left = Math.floor(x.begin / each), top = Math.floor(y.begin / each);
        const columns = Math.ceil(x.end / each) - left, rows = Math.ceil(y.end / each) - top;
        const values = new Float64Array(columns * rows);
        const lastRow = Math.min(this.n, (top + rows) * each);
        for (let row = top * each; row < lastRow; row++) {
            const base = row * this.n, line = (Math.floor(row / each) - top) * columns;
            const end = firstNotBelow(this.pairs.places, base + Math.min(this.n, (left + columns) * each), this.pairs.starts[row], this.pairs.starts[row + 1]);
            for (let i = firstNotBelow(this.pairs.places, base + left * each, this.pairs.starts[row], this.pairs.starts[row + 1]); i < end; i++) {
                const place = line + Math.floor((this.pairs.places[i] - base) / each) - left;
                values[place] = Math.max(values[place], this.pairs.values[i]);
            }
        }
        return {each, left, top, columns, rows, values};
    }

    /** @type {Base['paint']} */
    paint(context, width) {
        const size = this.square(width);
        this.area = {x: 50, y: matrixTop, width: size, height: size};
        const bins = this.bins();
        this.each = bins.each;
        this.paintCells(context, bins);
        this.paintAxes(context, size);
        this.paintTotals(context);
        context.strokeStyle = colour('edge');
        context.strokeRect(this.area.x - 0.5, this.area.y - 0.5, size + 1, size + 1);
    }

    /** Draws one image pixel per bin, scaled to the plot.
     * @param {CanvasRenderingContext2D} context
     * @param {ReturnType<Matrix['bins']>} bins */
    paintCells(context, {each, left, top, columns, rows, values}) {
        const image = new ImageData(columns, rows), ramp = heatRamp();
        values.forEach((value, i) => {
            if (value > 0)
                image.data.set([...ramp(this.strength(value)), 255], 4 * i);
        });
        const small = make('canvas', {width: columns, height: rows});
        contextOf(small).putImageData(image, 0, 0);

        const {x, y, width, height} = this.area, cell = width / this.axes.x.size;
        context.save();
        context.beginPath();
        context.rect(x, y, width, height);
        context.clip();
        context.imageSmoothingEnabled = false;
        context.drawImage(small, this.left(left * each), this.topOf(top * each), columns * each * cell, rows * each * cell);
        if (cell >= 10)
            this.paintGrid(context, cell, ramp);
        context.restore();
    }

    /** @param {number} column */
    left(column) { return this.area.x + (column - this.axes.x.begin) / this.axes.x.size * this.area.width; }
    /** @param {number} row */
    topOf(row) { return this.area.y + (row - this.axes.y.begin) / this.axes.y.size * this.area.height; }

    /** Grid lines between large cells, with values if there is room.
     * @param {CanvasRenderingContext2D} context
     * @param {number} cell
     * @param {(strength: number) => number[]} ramp */
    paintGrid(context, cell, ramp) {
        const {x, y} = this.axes, {area} = this;
        context.fillStyle = colour('raised');
        for (let column = Math.ceil(x.begin); column <= x.end; column++)
            context.fillRect(this.left(column) - 0.5, area.y, 1, area.height);
        for (let row = Math.ceil(y.begin); row <= y.end; row++)
            context.fillRect(area.x, this.topOf(row) - 0.5, area.width, 1);
        if (cell < 60)
            return;
        context.textAlign = 'center';
        for (let row = Math.floor(y.begin); row < y.end; row++) {
            for (let column = Math.floor(x.begin); column < x.end; column++) {
                const value = this.pairs.value(row, column);
                if (!value)
                    continue;
                const [red, green, blue] = ramp(this.strength(value));
                context.fillStyle = 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? '#000' : '#fff';
                context.fillText(shortened(context, format(value, this.pairs.unit), cell - 4), this.left(column + 0.5), this.topOf(row + 0.5));
            }
        }
    }

    /** @param {CanvasRenderingContext2D} context
     * @param {number} size */
    paintAxes(context, size) {
        const {x, y} = this.axes, {area} = this;
        const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].find(each => each * size / x.size >= 30) || 8192;
        context.fillStyle = colour('soft');
        context.textAlign = 'center';
        for (let column = Math.ceil(x.begin / step) * step; column < x.end; column += step) {
            const at = this.left(column + Math.min(0.5, x.size));
            if (at <= area.x + area.width)
                context.fillText(String(column), Math.max(area.x + 4, at), area.y - 10);
        }
        context.textAlign = 'right';
        for (let row = Math.ceil(y.begin / step) * step; row < y.end; row += step) {
            const at = this.topOf(row + 0.5);
            if (at <= area.y + area.height)
                context.fillText(String(row), area.x - 6, Math.max(area.y + 5, at));
        }
        context.textAlign = 'left';
        context.fillText('To rank →', area.x, area.y - 28);
        context.fillText('Total', area.x + size + 8, area.y - 10);
        context.save();
        context.translate(10, area.y);
        context.rotate(-Math.PI / 2);
        context.textAlign = 'right';
        context.fillText('← From rank', 0, 0);
        context.restore();
        context.textAlign = 'right';
        context.fillText('Total', area.x - 6, area.y + size + 14);
    }

    /** Bars for the totals; cells that share a pixel show their maximum.
     * @param {CanvasRenderingContext2D} context */
    paintTotals(context) {
        const {area, pairs} = this, room = totalsSize - 8;
        const largest = Math.max(largestOf(pairs.rowTotals), largestOf(pairs.columnTotals)) || 1;
        /** @type {(totals: Float64Array, axis: Range, draw: (from: number, to: number, long: number) => void) => void} */
        const strip = (totals, axis, draw) => {
            const cell = area.width / axis.size, gap = cell >= 8 ? 1 : 0;
            const from = Math.floor(axis.begin), to = Math.min(this.n, Math.ceil(axis.end));
            for (let i = from; i < to; i += this.each) {
                let total = 0;
                for (let j = i; j < Math.min(to, i + this.each); j++)
                    total = Math.max(total, totals[j]);
                /** @param {number} at */
                const edge = at => limit(Math.round((at - axis.begin) * cell), 0, area.width);
                draw(edge(i), edge(i + this.each) - gap, total > 0 ? Math.max(1, total / largest * room) : 0);
            }
        };
        context.fillStyle = colour('heat-3');
        strip(pairs.rowTotals, this.axes.y, (from, to, long) =>
            context.fillRect(area.x + area.width + 6, area.y + from, long, to - from));
        strip(pairs.columnTotals, this.axes.x, (from, to, long) =>
            context.fillRect(area.x + from, area.y + area.height + 6, to - from, long));
    }

    first() { return {row: Math.ceil(this.axes.y.begin), column: Math.ceil(this.axes.x.begin)}; }

    /** Row or column n holds the totals.
     * @type {Base['at']} */
    at(x, y) {
        const {area, axes} = this;
        /** @type {(axis: Range, at: number, size: number) => number} */
        const along = (axis, at, size) => at < 0 ? -1 : at < size ? Math.floor(axis.begin + at / size * axis.size)
                                                 : at >= size + 4 && at < size + totalsSize ? this.n : -1;
        const column = along(axes.x, x - area.x, area.width), row = along(axes.y, y - area.y, area.height);
        return row < 0 || column < 0 || row + column >= 2 * this.n ? null : {row, column};
    }

    /** @type {Base['step']} */
    step({row, column}, x, y) {
        /** @type {(at: number, by: number) => number} */
        const move = (at, by) => limit(at + by, 0, Number.isFinite(by) ? this.n : this.n - 1);
        const next = {row: move(row, y), column: move(column, x)};
        return next.row + next.column >= 2 * this.n ? {row, column} : next;
    }

    /** @type {Base['show']} */
    show({row, column}) {
        if (column < this.n)
            this.axes.x.include(column, column + 1);
        if (row < this.n)
            this.axes.y.include(row, row + 1);
    }

    /** @type {Base['box']} */
    box({row, column}) {
        const {area} = this, cell = area.width / this.axes.x.size;
        const isRowTotal = column === this.n, isColumnTotal = row === this.n;
        return {x: isRowTotal ? area.x + area.width + 6 : this.left(column), y: isColumnTotal ? area.y + area.height + 6 : this.topOf(row),
                width: isRowTotal ? totalsSize - 8 : cell, height: isColumnTotal ? totalsSize - 8 : cell};
    }

    /** @type {Base['lines']} */
    lines({row, column}) {
        /** @param {Pairs} measure */
        const values = measure => column === this.n ? measure.rowTotals[row] : row === this.n ? measure.columnTotals[column]
                                                   : measure.value(row, column);
        const heading = column === this.n ? `From rank ${row} to all` : row === this.n ? `From all to rank ${column}`
                                          : `From rank ${row} to rank ${column}`;
        return [heading, ...this.measures.map(measure => /** @type {Line} */ ([measure.title || 'Value', exactly(values(measure), measure.unit)]))];
    }

    writeSide() {
        const {pairs, n} = this, ramp = heatRamp();
        const stops = [0, 0.2, 0.4, 0.6, 0.8, 1].map(place => `rgb(${ramp(place)})`).join(', ');
        const low = this.faintest, middle = this.isLog ? Math.sqrt(low * pairs.largest) : pairs.largest / 2;
        const used = pairs.places.length;
        /** @param {number} i */
        const pair = i => `${Math.floor(pairs.places[i] / n)} to ${pairs.places[i] % n}: ${format(pairs.values[i], pairs.unit)}`;
        /** @param {Float64Array} totals */
        const busiest = totals => {
            const most = largestOf(totals);
            return `rank ${totals.indexOf(most)}: ${format(most, pairs.unit)}`;
        };
        const facts = used === 0 ? [['Pairs', 'none']] : [
            ['Total', exactly(pairs.total, pairs.unit)],
            ['Pairs', `${grouped.format(used)} of ${grouped.format(n * n)}`],
            ['Mean of these pairs', format(pairs.total / used, pairs.unit)],
            ['Largest pair', pair(pairs.values.indexOf(pairs.largest))],
            ['Sends most', busiest(pairs.rowTotals)],
            ['Receives most', busiest(pairs.columnTotals)],
        ];
        this.side.replaceChildren(
            used === 0 ? '' : make('div', {class: 'scale'},
                make('div', {class: 'ramp', role: 'img', 'aria-label': 'Scale of colours', style: `background: linear-gradient(to right, ${stops})`}),
                make('div', {class: 'ends'}, make('span', {}, format(low, pairs.unit)),
                     make('span', {}, format(middle, pairs.unit)),
                     make('span', {}, format(pairs.largest, pairs.unit)))),
            make('dl', {class: 'summary'}, facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)))));
    }

    draw() {
        super.draw();
        this.writeSide();
    }

    /** @type {Base['columns']} */
    columns() {
        const {places} = this.pairs;
        return [{title: 'From', unit: 'number', values: places.map(place => Math.floor(place / this.n))},
                {title: 'To', unit: 'number', values: places.map(place => place % this.n)},
                ...this.measures.map(measure => ({title: measure.title || 'Value', unit: measure.unit,
                    values: measure === this.pairs ? measure.values : places.map(place => measure.value(Math.floor(place / this.n), place % this.n))}))];
    }
}
