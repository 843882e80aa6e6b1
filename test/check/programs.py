# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Wrong and right programs, which mark the lines of their errors, and what check finds in them."""

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINE = re.compile(r"^QMPI check: (?:rank \d+: )?(\w+) at (\S+?):(\d+): ([a-z ]+): (.*)$", re.M)
CASE = re.compile(r"^static void (\w+)\(int rank, int size\)$")


class Program:
    """A file, or a case of one (cases.h): its name and lines"""

    def __init__(self, path, name=None, first=1, last=None):
        self.path, self.name, self.words = path, name or path.stem, [name] if name else []
        self.lines = list(enumerate(path.read_text().splitlines(), 1))[first - 1:last]

    def markers(self, word):
        """The lines that the program marks: {(line, kind)}."""
        return {(number, match.group(1).strip()) for number, line in self.lines
                if (match := re.search(rf"(?:/\*|!) {word}: ([a-z ]+)", line))}

    def option(self, name, fallback):
        """An option of the run in the comment at the head"""
        match = re.search(rf"\b{name}: (\S+)", "\n".join(line for _, line in self.lines))
        return match.group(1) if match else fallback

    def printed(self, result):
        """{(line, kind)} of the findings on standard error"""
        return {(int(match.group(3)), match.group(4)) for match in LINE.finditer(result.err) if match.group(2) == self.path.name}


def programs(kind):
    """{name: Program} of a folder"""
    found = {}
    for path in sorted([*(HERE / kind).glob("*.c"), *(HERE / kind).glob("*.F90")]):
        text, first, name = path.read_text(), 1, None
        if "\nCASES(" not in text:
            found[path.stem] = Program(path)
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := CASE.match(line):
                name = match.group(1)
            elif line == "}" and name:
                found[name] = Program(path, name, first, number)
                first, name = number + 1, None
    return dict(sorted(found.items()))


WRONG, RIGHT = programs("wrong"), programs("right")


def reported(path):
    """Findings of a JSON report"""
    return json.loads(path.read_text())["findings"]


def places(findings):
    return {(int(one["site"].split(":")[1]), one["kind"]) for one in findings}
