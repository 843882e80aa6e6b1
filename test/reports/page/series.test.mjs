/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assignColours, shownSeries} from '../../../src/tools/common/page/series.mjs';

const names = count => Array.from({length: count}, (_, i) => `MPI_${i}`);

test('eight names have different colours, time outside MPI has a quiet one, further names have none', () => {
    const assigned = assignColours(['Application', ...names(10)]);
    assert.equal(assigned.get('Application'), 'quiet');
    assert.deepEqual(new Set(names(8).map(name => assigned.get(name))), new Set([...Array(8).keys()].map(i => `series-${i}`)));
    assert.deepEqual(names(10).slice(8).map(name => assigned.has(name)), [false, false]);
});

test('a name keeps its colour in another chart', () => {
    const first = assignColours(names(8)), second = assignColours([...names(8).reverse(), 'MPI_new']);
    for (const name of names(8))
        assert.equal(second.get(name), first.get(name));
});

test('a new name in a chart without known names has a colour', () =>
    assert.match(assignColours(['MPI_late']).get('MPI_late'), /^series-[0-7]$/));

test('the heaviest series are shown, the rest as one, nothing without weight', () => {
    const weights = [1, 0, 5, 4, 9, 8, 7, 6, 3, 2, 0.5];
    const {shown, number} = shownSeries(names(11), weights);
    assert.deepEqual(shown.map(one => one.weight), [9, 8, 7, 6, 5, 4, 3, 2, 1.5]);
    assert.deepEqual(shown.map(one => one.name).slice(-2), ['MPI_9', 'Other (2)']);
    assert.deepEqual(number, [8, -1, 4, 5, 0, 1, 2, 3, 6, 7, 8]);
});
