/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Spans} from '../../../src/tools/common/page/spans.mjs';

/* Four lanes; lane 1 is empty. In nanoseconds: lane 0 from 5 to 15, 15 to 20 and 30 to 40; lane 2 from 0 to 100; lane 3
 * from 7 to 8. */
const spans = new Spans(4, {lanes: [[0, 3], 2, 3], gaps: [5, 0, 10, 0, 7], lengths: [10, 5, 10, 100, 1], categories: [0, 1, [0, 3]]});
const ns = value => value / 1e9;

test('gaps and lengths become begins and ends of each lane', () => {
    assert.deepEqual([...spans.begins], [5, 15, 30, 0, 7].map(ns));
    assert.deepEqual([...spans.ends], [15, 20, 40, 100, 8].map(ns));
    assert.deepEqual(spans.categories, [0, 1, 0, 0, 0]);
});

test('each lane has its spans', () => assert.deepEqual([...spans.starts], [0, 3, 3, 4, 5]));

test('the spans between two times include those that reach into the interval', () => {
    assert.deepEqual(spans.between(0, ns(10), ns(16)), [0, 2]);
    assert.deepEqual(spans.between(0, ns(35), ns(90)), [2, 3]);
    assert.deepEqual(spans.between(1, ns(0), ns(90)), [3, 3]);
    assert.deepEqual(spans.between(2, ns(50), ns(60)), [3, 4]);
});

test('the last span before a time is of the same lane', () => {
    assert.deepEqual([5, 6, 15.5, 29, 1000].map(time => spans.lastBefore(0, ns(time))), [-1, 0, 1, 1, 2]);
    assert.equal(spans.lastBefore(3, ns(6)), 3);
});
