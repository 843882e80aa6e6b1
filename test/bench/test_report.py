# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tests of what the benchmarks conclude from measurements: statistics against tables and simulations, verdicts and
bounds with made-up results. They need no MPI."""

import math
import random
from pathlib import Path

import compare
import counting
import entry
import pytest
import report
import variants

HERE = Path(__file__).resolve().parent
BOUNDS = counting.read_bounds(HERE.parent / "cost/bounds")


# ---- statistics ----

@pytest.mark.parametrize("pairs, largest", [(6, 0), (8, 3), (10, 8), (15, 25), (20, 52), (30, 137)])
def test_critical_sum_of_ranks_is_that_of_wilcoxons_table(pairs, largest):
    """Two sides, 5 %: largest sum that is still significant."""
    assert compare.critical_value(pairs, 0.95) - 1 == largest


def test_five_of_five_larger_have_p_2_of_32():
    assert compare.p_value([1, 2, 3, 4, 5]) == 0.0625


def test_p_does_not_depend_on_the_sign():
    assert compare.p_value([-1, -2, 3, -4]) == compare.p_value([1, 2, -3, 4])


def test_p_is_1_without_differences():
    assert compare.p_value([0, 0, 0]) == 1


def test_interval_of_three_pairs_has_all():
    assert compare.interval([3, 1, 2]) == (2, 1, 3)


def test_cohens_d_of_samples_one_deviation_apart():
    assert compare.effect_size([2, 3, 4], [1, 2, 3]) == 1


def test_line_is_found():
    found = compare.line({n: 50 + 6 * n for n in (1, 10, 100, 1000)})
    assert [round(value, 6) for value in found] == [6, 50, 0]


def test_residual_shows_that_points_are_no_line():
    assert compare.line({n: n ** 1.2 for n in (1, 10, 100, 1000)})[2] > 0.2


@pytest.fixture
def sample():
    """Makes pairs of run times: a least time, a long tail, and disturbances of both values of a pair."""
    chance = random.Random(4)

    def sample(ratio):
        values, references = [], []
        for _ in range(30):
            state = 1 + chance.expovariate(5)
            references.append(state * (1 + chance.expovariate(50)))
            values.append(ratio * state * (1 + chance.expovariate(50)))
        return compare.compare(values, references)

    return sample


def test_interval_has_the_true_ratio_in_95_of_100_cases(sample):
    inside = sum(1 for _ in range(400) if (one := sample(1.0))["low"] <= 1 <= one["high"])
    assert 0.92 <= inside / 400 <= 0.98


def test_three_percent_are_found_in_pairs_that_vary_by_twenty(sample):
    assert sum(1 for _ in range(100) if sample(1.03)["low"] > 1) >= 95


def test_p_agrees_with_the_interval(sample):
    one = sample(1.0)
    assert (one["p"] > 0.05) == (one["low"] <= 1 <= one["high"])


@pytest.mark.parametrize("ratio, low, high, verdict", [
    (1.000, 0.990, 1.010, "met"),
    (0.950, 0.940, 0.960, "met"),
    (1.010, 1.001, 1.020, "missed"),        # the interval excludes 1
    (1.021, 0.990, 1.040, "missed"),        # the estimate is too large
    (1.000, 1.0004, 1.0006, "met"),         # finer than what is printed
    (1.010, 0.900, 1.100, "unclear"),       # too wide to show anything
])
def test_verdict_of_a_ratio(ratio, low, high, verdict):
    assert compare.verdict({"ratio": ratio, "low": low, "high": high}) == verdict


# ---- bounds ----

def good_results():
    """Counts within all bounds; the first layer takes 24 instructions."""
    base = {report.RANK: 52, report.SEND: 101, "MPI_Iprobe": 300, "MPI_Isend+MPI_Wait": 200, "MPI_Wtime": 64,
            "mpif.h MPI_Comm_rank": 72, "mpi_f08 MPI_Comm_rank": 64}

    def more(instructions):
        return {call: value + instructions for call, value in base.items()}

    none = {call: value + counting.limit_without_tools(call, BOUNDS) for call, value in base.items()}
    counts = {"base": base, "disabled": more(0), "none": none, f"other {report.MANY}": dict(none)}
    for n in (1, 10):
        counts[f"static {n}"] = more(24 + 2 * n)
        counts[f"instance {n}"] = more(24 + 6 * n)
        counts[f"lookup {n}"] = more(24 + 39 * n)
    return {"counts": counts, "sizes": {"base": {"text": 100}, "none": {"text": 110}}}


@pytest.mark.parametrize("call, limit", [
    ("MPI_Comm_rank", 0), ("MPI_Send to MPI_PROC_NULL", 0), ("MPI_Isend+MPI_Wait", 0), ("MPI_Wtime", 3),
    ("MPI_File_write 0 bytes", 12), ("mpif.h MPI_Wtime", 8), ("mpif.h MPI_Isend+MPI_Wait", 16),
    ("mpi_f08 MPI_Send to MPI_PROC_NULL", 12), ("mpi_f08 MPI_File_write 0 bytes", 25)])
def test_limit_without_tools(call, limit):
    assert counting.limit_without_tools(call, BOUNDS) == limit


def test_results_within_the_bounds_pass(capsys):
    assert report.judge(good_results(), BOUNDS) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(", 0 failed")


@pytest.mark.parametrize("variant, call, bound", [
    ("none", report.RANK, "no-tools"), ("none", "MPI_Isend+MPI_Wait", "no-tools"), ("none", "MPI_Wtime", "no-tools"),
    ("none", "mpif.h MPI_Comm_rank", "no-tools"), ("disabled", report.SEND, "disabled"),
    (f"other {report.MANY}", report.RANK, "not-intercepting"), ("static 1", report.SEND, "first-layer-send"),
    ("static 10", report.RANK, "layer-static"), ("instance 10", report.SEND, "layer-instance"),
    ("lookup 10", report.RANK, "layer-lookup-comm-rank")])
def test_more_instructions_fail_by_the_name_of_the_bound(capsys, variant, call, bound):
    results = good_results()
    results["counts"][variant][call] += 40
    assert report.judge(results, BOUNDS) == 1
    assert any(line.startswith("not ok") and f"({bound} " in line for line in capsys.readouterr().out.splitlines())


def test_calls_that_vary_by_themselves_are_not_bounded():
    results = good_results()
    results["counts"]["none"]["MPI_Iprobe"] += 20
    assert report.judge(results, BOUNDS) == 0


@pytest.mark.parametrize("text, message", [
    ("no-tools\n", "1: not of the form"), ("fast 3\n", "1: unknown name 'fast'"),
    ("no-tools 1\nno-tools 2\n", "2: 'no-tools' has two limits"), ("no-tools 1\n", "no limit for address")])
def test_malformed_bounds_are_refused(work, text, message):
    (work / "bounds").write_text(text)
    with pytest.raises(counting.Failure, match=message):
        counting.read_bounds(work / "bounds")


# ---- goals ----

def verdict_of(results, goal):
    found = [verdict for text, verdict, _ in report.goals(results, BOUNDS) if text.startswith(goal)]
    assert len(found) == 1, found
    return found[0]


def test_goal_without_measurements_is_not_measured():
    assert verdict_of(good_results(), "1000 instances: MPI_Init less than 10 ms longer") == "not measured"


def test_goal_of_instructions_is_met():
    assert verdict_of(good_results(), "no tools, instructions") == "met"


def test_goal_of_instructions_is_missed_by_one():
    results = good_results()
    results["counts"]["none"][report.RANK] += 1
    assert verdict_of(results, "no tools, instructions") == "missed"


def test_goal_of_size_is_missed():
    results = good_results()
    results["sizes"]["none"]["text"] = 113
    assert verdict_of(results, "libmpi: text grows by less than 12 %") == "missed"


@pytest.mark.parametrize("factor, quick, verdict", [(1.05, False, "missed"), (1.01, False, "missed"),
                                                    (1.05, True, "not judged"), (1, False, "met")])
def test_goal_of_time_is_judged_by_each_row(factor, quick, verdict):
    chance = random.Random(2)
    calls = {name: {f"call {i}": [own * chance.uniform(9.99, 10.01) for _ in range(30)] for i in range(50)}
             for name, own in (("base", 1), ("none", 1))}
    # one slower call among 50
    calls["none"]["call 7"] = [factor * value for value in calls["none"]["call 7"]]
    if factor == 1:
        calls["none"] = calls["base"]
    assert verdict_of({**good_results(), "calls": calls, "quick": quick}, "no tools: no benchmark") == verdict


def test_short_calls_have_a_goal_for_each_row():
    rows = [{"title": "C 4 functions in turn, 1 thread", "verdict": "missed", "ratio": 1.3, "low": 1.2, "high": 1.4}]
    assert verdict_of({**good_results(), "entry": rows, "quick": True},
                      "time as the reference: C 4 functions in turn") == "missed"


def test_what_ran_twice_in_a_round_counts_once():
    assert math.isclose(report.paired([2, 8, 3, 12], [1, 1])[0][0], 4)


def test_rows_of_short_calls_compare_runs_of_the_same_threads():
    timed = object.__new__(entry.Entry)
    base, ours, tool = (entry.Run("base", "one"), entry.Run("0", "one"), entry.Run("0", "one", True))
    timed.runs = [base, ours, tool]
    timed.functions = {"x": 1}
    timed.times = {base: {"x": [(10, 5)] * 8}, ours: {"x": [(11, 6)] * 8}, tool: {"x": [(22, 7)] * 8}}
    rows = timed.rows()
    assert [(row.title, round(row.ratio, 6), row.ns) for row in rows] == [
        ("x, 1 thread", 1.1, 6), ("all other functions intercepted, x, 1 thread", 2, 7)]


# ---- tools on the solver ----

def tool_results():
    """A tool that makes the solver a fifth slower and needs 2000 KiB, and 16 bytes for each call of the longer run."""
    chance = random.Random(5)

    def run(rounds, factor, kib):
        return {"seconds": [factor * chance.uniform(0.95, 1.05) for _ in range(rounds)],
                "finalize": [0.01] * rounds, "report_kib": [3.0] * rounds,
                "peak_kib": [kib + chance.choice((-1, 0, 1)) for _ in range(rounds - 1)] + [kib]}

    # without a tool it runs twice in a round
    runs = {"none": {"1": run(30, 1, 10000), "4": run(6, 4, 10000)},
            "tool slow 1": {"1": run(15, 1.2, 12000), "4": run(3, 4.8, 12000 + 4000 * 16 / 1024)}}
    return {"tools": {"calls": {"1": 1000, "4": 5000}, "runs": runs}}


def test_no_tool_is_the_reference():
    assert report.tool_figures(tool_results())["none"]["comparison"] is None


def test_interval_of_a_slower_tool():
    one = report.tool_figures(tool_results())["tool slow 1"]["comparison"]
    assert 1.1 < one["low"] <= 1.2 <= one["high"] < 1.3


def test_memory_of_a_tool_and_of_each_call():
    found = report.tool_figures(tool_results())["tool slow 1"]
    assert round(found["added_kib"], -1) == 2000
    assert abs(found["bytes_per_call"] - 16) < 1


def test_calls_that_were_not_counted_give_no_memory_of_each_call():
    results = tool_results()
    results["tools"]["calls"] = {}
    assert report.tool_figures(results)["tool slow 1"]["bytes_per_call"] is None


def test_table_of_tools_has_a_row_for_each():
    lines = report.table_of_tools(tool_results()).splitlines()
    assert [line.split(" | ")[0] for line in lines if line.startswith(("| no tool", "| slow"))] == ["| no tool", "| slow"]
    assert any("1000 calls of each process, 5000" in line for line in lines)


def test_no_table_of_tools_without_measurements():
    assert report.table_of_tools({}) == ""


def test_calls_pass_no_instance_that_does_not_intercept():
    assert variants.layered("other", 1000).depth == 0
    assert variants.layered("static", 1000).depth == 1000


def test_other_tools_are_variables_of_the_environment():
    one = variants.other("both=LD_PRELOAD='a.so b.so' CONF=c=d")
    assert (one.name, one.library, one.variables) == ("both", "base", {"LD_PRELOAD": "a.so b.so", "CONF": "c=d"})


@pytest.mark.parametrize("text", ["GOTCHA", "=A=b", "name=", "name==b"])
def test_malformed_other_tools_are_refused(text):
    with pytest.raises(counting.Failure, match="NAME=VARIABLE=VALUE"):
        variants.other(text)


@pytest.mark.parametrize("seconds, verdict", [(1.25, "met"), (1.35, "missed")])
def test_goal_of_many_processes(seconds, verdict):
    results = {**good_results(), "processes": {"64": {"none": [1.0] * 7, report.CHECK: [seconds] * 7}}}
    assert verdict_of(results, "check, 64 processes") == verdict
