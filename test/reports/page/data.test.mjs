/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {firstNotBelow, largestOf, sumOf, unpack, unpackSums, withEmptyBins} from '../../../src/tools/common/page/data.mjs';

test('a pair of value and count is a value that repeats', () =>
    assert.deepEqual(unpack([1, [7, 3], 'a', [null, 2]]), [1, 7, 7, 7, 'a', null, null]));

test('packed differences are added up', () => assert.deepEqual(unpackSums([5, [1, 3], 10]), [5, 6, 7, 8, 18]));

test('sums and maxima leave missing values out', () => {
    assert.deepEqual([sumOf([1, null, 2.5]), sumOf([])], [3.5, 0]);
    assert.deepEqual([largestOf([1, null, 2.5]), largestOf([]), largestOf(new Float64Array([3, 4]))], [2.5, 0, 4]);
});

test('firstNotBelow finds what a search from the left finds', () => {
    const values = [1, 3, 3, 3, 8, 9, 20];
    for (let value = 0; value < 22; value++) {
        for (let low = 0; low <= values.length; low++) {
            let expected = low;
            while (expected < values.length && values[expected] < value)
                expected++;
            assert.equal(firstNotBelow(values, value, low), expected, `${value} from ${low}`);
        }
    }
});

test('empty bins fill the gaps, each twice as wide as the one before', () => {
    const bins = withEmptyBins([[0, 1, 5], [8, 16, 2], [16, 32, null], [100, 128, 1]]);
    assert.deepEqual(bins.map(bin => [bin.from, bin.to, bin.count]),
                     [[0, 1, 5], [1, 2, 0], [2, 4, 0], [4, 8, 0], [8, 16, 2], [16, 32, 0], [32, 64, 0], [64, 100, 0], [100, 128, 1]]);
});
