/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tables with sorting and filters. */

import {make} from './elements.mjs';
import {format, grouped, space} from './numbers.mjs';

/** @typedef {import('./document').Value} Value */
/** @typedef {{title: string, unit: import('./document').Unit, values: Value[]}} Column */

const rowsAtFirst = 100;
const rowsMore = 1000;

export class Table {
    /** @param {string} title
     * @param {Column[]} columns
     * @param {Element} parent */
    constructor(title, columns, parent) {
        this.columns = columns;
        this.count = columns.length ? columns[0].values.length : 0;
        this.order = Array.from({length: this.count}, (_, row) => row);
        this.found = this.order;
        /** @type {string[]} */
        this.texts = [];
        /** @type {{column: number, isUp: boolean} | null} */
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

    /** @param {Column} column
     * @param {number} i */
    head(column, i) {
        return make('th', {scope: 'col', class: column.unit === 'text' ? 'left' : 'right', 'aria-sort': 'none'},
            make('button', {type: 'button', click: () => this.sort(i)},
                 column.title, make('span', {class: 'order', 'aria-hidden': 'true'}, '')));
    }

    /** Numbers sort descending first, texts ascending; a second click reverses. Stable; missing
     * values are last.
     * @param {number} i */
    sort(i) {
        const column = this.columns[i];
        const isText = column.unit === 'text';
        const isUp = this.sorted && this.sorted.column === i ? !this.sorted.isUp : isText;
        const compareTexts = new Intl.Collator('en', {numeric: true}).compare;
        /** @type {(a: any, b: any) => number} */
        const compare = isText ? (a, b) => compareTexts(String(a), String(b)) : (a, b) => a - b;
        /** @param {Value} value */
        const missing = value => value === null || value === undefined || value === '';

        this.order = [...this.order].sort((one, two) => {
            const a = column.values[one], b = column.values[two];
            if (missing(a) || missing(b))
                return Number(missing(a)) - Number(missing(b));
            return isUp ? compare(a, b) : compare(b, a);
        });
        this.sorted = {column: i, isUp};
        this.heads.forEach((head, other) => {
            const isThis = other === i;
            head.setAttribute('aria-sort', !isThis ? 'none' : isUp ? 'ascending' : 'descending');
            /** @type {HTMLElement} */ (head.querySelector('.order')).textContent = !isThis ? '' : isUp ? '▲' : '▼';
        });
        this.narrow();
    }

    /* Shows the rows that contain all words of the filter. */
    narrow() {
        const words = this.filter.value.toLowerCase().split(/\s+/).filter(word => word !== '');
        /** @param {number} row */
        const hasAll = row => words.every(word => this.text(row).includes(word));
        this.found = words.length === 0 ? this.order : this.order.filter(hasAll);
        this.shown = rowsAtFirst;
        this.write();
    }

    /** Cached text of a row for the filter.
     * @param {number} row */
    text(row) {
        return this.texts[row] ??= this.columns.map(column => format(column.values[row], column.unit)).join(' ')
                                               .replaceAll(space, ' ').toLowerCase();
    }

    /** @param {number} row */
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
        /** @param {string} text
         * @param {number} number */
        const show = (text, number) => make('button', {type: 'button', click: () => { this.shown += number; this.write(); }}, text);
        this.more.replaceChildren(...(left === 0 ? [] : [
            `The first ${grouped.format(shown)} are shown.`,
            show(`Show ${grouped.format(Math.min(left, rowsMore))} more`, rowsMore),
        ]));
    }
}

/** A chart's data as a table, created when opened.
 * @param {string} title
 * @param {() => Column[]} columnsOf */
export function tableBehind(title, columnsOf) {
    const details = make('details', {toggle() {
        if (details.open && details.childElementCount === 1)
            new Table(title, columnsOf(), details);
    }}, make('summary', {}, 'Show as table'));
    return details;
}
