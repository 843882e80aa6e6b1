# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Fixtures for all tests outside MPICH's test suite.

    pytest [-n 2] --prefix=DIR [--base-prefix=DIR] [--other-prefix=DIR] [--src=DIR] [--all | --hours | --turn=N] [--out=DIR]
           [PATH | -k WORDS]

mpich          the installation of --prefix; its commands run in the test's own folder
mpich_module   the same with a folder for the whole test file, for runs that several tests look at
base           the installation without QMPI (--base-prefix); base_module as above
abi            the installation of --prefix with the library of the MPI ABI; abi_module as above
other          an installation of another base, with QMPI (--other-prefix); its tests are skipped without the option
local          commands and compilers of the system, for tests without an installation; local_module
tree           the patched source tree (--src)
work           the test's own folder

Programs are compiled once per session, also with several pytest-xdist workers. Each test file runs in one worker.
After each test, this file ends the processes and removes the folder that the test leaves.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import zlib
from pathlib import Path

import pytest

import browser
from cost import counting

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = set()         # of this process, also those that are removed
INSTALLATIONS = {name + suffix for name in ("mpich", "base", "abi", "other") for suffix in ("", "_module")}      # fixtures
STARTED = time.monotonic()
TURNS = 7               # parts of the tests marked hours
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".cxx": "mpicxx", ".F90": "mpifort", ".f90": "mpifort", ".f": "mpifort"}


# ---- options, order, folders ----

def pytest_addoption(parser):
    group = parser.getgroup("QMPI for MPICH")
    group.addoption("--prefix", type=Path, metavar="DIR", help="installation with QMPI to test")
    group.addoption("--base-prefix", type=Path, metavar="DIR", help="installation of the unpatched MPICH")
    group.addoption("--without-base", action="store_true", help="leave out the tests that need --base-prefix")
    group.addoption("--tests", choices=("source", "installation"),
                    help="only the tests that need no installation, or only those that need one")
    group.addoption("--other-prefix", type=Path, metavar="DIR", help="installation of another base with QMPI")
    group.addoption("--src", type=Path, metavar="DIR", help="patched source tree")
    group.addoption("--all", action="store_true", help="run the tests marked long too")
    group.addoption("--hours", action="store_true", help="run the tests marked hours, nightly or long too")
    group.addoption("--turn", type=int, choices=range(TURNS),
                    help="run one part of the tests marked hours alone: those of the marker turn, the others by a checksum")
    group.addoption("--minutes", type=float, help="skip the tests that have not started by then")
    group.addoption("--out", type=Path, metavar="DIR",
                    help="keep the folders of the tests and their results here (default: remove them)")


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        config.qmpi_folder = Path(config.workerinput["qmpi_folder"])
    elif config.option.out:
        config.qmpi_folder = config.option.out.resolve()
        config.qmpi_folder.mkdir(parents=True, exist_ok=True)
        # Programs of an earlier run may be of another installation.
        shutil.rmtree(config.qmpi_folder / "built", ignore_errors=True)
    else:
        config.qmpi_folder = Path(tempfile.mkdtemp(prefix="qmpi-"))
        config.qmpi_folder.chmod(0o755)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["qmpi_folder"] = str(node.config.qmpi_folder)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling
    return LoadScopeScheduling(config, log)


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput") and not config.option.out and hasattr(config, "qmpi_folder"):
        end_processes(config.qmpi_folder)
        remove(config.qmpi_folder)


def turn_of(item):
    """Part of a test marked hours; None if it is in none. Tests of a file that differ in their function alone share their
    fixtures, so they are in one part."""
    if item.get_closest_marker("nightly") or not item.get_closest_marker("hours"):
        return None
    if marker := item.get_closest_marker("turn"):
        return marker.args[0]
    name = f"{item.path.name}[{item.callspec.id if hasattr(item, 'callspec') else ''}]"
    return zlib.crc32(name.encode()) % TURNS


def pytest_collection_modifyitems(config, items):
    part, turn = config.option.tests, config.option.turn
    off = ["hours", "nightly"] if config.option.all else ["hours", "nightly", "long"]
    if config.option.hours or turn is not None:
        off = []

    def is_unwanted(item):
        names = set(item.fixturenames)
        return turn is not None and turn_of(item) != turn or any(map(item.get_closest_marker, off)) or \
            config.option.without_base and bool({"base", "base_module"} & names) or \
            part and bool(INSTALLATIONS & names) != (part == "installation")
    unwanted = [item for item in items if is_unwanted(item)]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if item not in unwanted]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    minutes = item.config.option.minutes
    if minutes is not None and time.monotonic() - STARTED > 60 * minutes:
        pytest.skip(f"not started within {minutes:g} minutes")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Run a serial test alone, with all its fixtures. A test that waits for the machine holds the turnstile, so it
    cannot starve."""
    folder = item.config.qmpi_folder
    alone = item.get_closest_marker("serial") is not None
    with open(folder / ".turnstile", "w") as turnstile, open(folder / ".machine", "w") as lock:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(turnstile, fcntl.LOCK_UN)
        yield


def remove(folder):
    """Remove a folder, including subfolders without permissions."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def processes(folder):
    """Processes started by the tests of a folder: TMPDIR in their environment is in it. One that is killed loses its
    environment before it releases its files; until then the working directory of its threads is in the folder."""
    mark = b"TMPDIR=" + os.fsencode(folder)

    def is_ours(process):
        with contextlib.suppress(OSError):
            if environment := (process / "environ").read_bytes():
                return any(word == mark or word.startswith(mark + b"/") for word in environment.split(b"\0"))
        with contextlib.suppress(OSError):
            return any(link_is_into(thread / "cwd", folder) for thread in (process / "task").iterdir())
        return False

    found = [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and is_ours(Path("/proc", entry))]
    return [process for process in found if process != os.getpid()]


def link_is_into(link, folder):
    with contextlib.suppress(OSError):
        return link.readlink().is_relative_to(folder)
    return False


def end_processes(folder):
    """Kill what is left of a test; a process that is about to end has a moment to do so."""
    begin = time.monotonic()
    while (left := processes(folder)) and time.monotonic() < begin + 10:
        if time.monotonic() > begin + 2:
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


@contextlib.contextmanager
def folder_for(config, name):
    """A new folder. Another test whose name is the same in its first characters gets a number."""
    folder = first = config.qmpi_folder / re.sub(r"[^\w.-]+", "-", name)[:80].rstrip("-")
    number = 1
    while folder in FOLDERS:
        number += 1
        folder = first.with_name(f"{first.name}-{number}")
    FOLDERS.add(folder)
    remove(folder)
    folder.mkdir()
    try:
        yield folder
    finally:
        end_processes(folder)
        if not config.option.out:
            remove(folder)


def name_of(path):
    """test/check/test_orders.py: check-orders"""
    return f"{path.parent.name}-{path.stem.removeprefix('test_')}"


@pytest.fixture
def work(request):
    with folder_for(request.config, f"{name_of(request.path)}.{request.node.name.removeprefix('test_')}") as folder:
        yield folder


@pytest.fixture(scope="module")
def work_module(request):
    with folder_for(request.config, name_of(request.path)) as folder:
        yield folder


# ---- installations ----

class Result:
    """Exit status and outputs of a command. A signal gives the status that a shell shows."""

    def __init__(self, words, status, out, err):
        self.words = words
        self.status = 128 - status if status < 0 else status
        self.out, self.err = out, err

    def __repr__(self):
        return f"$ {shlex.join(self.words)}\nstatus {self.status}\n--- stdout\n{shorten(self.out)}\n--- stderr\n{shorten(self.err)}"


def shorten(text, limit=6000):
    return text if len(text) <= limit else f"{text[:limit // 2]}\n[...]\n{text[-limit // 2:]}"


def clean_environment():
    """The environment without the user's settings for MPI and for tools."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("MPIR_CVAR_", "MPIR_PARAM_", "MPICH_", "QMPI_", "MPIEXEC_", "HYDRA_", "PMI_", "SLURM_"))
            and name not in ("LD_PRELOAD", "MPI_LOCALRANKID")}


class Commands:
    """Commands that run in `work` unless cwd is given."""

    bin = None
    compilers = {".c": "gcc", ".cpp": "g++", ".cxx": "g++"}

    def __init__(self, config, work):
        self.config, self.work = config, work

    def run(self, *words, seconds=120, stdin=None, cwd=None, may_time_out=False, **variables):
        """Run a command; variables with value None are unset. A command that does not end in time fails the test
        (or has the status 124 if may_time_out)."""
        words = [os.fspath(word) if isinstance(word, (os.PathLike, str, bytes)) else str(word) for word in words]
        folder = Path(cwd or self.work)
        environment = clean_environment()
        if self.bin:
            environment["PATH"] = f"{self.bin}:{environment['PATH']}"
        environment["TMPDIR"] = str(self.work)
        environment.update({name: os.fspath(value) if isinstance(value, (os.PathLike, bytes)) else str(value)
                            for name, value in variables.items()})
        for name in [name for name, value in variables.items() if value is None]:
            del environment[name]
        with tempfile.TemporaryFile() as text:
            text.write(stdin.encode(errors="surrogateescape") if isinstance(stdin, str) else stdin or b"")
            text.seek(0)
            process = subprocess.Popen(words, cwd=folder, env=environment, stdin=text, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True)
            late = False
            try:
                out, err = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                late = True
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    out, err = process.communicate(timeout=5)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    for left in processes(self.work):
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(left, signal.SIGKILL)
                    out, err = process.communicate()
        result = Result(words, 124 if late else process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
        if late and not may_time_out:
            pytest.fail(f"did not end within {seconds} s\n{result!r}", pytrace=False)
        return result

    def load(self, name):
        """Content of a JSON file; `name` is a path, relative to `work`."""
        return json.loads((self.work / name).read_text())

    def left_over(self):
        """Names of the test's processes that do not end within 10 seconds."""
        end = time.monotonic() + 10
        while (left := processes(self.work)) and time.monotonic() < end:
            time.sleep(0.1)
        names = []
        for process in left:
            with contextlib.suppress(OSError):
                names.append(Path("/proc", str(process), "comm").read_text().strip())
        return names

    def program(self, source, *options, name=None, compiler=None):
        """Path of a program, compiled once per session. `source` is a file, or a text whose language `name` gives by
        its suffix (name="send.c")."""
        return self.built(source, ["-g", "-O1", *options], name, compiler, "")

    def library(self, source, *options, name=None, compiler=None):
        """Path of a shared library, compiled once per session."""
        return self.built(source, ["-g", "-O1", "-shared", "-fPIC", *options], name, compiler, ".so")

    def compiled(self, source, *options):
        """Path of an object file, compiled once per session."""
        return self.built(source, ["-g", "-O1", "-c", *options], None, None, ".o")

    def built(self, source, options, name, compiler, suffix):
        text = None
        if isinstance(source, str) and "\n" in source:
            text, source = source, Path(name)
            name = None
        source = Path(source)
        compiler = compiler or self.compilers[source.suffix]
        compiler = str(self.bin / compiler) if self.bin else compiler
        options = [str(option) for option in options]
        content = text.encode() if text is not None else source.read_bytes()
        key = hashlib.sha256(repr((compiler, options, str(source), name)).encode() + content).hexdigest()[:12]
        folder = self.config.qmpi_folder / "built" / key
        folder.mkdir(parents=True, exist_ok=True)
        if name is None:
            name = f"lib{source.stem}.so" if suffix == ".so" else source.stem + suffix
        with open(folder / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            log = folder / ".log"
            if not log.exists():
                if text is not None:
                    source = folder / source.name
                    source.write_text(text)
                done = self.run(compiler, source, "-o", folder / name, *options, seconds=600, TMPDIR=folder, cwd=folder)
                log.write_text("" if done.status == 0 else repr(done))
        if log.read_text():
            pytest.fail(log.read_text(), pytrace=False)
        return folder / name


class Installation(Commands):
    """An installed MPICH; its compilers and programs are used."""

    compilers = COMPILERS

    def __init__(self, config, prefix, work):
        super().__init__(config, work)
        self.prefix = prefix
        self.bin, self.lib, self.include = prefix / "bin", prefix / "lib", prefix / "include"
        self.tools = self.lib / "mpich/tools"

    @property
    def version(self):
        """Of MPICH, as numbers."""
        return counting.version_of(self.prefix)

    def mpiexec(self, ranks, *program, tools=None, options=(), nap=True, **keywords):
        """Run a program on a number of ranks under a tool list. The ranks sleep a moment while they wait (see
        test/suite/idle_nap.cpp), because MPICH's ranks spin and tests share the cores; nap=False leaves that out."""
        preload = keywords.pop("LD_PRELOAD", None)
        if nap and ranks > 1:
            preload = f"{self.nap()}:{preload}" if preload else self.nap()
        words = [self.bin / "mpiexec", "-n", ranks]
        if preload:
            words += ["-genv", "LD_PRELOAD", preload]
        if tools is not None:
            words += ["-genv", "MPIR_CVAR_QMPI_TOOL_LIST", tools]
        return self.run(*words, *options, *program, **keywords)

    def reported(self, *words):
        """Output of qmpi_report with these arguments."""
        result = self.run("qmpi_report", *words)
        assert result.status == 0, result
        return result.out

    def report(self, *records):
        """Report in JSON that qmpi_report makes from records."""
        return json.loads(self.reported("json", *records))

    def nap(self):
        return self.library(ROOT / "test/suite/idle_nap.cpp", "-ldl", "-O2")

    def debian_names(self):
        """A folder with the installation's libraries under the names that Debian's programs are linked with."""
        folder = self.work / "debian"
        folder.mkdir(exist_ok=True)
        for theirs, ours in (("mpich", "mpi"), ("mpichcxx", "mpicxx"), ("mpichfort", "mpifort")):
            link = folder / f"lib{theirs}.so.12"
            link.unlink(missing_ok=True)
            link.symlink_to(self.lib / f"lib{ours}.so.12")
        return folder


class AbiInstallation(Installation):
    """Programs and tools are compiled for the MPI ABI."""

    compilers = {".c": "mpicc_abi", ".cpp": "mpicxx_abi"}

    def __init__(self, config, prefix, work):
        super().__init__(config, prefix, work)
        self.tools = self.lib / "mpich/tools_abi"
        if not (self.lib / "libmpi_abi.so").exists():
            pytest.skip(f"{prefix} has no library of the MPI ABI")


def required(config, option, file):
    """Path given by an option; a missing one fails the test."""
    path = getattr(config.option, option.replace("-", "_"))
    if path is None:
        pytest.fail(f"this test needs --{option} DIR", pytrace=False)
    path = path.resolve()
    if not (path / file).exists():
        pytest.fail(f"--{option}: {path / file} does not exist", pytrace=False)
    return path


def installation(kind, option, scope):
    """Fixture of an installation for a test or, with the scope module, for the whole file"""
    @pytest.fixture(scope=scope)
    def found(request):
        if option == "other-prefix" and request.config.option.other_prefix is None:
            pytest.skip("this test needs --other-prefix DIR, an installation of another base")
        work = request.getfixturevalue("work_module" if scope == "module" else "work")
        return kind(request.config, required(request.config, option, "bin/mpiexec"), work)
    return found


mpich, mpich_module = (installation(Installation, "prefix", scope) for scope in ("function", "module"))
abi, abi_module = (installation(AbiInstallation, "prefix", scope) for scope in ("function", "module"))
base, base_module = (installation(Installation, "base-prefix", scope) for scope in ("function", "module"))
other = installation(Installation, "other-prefix", "function")


@pytest.fixture
def local(request, work):
    return Commands(request.config, work)


@pytest.fixture(scope="module")
def local_module(request, work_module):
    return Commands(request.config, work_module)


@pytest.fixture(scope="session")
def tree(request):
    return required(request.config, "src", "configure.ac")


@pytest.fixture(scope="session")
def needs():
    """Fail the test if a program is missing."""
    def needs(*programs):
        for program in programs:
            if not shutil.which(program):
                pytest.fail(f"this test needs the program {program}", pytrace=False)
    return needs


@pytest.fixture(scope="session")
def unpack_packages():
    """Unpacks Debian's packages in a folder, without installing them; returns the folder below it that has them. Skips the
    test if apt-get has none."""
    def unpack_packages(folder, *packages):
        if not shutil.which("apt-get") or subprocess.run(["apt-get", "download", *packages], cwd=folder, timeout=600).returncode:
            pytest.skip("apt-get has no " + " ".join(packages))
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)
        return folder / "root"
    return unpack_packages


@pytest.fixture
def restricted(needs):
    """Words that run a command without root's right to read all files."""
    if os.getuid() != 0:
        return []
    needs("setpriv")
    return [shutil.which("setpriv"), "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture
def spawned(mpich):
    """Run a program that spawns processes under a tool list. Skips the test if MPI_Comm_spawn fails without tools: UCX
    refuses, in some runs or in all, to connect processes of two jobs. So the run with tools is repeated if it fails."""
    def spawned(ranks, *program, tools, **keywords):
        if mpich.mpiexec(ranks, *program, seconds=60, may_time_out=True, **keywords).status != 0:
            pytest.skip("MPI_Comm_spawn does not work in this installation without tools either")
        for _ in range(5):
            result = mpich.mpiexec(ranks, *program, tools=tools, **keywords)
            if not re.search(r"MPI_Comm_spawn\(|ucx function returned with failed status", result.err):
                return result
        pytest.fail(f"MPI_Comm_spawn works without tools and fails with {tools}: {result}", pytrace=False)
    return spawned


# ---- browser, small file systems, programs of others ----

@pytest.fixture(scope="module")
def chromium():
    if not browser.find():
        pytest.fail("this test needs Chromium (package chromium)", pytrace=False)
    with browser.Browser() as page:
        yield page


def hdf5_folder():
    """Libraries of Debian's HDF5 for MPICH."""
    return next(iter(sorted(Path("/usr/lib").glob("*/hdf5/mpich"))), None)


@pytest.fixture(scope="session")
def real_program():
    """(ranks, command, variables) of "netpipe" or "hdf5", as Debian has linked them with its MPICH."""
    def real_program(mpich, name, source=ROOT / "test/common/hdf5.c", netpipe=("-u", "64", "-n", "20", "-o", "netpipe.out")):
        old = mpich.debian_names()
        if name == "netpipe":
            command = shutil.which("NPmpich2")
            if not command:
                pytest.fail("this test needs NetPIPE (package netpipe-mpich2)", pytrace=False)
            return 2, [command, *netpipe], {"LD_LIBRARY_PATH": f"{old}:{mpich.lib}"}
        folder = hdf5_folder()
        if not folder or not Path("/usr/include/hdf5/mpich/hdf5.h").exists():
            pytest.fail("this test needs HDF5 for MPICH (package libhdf5-mpich-dev)", pytrace=False)
        program = mpich.program(source, "-I/usr/include/hdf5/mpich", f"-L{folder}", "-lhdf5",
                                f"-Wl,-rpath-link,{old}")
        return 4, [program], {"LD_LIBRARY_PATH": f"{old}:{mpich.lib}:{folder}"}
    return real_program


@pytest.fixture
def small_disk(mpich):
    """Mount a file system of a size such as "400k" at the folder small."""
    folder = mpich.work / "small"

    def small_disk(size):
        folder.mkdir()
        if mpich.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder).status != 0:
            pytest.skip("this user cannot mount a file system")
        return folder

    yield small_disk
    if folder.is_mount():
        mpich.run("umount", folder)
