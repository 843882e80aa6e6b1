# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""maint/buildtree and maint/quickstart, without building MPICH."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(program, *words, cwd, status=0, **variables):
    environment = {n: v for n, v in os.environ.items() if not n.startswith("MPICH_QMPI_") and n not in ("CC", "CFLAGS", "FFLAGS")}
    environment.update({n: str(v) for n, v in variables.items()})
    done = subprocess.run([ROOT / program, *words], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done
    return done.stdout + done.stderr


@pytest.fixture
def fake(tmp_path):
    """PATH with a make that does nothing and a gfortran that accepts everything"""
    folder = tmp_path / "fake"
    folder.mkdir()
    for name in ("make", "gfortran"):
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_cache_in_a_path_with_blanks(tmp_path):
    """No command may take the halves of such a path for paths, and remove them."""
    for name in ("cache", "cache with", "with", "blanks", "cache with blanks"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "precious").touch()
    before = sorted(tmp_path.rglob("*"))
    said = run("maint/buildtree", cwd=tmp_path, status=1, MPICH_QMPI_BUILD_CACHE=tmp_path / "cache with blanks")
    assert "MPICH cannot be built in a path with such characters" in said
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("words, message", [
    (["--prefix=/x"], "chosen by this program"), (["nonsense"], "not an option"),
    (["--unchanged", "--with-base=9.9"], "'9.9' is not a folder of patches/")])
def test_buildtree_refuses(tmp_path, words, message):
    assert message in run("maint/buildtree", *words, cwd=tmp_path, status=1, MPICH_QMPI_BUILD_CACHE=tmp_path)


def test_old_builds_are_deleted_unless_they_are_used(tmp_path, fake):
    cache = tmp_path / "cache"
    for age in range(1, 6):
        use = cache / f"checkout-{age}/.use"
        use.parent.mkdir(parents=True)
        use.touch()
        os.utime(use, (time.time() - 1000 * age,) * 2)
    with open(cache / "checkout-4/.use") as used:
        fcntl.flock(used, fcntl.LOCK_SH)
        own = re.search(r"^use=.*/(checkout-.*)/", run("maint/buildtree", cwd=tmp_path, PATH=fake, MPICH_QMPI_BUILD_CACHE=cache), re.M)
    assert {p.name for p in cache.glob("checkout-*")} == {own.group(1), "checkout-1", "checkout-2", "checkout-4"}


def test_build_does_not_begin_in_a_folder_that_is_being_deleted(tmp_path, fake):
    cache = tmp_path / "cache"
    cache.mkdir()
    with open(cache / ".folders-lock", "w") as deleting:
        fcntl.flock(deleting, fcntl.LOCK_EX)
        with subprocess.Popen([ROOT / "maint/buildtree"], cwd=tmp_path, stdout=subprocess.DEVNULL,
                              env=dict(os.environ, PATH=fake, MPICH_QMPI_BUILD_CACHE=cache)) as job:
            time.sleep(2)
            assert job.poll() is None and not list(cache.glob("checkout-*"))
            fcntl.flock(deleting, fcntl.LOCK_UN)
    assert job.returncode == 0 and list(cache.glob("checkout-*/.use"))


def test_old_results_are_removed_by_whole_names(tmp_path):
    """The command that keeps five results, in a folder with blanks"""
    command = next(line.strip() for line in (ROOT / "maint/quickstart").read_text().splitlines() if "head -zn -5" in line)
    results = tmp_path / "a cache/results"
    for number in range(1, 8):
        (results / f"2026010{number} x").mkdir(parents=True)
    (results / "kept").mkdir()
    (tmp_path / "a").mkdir()
    subprocess.run(["bash", "-c", f'cache="{tmp_path}/a cache"; {command}'], check=True, cwd=tmp_path)
    assert sorted(p.name for p in results.iterdir()) == [f"2026010{n} x" for n in range(3, 8)] + ["kept"]
    assert (tmp_path / "a").exists()


@pytest.mark.parametrize("words, status, said", [
    ([], 2, "usage:"), (["dance"], 2, "usage:"), (["check", "more"], 1, "more: unknown"),
    (["demo", "--with-mpich-source=/missing"], 1, "/missing: no such file"),
    (["demo", "--base=9.9"], 1, "'9.9' is not a folder of patches/"), (["demo", "--base"], 1, "'' is not a folder of patches/")])
def test_quickstart_refuses(tmp_path, words, status, said):
    assert said in run("maint/quickstart", *words, cwd=tmp_path, status=status, HOME=tmp_path)


def test_sum_of_the_tests(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): assert 0\n"
        "def test_skipped(): pytest.skip('a requirement is missing')\n"
        "@pytest.mark.serial\n"
        "def test_alone(): pass\n"
        "@pytest.fixture\n"
        "def broken(): assert 0\n"
        "def test_error(broken): pass\n")
    words = ["test", tmp_path / "test_it.py", f"--rootdir={tmp_path}", "-c", "/dev/null"]
    assert run("maint/quickstart", *words, cwd=tmp_path, status=1).splitlines()[-1] == "2 passed, 2 failed, 1 skipped"
    assert run("maint/quickstart", *words, "-k", "good or alone", cwd=tmp_path).splitlines()[-1] == "2 passed, 0 failed"
    said = run("maint/quickstart", "test", tmp_path / "missing.py", "-c", "/dev/null", cwd=tmp_path, status=1)
    assert re.search(r"^0 passed, [1-9] failed$", said, re.M)


@pytest.mark.parametrize("turn", ["", "3"])
@pytest.mark.parametrize("second", [False, True])
def test_last_lines_of_continuous_integration(tmp_path, second, turn):
    """All parts are in the sum, and what did not run is named."""
    for folder in (".ci", "maint", "../shared"):
        (tmp_path / "checkout" / folder).mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", tmp_path / "checkout/.ci")
    for name, text in (("quickstart", 'echo "$*" >> "$0.log"; echo "5 passed, 0 failed, 1 skipped"'), ("buildtree", "echo prefix=/first")):
        (tmp_path / "checkout/maint" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "checkout/maint" / name).chmod(0o755)
    if second:
        (tmp_path / "shared/mpich-5.0.1.tar.xz").touch()
    said = run(tmp_path / "checkout/.ci/run", cwd=tmp_path, QMPI_TURN=turn).splitlines()
    hours = "turn 3 of 0 to 6: 5 passed, 0 failed, 1 skipped" if turn else \
        "the tests marked hours are left out (QMPI_TURN=today runs a seventh of them)"
    missing = f"MPICH 5.0.1 is not tested: {tmp_path}/checkout/../shared/mpich-5.0.1.tar.xz does not exist"
    parts = ["--all", *["--base"] * second, *["--turn"] * bool(turn)]
    assert said[-3 + second:] == [*[missing] * (not second), hours, f"{5 * len(parts)} passed, 0 failed"]
    commands = (tmp_path / "checkout/maint/quickstart.log").read_text().splitlines()
    assert [words.split()[1].split("=")[0] for words in commands] == parts, commands


def test_each_test_of_hours_is_in_one_turn(tmp_path):
    """By number, or by a checksum of file and parameters, which tests of one fixture share"""
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_default(): pass\n"
        "@pytest.mark.hours\n"
        "@pytest.mark.parametrize('number', range(40))\n"
        "def test_one(number): pass\n"
        "@pytest.mark.hours\n"
        "@pytest.mark.parametrize('number', range(40))\n"
        "def test_other(number): pass\n"
        "@pytest.mark.hours\n"
        "@pytest.mark.turn(2)\n"
        "def test_chosen(): pass\n"
        "@pytest.mark.hours\n"
        "@pytest.mark.nightly\n"
        "def test_nightly(): pass\n")

    def selected(*words):
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-c", ROOT / "pytest.ini", *words, "test_it.py"],
                              cwd=tmp_path, capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=f"{ROOT}/test:{ROOT}/test/common"))
        return done.stdout
    turns = [set(re.findall(r"::test_(\S+)", selected(f"--turn={turn}", "--collect-only"))) for turn in range(7)]
    assert sum(map(len, turns)) == len(set.union(*turns)) == 81 and all(turns)
    assert all({f"other[{number}]" for number in range(40) if f"one[{number}]" in names} == {name for name in names if "other" in name}
               for names in turns)
    assert "chosen" in turns[2]
    assert f"{len(turns[4])} skipped" in selected("--turn=4", "--minutes=0")
    assert "83 passed" in selected("--hours")


# Stands for maint/buildtree. Each of the two builds waits for the other one to begin.
BUILDTREE = """#!/bin/bash
trap 'touch stopped; exit 1' INT TERM
own=patched other=unchanged
[ "${1-}" != --unchanged ] || own=unchanged other=patched
touch begun.$own
for i in {1..300}; do [ -e begun.$other ] && break; sleep 0.1; done
[ -e begun.$other ] || exit 1
[ "$FAILS" != $own ] || exit 1
[ "$FAILS" != $other ] || sleep 3       # then it is stopped
[ "$FAILS" != interrupt ] || [ $own = patched ] || { touch waiting; for i in {1..100}; do sleep 0.1; done; }
mkdir -p $own
[ "$FAILS" != deleted ] || [ -e before ] || { touch before; rmdir $own; }       # by a third run
printf '%s\n' prefix="$PWD/$own" tree="$PWD/$own/tree" use="$PWD/$own/use"
"""


@pytest.fixture
def copy(tmp_path):
    """maint/quickstart with this program and one test"""
    (tmp_path / "maint").mkdir()
    for name in ("quickstart", "packages"):
        shutil.copy(ROOT / "maint" / name, tmp_path / "maint")
    (tmp_path / "maint/buildtree").write_text(BUILDTREE)
    (tmp_path / "maint/buildtree").chmod(0o755)
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser):\n"
                                          "    for name in ('--prefix', '--base-prefix', '--src', '--out'):\n"
                                          "        parser.addoption(name)\n")
    (tmp_path / "test_it.py").write_text(
        "def test_options(pytestconfig):\n"
        "    given = [pytestconfig.getoption(name) for name in ('prefix', 'base_prefix', 'src')]\n"
        f"    assert given == [{str(tmp_path)!r} + name for name in ('/patched', '/unchanged', '/patched/tree')]\n")
    return tmp_path / "maint/quickstart"


@pytest.mark.parametrize("fails, said", [("", "passed, 0 failed"), ("deleted", "passed, 0 failed"), ("patched", "MPICH with QMPI could not be built"),
                                         ("unchanged", "the unchanged MPICH could not be built")])
def test_both_builds_run_at_once(tmp_path, copy, fails, said):
    assert said in run(copy, "check", cwd=tmp_path, status=int("could not" in said), FAILS=fails,
                       MPICH_QMPI_BUILD_CACHE=tmp_path / "cache")
    assert (tmp_path / "stopped").exists() == (fails == "patched")


def test_demo_ends_with_the_lines_for_another_program(tmp_path, copy):
    (tmp_path / "examples/qmpi").mkdir(parents=True)
    (tmp_path / "examples/qmpi/halo.c").touch()
    (tmp_path / "patched/bin").mkdir(parents=True)
    for name in ("mpicc", "mpiexec"):
        (tmp_path / "patched/bin" / name).symlink_to("/bin/true")
    (tmp_path / "begun.unchanged").touch()
    said = run(copy, "demo", cwd=tmp_path, FAILS="", MPICH_QMPI_BUILD_CACHE=tmp_path / "cache").splitlines()
    lines = [line.strip() for line in said[said.index("quickstart: for a program of your own:") + 1:]]
    readme = (ROOT / "README.md").read_text().replace("PREFIX", f"{tmp_path}/patched")
    assert len(lines) == 3 and all(f"\n    {line}\n" in readme for line in lines), lines


def await_file(path):
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_unchanged_build(tmp_path, copy, number):
    # the patched one has ended; a job in a shell's background would ignore SIGINT, and so do its children
    with subprocess.Popen([copy, "check"], cwd=tmp_path, start_new_session=True, stdout=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                          env=dict(os.environ, FAILS="interrupt", MPICH_QMPI_BUILD_CACHE=tmp_path / "cache")) as job:
        await_file(tmp_path / "waiting")
        if number == signal.SIGINT:     # a terminal's
            os.killpg(job.pid, number)
        else:
            job.send_signal(number)
    await_file(tmp_path / "stopped")
    assert job.returncode != 0


def test_packages_are_listed_once():
    names = re.findall(r"^[a-z]\S+", (ROOT / "maint/packages").read_text(), re.M)
    assert sorted(names) == sorted(set(names)) and "gcc" in names and "python3-pytest" in names
