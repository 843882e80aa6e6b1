# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The programs of MPICH's test suite under the tool check: nothing is found, except in programs that are wrong
(suite-wrong, which has the reasons)."""

import json
import re
import shlex
from pathlib import Path

import pytest

from suite import languages

HERE = Path(__file__).resolve().parent
# Programs that are wrong on purpose, that end processes, that measure, or that have tools
LEFT_OUT = {"errors", "ft", "ckpoint", "perf", "qmpi", "qmpi_test"}

pytestmark = pytest.mark.hours


def known_wrong():
    """{program: kinds of findings}"""
    known = {}
    for line in (HERE / "suite-wrong").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            program, kind, _ = (word.strip() for word in line.split(":", 2))
            known.setdefault(program, set()).add(kind)
    return known


def directories(suite):
    """The folders of the suite that have a list of tests, in every language"""
    found = {path.parent.relative_to(suite) for name in ("testlist", "testlist.in") for path in suite.rglob(name)}
    return sorted(str(folder) for folder in found if not LEFT_OUT & set(folder.parts))


def programs(folder):
    """The first line of each program: (name, processes, arguments, environment)."""
    lists = [path for path in (folder / name for name in ("testlist", "testlist.in")) if path.is_file()]
    seen = {}
    for line in "\n".join(path.read_text() for path in lists).splitlines():
        words = [] if "@" in line or line.startswith("!") else shlex.split(line, comments=True)
        if len(words) < 2 or words[0] in {*seen, *LEFT_OUT} or not words[1].isdigit():
            continue
        options = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        is_certain = not {"xfail", "resultTest"} & set(options) and "strict=true" not in words
        seen[words[0]] = is_certain and (words[0], int(words[1]), [word[4:] for word in words[2:] if word.startswith("arg=")],
                                         [word[4:] for word in words[2:] if word.startswith("env=")])
    return [case for case in seen.values() if case]


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        source = metafunc.config.option.src and metafunc.config.option.src / "test/mpi"
        cases = [(name, *case) for name in directories(source) for case in programs(source / name)] if source else []
        metafunc.parametrize("case", cases or [("no", "tree", 1, [], [])], ids=lambda case: f"{case[0]}/{case[1]}")


@pytest.fixture(scope="module")
def suite(mpich_module, tree):
    """The folder in which the suite is configured."""
    build = mpich_module.work / "suite"
    build.mkdir()

    def run(*words):
        result = mpich_module.run(*words, cwd=build, seconds=900)
        assert result.status == 0, result

    has_fortran = (mpich_module.prefix / "bin/mpifort").exists()
    run(tree / "test/mpi/configure", f"--with-mpi={mpich_module.prefix}",
        *(languages.OPTIONS if has_fortran else languages.ONLY_C))
    if has_fortran:
        languages.enable_f08(build)
        run("./config.status")
    run("make", "-C", "util")
    run("make", "-C", "dtpools")
    return build


def ends_well(result):
    return result.status == 0 and "No Errors" in result.out


def test_nothing_is_found_in_a_program_of_the_suite(mpich, suite, case):
    """A program that fails without the tool as well (as for want of MPI_Comm_spawn) is skipped."""
    directory, name, ranks, arguments, variables = case
    made = mpich.run("make", "-C", suite / directory, name, seconds=300)
    if made.status != 0:
        pytest.skip("does not compile here")

    def run(tools):
        return mpich.mpiexec(ranks, f"./{name}", *arguments, tools=tools, cwd=suite / directory, seconds=120, may_time_out=True,
                             **dict(variable.split("=", 1) for variable in variables))

    if directory.endswith("spawn") and not ends_well(run(None)):
        pytest.skip("does not end well here without the tool")
    report = mpich.work / "report.json"
    result = run(f"check(out={report})")
    lines = sorted(set(re.findall(r"^QMPI (?:tool )?check: .*$", result.err, re.M)))
    kinds = {match.group(1) for line in lines if (match := re.search(r" at .*?: ([a-z ]+): ", line))}
    if kinds:
        assert kinds <= known_wrong().get(f"{directory}/{name}", set()), result
    elif ends_well(result):
        assert all(re.search("left out of the search|no longer compared", line) for line in lines), result
        assert not report.exists() or json.loads(report.read_text())["findings"] == []
    else:
        assert not ends_well(run(None)), result
        pytest.skip("does not end well here without the tool either")
