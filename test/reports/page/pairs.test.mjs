/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Pairs} from '../../../src/tools/common/page/pairs.mjs';

const matrix = [[0, 3, 0, 0], [0, 0, 0, 0], [5, 0, 1, 2], [0, 0, 0, 7]];
const pairs = new Pairs(4, {title: 'Bytes', unit: 'bytes', gaps: [1, 7, 2, 1, 4], values: [3, 5, 1, 2, 7]});

test('every value is where the matrix has it', () => {
    for (let row = 0; row < 4; row++) {
        for (let column = 0; column < 4; column++)
            assert.equal(pairs.value(row, column), matrix[row][column], `${row}, ${column}`);
    }
});

test('totals and extremes are those of the matrix', () => {
    assert.deepEqual([[...pairs.rowTotals], [...pairs.columnTotals]], [[3, 0, 8, 7], [5, 3, 1, 9]]);
    assert.deepEqual([pairs.total, pairs.largest, pairs.smallest], [18, 7, 1]);
});

test('rows begin at their first cell', () => assert.deepEqual([...pairs.starts], [0, 1, 1, 4, 5]));
