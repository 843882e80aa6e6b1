# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Reports are right: what they count is what the program did."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "reports"
COMPLETIONS = ["wait", "test", "waitany", "testany", "waitsome", "testsome", "waitall", "testall"]


def arrivals(mpich):
    """Number of messages whose receive is in the trace."""
    return sum((event["ph"], event.get("cat")) == ("f", "message") for event in mpich.load("t.json")["traceEvents"])


# ---- persistent requests ----

@pytest.mark.parametrize("function", COMPLETIONS)
def test_failed_persistent_request_stays(mpich, function):
    """A persistent receive that has failed is started again, and its later receives are counted."""
    program = mpich.program(HERE / "persistent_completion.c")
    result = mpich.mpiexec(2, program, function, seconds=30,
                           tools="messages(out=m.json),count(out=c.txt),profile(out=p.json),trace(out=t.json)")
    assert result.status == 0, result
    functions = {line["function"]: line for line in mpich.load("m.json")["functions"]}
    received = functions["MPI_Recv_init"]
    assert (received["operations"], received["received_messages"], received["unfinished"]) == (2, 2, 0), functions
    assert received["received_bytes"] == 16
    counted = {line["name"]: line for line in mpich.load("p.json")["functions"]}
    assert counted["MPI_Recv_init"]["received_bytes"] == 16
    assert arrivals(mpich) == 2


@pytest.mark.parametrize("function", COMPLETIONS)
def test_check_follows_a_failed_persistent_request(mpich, function):
    """check finds the messages that are too long, and nothing else."""
    program = mpich.program(HERE / "persistent_completion.c")
    result = mpich.mpiexec(2, program, function, tools="check(out=c.json)", seconds=60)
    assert result.status == 0, result
    assert {line["kind"] for line in mpich.load("c.json")["findings"]} == {"truncation"}, result


@pytest.mark.parametrize("function", ["testsome", "testany", "testall", "test"])
def test_persistent_requests_of_two_threads(mpich, function):
    """Persistent receives that one thread starts and another one tests, active or not, are all counted."""
    program = mpich.program(HERE / "persistent_threads.c", "-pthread")
    result = mpich.mpiexec(1, program, function, seconds=60, nap=False,
                           tools="messages(out=m.json),profile(out=p.json),trace(out=t.json)")
    if result.status != 0 and any(mpich.mpiexec(1, program, function, nap=False).status for _ in range(20)):
        pytest.skip("this release of MPICH fails without tools, too")
    assert (result.status, result.out) == (0, "ok\n"), result
    functions = {line["function"]: line for line in mpich.load("m.json")["functions"]}
    received = functions["MPI_Recv_init"]
    assert (received["operations"], received["received_messages"], received["unfinished"]) == (400, 400, 0), functions
    counted = {line["name"]: line for line in mpich.load("p.json")["functions"]}
    assert counted["MPI_Recv_init"]["received_bytes"] == 1600
    assert arrivals(mpich) == 400
