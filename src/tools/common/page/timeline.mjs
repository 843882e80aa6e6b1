/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Timeline of lanes. */

import {paintTicks} from './chart.mjs';
import {colour} from './colours.mjs';
import {largestOf, unpack} from './data.mjs';
import {format, limit, ticks} from './numbers.mjs';
import {Range} from './range.mjs';
import {Rows} from './rows.mjs';
import {shownSeries} from './series.mjs';
import {Spans} from './spans.mjs';

/* span is -1 where none is. */
/** @typedef {{lane: number, span: number, time: number}} Cursor */
/** @typedef {Rows<Cursor>} Base */

/** @extends {Rows<Cursor>} */
export class Timeline extends Rows {
    /** @param {import('./document').Timeline} part */
    constructor(part) {
        const names = unpack(part.lanes);
        super(part.title, 'Left and right move in time, up and down between lanes, plus and minus zoom, 0 shows all.', names);
        this.spans = new Spans(names.length, part.spans);
        const weights = part.categories.map(() => 0);
        this.spans.categories.forEach((category, i) => { weights[category] += this.spans.length(i); });
        const {shown, number} = shownSeries(part.categories, weights);
        this.categoryNames = part.categories;
        this.series = shown;
        this.seriesOf = number;
        this.unit = 'seconds';
        const end = largestOf(this.spans.ends) || 1;
        /** @type {{x: Range, y: Range}} */
        this.axes = {x: new Range(0, end, end / 1e6), y: this.axes.y};
    }

    get zoomed() { return [this.axes.x]; }

    /** Time of each series in each column of a stripe.
     * @param {import('./rows.mjs').Stripe} stripe
     * @param {number} columns */
    coverage(stripe, columns) {
        const {begin, size} = this.axes.x;
        const cover = new Float32Array(columns * this.series.length);
        const scale = columns / size;
        for (let lane = stripe.from; lane < stripe.to; lane++) {
            const [from, to] = this.spans.between(lane, begin, begin + size);
            for (let i = from; i < to; i++) {
                const series = this.seriesOf[this.spans.categories[i]];
                if (series < 0 || !this.series[series].isOn)
                    continue;
                const left = Math.max(0, (this.spans.begins[i] - begin) * scale);
                const right = Math.min(columns, (this.spans.ends[i] - begin) * scale);
                for (let x = Math.floor(left); x < right; x++)
                    cover[x * this.series.length + series] += Math.min(x + 1, right) - Math.max(x, left);
            }
        }
        return cover;
    }

    /** Dominant series of a column, or -1 if mostly empty.
     * @param {Float32Array} cover
     * @param {number} x
     * @param {number} lanes */
    main(cover, x, lanes) {
        let found = -1, most = 0, all = 0;
        for (let series = 0; series < this.series.length; series++) {
            const part = cover[x * this.series.length + series];
            all += part;
            if (part > most) {
                most = part;
                found = series;
            }
        }
        return lanes - all > most && all < lanes / 4 ? -1 : found;
    }

    /** @type {Base['paint']} */
    paint(context, width, height) {
        this.layOut(context, width, height, 12);
        const {area} = this, axis = this.axes.x;
        const columns = Math.max(1, Math.floor(area.width * (window.devicePixelRatio || 1)));
        const pixel = area.width / columns;
        paintTicks(context, area, ticks(axis.begin, axis.end, 'seconds', width / 120),
                   value => area.x + (value - axis.begin) / axis.size * area.width);
        this.paintNames(context, lane => this.names[lane]);
        this.clip(context);
        for (const stripe of this.stripes(1)) {
            const gap = stripe.height >= 12 ? 3 : stripe.height >= 4 ? 1 : 0;
            const cover = this.coverage(stripe, columns);
            /** @type {(series: number, from: number, to: number) => void} */
            const draw = (series, from, to) => {
                if (series < 0)
                    return;
                context.fillStyle = colour(this.series[series].colour);
                context.fillRect(area.x + from * pixel, stripe.y + gap / 2, (to - from) * pixel, stripe.height - gap);
            };
            let from = 0, now = this.main(cover, 0, stripe.to - stripe.from);
            for (let x = 1; x < columns; x++) {
                const next = this.main(cover, x, stripe.to - stripe.from);
                if (next !== now) {
                    draw(now, from, x);
                    from = x;
                    now = next;
                }
            }
            draw(now, from, columns);
        }
        context.restore();
    }

    /** @param {number} i */
    isOn(i) {
        const series = this.seriesOf[this.spans.categories[i]];
        return series >= 0 && this.series[series].isOn;
    }

    /** Span of a lane at a time, or the last one before.
     * @param {number} lane
     * @param {number} time */
    spanAt(lane, time) {
        for (let i = this.spans.lastBefore(lane, time); i >= this.spans.starts[lane]; i--) {
            if (this.isOn(i))
                return i;
        }
        return -1;
    }

    first() {
        const lane = Math.ceil(this.axes.y.begin);
        return this.nearest(lane, this.axes.x.begin);
    }

    /** @param {number} lane
     * @param {number} time
     * @returns {Cursor} */
    nearest(lane, time) {
        const before = this.spanAt(lane, time + 1e-12);
        return before >= 0 ? {lane, span: before, time} : this.next(lane, this.spans.starts[lane] - 1, 1) || {lane, span: -1, time};
    }

    /** Next visible span of a lane, or null at the end.
     * @param {number} lane
     * @param {number} i
     * @param {number} direction
     * @returns {Cursor | null} */
    next(lane, i, direction) {
        for (i += direction; i >= this.spans.starts[lane] && i < this.spans.starts[lane + 1]; i += direction) {
            if (this.isOn(i))
                return {lane, span: i, time: (this.spans.begins[i] + this.spans.ends[i]) / 2};
        }
        return null;
    }

    /** @type {Base['at']} */
    at(x, y) {
        if (!this.isInside(x, y) || x < this.area.x)
            return null;
        const lane = this.rowAt(y), axis = this.axes.x;
        const pixel = axis.size / this.area.width;
        const time = axis.begin + (x - this.area.x) * pixel;
        const span = this.spanAt(lane, time);
        return {lane, time, span: span >= 0 && this.spans.ends[span] >= time - 2 * pixel ? span : -1};
    }

    /** @type {Base['step']} */
    step(cursor, x, y) {
        if (y !== 0)
            return this.nearest(limit(cursor.lane + y, 0, this.names.length - 1), cursor.time);
        if (!Number.isFinite(x))
            return this.nearest(cursor.lane, x < 0 ? this.axes.x.low : this.axes.x.high);
        let next = cursor;
        for (let i = 0; i < Math.abs(x); i++)
            next = this.next(next.lane, next.span, Math.sign(x)) || next;
        return next;
    }

    /** @type {Base['show']} */
    show({lane, span}) {
        this.axes.y.include(lane, lane + 1);
        if (span >= 0)
            this.axes.x.include(this.spans.begins[span], this.spans.ends[span]);
    }

    /** @type {Base['box']} */
    box({lane, span, time}) {
        /** @param {number} at */
        const place = at => this.area.x + (limit(at, this.axes.x.begin, this.axes.x.end) - this.axes.x.begin) / this.axes.x.size * this.area.width;
        const left = place(span >= 0 ? this.spans.begins[span] : time), right = place(span >= 0 ? this.spans.ends[span] : time);
        return {x: left, y: this.top(lane), width: right - left, height: this.top(lane + 1) - this.top(lane)};
    }

    /** @type {Base['lines']} */
    lines({lane, span, time}) {
        if (span < 0)
            return [this.names[lane], ['At', format(time, 'seconds')], ['Nothing shown here', '']];
        const category = this.spans.categories[span];
        return [this.names[lane], [this.categoryNames[category], format(this.spans.length(span), 'seconds'), this.series[this.seriesOf[category]].colour],
                ['From', format(this.spans.begins[span], 'seconds')], ['To', format(this.spans.ends[span], 'seconds')]];
    }

    /** @type {Base['columns']} */
    columns() {
        return [{title: 'Lane', unit: 'text', values: this.spans.lanes.map(lane => this.names[lane])},
                {title: 'Category', unit: 'text', values: this.spans.categories.map(category => this.categoryNames[category])},
                {title: 'Begin', unit: 'seconds', values: [...this.spans.begins]},
                {title: 'Duration', unit: 'seconds', values: this.spans.lanes.map((_, i) => this.spans.length(i))}];
    }
}
