# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tests of the programs that read and compare results of MPICH's test suite, with made-up results."""

import argparse
import importlib.machinery
import importlib.util
import os
import select
import subprocess
from pathlib import Path

import pytest

from suite import mpich_suite, results

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def run():
    """test/suite/run as a module."""
    loader = importlib.machinery.SourceFileLoader("suite_run", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("suite_run", loader))
    loader.exec_module(module)
    return module


# The form of MPICH's runtests: output of the tests without escapes
JUNIT = '''<testsuites>
    <testcase name=" - ./good 2  " time="0.5"></testcase>
    <testcase name=" - ./good 2  " time="0.5"></testcase>
    <testcase name=" - ././sub/bad 4 -x=1 A=b" time="1.5">
      <failure type="TestFailed"
               message="not ok  - ./sub/bad 4"><![CDATA[not ok  - ./sub/bad 4
## <testcase is printed by the test itself, with ]]> in it
## <skipped nothing
    ]]></failure>
    </testcase>
    <testcase name="7 - ./later 1  ">
      <skipped type="TodoTestSkipped">
             message="no"><![CDATA[ok 7 - ./later 1  # SKIP no]]></skipped>
    </testcase>
    <testcase name=" - ./known 1  " time="0.1">
      <skipped type="TestFailed"
               message="not ok  - ./known 1 # TODO x"><![CDATA[not ok  - ./known 1 # TODO x
    ]]></skipped>
    </testcase>
'''


def test_junit_gives_every_kind_of_result(run):
    found = {name: status for name, (status, _) in run.read_junit(JUNIT, "dir").items()}
    assert found == {"dir/good 2": "ok", "dir/good 2 #2": "ok", "dir/sub/bad 4 -x=1 A=b": "not ok", "dir/later 1": "skip",
                     "dir/known 1": "not ok"}


def test_junit_that_is_cut_off_is_refused(run):
    with pytest.raises(run.Failure, match="dir: no result of test 'half 2'"):
        run.read_junit('    <testcase name=" - ./half 2  " time="1">\n', "dir")


@pytest.mark.parametrize("text, message", [
    ("a/b 1 ok\n", "list:1: not of the form"), ("a/b 1 : perhaps\n", "list:1: not of the form"),
    ("a/b 1 : ok\na/b 1 : ok\n", "list:2: test listed twice: a/b 1"), ("", "lists no test")])
def test_malformed_results_are_refused(work, text, message):
    (work / "list").write_text(text)
    with pytest.raises(results.BadList, match=message):
        results.read_results(work / "list")


@pytest.mark.parametrize("text, message", [
    ("fails a/b 1\n", "list:1: not of the form"), ("fails a/b 1 : \n", "list:1: not of the form"),
    ("sometimes a/b 1 : x\n", "list:1: not of the form"),
    ("fails a/b 1 : x\nunstable a/b 1 : y\n", "list:2: test listed twice")])
def test_malformed_expected_failures_are_refused(work, text, message):
    (work / "list").write_text(text)
    with pytest.raises(results.BadList, match=message):
        results.read_expected(work / "list")


def test_expected_failures_are_well_formed():
    fails, unstable = mpich_suite.EXPECTED
    assert fails and set(mpich_suite.WHY) == fails | unstable


def test_every_kind_of_difference_is_named():
    old = {"same": "not ok", "breaks": "ok", "heals": "not ok", "gone": "ok", "left out": "ok"}
    new = {"same": "not ok", "breaks": "not ok", "heals": "ok", "new": "ok", "left out": "skip"}
    assert results.differences(old, new) == ([
        "fails in B, not in A (ok): breaks", "only in A (ok): gone", "fails in A, not in B (ok): heals",
        "ok in A, skip in B: left out", "only in B (ok): new"], 1)


def test_known_failures_must_fail_and_others_must_not():
    expected = ({"d/fails 1", "d/lost 1", "other/fails 1"}, {"d/odd 1"})
    new = {"d/fails 1": "not ok", "d/odd 1": "not ok", "d/good 1": "ok", "d/bad 1": "not ok"}
    found, agree = results.differences(results.expected_results(expected, new), new)
    assert found == ["fails in B, not in A (ok): d/bad 1", "only in A (not ok): d/lost 1"]
    assert agree == 3


@pytest.mark.parametrize("second, status, text", [
    ("a/x 1 : ok\na/y 1 : ok\n", 0, "2 passed, 0 failed\n"),
    ("a/x 1 : ok\na/y 1 : not ok\n", 1, "difference: fails in B, not in A (ok): a/y 1\n1 passed, 1 failed\n")])
def test_compare_prints_differences(work, second, status, text):
    (work / "old").write_text("a/x 1 : ok\na/y 1 : ok\n")
    (work / "new").write_text(second)
    done = subprocess.run([HERE / "compare", work / "old", work / "new"], stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (status, text)


@pytest.mark.parametrize("tools, own, expected", [
    ("passall", None, "passall"), ("passall", "one:one", "one:one,passall"), ("", "one:one", "one:one"),
    ("a(b c)", None, "a(b c)"), ("a({job})", None, "a(JOB)")])
def test_tools_that_a_test_chooses_come_first(run, work, tools, own, expected):
    options = run.parse_arguments(["/nowhere", "--out", str(work), "--no-nap", "--tools", tools])
    environment = {"PATH": "/usr/bin:/bin", **({"MPIR_CVAR_QMPI_TOOL_LIST": own} if own else {})}
    done = subprocess.run([run.write_wrapper(options), "printenv", "MPIR_CVAR_QMPI_TOOL_LIST"], stdout=subprocess.PIPE,
                          text=True, env=environment)
    assert done.stdout.strip() == expected.replace("JOB", str(os.getpid()))


def test_names_of_a_testlist_are_those_of_the_results(work):
    folder = work / "test/mpi/dir"
    folder.mkdir(parents=True)
    (folder / "testlist").write_text("# comment\n!.:lib.so\ngood 2\ngood 2\nodd 1 env=A=b arg=-x=1 timeLimit=9 # why\n"
                                     "@large@huge 1\n")
    assert mpich_suite.listed(work, "dir") == ["dir/good 2", "dir/good 2 #2", "dir/odd 1 -x=1 A=b"]


@pytest.fixture
def suite(work):
    suite = object.__new__(mpich_suite.Suite)
    suite.out = work
    (work / "logs").mkdir()
    (work / "logs/dir.junit.xml").write_text(JUNIT)
    suite.results = {"dir/good 2": "ok", "dir/sub/bad 4 -x=1 A=b": "not ok", "dir/later 1": "skip",
                     "threads/spawn/multispawn 1": "not ok"}
    suite.done = None
    return suite


def test_good_result_passes(suite):
    suite.judge("dir/good 2")


def test_bad_result_fails_with_what_the_test_printed(suite):
    with pytest.raises(pytest.fail.Exception, match="printed by the test itself"):
        suite.judge("dir/sub/bad 4 -x=1 A=b")


def test_missing_result_fails(suite):
    with pytest.raises(pytest.fail.Exception, match="no result"):
        suite.judge("dir/gone 1")


def test_skipped_result_is_skipped(suite):
    with pytest.raises(pytest.skip.Exception):
        suite.judge("dir/later 1")


def test_known_failure_is_an_expected_failure(suite):
    with pytest.raises(pytest.xfail.Exception, match="Error in spawn call"):
        suite.judge("threads/spawn/multispawn 1")


def test_known_failure_that_passes_fails(suite):
    suite.results["threads/spawn/multispawn 1"] = "ok"
    with pytest.raises(pytest.fail.Exception, match="passes, but fails in the base"):
        suite.judge("threads/spawn/multispawn 1")


def test_failure_of_a_test_without_a_listed_name_is_found(suite, work):
    (work / "test/mpi/dir").mkdir(parents=True)
    (work / "test/mpi/dir/testlist").write_text("good 2\n")
    with pytest.raises(pytest.fail.Exception, match="dir/sub/bad 4"):
        suite.judge_rest("dir", work)


def test_messages_of_tools_are_kept_apart_from_the_output_of_a_test(run, work):
    options = run.parse_arguments(["/nowhere", "--out", str(work), "--no-nap", "--messages", str(work / "said")])
    done = subprocess.run([run.write_wrapper(options), "sh", "-c", "printf 'QMPI tool a: wrote b\\nown\\nQMPI check: c\\n' >&2"],
                          stderr=subprocess.PIPE, text=True)
    assert (done.stderr, (work / "said").read_text()) == ("own\n", "QMPI tool a: wrote b\nQMPI check: c\n")


def test_nothing_but_the_rank_has_its_pmi_socket(run, work):
    options = run.parse_arguments(["/nowhere", "--out", str(work), "--no-nap", "--messages", str(work / "said")])
    end, socket = os.pipe()
    with subprocess.Popen([run.write_wrapper(options), "bash", "-c", f"exec {socket}>&-; read line"], stdin=subprocess.PIPE,
                          pass_fds=[socket], env={"PATH": os.environ["PATH"], "PMI_FD": str(socket)}):
        os.close(socket)
        assert select.select([end], [], [], 10)[0]
        os.close(end)


@pytest.mark.parametrize("old, new, expected", [
    ("ok", "not ok", True), (None, "not ok", True), ("skip", "not ok", True), ("ok", None, True), ("not ok", "not ok", False),
    ("not ok", "ok", False), (None, "ok", False), ("ok", "skip", False), ("not ok", None, False)])
def test_worse_is_what_fails_or_is_missing(old, new, expected):
    assert results.is_worse(old, new) == expected


@pytest.fixture
def draw(run, work):
    """Draw from two lists: names of the tests in that of the source, and the text of that of the build"""
    source, build = work / "source/test/mpi/dir", work / "build/dir"
    for folder in (source, build):
        folder.mkdir(parents=True)
    (source / "testlist").write_text("folder\n" + "".join(f"test{number} 2\n" for number in range(1000)))
    (build / "testlist.dtp").write_text("one 1\n")

    def draw(part, seed=0):
        options = argparse.Namespace(src=work / "source", build=work / "build", part=part, seed=seed)
        run.draw_tests(run.lists("dir", options), options)
        drawn = (build / "testlist").read_text().splitlines()
        assert drawn[:2] == ["# drawn", "folder"]
        tests, other = {line.split()[0] for line in drawn[2:]}, (build / "testlist.dtp").read_text()
        assert set(run.programs("dir", options)) == tests | ({"one"} if "one 1" in other else set())
        return tests, other
    return draw


def test_one_in_ten_tests_is_drawn(draw):
    first, second = draw(10)[0], draw(10, seed=1)[0]
    assert 60 < len(first) < 140 and 60 < len(second) < 140 and first != second


def test_the_same_tests_are_drawn_again(draw):
    assert draw(10) == draw(10)


def test_all_tests_are_drawn_after_some(draw):
    draw(10)
    assert len(draw(1)[0]) == 1000


def test_list_without_a_drawn_test_is_not_empty(draw):
    """The suite would take the list of the source."""
    assert draw(10 ** 9)[1] == "# drawn\n" and draw(1)[1] == "# drawn\none 1\n"


def test_list_of_a_folder_that_is_not_built_is_left_out(run, work):
    """As impls/mpich/rma of MPICH 5.0.1"""
    (work / "build/dir").mkdir(parents=True)
    (work / "test/mpi/dir/unused").mkdir(parents=True)
    for folder in ("dir", "dir/unused"):
        (work / "test/mpi" / folder / "testlist").write_text("one 1\n")
    assert run.lists("dir", argparse.Namespace(src=work, build=work / "build")) == [Path("dir/testlist")]
