# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Message races and access conflicts that check finds in random programs of collective operations, compared with the order
that the standard gives their calls (MPI 4.0, 6.1, 6.4 to 6.12 and 8.6): a process that completes an operation knows the
past of the processes whose data it gets."""

import json
import random
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
RANKS = range(4)
PREVIOUS = {rank: {(rank - 1) % 4} for rank in RANKS}
LINE = {rank: {rank - 1, rank + 1} & set(RANKS) for rank in RANKS}


def rooted(root):
    return {rank: {root} for rank in RANKS}


def everyone():
    return {rank: set(RANKS) for rank in RANKS}


def others(rank):
    """The other group of the intercommunicator"""
    return {other for other in RANKS if other % 2 != rank % 2}


# Operation: (communicators, {rank: ranks whose data it gets} for a root); on "i", only what crosses the groups counts.
OPERATIONS = {
    "barrier": ("wri", lambda root: everyone()),
    "allreduce": ("wri", lambda root: everyone()),
    "allgather": ("wri", lambda root: everyone()),
    "alltoall": ("wri", lambda root: everyone()),
    "bcast": ("wri", rooted),
    "scatter": ("wri", rooted),
    "gather": ("wri", lambda root: {root: set(RANKS)}),
    "reduce": ("wri", lambda root: {root: set(RANKS)}),
    "oddgather": ("w", lambda root: {root: {1, 3}}),
    "nothing": ("wri", lambda root: {}),
    "shift": ("w", lambda root: PREVIOUS),
    "scan": ("wr", lambda root: {rank: set(range(rank)) for rank in RANKS}),
    "exscan": ("wr", lambda root: {rank: set(range(rank)) for rank in RANKS}),
    "neighbors": ("lc", None),
}


def sources(name, communicator, root):
    """{rank: ranks whose data it gets}"""
    if name == "neighbors":
        return LINE if communicator == "l" else PREVIOUS
    found = OPERATIONS[name][1](root)
    if name in ("scan", "exscan") and communicator == "r":
        found = {rank: set(range(rank + 1, 4)) for rank in RANKS}
    if communicator == "i":
        found = {rank: own & others(rank) for rank, own in found.items()}
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
        # check does not compare an access with one that a third process may have told of by an access
        steps = random_steps(random.Random(seed), *(("", 5) if kind == "message race" else ("@", 2)))
        result = mpich.mpiexec(4, program, *steps, tools=f"check(races,out=s{seed}.json)")
        text = f"seed {seed}: {' '.join(steps)}\n{result}"
        assert result.status == 0, text
        report = json.loads((mpich.work / f"s{seed}.json").read_text())
        kinds = {one["kind"] for one in report["findings"]}
        if has_race(steps):     # in another order of the messages, sends can wait for receives that come later
            assert kind in kinds or "possible deadlock" in kinds and "left_out" in report, text
        else:
            assert not kinds and "left_out" not in report, text


@pytest.mark.parametrize("kind", ["message race", "access conflict"])
@pytest.mark.parametrize("part", range(2))
def test_order_of_calls_is_that_of_the_standard(mpich, kind, part):
    assert_found(mpich, kind, range(part * 20, part * 20 + 20))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["message race", "access conflict"])
@pytest.mark.parametrize("part", range(2))
def test_order_of_calls_in_many_programs_is_that_of_the_standard(mpich, kind, part):
    first = random.randrange(10 ** 6)
    assert_found(mpich, kind, range(first, first + 100))
