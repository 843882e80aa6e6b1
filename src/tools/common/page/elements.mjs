/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Elements of the page. */

/** @typedef {string | number | boolean | null | ((event: any) => void)} Attribute */
/** @typedef {Node | string | false | null} Child */

/** An element with attributes and children. Function attributes become event listeners; null and
 * false omit an attribute or child. Texts become text nodes: data is never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} attributes
 * @param {(Child | Child[])[]} children
 * @returns {HTMLElementTagNameMap[Tag]} */
export function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function')
            made.addEventListener(name, value);
        else if (value !== null && value !== false)
            made.setAttribute(name, value === true ? '' : String(value));
    }
    made.append(.../** @type {(Node | string)[]} */ (children.flat().filter(child => child !== null && child !== false)));
    return made;
}

let numberOfIds = 0;
const newId = () => `id-${numberOfIds++}`;

/* Announcements for screen readers when a cursor moves or a filter changes. */
export const speaker = make('div', {class: 'unseen', role: 'status', 'aria-live': 'polite'});
/** @param {string} text */
export const say = text => { speaker.textContent = text; };

/** A group of radio buttons.
 * @param {string} title
 * @param {[value: string, text: string][]} choices
 * @param {string} chosen
 * @param {(value: string) => void} onChange */
export function segments(title, choices, chosen, onChange) {
    const name = newId();
    /** @param {[string, string]} choice */
    const label = ([value, text]) => make('label', {},
        make('input', {type: 'radio', class: 'unseen', name, value, checked: value === chosen,
                       change: () => onChange(value)}), text);
    return make('fieldset', {class: 'segments'}, make('legend', {}, title),
                make('span', {class: 'choices'}, choices.map(label)));
}
