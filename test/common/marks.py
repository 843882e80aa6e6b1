# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Lines of test programs that words in brackets mark."""


def line_of(words, source):
    """hangs.c:12"""
    lines = [number for number, line in enumerate(source.read_text().splitlines(), 1) if f"[{words}]" in line]
    assert len(lines) == 1, words
    return f"{source.name}:{lines[0]}"
