# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Goals, Markdown tables, and the checks against the file of bounds."""

import math
import statistics

from compare import compare, line, verdict
from counting import UNSTEADY, limit_without_tools, number
from variants import ALL_LAYERS, BUILDS, DECADES, KINDS

RANK, SEND = "MPI_Comm_rank", "MPI_Send to MPI_PROC_NULL"
# test/cost/bounds has what is reached
GOALS_OF_FIRST_LAYER = {"comm-rank": 50, "send": 60}
BOTH = (("MPI_Comm_rank", RANK, "comm-rank"), ("MPI_Send", SEND, "send"))
C_CALLS = (RANK, "MPI_Wtime", SEND, "MPI_Iprobe", "MPI_Isend+MPI_Wait", "MPI_File_write 0 bytes")
MANY = 100              # instances that do not intercept a function
CHECK = "tool check 1"
GOALS_OF_CHECK = {"64": 1.3, "128": 1.5, "256": 2.0}    # time as a ratio, by processes


def is_steady(call):
    return not any(word in call for word in UNSTEADY)


# ---- figures ----

def per_layer(counts, kind, call, few=1, many=10):
    """Instructions of one more layer; None if not counted."""
    if f"{kind} {few}" in counts and f"{kind} {many}" in counts and call in counts[f"{kind} {few}"]:
        return round((counts[f"{kind} {many}"][call] - counts[f"{kind} {few}"][call]) /
                     (many - few), 1)
    return None


def extra(counts, variant, call, reference="base"):
    if variant in counts and call in counts[variant] and call in counts[reference]:
        return round(counts[variant][call] - counts[reference][call], 1)
    return None


def paired(values, references):
    """Values and references run by run; variants that ran twice in a round count with their mean."""
    def once(long, short):
        if len(long) != 2 * len(short):
            return long
        return [math.sqrt(a * b) for a, b in zip(long[::2], long[1::2])]
    return once(values, references), once(references, values)


def compared(times, variant, reference, call):
    """compare() for a call of two variants, or None."""
    if call in times.get(variant, {}) and call in times.get(reference, {}):
        return compare(*paired(times[variant][call], times[reference][call]))
    return None


def time_comparisons(results, variant, reference):
    """{what: comparison} of all times of two builds."""
    found = {}
    for part in ("calls", "pairs"):
        times = results.get(part, {})
        for call in times.get(variant, {}):
            found[call] = compared(times, variant, reference, call)
    for size, of_size in results.get("messages", {}).get(variant, {}).items():
        other = results["messages"].get(reference, {}).get(size)
        if other:
            found[f"latency {size} bytes"] = compare(*paired(of_size["latency"], other["latency"]))
            # times, so that more is slower
            found[f"time per message of {size} bytes in a window"] = compare(*paired(
                [1 / rate for rate in of_size["messages_per_second"]],
                [1 / rate for rate in other["messages_per_second"]]))
    for application, times in results.get("applications", {}).items():
        if variant in times and reference in times:
            found[f"application {application}"] = compare(*paired(times[variant], times[reference]))
    return {what: comparison for what, comparison in found.items() if comparison}


def slower(comparisons):
    """Those that are missed, each judged by itself: worst first."""
    return sorted((what for what, one in comparisons.items() if verdict(one) == "missed"),
                  key=lambda what: -comparisons[what]["ratio"])


def ratio_text(one):
    return f"{one['ratio']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def layer_line(points):
    return line({n: value for n, value in points.items() if value}) if len(points) > 2 else None


def layer_times(results, kind, call):
    """{layers: median nanoseconds}"""
    times = results.get("calls", {})
    return {n: statistics.median(times[f"{kind} {n}"][call])
            for n in ALL_LAYERS if call in times.get(f"{kind} {n}", {})}


# ---- goals ----

def goals(results, bounds):
    """[(goal, verdict, figure)], verdict: met, missed, unclear (the interval is too wide), not
    measured, or not judged (times of a quick run)."""
    answers = []

    def goal(text, is_met, figure):
        answers.append((text, "not measured" if is_met is None else "met" if is_met else "missed",
                        figure))

    def goal_of_time(text, is_met, figure):
        goal(text, is_met, figure)
        if results.get("quick") and is_met is not None:
            answers[-1] = (text, "not judged", figure)

    counts = results.get("counts", {})
    steady = [call for call in counts.get("base", {}) if is_steady(call)]
    more = {call: extra(counts, "none", call) for call in steady}
    bad = [f"{call} {number(value)}" for call, value in more.items()
           if value > limit_without_tools(call, bounds)]
    goal("no tools, instructions: 0 more with a test for initialization, 3 without, "
         f"{bounds['no-tools-mpif']} and {bounds['no-tools-f08']} in Fortran",
         not bad if more else None, "; ".join(bad) or f"{len(more)} benchmarks")

    for row in results.get("entry", []):
        answers.append((f"time as the reference: {row['title']}", row["verdict"], ratio_text(row)))
    if "entry" not in results:
        goal("time as the reference: single calls and rounds", None, "")
    comparisons = time_comparisons(results, "none", "base")
    worse = slower(comparisons)
    goal_of_time("no tools: no benchmark takes longer",
                 not worse if comparisons else None,
                 f"missed: {len(worse)} of {len(comparisons)}" +
                 "".join(f"; {what} {ratio_text(comparisons[what])}" for what in worse[:6]))

    for name, call, short in BOTH:
        first, limit = extra(counts, "static 1", call), GOALS_OF_FIRST_LAYER[short]
        goal(f"first layer and end of the chain, {name}: at most {limit} instructions more",
             first <= limit if first is not None else None,
             number(first) if first is not None else "")
    for kind, bound in (("static", "layer-static"), ("instance", "layer-instance"),
                        ("lookup", "layer-lookup-{}")):
        for name, call, short in BOTH:
            value, limit = per_layer(counts, kind, call), bounds[bound.format(short)]
            goal(f"each further layer, {KINDS[kind]}, {name}: at most {limit}",
                 value <= limit if value is not None else None,
                 number(value) if value is not None else "")
    idle = {call: extra(counts, f"other {MANY}", call, "none")
            for call in steady if f"other {MANY}" in counts}
    goal("instances that do not intercept a function cost nothing",
         max(idle.values()) <= 0 if idle else None,
         f"{number(max(idle.values()))} instructions for {MANY} instances" if idle else "")
    for kind in ("static", "instance"):
        points = {n: counts[f"{kind} {n}"][RANK]
                  for n in (1, 2, *DECADES[1:]) if f"{kind} {n}" in counts}
        fit = layer_line(points)
        goal(f"linear to 1000 layers, instructions, {KINDS[kind]}: residual under 2 %",
             fit[2] < 0.02 if fit else None,
             f"{fit[2]:.2%}, {number(round(fit[0], 2))} a layer" if fit else "")
    for kind in ("static", "instance"):
        fit = layer_line(layer_times(results, kind, RANK))
        goal_of_time(f"linear to 1000 layers, time, {KINDS[kind]}: residual under 2 %",
                     fit[2] < 0.02 if fit else None,
                     f"{fit[2]:.1%}, {fit[0]:.2f} ns a layer" if fit else "")

    if "prototype" in counts:
        rows = [("none", "prototype"),
                *((f"instance {n}", f"prototype instance {n}") for n in (1, 2, 10)),
                *((f"lookup {n}", f"prototype lookup {n}") for n in (1, 2, 10))]
        bad = [f"{ours}, {call}: {number(extra(counts, ours, call, theirs))} more"
               for ours, theirs in rows for call in steady
               if ("File" not in call or ours == "none")
               and (extra(counts, ours, call, theirs) or 0) > 0]
        goal("against the prototype: no row has more instructions", not bad,
             f"{len(bad)} of {len(rows) * len(steady)}: " + "; ".join(bad[:6]) if bad
             else f"{len(rows)} rows of {len(steady)} calls")
    comparisons = time_comparisons(results, "none", "prototype")
    worse = slower(comparisons)
    goal_of_time("against the prototype: no row is slower without tools",
                 not worse if comparisons else None,
                 f"missed: {len(worse)} of {len(comparisons)}" +
                 "".join(f"; {what} {ratio_text(comparisons[what])}" for what in worse[:6]))
    ours, theirs = (address_cost(counts, prefix) for prefix in ("", "prototype "))
    goal("calling address: at least 1000 times cheaper than the prototype's",
         theirs / ours >= 1000 if ours and theirs else None,
         f"{number(ours)} instructions instead of {theirs:.0f}: {theirs / ours:.0f} times"
         if ours and theirs else "")

    threads = results.get("threads", {})
    if "base" in threads and "none" in threads:
        # times per call, so that more is slower
        two = {call: compare(*paired(*([1 / rate for rate in threads[build][call]["2"]]
                                       for build in ("none", "base"))))
               for call in threads["none"]}
        goal_of_time("2 threads: a call takes no longer than without QMPI", not slower(two),
                     "; ".join(f"{call} {ratio_text(one)}" for call, one in two.items()))
        speed = {call: compare(threads["none"][call]["2"], threads["none"][call]["1"])["ratio"]
                 for call in threads["none"]}
        goal_of_time("2 threads make 1.9 times the calls of one, a function without locks",
                     speed[RANK] >= 1.9,
                     "; ".join(f"{call} {value:.2f}" for call, value in speed.items()))
    else:
        goal("2 threads: a call takes no longer than without QMPI", None, "")

    for processes, limit in GOALS_OF_CHECK.items():
        of = results.get("processes", {}).get(processes)
        one = compare(of[CHECK], of["none"]) if of else None
        goal_of_time(f"check, {processes} processes: MPI_Allreduce takes at most {limit} times as long",
                     one["ratio"] <= limit if one else None, ratio_text(one) if one else "")

    startup = results.get("startup", {})
    if "instance 1000" in startup:
        longer = 1e3 * (statistics.median(startup["instance 1000"]["init"]) -
                        statistics.median(startup["none"]["init"]))
        goal_of_time("1000 instances: MPI_Init less than 10 ms longer", longer < 10,
                     f"{longer:.1f} ms")
        for name in ("instance", "tool null"):
            each = memory_of_instance(startup, name)
            goal(f"at most 16 KiB for an instance ({name})", each <= 16, f"{each:.1f} KiB")
    else:
        goal("1000 instances: MPI_Init less than 10 ms longer", None, "")
    sizes = results["sizes"]
    growth = sizes["none"]["text"] / sizes["base"]["text"] - 1
    goal("libmpi: text grows by less than 12 %", growth < 0.12, f"{growth:.1%}")
    return answers


def address_cost(counts, prefix):
    """Instructions of MPI_Get_calling_address, with the call and its arguments."""
    call = RANK
    asking, plain = counts.get(f"{prefix}address 1", {}), counts.get(f"{prefix}instance 1", {})
    return asking[call] - plain[call] if call in asking and call in plain else None


def memory_of_instance(startup, name):
    """KiB of one instance, from the difference of 1000 and 1."""
    many, few = (statistics.median(startup[f"{name} {n}"]["kib"]) for n in (1000, 1))
    return (many - few) / 999


# ---- tables ----

def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
                      *("| " + " | ".join(row) + " |" for row in rows)]) + "\n\n"


def plain_title(name):
    if name in BUILDS:
        return BUILDS[name]
    rest = name.rpartition("prototype ")[2]
    kind, _, layers = rest.rpartition(" ")
    where = "prototype, " if rest != name else ""
    if kind in KINDS:
        return f"{where}{layers} × {KINDS[kind]}"
    return f"{layers} × {kind}" if layers.isdigit() else name


def kind_title(kind):
    return plain_title(f"{kind} 1").replace("1 × ", "")


def table_of_counts(results):
    counts = results.get("counts")
    if not counts:
        return ""
    text = ("## Instructions per call\n\nCounted by callgrind in one process; the calling loop "
            "counts with it. MPI_Isend+MPI_Wait is two calls.\n\n")
    text += table(["variant", *C_CALLS],
                  [[plain_title(name),
                    *(number(of[call]) if call in of else "" for call in C_CALLS)]
                   for name, of in counts.items()])
    fortran = [call for call in counts["base"] if call.startswith(("mpif.h", "mpi_f08"))]
    builds = [key for key in BUILDS if key in counts]
    text += "Fortran:\n\n" + table(["call", *(BUILDS[key] for key in builds)],
                                   [[call, *(number(counts[key][call]) for key in builds)]
                                    for call in fortran])
    rows = []
    tools = sorted({name.rpartition(" ")[0] for name in counts if name.startswith("tool ")})
    for kind in ("static", "instance", "lookup", "frame", "prototype instance", "prototype lookup",
                 "pmpi=", *tools):
        values = [per_layer(counts, kind, call, 1, 10 if f"{kind} 10" in counts else 2)
                  for _, call, _ in BOTH]
        if values[0] is not None:
            rows.append([kind_title(kind), *(number(value) for value in values)])
    return text + "One more layer:\n\n" + table(["layer", *(name for name, _, _ in BOTH)], rows)


def table_of_times(results, part, title, calls):
    times = results.get(part)
    if not times:
        return ""
    rows = []
    for name, of in times.items():
        row = [plain_title(name)]
        for call in calls:
            if call not in of:
                row.append("")
                continue
            value = f"{statistics.median(of[call]):.1f}"
            one = None if name == "base" else compared(times, name, "base", call)
            row.append(f"{value} ({ratio_text(one)})" if one else value)
        rows.append(row)
    return f"## {title}\n\nNanoseconds, median of runs; in brackets the ratio to the unpatched " + \
        "build with its interval at 95 %.\n\n" + \
        table(["variant", *calls], rows)


def table_of_layers(results):
    if not results.get("calls"):
        return ""
    kinds = ("static", "instance", "frame", "lookup", "prototype instance", "prototype lookup")
    columns = {kind: layer_times(results, kind, RANK) for kind in kinds}
    columns = {kind: points for kind, points in columns.items() if points}
    rows = [[str(n), *(f"{points[n]:.1f}" if n in points else "" for points in columns.values())]
            for n in ALL_LAYERS if any(n in points for points in columns.values())]
    return "## Time of MPI_Comm_rank by the number of layers\n\nNanoseconds, median of runs.\n\n" \
        + table(["layers", *map(kind_title, columns)], rows)


def table_of_messages(results):
    messages = results.get("messages")
    if not messages:
        return ""
    text = "## Messages between two processes\n\n"
    large = ("1024", "65536", "1048576", "4194304")
    for what, unit, factor, sizes in (("latency", "µs", 1e6, ("0", "8", *large)),
                                      ("bandwidth", "GB/s", 1e-9, large),
                                      ("messages_per_second", "million/s", 1e-6, ("8",))):
        rows = []
        for name, of in messages.items():
            row = [plain_title(name)]
            for size in sizes:
                value = f"{factor * statistics.median(of[size][what]):.3f}"
                if name != "base":
                    one = compare(*paired(of[size][what], messages["base"][size][what]))
                    value += f" ({ratio_text(one)})"
                row.append(value)
            rows.append(row)
        text += f"{what.replace('_', ' ')}, {unit}:\n\n"
        text += table(["variant", *(size + " B" for size in sizes)], rows)
    return text


def table_of_threads(results):
    threads = results.get("threads")
    if not threads:
        return ""
    calls = list(threads["base"])
    rows = [[plain_title(name), *(f"{statistics.median(of[call][n]) / 1e6:.1f}"
                                  for call in calls for n in ("1", "2", "4"))]
            for name, of in threads.items()]
    return "## Threads\n\nMillion calls a second of all threads together, " + \
        "MPI_THREAD_MULTIPLE.\n\n" + \
        table(["variant", *(f"{call}, {n}" for call in calls for n in ("1", "2", "4"))], rows)


def table_of_applications(results):
    text = ""
    for application, times in results.get("applications", {}).items():
        rows = []
        for name, values in times.items():
            row = [plain_title(name), str(len(values)), f"{statistics.median(values):.4f}",
                   f"{min(values):.4f} to {max(values):.4f}"]
            if name == "base":
                row += ["", "", ""]
            else:
                one = compare(*paired(values, times["base"]))
                row += [ratio_text(one), f"{one['p']:.3g}", f"{one['d']:.2f}"]
            rows.append(row)
        text += f"## Application {application}\n\nTwo processes, seconds between MPI_Init and " + \
            "MPI_Finalize.\n\n" + table(["variant", "runs", "median", "range",
                                         "ratio to unpatched", "p", "Cohen's d"], rows)
    return text


def tool_figures(results):
    """{variant: figures} of the solver with every tool: the comparison of its time with no tool (None
    for no tool), medians, the additional memory in KiB in the short and in the long run, and the bytes
    of memory that each further call adds (None if calls were not counted)."""
    if "tools" not in results:
        return {}
    runs, calls = results["tools"]["runs"], results["tools"]["calls"]
    short, long = sorted(runs["none"], key=int)

    def median(name, solves, what):
        return statistics.median(runs[name][solves][what])

    figures = {}
    for name, of in runs.items():
        added = {solves: median(name, solves, "peak_kib") - median("none", solves, "peak_kib")
                 for solves in of}
        pairs = paired(of[short]["seconds"], runs["none"][short]["seconds"])
        figures[name] = {
            "runs": len(of[short]["seconds"]),
            "comparison": None if name == "none" else compare(*pairs),
            **{what: median(name, short, what)
               for what in ("seconds", "finalize", "report_kib", "peak_kib")},
            "added_kib": added[short],
            "added_kib_long": added[long],
            "bytes_per_call": 1024 * (added[long] - added[short]) / (calls[long] - calls[short])
            if calls else None,
        }
    return figures


def tool_title(name):
    """The tool's entry in a tool list."""
    return "no tool" if name == "none" else name.removeprefix("tool ").removesuffix(" 1")


def table_of_tools(results):
    figures = tool_figures(results)
    if not figures:
        return ""
    rows = []
    for name, of in figures.items():
        one, per_call = of["comparison"], of["bytes_per_call"]
        compared_cells = [ratio_text(one), f"{one['p']:.3g}"] if one else ["", ""]
        added_cells = [f"{of['added_kib']:.0f}", f"{of['added_kib_long']:.0f}",
                       "" if per_call is None else f"{per_call:.1f}"] if one else ["", "", ""]
        rows.append([tool_title(name), str(of["runs"]), f"{of['seconds']:.4f}", *compared_cells,
                     f"{1e3 * of['finalize']:.1f}", f"{of['report_kib']:.0f}",
                     f"{of['peak_kib']:.0f}", *added_cells])
    calls = list(results["tools"]["calls"].values())
    made = (f"{calls[0]} calls of each process, {calls[1]} in the longer run" if calls
            else "calls not counted")
    return (f"## Every tool on the solver\n\nApplication cg on two processes, {made}. Seconds "
            "between MPI_Init and MPI_Finalize, in which the tools write their reports. Memory: maximum "
            "resident memory (VmHWM) of the larger process, and the difference to no tool.\n\n") + \
        table(["tool", "runs", "seconds, median", "ratio to no tool", "p", "MPI_Finalize, ms",
               "reports, KiB", "memory, KiB", "more, KiB", "more in the longer run, KiB",
               "bytes for each further call"], rows)


def table_of_processes(results):
    rows = [[processes, *(f"{statistics.median(times):.3f}" for times in (of["none"], of[CHECK])),
             ratio_text(compare(of[CHECK], of["none"]))]
            for processes, of in results.get("processes", {}).items()]
    return "## 50 MPI_Allreduce of more processes than cores\n\nSeconds, median.\n\n" + \
        table(["processes", "no tool", "check", "ratio"], rows) if rows else ""


def table_of_startup(results):
    startup = results.get("startup")
    if not startup:
        return ""
    rows = [[plain_title(name), f"{1e3 * statistics.median(of['init']):.2f}",
             f"{1e3 * min(of['init']):.2f}", f"{statistics.median(of['kib']):.0f}"]
            for name, of in startup.items()]
    return "## Start-up\n\n" + \
        table(["variant", "MPI_Init, ms, median", "least", "own memory, KiB"], rows)


def table_of_sizes(results):
    sizes = results["sizes"]
    sections = list(sizes["base"])
    return "## Size of libmpi, bytes\n\n" + table(["build", *sections, "text over unpatched"], [
        [BUILDS[key], *(str(of[section]) for section in sections),
         f"{of['text'] / sizes['base']['text'] - 1:+.1%}"]
        for key, of in sizes.items()])


def table_of_entry(results):
    rows = results.get("entry")
    if not rows:
        return ""
    return ("## Short calls\n\nRatio of cycles to the unpatched library without tools, or, where all "
            "other functions are intercepted, to ours without tools; interval at 95 %.\n\n") + \
        table(["case", "ns", "cycles", "cycles of the reference", "ratio", ""],
              [[row["title"], f"{row['ns']:.2f}", f"{row['cycles']:.2f}",
                f"{row['reference_cycles']:.2f}", ratio_text(row), row["verdict"]] for row in rows])


def summary(results):
    of = results["machine"]
    pairs = [call for call in results.get("pairs", {}).get("base", {})]
    builds_alone = {"calls": {name: times for name, times in results.get("calls", {}).items()
                              if name in BUILDS}}
    return "".join([
        "# What QMPI costs\n\n",
        f"{of['processor']}, {of['cores']} cores, {of['system']}, {of['compiler']}, {of['date']}; ",
        f"load at the start {of['load']:.1f}; {results['minutes']} minutes",
        ", a quick run" if results["quick"] else "", ".\n\n",
        "## Goals\n\n", table(["goal", "", "figure"], [list(row) for row in results["goals"]]),
        table_of_entry(results),
        table_of_counts(results),
        table_of_times(results, "calls", "Calls of one process", C_CALLS),
        *(table_of_times(builds_alone, "calls", f"The same from {interface}",
                         [f"{interface} {call}" for call in C_CALLS])
          for interface in ("mpif.h", "mpi_f08")),
        table_of_layers(results),
        table_of_times(results, "pairs", "Calls between two processes", pairs),
        table_of_messages(results), table_of_threads(results), table_of_applications(results),
        table_of_tools(results), table_of_processes(results), table_of_startup(results),
        table_of_sizes(results),
    ])


# ---- bounds ----

def checks(results, bounds):
    """(bound, what it is, instructions, limit) of all counts that have a bound."""
    counts = results.get("counts", {})
    for call in counts.get("base", {}):
        if is_steady(call):
            yield ("no-tools", f"{call}, no tools", extra(counts, "none", call),
                   limit_without_tools(call, bounds))
            if "disabled" in counts:
                yield ("disabled", f"{call}, QMPI configured away",
                       extra(counts, "disabled", call), bounds["disabled"])
            if f"other {MANY}" in counts:
                yield ("not-intercepting", f"{call}, {MANY} instances that do not intercept it",
                       extra(counts, f"other {MANY}", call, "none"), bounds["not-intercepting"])
    for name, call, short in BOTH:
        if "static 1" in counts:
            yield (f"first-layer-{short}", f"{name}, first layer and end of the chain",
                   extra(counts, "static 1", call), bounds[f"first-layer-{short}"])
        for kind, bound in (("static", "layer-static"), ("instance", "layer-instance"),
                            ("lookup", f"layer-lookup-{short}")):
            if per_layer(counts, kind, call) is not None:
                yield (bound, f"{name}, a layer: {KINDS[kind]}", per_layer(counts, kind, call),
                       bounds[bound])


def judge(results, bounds):
    passed = failed = 0
    for bound, what, instructions, limit in checks(results, bounds):
        if instructions <= limit:
            passed += 1
            print(f"ok      {what}: {number(instructions)}, at most {limit}")
        else:
            failed += 1
            print(f"not ok  {what}: {number(instructions)}, more than {limit} "
                  f"({bound} in test/cost/bounds)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
