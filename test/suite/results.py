# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Lists of test results: reading and comparing them."""

from pathlib import Path

STATUSES = ("ok", "not ok", "skip")


def unused(test, known):
    """Name of a test in a list of results, which may have the same line of a testlist more than once."""
    key, copy = test, 1
    while key in known:
        copy += 1
        key = f"{test} #{copy}"
    return key


class BadList(Exception):
    """Unreadable list; the text names the file and the line."""


def read_results(path):
    """A list of results, or the directory of a run that holds one. Returns {test: status}."""
    path = Path(path)
    if path.is_dir():
        path = path / "results.txt"
    if not path.is_file():
        raise BadList(f"no list of results: {path}")
    results = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        test, separator, status = line.rpartition(" : ")
        if not separator or status not in STATUSES:
            raise BadList(f"{path}:{number}: not of the form 'directory/program processes : ok|not ok|skip': {line}")
        if test in results:
            raise BadList(f"{path}:{number}: test listed twice: {test}")
        results[test] = status
    if not results:
        raise BadList(f"{path} lists no test")
    return results


def read_expected(path):
    """The failures of the unpatched base. Returns ({tests that fail}, {tests that may pass or fail})."""
    path = Path(path)
    if not path.is_file():
        raise BadList(f"no list of expected failures: {path}")
    fails, unstable = set(), set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        test, separator, why = rest.strip().partition(" : ")
        if word not in ("fails", "unstable") or not separator or not why.strip():
            raise BadList(f"{path}:{number}: not of the form 'fails|unstable TEST : why': {line}")
        test = test.strip()
        if test in fails or test in unstable:
            raise BadList(f"{path}:{number}: test listed twice: {test}")
        (fails if word == "fails" else unstable).add(test)
    return fails, unstable


def expected_results(expected, results):
    """Results of the base for the tests of a run: its known failures fail, all others pass or are skipped."""
    fails, unstable = expected
    wanted = {}
    for test, status in results.items():
        if test in unstable or status == "skip":
            wanted[test] = status
        else:
            wanted[test] = "not ok" if test in fails else "ok"
    # A known failure whose directory was run must have been seen: its test cannot just go away.
    directories = {test.partition("/")[0] for test in results}
    for test in fails:
        if test.partition("/")[0] in directories:
            wanted.setdefault(test, "not ok")
    return wanted


def differences(wanted, results, first="A", second="B"):
    """Every difference in words, and the number of tests that agree."""
    found = []
    agree = 0
    for test in sorted(set(wanted) | set(results)):
        old, new = wanted.get(test), results.get(test)
        if old == new:
            agree += 1
        elif old is None:
            found.append(f"only in {second} ({new}): {test}")
        elif new is None:
            found.append(f"only in {first} ({old}): {test}")
        elif new == "not ok":
            found.append(f"fails in {second}, not in {first} ({old}): {test}")
        elif old == "not ok":
            found.append(f"fails in {first}, not in {second} ({new}): {test}")
        else:
            found.append(f"{old} in {first}, {new} in {second}: {test}")
    return found, agree


def is_worse(old, new):
    """The test fails, or has gone away. old, new: results of the test, None if there is none"""
    return (new == "not ok" and old != "not ok") or (new is None and old == "ok")


def report(found, agree, what="difference"):
    for line in found:
        print(f"{what}: {line}")
    print(f"{agree} passed, {len(found)} failed")
    return 1 if found else 0


def in_directories(results, directories):
    return {test: status for test, status in results.items() if test.partition("/")[0] in directories}
