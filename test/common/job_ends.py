# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Calls of job_ends.c, for all tests that run it."""

RANKS, ROUNDS, BYTES = 3, 40, 40        # processes of the tests, rounds of a process, bytes of a message


def barriers(tool, report):
    """Calls of MPI_Barrier in a JSON report, or the rounds that the report shows otherwise."""
    if tool == "check":
        # two calls in each round, and MPI_Init, MPI_Comm_rank and MPI_Comm_size
        return sum((process["calls"] - 3) // 2 for process in report["tasks"])
    if tool == "messages":
        return report["totals"]["point-to-point"]["bytes"] // BYTES
    if "traceEvents" in report:
        return sum(event["name"] == "MPI_Barrier" for event in report["traceEvents"] if event["ph"] == "X")
    return next(line["calls"] for line in report["functions"] if line["name"] == "MPI_Barrier")
