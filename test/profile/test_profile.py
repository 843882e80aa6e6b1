# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tool profile: calls and bytes by call site against the programs' own count, real programs against a witness that
counts through the old profiling interface, arguments, files, ends."""

import collections
import json
import re
from pathlib import Path

import pytest

from sites import add, expected_sites, found_sites, functions, none, numbers

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
EXPECTED_CALLS = COMMON / "expected_calls.c"
HALO = HERE.parents[1] / "examples/qmpi/halo.c"


def by_function(sites):
    sums = none()
    for (function, _, _), values in sites.items():
        add(sums, function, values)
    return dict(sums)


def found_functions(report, wanted):
    return {name: numbers(line) for name, line in functions(report).items() if name in wanted}


def site_functions(report, function):
    """Names of the functions that call a function."""
    return {site["path"][0].get("function") for site in report["sites"] if site["function"] == function}


@pytest.fixture
def profiled(mpich):
    """Run a program; gives what it expects and the report."""
    def profiled(program, ranks=3):
        result = mpich.mpiexec(ranks, program, tools="profile(out=report.json)")
        wanted = expected_sites(result.out)
        assert result.status == 0 and len(wanted) > 5, result
        return wanted, mpich.load("report.json")
    return profiled


def assert_expected(wanted, report):
    """Call sites and functions."""
    assert found_sites(report, wanted) == wanted
    assert found_functions(report, by_function(wanted)) == by_function(wanted)


# ---- against what programs know of themselves ----

VARIANTS = {"-O0": ["-O0"], "pie": ["-fPIE", "-pie", "-O2"], "no pie": ["-fno-pie", "-no-pie", "-O2"],
            "dwarf 4": ["-gdwarf-4", "-O2"]}


@pytest.mark.parametrize("variant", VARIANTS)
def test_call_sites_in_c(mpich, profiled, variant):
    assert_expected(*profiled(mpich.program(COMMON / "sites.c", EXPECTED_CALLS, "-pthread", *VARIANTS[variant])))


@pytest.fixture(scope="module")
def shared(mpich_module):
    """A program with a library: expectations and report."""
    library = mpich_module.library(COMMON / "sites.c", "-DLIBRARY")
    program = mpich_module.program(COMMON / "sites.c", EXPECTED_CALLS, "-DUSES_LIBRARY", "-pthread", f"-L{library.parent}",
                                   "-lsites", f"-Wl,-rpath,{library.parent}", name="sites_shared")
    result = mpich_module.mpiexec(3, program, tools="profile(out=report.json)")
    return expected_sites(result.out), mpich_module.load("report.json")


def test_call_sites_in_a_shared_library(shared):
    assert_expected(*shared)


def test_call_sites_name_program_and_library(shared):
    assert {Path(site["path"][0]["module"]).name for site in shared[1]["sites"]} == {"sites_shared", "libsites.so"}


def test_call_sites_name_inlined_other_and_library_functions(shared):
    assert {("MPI_Send", "inlined_send"), ("MPI_Recv", "receive"), ("MPI_Gather", "library_calls")} <= {
        (site["function"], site["path"][0].get("function")) for site in shared[1]["sites"]}


def test_functions_are_known_without_debugging_information(mpich, profiled):
    wanted, report = profiled(mpich.program(COMMON / "sites.c", EXPECTED_CALLS, "-pthread", "-g0", "-O1"), 2)
    assert site_functions(report, "MPI_Recv") == {"receive"}
    assert found_functions(report, by_function(wanted)) == by_function(wanted)


@pytest.fixture
def split(mpich):
    """A stripped program with its debugging information in another file."""
    (mpich.work / "split").write_bytes(mpich.program(COMMON / "sites.c", EXPECTED_CALLS, "-pthread").read_bytes())
    (mpich.work / "split").chmod(0o755)
    assert mpich.run("objcopy", "--only-keep-debug", "split", "split.debug").status == 0
    assert mpich.run("objcopy", "--strip-all", "--add-gnu-debuglink=split.debug", "split").status == 0
    return "./split"


def test_call_sites_with_debugging_information_in_another_file(profiled, split):
    assert_expected(*profiled(split, 2))


def test_call_sites_of_a_stripped_program_have_module_and_offset(mpich, profiled, split):
    (mpich.work / "split.debug").unlink()
    _, report = profiled(split, 2)
    places = [site["path"][0] for site in report["sites"] if site["function"] == "MPI_Recv"]
    assert len(places) == 1 and Path(places[0]["module"]).name == "split" and places[0]["offset"] > 0, places


FORTRAN = {"mpif.h": [], "mpi_f08": ["-DF08"], "-O2": ["-O2"]}


@pytest.mark.parametrize("variant", FORTRAN)
def test_call_sites_in_fortran(mpich, profiled, variant):
    wanted, report = profiled(mpich.program(COMMON / "sites.F90", "-cpp", "-ffree-line-length-none", *FORTRAN[variant]))
    assert_expected(wanted, report)
    assert site_functions(report, "MPI_Isend") == {"exchange"}


PATTERNS = [("c", 4), ("c", 2), ("c", 5), ("fortran", 4), ("fortran", 3)]


@pytest.mark.parametrize("language, ranks", PATTERNS)
def test_every_call_of_the_communication_patterns(mpich, profiled, language, ranks):
    wanted, report = profiled(mpich.program(COMMON / "patterns.c", EXPECTED_CALLS) if language == "c" else
                              mpich.program(COMMON / "patterns.F90"), ranks)
    assert_expected(wanted, report)
    assert set(functions(report)) - set(by_function(wanted)) == {"MPI_Init", "MPI_Finalize"}


# ---- real programs ----

def witnessed(output):
    """Counts of the witness; lines of several processes may be joined."""
    sums = none()
    for line in output.splitlines():
        if "witness " in line:
            words = line[line.index("witness "):].split()
            add(sums, words[1], tuple(map(int, words[2:5])))
    return dict(sums)


@pytest.mark.parametrize("name", ["halo", "netpipe"])
def test_numbers_of_a_real_program_are_those_of_the_witness(mpich, real_program, name):
    if name == "halo":
        ranks, command, variables = 4, [mpich.program(HALO, "-O2", "-lm"), "-n", 32], {}
    else:
        ranks, command, variables = real_program(mpich, name, netpipe=("-u", "2000", "-n", "20", "-o", "np.out"))
    witness = mpich.library(HERE / "witness.c")
    result = mpich.mpiexec(ranks, *command, tools="profile(out=real.json)", LD_PRELOAD=witness, **variables)
    wanted = witnessed(result.out)
    assert result.status == 0 and len(wanted) >= 3, result
    assert found_functions(mpich.load("real.json"), wanted) == wanted


@pytest.fixture(scope="module")
def hdf5(mpich_module, real_program):
    """Bytes of the program's data, report."""
    _, command, variables = real_program(mpich_module, "hdf5")
    result = mpich_module.mpiexec(3, *command, "out.h5", tools="profile(out=hdf5.json)", **variables)
    data = re.search(r"^data (\d+)$", result.out, re.M)
    assert result.status == 0 and data and int(data.group(1)) > 0, result
    return int(data.group(1)), mpich_module.load("hdf5.json")


@pytest.mark.parametrize("operation, side", [("write", "sent_bytes"), ("read", "received_bytes")])
def test_bytes_of_hdf5_are_its_data_and_little_more(hdf5, operation, side):
    data, report = hdf5
    moved = sum(line[side] for name, line in functions(report).items() if name.startswith(f"MPI_File_{operation}"))
    assert data <= moved <= data + 10000


def test_call_sites_of_file_access_are_in_the_hdf5_library(hdf5):
    modules = {Path(site["path"][0]["module"]).name.split(".so")[0] for site in hdf5[1]["sites"]
               if site["function"].startswith("MPI_File_")}
    assert modules and all("hdf5" in module for module in modules), modules


@pytest.fixture(scope="module")
def around_bcast(mpich_module):
    """Folder, and reports of two instances around bcast with their own arguments."""
    result = mpich_module.mpiexec(2, mpich_module.program(HALO, "-O2", "-lm"), "-n", 32,
                                  tools="profile(out=above.json),bcast,profile(out=below,formats=text+json,depth=2)")
    assert result.status == 0 and "result correct" in result.out, result
    return mpich_module.work, mpich_module.load("above.json"), mpich_module.load("below.json")


def test_profile_above_bcast_has_broadcasts_and_no_messages(around_bcast):
    above = functions(around_bcast[1])
    assert above["MPI_Bcast"]["calls"] > 0 and not {"MPI_Send", "MPI_Recv"} & set(above)


def test_profile_below_bcast_has_messages_and_no_broadcast(around_bcast):
    below = functions(around_bcast[2])
    assert {"MPI_Send", "MPI_Recv"} <= set(below) and "MPI_Bcast" not in below


def test_profiles_around_bcast_have_the_same_bytes(around_bcast):
    above, below = functions(around_bcast[1]), functions(around_bcast[2])
    assert (below["MPI_Send"]["sent_bytes"], below["MPI_Recv"]["received_bytes"]) == (
        above["MPI_Bcast"]["sent_bytes"], above["MPI_Bcast"]["received_bytes"])


def test_messages_below_bcast_have_the_call_sites_of_the_broadcasts(around_bcast):
    _, above, below = around_bcast
    lines = {(frame.get("function"), frame.get("line")) for site in below["sites"]
             if site["function"] == "MPI_Send" for frame in site["path"][:1]}
    assert lines and lines <= {(frame.get("function"), frame.get("line")) for site in above["sites"]
                               if site["function"] == "MPI_Bcast" for frame in site["path"]}


def test_each_instance_writes_its_own_formats(around_bcast):
    assert sorted(path.name for path in around_bcast[0].glob("*") if path.stem in ("above", "below")) == [
        "above.json", "below.json", "below.txt"]


# ---- arguments ----

@pytest.fixture
def ends(mpich):
    """Run ends.c under profile."""
    def ends(arguments, *words, ranks=2, **keywords):
        tools = arguments if arguments.startswith("profile") else f"profile({arguments})"
        return mpich.mpiexec(ranks, mpich.program(COMMON / "ends.c", "-D_GNU_SOURCE"), *words, tools=tools, **keywords)
    return ends


@pytest.fixture
def report_of(mpich, ends):
    """The report of ends.c."""
    def report_of(arguments, *words, ranks=2):
        result = ends(f"out=report.json,{arguments}".rstrip(","), *words, ranks=ranks)
        assert result.status == 0, result
        return mpich.load("report.json")
    return report_of


def test_sample_times_some_of_all_calls(report_of):
    report = report_of("sample=7")
    barrier = functions(report)["MPI_Barrier"]
    assert (barrier["calls"], barrier["timed_calls"]) == (200, 30)
    assert [site["calls"] for site in report["sites"] if site["function"] == "MPI_Barrier"] == [200]


def test_functions_restrict_the_report(report_of):
    assert set(functions(report_of("functions=environment+MPI_Barrier"))) == {"MPI_Init", "MPI_Barrier", "MPI_Finalize"}


@pytest.mark.parametrize("depth, wanted", [
    (1, {("innermost",): 6}), (2, {("innermost", "left"): 4, ("innermost", "right"): 2}),
    (32, {("innermost", "left", "main"): 4, ("innermost", "right", "main"): 2})])
def test_depth_limits_the_call_paths(report_of, depth, wanted):
    calls = collections.Counter()
    for site in report_of(f"depth={depth}", "path")["sites"]:
        if site["function"] == "MPI_Barrier":
            calls[tuple(frame.get("function") for frame in site["path"])] += site["calls"]
    assert calls == wanted


def test_communicators_have_their_own_sums(report_of):
    found = {one["name"]: (one["size"], {line["name"]: numbers(line) for line in one["functions"]}.get("MPI_Bcast"))
             for one in report_of("communicators", "communicators", ranks=4)["communicators"]}
    assert {name: found.get(name) for name in ("MPI_COMM_WORLD", "even", "odd", "reversed")} == {
        "MPI_COMM_WORLD": (4, (12, 360, 360)), "even": (2, (10, 400, 400)), "odd": (2, (10, 400, 400)),
        "reversed": (4, (4, 12, 12))}


@pytest.mark.parametrize("arguments, words, calls",
                         [("", ["pcontrol"], 8), ("", ["pcontrol", "reset"], 4), ("off", ["pcontrol"], 8)],
                         ids=["on and off", "reset", "off first"])
def test_pcontrol_switches_the_profile(report_of, arguments, words, calls):
    """ends.c has 14 barriers."""
    assert functions(report_of(arguments, *words))["MPI_Barrier"]["calls"] == calls


def test_off_records_nothing_before_pcontrol(report_of):
    assert report_of("off")["functions"] == []


@pytest.fixture
def pauses(mpich):
    """Run pauses.c with these steps."""
    def pauses(steps, tools):
        result = mpich.mpiexec(2, mpich.program(COMMON / "pauses.c"), *steps.split(), tools=tools)
        assert result.status == 0, result
    return pauses


def test_persistent_requests_that_are_older_than_the_profile_have_their_bytes(mpich, pauses):
    pauses("init start wait 1 start wait start wait", "profile(out=report.json,off)")
    report, wanted = mpich.load("report.json"), {"MPI_Recv_init": (0, 0, 400), "MPI_Send_init": (0, 400, 0)}
    assert found_functions(report, wanted) == wanted
    assert {site["function"]: numbers(site) for site in report["sites"] if site["function"] in wanted} == wanted


def test_call_sites_without_calls_have_no_time(mpich, pauses):
    """After the reset, persistent requests have bytes at the call sites that created them."""
    pauses("init start wait 2 start wait", "profile(out=reset)")
    found = {site["function"]: (numbers(site), site["call_time_s"]) for site in mpich.load("reset.json")["sites"]}
    assert found["MPI_Send_init"] == ((0, 200, 0), {"min": 0, "mean": 0, "max": 0})
    assert [path.name for path in mpich.work.glob("reset.*") if "18446744073" in path.read_text()] == []


def test_sites_limits_the_lists_of_the_text(mpich, ends):
    ends("out=few.txt,sites=1")
    text = (mpich.work / "few.txt").read_text()
    assert "Call sites by time (1 of" in text and "\n    2 MPI_" not in text, text


@pytest.mark.parametrize("arguments, word", {
    "depth=0": "depth=0", "depth=33": "depth=33", "sample=0": "sample=0", "sites=-1": "sites=-1", "functions=nothing": "'nothing'",
    "formats=xml": "'xml'", "formats=otf2": "'otf2'", "out=": "out=", "flush=1": "flush",
    "out=a.json,formats=text": "a.json", "colour": "'colour'"}.items())
def test_wrong_argument_is_refused(ends, arguments, word):
    result = ends(arguments, ranks=1)
    assert result.status != 0 and len([line for line in result.err.splitlines() if word in line]) == 1, result


# ---- files ----

def names(work, pattern):
    return sorted(path.name for path in work.glob(pattern))


def test_default_name_is_program_tool_and_process(mpich, ends):
    ends("profile")
    found = names(mpich.work, "ends.profile.*")
    assert [Path(name).suffix for name in found] == [".html", ".json", ".txt"] and found[0].split(".")[2].isdigit(), found


def test_default_names_of_two_instances_have_a_number(mpich, ends):
    ends("profile,profile")
    found = {Path(name).stem.rsplit(".", 1)[0] for name in names(mpich.work, "ends.profile*")}
    assert found == {"ends.profile-1", "ends.profile-2"}


def test_same_name_three_times_loses_no_report(mpich, ends):
    ends("profile(out=same.json),profile(out=same.json),profile(out=same.txt)")
    assert names(mpich.work, "same*") == ["same-2.json", "same.json", "same.txt"]


def test_existing_file_is_replaced_through_its_link_with_its_rights(mpich, ends):
    old, link = mpich.work / "old.json", mpich.work / "link.json"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to("old.json")
    ends("out=link.json")
    assert link.is_symlink() and "MPI_Barrier" in old.read_text() and old.stat().st_mode & 0o777 == 0o640
    assert names(mpich.work, "*~") == []


def test_minus_is_standard_error(ends):
    result = ends("out=-")
    assert "Profile of MPI calls" in result.err and "MPI_Barrier" in result.err, result


@pytest.mark.parametrize("name, files", [("/nonexistent/report", 3), ("/nonexistent/report.json", 1)])
def test_report_is_printed_when_it_cannot_be_written(ends, name, files):
    result = ends(f"out={name}")
    assert result.status == 0 and result.err.count("no record file: cannot write /nonexistent/report.records") == 1, result
    assert result.err.count("cannot write /nonexistent/report") == 1 + files, result
    assert result.err.count("Profile of MPI calls") == 1, result


def test_file_that_cannot_be_written_leaves_the_others(mpich, ends):
    (mpich.work / "r.txt").mkdir()
    result = ends("profile(out=r)", ranks=2)
    assert mpich.load("r.json")["tasks"] and "<html" in (mpich.work / "r.html").read_text(), result
    assert result.err.count("QMPI tool profile: cannot write ") == 1 and "Profile of MPI calls" in result.err, result


def test_report_is_printed_when_the_disk_is_full(mpich, ends):
    (mpich.work / "full.json").symlink_to("/dev/full")
    result = ends("out=full.json")
    assert result.status == 0 and result.err.count("cannot write full.json: No space left") == 1, result
    assert "MPI_Barrier" in result.err, result


# ---- ends ----

def reports(work, pattern):
    return [json.loads(path.read_text()) for path in sorted(work.glob(pattern))]


def barriers(found):
    return [functions(one)["MPI_Barrier"]["calls"] for one in found]


def test_mpi_abort_leaves_records_of_all_ranks(mpich, ends):
    result = ends("out=abort.json", "abort", ranks=3)
    found = [mpich.report("abort.records")]
    assert result.status != 0, result
    assert ([task["rank"] for task in found[0]["tasks"]], found[0]["absent"], barriers(found)) == ([0, 1, 2], "", [18])


def test_program_without_mpi_finalize_leaves_records(mpich, ends):
    result = ends("out=return.json", "return", ranks=1)
    assert 'records; "qmpi_report show ' in result.err, result
    assert barriers([mpich.report("return.records")]) == [6]


def test_processes_with_sessions_alone_have_a_report_each(mpich, ends):
    assert ends("out=sessions.json", "sessions").status == 0
    assert barriers(reports(mpich.work, "sessions.*.json")) == [4, 4]


@pytest.fixture(scope="module")
def nested(mpich_module):
    mpich_module.mpiexec(1, mpich_module.program(COMMON / "ends.c", "-D_GNU_SOURCE"), "nested", tools="profile(out=nested.json)")
    return mpich_module.load("nested.json")


def test_calls_of_a_callback_are_counted(nested):
    assert functions(nested)["MPI_Type_size"]["calls"] == 10


def test_time_of_a_callback_is_mpi_time_once(nested):
    outer = sum(line["time_s"] for line in nested["functions"] if line["name"] not in ("MPI_Init", "MPI_Finalize", "MPI_Type_size"))
    assert nested["tasks"][0]["mpi_s"] == pytest.approx(outer, abs=1e-8)


# ---- eight processes in one report ----

@pytest.fixture(scope="module")
def eight(mpich_module):
    result = mpich_module.mpiexec(8, mpich_module.program(COMMON / "ends.c", "-D_GNU_SOURCE"), tools="profile(out=eight)")
    assert result.status == 0, result
    return mpich_module.load("eight.json")


def test_merged_report_has_all_ranks_in_order(eight):
    assert [task["rank"] for task in eight["tasks"]] == list(range(8))


def test_merged_report_has_the_calls_of_all(eight):
    barrier = functions(eight)["MPI_Barrier"]
    assert (barrier["calls"], barrier["ranks"]) == (800, 8)


def test_merged_times_are_those_of_the_processes(eight):
    barrier = functions(eight)["MPI_Barrier"]
    times = [task["functions_s"]["MPI_Barrier"] for task in eight["tasks"]]
    mean = sum(times) / 8
    deviation = (sum((time - mean) ** 2 for time in times) / 8) ** 0.5
    found = barrier["process_time_s"]
    assert (found["min"], found["max"], barrier["time_s"], found["mean"]) == pytest.approx(
        (min(times), max(times), sum(times), mean), abs=1e-8)
    assert found["min"] > 0 and barrier["cov"] == pytest.approx(deviation / mean, abs=1e-6)


def test_call_sites_of_a_function_have_its_time(eight):
    sums = collections.Counter()
    for site in eight["sites"]:
        sums[site["function"]] += site["time_s"]
    for name, line in functions(eight).items():
        assert sums[name] == pytest.approx(line["time_s"], abs=1e-8), name


def test_text_has_ranks_host_and_call_sites(mpich_module, eight):
    text = (mpich_module.work / "eight.txt").read_text()
    assert f"{'all':>8}" in text and "8 on 1 host" in text and "barriers (ends.c:" in text, text[:2000]


def test_page_has_the_functions(mpich_module, eight):
    page = (mpich_module.work / "eight.html").read_text()
    assert "<html" in page and "MPI_Barrier" in page


def test_application_time_has_what_is_not_mpi(report_of):
    assert all(task["application_s"] >= 0.3 for task in report_of("", "sleep")["tasks"])
