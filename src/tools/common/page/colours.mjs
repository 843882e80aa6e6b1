/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Colours of the style sheet. */

import {make} from './elements.mjs';
import {limit} from './numbers.mjs';

/* Canvases need resolved colours; this element resolves the names of the style sheet. */
export const probe = make('span', {hidden: true});
/** @type {Map<string, string>} */
const colours = new Map();

/** @param {string} name
 * @returns {string} */
export function colour(name) {
    if (!colours.has(name)) {
        probe.style.color = `var(--${name})`;
        colours.set(name, getComputedStyle(probe).color);
    }
    return /** @type {string} */ (colours.get(name));
}

/** @param {string} text */
const channels = text => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

/** Colour map from 0 to 1 with the stops of the style sheet.
 * @returns {(strength: number) => number[]} */
export function heatRamp() {
    const stops = [0, 1, 2, 3, 4, 5].map(i => channels(colour(`heat-${i}`)));
    return strength => {
        const place = limit(strength, 0, 1) * (stops.length - 1);
        const i = Math.min(Math.floor(place), stops.length - 2);
        return stops[i].map((low, c) => Math.round(low + (stops[i + 1][c] - low) * (place - i)));
    };
}

/* The theme has changed. */
export const forgetColours = () => colours.clear();
