/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Legend of a chart. */

import {sumOf} from './data.mjs';
import {make} from './elements.mjs';
import {exactly, format} from './numbers.mjs';

/** @typedef {import('./series.mjs').Series} Series */

/** @param {string} name */
export function swatch(name) {
    return make('span', {class: 'swatch', style: `background: var(--${name}); border-color: var(--${name})`});
}

/** Buttons that show the colours and toggle the series.
 * @param {Series[]} shown
 * @param {import('./document').Unit} unit
 * @param {() => void} onChange */
export function legend(shown, unit, onChange) {
    const total = sumOf(shown.map(one => one.weight));
    /** @param {Series} one */
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
