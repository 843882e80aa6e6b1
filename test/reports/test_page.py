# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The pages of the reports in a browser without a screen: Chromium opens pages of invented data of 2, 64 and 1,024
ranks, clicks, types and looks. With --out the pages and pictures of them stay in the folder reports-page."""

import functools
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMON = ROOT / "src/tools/common"
RANKS = (2, 64, 1024)
KINDS = ("profile", "messages", "trace")
THEMES = {"light": 0, "dark": 1}


# ---- the data, computed a second time ----

FUNCTIONS = ["MPI_Waitall", "MPI_Allreduce", "MPI_Isend", "MPI_Irecv", "MPI_Bcast", "MPI_Barrier", "MPI_Alltoallv",
             "MPI_Reduce_scatter_block", "MPI_File_write_at_all", "MPI_Comm_dup", "MPI_Gatherv"]


def time_in(rank, i):
    return 400000 // (i + 1) ** 2 + (rank * (i + 3) * 1777 + i * 29) % 60000


def time_outside(rank):
    return 1500000 - rank * 7919 % 200000


def call_sites():
    """Site, function, place, calls, microseconds, bytes of each row."""
    return [(i + 1, FUNCTIONS[i % 11], f"exchange_{i % 23} in solver/halo{i % 7}.c:{40 + i * 13}",
             1 + i * 7919 % 1000, i * 104729 % 999983, i * 31337 % 65521 * 1024) for i in range(260)]


def bytes_between(sender, receiver, ranks):
    found = 0
    if abs(receiver - sender) == 1:
        found += 2 ** 20 + 1000 * sender
    if abs(receiver - sender) == 16:
        found += 2 ** 18 + 10 * sender
    if receiver == 0 and sender != 0:
        found += 4096
    if (sender * 7 + receiver * 13) % ranks == 5 % ranks and sender % 3 == 0:
        found += 64 + sender
    return found


# ---- helpers ----

def plain(text):
    return text.replace("\u00a0", " ")


def as_seconds(text):
    """The seconds that a text like 12.3 ms means."""
    number, unit = plain(text).replace(",", "").split(" ")
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


def as_bytes(text):
    """The bytes that a text like 1.50 MiB (1,572,864 B) means."""
    return int(re.search(r"([\d,]+) B\b", plain(text)).group(1).replace(",", ""))


def as_size(text):
    """The bytes that a text like 1.50 MiB means, about; 0 for another text."""
    number, _, unit = plain(text).replace(",", "").partition(" ")
    units = {"B": 1, "KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30}
    return float(number) * units[unit] if unit in units else 0


def card(title):
    """Selects the part of the page that has a title."""
    return f'section[data-title="{title}"]'


def name_cards(page):
    """Give each section its title as an attribute, for card()."""
    page.run("document.querySelectorAll('section').forEach(it => { it.dataset.title = it.querySelector('h2')?.textContent ?? ''; })")


def column(page, title, number):
    """The texts of one column of a table, from the top."""
    return [plain(text) for text in page.all(f"{card(title)} tbody tr td:nth-child({number})")]


def tip(page, title):
    """Text at the cursor of a chart: heading, then a dictionary"""
    heading = page.of(f"{card(title)} .tip", "it.hidden ? null : it.firstChild.textContent")
    lines = page.all(f"{card(title)} .tip .line", "[...it.querySelectorAll(':scope > span:not(.swatch)')].map(part => part.textContent)")
    return heading, {name: plain(value) for name, value in lines}


def pixel(page, title, x, y):
    """The colour of a point of a chart."""
    return page.of(f"{card(title)} canvas", "(ratio => [...it.getContext('2d').getImageData("
                                            f"Math.round({x} * ratio), Math.round({y} * ratio), 1, 1).data].slice(0, 3))(it.width / it.clientWidth)")


def luminance(red, green, blue):
    """Relative luminance as WCAG 2 defines it."""
    linear = [value / 255 / 12.92 if value / 255 <= 0.04045 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, two):
    light, dark = sorted((luminance(*one), luminance(*two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colours():
    """The colours of the style sheet: name -> (light, dark), each as three numbers."""
    found = re.findall(r"--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)", (COMMON / "page/page.css").read_text())
    return {name: [tuple(int(text[i:i + 2], 16) for i in (0, 2, 4)) for text in both] for name, *both in found}


# ---- the pages ----

@pytest.fixture(scope="module")
def page_data(mpich_module):
    """The program that writes pages of invented data. It needs no MPI."""
    assets = mpich_module.run("sh", COMMON / "page/assets")
    assert assets.status == 0, assets
    (mpich_module.work / "page_assets.hpp").write_text(assets.out)
    return mpich_module.program(HERE / "page_data.cpp", COMMON / "page.cpp", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror",
                                f"-I{COMMON}", f"-I{mpich_module.work}")


@pytest.fixture(scope="module")
def pages(mpich_module, page_data):
    """The folder with the pages KIND-RANKS.html."""
    for kind, ranks in [(kind, ranks) for kind in KINDS for ranks in RANKS] + [("hostile", 1)]:
        result = mpich_module.run("sh", "-c", f'"$0" {kind} {ranks} > {kind}-{ranks}.html', page_data)
        assert result.status == 0, result
    return mpich_module.work


@pytest.fixture
def page(chromium):
    """The browser. No test may leave an error in the page."""
    chromium.errors.clear()
    yield chromium
    assert chromium.errors == []


@pytest.fixture
def show(page, pages):
    """Open a page and name its cards."""
    def show(name, **size):
        page.open(pages / f"{name}.html", **size)
        name_cards(page)
    return show


def test_wrong_sizes_and_indices_are_refused(mpich, page_data):
    assert mpich.run(page_data, "misuse").out == "6\n"


# ---- colours ----

def least_contrast(theme, names, grounds):
    found = colours()
    return min((contrast(found[name][theme], found[ground][theme]), name, ground) for name in names for ground in grounds)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_have_a_contrast_of_4_5(theme):
    assert least_contrast(THEMES[theme], ("ink", "soft", "accent"), ("card", "ground", "raised"))[0] >= 4.5
    assert least_contrast(THEMES[theme], ("on-accent",), ("accent",))[0] >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_marks_have_a_contrast_of_3(theme):
    assert least_contrast(THEMES[theme], [f"series-{n}" for n in range(8)] + ["other", "edge"], ("card",))[0] >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_scale_of_the_matrix_is_monotonic_in_lightness(theme):
    ramp = [luminance(*colours()[f"heat-{n}"][THEMES[theme]]) for n in range(6)]
    assert ramp in (sorted(ramp), sorted(ramp, reverse=True))


# Linear RGB as people see it who lack one kind of cone (Machado, Oliveira and Fernandes, 2009, severity 1).
CONES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue cones": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour, matrix):
    """CIE L*a*b* of a colour as it is seen through a matrix."""
    linear = [value / 255 / 12.92 if value / 255 <= 0.04045 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in colour]
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear)))) for row in matrix)
    xyz = ((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505, 0.2126 * red + 0.7152 * green + 0.0722 * blue,
           (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    x, y, z = (value ** (1 / 3) if value > 216 / 24389 else value * 841 / 108 + 4 / 29 for value in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("cones", CONES)
def test_colour_blind_readers_can_distinguish_series(cones, theme):
    seen = {name: lab(colours()[name][THEMES[theme]], CONES[cones]) for name in (f"series-{n}" for n in range(8))}
    assert min((sum((a - b) ** 2 for a, b in zip(seen[one], seen[two])) ** 0.5, one, two)
               for one in seen for two in seen if one < two)[0] >= 11


# ---- tables ----

SITES = card("Call sites")
HEAD, SORT = f"{SITES} th:nth-child(%d) button", f"{SITES} th:nth-child(%d)"


def site_numbers(rows):
    """First column of the 100 rows that are shown."""
    return [str(row[0]) for row in rows[:100]]


@pytest.fixture
def sites(page, show):
    show("profile-64")
    return call_sites()


def test_table_has_the_given_order(page, sites):
    assert column(page, "Call sites", 1) == site_numbers(sites)


def test_click_on_a_number_sorts_from_the_largest_and_again_from_the_least(page, sites):
    page.click(HEAD % 5)
    assert column(page, "Call sites", 1) == site_numbers(sorted(sites, key=lambda row: -row[4]))
    assert page.of(SORT % 5, "it.ariaSort") == "descending"
    page.click(HEAD % 5)
    assert column(page, "Call sites", 1) == site_numbers(sorted(sites, key=lambda row: row[4]))


def test_enter_sorts_and_keeps_the_order_of_equal_rows(page, sites):
    page.click(HEAD % 5)
    page.click(HEAD % 5)
    page.focus(HEAD % 4)
    page.key("Enter")
    assert column(page, "Call sites", 1) == site_numbers(sorted(sorted(sites, key=lambda row: row[4]), key=lambda row: -row[3]))


def test_tab_and_space_sort_the_next_column_alone(page, sites):
    page.focus(HEAD % 4)
    page.key("Enter")
    page.key("Tab")
    page.key("Space")
    assert [page.of(SORT % number, "it.ariaSort") for number in (5, 4)] == ["descending", "none"]


def test_texts_are_sorted_with_numbers_by_value(page, sites):
    page.click(HEAD % 3)
    natural = lambda row: [int(word) if word.isdigit() else word for word in re.split(r"(\d+)", row[2])]
    assert column(page, "Call sites", 3) == [row[2] for row in sorted(sites, key=natural)[:100]]


def test_missing_values_are_last(page, sites):
    page.click(HEAD % 7)
    page.click(f"{SITES} .more button")
    assert [share == "" for share in column(page, "Call sites", 7)] == [False] * 234 + [True] * 26


@pytest.fixture
def filtered(page, sites):
    page.click(f"{SITES} .more button")
    page.focus(f"{SITES} input")
    page.type("mpi_isend halo3.c")
    return [row for row in sites if row[1] == "MPI_Isend" and "halo3.c" in row[2]]


def test_filter_keeps_rows_with_all_words(page, filtered):
    assert sorted(column(page, "Call sites", 1), key=int) == site_numbers(filtered)
    assert page.of(f"{SITES} .tools span[role=status]", "it.textContent") == f"{len(filtered)} of 260 rows"


def test_times_are_those_of_the_data(page, filtered):
    times = {int(site): as_seconds(text) for site, text in zip(column(page, "Call sites", 1), column(page, "Call sites", 5))}
    assert all(abs(times[row[0]] - row[4] * 1e-6) <= row[4] * 1e-9 + 1e-12 for row in filtered), times


def test_repeated_values_are_shown_in_every_row(page, sites):
    assert column(page, "Tasks", 2) == ["node1"] * 32 + ["node2"] * 32


# ---- bars ----

BARS = "Time per rank"
BARS_CANVAS = f"{card(BARS)} canvas"


def total(rank):
    return (time_outside(rank) + sum(time_in(rank, i) for i in range(11))) * 1e-6


def is_close(text, value):
    return abs(as_seconds(text) - value) <= value * 1e-3


@pytest.fixture
def bars(show):
    show("profile-1024")


def test_keys_move_the_cursor_of_bars(page, bars):
    page.focus(BARS_CANVAS)
    page.key("ArrowDown", 4)
    heading, lines = tip(page, BARS)
    assert heading == "Rank 3" and is_close(lines["MPI_Allreduce"], time_in(3, 1) * 1e-6) and is_close(lines["Total"], total(3)), lines
    assert page.of("[aria-live]", "it.textContent").split(";")[0] == "Rank 3"


def test_smallest_functions_are_shown_as_one(page, bars):
    page.focus(BARS_CANVAS)
    page.key("ArrowDown", 4)
    smallest = sum(time_in(3, i) for i in sorted(range(11), key=lambda i: sum(time_in(rank, i) for rank in range(1024)))[:3])
    assert is_close(tip(page, BARS)[1]["Other (3)"], smallest * 1e-6)


def test_series_out_of_the_legend_is_out_of_the_sum(page, bars):
    application = f"{card(BARS)} .legend li:nth-child(1) button"
    assert page.of(application, "it.childNodes[1].textContent") == "Application"
    page.click(application)
    page.focus(BARS_CANVAS)
    page.key("ArrowDown", 4)
    assert is_close(tip(page, BARS)[1]["Total"], total(3) - time_outside(3) * 1e-6)


def test_bars_can_be_sorted_by_size(page, bars):
    page.click(f"{card(BARS)} .segments label:nth-of-type(2)")
    page.focus(BARS_CANVAS)
    page.key("ArrowDown")
    assert tip(page, BARS)[0] == f"Rank {max(range(1024), key=total)}"


def test_bars_zoom_in_and_out_by_keys(page, bars):
    page.focus(BARS_CANVAS)
    page.key("ArrowDown")
    page.key("0")
    before = pixel(page, BARS, 200, 100)
    page.key("+", 4)
    assert page.of(f"{card(BARS)} .zoom button", "it.disabled") is False
    page.key("0")
    assert (pixel(page, BARS, 200, 100), page.of(f"{card(BARS)} .zoom button", "it.disabled")) == (before, True)


def test_bars_are_shown_as_a_table_too(page, bars):
    page.click(f"{card(BARS)} summary")
    assert column(page, BARS, 1)[:2] == ["Rank 0", "Rank 1"]


# ---- matrix: a square that begins at (50, 40) and has 74 points below ----

MATRIX = "Messages between ranks"
MATRIX_CANVAS = f"{card(MATRIX)} canvas"


@pytest.mark.parametrize("ranks", RANKS)
def test_keys_move_the_cursor_of_the_matrix_to_pairs_and_totals(page, show, ranks):
    show(f"messages-{ranks}", height=1000)
    row, to = min(3, ranks - 1), min(4, ranks - 2)
    page.focus(MATRIX_CANVAS)
    page.key("ArrowRight")
    page.key("ArrowRight", to)
    page.key("ArrowDown", row)
    heading, lines = tip(page, MATRIX)
    assert (heading, as_bytes(lines["Bytes"]), lines["Messages"]) == (
        f"From rank {row} to rank {to}", bytes_between(row, to, ranks), f"{1 + bytes_between(row, to, ranks) // 4096:,}")
    page.key("End")
    page.key("ArrowRight")
    heading, lines = tip(page, MATRIX)
    assert (heading, as_bytes(lines["Bytes"])) == (f"From rank {row} to all",
                                                   sum(bytes_between(row, other, ranks) for other in range(ranks)))


@pytest.fixture
def matrix(page, show):
    """Position of a pair in a matrix of 64 ranks."""
    show("messages-64", height=1000)
    height = page.of(MATRIX_CANVAS, "it.clientHeight")
    side = height - 40 - 74
    return lambda sender, receiver: (50 + (receiver + 0.5) * side / 64, 40 + (sender + 0.5) * side / 64)


def hover(page, x, y):
    width, height = page.of(MATRIX_CANVAS, "[it.clientWidth, it.clientHeight]")
    page.hover(MATRIX_CANVAS, x / width, y / height)
    heading, lines = tip(page, MATRIX)
    return heading, as_bytes(lines["Bytes"]) if "(" in lines["Bytes"] else as_size(lines["Bytes"])


@pytest.mark.parametrize("sender, receiver", [(17, 33), (20, 21), (63, 0)])
def test_pointer_finds_a_pair(page, matrix, sender, receiver):
    assert hover(page, *matrix(sender, receiver)) == (f"From rank {sender} to rank {receiver}", bytes_between(sender, receiver, 64))


def test_pointer_finds_the_totals_of_columns_below(page, matrix):
    x, y = matrix(63, 9)
    assert hover(page, x, y + 20) == ("From all to rank 9", sum(bytes_between(other, 9, 64) for other in range(64)))


def test_silent_pair_has_no_bytes_and_the_colour_of_nothing(page, matrix):
    silent = next((sender, 40) for sender in range(64) if bytes_between(sender, 40, 64) == 0)
    assert hover(page, *matrix(*silent))[1] == 0
    page.hover("h1")
    assert pixel(page, MATRIX, *matrix(*silent)) == [0, 0, 0]


def shade(page, matrix, sender, receiver):
    return luminance(*pixel(page, MATRIX, *matrix(sender, receiver)))


def test_more_bytes_are_darker(page, matrix):
    assert shade(page, matrix, 31, 32) < shade(page, matrix, 31, 47) < shade(page, matrix, 31, 0)


def test_middle_is_lighter_on_a_linear_scale(page, matrix):
    before = shade(page, matrix, 31, 47)
    page.click(f"{card(MATRIX)} .segments:nth-of-type(2) label:nth-of-type(2)")
    assert shade(page, matrix, 31, 47) > before


def test_ctrl_and_wheel_zoom(page, matrix):
    width, height = page.of(MATRIX_CANVAS, "[it.clientWidth, it.clientHeight]")
    x, y = matrix(32, 32)
    page.wheel(MATRIX_CANVAS, -120, 2, x / width, y / height)
    assert page.of(f"{card(MATRIX)} .zoom button", "it.disabled") is False


def test_other_measure_has_its_total(page, matrix):
    page.click(f"{card(MATRIX)} .segments:nth-of-type(1) label:nth-of-type(2)")
    messages = sum(1 + bytes_between(s, r, 64) // 4096 for s in range(64) for r in range(64) if bytes_between(s, r, 64))
    assert page.of(f"{card(MATRIX)} .summary dd", "it.textContent") == f"{messages:,}"


# ---- timeline ----

TIME = "Overview"
TIME_CANVAS = f"{card(TIME)} canvas"


def is_at(text, microseconds):
    return abs(as_seconds(text) - microseconds * 1e-6) <= microseconds * 1e-9 + 1e-9


@pytest.fixture(params=RANKS)
def timeline(request, page, show):
    show(f"trace-{request.param}")
    page.focus(TIME_CANVAS)
    return request.param


def test_right_key_goes_from_span_to_span(page, timeline):
    page.key("ArrowRight", 3)
    heading, lines = tip(page, TIME)
    assert heading == "Rank 0" and is_at(lines["MPI_Waitall"], 2000) and is_at(lines["From"], 9300), lines
    page.key("ArrowRight", 3)
    assert is_at(tip(page, TIME)[1]["From"], 9000 + 300 + 2000 + 100 + 9017 + 310)


def test_down_key_goes_to_the_next_rank_at_the_same_time(page, timeline):
    page.key("ArrowRight", 3)
    page.key("ArrowDown")
    heading, lines = tip(page, TIME)
    assert heading == "Rank 1" and as_seconds(lines["From"]) <= 0.0113 and as_seconds(lines["To"]) >= 0.0093, lines


def test_function_out_of_the_legend_is_skipped_and_not_shown(page, timeline):
    waiting = f"{card(TIME)} .legend li:nth-child(2) button"
    assert page.of(waiting, "it.childNodes[1].textContent") == "MPI_Waitall"
    page.click(waiting)
    page.focus(TIME_CANVAS)
    page.key("ArrowRight", 3)
    assert "Application" in tip(page, TIME)[1]
    page.key("ArrowLeft")
    page.key("+", 7)
    assert page.of(f"{card(TIME)} .zoom button", "it.disabled") is False
    if timeline < 1024:     # thinner lanes cannot be aimed at
        right, top = page.of(f"{card(TIME)} .cursor",
                             "[parseFloat(it.style.left) + parseFloat(it.style.width), parseFloat(it.style.top) + 3]")
        width, height = page.of(TIME_CANVAS, "[it.clientWidth, it.clientHeight]")
        page.hover(TIME_CANVAS, (right + 12) / width, top / height)
        assert "Nothing shown here" in tip(page, TIME)[1]


# ---- histogram ----

SIZES = "Sizes of messages"
SIZES_CANVAS = f"{card(SIZES)} canvas"


@pytest.fixture
def histogram(page, show):
    show("profile-2")
    page.focus(SIZES_CANVAS)
    page.key("ArrowRight", 13)


def test_column_of_a_histogram_has_its_count(page, histogram):
    heading, lines = tip(page, SIZES)
    assert (plain(heading), lines["Count"]) == ("2 KiB and more, below 4 KiB", f"{11 * 52711 % 20011 * (11 % 5):,}")


def test_gap_of_a_histogram_is_an_empty_column(page, histogram):
    page.key("ArrowLeft")
    heading, lines = tip(page, SIZES)
    assert (plain(heading), lines["Count"]) == ("1 KiB and more, below 2 KiB", "0")


def test_small_counts_are_taller_on_a_logarithmic_scale(page, histogram):
    height = lambda: page.of(f"{card(SIZES)} .cursor", "parseFloat(it.style.height)")
    before = height()
    page.click(f"{card(SIZES)} .segments label:nth-of-type(2)")
    page.focus(SIZES_CANVAS)
    page.key("ArrowRight", 13)
    assert height() > before


# ---- light, dark, paper ----

def body(page):
    return luminance(*map(int, re.findall(r"\d+", page.run("getComputedStyle(document.body).backgroundColor"))[:3]))


def test_page_is_light_on_a_light_system(page, show):
    show("messages-2")
    assert body(page) > 0.8 and luminance(*pixel(page, MATRIX, 80, 180)) < 0.2


def test_page_is_dark_on_a_dark_system_where_more_is_lighter(page, show):
    show("messages-2")
    page.prefer(True)
    page.settle()
    assert body(page) < 0.05 and luminance(*pixel(page, MATRIX, 80, 180)) > 0.6


def test_switch_overrides_the_system(page, show):
    show("messages-2", dark=True)
    page.click(".theme label:nth-of-type(2)")
    assert body(page) > 0.8 and luminance(*pixel(page, MATRIX, 80, 180)) < 0.2
    page.prefer(False)
    page.click(".theme label:nth-of-type(3)")
    assert body(page) < 0.05


def test_switch_works_with_the_keyboard(page, show):
    show("messages-2")
    page.click(".theme label:nth-of-type(3)")
    page.focus(".theme input[value=dark]")
    page.key("ArrowLeft")
    assert body(page) > 0.8


def test_dark_page_can_be_printed_and_stays_dark(page, show):
    show("messages-2")
    page.click(".theme label:nth-of-type(3)")
    paper = page.pdf()
    assert paper.startswith(b"%PDF") and len(paper) > 10000 and body(page) < 0.05


# ---- hostile texts ----

@pytest.fixture
def hostile(page, show):
    show("hostile-1")


def test_nothing_in_a_text_is_run(page, hostile):
    assert page.run("window.wasRun === undefined") is True


@pytest.mark.parametrize("element", ["script", "img"])
def test_scripts_that_are_not_the_page_s_are_refused(page, hostile, element):
    page.run(f"""{{
        const made = document.createElement('{element}');
        made.textContent = 'window.wasRun = 1';
        made.setAttribute('onerror', 'window.wasRun = 1');
        document.body.append(made);
        made.dispatchEvent(new Event('error'));
    }}""")
    page.settle()
    assert page.run("window.wasRun === undefined") is True
    refusals = [text for text in page.errors if "Content Security Policy" in text]
    assert refusals and refusals == page.errors
    page.errors.clear()


def test_texts_are_shown_unchanged(page, hostile):
    text = page.run("document.body.innerText")
    assert "</script><script>window.wasRun = 1</script>" in text and "&amp; <!-- ]]>" in text and "caf\ufffd" in text, text


def test_parts_without_data_have_a_note(page, hostile):
    assert page.run("document.body.innerText").count("No data.") == 5


def test_repeated_pairs_are_added_up(page, hostile):
    assert plain(page.of(f"{card('One rank')} .summary dd", "it.textContent")) == "5 B"


# ---- every page ----

EVERY = [f"{kind}-{ranks}" for kind in KINDS for ranks in RANKS]


@pytest.mark.parametrize("name", EVERY)
def test_page_loads_nothing_but_itself(page, pages, show, name):
    show(name)
    assert page.requests == [(pages / f"{name}.html").resolve().as_uri()]


@pytest.mark.parametrize("name", EVERY)
def test_everything_that_can_be_used_has_a_name(page, show, name):
    show(name)
    usable = ("button", "radio", "searchbox", "application", "link", "table")
    assert [role for role, text in page.roles() if role in usable and not text.strip()] == []


@pytest.mark.parametrize("name", EVERY)
def test_page_fits_480_points(page, show, name):
    show(name)
    page.resize(480, 800)
    page.settle()
    assert page.run("document.documentElement.scrollWidth") == 480


# ---- reports of a real program ----

# Bytes that neighbours send in each step of the solver on 256 x 256 points, for 2 x 1 and 8 x 8 ranks
HALOS = {2: 2 * 256 * 8, 64: 2 * (7 * 8 + 8 * 7) * 32 * 8}
STEPS = 20


@pytest.fixture(scope="module")
def solver(mpich_module):
    """Page of a tool for a run of the solver"""
    @functools.lru_cache
    def solver(tool, ranks):
        name = f"halo-{tool}-{ranks}"
        mpich_module.mpiexec(ranks, mpich_module.program(ROOT / "examples/qmpi/halo.c", "-O2", "-lm"), "-s", STEPS,
                             tools=f"{tool}(out={name})", seconds=300)
        return mpich_module.work / f"{name}.html"
    return solver


@pytest.mark.serial
@pytest.mark.parametrize("ranks", HALOS)
@pytest.mark.parametrize("tool", KINDS)
def test_page_of_the_solver_has_what_was_sent(solver, page, tool, ranks):
    page.open(solver(tool, ranks))
    name_cards(page)
    assert len(page.requests) == 1 and page.all(".empty") == []
    rows = page.all(f"{card('Functions')} tbody tr", "[...it.cells].map(cell => cell.textContent)")
    sends = [as_size(text) for row in rows if row[0] == "MPI_Isend" for text in row]
    assert any(abs(size - STEPS * HALOS[ranks]) < 0.001 * size for size in sends), rows


# For the documentation: page, part of it, picture, dark
PICTURES = [("profile", "Time per rank", "profile-64", False), ("messages", "Who sends to whom", "messages-64", True),
            ("trace", "Timeline", "trace-64", False), ("profile-1024", "Time per rank", "profile-1024", True),
            ("messages-1024", MATRIX, "messages-1024", False), ("trace-1024", "Overview", "trace-1024", True),
            ("profile-64", "Call sites", "table", False)]


@pytest.mark.serial
@pytest.mark.parametrize("name, title, picture, dark", PICTURES, ids=[picture for _, _, picture, _ in PICTURES])
def test_part_of_a_page_becomes_a_picture_for_the_documentation(solver, page, pages, name, title, picture, dark):
    """With --out they are in the folder reports-page/images. A name without ranks is a page of the solver."""
    folder = pages / "images"
    folder.mkdir(exist_ok=True)
    page.open(solver(name, 64) if name in KINDS else pages / f"{name}.html", width=1000, dark=dark)
    name_cards(page)
    page.image(folder / f"{picture}.png", card(title))
    assert (folder / f"{picture}.png").read_bytes().startswith(b"\x89PNG") and (folder / f"{picture}.png").stat().st_size > 5000
