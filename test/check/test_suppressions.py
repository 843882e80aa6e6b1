# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Suppression files of the tool check: their entries take findings out of all outputs, are counted, and nothing else
disappears."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PRINTED = re.compile(r"^QMPI check: (?:rank \d+: )?(MPI_\w+ at .+?: [a-z ]+): ", re.M)
LEAKS, RING = HERE / "wrong/leaks.c", HERE / "wrong/deadlock_ring.c"
NUMBER_OF_LEAKS = 7     # marked in leaks.c


@pytest.fixture
def run(mpich):
    """Run a program under check; `entries` are lines of the suppression file known.txt."""
    def run(source, arguments, entries=None, ranks=2, options=(), **keywords):
        if entries is not None:
            (mpich.work / "known.txt").write_text("".join(f"{entry}\n" for entry in entries))
            arguments += ",suppress=known.txt"
        return mpich.mpiexec(ranks, mpich.program(source, *options), tools=f"check({arguments})", **keywords)
    return run


def entries_of(text):
    """The entries at the end of a report, ready to paste."""
    return re.findall(r"^    (.*)$", text.split("\nto suppress findings, ")[1], re.M)


# ---- entries ----

@pytest.mark.parametrize("name, ranks, options", [("leaks", 2, []), ("leaks", 2, ["-g0"]), ("window_put_put", 3, []),
                                                  ("overlap_receives", 2, []), ("leak_fortran", 2, [])])
def test_printed_entries_suppress_their_findings_and_nothing_else_is_left(mpich, run, name, ranks, options):
    source = next(HERE.glob(f"wrong/{name}.*"))
    first = run(source, "out=first", ranks=ranks, options=options)
    entries = entries_of((mpich.work / "first.txt").read_text())
    assert set(entries) == set(PRINTED.findall(first.err)), first
    second = run(source, "out=second", entries, ranks, options)
    assert PRINTED.findall(second.err) == [] and "\nto suppress" not in (mpich.work / "second.txt").read_text(), second
    assert mpich.load("second.json")["findings"] == []
    assert (mpich.work / "second.txt").read_text().startswith(f"check: 0 findings ({len(entries)} suppressed) in "), second


def test_entry_suppresses_only_what_it_describes(mpich, run):
    result = run(LEAKS, "out=one", ["MPI_Op_create at leaks.c:*: leak"])
    assert len(PRINTED.findall(result.err)) == NUMBER_OF_LEAKS - 1 and "MPI_Op_create" not in result.err, result


@pytest.mark.parametrize("site", ["leaks.c:*", "main", "main (leaks.c:*)", "*/wrong/leaks.c:??", "leaks*+0x*", "*"])
def test_site_is_a_line_a_function_a_path_or_an_offset(mpich, run, site):
    run(LEAKS, "out=all.json", [f"MPI_* at {site}: leak"])
    assert mpich.load("all.json")["findings"] == []


@pytest.mark.parametrize("entry", ["MPI_Op_create at leaks.c:3: leak", "MPI_* at *: freed handle", "MPI_* at ma: leak", "MPI_Op_create at ?: leak"])
def test_entry_of_something_else_suppresses_nothing(mpich, run, entry):
    result = run(LEAKS, "out=all.json", [entry])
    assert len(mpich.load("all.json")["findings"]) == NUMBER_OF_LEAKS, result


def test_suppressed_findings_are_counted_and_unused_entries_are_named(mpich, run):
    """Each of the two ranks leaks one handle of each kind. MPI_*_c* is that of Op_create, Info_create and Comm_create_errhandler."""
    run(LEAKS, "out=count", ["# known", "", "MPI_Type* at leaks.c:*: leak", "  MPI_Win_* at *: leak", "MPI_*_c* at leaks.c:*: leak"])
    report = mpich.load("count.json")["suppressions"]
    assert report["file"] == "known.txt"
    assert [(one["line"], one["findings"]) for one in report["entries"]] == [(3, 1), (4, 0), (5, 3)]
    assert (report["entries"][0]["entry"], report["entries"][0]["times"]) == ("MPI_Type* at leaks.c:*: leak", 2)
    lines = (mpich.work / "count.txt").read_text().splitlines()
    assert "1 finding (2 times) suppressed by known.txt:3: MPI_Type* at leaks.c:*: leak" in lines, lines
    assert "suppresses nothing: known.txt:4: MPI_Win_* at *: leak" in lines


# ---- bad files ----

@pytest.mark.parametrize("line, reason", [
    ("leak", "'leak' is not of the form FUNCTION at SITE: KIND"),
    ("MPI_Send at halo.c:3", "'MPI_Send at halo.c:3' is not of the form FUNCTION at SITE: KIND"),
    ("MPI_Sent at halo.c:3: leak", "no MPI function has the name 'MPI_Sent'"),
    ("MPI_Send at halo.c:3: leaks", "unknown kind of finding 'leaks' (expected invalid argument, ")])
def test_bad_line_is_refused_with_its_number(run, line, reason):
    result = run(LEAKS, "out=bad", ["# a comment", line], ranks=1)
    assert result.status != 0 and result.err.count(f"known.txt:2: {reason}") == 1, result


@pytest.mark.parametrize("argument", ["suppress=none.txt", "suppress="])
def test_missing_file_is_refused_by_name(run, argument):
    result = run(LEAKS, argument, ranks=1)
    assert result.status != 0 and ("cannot read none.txt: No such file" in result.err or "suppress=: needs a file name" in result.err), result


def test_option_is_in_the_help(mpich):
    assert "suppress=FILE" in mpich.run("qmpi_info", "check").out


# ---- deadlocks ----

def test_suppressed_deadlock_does_not_end_the_job(mpich, run):
    result = run(RING, "out=ring,timeout=1,deadlock=abort", ["MPI_Ssend at deadlock_ring.c:*: deadlock"], 3, seconds=8, may_time_out=True)
    assert PRINTED.findall(result.err) == [] and "ending the job" not in result.err, result
    assert list(mpich.work.glob("ring.records/*.record")), result


def test_other_deadlock_ends_the_job(run):
    result = run(RING, "out=ring,timeout=1,deadlock=abort", ["MPI_Recv at deadlock_ring.c:*: deadlock"], 3)
    assert len(PRINTED.findall(result.err)) == 3 and "ending the job" in result.err, result


# ---- records ----

def test_report_from_records_is_suppressed_without_the_file(mpich, run):
    run(RING, "out=ring,timeout=1", ["MPI_Ssend at deadlock_ring.c:*: deadlock"], 3, seconds=8, may_time_out=True)
    (mpich.work / "known.txt").unlink()
    (mpich.work / "elsewhere").mkdir()
    text = mpich.run("qmpi_report", "show", "../ring.records", cwd=mpich.work / "elsewhere").out
    assert "check: 0 findings (3 suppressed) in " in text and "3 findings suppressed by known.txt:1: " in text, text
    merged = mpich.run("qmpi_report", "merge", "ring.records", "-o", "merged")
    assert merged.status == 0 and mpich.load("merged.json")["suppressions"]["entries"][0]["findings"] == 3, merged
