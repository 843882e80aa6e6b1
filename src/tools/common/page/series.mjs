/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The series of a chart and their colours. */

import {sumOf} from './data.mjs';

/* Colour is the name of a colour of the style sheet. */
/** @typedef {{name: string, colour: string, weight: number, isOn: boolean}} Series */

const numberOfColours = 8;
const quietName = 'Application';
const otherName = 'Other';
const otherColour = 'other';

/** A function keeps its colour on the whole page, while there are colours.
 * @type {Map<string, number>} */
const colourNumbers = new Map();

/** Maps names, ordered by weight, to colour names; the rest get none.
 * @param {string[]} names
 * @returns {Map<string, string>} */
export function assignColours(names) {
    const assigned = new Map(), used = new Set();
    const chosen = names.filter(name => name !== quietName).slice(0, numberOfColours);
    const take = (/** @type {string} */ name, /** @type {number} */ number) => { assigned.set(name, `series-${number}`); used.add(number); };

    for (const name of chosen) {
        const number = colourNumbers.get(name);
        if (number !== undefined && !used.has(number))
            take(name, number);
    }
    for (const name of chosen) {
        if (assigned.has(name))
            continue;
        const taken = new Set(colourNumbers.values());
        const free = [...Array(numberOfColours).keys()].filter(number => !used.has(number));
        const number = free.find(number => !taken.has(number)) ?? free[0];
        take(name, number);
        if (!colourNumbers.has(name))
            colourNumbers.set(name, number);
    }
    if (names.includes(quietName))
        assigned.set(quietName, 'quiet');
    return assigned;
}

/** Selects the heaviest names, each with a colour, and combines the rest. `number` maps each name to
 * its shown series.
 * @param {string[]} names
 * @param {number[]} weights */
export function shownSeries(names, weights) {
    const order = names.map((_, i) => i).filter(i => weights[i] > 0).sort((a, b) => weights[b] - weights[a]);
    const assigned = assignColours(order.map(i => names[i]));
    /** @type {Series[]} */
    const shown = order.filter(i => assigned.has(names[i]))
                       .map(i => ({name: names[i], colour: assigned.get(names[i]) ?? otherColour, weight: weights[i], isOn: true}));
    const others = order.filter(i => !assigned.has(names[i]));
    const number = names.map(name => shown.findIndex(one => one.name === name));
    if (others.length > 0) {
        shown.push({name: `${otherName} (${others.length})`, colour: otherColour, isOn: true,
                    weight: sumOf(others.map(i => weights[i]))});
        others.forEach(i => { number[i] = shown.length - 1; });
    }
    return {shown, number};
}
