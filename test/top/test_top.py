# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""qmpi_top: its table compared with what the programs do (hangs.c of test/watch, shares.c), its screen in a terminal of
tmux, and its cost."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import clean_environment
from marks import line_of

HERE = Path(__file__).resolve().parent
HANGS, SHARES = HERE.parent / "watch/hangs.c", HERE / "shares.c"
COLUMNS = ["RANK", "HOST", "STATE", "SINCE", "MPI", "CALLS/S", "CPU", "CALL", "SITE", "WAITS FOR", "COMMUNICATOR"]
TIME = r"(?:\d+ s to )?\d+ s"
WORLD = "MPI_COMM_WORLD"


class Table:
    """Rows by rank, as dictionaries; the lines above without times and settings."""

    def __init__(self, text):
        lines = text.splitlines()
        at = next((i for i, line in enumerate(lines) if re.match(r" *RANK ", line)), None)
        assert at is not None, text
        head = [re.sub(r" \| by .*", "", line).rstrip() for line in lines[:at]]
        self.head = [re.sub(rf"\bfor {TIME}", "for T", line) for line in head if line]
        partner, communicator = lines[at].index("WAITS FOR"), lines[at].index("COMMUNICATOR")
        self.rows = []
        for line in lines[at + 1:]:
            if not re.match(r" *\d", line):
                continue
            cells = re.split(r"\s{2,}", line[:partner].strip())
            cells += [line[partner:communicator].strip(), line[communicator:].strip()]
            assert len(cells) == len(COLUMNS), line
            self.rows.append(dict(zip(COLUMNS, cells)))

    def column(self, name):
        return [row[name] for row in self.rows]

    def where(self):
        """The columns that depend on the program alone."""
        names = ("RANK", "STATE", "CALL", "SITE", "WAITS FOR", "COMMUNICATOR")
        return [tuple(row[name] for name in names) for row in self.rows]


class Job:
    """A program whose ranks have begun what they do until they are stopped."""

    def __init__(self, mpich, words, ranks, ready, options):
        self.mpich = mpich
        environment = {**clean_environment(), "TMPDIR": str(mpich.work)}
        self.process = subprocess.Popen(
            [mpich.bin / "mpiexec", "-n", str(ranks), *options, "-genv", "LD_PRELOAD", mpich.nap(), "-genv",
             "MPIR_CVAR_QMPI_TOOL_LIST", f"watch(records={mpich.work})", *map(str, words)],
            cwd=mpich.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not all(self.has(f"ready.{rank}") for rank in (range(ranks) if ready is None else ready)):
            assert time.monotonic() < end
            time.sleep(0.02)

    def has(self, name):
        file = self.mpich.work / name
        return file.exists() and file.read_text().endswith("\n")

    def top(self, *words):
        result = self.mpich.run("qmpi_top", *words, self.process.pid)
        assert (result.status, result.err) == (0, ""), result
        return Table(result.out)

    def settled(self, *words):
        """The table when it says the same twice."""
        last = None
        for _ in range(20):
            table = self.top("--once", *words)
            if last is not None and (table.where(), table.head) == (last.where(), last.head):
                return table
            last = table
        pytest.fail(f"the table changes: {table.where()}")

    def kill(self, *ranks):
        """mpiexec may be faster with some of them."""
        for rank in ranks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int((self.mpich.work / f"ready.{rank}").read_text()), signal.SIGKILL)

    def stop(self):
        """Ends shares.c, and returns its notes by rank: time, time in MPI and calls so far."""
        (self.mpich.work / "stop").touch()
        assert self.process.wait(timeout=60) == 0
        files = sorted(self.mpich.work.glob("shares.*"))
        return [[tuple(map(float, line.split())) for line in file.read_text().splitlines()] for file in files]


def measured(notes, begin, end):
    """Percent in MPI and calls per second between two moments"""
    first = next(note for note in notes if note[0] >= begin)
    last = next(note for note in reversed(notes) if note[0] <= end)
    elapsed, in_mpi, calls = (b - a for a, b in zip(first, last))
    return 100 * in_mpi / elapsed, calls / elapsed


@pytest.fixture
def start(mpich):
    jobs = []

    def start(*words, ranks=4, ready=None, options=()):
        jobs.append(Job(mpich, words, ranks, ready, options))
        return jobs[-1]
    yield start
    for job in jobs:
        for name in ("ready.1", "stopped"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((mpich.work / name).read_text()), signal.SIGCONT)
        job.process.terminate()


@pytest.fixture
def hang(mpich, start):
    program = mpich.program(HANGS, "-pthread")

    def hang(reason, **keywords):
        return start(program, reason, **keywords)
    return hang


@pytest.fixture
def shares(mpich, start):
    program = mpich.program(SHARES)

    def shares(*times):
        return start(program, *times, ranks=len(times))
    return shares


# ---- where the ranks are ----

BARRIER = ("MPI_Barrier", line_of("barrier", HANGS))


def test_call_site_and_partner(hang):
    table = hang("missing_send").settled()
    assert table.where() == [
        ("0", "waiting", *BARRIER, "rank 1", WORLD),
        ("1", "waiting", "MPI_Recv", line_of("missing", HANGS), "a message from rank 0 with tag 7", WORLD),
        ("2", "waiting", *BARRIER, "rank 1", WORLD),
        ("3", "waiting", *BARRIER, "rank 1", WORLD)]
    assert table.head == ["hangs, 4 ranks: 4 waiting", "no rank has made progress in MPI for T",
                          "ranks 0-1 wait for each other for T"]
    assert table.column("MPI") == ["100%"] * 4 and table.column("CALLS/S") == ["0"] * 4
    assert set(table.column("HOST")) == {os.uname().nodename}


def test_rank_outside_mpi(hang):
    table = hang("loop").settled()
    assert table.where() == [
        *[(rank, "waiting", *BARRIER, "rank 3", WORLD) for rank in "012"],
        ("3", "running", "after MPI_Allreduce", line_of("before loop", HANGS), "", "")]
    assert table.head == ["hangs, 4 ranks: 3 waiting, 1 running",
                          "no rank has made progress in MPI for T; rank 3 is outside MPI"]
    assert table.column("MPI") == ["100%"] * 3 + ["0%"]
    assert int(table.rows[3]["CPU"].rstrip("%")) >= 5


@pytest.mark.parametrize("reason, options, state", [
    ("stopped", [], "stopped"), ("killed", ["-disable-auto-cleanup"], "dead"),
    ("leave", ["-disable-auto-cleanup"], "exited")])
def test_state(hang, reason, options, state):
    job = hang(reason, options=options)
    end = time.monotonic() + 30
    while (table := job.top("--once", "--interval", "0.3")).column("STATE")[1] != state and time.monotonic() < end:
        pass
    assert table.column("STATE") == ["waiting", state, "waiting", "waiting"]
    assert re.fullmatch(rf"hangs, 4 ranks: 3 waiting, 1 {state}", table.head[0])


def test_rank_that_polls(hang):
    table = hang("poll").settled()
    assert table.where()[0] == ("0", "polling", *table.where()[0][2:]) and line_of("poll", HANGS) in table.where()[0]
    assert int(table.rows[0]["CALLS/S"].replace(",", "")) > 1000
    assert table.head[1] == "no rank has made progress in MPI for T"


def test_rank_without_record(hang):
    line = "rank 1 has no record: it has ended, or has not begun MPI_Init with the tool watch"
    assert line in hang("init").settled().head


def test_group(hang):
    assert hang("loop").settled("--group").where() == [
        ("0-2", "waiting", *BARRIER, "rank 3", WORLD),
        ("3", "running", "after MPI_Allreduce", line_of("before loop", HANGS), "", "")]


def test_group_of_ranks_with_different_partners(hang):
    assert hang("ring").settled("--group").where() == [
        ("0-3", "waiting", "MPI_Recv", line_of("ring", HANGS), "a message from rank 1 with tag 0, ...", WORLD)]


@pytest.mark.parametrize("words, ranks", [
    (["--ranks", "1-2"], "12"), (["--ranks", "3,0"], "03"), (["--waiting"], "012"),
    (["--waiting", "--ranks", "2-9"], "2")])
def test_filter(hang, words, ranks):
    table = hang("loop").settled(*words)
    assert table.column("RANK") == list(ranks)
    assert table.head[0] == "hangs, 4 ranks: 3 waiting, 1 running"


def test_sort_by_waiting_time(mpich, start):
    """Rank 2 waits first, rank 0 last."""
    source = r"""
        #include <mpi.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int rank;
            char name[] = "ready.0";
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            usleep((2 - rank) * 1500000);
            name[6] += rank;
            FILE *file = fopen(name, "w");
            fputs("\n", file);
            fclose(file);
            MPI_Recv(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        """
    table = start(mpich.program(source, name="late.c"), ranks=3).settled("--sort", "time")
    assert table.column("RANK") == ["2", "1", "0"] and table.column("STATE") == ["waiting"] * 3
    assert [line for line in table.head if "itself" in line][0] == "rank 0 waits for itself for T"


def test_names_cannot_change_the_terminal(mpich, start):
    source = r"""
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            MPI_Init(&argc, &argv);
            MPI_Comm_set_name(MPI_COMM_WORLD, "\033[2Jw\303\266rld");
            FILE *file = fopen("ready.0", "w");
            fputs("\n", file);
            fclose(file);
            MPI_Recv(&argc, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        """
    job = start(mpich.program(source, name="names.c"), ranks=1)
    assert job.settled().column("COMMUNICATOR") == ["?[2Jw\u00f6rld"]


def test_records_of_another_host(hang):
    """What the records have is shown, of the processes nothing."""
    job = hang("loop")
    result = job.mpich.run("unshare", "-u", "sh", "-c", "hostname other-host && qmpi_top --once qmpi-watch-*")
    if result.status != 0:
        pytest.skip(f"this user cannot make another host: {result}")
    table = Table(result.out)
    assert table.column("STATE") == ["waiting"] * 3 + ["outside"]
    assert table.column("MPI") == table.column("CPU") == ["-"] * 4


# ---- shares and rates ----

@pytest.mark.parametrize("times, sampled", [((200000, 50000), False), ((300, 40), True)])
def test_share_of_time_in_mpi(shares, times, sampled):
    """Against the clock of the program"""
    job = shares(*times)
    table, end = job.top("--once", "--interval", "4"), time.monotonic()
    notes = job.stop()
    assert table.head == ["shares, 2 ranks: 2 running"]
    for row, own in zip(table.rows, notes):
        share, rate = measured(own, end - 4.1, end - 0.1)
        assert row["MPI"].startswith("~") == sampled, row
        assert float(row["MPI"].strip("~%")) == pytest.approx(share, abs=12), row
        assert float(row["CALLS/S"].replace(",", "")) == pytest.approx(rate, rel=0.3), row
        assert row["CALL"].endswith("MPI_Allreduce") and row["SITE"] == line_of("round", SHARES)


def test_sort_by_share(shares):
    job = shares(20000, 1000, 10000)
    assert job.top("--once", "--sort", "mpi").column("RANK") == ["1", "2", "0"]
    job.stop()


# ---- jobs that are not there ----

@pytest.mark.parametrize("words, message", [
    (["99999999"], "no process 99999999 on this host, and no record of one"),
    (["nothing"], "nothing does not exist: a job is the number of a process, or a folder of records"),
    (["--ranks", "x", "1"], "'x' is not a list of ranks such as 0-3,7"),
    (["--ranks", "3-1", "1"], "'3-1' is not a list of ranks such as 0-3,7"),
    (["--ranks", "1,", "1"], "'1,' is not a list of ranks such as 0-3,7"),
])
def test_message(mpich, words, message):
    result = mpich.run("qmpi_top", *words)
    assert (result.status, result.out, result.err) == (2, "", f"qmpi_top: {message}\n"), result


@pytest.mark.parametrize("words", [[], ["--sort", "size", "1"], ["--interval", "0", "1"]])
def test_wrong_arguments(mpich, words):
    result = mpich.run("qmpi_top", *words)
    assert result.status == 2 and result.err + result.out, result


def test_job_without_the_tool(mpich):
    process = subprocess.Popen(["sleep", "60"], cwd=mpich.work)
    result = mpich.run("qmpi_top", process.pid)
    process.kill()
    process.wait()
    message = f"process {process.pid} and those that it has started have no records: start the job with the tool " \
        "watch (MPIR_CVAR_QMPI_TOOL_LIST=watch)"
    assert (result.status, result.err) == (2, f"qmpi_top: {message}\n"), result


def test_job_that_was_killed(hang):
    job = hang("loop")
    job.kill(*range(4))
    job.process.wait(timeout=60)
    table = job.top("--once")
    assert table.column("STATE") == ["dead"] * 4 and table.column("SINCE") == table.column("MPI") == ["-"] * 4
    assert table.head == ["hangs, 4 ranks: 4 dead", "the job has ended: ranks 0-3 died"]


# ---- screen ----

class Screen:
    """A terminal in which a command runs."""

    def __init__(self, mpich, command, columns, lines):
        self.mpich = mpich
        self.tmux("new-session", "-d", "-x", columns, "-y", lines, f"{command}; echo status $?; sleep 1000")
        self.tmux("set-option", "-g", "status", "off")

    def tmux(self, *words):
        result = self.mpich.run("tmux", "-u", "-S", self.mpich.work / "tmux", "-f", "/dev/null", *words, TMUX=None)
        assert result.status == 0, result
        return result.out

    def process(self, name):
        """Number of the process of that name in the terminal."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(self.mpich.run("pgrep", "-P", shell, "-x", name).out)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", columns, "-y", lines)

    def text(self):
        return self.tmux("capture-pane", "-p")

    def table(self):
        return Table(self.text())

    def until(self, condition, seconds=30):
        """The text of the screen as soon as the condition holds."""
        end = time.monotonic() + seconds
        while not condition(text := self.text()):
            assert time.monotonic() < end, text
            time.sleep(0.1)
        return text

    def until_ranks(self, *ranks):
        def has_ranks(text):
            return re.search(r"^ *RANK ", text, re.M) and Table(text).column("RANK") == list(ranks)
        self.until(has_ranks)


@pytest.fixture
def screen(mpich, needs):
    needs("tmux")
    screens = []

    def screen(job, *words, columns=140, lines=20, term=None, before="true"):
        command = ["env", *([f"TERM={term}"] if term else []), "qmpi_top", *words, str(job.process.pid)]
        screens.append(Screen(mpich, f"{before}; {shlex.join(command)}", columns, lines))
        return screens[-1]
    yield screen
    for one in screens:
        with contextlib.suppress(AssertionError):
            one.tmux("kill-server")


def test_screen(hang, screen):
    """The times count up, the keys change the table, and q leaves the terminal as it was."""
    one = screen(hang("loop"))
    one.until_ranks("0", "1", "2", "3")
    first = int(one.table().rows[0]["SINCE"].split()[0])
    one.until(lambda text: int(Table(text).rows[0]["SINCE"].split()[0]) >= first + 2)
    one.keys("r")
    one.until_ranks("3", "2", "1", "0")
    one.keys("r")
    one.until_ranks("0", "1", "2", "3")
    one.keys("m", "m")
    one.until(lambda text: Table(text).column("RANK")[0] == "3")
    one.keys("w")
    one.until(lambda text: sorted(Table(text).column("RANK")) == ["0", "1", "2"])
    one.keys("w", "g", "t")
    one.until_ranks("0-2", "3")
    one.keys("g", "r", "f", "1-2", "Enter")
    one.until_ranks("1", "2")
    assert "by rank, ranks 1-2" in one.text()
    one.keys("q")
    text = one.until(lambda text: "status 0" in text)
    assert "RANK" not in text


def test_wrong_list_of_ranks(hang, screen):
    one = screen(hang("loop"))
    one.until_ranks("0", "1", "2", "3")
    one.keys("f", "1-x", "Enter")
    one.until(lambda text: "'1-x' is not a list of ranks such as 0-3,7: 1-x" in text)
    one.keys("BSpace", "BSpace", "Enter")
    one.until_ranks("1")
    one.keys("f", "BSpace", "Enter")
    one.until_ranks("0", "1", "2", "3")
    one.keys("f", "2", "Escape")
    one.until(lambda text: "q quit" in text)
    assert one.table().column("RANK") == ["0", "1", "2", "3"]


def test_many_ranks(hang, screen):
    """The screen has fewer lines than the job has ranks."""
    one = screen(hang("loop", ranks=16), lines=12)
    one.until(lambda text: "hangs, 16 ranks: 15 waiting, 1 running" in text)
    assert one.table().column("RANK") == [str(rank) for rank in range(8)]
    one.keys("End")
    one.until_ranks(*[str(rank) for rank in range(8, 16)])
    one.keys("Up")
    one.until_ranks(*[str(rank) for rank in range(7, 15)])
    one.keys("Home")
    one.until_ranks(*[str(rank) for rank in range(8)])
    one.keys("NPage")
    one.until_ranks(*[str(rank) for rank in range(8, 16)])


def test_narrow_screen(hang, screen):
    """The last columns come into sight by moving the table."""
    one = screen(hang("missing_send"), columns=60)
    text = one.until(lambda text: "RANK" in text)
    assert "COMMUNICATOR" not in text and max(map(len, text.splitlines())) <= 60
    one.keys(*["Right"] * 9)
    one.until(lambda text: "COMMUNICATOR" in text and "tag 7" in text)
    one.keys(*["Left"] * 20)
    one.until(lambda text: "RANK" in text)


def test_resize(hang, screen):
    one = screen(hang("loop"))
    one.until_ranks("0", "1", "2", "3")
    one.resize(30, 20)
    one.until(lambda text: text.strip() == "the terminal is too small")
    one.resize(120, 5)
    one.until(lambda text: text.strip() == "the terminal is too small")
    one.resize(120, 6)
    one.until(lambda text: "RANK" in text and text.splitlines()[-1].startswith("q quit"))
    one.resize(160, 30)
    one.until_ranks("0", "1", "2", "3")
    assert one.text().splitlines()[-1].startswith("q quit")


def test_job_that_ends(shares, screen):
    """The last table stays until the user quits."""
    job = shares(1000, 1000)
    one = screen(job)
    one.until_ranks("0", "1")
    job.stop()
    text = one.until(lambda text: "the job has ended" in text)
    assert Table(text).column("STATE") == ["ended"] * 2
    assert Table(text).head == ["shares, 2 ranks: 2 ended", "the job has ended"]
    one.keys("q")
    one.until(lambda text: "status 0" in text)


def test_job_that_is_killed(hang, screen):
    job = hang("loop")
    one = screen(job)
    one.until_ranks("0", "1", "2", "3")
    job.kill(*range(4))
    one.until(lambda text: "the job has ended: ranks 0-3 died" in text)


def test_rank_that_begins_later(mpich, start, screen):
    """Rank 1 calls MPI_Init when qmpi_top runs already."""
    source = r"""
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            FILE *file = fopen(*getenv("PMI_RANK") == '0' ? "ready.0" : "ready.1", "w");
            fprintf(file, "%d\n", (int) getpid());
            fclose(file);
            while (*getenv("PMI_RANK") == '1' && access("go", F_OK) != 0)
                usleep(1000);
            MPI_Init(&argc, &argv);
            MPI_Recv(&argc, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        """
    job = start(mpich.program(source, name="later.c"), ranks=2)
    time.sleep(1)
    one = screen(job)
    one.until_ranks("0")
    (mpich.work / "go").touch()
    one.until_ranks("0", "1")


def test_interrupt_restores_the_terminal(hang, screen):
    one = screen(hang("loop"))
    one.until_ranks("0", "1", "2", "3")
    one.keys("C-c")
    assert "RANK" not in one.until(lambda text: "status" in text)


def test_terminal_that_is_closed(hang, screen):
    """The command ends, also if it ignores the signal."""
    one = screen(hang("loop"), before="trap '' HUP")
    one.until_ranks("0", "1", "2", "3")
    top = one.process("qmpi_top")
    one.tmux("kill-server")
    end = time.monotonic() + 20
    while Path(f"/proc/{top}/exe").exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert not Path(f"/proc/{top}/exe").exists()


def test_unknown_terminal(hang, screen):
    one = screen(hang("loop"), term="nothing")
    text = one.until(lambda text: "status 2" in text)
    assert "qmpi_top: the terminal 'nothing' (TERM) is unknown; --once prints the table" in text


# ---- cost ----

@pytest.mark.serial
def test_cost(hang, screen):
    """Processor time while somebody looks at 32 ranks"""
    one = screen(hang("ring", ranks=32), lines=40)
    one.until(lambda text: "32 waiting" in text)
    top = one.process("qmpi_top")

    def seconds():
        fields = Path(f"/proc/{top}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    before, begin = seconds(), time.monotonic()
    time.sleep(10)
    used, elapsed = seconds() - before, time.monotonic() - begin
    print(f"qmpi_top: {used:.2f} s of processor time in {elapsed:.1f} s")
    assert used < 0.01 * elapsed
