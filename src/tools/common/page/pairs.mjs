/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Values between pairs of processes. */

import {firstNotBelow, unpack, unpackSums} from './data.mjs';

/* Cells of one measure, in reading order, with the totals. */
export class Pairs {
    /** @param {number} n
     * @param {import('./document').Measure} measure */
    constructor(n, {title, unit, gaps, values}) {
        this.n = n;
        this.title = title;
        this.unit = unit;
        this.places = unpackSums(gaps);
        this.values = unpack(values);
        this.rowTotals = new Float64Array(n);
        this.columnTotals = new Float64Array(n);
        this.total = this.largest = 0;
        this.smallest = Infinity;
        this.starts = new Int32Array(n + 1);
        this.places.forEach((place, i) => {
            const row = Math.floor(place / n), value = this.values[i];
            this.rowTotals[row] += value;
            this.columnTotals[place - row * n] += value;
            this.total += value;
            this.largest = Math.max(this.largest, value);
            this.smallest = Math.min(this.smallest, value);
        });
        for (let row = 0; row <= n; row++)
            this.starts[row] = firstNotBelow(this.places, row * n);
    }

    /** @param {number} row
     * @param {number} column */
    value(row, column) {
        const place = row * this.n + column, i = firstNotBelow(this.places, place);
        return this.places[i] === place ? this.values[i] : 0;
    }
}
