/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Base of the charts. */

import {colour} from './colours.mjs';
import {make, say} from './elements.mjs';
import {swatch} from './legend.mjs';
import {limit} from './numbers.mjs';

/** @typedef {import('./range.mjs').Range} Range */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {[name: string, value: string, colour?: string]} Line */
/** @typedef {[heading: string, ...lines: Line[]]} Lines */

/** @returns {never} */
const abstract = () => { throw new Error('a subclass lacks a function'); };

const fontOf = (size = 12) => `${size}px ${getComputedStyle(document.body).fontFamily}`;
/** @param {HTMLCanvasElement} canvas */
export const contextOf = canvas => /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));

/** @type {Chart<any>[]} */
export const charts = [];

/** A canvas with a cursor, moved by pointer and arrow keys, and axes that zoom and pan.
 * @template Cursor */
export class Chart {
    /** @param {string} title
     * @param {string} hint */
    constructor(title, hint) {
        /** @type {{x?: Range, y?: Range}} */
        this.axes = {};
        /** @type {Cursor | null} */
        this.cursor = null;
        /** @type {Box} */
        this.area = {x: 0, y: 0, width: 0, height: 0};
        this.isDue = false;
        /** @type {Point | null} */
        this.dragged = null;
        this.canvas = make('canvas', {
            tabindex: 0, role: 'application', 'aria-roledescription': 'chart', 'aria-label': `${title}. ${hint}`,
            pointermove: event => this.onMove(event), pointerdown: event => this.onPress(event),
            pointerup: () => this.onRelease(), pointercancel: () => this.onRelease(),
            pointerleave: () => this.point(null), blur: () => this.point(null),
            keydown: event => this.onKey(event),
        });
        this.canvas.addEventListener('wheel', event => this.onWheel(event), {passive: false});
        this.mark = make('div', {class: 'cursor', hidden: true});
        this.tip = make('div', {class: 'tip', hidden: true});
        this.plot = make('div', {class: 'plot'}, this.canvas, this.mark, this.tip);
        /** @type {{button: HTMLButtonElement, isUseful: () => boolean}[]} */
        this.zoomButtons = [];
        new ResizeObserver(() => this.draw()).observe(this.plot);
        charts.push(this);
    }

    /* ---- drawing ---- */

    draw() {
        const width = this.plot.clientWidth;
        if (width === 0)
            return;
        const height = this.height(width);
        const ratio = window.devicePixelRatio || 1;
        this.canvas.style.height = `${height}px`;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        const context = contextOf(this.canvas);
        context.scale(ratio, ratio);
        context.font = fontOf();
        context.textBaseline = 'middle';
        this.paint(context, width, height);
        this.paintThumbs(context);
        const canPan = Object.values(this.axes).some(axis => !axis.isWhole);
        this.canvas.classList.toggle('can-pan', canPan);
        this.zoomButtons.forEach(({button, isUseful}) => { button.disabled = !isUseful(); });
        this.point(this.cursor, false);
    }

    redraw() {
        if (!this.isDue) {
            this.isDue = true;
            requestAnimationFrame(() => { this.isDue = false; this.draw(); });
        }
    }

    /** Scroll thumbs of zoomed axes.
     * @param {CanvasRenderingContext2D} context */
    paintThumbs(context) {
        const {x, y, width, height} = this.area;
        /** @type {(axis: Range | undefined, whole: number, draw: (from: number, size: number) => void) => void} */
        const thumb = (axis, whole, draw) => {
            if (axis && !axis.isWhole) {
                const all = axis.high - axis.low;
                draw((axis.begin - axis.low) / all * whole, Math.max(8, axis.size / all * whole));
            }
        };
        context.fillStyle = colour('edge');
        thumb(this.axes.x, width, (from, size) => context.fillRect(x + Math.min(from, width - size), y + height + 1, size, 3));
        thumb(this.axes.y, height, (from, size) => context.fillRect(x + width + 1, y + Math.min(from, height - size), 3, size));
    }

    /* ---- the cursor ---- */

    /** @param {Cursor | null} cursor
     * @param {boolean} isSpoken
     * @param {Point | null} pointer */
    point(cursor, isSpoken = false, pointer = null) {
        this.cursor = cursor;
        this.mark.hidden = this.tip.hidden = cursor === null;
        if (cursor === null)
            return;
        const box = this.box(cursor);
        const least = 6;
        const place = {left: box.x - Math.max(0, least - box.width) / 2 - 1, top: box.y - Math.max(0, least - box.height) / 2 - 1,
                       width: Math.max(least, box.width) + 2, height: Math.max(least, box.height) + 2};
        for (const [name, value] of Object.entries(place))
            this.mark.style.setProperty(name, `${value}px`);

        const [heading, ...lines] = this.lines(cursor);
        this.tip.replaceChildren(make('div', {}, heading), ...lines.map(([name, value, series]) =>
            make('div', {class: 'line'}, series ? swatch(series) : null, make('span', {}, name), make('span', {}, value))));
        this.placeTip(pointer ? {...pointer, width: 0, height: 0} : box);
        if (isSpoken)
            say([heading, ...lines.map(([name, value]) => `${name} ${value}`)].join('; '));
    }

    /** Puts the tooltip below right of the box, or where there is room, without covering it.
     * @param {Box} box */
    placeTip({x, y, width, height}) {
        const {offsetWidth, offsetHeight} = this.tip, away = 14;
        const below = y + height + away, above = y - away - offsetHeight;
        const isAbove = below + offsetHeight > this.plot.clientHeight && above >= -40;
        this.tip.style.left = `${limit(x + width + away, 0, Math.max(0, this.plot.clientWidth - offsetWidth))}px`;
        this.tip.style.top = `${isAbove ? above : below}px`;
    }

    /* ---- pointer and keys ---- */

    /** @param {PointerEvent | WheelEvent} event */
    position(event) {
        const bounds = this.canvas.getBoundingClientRect();
        return {x: event.clientX - bounds.left, y: event.clientY - bounds.top};
    }

    /** @param {PointerEvent} event */
    onMove(event) {
        const here = this.position(event);
        if (this.dragged) {
            this.panPixels(this.dragged.x - here.x, this.dragged.y - here.y);
            this.dragged = here;
        } else
            this.point(this.at(here.x, here.y), false, here);
    }

    /** @param {PointerEvent} event */
    onPress(event) {
        if (this.canvas.classList.contains('can-pan')) {
            this.canvas.setPointerCapture(event.pointerId);
            this.canvas.classList.add('panning');
            this.dragged = this.position(event);
            this.point(null);
        }
    }

    onRelease() {
        this.dragged = null;
        this.canvas.classList.remove('panning');
    }

    /** @param {number} x
     * @param {number} y */
    panPixels(x, y) {
        if (this.axes.x)
            this.axes.x.pan(x / this.area.width * this.axes.x.size);
        if (this.axes.y)
            this.axes.y.pan(y / this.area.height * this.axes.y.size);
        this.redraw();
    }

    /** @param {WheelEvent} event */
    onWheel(event) {
        if (!event.ctrlKey && !event.metaKey)
            return;
        event.preventDefault();
        const here = this.position(event), factor = Math.exp(limit(event.deltaY, -120, 120) / 240);
        this.zoomed.forEach(axis => axis.zoom(factor, this.valueAt(axis, here)));
        this.cursor = null;
        this.redraw();
    }

    /** @param {KeyboardEvent} event */
    onKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        const far = event.shiftKey ? 10 : 1;
        /** @type {Record<string, [number, number]>} */
        const steps = {ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far],
                       PageUp: [0, -10], PageDown: [0, 10], Home: [-Infinity, 0], End: [Infinity, 0]};
        /** @type {Record<string, () => void>} */
        const actions = {'+': () => this.zoomKey(1 / 1.6), '=': () => this.zoomKey(1 / 1.6), '-': () => this.zoomKey(1.6),
                         '0': () => this.zoomAll(), Escape: () => this.point(null)};
        if (steps[event.key])
            this.moveCursor(...steps[event.key]);
        else if (actions[event.key])
            actions[event.key]();
        else
            return;
        event.preventDefault();
    }

    /** @param {number} x
     * @param {number} y */
    moveCursor(x, y) {
        /** @type {Cursor} */
        const next = this.cursor ? this.step(this.cursor, x, y) : this.first();
        this.cursor = next;
        this.show(next);
        this.draw();
        this.point(next, true);
    }

    /* ---- zoom ---- */

    /* Axes that keys and wheel zoom. */
    get zoomed() { return Object.values(this.axes); }

    /** @param {number} factor */
    zoomKey(factor) {
        this.zoomed.forEach(axis => this.zoom(axis, factor));
    }

    /** Value of an axis at a point of the canvas.
     * @param {Range} axis
     * @param {Point} point */
    valueAt(axis, {x, y}) {
        const {area} = this;
        const share = axis === this.axes.x ? (x - area.x) / area.width : (y - area.y) / area.height;
        return axis.begin + limit(share, 0, 1) * axis.size;
    }

    /** Zooms around the cursor, if any.
     * @param {Range} axis
     * @param {number} factor */
    zoom(axis, factor) {
        const box = this.cursor && this.box(this.cursor);
        axis.zoom(factor, box ? this.valueAt(axis, {x: box.x + box.width / 2, y: box.y + box.height / 2}) : undefined);
        this.redraw();
    }

    zoomAll() {
        Object.values(this.axes).forEach(axis => axis.reset());
        this.redraw();
    }

    /** Zoom buttons for the named axes.
     * @param {[name: string, axes: Range[]][]} named */
    zoomTools(named) {
        /** @type {(axes: Range[], test: (axis: Range) => boolean) => () => boolean} */
        const useful = (axes, test) => () => axes.some(test);
        /** @type {(text: string, label: string, action: () => void, isUseful: () => boolean) => HTMLButtonElement} */
        const button = (text, label, action, isUseful) => {
            const made = make('button', {type: 'button', 'aria-label': label, title: label, click: action}, text);
            this.zoomButtons.push({button: made, isUseful});
            return made;
        };
        /** @param {[string, Range[]]} named */
        const pair = ([name, axes]) => make('span', {class: 'group zoom'}, name,
            button('−', `${name}: zoom out`, () => axes.forEach(axis => this.zoom(axis, 1.6)), useful(axes, axis => !axis.isWhole)),
            button('+', `${name}: zoom in`, () => axes.forEach(axis => this.zoom(axis, 1 / 1.6)), useful(axes, axis => axis.size > axis.least)));
        const all = named.flatMap(([, axes]) => axes);
        return [...named.map(pair), make('span', {class: 'group'}, button('All', 'Show all', () => this.zoomAll(), useful(all, axis => !axis.isWhole)))];
    }

    /* ---- for subclasses ---- */

    /** Height of the canvas.
     * @param {number} width
     * @returns {number} */
    height(width) { return abstract(); }

    /** Draws, and sets this.area to the data area.
     * @param {CanvasRenderingContext2D} context
     * @param {number} width
     * @param {number} height
     * @returns {void} */
    paint(context, width, height) { abstract(); }

    /** Initial cursor for the keyboard.
     * @returns {Cursor} */
    first() { return abstract(); }

    /** Cursor at a point of the canvas.
     * @param {number} x
     * @param {number} y
     * @returns {Cursor | null} */
    at(x, y) { return abstract(); }

    /** Next cursor to the right (x = 1), down (y = 1), and so on.
     * @param {Cursor} cursor
     * @param {number} x
     * @param {number} y
     * @returns {Cursor} */
    step(cursor, x, y) { return abstract(); }

    /** Position of the cursor.
     * @param {Cursor} cursor
     * @returns {Box} */
    box(cursor) { return abstract(); }

    /** Text of the tooltip.
     * @param {Cursor} cursor
     * @returns {Lines} */
    lines(cursor) { return abstract(); }

    /** Pans the axes to make the cursor visible.
     * @param {Cursor} cursor
     * @returns {void} */
    show(cursor) { abstract(); }

    /** The data as a table.
     * @returns {import('./table.mjs').Column[]} */
    columns() { return abstract(); }
}

/* Lines and texts common to charts. */

/** Skips labels that would touch the previous one.
 * @param {CanvasRenderingContext2D} context
 * @param {Box} area
 * @param {{value: number, name: string}[]} marks
 * @param {(value: number) => number} placeOf */
export function paintTicks(context, area, marks, placeOf) {
    let free = -Infinity;
    context.textAlign = 'center';
    for (const {value, name} of marks) {
        const x = placeOf(value), half = context.measureText(name).width / 2;
        const middle = limit(x, half, context.canvas.clientWidth - half);
        context.fillStyle = colour('line');
        context.fillRect(Math.round(x), area.y, 1, area.height);
        if (middle - half < free)
            continue;
        context.fillStyle = colour('soft');
        context.fillText(name, middle, area.y + area.height + 14);
        free = middle + half + 8;
    }
}

/** @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} width */
export function shortened(context, text, width) {
    if (context.measureText(text).width <= width)
        return text;
    let length = text.length;
    while (length > 1 && context.measureText(text.slice(0, length) + '…').width > width)
        length--;
    return text.slice(0, length) + '…';
}
