# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Comparison of what an installed MPICH with QMPI exports and declares with what it must.

Every check returns the number of things that it has compared and the list of those that are wrong, in words.
"""

import functools
import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
REGISTRY = TOP / "src/binding/qmpi_functions.txt"
# Tools carry ids in their code, so ids never change. A release sets both to the whole registry.
FROZEN_IDS = 634
FROZEN_SHA256 = "72a6776d0b5aef571099de9826041b2929deec309db07b28c754ec1347397fc5"

MPI_FUNCTION = re.compile(r"MPIX?_[A-Z]\w*$")
# The base exports functions of its experimental interface that QMPI replaces; their context parameter has another type.
PROTOTYPE_CHANGE = re.compile(r"\[C\] 'function int QMPI_\w+\(")
# These two are gone: they take the ids and function types of that interface, which QMPI does not have.
REMOVED = {"QMPI_Get_function", "QMPI_Register_function"}
# Exported internals: libmpifort reads the gates, notes call sites and calls libmpi for attributes; libmpicxx sets the
# function that finds call sites.
INTERNALS = {"MPII_QMPI_gate", "MPIR_QMPI_note", "MPII_QMPI_set_call_site_resolver"} | {
    f"MPII_QMPI_{name}" for name in ("Attr_get", "Attr_put", "Comm_get_attr", "Comm_set_attr", "Type_get_attr",
                                     "Type_set_attr", "Win_get_attr", "Win_set_attr")}
# Text with configure's options
BUILD_RECORD = re.compile(r"\[C\] 'const char MPII_Version_\w+\[\d*\]'")
# Letters of nm for functions: T and i, or weak W. In libmpi weak symbols are functions; weak data would be V.
CODE = "TWi"
CACHE_LINE = 64
LIBRARIES = ("libmpi.so", "libmpifort.so", "libmpicxx.so")


class Failure(Exception):
    """Nothing can be checked; the text is the message for the user."""


def output_of(command, what, good=(0,), text=None):
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", input=text)
    except FileNotFoundError:
        raise Failure(f"{what}: {command[0]} is not installed") from None
    if done.returncode not in good:
        raise Failure(f"{what}: {command[0]} ended with status {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


# ---- libraries ----

@functools.lru_cache(maxsize=None)
def symbols_of(library):
    """{name: (letter of nm, address)} of what a shared library exports, without symbol versions."""
    symbols = {}
    for line in output_of(["nm", "-D", "--defined-only", library], f"symbols of {library}").splitlines():
        address, letter, name = line.split()[-3:]
        symbols[name.partition("72a6776d0b5aef571099de9826041b2929deec309db07b28c754ec1347397fc5")[0]] = letter, int(address, 16)
    if not symbols:
        raise Failure(f"{library} exports nothing")
    return symbols


def exported(library):
    """{name: letter of nm}"""
    return {name: letter for name, (letter, _) in symbols_of(library).items()}


def within_a_line(symbols, functions):
    places = [(name, symbols[name][1] % CACHE_LINE) for name in functions]
    return len(places), [f"{name} begins {place} bytes after a cache line" for name, place in places if place]


def needed(library):
    said = output_of(["readelf", "-dW", library], f"dependencies of {library}")
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))


def soname(library):
    return "".join(re.findall(r"\(SONAME\).*\[(.*)\]", output_of(["readelf", "-dW", library], f"soname of {library}")))


def writable_code(library):
    """Segments and sections that are writable and executable."""
    found = [f"segment {line.split()[0]}" for line in
             output_of(["readelf", "-lW", library], f"segments of {library}").splitlines() if re.search(r"\bRWE\b", line)]
    for line in output_of(["readelf", "-SW", library], f"sections of {library}").splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+[0-9a-f]+\s+[0-9a-f]+\s+[0-9a-f]+\s+[0-9a-f]+\s+([A-Zlop]+)\s", line)
        if match and "W" in match[2] and "X" in match[2]:
            found.append(f"section {match[1]}")
    return found


def section_size(library, section):
    said = output_of(["readelf", "-SW", library], f"sections of {library}")
    match = re.search(rf"\]\s+{re.escape(section)}\s+\S+\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s", said)
    if not match:
        raise Failure(f"{library} has no section {section}")
    return int(match[1], 16)


def file_version(library):
    """(12, 2, 2) of libmpi.so that links to libmpi.so.12.2.2."""
    name = library.resolve().name
    numbers = name.partition(".so.")[2].split(".")
    if not all(number.isdigit() for number in numbers):
        raise Failure(f"{library} is the file {name}, which has no version")
    return tuple(map(int, numbers))


# ---- headers ----

def declared_functions(text):
    """Names of the functions that a header declares."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    return {match.group(1) for statement in text.split(";") if "typedef" not in statement
            for match in [re.search(r"^\s*(?:[A-Za-z_]\w*[\s*]+)+([PQ]?MPIX?_\w+)\s*\(", statement)] if match}


# Compiled once for all functions. Each check is a line, so that the line of an error names it.
SIGNATURES = """\
#include <mpi.h>
#include <type_traits>
template <typename F> struct tool;
template <typename R, typename... A> struct tool<R(A...)> { using type = R(MPI_Context, int, A...); };
template <typename R, typename... A> struct tool<R(A..., ...)> { using type = R(MPI_Context, int, A..., ...); };
template <typename F> using tool_t = typename tool<F>::type;
template <typename A, typename B> constexpr bool same = std::is_same_v<A, B>;
"""


def signature_conditions(functions, interface):
    for name in functions:
        yield f"same<decltype(P{name}), decltype({name})>", f"P{name} is not declared with the arguments of {name}"
        yield f"same<decltype(Q{name}), decltype({name})>", f"Q{name} is not declared with the arguments of {name}"
        if name not in interface:
            yield (f"same<{name}_t, tool_t<decltype({name})>>",
                   f"function type {name}_t is missing or is not {name} with context and tool id first")
            yield f"same<Q{name}_t, {name}_t>", f"function type Q{name}_t is missing or differs from {name}_t"


# The forms of a Fortran procedure in libmpifort: pattern of the PMPI form, and the others made of it.
FORTRAN_BINDINGS = {
    "mpif.h and use mpi": (re.compile(r"(PMPIX?_[A-Z0-9_]+|pmpix?_(?!.*f08)\w+)$"),
                           lambda name: (name[1:], ("Q" if name[0] == "P" else "q") + name[1:])),
    "mpi_f08": (re.compile(r"pmpix?r_\w+_f08(ts)?(_large)?_$"),
                lambda name: (re.sub(r"^p(mpix?)r_", r"\1_", name), "q" + name[1:])),
}


# ---- ids ----

def read_ids(path):
    """[(id, name)] of the lines 'id name' of a file."""
    if not path.is_file():
        raise Failure(f"{path} does not exist")
    ids = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not words[0].isdigit() or not re.fullmatch(r"MPIX?_\w+", words[1]):
            raise Failure(f"{path}:{number}: not of the form 'id name': {line}")
        ids.append((int(words[0]), words[1]))
    return ids


def numbering(ids):
    """Are the ids numbers from 0 without a gap, and is every id and every name there once?"""
    wrong, holders, numbers = [], {}, {}
    for number, name in ids:
        if number in holders:
            wrong.append(f"id {number} belongs to {holders[number]} and to {name}")
        if name in numbers:
            wrong.append(f"{name} has the ids {numbers[name]} and {number}")
        holders.setdefault(number, name)
        numbers.setdefault(name, number)
    gaps = sorted(set(range(max(holders, default=-1) + 1)) - set(holders))
    return 2 * len(ids) + 1, wrong + [f"no function has the id {number}" for number in gaps]


def frozen(ids, number=FROZEN_IDS, sha256=FROZEN_SHA256):
    """The first ids, as lines 'id name', have the hash of an earlier release."""
    lines = "".join(f"{id_} {name}\n" for id_, name in ids[:number])
    found = hashlib.sha256(lines.encode()).hexdigest()
    return min(number, len(ids)), [] if found == sha256 else [f"the first {number} ids have changed: SHA-256 {found}"]


# ---- an installation and the base ----

class Installation:
    """The installed MPICH with QMPI (prefix), the one without (base), and the list of ids."""

    def __init__(self, prefix, base, registry=REGISTRY):
        self.prefix, self.base, self.registry_file = prefix, base, registry
        self.symbols, self.base_symbols = self.exported_by_mpi(prefix), self.exported_by_mpi(base)
        # The prototypes of the interface are in one of these two. The second declares the QMPI_ forms of all MPI
        # functions besides.
        declared, generated = (declared_functions(self.header(name)) for name in ("mpi_qmpi.h", "mpi_qmpi_proto.h"))
        self.interface = {name for name in declared | generated if MPI_FUNCTION.match(name)}
        self.declared = declared | {name for name in generated if re.sub("^[PQ]MPI", "MPI", name) in self.interface}
        # further names of functions, macros in the headers and perhaps functions for old binaries
        self.other_names = set(re.findall(r"^#define ([PQ]?MPIX?_\w+) [PQ]?MPIX?_\w+$",
                                          self.header("mpi_qmpi.h") + self.header("mpi_qmpi_proto.h"), re.M))
        if not self.interface:
            raise Failure(f"{prefix}: mpi_qmpi.h declares no MPI_ function")
        self.functions = sorted(name for name, letter in self.symbols.items()
                                if letter in CODE and MPI_FUNCTION.match(name))
        self.intercepted = [name for name in self.functions if name not in self.interface]
        self.conversions = sorted(set(re.findall(r"^#define (MPIX?_\w+_(?:c2f|f2c))\(", self.header("mpi.h"), re.M)))
        self.enum = self.read_enum()
        self.ids = {name: value for name, value in self.enum if name != "MPI_LAST_FUNC_T"}

    @staticmethod
    def exported_by_mpi(prefix):
        """libmpi, and libpmpi if PMPI_ has a separate library."""
        library = prefix / "lib/libmpi.so"
        if not library.exists():
            raise Failure(f"{library} does not exist")
        symbols = exported(library)
        profiling = prefix / "lib/libpmpi.so"
        if profiling.exists():
            symbols = {**exported(profiling), **symbols}
        return symbols

    def header(self, name):
        path = self.prefix / "include" / name
        if not path.is_file():
            raise Failure(f"{path} is missing: not an MPICH with QMPI")
        return path.read_text()

    def read_enum(self):
        """The ids as the compiler sees them: [(enumerator, value)]."""
        # -I for a staged installation, whose mpicc names the final path
        said = output_of([self.prefix / "bin/mpicc", f"-I{self.prefix}/include", "-E", "-P", "-x", "c", "-"],
                         "preprocessing mpi.h", text="#include <mpi.h>\n")
        body = re.search(r"\benum MPI_Functions_enum\s*\{(.*?)\}", said, re.S)
        if not body:
            raise Failure(f"mpi.h of {self.prefix} has no enum MPI_Functions_enum")
        values, following = [], 0
        for item in body.group(1).split(","):
            name, _, value = (part.strip() for part in item.partition("="))
            if name:
                if value and not re.fullmatch(r"-?\d+", value):
                    raise Failure(f"enum MPI_Functions_enum: the value of {name} is not a number: {value}")
                following = int(value) if value else following
                values.append((name, following))
                following += 1
        return values

    def is_code(self, name):
        return self.symbols.get(name, "?") in CODE

    # ---- C ----

    def forms(self):
        wrong = [f"{form} is not exported, though {name} is" for name in self.functions
                 for form in ("P" + name, "Q" + name) if not self.is_code(form)]
        return 2 * len(self.functions), wrong

    def entries_within_a_line(self, library):
        symbols = symbols_of(self.prefix / "lib" / library)
        return within_a_line(symbols, [name for name in self.intercepted if "Q" + name in symbols])  # the ABI lacks some

    def functions_without_id(self):
        return len(self.intercepted), [f"{name} has no id {name.upper()}_T" for name in self.intercepted
                                       if name.upper() + "_T" not in self.ids]

    def interface_with_id(self):
        return len(self.interface), [f"{name} belongs to the interface and must not have an id"
                                     for name in sorted(self.interface) if name.upper() + "_T" in self.ids]

    def lines_for_wrappers(self):
        """Programs that write PMPI wrappers (LLNL's wrap, for Caliper and PnMPI) read mpi.h line by line: a line with a
        type and a name that begins with MPI_ declares a function to wrap."""
        said = output_of([self.prefix / "bin/mpicc", f"-I{self.prefix}/include", "-E", "-x", "c", "-"],
                         "preprocessing mpi.h", text="#include <mpi.h>\n")
        names = re.findall(r"^[^\n(]*\b(?:int|double|MPI_Aint)[ \t]+(MPI_\w+)[ \t]*\(", said, re.M)
        return len(names), [f"{name} would be wrapped" for name in names if name in self.interface]

    def declared_but_not_exported(self):
        names = sorted(self.declared)
        fortran = self.prefix / "lib/libmpifort.so"
        elsewhere = exported(fortran) if fortran.exists() else {}
        return len(names), [f"{name} is declared, but not exported" for name in names
                            if not self.is_code(name) and name not in elsewhere]

    def conversions_without_function(self):
        return len(self.conversions), [f"Q{name} is not exported (MPI form is a macro)" for name in self.conversions
                                       if not self.is_code("Q" + name)]

    def signatures(self):
        conditions = list(signature_conditions(self.functions, self.interface))
        first = SIGNATURES.count("\n") + 1
        with tempfile.TemporaryDirectory() as directory:
            source = Path(directory) / "signatures.cpp"
            source.write_text(SIGNATURES + "".join(f"static_assert({condition});\n" for condition, _ in conditions))
            command = [self.prefix / "bin/mpicxx", f"-I{self.prefix}/include", "-std=c++17", "-fsyntax-only",
                       "-fmax-errors=0", "-Wno-deprecated-declarations", source]
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = {int(number) for number in re.findall(r"signatures\.cpp:(\d+):\d+: error:", done.stderr)}
        if done.returncode != 0 and (not lines or min(lines) < first):
            raise Failure(f"the signatures do not compile: {' '.join(map(str, command))}\n{done.stderr[:2000]}")
        return len(conditions), [wrong for number, (_, wrong) in enumerate(conditions, first) if number in lines]

    # ---- Fortran ----

    def fortran_procedures(self, binding):
        """[(PMPI form, MPI form, QMPI form)], and the symbols of their library"""
        pattern, others = FORTRAN_BINDINGS[binding]
        library = self.prefix / "lib/libmpifort.so"
        if not library.exists():
            raise Failure(f"{library} does not exist")
        symbols = symbols_of(library)
        procedures = [(name, *others(name)) for name in sorted(symbols) if pattern.match(name)]
        if not procedures:
            raise Failure(f"{library} has no procedure of {binding}")
        return procedures, symbols

    def fortran_forms(self, binding):
        """Every procedure has its MPI_ and QMPI_ form wherever it has a PMPI_ form, in every spelling."""
        procedures, symbols = self.fortran_procedures(binding)
        return 2 * len(procedures), [f"{form} is not exported, though {name} is" for name, *forms in procedures
                                     for form in forms if form not in symbols]

    def fortran_entries_within_a_line(self, binding):
        procedures, symbols = self.fortran_procedures(binding)
        return within_a_line(symbols, [form for _, form, _ in procedures if form in symbols])

    # ---- ids ----

    def registry(self):
        return read_ids(self.registry_file)

    def registry_against_enum(self):
        values = dict(self.enum)
        last = values.pop("MPI_LAST_FUNC_T", None)
        wrong = [] if last == len(values) else [f"MPI_LAST_FUNC_T is {last}, but {len(values)} functions have an id"]
        for number, name in self.registry():
            value = values.pop(name.upper() + "_T", None)
            if value != number:
                wrong.append(f"{name} is {number} in the registry and {value} in the installed enum")
        wrong += [f"{name} is in the installed enum, but its function is not in the registry" for name in values]
        return len(self.enum), wrong

    def registered_but_not_exported(self):
        """Functions of the base must exist. The registry has functions of other releases of MPI too."""
        names = {name for _, name in self.registry() if name in self.base_symbols}
        return len(names), [f"{name} is in the registry, but is not exported" for name in sorted(names - set(self.intercepted))]

    # ---- symbols against the base ----

    def lost(self):
        return len(self.base_symbols), [f"{name} is exported by the base and no longer"
                                        for name in sorted(set(self.base_symbols) - set(self.symbols) - REMOVED)]

    def new_internals(self):
        """Everything exported that the base does not export and that is not the interface."""
        allowed = self.declared | self.other_names | INTERNALS
        allowed |= {"Q" + name for name in self.intercepted + self.conversions}
        new = sorted(set(self.symbols) - set(self.base_symbols))
        return len(new), [f"{name} became visible, and is not part of the interface" for name in new
                          if name not in allowed]

    def changed_kind(self):
        """A function may become strong instead of weak, but not data."""
        common = sorted(set(self.base_symbols) & set(self.symbols))
        return len(common), [f"{name} is of another kind than in the base: {self.base_symbols[name]} there, "
                             f"{self.symbols[name]} here (letters of nm)"
                             for name in common if (self.base_symbols[name] in CODE) != (self.symbols[name] in CODE)]

    def abi(self, library):
        """abidiff's status is a set of flags: 1 and 2 error, 4 a change, 8 an incompatible one. Additions are a change
        too, so its summary decides."""
        old, new = self.base / "lib" / library, self.prefix / "lib" / library
        if not old.exists():
            return 1, [f"{old} does not exist"]
        if not new.exists():
            return 1, [f"{new} does not exist"]
        said = output_of(["abidiff", "--no-added-syms", old, new], f"ABI of {library}", good=(0, 4, 8, 12))
        changes = [line.strip() for line in said.splitlines()
                   if re.match(r"\s+\[[DC]\]", line) or re.match(r"(ELF )?SONAME changed", line)]
        wrong = [line for line in changes if not BUILD_RECORD.match(line) and not PROTOTYPE_CHANGE.match(line)
                 and not (line.startswith("[D]") and REMOVED & set(re.findall(r"\w+", line)))]
        counts = [line for line in said.splitlines() if "changes summary:" in line]
        kept = all(re.search(r"\b0 Removed\b", line) and not re.search(r"\b[1-9]\d* Changed\b", line) for line in counts)
        if not changes and not (kept and (counts or not said.strip())):
            wrong.append(f"abidiff reports a change: {said.strip()[:500]}")
        return max(1, len(changes)), wrong
