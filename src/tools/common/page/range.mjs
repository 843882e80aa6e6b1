/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Visible part of an axis. */

import {limit} from './numbers.mjs';

export class Range {
    /** @param {number} low
     * @param {number} high
     * @param {number} least */
    constructor(low, high, least) {
        this.low = this.begin = low;
        this.high = this.end = high;
        this.least = Math.min(least, high - low);
    }

    get size() { return this.end - this.begin; }
    get isWhole() { return this.size >= (this.high - this.low) * (1 - 1e-9); }

    reset() {
        this.begin = this.low;
        this.end = this.high;
    }

    /** @param {number} begin
     * @param {number} size */
    set(begin, size) {
        size = limit(size, this.least, this.high - this.low);
        this.begin = limit(begin, this.low, this.high - size);
        this.end = this.begin + size;
    }

    /** Zooms around `at`.
     * @param {number} factor */
    zoom(factor, at = (this.begin + this.end) / 2) {
        const size = limit(this.size * factor, this.least, this.high - this.low);
        this.set(at - (at - this.begin) * size / this.size, size);
    }

    /** @param {number} distance */
    pan(distance) { this.set(this.begin + distance, this.size); }

    /** @param {number} begin
     * @param {number} end */
    include(begin, end) {
        if (begin < this.begin)
            this.pan(begin - this.begin);
        else if (end > this.end)
            this.pan(Math.min(end - this.end, begin - this.begin));
    }
}
