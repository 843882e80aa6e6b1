/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Activities of lanes. */

import {firstNotBelow, unpack} from './data.mjs';

/* Spans in the order of their lanes and begins. Those of a lane are from starts[lane] to starts[lane + 1]. */
export class Spans {
    /** @param {number} numberOfLanes
     * @param {import('./document').PackedSpans} packed */
    constructor(numberOfLanes, packed) {
        const gaps = unpack(packed.gaps), lengths = unpack(packed.lengths);
        this.lanes = unpack(packed.lanes);
        this.categories = unpack(packed.categories);
        this.begins = new Float64Array(this.lanes.length);
        this.ends = new Float64Array(this.lanes.length);
        this.starts = new Int32Array(numberOfLanes + 1);
        let before = 0;
        this.lanes.forEach((lane, i) => {
            if (i === 0 || lane !== this.lanes[i - 1])
                before = 0;
            this.begins[i] = (before + gaps[i]) / 1e9;
            before += gaps[i] + lengths[i];
            this.ends[i] = before / 1e9;
            this.starts[lane + 1] = i + 1;
        });
        for (let lane = 1; lane < this.starts.length; lane++)
            this.starts[lane] = Math.max(this.starts[lane], this.starts[lane - 1]);
    }

    /** @param {number} i */
    length(i) { return this.ends[i] - this.begins[i]; }

    /** Spans of a lane visible between two times; one extra, as spans hardly overlap.
     * @param {number} lane
     * @param {number} begin
     * @param {number} end */
    between(lane, begin, end) {
        const from = this.starts[lane], to = this.starts[lane + 1];
        return [Math.max(from, firstNotBelow(this.begins, begin, from, to) - 1), firstNotBelow(this.begins, end, from, to)];
    }

    /** Last span of a lane that begins before a time, or the one before the first.
     * @param {number} lane
     * @param {number} time */
    lastBefore(lane, time) { return firstNotBelow(this.begins, time, this.starts[lane], this.starts[lane + 1]) - 1; }
}
