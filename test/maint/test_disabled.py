# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""--disable-qmpi: MPICH with the bug fixes of the series, without its own experimental interface, and nothing else.

The whole series is compared with its part up to qmpi-remove-prototype.patch: first the text of both source trees with
what the binding generators write, then, with --hours, both as they are built and installed. Exempt from the comparison:

- INPUTS: makefiles, configure.ac, and the generators with their input, of which the results are compared;
- OWN: files that no other file of a library without QMPI includes or compiles;
- empty lines and empty statements: what is left of a hook;
- line numbers, and names of folders.
"""

import collections
import concurrent.futures
import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASES = sorted(p.name for p in (ROOT / "patches").iterdir() if not p.is_symlink())
LAST_COMMON_PATCH = "qmpi-remove-prototype.patch"
INPUTS = r"(.*/)?(Makefile\.(am|mk)|configure\.ac|buildiface|\w+\.py|\w+_api\.txt|testlist\.in)"
OWN = r"src/qmpi/.*|src/include/(mpir?_)?qmpi_\w+\.(h|hpp)"
GENERATORS = [
    [sys.executable, "maint/gen_binding_c.py"],
    [sys.executable, "maint/gen_binding_f77.py"],
    [sys.executable, "maint/gen_binding_f90.py", "-ignore-tkr=gcc"],
    [sys.executable, "maint/gen_binding_f08.py", "-fint-size=4", "-aint-size=8", "-count-size=8", "-cint-size=4"],
]
# Smaller than the default, with all languages and MPI-IO
SMALL = ["--with-device=ch3:nemesis", "--without-json", "--disable-qmpi"]


@pytest.fixture(scope="module", params=BASES)
def base(request):
    """A base whose source can be had here: options of maint/series, the source or None, and the number of patches
    of the part"""
    sources = [os.environ.get("MPICH_QMPI_BUILD_SOURCE"), *os.environ.get("QMPI_TEST_SOURCES", "").split(":")]
    series = (ROOT / "patches" / request.param / "series").read_text().split()
    for source in [None, *filter(None, sources)]:
        options = [f"--base={request.param}"] + [f"--with-mpich-source={source}"] * bool(source)
        if subprocess.run([ROOT / "maint/series", "fetch", *options], capture_output=True).returncode == 0:
            return options, source, series.index(LAST_COMMON_PATCH) + 1
    pytest.skip(f"the source of MPICH {request.param} is not here (MPICH_QMPI_BUILD_SOURCE names it)")


def run(*words, **keywords):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    if done.returncode:
        pytest.fail(f"{words}: {done.stdout[-4000:]}", pytrace=False)
    return done.stdout


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def first_difference(old, new):
    """Where two texts begin to differ"""
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    return f"{old[max(at - 100, 0):at + 100]!r} != {new[max(at - 100, 0):at + 100]!r}"


def lines_of(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def statements(text):
    """Preprocessed text without white space and empty statements"""
    return re.sub(r"([;{}]);+", r"\1", re.sub(r"\s+", "", text))


# ---- the text ----

@pytest.fixture(scope="module")
def trees(base, tmp_path_factory):
    """The part of the series and the series, applied, with the files that the generators write"""
    options, _, count = base
    folder = tmp_path_factory.mktemp("trees")

    def prepare(words):
        tree = folder / f"first{words[-1]}" if words else folder / "all"
        run(ROOT / "maint/series", "apply", *options, *words, tree)
        for generator in GENERATORS:
            if (tree / generator[1]).exists():
                run(*generator, cwd=tree)
        for program in sorted(tree.glob("src/binding/**/buildiface")):
            run("perl", "buildiface", *(["-nosep", "-initfile=./cxx.vlist"] if program.parent.name == "cxx" else []),
                cwd=program.parent, env=dict(os.environ, PERL_HASH_SEED="0"))
        return tree
    return in_parallel(prepare, [["--first", str(count)], []])


def files_of(tree):
    """Relative paths"""
    outside = (".pc", ".series", "patches", "autom4te.cache")
    found = (path.relative_to(tree) for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path) for path in found if path.parts[0] not in outside}


def without_qmpi(text):
    """The text without QMPI: without the branches that need it, inclusions of our headers and their macro, conditionals
    that are empty then, and what configure replaces by nothing. Other directives become names, so that both of their branches are
    compared."""
    out, open_conditions = [], []       # True: kept, False: not, None: of something else
    for line in text.splitlines():
        word = re.match(r"\s*#\s*(if|ifdef|ifndef|else|endif)\b", line)
        word = word and word[1]
        if word in ("if", "ifdef", "ifndef"):
            open_conditions.append({"#ifdef ENABLE_QMPI": False, "#ifndef ENABLE_QMPI": True}.get(line.strip()))
            choice = open_conditions[-1]
        elif word:
            choice = open_conditions[-1]
            if word == "endif":
                open_conditions.pop()
            elif choice is not None:
                open_conditions[-1] = not choice
        else:
            choice = None
        if choice is None and False not in open_conditions:
            if re.match(r'#include "mpir_qmpi\w*\.h"|#define MPIR_EXT_QMPI |\s*@(INCLUDE_MPI_QMPI_H|USE_QMPI_BASE)@$', line):
                continue
            if word == "endif" and out and re.match(r"\s*#\s*if", out[-1]):
                out.pop()
                continue
            out.append(line)
    return "\n".join(f"DIRECTIVE_{line.encode().hex()}" if line.lstrip().startswith("#") else line for line in out)


@pytest.mark.parametrize("text, wanted", [
    ("a\n#ifdef ENABLE_QMPI\nb\n#else\nc\n#endif\nd\n", "a\nc\nd"),
    ("#ifdef ENABLE_QMPI\n#ifdef X\nb\n#else\nc\n#endif\n#endif\nd\n", "d"),
    ("#ifndef ENABLE_QMPI\na\n#else\nb\n#endif\n", "a"),
    ('#include "mpir_qmpi_call.h"\n       @USE_QMPI_BASE@\na\n', "a"),
    ('#ifdef X\n#include "mpir_qmpi_romio.h"\n#endif\na\n', "a"),
])
def test_branches_without_qmpi(text, wanted):
    assert without_qmpi(text) == wanted


def test_other_directives_are_compared():
    text = "#ifdef X\n#ifdef ENABLE_QMPI\na\n#endif\nb\n#endif\n"
    assert re.fullmatch(r"(DIRECTIVE_\w+)\nb\nDIRECTIVE_\w+", without_qmpi(text))
    assert without_qmpi(text) != without_qmpi(text.replace("X", "Y"))


def test_text(trees):
    old, new = trees
    before, after = files_of(old), files_of(new)
    assert sorted(before - after) == []
    assert [path for path in sorted(after - before) if not re.fullmatch(OWN, path)] == []

    def meaning(tree, path):
        """The hooks as our headers define them without QMPI"""
        text = without_qmpi((tree / path).read_text(errors="replace"))
        if not re.search(r"\.(c|h|cxx|h\.in)$", path):
            return "\n".join(lines_of(text))
        return statements(run("gcc", "-E", "-P", "-w", "-undef", "-nostdinc", "-D__LINE__=0", "-DMPI_FORTIMPL_H_INCLUDED",
                              f"-I{new}/src/include", "-include", "mpir_qmpi.h", "-xc", "-", input=text))

    def difference(path):
        if (old / path).read_bytes() == (new / path).read_bytes() or re.fullmatch(INPUTS, path):
            return None
        texts = meaning(old, path), meaning(new, path)
        return None if texts[0] == texts[1] else f"{path}: {first_difference(*texts)}"
    common = sorted(path for path in before & after if not re.fullmatch(OWN, path))
    assert len(common) > 4000
    assert list(filter(None, in_parallel(difference, common))) == []


# ---- what is built and installed ----

class Build:
    def __init__(self, base, *options):
        words, source, _ = base
        environment = dict(os.environ, **({"MPICH_QMPI_BUILD_SOURCE": str(source)} if source else {}))
        done = subprocess.run([ROOT / "maint/buildtree", f"--with-{words[0][2:]}", *SMALL, *options], stdout=subprocess.PIPE,
                              text=True, env=environment)
        if done.returncode:
            pytest.fail(f"maint/buildtree failed with status {done.returncode}", pytrace=False)
        answer = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.prefix, self.tree = Path(answer["prefix"]), Path(answer["tree"])
        self.folder = self.prefix.parent / "mpich-build"

    def plain(self, text):
        """Without names of folders"""
        return text.replace(str(self.prefix.parent), "FOLDER").replace(str(self.tree), "TREE")

    def installed(self):
        """Relative paths"""
        return sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir())

    def text(self, path):
        """Text of an installed file; None for a program or library"""
        data = (self.prefix / path).read_bytes()
        if path.endswith(".mod"):
            # the first line names the source
            return gzip.decompress(data).decode().partition("\n")[2]
        return None if b"\0" in data else self.plain("\n".join(lines_of(data.decode())))

    def units(self, part):
        """(library, object): source and options of the preprocessor, of the C and C++ files that a makefile compiles"""
        folder = self.folder / part
        libraries = re.findall(r"^am_(\w+_la)_OBJECTS =", (folder / "Makefile").read_text(), re.M)
        rules = ["include Makefile", ".PHONY: show", "show:"]
        for name in libraries:
            rules.append(f"\t$(info {name}|$(am_{name}_OBJECTS)|$(DEFS) $(DEFAULT_INCLUDES) $(INCLUDES) "
                         f"$(if $(filter undefined,$(origin {name}_CPPFLAGS)),$(AM_CPPFLAGS),$({name}_CPPFLAGS)) $(CPPFLAGS))")
        said = run("make", "--no-print-directory", "-f", "-", "show", cwd=folder, input="\n".join(rules) + "\n\t@:\n")
        found = {}
        for name, objects, flags in (line.split("|") for line in said.splitlines() if line.count("|") == 2):
            for path in map(Path, objects.split()):
                stem = path.parent / path.stem.removeprefix(f"{name}-")
                for top in (folder, self.tree / part):
                    for source in (top / f"{stem}.c", top / f"{stem}.cxx"):
                        if source.exists():
                            found[part, name, str(path)] = source, flags
        return found

    def preprocessed(self, unit):
        (part, _, _), (source, flags) = unit
        compiler = "g++" if source.suffix == ".cxx" else "gcc"
        words = ["-E", "-P", "-w", "-D__LINE__=0", '-D__FILE__=""', *flags.split(), source]
        done = subprocess.run([compiler, *words], cwd=self.folder / part, capture_output=True, text=True)
        assert done.returncode == 0, done
        return statements(self.plain(done.stdout))


@pytest.fixture(scope="module")
def builds(base):
    """The part of the series and the series, built without QMPI"""
    return Build(base, f"--with-first-patches={base[2]}"), Build(base)


@pytest.mark.nightly
def test_installed_files(builds):
    old, new = builds
    assert old.installed() == new.installed()
    texts = [(path, old.text(path), new.text(path)) for path in old.installed()]
    assert [f"{path}: {first_difference(a, b)}" for path, a, b in texts if a != b] == []
    kinds = collections.Counter(Path(path).suffix for path, text, _ in texts if text)
    assert kinds[".h"] >= 6 and kinds[".mod"] > 10


@pytest.mark.nightly
def test_symbols(builds):
    """Exported names and their types, and the libraries' own names and those that they need"""
    old, new = builds
    libraries = [path for path in old.installed() if re.fullmatch(r"lib/lib\w+\.so", path)]
    assert {"lib/libmpi.so", "lib/libmpicxx.so", "lib/libmpifort.so"} <= set(libraries)

    def names(build, path):
        symbols = [line.split()[-2:] for line in run("nm", "-D", "--defined-only", build.prefix / path).splitlines()]
        return sorted(symbols), re.findall(r"\((?:NEEDED|SONAME)\).*", run("readelf", "-d", build.prefix / path))
    for path in libraries:
        symbols, needs = names(old, path)
        assert len(symbols) > 20 and needs
        assert names(new, path) == (symbols, needs)


@pytest.mark.nightly
def test_preprocessed_sources(builds):
    old, new = builds
    for part in (".", "src/mpi/romio"):
        units = [build.units(part) for build in builds]
        assert len(units[0]) > (700 if part == "." else 100)
        assert sorted(units[0]) == sorted(units[1])

        def difference(unit):
            texts = [build.preprocessed((unit, found[unit])) for build, found in zip(builds, units)]
            return None if texts[0] == texts[1] else f"{unit}: {first_difference(*texts)}"
        assert list(filter(None, in_parallel(difference, sorted(units[0])))) == []


@pytest.mark.nightly
def test_fortran_sources(builds):
    """Those that configure makes"""
    old, new = builds
    sources = sorted(str(path.relative_to(old.folder)) for path in old.folder.glob("src/binding/fortran/**/*.f90"))
    assert len(sources) > 8
    texts = [(path, *(lines_of((build.folder / path).read_text()) for build in builds)) for path in sources]
    assert [path for path, a, b in texts if a != b] == []
