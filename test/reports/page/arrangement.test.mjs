/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {arrange, arrowBetween, componentsOf, cyclesOf} from '../../../src/tools/common/page/arrangement.mjs';

const edges = (...pairs) => pairs.map(([from, to]) => ({from, to}));
const box = {width: 100, height: 50};

test('nodes that reach each other are one component', () => {
    const [a, b, c, d, e] = componentsOf(5, edges([0, 1], [1, 2], [2, 0], [3, 0], [3, 4]));
    assert.ok(a === b && b === c);
    assert.equal(new Set([a, d, e]).size, 3);
});

test('a cycle begins with its lowest node and follows the edges', () =>
    assert.deepEqual(cyclesOf(6, edges([4, 2], [2, 5], [5, 4], [0, 4], [1, 0])), [[2, 5, 4]]));

test('a node that waits for itself is a cycle', () => assert.deepEqual(cyclesOf(2, edges([0, 0], [1, 0])), [[0]]));

test('two cycles are apart', () => assert.deepEqual(cyclesOf(4, edges([0, 3], [3, 0], [1, 2], [2, 1], [0, 1])), [[0, 3], [1, 2]]));

test('a cycle of all processes in a long ring is found', () => {
    const ring = Array.from({length: 3000}, (_, i) => ({from: i, to: (i + 1) % 3000}));
    assert.deepEqual(cyclesOf(3000, ring), [Array.from({length: 3000}, (_, i) => i)]);
});

test('nodes that only wait for an ended one are in no cycle', () => assert.deepEqual(cyclesOf(3, edges([0, 2], [1, 2])), []));

/* Random graphs: the numbers of a linear congruential generator. */
function graph(seed) {
    let state = seed;
    const next = limit => (state = (state * 1103515245 + 12345) % 2 ** 31) % limit;
    const n = 1 + next(20);
    return {n, edges: Array.from({length: next(30)}, () => ({from: next(n), to: next(n)}))};
}

for (let seed = 1; seed <= 20; seed++) {
    test(`boxes do not overlap and are inside the drawing, graph ${seed}`, () => {
        const {n, edges} = graph(seed);
        const {places, width, height} = arrange(n, edges, box, 800);
        assert.equal(places.length, n);
        places.forEach((a, i) => {
            assert.ok(a.x >= box.width / 2 && a.x <= width - box.width / 2 && a.y >= box.height / 2 && a.y <= height - box.height / 2);
            for (const b of places.slice(0, i))
                assert.ok(Math.abs(a.x - b.x) >= box.width || Math.abs(a.y - b.y) >= box.height, `${i}`);
        });
    });
}

test('two processes are side by side', () => {
    const {places: [a, b]} = arrange(2, edges([0, 1], [1, 0]), box, 800);
    assert.ok(a.x < b.x && Math.abs(a.y - b.y) < 1e-9);
});

test('graphs that are not connected are beside each other, and below if the width is used up', () => {
    const pairs = edges([0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4]);
    const {places} = arrange(6, pairs, box, 700);
    const rows = places.map(({y}) => Math.round(y));
    assert.ok(rows[0] === rows[2] && rows[2] < rows[4]);
});

test('an arrow begins and ends at the border of a box', () => {
    const {start, end} = arrowBetween({x: 0, y: 0}, {x: 400, y: 0}, box);
    assert.equal(start.x, 50);
    assert.equal(end.x, 350);
});

test('arrows of opposite directions are apart', () => {
    const a = {x: 0, y: 0}, b = {x: 400, y: 0};
    assert.ok(arrowBetween(a, b, box).middle.y * arrowBetween(b, a, box).middle.y < 0);
});
