/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {exactly, format, limit, ticks} from '../../../src/tools/common/page/numbers.mjs';

const plain = text => text.replaceAll('\u00a0', ' ');

for (const [value, unit, text] of [
    [0, 'bytes', '0 B'], [1023, 'bytes', '1,023 B'], [1024, 'bytes', '1.000 KiB'], [1536, 'bytes', '1.500 KiB'],
    [3 * 2 ** 40, 'bytes', '3.000 TiB'], [2.5 * 2 ** 20, 'bytes_per_second', '2.500 MiB/s'], [0, 'bytes_per_second', '0 B/s'],
    [0, 'seconds', '0 s'], [1, 'seconds', '1.000 s'], [0.0123, 'seconds', '12.30 ms'], [0.0000015, 'seconds', '1.500 µs'],
    [1e-9, 'seconds', '1.000 ns'], [123.45, 'seconds', '123.5 s'], [12345.6, 'seconds', '12,346 s'],
    [1234567, 'number', '1,234,567'], [0.123456, 'number', '0.1235'], [1e15, 'seconds', '1.000e+15 s'],
    [0, 'percent', '0.0 %'], [5.678, 'percent', '5.68 %'], [99.5, 'percent', '99.5 %'],
    ['MPI_Send', 'text', 'MPI_Send'], [7, 'text', '7'], [null, 'bytes', ''], [undefined, 'number', ''],
])
    test(`format ${value} as ${unit}`, () => assert.equal(plain(format(value, unit)), text));

test('exact bytes follow a shortened number only', () => {
    assert.equal(plain(exactly(1572864, 'bytes')), '1.500 MiB (1,572,864 B)');
    assert.equal(plain(exactly(1000, 'bytes')), '1,000 B');
    assert.equal(plain(exactly(2000, 'number')), '2,000');
});

test('limit keeps a value between its bounds', () =>
    assert.deepEqual([-1, 0, 3, 5, 9].map(value => limit(value, 0, 5)), [0, 0, 3, 5, 5]));

for (const [low, high, unit, wanted, names] of [
    [0, 10, 'number', 5, ['0', '2', '4', '6', '8', '10']], [0, 3, 'number', 30, ['0', '1', '2', '3']],
    [0, 0.0025, 'seconds', 5, ['0.0 ms', '0.5 ms', '1.0 ms', '1.5 ms', '2.0 ms', '2.5 ms']],
    [0, 4 * 2 ** 30, 'bytes', 4, ['0 GiB', '1 GiB', '2 GiB', '3 GiB', '4 GiB']],
    [7, 12, 'seconds', 3, ['8 s', '10 s', '12 s']], [5, 5, 'seconds', 3, []],
])
    test(`ticks from ${low} to ${high} ${unit}`, () =>
        assert.deepEqual(ticks(low, high, unit, wanted).map(tick => plain(tick.name)), names));

test('ticks are in the range, at equal distances of 1, 2 or 5 times a power of ten', () => {
    for (let i = 1; i < 200; i++) {
        const low = i * 0.37, high = low + 1.3 ** (i % 40) / 7, found = ticks(low, high, 'percent', 6).map(tick => tick.value);
        assert.ok(found.length >= 2 && found.length <= 13, `${low} to ${high}: ${found}`);
        assert.ok(found[0] >= low * (1 - 1e-9) && found.at(-1) <= high * (1 + 1e-9), `${low} to ${high}: ${found}`);
        const step = found[1] - found[0];
        found.slice(1).forEach((value, j) => assert.ok(Math.abs(value - found[j] - step) < 1e-6 * step));
        assert.match(step.toExponential(4), /^[125]\.0000e/);
    }
});
