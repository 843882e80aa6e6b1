# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Plots of the results, each as SVG and PNG, by gnuplot."""

import statistics
import subprocess

from compare import compare
from report import (C_CALLS, RANK, compared, kind_title, layer_times, paired, plain_title,
                    tool_figures, tool_title)
from variants import BUILDS, DECADES

TERMINALS = {"svg": "svg size 800,500 font 'sans,12' background 'white' noenhanced",
             "png": "pngcairo size 800,500 font 'sans,10' noenhanced"}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def block(name, rows):
    """A gnuplot data block, with texts in quotes."""
    def word(value):
        return '"' + value + '"' if isinstance(value, str) else f"{value:.6g}"
    return f"${name} << END\n" + "\n".join(" ".join(map(word, row)) for row in rows) + "\nEND\n"


def plot(out, name, commands):
    for kind, terminal in TERMINALS.items():
        file = quoted(f"{out / name}.{kind}")
        script = f"set terminal {terminal}\nset output {file}\nset grid\n{commands}"
        subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)


def curves(out, name, title, x_label, y_label, lines, settings=""):
    """lines: {title: {x: y}}"""
    lines = {title_: points for title_, points in lines.items() if points}
    if not lines:
        return
    data = "".join(block(f"d{i}", sorted(points.items()))
                   for i, points in enumerate(lines.values()))
    drawn = ", ".join(f"$d{i} using 1:2 with linespoints title {quoted(title_)}"
                      for i, title_ in enumerate(lines))
    plot(out, name, data + f"set title {quoted(title)}\n"
         f"set xlabel {quoted(x_label)}\nset ylabel {quoted(y_label)}\n"
         f"set key left top\n{settings}\nplot {drawn}\n")


def intervals(out, name, title, rows, reference="the unpatched build"):
    """rows: (text, comparison): ratios with their intervals"""
    if not rows:
        return
    data = block("d", [(text, number, one["ratio"], one["low"], one["high"])
                       for number, (text, one) in enumerate(rows)])
    plot(out, name, data + f"set title {quoted(title)}\n"
         f"set xlabel 'ratio to {reference}, 95 % interval'\nset yrange [{len(rows)}:-1]\n"
         "set arrow from 1, graph 0 to 1, graph 1 nohead dashtype 2\nunset key\n"
         "plot $d using 3:2:4:5:yticlabels(1) with xerrorbars pointtype 7\n")


def draw(results, out):
    calls, counts = results.get("calls", {}), results.get("counts", {})
    if calls:
        rows = []
        for key in ("none", "disabled", "prototype"):
            rows += [(f"{call}: {BUILDS[key]}", compared(calls, key, "base", call))
                     for call in C_CALLS if key in calls]
        intervals(out, "no-tools", "Calls without tools", rows)
        kinds = ("static", "instance", "frame", "lookup", "prototype instance", "prototype lookup")
        lines = {kind_title(kind): layer_times(results, kind, RANK) for kind in kinds}
        curves(out, "layers", "MPI_Comm_rank through a chain", "layers", "ns per call", lines,
               "set logscale xy")
        each = {title: {n: value / n for n, value in points.items()}
                for title, points in lines.items()}
        curves(out, "layers-each", "MPI_Comm_rank through a chain", "layers",
               "ns per call and layer", each, "set logscale xy\nset key left bottom")
    if counts:
        lines = {}
        for kind in ("static", "instance", "lookup", "prototype instance", "prototype lookup"):
            points = {n: counts[f"{kind} {n}"][RANK]
                      for n in (1, 2, *DECADES[1:]) if f"{kind} {n}" in counts}
            lines[kind_title(kind)] = points
        curves(out, "instructions", "MPI_Comm_rank through a chain", "layers",
               "instructions per call", lines, "set logscale xy")
    messages = results.get("messages", {})
    for what, label, factor in (("latency", "µs", 1e6), ("bandwidth", "GB/s", 1e-9)):
        lines = {plain_title(name): {int(size) or 0.5: factor * statistics.median(of[what])
                                     for size, of in sizes.items()
                                     if what == "latency" or size != "0"}
                 for name, sizes in messages.items()}
        curves(out, what, f"{what.capitalize()} between two processes",
               "bytes (left: 0)" if what == "latency" else "bytes", label, lines, "set logscale xy")
    rows = []
    for application, times in results.get("applications", {}).items():
        rows += [(f"{application}: {plain_title(name)}", compare(*paired(values, times["base"])))
                 for name, values in times.items() if name != "base" and not name.endswith(" 1000")]
    intervals(out, "applications", "Applications on two processes", rows)
    lines = {}
    for application, times in results.get("applications", {}).items():
        for prefix in ("", "prototype "):
            kind = f"{prefix}instance"
            lines[f"{application}: {kind_title(kind)}"] = {
                n: statistics.median(times[f"{kind} {n}"])
                for n in DECADES if f"{kind} {n}" in times}
    curves(out, "applications-layers", "Applications through a chain", "layers", "seconds", lines,
           "set logscale x\nset yrange [0:*]")
    rows = [(tool_title(name), of["comparison"])
            for name, of in tool_figures(results).items() if of["comparison"]]
    intervals(out, "tools", "Every tool on the solver, two processes", rows, "no tool")
    startup = results.get("startup", {})
    lines = {}
    for kind in ("instance", "tool null", "prototype instance"):
        of = {n: startup[f"{kind} {n}"] for n in DECADES if f"{kind} {n}" in startup}
        lines[kind_title(kind)] = {n: 1e3 * statistics.median(one["init"])
                                   for n, one in of.items()}
    curves(out, "startup", "Start-up", "instances", "MPI_Init, ms", lines,
           "set logscale x\nset yrange [0:*]")
    threads = results.get("threads", {})
    lines = {plain_title(name): {int(n): statistics.median(rates) / 1e6
                                 for n, rates in of[RANK].items()} for name, of in threads.items()}
    curves(out, "threads", "MPI_Comm_rank by several threads", "threads", "million calls a second",
           lines, "set yrange [0:*]")
