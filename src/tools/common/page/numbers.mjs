/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Numbers as texts with units. */

/** @typedef {import('./document').Unit} Unit */

/** @type {(value: number, low: number, high: number) => number} */
export const limit = (value, low, high) => Math.max(low, Math.min(high, value));

export const space = '\u00a0';
/** @type {(ending: string) => [number, string][]} */
const binary = ending => ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']
    .map((suffix, i) => /** @type {[number, string]} */ ([1024 ** i, suffix + ending])).reverse();
/** @type {Record<string, [factor: number, suffix: string][]>} */
const scales = {
    number: [[1, '']],
    percent: [[1, '%']],
    seconds: [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']],
    bytes: binary(''),
    bytes_per_second: binary('/s'),
};
export const grouped = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
export const few = new Intl.NumberFormat('en', {maximumSignificantDigits: 4});
const fixed = [1, 2, 3].map(digits => new Intl.NumberFormat('en', {minimumFractionDigits: digits,
                                                                     maximumFractionDigits: digits}));

/** Largest unit in which the number is at least 1.
 * @param {Unit} unit
 * @param {number} size */
export function scaleOf(unit, size) {
    const known = scales[unit];
    return known.find(([factor]) => Math.abs(size) >= factor) || known[known.length - 1];
}

/** Four significant digits, with the same number of decimals per magnitude so that columns align.
 * @param {number} value */
function fourDigits(value) {
    const size = Math.abs(value);
    if (size >= 1e15)
        return value.toExponential(3);
    return size >= 1000 ? grouped.format(value) : fixed[size >= 100 ? 0 : size >= 10 ? 1 : 2].format(value);
}

/** @param {number | string | null | undefined} value
 * @param {Unit} unit */
export function format(value, unit) {
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

/** The same, plus the exact bytes if shortened.
 * @param {number} value
 * @param {Unit} unit */
export function exactly(value, unit) {
    const short = format(value, unit);
    return unit === 'bytes' && value >= 1024 ? `${short} (${grouped.format(value)}${space}B)` : short;
}

/** Ticks: about `wanted` round numbers from `low` (or 0) to `high`, with labels in one unit.
 * @param {number} low
 * @param {number} high
 * @param {Unit} unit
 * @param {number} wanted */
export function ticks(low, high, unit, wanted, isWhole = unit === 'number') {
    const [factor, suffix] = scaleOf(unit, Math.max(Math.abs(low), Math.abs(high)));
    const rough = (high - low) / factor / Math.max(1, wanted);
    if (!(rough > 0))
        return [];
    const power = 10 ** Math.floor(Math.log10(rough));
    let step = ([1, 2, 5].find(times => times * power >= rough * 0.999) ?? 10) * power;
    if (isWhole)
        step = Math.max(1, Math.round(step));
    const digits = limit(-Math.floor(Math.log10(step) + 1e-9), 0, 9);
    const names = new Intl.NumberFormat('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
    const found = [];
    for (let i = Math.ceil(low / factor / step - 1e-9) || 0; i * step * factor <= high * (1 + 1e-12); i++)
        found.push({value: i * step * factor, name: names.format(i * step) + (suffix ? space + suffix : '')});
    return found;
}
