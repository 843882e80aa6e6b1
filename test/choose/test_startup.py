# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Cost of a chain at the start, by number of instances."""

import pytest

NUMBERS = (0, 1, 10, 100, 1000)


@pytest.fixture(scope="module")
def starts(run):
    """{instances: (microseconds, bytes)}: the least of three rounds, as other processes only add."""
    rounds = [{number: tuple(map(float, run(",".join(["start"] * number), "./startup").out.split())) for number in NUMBERS}
              for _ in range(3)]
    best = {number: tuple(map(min, zip(*(one[number] for one in rounds)))) for number in NUMBERS}
    for number, (time, memory) in best.items():
        print(f"{number:5} instances: {time / best[0][0]:5.2f} times as long, {(memory - best[0][1]) / max(number, 1):6.0f} B each")
    return best


def bytes_each(starts, number):
    return (starts[number][1] - starts[0][1]) / number


@pytest.mark.parametrize("number", [10, 100, 1000])
def test_an_instance_takes_at_most_16_kib(starts, number):
    assert bytes_each(starts, number) <= 16384


def test_memory_grows_linearly(starts):
    assert bytes_each(starts, 1000) <= bytes_each(starts, 10)
