/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Things that were found, by group, with lines of source. */

import {make} from './elements.mjs';
import {grouped} from './numbers.mjs';

/** @typedef {import('./document').Item} Item */
/** @typedef {import('./document').Excerpt} Excerpt */

const itemsAtOnce = 100;

/** Groups in the order of their first items.
 * @param {Item[]} items
 * @returns {[group: string, items: Item[]][]} */
export function byGroup(items) {
    /** @type {Map<string, Item[]>} */
    const groups = new Map();
    for (const item of items)
        groups.set(item.group, [...groups.get(item.group) ?? [], item]);
    return [...groups];
}

/** Removes the indentation that all lines have; empty lines do not count.
 * @param {string[]} lines */
export function withoutIndentation(lines) {
    const plain = lines.map(line => line.replaceAll('\t', '    ').trimEnd());
    const indentation = Math.min(...plain.filter(line => line !== '').map(line => line.search(/\S/)));
    return plain.map(line => line.slice(indentation));
}

/** @param {Excerpt} excerpt */
function figure({title, first, marked, lines}) {
    return make('figure', {class: 'excerpt'},
        make('figcaption', {}, title),
        make('ol', {start: first, tabindex: 0, 'aria-label': title}, withoutIndentation(lines).map((line, i) =>
            make('li', {class: first + i === marked ? 'marked' : false, 'aria-current': first + i === marked ? 'true' : false,
                        value: first + i}, make('code', {}, line || ' ')))));
}

/** @param {Item} item */
function article({title, lines, excerpts, code}) {
    return make('article', {class: 'item'},
        make('h4', {}, title),
        lines.map(({who, text}) => make('p', {}, who !== '' && make('span', {class: 'who'}, `${who}: `), text)),
        excerpts.length > 0 && make('div', {class: 'excerpts'}, excerpts.map(figure)),
        code !== '' && make('code', {class: 'entry', title: 'A click selects the line'}, code));
}

/** @param {string} group
 * @param {Item[]} items */
function section(group, items) {
    const more = make('div', {class: 'more'});
    const body = make('div', {});
    let shown = 0;
    const show = () => {
        body.append(...items.slice(shown, shown + itemsAtOnce).map(article));
        shown = Math.min(items.length, shown + itemsAtOnce);
        const left = items.length - shown;
        more.replaceChildren(...(left === 0 ? [] : [
            make('button', {type: 'button', click: show}, `Show ${grouped.format(Math.min(left, itemsAtOnce))} more`)]));
    };
    show();
    const found = items.reduce((sum, {lines}) => sum + lines.length, 0);
    return make('section', {class: 'group-of-items', 'aria-label': group},
        make('h3', {}, group, make('span', {class: 'count'}, grouped.format(found))), body, more);
}

/** @param {Item[]} items */
export const sections = items => byGroup(items).map(([group, own]) => section(group, own));
