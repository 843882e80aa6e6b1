# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Ends of jobs: whatever ends a job, its report has all calls that the program knows it made, and nothing is left
running. The report is made in MPI_Finalize, or by qmpi_report from the records."""

import re
from pathlib import Path

import pytest

from job_ends import BYTES, RANKS, ROUNDS, barriers

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
RECORDING = ["count", "messages", "profile"]
ENDS = ["finalize", "abort", "error", "kill", "kill_all", "exit", "leave", "terminated", "interrupted", "killed mpiexec"]
SIGNALS = {"terminated": "TERM", "interrupted": "INT", "killed mpiexec": "KILL"}


@pytest.fixture
def end_job(mpich):
    """Run a program under a tool list to its end; a signal goes to mpiexec when all calls are made."""
    def end_job(source, tools, end, **variables):
        program = mpich.program(COMMON / source)
        signal = SIGNALS.get(end)
        script = f"""
            mpiexec -n {RANKS} -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "$2" "$3" "$4" & job=$!
            until [ $(ls known.* 2> /dev/null | wc -l) = {RANKS} ]; do sleep 0.05; done
            {f"sleep 0.2; kill -{signal} $job" if signal else ""}
            wait $job"""
        result = mpich.run("sh", "-c", script, "sh", mpich.nap(), tools, program, "hang" if signal else end, seconds=60,
                           **variables)
        assert mpich.left_over() == [], result
        return result
    return end_job


@pytest.fixture
def job(mpich, end_job):
    """Run job_ends.c in this manner."""
    def job(tools, end, **variables):
        result = end_job("job_ends.c", tools, end, **variables)
        assert [(mpich.work / f"known.{i}").read_text() for i in range(RANKS)] == [f"{ROUNDS}\n"] * RANKS, result
        return result
    return job


def wanted(tool):
    calls = {"MPI_Sendrecv": ROUNDS * RANKS, "MPI_Barrier": ROUNDS * RANKS}
    return calls if tool != "messages" else {"MPI_Sendrecv": ROUNDS * RANKS}


def found(tool, report):
    """Calls by function of a report in JSON, for the functions that the program counts."""
    if tool == "messages":
        assert report["totals"]["point-to-point"]["bytes"] == ROUNDS * RANKS * BYTES
        return {line["function"]: line["operations"] for line in report["functions"] if line["function"] in wanted(tool)}
    return {line["name"]: line["calls"] for line in report["functions"] if line["name"] in wanted(tool)}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("tool", RECORDING)
def test_nothing_is_lost(mpich, job, tool, end):
    result = job(f"{tool}(out=r)", end)
    folders = sorted(path.name for path in mpich.work.glob("r*.records"))
    if end == "finalize":
        assert (result.status, folders) == (0, []), result
        if tool == "count":
            assert re.search(rf"^MPI_Barrier +{ROUNDS * RANKS} ", (mpich.work / "r.txt").read_text(), re.M)
            return
        report = mpich.load("r.json")
    else:
        assert folders == ["r.records"], result
        report = mpich.report("r.records")
        assert report["absent"] == ""
    assert found(tool, report) == wanted(tool), result


# ---- sessions only ----

@pytest.mark.parametrize("end", ["finalize", "open", "abort", "kill", "leave", "world"])
@pytest.mark.parametrize("tool", [*RECORDING, "check", "trace"])
def test_nothing_is_lost_without_a_world(mpich, tool, end):
    """Each process reports alone (of check, all together), or leaves a record of its own, until a world takes its place."""
    def report_of(folder):
        if tool != "trace":
            return mpich.report(folder)
        mpich.reported("otf2", "--json", folder)
        return mpich.load(folder.replace(".unfinished", ".json"))
    number = 2 if end == "finalize" else 1      # mpiexec kills the others
    records, formats = ("unfinished", ",formats=json") if tool == "trace" else ("records", "")
    result = mpich.mpiexec(number, mpich.program(HERE / "session_ends.c"), end, tools=f"{tool}(out=r{formats})", seconds=60)
    folders = sorted(path.name for path in mpich.work.glob(f"r*.{records}"))
    ending = "txt" if tool == "count" else "json"
    files = sorted(path.name for path in mpich.work.glob(f"r*.{ending}"))
    if end == "world":
        assert (folders, files) == ([f"r.{records}"], []), result
    elif end in ("kill", "leave"):
        assert len(folders) == number and all(re.fullmatch(rf"r\..+-\d+\.{records}", name) for name in folders), result
        assert files == []
    else:
        assert (folders, len(files)) == ([], 1 if tool == "check" else number), result
    if files and tool == "count":
        assert all(re.search(rf"^MPI_Barrier +{ROUNDS} ", (mpich.work / name).read_text(), re.M) for name in files), files
        return
    reports = [mpich.load(name) for name in files] or [report_of(name) for name in folders]
    if tool == "check":
        kinds = [[line["kind"] for line in one["findings"]] for one in reports]
        assert kinds == [["leak"] if end == "open" else []] * len(reports), kinds
    elif end == "world":
        assert [barriers(tool, one) for one in reports] == [ROUNDS + 1]
    else:
        assert [barriers(tool, one) for one in reports] == [ROUNDS] * number


# ---- check ----

SOURCE = "wrong_ends.c"


def line_of(word):
    """The call site that the program marks."""
    text = (COMMON / SOURCE).read_text().splitlines()
    return f"{SOURCE}:{next(i for i, line in enumerate(text, 1) if f'/* {word} */' in line)}"


def errors(work):
    """Numbers of both errors in each process, as the program knows them."""
    return [tuple(map(int, (work / f"known.{rank}").read_text().split())) for rank in range(RANKS)]


def assert_findings(report, known, end=""):
    """The report has exactly these errors, at their lines, with their numbers and ranks, and the one that is the end."""
    ranks = list(range(RANKS))
    found = {(one["kind"], one["function"], one["times"], tuple(one["ranks"])) for one in report["findings"]}
    mismatches, overlaps = (sum(numbers) for numbers in zip(*known))
    last = {"error": {("invalid argument", "MPI_Send", 1, (1,))},
            "leave": {("not finalized", "MPI_Init", RANKS, tuple(ranks))}}.get(end, set())
    assert found == last | {("type mismatch", "MPI_Sendrecv", mismatches, tuple(ranks)),
                            ("buffer overlap", "MPI_Irecv", overlaps, tuple(ranks))}
    sites = {one["kind"]: one["site"] for one in report["findings"]}
    assert sites["buffer overlap"] == line_of("overlap") and sites["type mismatch"].startswith(SOURCE)
    assert [process["rank"] for process in report["tasks"]] == ranks


@pytest.mark.parametrize("end", ENDS)
def test_no_finding_is_lost(mpich, end_job, end):
    result = end_job(SOURCE, "check(out=r,leaks=no)", end)
    known = errors(mpich.work)
    if end == "finalize":
        assert (result.status, list(mpich.work.glob("*.records"))) == (0, []), result
        report = mpich.load("r.json")
    else:
        report = mpich.report("r.records")
        assert report["records"] == {"ended": list(range(RANKS))}
        assert mpich.reported("show", "r.records").splitlines()[0].endswith(": ended without MPI_Finalize")
    assert report["absent"] == ""
    assert_findings(report, known, end)


def test_no_finding_is_lost_when_rank_0_is_killed(mpich, end_job):
    """The others find more errors, which they cannot send to it."""
    end_job(SOURCE, "check(out=r)", "first")
    known = errors(mpich.work)
    assert [overlaps for _, overlaps in known] == [known[0][1]] + [2 * known[0][1]] * (RANKS - 1)
    report = mpich.report("r.records")
    assert_findings(report, known)


# ---- records ----

@pytest.mark.parametrize("tool", RECORDING)
def test_report_from_records_is_the_report_of_mpi_finalize(mpich, job, tool):
    """Of the same calls: MPI_Finalize has them in the report, the records of a hung job as well."""
    def lines(text):
        return sorted(re.findall(r"^(MPI_\w+) +(\d+)", text, re.M)) if tool == "count" else sorted(
            re.findall(r"^(MPI_(?:Sendrecv|Barrier|Comm_rank|Comm_size))\b.*? (\d+)", text, re.M))
    job(f"{tool}(out=good)", "finalize")
    for known in mpich.work.glob("known.*"):
        known.unlink()
    job(f"{tool}(out=bad)", "kill_all")
    good = [line for line in lines((mpich.work / "good.txt").read_text()) if line[0] not in ("MPI_Init", "MPI_Finalize")]
    bad = [line for line in lines(mpich.reported("show", "bad.records")) if line[0] not in ("MPI_Init", "MPI_Finalize")]
    if tool != "profile":
        assert good == bad != []
    assert {name for name, _ in good} == {name for name, _ in bad} != set()


def test_record_of_a_rank_is_missing(mpich, job):
    job("profile(out=r)", "kill")
    (mpich.work / "r.records/1.record").unlink()
    report = mpich.report("r.records")
    assert (report["absent"], found("profile", report)["MPI_Barrier"]) == ("records of rank 1", ROUNDS * (RANKS - 1))


def test_records_of_an_earlier_job_stay(mpich, job):
    for number in range(2):
        job("count(out=r)", "kill_all")
        for known in mpich.work.glob("known.*"):
            known.unlink()
        assert len(list(mpich.work.glob("r*.records"))) == number + 1
    first, second = (mpich.reported("csv", name) for name in ("r.records", "r-2.records"))
    assert first == second and f"count,function,MPI_Barrier,,{ROUNDS * RANKS}," in first


def test_several_instances_have_their_own_records(mpich, job):
    job("count(out=r),profile(out=p),count(out=r)", "kill_all")
    assert sorted(path.name for path in mpich.work.glob("*.records")) == ["p.records", "r-2.records", "r.records"]
    for name in ("r", "r-2", "p"):
        assert found("profile", mpich.report(f"{name}.records"))["MPI_Barrier"] == ROUNDS * RANKS


@pytest.mark.parametrize("end", ["abort", "kill", "exit", "terminated"])
def test_trace_is_complete(mpich, job, end):
    job("trace(out=r)", end)
    mpich.reported("otf2", "--json", "r.unfinished")
    events = mpich.load("r.json")["traceEvents"]
    calls = [event["name"] for event in events if event["ph"] == "X"]
    assert (calls.count("MPI_Barrier"), calls.count("MPI_Sendrecv")) == (ROUNDS * RANKS, ROUNDS * RANKS)


@pytest.mark.parametrize("tool", RECORDING)
def test_full_disk_does_no_harm(job, small_disk, tool):
    """There is room for one record of 256 KB and the report."""
    folder = small_disk("480k")
    result = job(f"{tool}(out=small/r)", "finalize")
    assert result.status == 0 and "No space left on device" in result.err, result
    assert not list(folder.glob("*.records"))


# ---- qmpi_report ----

@pytest.fixture
def runs(mpich, job):
    """Two runs of the program, the second with one rank fewer."""
    job("profile(out=a)", "finalize")
    program = mpich.program(COMMON / "job_ends.c")
    assert mpich.mpiexec(RANKS - 1, program, tools="profile(out=b)").status == 0


def test_diff_of_equal_runs_is_empty(mpich, runs):
    result = mpich.run("qmpi_report", "diff", "a.json", "a.json")
    assert (result.status, result.out) == (0, ""), result


def test_diff_names_functions_and_sites(mpich, runs):
    result = mpich.run("qmpi_report", "diff", "a.json", "b.json")
    assert result.status == 1, result
    assert f"MPI_Barrier  calls {ROUNDS * RANKS} -> {ROUNDS * (RANKS - 1)} (-33.3%)" in result.out.splitlines(), result
    assert any(line.startswith("MPI_Sendrecv at main (job_ends.c:") and f"sent {ROUNDS * RANKS * BYTES} ->" in line
               for line in result.out.splitlines()), result


def test_diff_has_thresholds(mpich, runs):
    assert mpich.run("qmpi_report", "diff", "--calls", 34, "--bytes", 34, "a.json", "b.json").status == 0


@pytest.mark.parametrize("words", [[], ["show"], ["show", "nothing"], ["diff", "a"], ["paint", "r.records"], ["show", "empty"],
                                   ["show", "file.record"]])
def test_wrong_use_is_status_2_and_one_message(mpich, words):
    (mpich.work / "empty").mkdir()
    (mpich.work / "file.record").write_text("no record")
    result = mpich.run("qmpi_report", *words)
    messages = [line for line in result.err.splitlines() if "is left out: " not in line and "--help" not in line]
    assert (result.status, len(messages)) == (2, 1), result
