# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Instructions of an MPI call with and without tools, counted by callgrind in one process, against the bounds.

A call is made in phases of three lengths; its cost is the difference of two lengths divided by the number of calls
between them, so that start-up cancels. The loop around the call counts, with the same instructions in every build.
The tables are in cost.md and cost.json in the folder of the tests (--out).
"""

import functools
import json
import shutil
from pathlib import Path

import pytest

from cost import counting
from cost.counting import CALLS, number

HERE = Path(__file__).resolve().parent
SIMPLE = ("MPI_Comm_rank", "MPI_Send to MPI_PROC_NULL")
SHORT = {"MPI_Comm_rank": "comm-rank", "MPI_Send to MPI_PROC_NULL": "send"}
# Calls of test/bench/calls.cpp with the same instructions every time
IN_C = ("MPI_Comm_rank", "MPI_Wtime", "MPI_Send to MPI_PROC_NULL", "MPI_Isend+MPI_Wait", "MPI_File_write 0 bytes")
EARLY = ("MPI_Initialized", "MPI_Get_version")
STEADY = IN_C + tuple(f"{interface} {call}" for interface in ("mpif.h", "mpi_f08") for call in IN_C)
LAYERS = (1, 16)
KINDS = {
    "static": "static link",
    "instance": "link by instance",
    "storage": "link in the storage, MPI_Get_tool_storage in every call",
    "lookup": "MPI_Get_next_tool_function in every call",
    "both": "MPI_Get_tool_storage and MPI_Get_next_tool_function in every call",
    "kit": "generic pass-through on qmpi.hpp",
    "kit_ending": "the same in a tool with a destructor",
}
# bound: function of the interface, program that calls it
INTERFACE = {
    "next": ("MPI_Get_next_tool_function", "calls-tools"),
    "storage": ("MPI_Get_tool_storage", "calls-tools"),
    "address": ("MPI_Get_calling_address", "calls-tools"),
    "address-mixed": ("MPI_Get_calling_address", "calls-mixed"),
}
# The empty function that an interface function is compared with needs a call and a return.
CALL_AND_RETURN = 2


class Cost:
    """Compiles the programs and counts on demand."""

    def __init__(self, ours, base, out, bounds):
        self.ours, self.base, self.out, self.bounds = ours, base, out, bounds
        self.counted = {}
        for prefix in (ours, base):
            counting.check_installation(prefix)
            if not counting.has_all_interfaces(prefix):
                raise counting.Failure(f"{prefix}: mpif.h, mpi_f08 or MPI-IO is missing")

    @functools.cached_property
    def compiled(self):
        """A program without tools for each installation, and two with the tools."""
        out = self.out
        # Without the procedure linkage table a call to another library is one instruction.
        flags = ["-std=c++17", "-DMPICH_SKIP_MPICXX", "-O2", "-fno-plt", "-fvisibility=hidden", "-Wall", "-Wextra"]
        program = [CALLS / "calls.cpp", CALLS / "count_calls.cpp"]
        compiler = self.ours / "bin/mpicxx"
        shared = ["-shared", "-fPIC"]
        here_first = f"-Wl,-rpath,{out}"
        counting.compile_program([compiler, *flags, "-fvisibility=default", *shared, HERE / "nothing.cpp", "-o",
                                  out / "libnothing.so"])
        counting.compile_program([compiler, *flags, *shared, HERE / "tools.cpp", HERE / "kit.cpp", "-o",
                                  out / "libcosttools.so", f"-L{out}", "-lnothing", here_first])
        counting.compile_program([compiler, *flags, *shared, CALLS / "entry_tool.cpp", "-o", out / "libothers.so"])
        for name, prefix in (("base", self.base), ("none", self.ours)):
            fortran = counting.compile_fortran_calls(prefix, out)
            counting.compile_program([prefix / "bin/mpicxx", *flags, *program, "-o", out / f"calls-{name}", *fortran])
            counting.compile_program([prefix / "bin/mpicxx", *flags, HERE / "early.cpp", "-o", out / f"early-{name}"])
        for name, other in (("calls-tools", "-Wl,--as-needed"), ("calls-mixed", "-lmpicxx")):
            counting.compile_program([compiler, *flags, *program, "-o", out / name, "-Wl,--no-as-needed", f"-L{out}",
                                      "-lcosttools", other, here_first])
        return True

    def count(self, program, tools="", calls=SIMPLE, **variables):
        key = program, tools
        if key not in self.counted and self.compiled:
            prefix = self.base if program.endswith("-base") else self.ours
            self.counted[key] = counting.count(self.out / program, prefix, tools, self.out, calls, variables,
                                               arguments=calls)
        return self.counted[key]

    def without_qmpi(self, call):
        return self.count("calls-base", calls=STEADY)[call]

    def without_tools(self, call):
        return self.count("calls-none", calls=STEADY)[call]

    def before_initialization(self, call, tools=""):
        return self.count("early-none", tools, calls=EARLY)[call] - self.count("early-base", calls=EARLY)[call]

    def with_others_intercepted(self, call):
        return self.count("calls-none", "others", LD_PRELOAD=str(self.out / "libothers.so"))[call]

    def layers(self, kind, layers, call):
        names = [f"static{i}" for i in range(1, layers + 1)] if kind == "static" else [kind] * layers
        return self.count("calls-tools", ",".join(names))[call]

    def further_layer(self, kind, call):
        few, many = LAYERS
        return round((self.layers(kind, many, call) - self.layers(kind, few, call)) / (many - few), 1)

    def of_interface(self, bound):
        function, program = INTERFACE[bound]
        probe = self.count(program, "probe")
        if function not in probe:
            raise counting.Failure(f"the probe did not count {function}")
        return round(probe[function] - probe["nothing " + function] + CALL_AND_RETURN, 1)

    # ---- tables ----

    def write(self):
        """Everything that was counted, as JSON and as tables."""
        if not self.counted:
            return
        counts = {f"{program} {tools}".strip(): calls for (program, tools), calls in self.counted.items()}
        (self.out / "cost.json").write_text(json.dumps({"counts": counts, "bounds": self.bounds}, indent=1) + "\n")
        text = ""
        if {("calls-base", ""), ("calls-none", "")} <= set(self.counted):
            text += "Instructions per call, with the calling loop:\n\n"
            text += table(["call", "unpatched", "QMPI, no tools", "more", "at most"],
                          [[call, number(self.without_qmpi(call)), number(self.without_tools(call)),
                            number(self.without_tools(call) - self.without_qmpi(call)),
                            str(counting.limit_without_tools(call, self.bounds))] for call in STEADY])
            made = [kind for kind in KINDS if ("calls-tools", ",".join([kind] * LAYERS[1])) in self.counted
                    or kind == "static" and len(self.counted) > 4]
            text += "First layer and end of the chain over unpatched, and one more layer:\n\n"
            text += table(["layer", *(f"{call}, {what}" for call in SIMPLE for what in ("first", "further"))],
                          [[KINDS[kind], *(number(value) for call in SIMPLE for value in (
                              self.layers(kind, 1, call) - self.without_qmpi(call), self.further_layer(kind, call)))]
                           for kind in made])
        (self.out / "cost.md").write_text(text)
        shutil.rmtree(self.out / "callgrind", ignore_errors=True)


def table(head, rows):
    return "\n".join(["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]) + "\n\n"


@pytest.fixture(scope="module")
def cost(mpich_module, base_module, needs):
    needs("valgrind")
    try:
        bounds = counting.read_bounds(HERE / "bounds", counting.version_of(base_module.prefix))
        made = Cost(mpich_module.prefix, base_module.prefix, mpich_module.work, bounds)
    except counting.Failure as failure:
        pytest.fail(str(failure), pytrace=False)
    yield made
    made.write()


@pytest.fixture
def within():
    """Fails if a number of instructions is above its limit, with the command that shows the code."""
    def within(count, limit, code):
        try:
            found = count()
        except counting.Failure as failure:
            pytest.fail(str(failure), pytrace=False)
        print(f"{number(found)} instructions, at most {limit}")
        if found > limit:
            pytest.fail(f"{number(found)} instructions, at most {limit}; its code: {code}", pytrace=False)
    return within


def code_of(library, name):
    return f"gdb -batch -ex 'disassemble {name}' {library}"


@pytest.mark.parametrize("call", STEADY)
def test_call_without_tools(cost, within, call):
    within(lambda: cost.without_tools(call) - cost.without_qmpi(call), counting.limit_without_tools(call, cost.bounds),
           code_of(cost.ours / "lib/libmpi.so", counting.functions_of(call)[0]))


@pytest.mark.parametrize("tools", ["", "null"])
@pytest.mark.parametrize("call", EARLY)
def test_call_before_initialization(cost, within, call, tools):
    """Whatever the list: no tool is loaded for a program that does not initialize MPI."""
    within(lambda: cost.before_initialization(call, tools), cost.bounds["no-tools-untested"],
           code_of(cost.ours / "lib/libmpi.so", call))


@pytest.mark.parametrize("call", SIMPLE)
def test_call_that_nobody_intercepts_while_others_are(cost, within, call):
    within(lambda: cost.with_others_intercepted(call) - cost.without_tools(call), cost.bounds["not-intercepting"],
           code_of(cost.ours / "lib/libmpi.so", counting.functions_of(call)[0]))


@pytest.mark.parametrize("call", SIMPLE)
def test_first_layer_and_end_of_the_chain(cost, within, call):
    within(lambda: cost.layers("static", 1, call) - cost.without_qmpi(call), cost.bounds[f"first-layer-{SHORT[call]}"],
           code_of(cost.ours / "lib/libmpi.so", "P" + counting.functions_of(call)[0]))


@pytest.mark.parametrize("call", SIMPLE)
@pytest.mark.parametrize("kind", KINDS)
def test_further_layer(cost, within, kind, call):
    bound = {"lookup": f"layer-lookup-{SHORT[call]}", "both": f"layer-both-{SHORT[call]}",
             "kit_ending": "layer-kit-ending"}.get(kind, f"layer-{kind}")
    # Storage is one of the two look-ups.
    limit = cost.bounds[f"layer-both-{SHORT[call]}"] if kind == "storage" else cost.bounds[bound]
    within(lambda: cost.further_layer(kind, call), limit, f"objdump -dC {cost.out}/libcosttools.so")


@pytest.mark.parametrize("bound", INTERFACE)
def test_function_of_the_interface(cost, within, bound):
    within(lambda: cost.of_interface(bound), cost.bounds[bound], code_of(cost.ours / "lib/libmpi.so", INTERFACE[bound][0]))


def test_watch(cost, within):
    call = "MPI_Send to MPI_PROC_NULL"
    within(lambda: cost.count("calls-none", "watch")[call] - cost.count("calls-none", "null")[call], cost.bounds["watch"],
           f"objdump -dC {cost.ours}/lib/mpich/tools/libqmpi_watch.so")


def test_watch_leaves_out_short_queries(cost, within):
    call = "MPI_Comm_rank"
    within(lambda: cost.count("calls-none", "watch")[call] - cost.without_tools(call), cost.bounds["not-intercepting"],
           f"objdump -dC {cost.ours}/lib/mpich/tools/libqmpi_watch.so")


@pytest.mark.parametrize("version, limit", [((4, 3, 2), 9), ((5, 0, 1), 4), ((6, 0, 0), 4)])
def test_limit_with_a_version_is_that_of_later_ones_too(work, version, limit):
    bounds = work / "bounds"
    bounds.write_text("\n".join(f"{name} 9 5.0.1:4" for name in counting.BOUNDS))
    assert counting.read_bounds(bounds, version)["no-tools"] == limit
