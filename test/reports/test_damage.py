# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Records and journals that are damaged, as by a host that failed or a copy that was interrupted: qmpi_report names them, and
reports what the other processes did."""

import json
import random
import shutil
import struct
from pathlib import Path

import pytest

from job_ends import RANKS, ROUNDS, barriers

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
TOOLS = ["count", "messages", "profile", "check", "trace"]
RECORDING = [tool for tool in TOOLS if tool != "trace"]
DAMAGED = 1                                                     # rank


@pytest.fixture(scope="module")
def remains(mpich_module):
    """Folder with what a killed job has left: NAME.records of each tool, and trace.unfinished."""
    tools = ",".join(f"{tool}(out={tool})" for tool in TOOLS)
    mpich_module.mpiexec(RANKS, mpich_module.program(COMMON / "job_ends.c"), "kill_all", tools=tools)
    return mpich_module.work


def name_of(tool):
    return "trace.unfinished" if tool == "trace" else f"{tool}.records"


def file_of(tool):
    return f"{name_of(tool)}/{DAMAGED}.0.journal" if tool == "trace" else f"{name_of(tool)}/{DAMAGED}.record"


@pytest.fixture
def damage(mpich, remains):
    """Copy what a tool has left to the test's folder, and change the bytes of one file."""
    def damage(tool, change):
        shutil.rmtree(mpich.work / name_of(tool), ignore_errors=True)
        shutil.copytree(remains / name_of(tool), mpich.work / name_of(tool))
        path = mpich.work / file_of(tool)
        content = path.read_bytes()
        used = content.rstrip(b"\0")
        path.write_bytes(change(used) + bytes(len(content) - len(used)))
    return damage


def fill_middle(content):
    return content[:len(content) // 2] + b"\xff" * 256 + content[len(content) // 2 + 256:]


def lose_head(content):
    return b"\xff" * 64 + content[64:]


@pytest.mark.parametrize("tool", RECORDING)
def test_record_that_is_none_is_left_out(mpich, damage, tool):
    damage(tool, lose_head)
    result = mpich.run("qmpi_report", "json", name_of(tool))
    report = json.loads(result.out)
    assert (result.status, report["absent"]) == (0, f"records of rank {DAMAGED}"), result
    assert result.err.startswith(f"qmpi_report: {file_of(tool)} is left out: "), result
    if tool != "messages":
        assert barriers(tool, report) == ROUNDS * (RANKS - 1)


@pytest.mark.parametrize("rank", [RANKS, -1, -2])
@pytest.mark.parametrize("tool", RECORDING)
def test_record_of_an_impossible_rank_is_left_out(mpich, damage, tool, rank):
    def numbers(rank):                  # instance, instances, tool id, rank, size
        return struct.pack("<5i", 1, 1, 1 + TOOLS.index(tool), rank, RANKS)
    damage(tool, lambda content: content.replace(numbers(DAMAGED), numbers(rank)))
    result = mpich.run("qmpi_report", "json", name_of(tool))
    assert (result.status, result.err) == (0, f"qmpi_report: {file_of(tool)} is left out: the record is damaged\n"), result
    assert json.loads(result.out)["absent"] == f"records of rank {DAMAGED}"


def test_journal_ends_where_it_is_damaged(mpich, damage):
    damage("trace", fill_middle)
    result = mpich.run("qmpi_report", "otf2", "--json", "--html", "trace.unfinished")
    assert result.status == 0 and result.err.startswith(f"trace: {file_of('trace')} is damaged; its records after "), result
    events = [event for event in mpich.load("trace.json")["traceEvents"] if event.get("name") == "MPI_Barrier"]
    calls = [sum(event["pid"] == rank for event in events) for rank in range(RANKS)]
    assert calls[0] == calls[2] == ROUNDS and 0 < calls[DAMAGED] < ROUNDS, calls
    assert (mpich.work / file_of("trace")).exists()


def test_all_records_are_damaged(mpich, damage):
    damage("profile", lose_head)
    for rank in range(RANKS):
        if rank != DAMAGED:
            (mpich.work / name_of("profile") / f"{rank}.record").unlink()
    result = mpich.run("qmpi_report", "show", name_of("profile"))
    assert (result.status, result.out) == (2, "") and result.err.splitlines()[1:] == [
        "qmpi_report: profile.records has no records"], result


@pytest.mark.parametrize("tool", TOOLS)
def test_any_damage_has_a_message_or_none(mpich, damage, tool):
    """Bytes drawn at random: never a crash, never more memory or time than a report takes, always the file's name."""
    seed = random.randrange(1 << 32)
    draw = random.Random(seed)

    def change(content):
        content = bytearray(content)
        for _ in range(draw.choice((1, 1, 8))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        return bytes(content)[:draw.choice((len(content), draw.randrange(len(content))))]

    for number in range(10):
        damage(tool, change)
        assert_no_crash(mpich, tool, seed, number)


@pytest.mark.parametrize("tool", RECORDING)
def test_no_number_is_believed(mpich, damage, tool):
    """Each number in a record becomes very large: as the number of a function, a size or an index it is out of range."""
    def words_of(content):
        return [at for at in range(0, len(content) - 3, 4) if any(content[at:at + 4])]

    words = []
    damage(tool, lambda content: words.extend(words_of(content)) or content)
    for at in random.sample(words, min(len(words), 100)):
        damage(tool, lambda content: content[:at] + b"\xff\xff\xff\x7f" + content[at + 4:])
        assert_no_crash(mpich, tool, at)


@pytest.mark.parametrize("tool", RECORDING)
def test_name_of_a_tool_is_text(mpich, damage, tool):
    """Each message is one line."""
    name = tool.encode()
    damage(tool, lambda content: content.replace(name, name[:2] + b"\n" + name[3:], 1))
    assert_no_crash(mpich, tool)


def assert_no_crash(mpich, tool, *how):
    command = ["otf2", "--keep", "--json", "--html", "-o", "made"] if tool == "trace" else ["json"]
    result = mpich.run("sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", "qmpi_report", *command, name_of(tool), seconds=30)
    assert result.status in (0, 2), (how, result)
    assert all(name_of(tool) in line for line in result.err.splitlines()), (how, result)
