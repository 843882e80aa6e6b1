# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The programs of MPICH's test suite under the tool check: nothing is found, except in programs that are wrong
(check-suite-wrong, which has the reasons)."""

import json
import re
import shlex
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
DIRECTORIES = ("attr group info topo comm datatype init errhan io pt2pt coll rma part spawn "
               "threads/init threads/pt2pt threads/comm threads/coll threads/part threads/rma threads/spawn").split()

pytestmark = pytest.mark.hours


def known_wrong():
    """{program: kinds of findings}"""
    known = {}
    for line in (HERE / "check-suite-wrong").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            program, kind, _ = (word.strip() for word in line.split(":", 2))
            known.setdefault(program, set()).add(kind)
    return known


def programs(tree, directory):
    """The first line of each program: (name, processes, arguments, environment)."""
    lists = [path for path in (tree / "test/mpi" / directory / name for name in ("testlist", "testlist.in")) if path.is_file()]
    seen = {}
    for line in "\n".join(path.read_text() for path in lists).splitlines():
        words = [] if "@" in line or line.startswith("!") else shlex.split(line, comments=True)
        if len(words) < 2 or words[0] in seen or not words[1].isdigit():
            continue
        options = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        is_certain = not {"xfail", "resultTest"} & set(options) and "strict=true" not in words
        seen[words[0]] = is_certain and (words[0], int(words[1]), [word[4:] for word in words[2:] if word.startswith("arg=")],
                                         [word[4:] for word in words[2:] if word.startswith("env=")])
    return [case for case in seen.values() if case]


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        tree = metafunc.config.option.src
        cases = [(directory, *case) for directory in DIRECTORIES for case in programs(tree, directory)] if tree else []
        metafunc.parametrize("case", cases or [("no", "tree", 1, [], [])], ids=lambda case: f"{case[0]}/{case[1]}")


@pytest.fixture(scope="module")
def suite(mpich_module, tree):
    """The folder in which the suite is configured."""
    build = mpich_module.work / "suite"
    build.mkdir()
    for words in ([tree / "test/mpi/configure", f"--with-mpi={mpich_module.prefix}", "--disable-fortran", "--disable-cxx"],
                  ["make", "-C", "util"], ["make", "-C", "dtpools"]):
        result = mpich_module.run(*words, cwd=build, seconds=900)
        assert result.status == 0, result
    return build


def test_nothing_is_found_in_a_program_of_the_suite(mpich, suite, case):
    """A program that fails with and without the tool (as for want of MPI_Comm_spawn) is skipped."""
    directory, name, ranks, arguments, variables = case
    made = mpich.run("make", "-C", suite / directory, name, seconds=300)
    if made.status != 0:
        pytest.skip("does not compile here")
    report = mpich.work / "report.json"
    result = mpich.mpiexec(ranks, f"./{name}", *arguments, tools=f"check(out={report})", cwd=suite / directory, seconds=60,
                           may_time_out=True, **dict(variable.split("=", 1) for variable in variables))
    (suite / directory / name).unlink(missing_ok=True)
    lines = sorted(set(re.findall(r"^QMPI (?:tool )?check: .*$", result.err, re.M)))
    kinds = {match.group(1) for line in lines if (match := re.search(r" at \S+: ([a-z ]+): ", line))}
    if kinds:
        assert kinds <= known_wrong().get(f"{directory}/{name}", set()), result
        return
    assert all("left out of the search" in line for line in lines), result
    if result.status != 0 or "No Errors" not in result.out:
        pytest.skip("does not end well here")
    assert not report.exists() or json.loads(report.read_text())["findings"] == []
