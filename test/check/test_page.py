# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The page of the tool check in a browser without a screen: what was checked comes first, findings have their lines of
source, and the graph of a deadlock is that of the program. With --out the pages and pictures of them stay in the folder
tools-check_page."""

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# name: program, ranks, arguments
RUNS = {"deadlock": ("wrong/deadlock_ring.c", 3, ",timeout=1,deadlock=abort"), "race": ("wrong/window_put_put.c", 3, ""),
        "clean": ("right/messages.c", 3, ""), "ended": ("wrong/deadlock_end.c", 2, ",timeout=1,deadlock=abort"),
        "possible": ("wrong/unsafe_ring.c", 4, ""), "leaks": ("wrong/leaks.c", 2, ""), "threads": ("right/threads.c", 2, "")}


@pytest.fixture(scope="module")
def reports(mpich_module):
    """The folder with the reports NAME.html, .json and .txt."""
    for name, (source, ranks, arguments) in RUNS.items():
        program = mpich_module.program(HERE / source, "-pthread")
        result = mpich_module.mpiexec(ranks, program, tools=f"check(out={name}{arguments})", may_time_out=True, seconds=30)
        assert (mpich_module.work / f"{name}.html").exists(), result
    return mpich_module.work


@pytest.fixture
def open_page(reports, chromium):
    """Open the page of a run, or a file."""
    def open_page(name, **keywords):
        chromium.open(reports / f"{name}.html" if isinstance(name, str) else name, **keywords)
        return chromium
    return open_page


def findings(reports, name):
    return json.loads((reports / f"{name}.json").read_text())["findings"]


# ---- what was checked ----

@pytest.mark.parametrize("name", RUNS)
def test_page_begins_with_what_was_checked(reports, open_page, name):
    page = open_page(name)
    summary = (reports / f"{name}.txt").read_text().splitlines()[0].removeprefix("check: ")
    assert (page.of("main > section h2", "it.textContent"), page.of("main > section .verdict", "it.textContent")) == (
        "What was checked", summary)
    assert page.errors == [] and [url for url in page.requests if not url.startswith("file:")] == []


def test_zero_findings_come_with_what_was_not_looked_for(open_page):
    page = open_page("clean")
    assert page.all(".remarks li") == ["no process and no communicator was left out", "not looked for: buffer changed, message race"]
    assert page.of(".verdict", "it.className") == "verdict good"


def test_report_from_before_finalize_says_so(open_page):
    assert open_page("deadlock").all(".remarks li") == [
        "not looked for: buffer changed, message race",
        "written before MPI_Finalize: the records name the processes that a part of the analysis left out"]


def test_run_that_was_not_compared_is_not_called_good(open_page):
    page = open_page("threads")
    assert page.of(".verdict", "it.className") == "verdict doubtful"
    assert any("several threads use it at the same time" in line for line in page.all(".remarks li"))


# ---- findings ----

@pytest.mark.parametrize("name", ["deadlock", "race", "leaks"])
def test_page_has_the_findings_of_the_other_reports(reports, open_page, name):
    page, found = open_page(name), findings(reports, name)
    assert sorted(page.all(".item h4")) == sorted({f"{one['function']} at {one['site']}" for one in found})
    assert sorted(page.all(".item .entry")) == sorted({one["suppression"] for one in found})
    assert {line.split(": ", 1)[-1] for line in page.all(".item p")} == {one["text"] for one in found}
    assert {title.rstrip("0123456789") for title in page.all(".group-of-items h3")} == {one["kind"] for one in found}


@pytest.mark.parametrize("name", ["deadlock", "race", "leaks"])
def test_marked_line_is_that_of_the_call(reports, open_page, name):
    source = (HERE / RUNS[name][0]).read_text().splitlines()
    marked = open_page(name).all(".item .excerpt:first-child .marked", "[it.value, it.textContent.trim()]")
    lines = {int(one["site"].split(":")[1]) for one in findings(reports, name)}
    assert sorted(marked) == [[line, source[line - 1].strip()] for line in sorted(lines)]


def test_both_accesses_of_a_conflict_have_their_lines(mpich, open_page):
    program = mpich.program(HERE / "wrong/window_put_get.c")
    mpich.mpiexec(3, program, tools="check(out=two)")
    other = mpich.load("two.json")["findings"][0]["other_calls"][0]
    captions = open_page(mpich.work / "two.html").all(".item .excerpt figcaption")
    assert len(captions) == 2 and captions[1].startswith(f"rank {other['rank']}: {other['function']} at {other['site']}"), captions


HOSTILE = """#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* </script><script>document.title = "broken"</script><b>bold</b> &amp; */
    MPI_Finalize();
    return 0;
}
"""


def test_source_is_shown_as_text(mpich, open_page):
    mpich.mpiexec(1, mpich.program(HOSTILE, name="hostile.c"), tools="check(out=hostile)")
    page = open_page(mpich.work / "hostile.html")
    assert page.of(".marked", "it.textContent.trim()") == HOSTILE.splitlines()[5].strip()
    assert page.run("document.title") == "MPI check" and page.errors == []


def test_finding_without_its_source_has_the_call_site_only(mpich, open_page):
    source = mpich.work / "moved.c"
    source.write_text(HOSTILE)
    program = mpich.program(source)
    source.rename(mpich.work / "elsewhere.c")
    mpich.mpiexec(1, program, tools="check(out=moved)")
    page = open_page(mpich.work / "moved.html")
    assert page.all(".item h4") == ["MPI_Comm_dup at moved.c:6"] and page.all(".excerpt") == []


def test_suppressed_findings_are_counted_on_the_page(mpich, open_page):
    (mpich.work / "known.txt").write_text("MPI_* at leaks.c:*: leak\nMPI_Send at x.c:1: truncation\n")
    mpich.mpiexec(2, mpich.program(HERE / "wrong/leaks.c", "-pthread"), tools="check(out=known,suppress=known.txt)")
    page = open_page(mpich.work / "known.html")
    assert re.match(r"0 findings \(7 suppressed\) in ", page.of(".verdict", "it.textContent")) and page.all(".item") == []
    assert page.all(".remarks section:nth-child(2) li")[0].startswith("7 findings (12 times) suppressed by known.txt:1: ")


# ---- graphs ----

def test_graph_of_a_ring_is_a_cycle(open_page):
    page = open_page("deadlock")
    assert page.all(".cycles li") == ["Cycle: rank 0 → rank 1 → rank 2 → rank 0"]
    assert sorted(page.all("svg .node.cycle .name")) == ["rank 0", "rank 1", "rank 2"]
    assert sorted(title.split(":")[0] for title in page.all("svg .arrow.cycle title")) == [
        f"rank {rank} waits for rank {(rank + 1) % 3}" for rank in range(3)]


BRANCH = """#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&value, 1, MPI_INT, rank == 0 ? 2 : 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def test_process_that_waits_for_a_cycle_is_drawn_outside_of_it(mpich, open_page):
    """Ranks 0 and 2 wait for each other, rank 1 for rank 0; it is reported after the timeout only."""
    mpich.mpiexec(3, mpich.program(BRANCH, name="branch.c"), tools="check(out=branch,timeout=1)", seconds=8, may_time_out=True)
    page = open_page(mpich.work / "branch.html")
    assert page.all(".cycles li") == ["Cycle: rank 0 → rank 2 → rank 0"]
    assert (sorted(page.all("svg .node.cycle .name")), page.all("svg .node.plain .name")) == (["rank 0", "rank 2"], ["rank 1"])
    assert [title.split(":")[0] for title in page.all("svg .arrow.plain title")] == ["rank 1 waits for rank 0"]


def test_process_in_finalize_has_that_call(open_page):
    page = open_page("ended")
    assert page.all("svg .node", "[...it.querySelectorAll('text')].map(part => part.textContent).slice(0, 2)") == [
        ["rank 0", "MPI_Recv"], ["rank 1", "MPI_Finalize"]]


def test_cycle_of_a_possible_deadlock_is_drawn(open_page):
    page = open_page("possible")
    assert "Possible deadlock" in page.all("main h2")
    assert page.all(".cycles li") == ["Cycle: rank 0 → rank 1 → rank 2 → rank 3 → rank 0"]


def test_clean_run_has_no_graph(open_page):
    assert open_page("clean").all("svg") == []


def test_graph_is_a_table_too(open_page):
    page = open_page("deadlock")
    page.click("main > section:nth-child(2) summary")
    assert page.all("main > section:nth-child(2) tbody tr td:nth-child(3)") == ["rank 1", "rank 2", "rank 0"]


# ---- records ----

def test_page_from_records_has_the_same_findings(mpich, open_page):
    program = mpich.program(HERE / "wrong/deadlock_ring.c", "-pthread")
    mpich.mpiexec(3, program, tools="check(timeout=1,out=killed)", seconds=8, may_time_out=True)
    assert mpich.run("qmpi_report", "html", "killed.records", "-o", "again.html").status == 0
    page = open_page(mpich.work / "again.html")
    assert len(page.all(".item p")) == 3 and page.all(".cycles li") == ["Cycle: rank 0 → rank 1 → rank 2 → rank 0"]
    assert any("MPI_Ssend at deadlock_ring.c" in text for text in page.all("main > section tbody td:last-child"))


# ---- windows and themes ----

@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["deadlock", "race", "clean"])
def test_page_fits_the_window(open_page, name, width):
    assert open_page(name, width=width).run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["deadlock", "race", "clean", "leaks", "ended"])
def test_picture(reports, open_page, name, dark):
    """Pictures to look at; the drawing's lines are the colours of the theme."""
    page = open_page(name, dark=dark)
    page.image(reports / f"{name}-{'dark' if dark else 'light'}.png")
    assert page.of("body", "getComputedStyle(it).backgroundColor") == ("rgb(20, 23, 28)" if dark else "rgb(244, 245, 247)")
