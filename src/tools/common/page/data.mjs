/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Lists of numbers, packed and plain. */

/** @typedef {import('./document').Value} Value */
/** @typedef {{from: number, to: number, count: number}} Bin */

/** Run-length decoding: [value, count] is a value that repeats.
 * @template {Value} T
 * @param {import('./document').Packed<T>} packed
 * @returns {T[]} */
export function unpack(packed) {
    /** @type {T[]} */
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

/** The same for a list of differences.
 * @param {import('./document').Packed<number>} packed */
export function unpackSums(packed) {
    let sum = 0;
    return unpack(packed).map(distance => sum += distance);
}

/** Lower bound in a sorted list.
 * @param {ArrayLike<number>} values
 * @param {number} value */
export function firstNotBelow(values, value, low = 0, high = values.length) {
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** @param {(number | null)[]} values */
export const sumOf = values => values.reduce((/** @type {number} */ sum, value) => sum + (value || 0), 0);
/** @param {number[] | Float64Array} values */
export function largestOf(values) {
    let largest = 0;
    for (const value of values)
        largest = Math.max(largest, value || 0);
    return largest;
}

/** Adds empty bins for gaps, each twice as wide as the previous one.
 * @param {import('./document').Histogram['bins']} bins */
export function withEmptyBins(bins) {
    /** @type {Bin[]} */
    const all = [];
    for (const [from, to, count] of bins) {
        for (let end = all.length ? all[all.length - 1].to : from; end < from;) {
            /** @type {number} */
            const next = Math.min(from, Math.max(1, 2 * end));
            all.push({from: end, to: next, count: 0});
            end = next;
        }
        all.push({from, to, count: count || 0});
    }
    return all;
}
