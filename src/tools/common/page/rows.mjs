/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Rows of one height: ranks, threads. */

import {Chart, shortened} from './chart.mjs';
import {colour} from './colours.mjs';
import {largestOf} from './data.mjs';
import {limit} from './numbers.mjs';
import {Range} from './range.mjs';

/** @typedef {{from: number, to: number, y: number, height: number}} Stripe */

const tallest = 560;
/** @param {number} rows */
const rowHeight = rows => limit(Math.floor(240 / rows), 20, 34);

/** Base of bars and timelines: rows from the top; several share a stripe if space is short.
 * @template Cursor
 * @extends {Chart<Cursor>} */
export class Rows extends Chart {
    /** @param {string} title
     * @param {string} hint
     * @param {string[]} names */
    constructor(title, hint, names) {
        super(title, hint);
        this.names = names;
        /** @type {{x?: Range, y: Range}} */
        this.axes = {y: new Range(0, Math.max(1, names.length), 8)};
    }

    height() { return Math.min(tallest, this.names.length * rowHeight(this.names.length)) + 36; }

    get isCrowded() { return this.names.length * rowHeight(this.names.length) > tallest; }

    /** @param {CanvasRenderingContext2D} context
     * @param {number} width
     * @param {number} height
     * @param {number} right */
    layOut(context, width, height, right) {
        const widest = this.names.length > 2000 ? [this.names[0], this.names[this.names.length - 1]] : this.names;
        const labels = Math.min(width / 4, 150, largestOf(widest.map(name => context.measureText(name).width)));
        this.area = {x: Math.ceil(labels) + 8, y: 6, width: Math.floor(width - labels - 8 - right), height: height - 36};
    }

    /** @param {number} row */
    top(row) { return this.area.y + (row - this.axes.y.begin) / this.axes.y.size * this.area.height; }

    /** Groups of rows with stripes of at least `least` pixels.
     * @param {number} least
     * @returns {Stripe[]} */
    stripes(least) {
        const {begin, end, size} = this.axes.y;
        const each = Math.max(1, Math.ceil(least * size / this.area.height));
        const found = [];
        for (let from = Math.floor(begin / each) * each; from < end && from < this.names.length; from += each) {
            const to = Math.min(from + each, this.names.length);
            const y = Math.round(this.top(from));
            found.push({from, to, y, height: Math.round(this.top(to)) - y});
        }
        return found;
    }

    /** @param {CanvasRenderingContext2D} context */
    clip(context) {
        const {x, y, width, height} = this.area;
        context.save();
        context.beginPath();
        context.rect(x, y, width, height);
        context.clip();
    }

    /** @param {CanvasRenderingContext2D} context
     * @param {(row: number) => string} nameOf */
    paintNames(context, nameOf) {
        const {begin, end, size} = this.axes.y;
        const each = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find(step => step * this.area.height / size >= 15) || 2048;
        context.fillStyle = colour('soft');
        context.textAlign = 'right';
        for (let row = Math.ceil(begin / each) * each; row < Math.min(end, this.names.length); row += each) {
            const y = this.top(row + 0.5);
            if (y <= this.area.y + this.area.height)
                context.fillText(shortened(context, nameOf(row), this.area.x - 8), this.area.x - 8, y);
        }
    }

    /** @param {number} y */
    rowAt(y) {
        const {begin, size} = this.axes.y;
        return limit(Math.floor(begin + (y - this.area.y) / this.area.height * size), 0, this.names.length - 1);
    }

    /** @param {number} x
     * @param {number} y */
    isInside(x, y) {
        return y >= this.area.y && y < this.area.y + this.area.height && x < this.area.x + this.area.width;
    }
}
