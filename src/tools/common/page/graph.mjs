/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Drawing of nodes and arrows. */

import {arrange, arrowBetween, componentsOf, cyclesOf} from './arrangement.mjs';
import {make} from './elements.mjs';

/** @typedef {import('./document').Graph} Part */
/** @typedef {import('./arrangement.mjs').Point} Point */

const largestWithText = 16;
const longestText = 30;
const widest = 1100;

/** @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children */
function shape(tag, attributes, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, String(value));
    made.append(...children);
    return made;
}

/** @param {string} text */
const shortText = text => text.length > longestText ? text.slice(0, longestText - 1) + '…' : text;

/** @param {Point} point */
const at = ({x, y}) => `${x.toFixed(1)} ${y.toFixed(1)}`;

let numberOfGraphs = 0;

/** @param {string} id
 * @param {string} style */
function head(id, style) {
    return shape('marker', {id, class: style, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9,
                            markerUnits: 'userSpaceOnUse', orient: 'auto'}, shape('path', {d: 'M0 0L10 5L0 10Z'}));
}

export class Graph {
    /** @param {Part} part */
    constructor(part) {
        this.part = part;
        this.component = componentsOf(part.nodes.length, part.arrows);
        this.cycles = cyclesOf(part.nodes.length, part.arrows);
        this.isSmall = part.nodes.length <= largestWithText;
        this.id = `graph-${numberOfGraphs++}`;
    }

    /** @param {number} node */
    name(node) { return this.part.nodes[node].name; }

    /** @param {number[]} cycle */
    text(cycle) {
        const isRing = cycle.every((node, i) =>
            this.part.arrows.some(({from, to}) => from === node && to === cycle[(i + 1) % cycle.length]));
        return isRing ? `Cycle: ${[...cycle, cycle[0]].map(node => this.name(node)).join(' → ')}`
                      : `Wait for each other: ${cycle.map(node => this.name(node)).join(', ')}`;
    }

    get box() {
        const texts = this.part.nodes.flatMap(({name, lines}) => this.isSmall ? [name, ...lines] : [name]);
        const longest = Math.min(longestText, Math.max(...texts.map(text => text.length)));
        const lines = this.isSmall ? 1 + Math.max(...this.part.nodes.map(node => node.lines.length)) : 1;
        return {width: 24 + 7.4 * longest, height: 14 + 18 * lines};
    }

    draw() {
        const {nodes, arrows} = this.part;
        const box = this.box;
        const {places, width, height} = arrange(nodes.length, arrows, box, widest);
        const isInCycle = new Set(this.cycles.flat());
        /* Those of cycles are drawn last, over the others. */
        const unique = [...new Map(arrows.map(arrow => [`${arrow.from} ${arrow.to}`, arrow])).values()]
            .map(arrow => ({...arrow, isCycle: this.component[arrow.from] === this.component[arrow.to]}))
            .sort((a, b) => Number(a.isCycle) - Number(b.isCycle));
        return shape('svg', {class: 'graph', viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, width: width.toFixed(0), role: 'img',
                             'aria-label': [this.part.title, ...this.cycles.map(cycle => this.text(cycle))].join('. ')},
            shape('defs', {}, head(`${this.id}-plain`, 'plain'), head(`${this.id}-cycle`, 'cycle')),
            ...unique.map(arrow => this.arrow(arrow, places, box)),
            ...nodes.map((_, node) => this.node(node, places[node], box, isInCycle.has(node))));
    }

    /** @param {{from: number, to: number, text: string, isCycle: boolean}} arrow
     * @param {Point[]} places
     * @param {import('./arrangement.mjs').Size} box */
    arrow({from, to, text, isCycle}, places, box) {
        const kind = isCycle ? 'cycle' : 'plain';
        const title = shape('title', {}, `${this.name(from)} waits for ${this.name(to)}: ${text}`);
        let line;
        if (from === to) {
            const {x, y} = places[from];
            const top = y - box.height / 2;
            line = `M${at({x: x - 16, y: top})}C${at({x: x - 34, y: top - 23})} ${at({x: x + 34, y: top - 23})} ${at({x: x + 16, y: top})}`;
        } else {
            const {start, middle, end} = arrowBetween(places[from], places[to], box);
            line = `M${at(start)}Q${at(middle)} ${at(end)}`;
        }
        return shape('path', {class: `arrow ${kind}`, d: line, 'marker-end': `url(#${this.id}-${kind})`}, title);
    }

    /** @param {number} node
     * @param {Point} place
     * @param {import('./arrangement.mjs').Size} box
     * @param {boolean} isInCycle */
    node(node, {x, y}, box, isInCycle) {
        const {name, lines} = this.part.nodes[node];
        const texts = this.isSmall ? [name, ...lines] : [name];
        const first = y - 9 * (texts.length - 1);
        return shape('g', {class: `node ${isInCycle ? 'cycle' : 'plain'}`},
            shape('title', {}, [name, ...lines].join('\n')),
            shape('rect', {x: (x - box.width / 2).toFixed(1), y: (y - box.height / 2).toFixed(1), width: box.width.toFixed(1),
                           height: box.height, rx: 6}),
            ...texts.map((text, i) => shape('text', {class: i === 0 ? 'name' : '', x: x.toFixed(1), y: first + 18 * i}, shortText(text))));
    }

    legend() {
        return make('ul', {class: 'cycles'}, this.cycles.map(cycle => make('li', {}, this.text(cycle))));
    }

    columns() {
        const {nodes, arrows} = this.part;
        /** @type {(title: string, values: string[]) => import('./table.mjs').Column} */
        const column = (title, values) => ({title, unit: 'text', values});
        return [column('Process', arrows.map(({from}) => nodes[from].name)),
                column('Call', arrows.map(({from}) => nodes[from].lines.join(' at '))),
                column('Waits for', arrows.map(({to}) => nodes[to].name)),
                column('Because of', arrows.map(({text}) => text))];
    }
}
