/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Range} from '../../../src/tools/common/page/range.mjs';

const shown = range => [range.begin, range.end];

test('a range begins with everything', () => {
    const range = new Range(0, 100, 4);
    assert.deepEqual([shown(range), range.isWhole], [[0, 100], true]);
});

test('zoom keeps the place of a value and ends at the least size', () => {
    const range = new Range(0, 100, 4);
    range.zoom(0.5, 20);
    assert.deepEqual([shown(range), range.isWhole], [[10, 60], false]);
    range.zoom(0.001, 20);
    assert.equal(range.size, 4);
    assert.ok(Math.abs((20 - range.begin) / range.size - 0.2) < 1e-12);
    range.zoom(1000, 20);
    assert.deepEqual(shown(range), [0, 100]);
});

test('a range smaller than the least size is shown whole', () => {
    const range = new Range(0, 2, 8);
    range.zoom(0.1);
    assert.deepEqual(shown(range), [0, 2]);
});

test('a range moves no farther than its bounds', () => {
    const range = new Range(0, 100, 4);
    range.set(30, 20);
    range.pan(15);
    assert.deepEqual(shown(range), [45, 65]);
    range.pan(1000);
    assert.deepEqual(shown(range), [80, 100]);
    range.pan(-1000);
    assert.deepEqual(shown(range), [0, 20]);
});

test('a range moves no more than an item needs', () => {
    const range = new Range(0, 100, 4);
    for (const [item, expected] of [[[35, 36], [30, 50]], [[55, 56], [36, 56]], [[10, 11], [10, 30]], [[40, 70], [40, 60]]]) {
        range.set(range.begin === 0 ? 30 : range.begin, 20);
        range.include(...item);
        assert.deepEqual(shown(range), expected);
    }
});
