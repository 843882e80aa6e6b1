# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Faults of tool lists, for all tests that expect some: messages of the runtime, and files that are no libraries."""

import os
import re

# A process of a job puts its rank before the message.
FAULT = re.compile(r"^MPICH: (?:rank (\d+): )?tool list: (.*)$", re.M)


def faults(text):
    """Messages about the list, without the prefix."""
    return [match.group(2) for match in FAULT.finditer(text)]


def fault_ranks(text):
    """Ranks that the messages name, None where a message names none."""
    return [match.group(1) and int(match.group(1)) for match in FAULT.finditer(text)]


def is_short_line(text):
    """One line that any terminal can show."""
    return text.count("\n") == 1 and len(text) < 4096 and not re.search(r"[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]", text)


def assert_refused(result, *texts):
    """One short line has the texts; MPI is not started."""
    assert (result.status, result.out) == (1, ""), result
    assert len(faults(result.err)) == 1 and is_short_line(result.err), result
    assert all(text in result.err for text in texts), (texts, result)


def write_broken(folder, library):
    """Write files that cannot be loaded, some of them made from a library."""
    data = library.read_bytes()
    machine = 0x3e if os.uname().machine == "aarch64" else 0xb7
    for name, content in (("empty", b""), ("text", b"no library\n"), ("short", data[:40]), ("half", data[:4096]),
                          ("foreign", data[:18] + bytes([machine]) + data[19:]), ("class", data[:4] + b"\1" + data[5:])):
        (folder / f"lib{name}.so").write_bytes(content)
    os.mkfifo(folder / "libpipe.so")
