/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* page_data KIND RANKS: writes a page with invented data to standard output: KIND is profile, messages or
 * trace, as large as the reports of these tools are, or hostile, with texts and numbers that a page must
 * survive. The data follow from the formulas below, which test_page.py computes again. */

#include "page.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

using namespace qmpi;

namespace {

const char *const functions[] = {"MPI_Waitall",
                                 "MPI_Allreduce",
                                 "MPI_Isend",
                                 "MPI_Irecv",
                                 "MPI_Bcast",
                                 "MPI_Barrier",
                                 "MPI_Alltoallv",
                                 "MPI_Reduce_scatter_block",
                                 "MPI_File_write_at_all",
                                 "MPI_Comm_dup",
                                 "MPI_Gatherv"};
const int number_of_functions = sizeof functions / sizeof functions[0];

/* Microseconds that a rank spends in a function. */
int time_in(int rank, int function)
{
    return 400000 / ((function + 1) * (function + 1)) +
        (rank * (function + 3) * 1777 + function * 29) % 60000;
}

int time_outside(int rank)
{
    return 1500000 - rank * 7919 % 200000;
}

std::vector<std::string> rank_names(int ranks)
{
    std::vector<std::string> names;
    for (int rank = 0; rank < ranks; rank++)
        names.push_back("Rank " + std::to_string(rank));
    return names;
}

void add_facts(Page &page, int ranks)
{
    page.facts({{"Program", "./halo 512 512 2000"},
                {"Processes", std::to_string(ranks)},
                {"Hosts", "node01 to node32"},
                {"Library", "MPICH 4.0.2 with QMPI"},
                {"Began", "2026-11-21 11:30:00"},
                {"Wall time", "12.4 s"}});
}

void add_bars(Page &page, int ranks)
{
    std::vector<std::string> series{Page::application};
    std::vector<std::vector<double>> values;

    series.insert(series.end(), functions, functions + number_of_functions);
    for (int rank = 0; rank < ranks; rank++) {
        std::vector<double> row{time_outside(rank) * 1e-6};
        for (int function = 0; function < number_of_functions; function++)
            row.push_back(time_in(rank, function) * 1e-6);
        values.push_back(row);
    }
    page.bars("Time per rank", rank_names(ranks), series, values, Unit::seconds,
              "Application is the time outside MPI.");
}

void add_call_sites(Page &page)
{
    const int sites = 260;
    std::vector<std::vector<nlohmann::json>> rows;

    for (int i = 0; i < sites; i++)
        rows.push_back({i + 1, functions[i % number_of_functions],
                        "exchange_" + std::to_string(i % 23) + " in solver/halo" +
                            std::to_string(i % 7) + ".c:" + std::to_string(40 + i * 13),
                        1 + i * 7919 % 1000, i * 104729 % 999983 * 1e-6, i * 31337 % 65521 * 1024,
                        i % 10 == 9 ? nlohmann::json{} : nlohmann::json(i * 37 % 1000 / 10.0)});
    page.table("Call sites",
               {{"Site"},
                {"Function", Unit::text},
                {"Where", Unit::text},
                {"Calls"},
                {"Time", Unit::seconds},
                {"Bytes sent", Unit::bytes},
                {"Share of MPI time", Unit::percent}},
               rows);
}

void add_sizes(Page &page)
{
    std::vector<Bin> bins{{0, 1, 5140}};

    for (int power = 0; power < 24; power++)
        if (power % 5 != 0)
            bins.push_back({double(1 << power), double(2 << power),
                            double(power * 52711 % 20011 * (power % 5))});
    page.histogram("Sizes of messages", bins, Unit::bytes);
}

void profile(Page &page, int ranks)
{
    add_facts(page, ranks);
    add_bars(page, ranks);
    add_call_sites(page);
    add_sizes(page);

    std::vector<std::vector<nlohmann::json>> rows;
    for (int rank = 0; rank < ranks; rank++) {
        double mpi = 0;
        for (int function = 0; function < number_of_functions; function++)
            mpi += time_in(rank, function) * 1e-6;
        const double all = mpi + time_outside(rank) * 1e-6;
        rows.push_back({rank, "node" + std::to_string(rank / 32 + 1), all, mpi, 100 * mpi / all});
    }
    page.table("Tasks",
               {{"Rank"},
                {"Host", Unit::text},
                {"Wall time", Unit::seconds},
                {"MPI time", Unit::seconds},
                {"MPI", Unit::percent}},
               rows);
}

/* Neighbours in a grid of 16 columns, a gather to rank 0, and some far pairs. */
std::int64_t bytes_between(int from, int to, int ranks)
{
    std::int64_t bytes = 0;

    if (to == from + 1 || to == from - 1)
        bytes += 1048576 + 1000 * from;
    if (to == from + 16 || to == from - 16)
        bytes += 262144 + 10 * from;
    if (to == 0 && from != 0)
        bytes += 4096;
    if ((from * 7 + to * 13) % ranks == 5 % ranks && from % 3 == 0)
        bytes += 64 + from;
    return bytes;
}

void messages(Page &page, int ranks)
{
    std::vector<Measure> measures{
        {"Bytes", Unit::bytes, {}}, {"Messages", Unit::number, {}}, {"Time", Unit::seconds, {}}};
    std::vector<std::vector<nlohmann::json>> pairs;

    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            const std::int64_t bytes = bytes_between(from, to, ranks);
            if (bytes == 0)
                continue;
            const double number = double(1 + bytes / 4096), time = bytes * 1e-9 + number * 2e-6;
            measures[0].cells.push_back({from, to, double(bytes)});
            measures[1].cells.push_back({from, to, number});
            measures[2].cells.push_back({from, to, time});
            pairs.push_back({from, to, bytes, number, time, bytes / time});
        }
    }
    add_facts(page, ranks);
    page.matrix("Messages between ranks", ranks, measures,
                "What each rank sent to each other rank.");
    page.table("Pairs",
               {{"From"},
                {"To"},
                {"Bytes", Unit::bytes},
                {"Messages"},
                {"Time", Unit::seconds},
                {"Bandwidth", Unit::bytes_per_second}},
               pairs);
    add_sizes(page);
}

/* Each rank computes, exchanges and reduces in turn, a little later than the rank before. */
void trace(Page &page, int ranks)
{
    const int steps = 60;
    std::vector<Span> spans;

    for (int rank = 0; rank < ranks; rank++) {
        int at = rank * 31 % 977;
        for (int step = 0; step < steps; step++) {
            auto add = [&](const char *category, int microseconds) {
                spans.push_back({rank, 3 + at * 1e-6, 3 + (at + microseconds) * 1e-6, category});
                at += microseconds;
            };
            add(Page::application, 9000 + (rank * 131 + step * 17) % 4000);
            add("MPI_Isend", 300 + step % 7 * 10);
            add("MPI_Waitall", 2000 + (rank * 71 + step * 43) % 3000);
            at += 100;
            if (step % 5 == 4)
                add("MPI_Allreduce", 5000 + rank * 13 % 1000);
        }
    }
    std::reverse(spans.begin(), spans.end());
    add_facts(page, ranks);
    page.timeline("Overview", rank_names(ranks), spans);
    add_bars(page, ranks);
}

void hostile(Page &page)
{
    const std::string ends_script = "</script><script>window.wasRun = 1</script>";
    const std::string ends_text = "<img src=x onerror=\"window.wasRun = 2\"> &amp; <!-- ]]>";
    const std::string not_utf8 = "caf\xe9 \xff\xfe end";
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();

    page.facts({{ends_script, ends_text}, {not_utf8, std::string("a\0b", 3)}, {"", ""}});
    page.table(ends_script, {{ends_text, Unit::text}, {"Number"}},
               {{not_utf8, nan},
                {ends_script, infinite},
                {ends_text, nullptr},
                {nlohmann::json{1, 2}, -1.5}},
               ends_text);
    page.bars(ends_text, {ends_script, not_utf8}, {ends_text, "zero"}, {{nan, 0}, {1e300, 0}},
              Unit::seconds);
    page.bars("One row", {"0"}, {"MPI_Send"}, {{0}}, Unit::seconds);
    page.matrix("One rank", 1, {{0, 0, 2}, {0, 0, 3}}, Unit::bytes);
    page.matrix("Nothing sent", 3, {}, Unit::bytes);
    page.matrix("No ranks", 0, {}, Unit::bytes);
    page.histogram("No sizes", {}, Unit::bytes);
    page.histogram("Never", {{0, 1, 0}, {1, 2, 0}}, Unit::bytes);
    page.timeline("No lanes", {}, {});
    page.timeline("A moment", {ends_script},
                  {{0, 1, 1, ends_text}, {0, nan, 2, "lost"}, {0, 2, 1, "backwards"}});
    page.table("No rows", {{"A"}}, {});
    page.table("No columns", {}, {});
}

/* Sizes and indices that do not fit together; gives how many were refused. */
template <typename... Calls>
int refused(Calls... calls)
{
    auto is_refused = [](auto &call) {
        Page page("", "");
        try {
            call(page);
        } catch (const std::invalid_argument &) {
            return 1;
        }
        return 0;
    };
    return (is_refused(calls) + ...);
}

int misuse()
{
    return refused(
        [](Page &page) {
            page.table("", {{"A"}}, {{1, 2}});
        },
        [](Page &page) {
            page.bars("", {"0", "1"}, {"a"}, {{1}}, Unit::number);
        },
        [](Page &page) {
            page.bars("", {"0"}, {"a", "b"}, {{1}}, Unit::number);
        },
        [](Page &page) {
            page.matrix("", 2, {{0, 2, 1}}, Unit::number);
        },
        [](Page &page) {
            page.matrix("", 2, {{-1, 0, 1}}, Unit::number);
        },
        [](Page &page) {
            page.timeline("", {"0"}, {{1, 0, 1, "a"}});
        });
}

}  // namespace

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const int ranks = argc > 2 ? std::atoi(argv[2]) : 2;
    Page page(std::string("QMPI ") + kind,
              "./halo 512 512 2000, " + std::to_string(ranks) + " processes");

    if (std::strcmp(kind, "profile") == 0)
        profile(page, ranks);
    else if (std::strcmp(kind, "messages") == 0)
        messages(page, ranks);
    else if (std::strcmp(kind, "trace") == 0)
        trace(page, ranks);
    else if (std::strcmp(kind, "hostile") == 0)
        hostile(page);
    else if (std::strcmp(kind, "misuse") == 0)
        return std::printf("%d\n", misuse()) < 0;
    else
        return 2;
    const std::string text = page.html();
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
