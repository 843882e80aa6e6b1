# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Message races and access conflicts that check finds in random programs of collective operations and partitioned messages,
compared with the order that the standard gives their calls (MPI 4.0, 4.2, 6.1, 6.4 to 6.12 and 8.6): a process that
completes an operation knows the past of the processes whose data it gets."""

import json
import random
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
RANKS = range(4)
PREVIOUS = {rank: {(rank - 1) % 4} for rank in RANKS}
LINE = {rank: {rank - 1, rank + 1} & set(RANKS) for rank in RANKS}


def everyone(communicator, root):
    return {rank: set(RANKS) for rank in RANKS}


def from_root(communicator, root):
    return {rank: {root} for rank in RANKS}


def to_root(communicator, root):
    return {root: set(RANKS)}


def from_lower(communicator, root):
    return {rank: set(range(rank + 1, 4) if communicator == "r" else range(rank)) for rank in RANKS}


# Operation: (communicators, {rank: ranks whose data it gets} for a communicator and a root); on "i", only what crosses the
# groups counts.
OPERATIONS = {
    "barrier": ("wri", everyone),
    "allreduce": ("wri", everyone),
    "allgather": ("wri", everyone),
    "alltoall": ("wri", everyone),
    "bcast": ("wri", from_root),
    "scatter": ("wri", from_root),
    "gather": ("wri", to_root),
    "reduce": ("wri", to_root),
    "oddgather": ("w", lambda communicator, root: {root: {1, 3}}),
    "nothing": ("wri", lambda communicator, root: {}),
    "shift": ("w", lambda communicator, root: PREVIOUS),
    "scan": ("wr", from_lower),
    "exscan": ("wr", from_lower),
    "neighbors": ("lc", lambda communicator, root: LINE if communicator == "l" else PREVIOUS),
    "partitions": ("w", lambda communicator, root: PREVIOUS),
}
# Sign and largest number of steps. check does not compare an access with one that a third process may have told of by an
# access.
SHAPES = {"message race": ("", 5), "access conflict": ("@", 2)}


def sources(name, communicator, root):
    """{rank: ranks whose data it gets}"""
    found = OPERATIONS[name][1](communicator, root)
    if communicator == "i":
        found = {rank: {one for one in own if one % 2 != rank % 2} for rank, own in found.items()}
    return found


def random_steps(draw, sign, most):
    """Messages or, with the sign @, accesses of processes 1 to 3, with one to three operations between them"""
    steps = [f"{sign}{draw.randint(1, 3)}"]
    for _ in range(draw.randint(1, most - 1)):
        for _ in range(draw.randint(1, 3)):
            name = draw.choice(list(OPERATIONS))
            steps.append(f"{draw.choice(['', 'i', 'p'])}:{name}:{draw.choice(OPERATIONS[name][0])}:{draw.choice(RANKS)}")
            if draw.random() < 0.5:
                steps.append("wait")
        steps.append(f"{sign}{draw.randint(1, 3)}")
    return steps


def has_race(steps):
    """A message could arrive before process 0 has received an earlier one of another process, or an access before an
    earlier one of another process is complete. knows: the receives or accesses that each process knows of, as their numbers"""
    knows, senders, open_operations = {rank: set() for rank in RANKS}, [], []

    def finish(operations):
        for before, own in operations:
            for rank, ranks in own.items():
                knows[rank] = knows[rank].union(*(before[source] for source in ranks))

    for step in steps:
        if step == "wait":
            finish(open_operations)
            open_operations = []
        elif ":" in step:
            form, name, communicator, root = step.split(":")
            operation = ({rank: set(known) for rank, known in knows.items()}, sources(name, communicator, int(root)))
            if form:
                open_operations.append(operation)
            else:
                finish([operation])
        else:
            sender = int(step.strip("@"))
            if any(other != sender and number not in knows[sender] for number, other in enumerate(senders)):
                return True
            knows[sender if "@" in step else 0] |= knows[sender] | {len(senders)}
            senders.append(sender)
    return False


def assert_found(mpich, kind, seeds):
    program = mpich.program(HERE / "orders.c")
    for seed in seeds:
        steps = random_steps(random.Random(seed), *SHAPES[kind])
        result = mpich.mpiexec(4, program, *steps, tools=f"check(races,out=s{seed}.json)")
        text = f"seed {seed}: {' '.join(steps)}\n{result}"
        assert result.status == 0, text
        report = json.loads((mpich.work / f"s{seed}.json").read_text())
        kinds = {one["kind"] for one in report["findings"]}
        if has_race(steps):     # in another order of the messages, sends can wait for receives that come later
            assert kind in kinds or "possible deadlock" in kinds and "left_out" in report, text
        else:
            assert not kinds and "left_out" not in report, text


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("part", range(2))
def test_order_of_calls_is_that_of_the_standard(mpich, kind, part):
    assert_found(mpich, kind, range(part * 20, part * 20 + 20))


@pytest.mark.long
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("part", range(2))
def test_order_of_calls_in_many_programs_is_that_of_the_standard(mpich, kind, part):
    first = random.randrange(10 ** 6)
    assert_found(mpich, kind, range(first, first + 100))
