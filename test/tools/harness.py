# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""What the tests of the tools have in common: an installation with its tools, programs compiled and run under a
list of tools in a folder that goes away again, checks that are counted."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

passed = failed = 0


def check(what, is_right, detail=""):
    """Counts and prints one check; the detail is shown when it failed."""
    global passed, failed
    if is_right:
        passed += 1
        print(f"  ok       {what}")
    else:
        failed += 1
        print(f"  FAILED   {what}")
        for line in str(detail).splitlines()[-40:]:
            print("             " + line[:400])
    sys.stdout.flush()
    return is_right


def equal(what, found, expected):
    """The same for two values."""
    return check(what, found == expected, f"found:    {found!r}\nexpected: {expected!r}")


class Result:
    """What a program left: status, both outputs."""

    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f"status {self.status}\n{self.out}\n{self.err}"


class Bench:
    """An installation and a folder to work in."""

    def __init__(self, prefix, work):
        self.prefix, self.work = prefix, work

    def environment(self, variables):
        """Nothing of the user's settings may choose tools."""
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("MPIR_CVAR_", "MPICH_", "QMPI_", "PMI_")) and name != "LD_PRELOAD"}
        clean["PATH"] = f"{self.prefix}/bin:{clean['PATH']}"
        return {**clean, **variables}

    def command(self, *words, seconds=300, **variables):
        """Runs a command in the folder; what hangs is ended after a while, with status 124."""
        done = subprocess.run(["timeout", "--kill-after=10", str(seconds), *map(str, words)], cwd=self.work,
                              env=self.environment(variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True, errors="replace")
        return Result(done)

    def compile(self, source, name=None, *options, compiler=None):
        """A program from a source file, by the installation's compiler for its language."""
        source = Path(source)
        by_suffix = {".c": "mpicc", ".cpp": "mpicxx", ".F90": "mpifort", ".f90": "mpifort", ".f": "mpifort"}
        compiler = compiler or by_suffix[source.suffix]
        name = name or source.stem
        done = self.command(self.prefix / "bin" / compiler, "-g", "-O1", source, "-o", name, *options)
        check(f"{source.name} compiles", done.status == 0, done)
        return name

    def mpi(self, ranks, tools, *program, seconds=300, **variables):
        """A program on some ranks under a list of tools."""
        return self.command(self.prefix / "bin/mpiexec", "-n", ranks, "-genv", "MPIR_CVAR_QMPI_TOOL_LIST", tools,
                            *program, seconds=seconds, **variables)

    def debian_names(self):
        """A folder with the installation's libraries under the names that Debian's programs are linked with."""
        folder = Path(self.work, "debian")
        folder.mkdir(exist_ok=True)
        for theirs, ours in (("mpich", "mpi"), ("mpichcxx", "mpicxx"), ("mpichfort", "mpifort")):
            link = folder / f"lib{theirs}.so.12"
            link.unlink(missing_ok=True)
            link.symlink_to(self.prefix / f"lib/lib{ours}.so.12")
        return folder

    def read(self, name):
        """A file of the folder, or an empty text."""
        path = Path(self.work, name)
        return path.read_text(errors="replace") if path.is_file() else ""


def main(name, doc, tests):
    """Runs tests (functions of a Bench) for the PREFIX of the command line; exits with 1 if a check failed."""
    parser = argparse.ArgumentParser(prog=name, description=doc)
    parser.add_argument("prefix", type=Path, metavar="PREFIX", help="where MPICH with QMPI is installed")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder to work in, that stays (default: a temporary one)")
    options = parser.parse_args()
    prefix = options.prefix.resolve()
    if not (prefix / "bin/mpiexec").exists():
        sys.exit(f"{name}: {prefix}/bin/mpiexec does not exist")
    with tempfile.TemporaryDirectory() as scratch:
        work = options.out.resolve() if options.out else Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        for test in tests:
            print(test.__doc__.splitlines()[0])
            test(Bench(prefix, work))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
