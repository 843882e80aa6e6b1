/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

import assert from 'node:assert/strict';
import {test} from 'node:test';

/* Modules that make elements need a document to be loaded, not to be tested. */
globalThis.document = {createElement: () => ({append() {}, setAttribute() {}})};
const {byGroup, withoutIndentation} = await import('../../../src/tools/common/page/items.mjs');

test('items of a group are together, in the order of the first', () => {
    const items = [{group: 'leak', title: 'a'}, {group: 'deadlock', title: 'b'}, {group: 'leak', title: 'c'}];
    assert.deepEqual(byGroup(items).map(([group, own]) => [group, own.map(({title}) => title).join('')]), [['leak', 'ac'], ['deadlock', 'b']]);
});

test('common indentation is removed, empty lines do not count', () =>
    assert.deepEqual(withoutIndentation(['    if (a)', '', '        b();  ', '    c();']), ['if (a)', '', '    b();', 'c();']));

test('a tab is four columns', () => assert.deepEqual(withoutIndentation(['\tif (a)', '\t    b();']), ['if (a)', '    b();']));
