/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Cycles of a graph, and places for its nodes: those of cycles in a ring, the others around it. */

/** @typedef {{from: number, to: number}} Edge */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{width: number, height: number}} Size */

const gap = {width: 44, height: 40};

/** @param {number} n
 * @param {Edge[]} edges
 * @returns {number[][]} */
function neighbours(n, edges) {
    /** @type {Set<number>[]} */
    const lists = Array.from({length: n}, () => new Set());
    for (const {from, to} of edges)
        lists[from].add(to);
    return lists.map(list => [...list].sort((a, b) => a - b));
}

/** Number of the strong component of each node (Tarjan).
 * @param {number} n
 * @param {Edge[]} edges */
export function componentsOf(n, edges) {
    const next = neighbours(n, edges);
    const numbers = Array(n).fill(-1), lowest = Array(n).fill(-1), component = Array(n).fill(-1);
    /** @type {number[]} */
    const open = [];
    let visited = 0, found = 0;
    /** @param {number} node */
    const visit = node => {
        numbers[node] = lowest[node] = visited++;
        open.push(node);
        for (const other of next[node]) {
            if (numbers[other] < 0)
                visit(other);
            if (component[other] < 0)
                lowest[node] = Math.min(lowest[node], lowest[other]);
        }
        if (lowest[node] < numbers[node])
            return;
        for (const member of open.splice(open.indexOf(node)))
            component[member] = found;
        found++;
    };
    for (let node = 0; node < n; node++) {
        if (numbers[node] < 0)
            visit(node);
    }
    return component;
}

/** Nodes that reach each other, as far as possible in the order of the edges; with the lowest first.
 * @param {number} n
 * @param {Edge[]} edges */
export function cyclesOf(n, edges) {
    const component = componentsOf(n, edges);
    const inner = edges.filter(({from, to}) => component[from] === component[to]);
    const next = neighbours(n, inner);
    const isSeen = Array(n).fill(false);
    /** @type {number[][]} */
    const cycles = [];
    for (let first = 0; first < n; first++) {
        if (isSeen[first] || next[first].length === 0)
            continue;
        /** @type {number[]} */
        const cycle = [];
        const members = component.flatMap((number, node) => number === component[first] ? [node] : []);
        /** @type {number | undefined} */
        let node = first;
        while (node !== undefined) {
            isSeen[node] = true;
            cycle.push(node);
            /** @type {number | undefined} */
            node = next[node].find(other => !isSeen[other]) ?? members.find(other => !isSeen[other]);
        }
        cycles.push(cycle);
    }
    return cycles;
}

/** Sets of nodes that edges connect in either direction.
 * @param {number} n
 * @param {Edge[]} edges */
function islands(n, edges) {
    const parent = Array.from({length: n}, (_, node) => node);
    /** @param {number} node
     * @returns {number} */
    const root = node => parent[node] === node ? node : (parent[node] = root(parent[node]));
    for (const {from, to} of edges)
        parent[root(from)] = root(to);
    /** @type {Map<number, number[]>} */
    const sets = new Map();
    parent.forEach((_, node) => sets.set(root(node), [...sets.get(root(node)) ?? [], node]));
    return [...sets.values()];
}

/** @param {Point} a
 * @param {Point} b
 * @param {Size} box */
const overlap = (a, b, box) =>
    Math.abs(a.x - b.x) < box.width + gap.width && Math.abs(a.y - b.y) < box.height + gap.height;

/** The smallest ellipse around a centre on which the boxes have room, outside of another one.
 * @param {number[]} angles
 * @param {Size} box
 * @param {{scale: number, places: Point[]}} inner
 * @returns {{scale: number, places: Point[]}} */
function ring(angles, box, inner = {scale: -1, places: []}) {
    const width = box.width + gap.width, height = box.height + gap.height;
    for (let scale = angles.length > 1 ? Math.max(0.5, inner.scale + 1) : inner.scale + 1; ; scale += 0.05) {
        const places = angles.map(angle => ({x: scale * width * Math.cos(angle), y: scale * height * Math.sin(angle)}));
        const isFree = places.every((place, i) =>
            !places.some((other, j) => j < i && overlap(place, other, box)) && !inner.places.some(other => overlap(place, other, box)));
        if (isFree)
            return {scale, places};
    }
}

/** @param {number} count
 * @param {number} first */
const evenly = (count, first) => Array.from({length: count}, (_, i) => first + 2 * Math.PI * i / count);

/** Gives each node the free slot of the ring that is nearest to the angle it wants.
 * @param {number[]} wanted
 * @param {number[]} slots */
function nearestSlots(wanted, slots) {
    const free = new Set(slots.keys());
    return wanted.map(angle => {
        /** @param {number} slot */
        const distance = slot => 1 - Math.cos(slots[slot] - angle);
        const nearest = [...free].reduce((best, slot) => distance(slot) < distance(best) - 1e-9 ? slot : best);
        free.delete(nearest);
        return nearest;
    });
}

/** Places of the nodes of an island around (0, 0).
 * @param {number[]} nodes
 * @param {Edge[]} edges
 * @param {number[][]} cycles
 * @param {Size} box
 * @returns {Map<number, Point>} */
function arrangeIsland(nodes, edges, cycles, box) {
    const own = new Set(nodes);
    const inner = cycles.filter(cycle => own.has(cycle[0])).flat();
    const core = inner.length > 0 ? inner : nodes.filter(node => !edges.some(({from}) => from === node));
    const angles = evenly(core.length, core.length === 2 ? Math.PI : -Math.PI / 2);
    const inside = ring(angles, box);
    /* The others are near the node that connects them. */
    const angleOf = new Map(core.map((node, i) => [node, angles[i]]));
    for (const [node, angle] of angleOf) {
        for (const {from, to} of edges) {
            const other = to === node ? from : from === node ? to : node;
            if (!angleOf.has(other))
                angleOf.set(other, angle);
        }
    }
    const rest = [...angleOf.keys()].slice(core.length);
    const slots = evenly(Math.max(core.length, rest.length), core.length === 1 ? 0 : angles[0]);
    const outside = ring(slots, box, inside).places;
    const chosen = nearestSlots(rest.map(node => /** @type {number} */ (angleOf.get(node))), slots);
    return new Map([...core.map((node, i) => /** @type {[number, Point]} */ ([node, inside.places[i]])),
                    ...rest.map((node, i) => /** @type {[number, Point]} */ ([node, outside[chosen[i]]]))]);
}

/** Centres of the nodes' boxes. Islands are in rows of about the given width.
 * @param {number} n
 * @param {Edge[]} edges
 * @param {Size} box
 * @param {number} width
 * @returns {Size & {places: Point[]}} */
export function arrange(n, edges, box, width) {
    const cycles = cyclesOf(n, edges);
    /** @type {Point[]} */
    const all = Array(n);
    let left = 0, top = 0, bottom = 0, right = 0;
    for (const nodes of islands(n, edges)) {
        const places = arrangeIsland(nodes, edges, cycles, box);
        const xs = [...places.values()].map(({x}) => x), ys = [...places.values()].map(({y}) => y);
        const size = {width: Math.max(...xs) - Math.min(...xs) + box.width + gap.width,
                      height: Math.max(...ys) - Math.min(...ys) + box.height + gap.height};
        if (left > 0 && left + size.width > width) {
            left = 0;
            top = bottom;
        }
        for (const [node, {x, y}] of places)
            all[node] = {x: left + x - Math.min(...xs) + (box.width + gap.width) / 2,
                         y: top + y - Math.min(...ys) + (box.height + gap.height) / 2};
        left += size.width;
        right = Math.max(right, left);
        bottom = Math.max(bottom, top + size.height);
    }
    return {places: all, width: right, height: bottom};
}

/** The point at which a line from the centre of a box leaves it.
 * @param {Point} centre
 * @param {Point} toward
 * @param {Size} box */
function border(centre, toward, box) {
    const dx = toward.x - centre.x, dy = toward.y - centre.y;
    const part = Math.min(box.width / 2 / Math.abs(dx), box.height / 2 / Math.abs(dy));
    return {x: centre.x + part * dx, y: centre.y + part * dy};
}

/** A bent arrow from box to box, so that two of opposite directions are apart.
 * @param {Point} from
 * @param {Point} to
 * @param {Size} box */
export function arrowBetween(from, to, box) {
    const dx = to.x - from.x, dy = to.y - from.y;
    const bend = Math.min(0.12, 30 / Math.hypot(dx, dy));
    const middle = {x: (from.x + to.x) / 2 + bend * dy, y: (from.y + to.y) / 2 - bend * dx};
    return {start: border(from, middle, box), middle, end: border(to, middle, box)};
}
