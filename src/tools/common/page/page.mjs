/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The page: writes the parts of the embedded document. */

import {Bars} from './bars.mjs';
import {charts} from './chart.mjs';
import {forgetColours, probe} from './colours.mjs';
import {unpack} from './data.mjs';
import {make, segments, speaker} from './elements.mjs';
import {Graph} from './graph.mjs';
import {Histogram} from './histogram.mjs';
import {sections} from './items.mjs';
import {legend} from './legend.mjs';
import {Matrix} from './matrix.mjs';
import {Table, tableBehind} from './table.mjs';
import {Timeline} from './timeline.mjs';

/** @typedef {import('./document').Part} Part */

const keysText = 'Keys: arrows move the cursor (shift: ten at once), + and − zoom, 0 shows all. Pointer: Ctrl and wheel zoom, drag moves.';

/** @type {{[Kind in Part['kind']]: (card: HTMLElement, part: Extract<Part, {kind: Kind}>) => void}} */
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
            make('div', {class: 'tools'}, chart.zoomTools(isMany ? [['Time', [chart.axes.x]], ['Lanes', [chart.axes.y]]] : [['Time', [chart.axes.x]]])),
            legend(chart.series, 'seconds', () => { chart.point(null); chart.redraw(); }), chart.plot,
            make('p', {class: 'keys'}, `${keysText} A pixel shows its dominant category.`),
            tableBehind(part.title, () => chart.columns()));
    },

    summary(card, {text, tone, remarks}) {
        card.append(
            make('p', {class: `verdict ${tone}`}, text),
            make('div', {class: 'remarks'}, remarks.map(({title, lines}) =>
                make('section', {}, make('h3', {}, title), make('ul', {}, lines.map(line => make('li', {}, line)))))));
    },

    items(card, {items}) {
        card.classList.add('breaks');
        card.append(...sections(items));
    },

    graph(card, part) {
        const graph = new Graph(part);
        card.append(make('div', {class: 'drawing', tabindex: 0, role: 'region', 'aria-label': part.title}, graph.draw()),
                    graph.legend(), tableBehind(part.title, () => graph.columns()));
    },
};

/** @param {any} part */
function isEmpty(part) {
    /** @type {Record<string, {length: number}>} */
    const size = {facts: part.facts, table: part.columns?.[0]?.values, bars: part.rows, matrix: part.n ? part.measures : [],
                  histogram: part.bins, timeline: part.spans?.lanes, summary: part.text, items: part.items, graph: part.nodes};
    return !size[part.kind]?.length;
}

/** @param {HTMLElement} main
 * @param {Part} part
 * @param {number} i */
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
        /** @type {(card: HTMLElement, part: any) => void} */ (writers[part.kind])(card, part);
}

/* ---- light and dark ---- */

function recolour() {
    forgetColours();
    charts.forEach(chart => chart.draw());
}

/** @param {string} theme */
function setTheme(theme) {
    if (theme === 'auto')
        delete document.documentElement.dataset.theme;
    else
        document.documentElement.dataset.theme = theme;
    recolour();
}

/* Print in the light theme and paper width; charts are redrawn. */
function followPrinting() {
    /** @type {string} */
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

/** @param {import('./document').Document} report */
function writePage(report) {
    const main = make('main');
    const titled = report.parts.flatMap((part, i) => part.title ? [{title: part.title, href: `#part-${i}`}] : []);
    document.body.append(probe, speaker,
        make('header', {},
            make('div', {class: 'head'},
                make('div', {}, make('h1', {}, report.title), make('p', {class: 'subtitle'}, report.subtitle)),
                make('div', {class: 'theme'}, segments('Theme', [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']], 'auto', setTheme))),
            titled.length > 1 && make('nav', {'aria-label': 'Contents'},
                make('ul', {class: 'contents'}, titled.map(({title, href}) => make('li', {}, make('a', {href}, title)))))),
        main);
    report.parts.forEach((part, i) => writePart(main, part, i));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
    followPrinting();
}

writePage(JSON.parse(document.getElementById('data')?.textContent ?? ''));
