# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The short programs of doc/found.md show what they are there for."""

import re
from pathlib import Path

FOUND = Path(__file__).resolve().parents[2] / "doc/found.md"


def test_send_from_the_buffer_of_a_receive(mpich):
    code = re.search(r"^## ScaLAPACK.*?^```c\n(.*?)^```", FOUND.read_text(), re.M | re.S).group(1)
    result = mpich.mpiexec(2, mpich.program(code, name="combine.c"), tools="check(out=c)")
    findings = mpich.load("c.json")["findings"]
    assert result.status == 0 and ["buffer overlap MPI_Send combine.c:12"] == [
        f"{one['kind']} {one['function']} {one['site']}" for one in findings], findings
