/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The document in a page, as page.cpp writes it. */

export type Unit = 'number' | 'seconds' | 'bytes' | 'bytes_per_second' | 'percent' | 'text';
export type Value = number | string | null;

/* Run-length encoding: [value, count] is a value that repeats. */
export type Packed<T extends Value> = (T | [T, number])[];

export interface Facts {
    kind: 'facts';
    title?: undefined;
    note?: undefined;
    facts: [string, string][];
}

interface Titled {
    title: string;
    note?: string;
}

export interface Table extends Titled {
    kind: 'table';
    columns: {title: string, unit: Unit, values: Packed<Value>}[];
}

export interface Bars extends Titled {
    kind: 'bars';
    rows: Packed<string>;
    series: {name: string, values: Packed<number | null>}[];
    unit: Unit;
}

/* Cells in reading order: each as its distance from the one before, and its value. */
export interface Measure {
    title: string;
    unit: Unit;
    gaps: Packed<number>;
    values: Packed<number>;
}

export interface Matrix extends Titled {
    kind: 'matrix';
    n: number;
    measures: Measure[];
}

export interface Histogram extends Titled {
    kind: 'histogram';
    bins: [from: number, to: number, count: number | null][];
    unit: Unit;
}

/* Spans by lane and time, in nanoseconds: each as its gap to the one before in its lane, and its length. */
export interface PackedSpans {
    lanes: Packed<number>;
    gaps: Packed<number>;
    lengths: Packed<number>;
    categories: Packed<number>;
}

export interface Timeline extends Titled {
    kind: 'timeline';
    lanes: Packed<string>;
    categories: string[];
    origin: number;
    spans: PackedSpans;
}

export interface Summary extends Titled {
    kind: 'summary';
    text: string;
    tone: 'good' | 'doubtful' | 'bad';
    remarks: {title: string, lines: string[]}[];
}

/* Lines of a file from `first` on. */
export interface Excerpt {
    title: string;
    first: number;
    marked: number;
    lines: string[];
}

export interface Item {
    group: string;
    title: string;
    lines: {who: string, text: string}[];
    excerpts: Excerpt[];
    code: string;
}

export interface Items extends Titled {
    kind: 'items';
    items: Item[];
}

export interface Graph extends Titled {
    kind: 'graph';
    nodes: {name: string, lines: string[]}[];
    arrows: {from: number, to: number, text: string}[];
}

export type Part = Facts | Table | Bars | Matrix | Histogram | Timeline | Summary | Items | Graph;

export interface Document {
    title: string;
    subtitle: string;
    parts: Part[];
}
