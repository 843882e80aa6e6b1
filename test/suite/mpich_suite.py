# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tests of MPICH's test suite as tests of pytest: their names before the run, their results after it."""

import functools
import re
from pathlib import Path

import pytest

from suite import results

HERE = Path(__file__).resolve().parent
EXPECTED = results.read_expected(HERE / "expected-failures")
WHY = dict(re.findall(r"^\w+ (.+) : (.*)$", (HERE / "expected-failures").read_text(), re.M))


def listed(src, directory):
    """Names of the directory's tests, as test/suite/run has them in its results. Lines that depend on configure's
    results are left out."""
    folder = src / "test/mpi" / directory
    names = []
    for path in (folder / "testlist", folder / "testlist.in"):
        if not path.is_file():
            continue
        for line in path.read_text().splitlines():
            words = line.partition("#")[0].split()
            if len(words) < 2 or "@" in line or words[0].startswith("!"):
                continue
            options = [word.partition("=") for word in words[2:]]
            named = [value for key in ("arg", "env") for word, _, value in options if word == key]
            names.append(results.unused(" ".join([f"{directory}/{words[0]}", words[1], *named]), names))
    return names


def parametrize(metafunc, directories):
    """One test for each test of the suite; one that fails if --src is missing."""
    src = metafunc.config.option.src
    if "name" in metafunc.fixturenames:
        found = [name for directory in directories for name in listed(src, directory)] if src else []
        metafunc.parametrize("name", found or ["all tests"])
    if "directory" in metafunc.fixturenames:
        metafunc.parametrize("directory", directories)


class Suite:
    """One run of test/suite/run and its results. The first test that needs them starts it: a fixture of a module
    would run beside serial tests."""

    def __init__(self, mpich, src, directories, name, *options, seconds):
        self.mpich, self.out, self.seconds = mpich, mpich.work / name, seconds
        self.command = [HERE / "run", mpich.prefix, "--src", src, "--dirs", " ".join(directories), "--out", self.out,
                        "--fresh", *options]

    @functools.cached_property
    def done(self):
        return self.mpich.run(*self.command, seconds=self.seconds)

    @functools.cached_property
    def results(self):
        if self.done.status != 0:
            pytest.fail(repr(self.done), pytrace=False)
        return results.read_results(self.out)

    def output(self, name):
        """Output of a failed test"""
        directory = name.partition("/")[0]
        wanted = " ".join(re.sub(r" #\d+$", "", name).partition("/")[2].split())
        path = self.out / "logs" / f"{directory}.junit.xml"
        if not path.exists():
            return ""
        for case in path.read_text(errors="replace").split("<testcase name=")[1:]:
            match = re.match(r'"\d* - (?:\./)*(.*?)"(?: time="[^"]*")?>\n', case)
            if match and " ".join(match[1].split()) == wanted:
                return case[:6000]
        return ""

    def judge(self, name):
        """The result of a test must be the one of the unpatched base."""
        found = self.results.get(name)
        fails, unstable = EXPECTED
        if found is None:
            pytest.fail(f"{name}: no result\n{self.done!r}", pytrace=False)
        if found == "skip":
            pytest.skip("skipped by the suite")
        if name in fails and found == "ok":
            pytest.fail(f"{name}: passes, but fails in the base ({WHY[name]})", pytrace=False)
        if found == "not ok":
            if name in fails or name in unstable:
                pytest.xfail(WHY[name])
            pytest.fail(f"{name} failed:\n{self.output(name)}", pytrace=False)

    def judge_rest(self, directory, src):
        """Tests that are not listed by name, and known failures without a result."""
        found = results.in_directories(self.results, [directory])
        wrong, _ = results.differences(results.expected_results(EXPECTED, found), found, "the base", "this run")
        names = listed(src, directory)
        wrong = [line for line in wrong if not any(line.endswith(": " + name) for name in names)]
        if wrong or not found:
            pytest.fail("\n".join(wrong) or f"{directory}: no results", pytrace=False)
