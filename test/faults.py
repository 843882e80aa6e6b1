# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Messages of the runtime about tool lists, for all tests that expect some."""

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
