# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tables of the tool count."""

import collections
import re

Row = collections.namedtuple("Row", "calls least most sent bytes")
HEAD = re.compile(r"^count: instance (\d+) of \d+.*$", re.M)


def tables(text):
    """Number of tables."""
    return len(HEAD.findall(text))


def rows(text, instance):
    """{function: Row} of the table of an instance; rows of several tables (one for each process) are added."""
    found, current = {}, None
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            current = int(head.group(1))
        elif not line.strip():
            current = None
        elif current == instance and line.startswith("MPI"):
            name, *numbers = line.split()
            row = Row(*map(int, numbers))
            found[name] = Row(*map(sum, zip(found[name], row))) if name in found else row
    return found


def functions(text, instance):
    """Names of the functions of a table, from the top."""
    return list(rows(text, instance))
