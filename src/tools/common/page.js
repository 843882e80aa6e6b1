(() => {
'use strict';

/* ---- elements ---- */

/* An element with attributes and children. Function attributes become event listeners; null and
 * false omit an attribute or child. Texts become text nodes: data is never parsed as HTML. */
function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function')
            made.addEventListener(name, value);
        else if (value !== null && value !== false)
            made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.flat().filter(child => child !== null && child !== false));
    return made;
}

let numberOfIds = 0;
const newId = () => `id-${numberOfIds++}`;

const limit = (value, low, high) => Math.max(low, Math.min(high, value));

/* Announcements for screen readers when a cursor moves or a filter changes. */
const speaker = make('div', {class: 'unseen', role: 'status', 'aria-live': 'polite'});
const say = text => { speaker.textContent = text; };

/* A group of radio buttons. */
function segments(title, choices, chosen, onChange) {
    const name = newId();
    const label = ([value, text]) => make('label', {},
        make('input', {type: 'radio', class: 'unseen', name, value, checked: value === chosen,
                       change: () => onChange(value)}), text);
    return make('fieldset', {class: 'segments'}, make('legend', {}, title),
                make('span', {class: 'choices'}, choices.map(label)));
}

/* ---- numbers with units ---- */

const space = '\u00a0';
const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const scales = {
    number: [[1, '']],
    percent: [[1, '%']],
    seconds: [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']],
    bytes: binary.map((suffix, i) => [1024 ** i, suffix]).reverse(),
    bytes_per_second: binary.map((suffix, i) => [1024 ** i, suffix + '/s']).reverse(),
};
const grouped = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const few = new Intl.NumberFormat('en', {maximumSignificantDigits: 4});
const fixed = [1, 2, 3].map(digits => new Intl.NumberFormat('en', {minimumFractionDigits: digits,
                                                                     maximumFractionDigits: digits}));

/* Largest unit in which the number is at least 1. */
function scaleOf(unit, size) {
    const known = scales[unit];
    return known.find(([factor]) => Math.abs(size) >= factor) || known[known.length - 1];
}

/* Four significant digits, with the same number of decimals per magnitude so that columns align. */
function fourDigits(value) {
    const size = Math.abs(value);
    if (size >= 1e15)
        return value.toExponential(3);
    return size >= 1000 ? grouped.format(value) : fixed[size >= 100 ? 0 : size >= 10 ? 1 : 2].format(value);
}

function format(value, unit) {
    if (value === null || value === undefined)
        return '';
    if (typeof value !== 'number' || unit === 'text')
        return String(value);
    if (unit === 'number')
        return Number.isInteger(value) ? grouped.format(value) : few.format(value);
    if (unit === 'percent')
        return fixed[Math.abs(value) >= 10 || value === 0 ? 0 : 1].format(value) + space + '%';
    if (value === 0)
        return '0' + space + (unit === 'seconds' ? 's' : unit === 'bytes' ? 'B' : 'B/s');
    const [factor, suffix] = scaleOf(unit, value);
    const scaled = value / factor;
    const isWhole = factor === 1 && unit !== 'seconds' && Number.isInteger(value);
    return (isWhole ? grouped.format(scaled) : fourDigits(scaled)) + space + suffix;
}

/* The same, plus the exact bytes if shortened. */
function exactly(value, unit) {
    const short = format(value, unit);
    return unit === 'bytes' && value >= 1024 ? `${short} (${grouped.format(value)}${space}B)` : short;
}

/* Ticks: about `wanted` round numbers from `low` (or 0) to `high`, with labels in one unit. */
function ticks(low, high, unit, wanted, isWhole = unit === 'number') {
    const [factor, suffix] = scaleOf(unit, Math.max(Math.abs(low), Math.abs(high)));
    const rough = (high - low) / factor / Math.max(1, wanted);
    if (!(rough > 0))
        return [];
    const power = 10 ** Math.floor(Math.log10(rough));
    let step = [1, 2, 5, 10].find(times => times * power >= rough * 0.999) * power;
    if (isWhole)
        step = Math.max(1, Math.round(step));
    const digits = limit(-Math.floor(Math.log10(step) + 1e-9), 0, 9);
    const names = new Intl.NumberFormat('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
    const found = [];
    for (let i = Math.ceil(low / factor / step - 1e-9) || 0; i * step * factor <= high * (1 + 1e-12); i++)
        found.push({value: i * step * factor, name: names.format(i * step) + (suffix ? space + suffix : '')});
    return found;
}

/* ---- data ---- */

/* Run-length decoding: [value, count] is a value that repeats. */
function unpack(packed) {
    const values = [];
    for (const part of packed) {
        if (Array.isArray(part)) {
            for (let i = 0; i < part[1]; i++)
                values.push(part[0]);
        } else
            values.push(part);
    }
    return values;
}

/* The same for a list of differences. */
function unpackSums(packed) {
    let sum = 0;
    return unpack(packed).map(distance => sum += distance);
}

/* Lower bound in a sorted list. */
function firstNotBelow(values, value, low = 0, high = values.length) {
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const sumOf = values => values.reduce((sum, value) => sum + (value || 0), 0);
const largestOf = values => values.reduce((largest, value) => Math.max(largest, value || 0), 0);

/* ---- colours ---- */

const numberOfColours = 8;
const quietName = 'Application';
const otherName = 'Other';

/* Canvases need resolved colours; this element resolves the names of the style sheet. */
const probe = make('span', {hidden: true});
let colours = new Map();

function colour(name) {
    if (!colours.has(name)) {
        probe.style.color = `var(--${name})`;
        colours.set(name, getComputedStyle(probe).color);
    }
    return colours.get(name);
}

const channels = text => text.match(/[\d.]+/g).slice(0, 3).map(Number);

/* Colour map from 0 to 1 with the stops of the style sheet. */
function heatRamp() {
    const stops = [0, 1, 2, 3, 4, 5].map(i => channels(colour(`heat-${i}`)));
    return strength => {
        const place = limit(strength, 0, 1) * (stops.length - 1);
        const i = Math.min(Math.floor(place), stops.length - 2);
        return stops[i].map((low, c) => Math.round(low + (stops[i + 1][c] - low) * (place - i)));
    };
}

/* A function keeps its colour on the whole page, while there are colours. */
const colourNumbers = new Map();

/* Maps names, ordered by weight, to colour names; the rest get none. */
function assignColours(names) {
    const assigned = new Map(), used = new Set();
    const chosen = names.filter(name => name !== quietName).slice(0, numberOfColours);
    const take = (name, number) => { assigned.set(name, `series-${number}`); used.add(number); };

    for (const name of chosen) {
        if (colourNumbers.has(name) && !used.has(colourNumbers.get(name)))
            take(name, colourNumbers.get(name));
    }
    for (const name of chosen) {
        if (assigned.has(name))
            continue;
        const taken = new Set(colourNumbers.values());
        const free = [...Array(numberOfColours).keys()].filter(number => !used.has(number));
        take(name, free.find(number => !taken.has(number)) ?? free[0]);
        if (!colourNumbers.has(name))
            colourNumbers.set(name, [...used].pop());
    }
    if (names.includes(quietName))
        assigned.set(quietName, 'quiet');
    return assigned;
}

/* Selects the heaviest names, each with a colour, and combines the rest. `number` maps each name to
 * its shown series. */
function shownSeries(names, weights) {
    const order = names.map((_, i) => i).filter(i => weights[i] > 0).sort((a, b) => weights[b] - weights[a]);
    const assigned = assignColours(order.map(i => names[i]));
    const shown = order.filter(i => assigned.has(names[i]))
                       .map(i => ({name: names[i], colour: assigned.get(names[i]), weight: weights[i], isOn: true}));
    const others = order.filter(i => !assigned.has(names[i]));
    const number = names.map(name => shown.findIndex(one => one.name === name));
    if (others.length > 0) {
        shown.push({name: `${otherName} (${others.length})`, colour: 'other', isOn: true,
                    weight: sumOf(others.map(i => weights[i]))});
        others.forEach(i => { number[i] = shown.length - 1; });
    }
    return {shown, number};
}

/* Buttons that show the colours and toggle the series. */
function legend(shown, unit, onChange) {
    const total = sumOf(shown.map(one => one.weight));
    const item = one => {
        const button = make('button', {type: 'button', 'aria-pressed': 'true', title: exactly(one.weight, unit), click() {
            one.isOn = !one.isOn;
            button.setAttribute('aria-pressed', String(one.isOn));
            onChange();
        }}, swatch(one.colour), one.name,
        make('span', {class: 'total'}, format(100 * one.weight / total, 'percent')));
        return make('li', {}, button);
    };
    return make('ul', {class: 'legend', 'aria-label': 'Shown; press to take out or in'}, shown.map(item));
}

function swatch(name) {
    return make('span', {class: 'swatch', style: `background: var(--${name}); border-color: var(--${name})`});
}

/* ---- tables ---- */

const rowsAtFirst = 100;
const rowsMore = 1000;

class Table {
    constructor(title, columns, parent) {
        this.columns = columns;
        this.count = columns.length ? columns[0].values.length : 0;
        this.order = Array.from({length: this.count}, (_, row) => row);
        this.found = this.order;
        this.texts = [];
        this.sorted = null;
        this.shown = rowsAtFirst;

        this.counter = make('span', {role: 'status'});
        this.filter = make('input', {type: 'search', placeholder: 'Filter rows', 'aria-label': `Filter rows of ${title}`,
                                     input: () => this.narrow()});
        this.heads = columns.map((column, i) => this.head(column, i));
        this.body = make('tbody');
        this.more = make('div', {class: 'more'});
        parent.append(
            make('div', {class: 'tools'}, this.count > 5 && this.filter, this.counter),
            make('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title},
                make('table', {'aria-label': title, 'aria-rowcount': this.count + 1},
                     make('thead', {}, make('tr', {}, this.heads)), this.body)),
            this.more);
        this.write();
    }

    head(column, i) {
        return make('th', {scope: 'col', class: column.unit === 'text' ? 'left' : 'right', 'aria-sort': 'none'},
            make('button', {type: 'button', click: () => this.sort(i)},
                 column.title, make('span', {class: 'order', 'aria-hidden': 'true'}, '')));
    }

    /* Numbers sort descending first, texts ascending; a second click reverses. Stable; missing
     * values are last. */
    sort(i) {
        const column = this.columns[i];
        const isText = column.unit === 'text';
        const isUp = this.sorted && this.sorted.column === i ? !this.sorted.isUp : isText;
        const compareTexts = new Intl.Collator('en', {numeric: true}).compare;
        const compare = isText ? (a, b) => compareTexts(String(a), String(b)) : (a, b) => a - b;
        const missing = value => value === null || value === undefined || value === '';

        this.order = [...this.order].sort((one, two) => {
            const a = column.values[one], b = column.values[two];
            if (missing(a) || missing(b))
                return missing(a) - missing(b);
            return isUp ? compare(a, b) : compare(b, a);
        });
        this.sorted = {column: i, isUp};
        this.heads.forEach((head, other) => {
            const isThis = other === i;
            head.setAttribute('aria-sort', !isThis ? 'none' : isUp ? 'ascending' : 'descending');
            head.querySelector('.order').textContent = !isThis ? '' : isUp ? '▲' : '▼';
        });
        this.narrow();
    }

    /* Shows the rows that contain all words of the filter. */
    narrow() {
        const words = this.filter.value.toLowerCase().split(/\s+/).filter(word => word !== '');
        const hasAll = row => words.every(word => this.text(row).includes(word));
        this.found = words.length === 0 ? this.order : this.order.filter(hasAll);
        this.shown = rowsAtFirst;
        this.write();
    }

    /* Cached text of a row for the filter. */
    text(row) {
        return this.texts[row] ??= this.columns.map(column => format(column.values[row], column.unit)).join(' ')
                                               .replaceAll(space, ' ').toLowerCase();
    }

    row(row) {
        return make('tr', {}, this.columns.map(({values, unit}) =>
            make('td', {class: unit === 'text' ? 'text' : 'right'}, format(values[row], unit))));
    }

    write() {
        const shown = Math.min(this.shown, this.found.length);
        this.body.replaceChildren(...this.found.slice(0, shown).map(row => this.row(row)));
        this.counter.textContent = this.found.length === this.count
            ? `${grouped.format(this.count)} ${this.count === 1 ? 'row' : 'rows'}`
            : `${grouped.format(this.found.length)} of ${grouped.format(this.count)} rows`;

        const left = this.found.length - shown;
        const show = (text, number) => make('button', {type: 'button', click: () => { this.shown += number; this.write(); }}, text);
        this.more.replaceChildren(...(left === 0 ? [] : [
            `The first ${grouped.format(shown)} are shown.`,
            show(`Show ${grouped.format(Math.min(left, rowsMore))} more`, rowsMore),
        ]));
    }
}

/* A chart's data as a table, created when opened. */
function tableBehind(title, columnsOf) {
    const details = make('details', {toggle() {
        if (details.open && details.childElementCount === 1)
            new Table(title, columnsOf(), details);
    }}, make('summary', {}, 'Show as table'));
    return details;
}

/* ---- charts ---- */

/* Visible part of an axis. */
class Range {
    constructor(low, high, least) {
        Object.assign(this, {low, high, least: Math.min(least, high - low)});
        this.reset();
    }

    get size() { return this.end - this.begin; }
    get isWhole() { return this.size >= (this.high - this.low) * (1 - 1e-9); }

    reset() {
        this.begin = this.low;
        this.end = this.high;
    }

    set(begin, size) {
        size = limit(size, this.least, this.high - this.low);
        this.begin = limit(begin, this.low, this.high - size);
        this.end = this.begin + size;
    }

    /* Zooms around `at`. */
    zoom(factor, at = (this.begin + this.end) / 2) {
        const size = limit(this.size * factor, this.least, this.high - this.low);
        this.set(at - (at - this.begin) * size / this.size, size);
    }

    pan(distance) { this.set(this.begin + distance, this.size); }

    include(begin, end) {
        if (begin < this.begin)
            this.pan(begin - this.begin);
        else if (end > this.end)
            this.pan(Math.min(end - this.end, begin - this.begin));
    }
}

const fontOf = (size = 12) => `${size}px ${getComputedStyle(document.body).fontFamily}`;
const charts = [];

/* A canvas with a cursor, moved by pointer and arrow keys, and axes that zoom and pan. Subclasses
 * provide
 *   height(width)              height of the canvas
 *   paint(context, width)      draws, and sets this.area to the data area
 *   first()                    initial cursor for the keyboard
 *   at(x, y)                   cursor at a point of the canvas, or null
 *   step(cursor, x, y)         next cursor to the right (x = 1), down (y = 1), and so on
 *   box(cursor)                position of the cursor: x, y, width, height
 *   lines(cursor)              tooltip: a heading, then [name, value, colour]
 *   show(cursor)               pans the axes to make the cursor visible
 * and this.axes with the ranges of the axes that zoom. */
class Chart {
    constructor(title, hint) {
        this.axes = {};
        this.cursor = null;
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
        const context = this.canvas.getContext('2d');
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

    /* Scroll thumbs of zoomed axes. */
    paintThumbs(context) {
        const {x, y, width, height} = this.area;
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
            this.mark.style[name] = `${value}px`;

        const [heading, ...lines] = this.lines(cursor);
        this.tip.replaceChildren(make('div', {}, heading), ...lines.map(([name, value, series]) =>
            make('div', {class: 'line'}, series ? swatch(series) : null, make('span', {}, name), make('span', {}, value))));
        this.placeTip(pointer ? {...pointer, width: 0, height: 0} : box);
        if (isSpoken)
            say([heading, ...lines.map(([name, value]) => `${name} ${value}`)].join('; '));
    }

    /* Puts the tooltip below right of the box, or where there is room, without covering it. */
    placeTip({x, y, width, height}) {
        const {offsetWidth, offsetHeight} = this.tip, away = 14;
        const below = y + height + away, above = y - away - offsetHeight;
        const isAbove = below + offsetHeight > this.plot.clientHeight && above >= -40;
        this.tip.style.left = `${limit(x + width + away, 0, Math.max(0, this.plot.clientWidth - offsetWidth))}px`;
        this.tip.style.top = `${isAbove ? above : below}px`;
    }

    /* ---- pointer and keys ---- */

    position(event) {
        const bounds = this.canvas.getBoundingClientRect();
        return {x: event.clientX - bounds.left, y: event.clientY - bounds.top};
    }

    onMove(event) {
        const here = this.position(event);
        if (this.dragged) {
            this.panPixels(this.dragged.x - here.x, this.dragged.y - here.y);
            this.dragged = here;
        } else
            this.point(this.at(here.x, here.y), false, here);
    }

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

    panPixels(x, y) {
        if (this.axes.x)
            this.axes.x.pan(x / this.area.width * this.axes.x.size);
        if (this.axes.y)
            this.axes.y.pan(y / this.area.height * this.axes.y.size);
        this.redraw();
    }

    onWheel(event) {
        if (!event.ctrlKey && !event.metaKey)
            return;
        event.preventDefault();
        const here = this.position(event), factor = Math.exp(limit(event.deltaY, -120, 120) / 240);
        this.zoomed.forEach(axis => axis.zoom(factor, this.valueAt(axis, here)));
        this.cursor = null;
        this.redraw();
    }

    onKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        const far = event.shiftKey ? 10 : 1;
        const steps = {ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far],
                       PageUp: [0, -10], PageDown: [0, 10], Home: [-Infinity, 0], End: [Infinity, 0]};
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

    moveCursor(x, y) {
        const next = this.cursor ? this.step(this.cursor, x, y) : this.first();
        this.cursor = next;
        this.show(next);
        this.draw();
        this.point(next, true);
    }

    /* ---- zoom ---- */

    /* Axes that keys and wheel zoom. */
    get zoomed() { return Object.values(this.axes); }

    zoomKey(factor) {
        this.zoomed.forEach(axis => this.zoom(axis, factor));
    }

    /* Value of an axis at a point of the canvas. */
    valueAt(axis, {x, y}) {
        const {area} = this;
        const share = axis === this.axes.x ? (x - area.x) / area.width : (y - area.y) / area.height;
        return axis.begin + limit(share, 0, 1) * axis.size;
    }

    /* Zooms around the cursor, if any. */
    zoom(axis, factor) {
        const box = this.cursor && this.box(this.cursor);
        axis.zoom(factor, box ? this.valueAt(axis, {x: box.x + box.width / 2, y: box.y + box.height / 2}) : undefined);
        this.redraw();
    }

    zoomAll() {
        Object.values(this.axes).forEach(axis => axis.reset());
        this.redraw();
    }

    /* Zoom buttons for the named axes. */
    zoomTools(named) {
        const useful = (axes, test) => () => axes.some(test);
        const button = (text, label, action, isUseful) => {
            const made = make('button', {type: 'button', 'aria-label': label, title: label, click: action}, text);
            this.zoomButtons.push({button: made, isUseful});
            return made;
        };
        const pair = ([name, axes]) => make('span', {class: 'group zoom'}, name,
            button('−', `${name}: zoom out`, () => axes.forEach(axis => this.zoom(axis, 1.6)), useful(axes, axis => !axis.isWhole)),
            button('+', `${name}: zoom in`, () => axes.forEach(axis => this.zoom(axis, 1 / 1.6)), useful(axes, axis => axis.size > axis.least)));
        const all = named.flatMap(([, axes]) => axes);
        return [...named.map(pair), make('span', {class: 'group'}, button('All', 'Show all', () => this.zoomAll(), useful(all, axis => !axis.isWhole)))];
    }
}

/* Lines and texts common to charts. */

/* Skips labels that would touch the previous one. */
function paintTicks(context, area, marks, placeOf) {
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

function shortened(context, text, width) {
    if (context.measureText(text).width <= width)
        return text;
    let length = text.length;
    while (length > 1 && context.measureText(text.slice(0, length) + '…').width > width)
        length--;
    return text.slice(0, length) + '…';
}

/* ---- rows of one height: ranks, threads ---- */

const tallest = 560;
const rowHeight = rows => limit(Math.floor(240 / rows), 20, 34);

/* Base of bars and timelines: rows from the top; several share a stripe if space is short. */
class Rows extends Chart {
    constructor(title, hint, names) {
        super(title, hint);
        this.names = names;
        this.axes.y = new Range(0, Math.max(1, names.length), 8);
    }

    height() { return Math.min(tallest, this.names.length * rowHeight(this.names.length)) + 36; }

    get isCrowded() { return this.names.length * rowHeight(this.names.length) > tallest; }

    layOut(context, width, height, right) {
        const widest = this.names.length > 2000 ? [this.names[0], this.names[this.names.length - 1]] : this.names;
        const labels = Math.min(width / 4, 150, largestOf(widest.map(name => context.measureText(name).width)));
        this.area = {x: Math.ceil(labels) + 8, y: 6, width: Math.floor(width - labels - 8 - right), height: height - 36};
    }

    top(row) { return this.area.y + (row - this.axes.y.begin) / this.axes.y.size * this.area.height; }

    /* Groups of rows with stripes of at least `least` pixels. */
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

    clip(context) {
        const {x, y, width, height} = this.area;
        context.save();
        context.beginPath();
        context.rect(x, y, width, height);
        context.clip();
    }

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

    rowAt(y) {
        const {begin, size} = this.axes.y;
        return limit(Math.floor(begin + (y - this.area.y) / this.area.height * size), 0, this.names.length - 1);
    }

    isInside(x, y) {
        return y >= this.area.y && y < this.area.y + this.area.height && x < this.area.x + this.area.width;
    }
}

class Bars extends Rows {
    constructor(part) {
        const names = unpack(part.rows);
        super(part.title, 'Arrow keys move between rows, plus and minus zoom, 0 shows all.', names);
        this.unit = part.unit;
        this.order = names.map((_, row) => row);
        const values = part.series.map(series => unpack(series.values));
        const {shown, number} = shownSeries(part.series.map(series => series.name), values.map(sumOf));
        this.series = shown;
        this.values = shown.map(() => new Float64Array(names.length));
        values.forEach((list, i) => number[i] >= 0 && list.forEach((value, row) => { this.values[number[i]][row] += value || 0; }));
        this.source = {part, values};
    }

    get visible() { return this.series.map((_, i) => i).filter(i => this.series[i].isOn); }

    total(row) { return sumOf(this.visible.map(i => this.values[i][row])); }

    sortRows(how) {
        this.order.sort((a, b) => a - b);
        if (how === 'largest') {
            const totals = this.order.map(row => this.total(row));
            this.order.sort((a, b) => totals[b] - totals[a] || a - b);
        }
        this.how = how;
        this.redraw();
    }

    /* Mean over the rows of a stripe. */
    mean(series, {from, to}) {
        let sum = 0;
        for (let i = from; i < to; i++)
            sum += this.values[series][this.order[i]];
        return sum / (to - from);
    }

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
    at(x, y) { return this.isInside(x, y) ? {row: this.rowAt(y)} : null; }
    step({row}, x, y) { return {row: limit(row + y + (Number.isFinite(x) ? 0 : x), 0, this.names.length - 1)}; }
    show({row}) { this.axes.y.include(row, row + 1); }

    box({row}) {
        const width = Math.max(2, this.total(this.order[row]) / this.largest * this.area.width);
        return {x: this.area.x, y: this.top(row), width, height: this.top(row + 1) - this.top(row)};
    }

    lines({row}) {
        const which = this.order[row];
        const lines = this.visible.filter(i => this.values[i][which] > 0)
                          .map(i => [this.series[i].name, exactly(this.values[i][which], this.unit), this.series[i].colour]);
        return [this.names[which], ...lines, ['Total', exactly(this.total(which), this.unit)]];
    }

    columns() {
        const {part, values} = this.source;
        return [{title: 'Row', unit: 'text', values: this.names},
                ...part.series.map((series, i) => ({title: series.name, unit: part.unit, values: values[i]}))];
    }
}

class Timeline extends Rows {
    constructor(part) {
        super(part.title, 'Left and right move in time, up and down between lanes, plus and minus zoom, 0 shows all.',
              unpack(part.lanes));
        this.readSpans(part);
        const weights = part.categories.map(() => 0);
        this.categories.forEach((category, i) => { weights[category] += this.ends[i] - this.begins[i]; });
        const {shown, number} = shownSeries(part.categories, weights);
        this.categoryNames = part.categories;
        this.series = shown;
        this.seriesOf = number;
        this.unit = 'seconds';
        const end = largestOf(this.ends) || 1;
        this.axes.x = new Range(0, end, end / 1e6);
    }

    get zoomed() { return [this.axes.x]; }

    readSpans({spans, lanes}) {
        const inLane = unpack(spans.lanes), gaps = unpack(spans.gaps), lengths = unpack(spans.lengths);
        this.lanes = inLane;
        this.categories = unpack(spans.categories);
        this.begins = new Float64Array(inLane.length);
        this.ends = new Float64Array(inLane.length);
        this.starts = new Int32Array(unpack(lanes).length + 1);
        let before = 0;
        inLane.forEach((lane, i) => {
            if (i === 0 || lane !== inLane[i - 1])
                before = 0;
            this.begins[i] = (before + gaps[i]) / 1e9;
            before += gaps[i] + lengths[i];
            this.ends[i] = before / 1e9;
            this.starts[lane + 1] = i + 1;
        });
        for (let lane = 1; lane < this.starts.length; lane++)
            this.starts[lane] = Math.max(this.starts[lane], this.starts[lane - 1]);
    }

    /* Spans of a lane visible between two times; one extra, as spans hardly overlap. */
    spansOf(lane, begin, end) {
        const from = this.starts[lane], to = this.starts[lane + 1];
        return [Math.max(from, firstNotBelow(this.begins, begin, from, to) - 1), firstNotBelow(this.begins, end, from, to)];
    }

    /* Time of each series in each column of a stripe. */
    coverage(stripe, columns) {
        const {begin, size} = this.axes.x;
        const cover = new Float32Array(columns * this.series.length);
        const scale = columns / size;
        for (let lane = stripe.from; lane < stripe.to; lane++) {
            const [from, to] = this.spansOf(lane, begin, begin + size);
            for (let i = from; i < to; i++) {
                const series = this.seriesOf[this.categories[i]];
                if (series < 0 || !this.series[series].isOn)
                    continue;
                const left = Math.max(0, (this.begins[i] - begin) * scale);
                const right = Math.min(columns, (this.ends[i] - begin) * scale);
                for (let x = Math.floor(left); x < right; x++)
                    cover[x * this.series.length + series] += Math.min(x + 1, right) - Math.max(x, left);
            }
        }
        return cover;
    }

    /* Dominant series of a column, or -1 if mostly empty. */
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

    isOn(i) {
        const series = this.seriesOf[this.categories[i]];
        return series >= 0 && this.series[series].isOn;
    }

    /* Span of a lane at a time, or the last one before. */
    spanAt(lane, time) {
        for (let i = firstNotBelow(this.begins, time, this.starts[lane], this.starts[lane + 1]) - 1; i >= this.starts[lane]; i--) {
            if (this.isOn(i))
                return i;
        }
        return -1;
    }

    first() {
        const lane = Math.ceil(this.axes.y.begin);
        return this.nearest(lane, this.axes.x.begin);
    }

    nearest(lane, time) {
        const before = this.spanAt(lane, time + 1e-12);
        return before >= 0 ? {lane, span: before, time} : this.next(lane, this.starts[lane] - 1, 1) || {lane, span: -1, time};
    }

    /* Next visible span of a lane, or null at the end. */
    next(lane, i, direction) {
        for (i += direction; i >= this.starts[lane] && i < this.starts[lane + 1]; i += direction) {
            if (this.isOn(i))
                return {lane, span: i, time: (this.begins[i] + this.ends[i]) / 2};
        }
        return null;
    }

    at(x, y) {
        if (!this.isInside(x, y) || x < this.area.x)
            return null;
        const lane = this.rowAt(y), axis = this.axes.x;
        const pixel = axis.size / this.area.width;
        const time = axis.begin + (x - this.area.x) * pixel;
        const span = this.spanAt(lane, time);
        return {lane, time, span: span >= 0 && this.ends[span] >= time - 2 * pixel ? span : -1};
    }

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

    show({lane, span}) {
        this.axes.y.include(lane, lane + 1);
        if (span >= 0)
            this.axes.x.include(this.begins[span], this.ends[span]);
    }

    box({lane, span, time}) {
        const place = at => this.area.x + (limit(at, this.axes.x.begin, this.axes.x.end) - this.axes.x.begin) / this.axes.x.size * this.area.width;
        const left = place(span >= 0 ? this.begins[span] : time), right = place(span >= 0 ? this.ends[span] : time);
        return {x: left, y: this.top(lane), width: right - left, height: this.top(lane + 1) - this.top(lane)};
    }

    lines({lane, span, time}) {
        if (span < 0)
            return [this.names[lane], ['At', format(time, 'seconds')], ['Nothing shown here', '']];
        const category = this.categories[span];
        return [this.names[lane], [this.categoryNames[category], format(this.ends[span] - this.begins[span], 'seconds'), this.series[this.seriesOf[category]].colour],
                ['From', format(this.begins[span], 'seconds')], ['To', format(this.ends[span], 'seconds')]];
    }

    columns() {
        return [{title: 'Lane', unit: 'text', values: this.lanes.map(lane => this.names[lane])},
                {title: 'Category', unit: 'text', values: this.categories.map(category => this.categoryNames[category])},
                {title: 'Begin', unit: 'seconds', values: [...this.begins]},
                {title: 'Duration', unit: 'seconds', values: [...this.begins].map((begin, i) => this.ends[i] - begin)}];
    }
}

/* ---- matrix ---- */

/* Cells of one measure, in reading order, with the totals. */
class Pairs {
    constructor(n, {title, unit, gaps, values}) {
        Object.assign(this, {n, title, unit});
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

    value(row, column) {
        const place = row * this.n + column, i = firstNotBelow(this.places, place);
        return this.places[i] === place ? this.values[i] : 0;
    }
}

const totalsSize = 64;
const matrixTop = 40;

class Matrix extends Chart {
    constructor(part) {
        super(part.title, 'Arrow keys move between pairs, with shift by ten; the totals follow the last. Plus and minus zoom, 0 shows all.');
        this.n = part.n;
        this.measures = part.measures.map(measure => new Pairs(part.n, measure));
        this.pairs = this.measures[0];
        this.isLog = true;
        this.axes.x = new Range(0, part.n, 4);
        this.axes.y = new Range(0, part.n, 4);
        this.side = make('div', {class: 'side'});
    }

    choose(measure) {
        this.pairs = this.measures[measure];
        this.redraw();
    }

    setScale(scale) {
        this.isLog = scale === 'log';
        this.redraw();
    }

    square(width) {
        const room = width - 54 - totalsSize - 10;
        return Math.max(80, Math.min(room, 600, Math.max(240, this.n * 66)));
    }

    height(width) { return this.square(width) + matrixTop + totalsSize + 10; }

    /* Lower end of the colour map, low enough that similar values look similar. */
    get faintest() {
        const {smallest, largest} = this.pairs;
        return this.isLog ? Math.min(smallest, largest / 16) : 0;
    }

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

    /* Draws one image pixel per bin, scaled to the plot. */
    paintCells(context, {each, left, top, columns, rows, values}) {
        const image = new ImageData(columns, rows), ramp = heatRamp();
        values.forEach((value, i) => {
            if (value > 0)
                image.data.set([...ramp(this.strength(value)), 255], 4 * i);
        });
        const small = make('canvas', {width: columns, height: rows});
        small.getContext('2d').putImageData(image, 0, 0);

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

    left(column) { return this.area.x + (column - this.axes.x.begin) / this.axes.x.size * this.area.width; }
    topOf(row) { return this.area.y + (row - this.axes.y.begin) / this.axes.y.size * this.area.height; }

    /* Grid lines between large cells, with values if there is room. */
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

    /* Bars for the totals; cells that share a pixel show their maximum. */
    paintTotals(context) {
        const {area, pairs} = this, room = totalsSize - 8;
        const largest = Math.max(largestOf(pairs.rowTotals), largestOf(pairs.columnTotals)) || 1;
        const strip = (totals, axis, draw) => {
            const cell = area.width / axis.size, gap = cell >= 8 ? 1 : 0;
            const from = Math.floor(axis.begin), to = Math.min(this.n, Math.ceil(axis.end));
            for (let i = from; i < to; i += this.each) {
                let total = 0;
                for (let j = i; j < Math.min(to, i + this.each); j++)
                    total = Math.max(total, totals[j]);
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

    /* Row or column n holds the totals. */
    at(x, y) {
        const {area, axes} = this;
        const along = (axis, at, size) => at < 0 ? -1 : at < size ? Math.floor(axis.begin + at / size * axis.size)
                                                 : at >= size + 4 && at < size + totalsSize ? this.n : -1;
        const column = along(axes.x, x - area.x, area.width), row = along(axes.y, y - area.y, area.height);
        return row < 0 || column < 0 || row + column >= 2 * this.n ? null : {row, column};
    }

    step({row, column}, x, y) {
        const move = (at, by) => limit(at + by, 0, Number.isFinite(by) ? this.n : this.n - 1);
        const next = {row: move(row, y), column: move(column, x)};
        return next.row + next.column >= 2 * this.n ? {row, column} : next;
    }

    show({row, column}) {
        if (column < this.n)
            this.axes.x.include(column, column + 1);
        if (row < this.n)
            this.axes.y.include(row, row + 1);
    }

    box({row, column}) {
        const {area} = this, cell = area.width / this.axes.x.size;
        const isRowTotal = column === this.n, isColumnTotal = row === this.n;
        return {x: isRowTotal ? area.x + area.width + 6 : this.left(column), y: isColumnTotal ? area.y + area.height + 6 : this.topOf(row),
                width: isRowTotal ? totalsSize - 8 : cell, height: isColumnTotal ? totalsSize - 8 : cell};
    }

    lines({row, column}) {
        const values = measure => column === this.n ? measure.rowTotals[row] : row === this.n ? measure.columnTotals[column]
                                                   : measure.value(row, column);
        const heading = column === this.n ? `From rank ${row} to all` : row === this.n ? `From all to rank ${column}`
                                          : `From rank ${row} to rank ${column}`;
        return [heading, ...this.measures.map(measure => [measure.title || 'Value', exactly(values(measure), measure.unit)])];
    }

    writeSide() {
        const {pairs, n} = this, ramp = heatRamp();
        const stops = [0, 0.2, 0.4, 0.6, 0.8, 1].map(place => `rgb(${ramp(place)})`).join(', ');
        const low = this.faintest, middle = this.isLog ? Math.sqrt(low * pairs.largest) : pairs.largest / 2;
        const used = pairs.places.length;
        const pair = i => `${Math.floor(pairs.places[i] / n)} to ${pairs.places[i] % n}: ${format(pairs.values[i], pairs.unit)}`;
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

    columns() {
        const {places} = this.pairs;
        return [{title: 'From', unit: 'number', values: places.map(place => Math.floor(place / this.n))},
                {title: 'To', unit: 'number', values: places.map(place => place % this.n)},
                ...this.measures.map(measure => ({title: measure.title || 'Value', unit: measure.unit,
                    values: measure === this.pairs ? measure.values : places.map(place => measure.value(Math.floor(place / this.n), place % this.n))}))];
    }
}

/* ---- histogram ---- */

class Histogram extends Chart {
    constructor(part) {
        super(part.title, 'Left and right move between columns.');
        this.unit = part.unit;
        this.bins = this.withoutGaps(part.bins);
        this.total = sumOf(this.bins.map(bin => bin.count));
        this.largest = largestOf(this.bins.map(bin => bin.count)) || 1;
        this.isLog = false;
    }

    height() { return 260; }

    /* Adds empty bins for gaps, each twice as wide as the previous one. */
    withoutGaps(bins) {
        const all = [];
        for (const [from, to, count] of bins) {
            for (let end = all.length ? all[all.length - 1].to : from; end < from;) {
                const next = Math.min(from, Math.max(1, 2 * end));
                all.push({from: end, to: next, count: 0});
                end = next;
            }
            all.push({from, to, count: count || 0});
        }
        return all;
    }

    setScale(scale) {
        this.isLog = scale === 'log';
        this.redraw();
    }

    /* From 0 to 1; the log scale starts below the smallest count to keep it visible. */
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

    /* Bin bounds are round: 16 KiB, not 16.00 KiB. */
    edge(value) {
        if (this.unit === 'number' || this.unit === 'percent')
            return format(value, this.unit);
        const [factor, suffix] = scaleOf(this.unit, value);
        return few.format(value / factor) + space + suffix;
    }

    first() { return {bin: 0}; }

    at(x) {
        const bin = Math.floor((x - this.area.x) / this.column);
        return bin >= 0 && bin < this.bins.length ? {bin} : null;
    }

    step({bin}, x) { return {bin: limit(bin + x, 0, this.bins.length - 1)}; }
    show() {}

    box({bin}) {
        const gap = this.column > 10 ? 4 : 1, count = this.bins[bin].count;
        const height = count > 0 ? Math.max(1, this.share(count) * this.area.height) : 0;
        return {x: this.area.x + bin * this.column + gap / 2, y: this.area.y + this.area.height - height, width: this.column - gap, height};
    }

    lines({bin}) {
        const {from, to, count} = this.bins[bin];
        return [`${this.edge(from)} and more, below ${this.edge(to)}`,
                ['Count', grouped.format(count)], ['Share', format(100 * count / (this.total || 1), 'percent')]];
    }

    columns() {
        return [{title: 'From', unit: this.unit, values: this.bins.map(bin => bin.from)},
                {title: 'Below', unit: this.unit, values: this.bins.map(bin => bin.to)},
                {title: 'Count', unit: 'number', values: this.bins.map(bin => bin.count)}];
    }
}

/* ---- the parts of the page ---- */

const keysText = 'Keys: arrows move the cursor (shift: ten at once), + and − zoom, 0 shows all. Pointer: Ctrl and wheel zoom, drag moves.';

const writers = {
    facts(card, {facts}) {
        card.append(make('dl', {class: 'facts'}, facts.map(([name, value]) =>
            make('div', {class: value.length > 60 ? 'long' : false}, make('dt', {}, name), make('dd', {}, value)))));
    },

    table(card, {title, columns}) {
        card.classList.add('breaks');
        new Table(title, columns.map(column => ({...column, values: unpack(column.values)})), card);
    },

    bars(card, part) {
        const chart = new Bars(part);
        const isMany = chart.isCrowded;
        card.append(
            make('div', {class: 'tools'},
                chart.names.length > 2 && segments('Order', [['given', 'As given'], ['largest', 'Largest first']], 'given', how => chart.sortRows(how)),
                isMany && chart.zoomTools([['Rows', [chart.axes.y]]])),
            legend(chart.series, part.unit, () => chart.sortRows(chart.how)), chart.plot,
            isMany && make('p', {class: 'keys'}, `${keysText} A line for several rows shows their mean.`) || '',
            tableBehind(part.title, () => chart.columns()));
    },

    matrix(card, part) {
        const chart = new Matrix(part);
        card.append(
            make('div', {class: 'tools'},
                chart.measures.length > 1 && segments('Show', chart.measures.map(({title}, i) => [String(i), title]), '0', i => chart.choose(Number(i))),
                segments('Colours', [['log', 'Logarithmic'], ['linear', 'Linear']], 'log', scale => chart.setScale(scale)),
                part.n > 4 && chart.zoomTools([['Ranks', [chart.axes.x, chart.axes.y]]])),
            make('div', {class: 'with-side'}, chart.plot, chart.side),
            part.n > 4 && make('p', {class: 'keys'}, `${keysText} Pairs that share a pixel show their maximum.`) || '',
            tableBehind(part.title, () => chart.columns()));
    },

    histogram(card, part) {
        const chart = new Histogram(part);
        card.append(
            make('div', {class: 'tools'}, segments('Counts', [['linear', 'Linear'], ['log', 'Logarithmic']], 'linear', scale => chart.setScale(scale))),
            chart.plot, tableBehind(part.title, () => chart.columns()));
    },

    timeline(card, part) {
        const chart = new Timeline(part);
        const isMany = chart.isCrowded;
        card.append(
            make('div', {class: 'tools'}, chart.zoomTools([['Time', [chart.axes.x]], ...(isMany ? [['Lanes', [chart.axes.y]]] : [])])),
            legend(chart.series, 'seconds', () => { chart.point(null); chart.redraw(); }), chart.plot,
            make('p', {class: 'keys'}, `${keysText} A pixel shows its dominant category.`),
            tableBehind(part.title, () => chart.columns()));
    },
};

function isEmpty(part) {
    const size = {facts: part.facts, table: part.columns?.[0]?.values, bars: part.rows, matrix: part.n ? part.measures : [],
                  histogram: part.bins, timeline: part.spans?.lanes};
    return !size[part.kind]?.length;
}

function writePart(main, part, i) {
    const id = `part-${i}`;
    const card = make('section', {class: 'card', id, 'aria-labelledby': part.title ? `${id}-title` : false, 'aria-label': part.title ? false : 'Facts'});
    main.append(card);
    if (part.title)
        card.append(make('h2', {id: `${id}-title`}, part.title));
    if (part.note)
        card.append(make('p', {class: 'note'}, part.note));
    if (isEmpty(part))
        card.append(make('p', {class: 'empty'}, 'No data.'));
    else
        writers[part.kind](card, part);
}

/* ---- light and dark ---- */

function recolour() {
    colours = new Map();
    charts.forEach(chart => chart.draw());
}

function setTheme(theme) {
    if (theme === 'auto')
        delete document.documentElement.dataset.theme;
    else
        document.documentElement.dataset.theme = theme;
    recolour();
}

/* Print in the light theme and paper width; charts are redrawn. */
function followPrinting() {
    let theme;
    addEventListener('beforeprint', () => {
        theme = document.documentElement.dataset.theme || 'auto';
        document.body.classList.add('paper');
        setTheme('light');
    });
    addEventListener('afterprint', () => {
        document.body.classList.remove('paper');
        setTheme(theme);
    });
}

function writePage(report) {
    const main = make('main');
    const titled = report.parts.map((part, i) => [part.title, `#part-${i}`]).filter(([title]) => title);
    document.body.append(probe, speaker,
        make('header', {},
            make('div', {class: 'head'},
                make('div', {}, make('h1', {}, report.title), make('p', {class: 'subtitle'}, report.subtitle)),
                make('div', {class: 'theme'}, segments('Theme', [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']], 'auto', setTheme))),
            titled.length > 1 && make('nav', {'aria-label': 'Contents'},
                make('ul', {class: 'contents'}, titled.map(([title, href]) => make('li', {}, make('a', {href}, title)))))),
        main);
    report.parts.forEach((part, i) => writePart(main, part, i));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
    followPrinting();
}

writePage(JSON.parse(document.getElementById('data').textContent));
})();
