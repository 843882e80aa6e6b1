/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "table.hpp"

#include "../common/process.hpp"
#include "../common/text.hpp"
#include "../report/where_words.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace qmpi::top {

using namespace report;

namespace {

/* ---- rows ---- */

/* A sum of numbers, some of which are unknown. */
struct Mean {
    double sum = 0;
    int number = 0;

    void add(double value) { add({value, 1}); }
    void add(const Mean &other)
    {
        sum += other.sum;
        number += other.number;
    }
    double value() const { return number == 0 ? -1 : sum / number; }
};

/* A rank, or several in the same situation. */
struct Row {
    std::string name; /* of a process without rank */
    std::set<int> ranks;
    std::set<std::string> hosts;
    std::string state, call, site, partner, communicator;
    bool is_waiting = false;
    double first = 0, last = 0; /* since when */
    Mean mpi, calls, cpu;
    bool is_sampled = false;

    std::string rank_text() const { return ranks.empty() ? name : numbers_text(ranks); }
    std::string host_text() const
    {
        return hosts.size() == 1 ? *hosts.begin() : number_of(hosts.size(), "host");
    }
};

const char *state_of(const RankFacts &rank, const Position &position)
{
    switch (situation_of(rank, position)) {
    case Situation::dead:
        return "dead";
    case Situation::exited:
        return "exited";
    case Situation::finished:
        return "ended";
    case Situation::stopped:
        return "stopped";
    case Situation::traced:
        return "traced";
    case Situation::polling:
        return "polling";
    case Situation::progressing:
        return "running";
    case Situation::in_call:
        return may_wait(position.calls.front()->function) ? "waiting" : "in MPI";
    case Situation::outside:
        break;
    }
    switch (rank.condition) {
    case Condition::elsewhere:
        return "outside";
    case Condition::in_system:
        return "disk";
    default:
        return std::lround(rank.cpu / 10) > 0 ? "running" : "sleeping";
    }
}

/* For whom a rank waits: in a collective operation for the ranks that are not there. */
std::string partner_of(const World &world, const CallFacts &call,
                       const std::vector<std::size_t> &others)
{
    if (!is_collective(call.function) || others.empty())
        return details_of(world, call);
    std::set<int> ranks;
    for (const std::size_t other : others)
        ranks.insert(world.facts().ranks[other].rank);
    constexpr std::size_t longest = 40;
    const std::string text = ranks_list(ranks);
    return text.size() <= longest ? text : number_of(ranks.size(), "rank");
}

Row row_of(const World &world, const RankFacts &rank, const std::vector<std::size_t> &waits_for)
{
    const Position position = position_of(rank);
    Row row;
    row.state = state_of(rank, position);
    row.is_waiting = row.state == "waiting" || row.state == "polling";
    row.hosts = {rank.host};
    if (rank.rank >= 0)
        row.ranks = {rank.rank};
    row.name = std::to_string(rank.process);
    if (position.last != nullptr) {
        const CallFacts &call = position.is_outside() ? *position.last : *position.calls.front();
        row.call =
            (position.is_outside() ? "after " : "") + std::string(function_name(call.function));
        if (position.calls.size() > 1) /* in other threads */
            row.call += print(" +%zu", position.calls.size() - 1);
        row.site = place_of(call.site);
        if (!position.is_outside() && call.has_communicator)
            row.communicator = name_of(call.communicator);
        if (!position.is_outside() || row.is_waiting)
            row.partner = partner_of(world, call, waits_for);
    }
    if (is_gone(rank))
        return row;
    row.first = row.last = position.since();
    row.calls.add(rank.calls_per_second);
    if (rank.condition != Condition::elsewhere)
        row.cpu.add(rank.cpu);
    if (rank.time_in_mpi)
        row.mpi.add(*rank.time_in_mpi);
    row.is_sampled = rank.is_sampled;
    return row;
}

/* One row for the ranks that differ in numbers and partners only. */
std::vector<Row> groups_of(const std::vector<Row> &rows)
{
    std::vector<Row> groups;
    std::map<std::array<std::string, 5>, std::size_t> known;
    for (const Row &row : rows) {
        const std::string single = row.ranks.empty() ? row.name : "";
        const auto [found, is_new] = known.insert(
            {{row.state, row.call, row.site, row.communicator, single}, groups.size()});
        if (is_new) {
            groups.push_back(row);
            continue;
        }
        Row &group = groups[found->second];
        group.ranks.insert(row.ranks.begin(), row.ranks.end());
        group.hosts.insert(row.hosts.begin(), row.hosts.end());
        if (group.partner != row.partner && !ends_in(group.partner, ", ..."))
            group.partner += ", ...";
        if (row.first > 0) {
            group.first = group.first > 0 ? std::min(group.first, row.first) : row.first;
            group.last = std::max(group.last, row.last);
        }
        group.mpi.add(row.mpi);
        group.calls.add(row.calls);
        group.cpu.add(row.cpu);
        group.is_sampled = group.is_sampled || row.is_sampled;
    }
    return groups;
}

void sort(std::vector<Row> &rows, const View &view, double now)
{
    const auto key = [&](const Row &row) {
        switch (view.sort) {
        case Sort::time:
            return row.is_waiting && row.first > 0 ? row.first - now : 0;
        case Sort::mpi:
            return -row.mpi.value();
        case Sort::calls:
            return -row.calls.value();
        default:
            return row.ranks.empty() ? -1.0 : *row.ranks.begin();
        }
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row &a, const Row &b) { return key(a) < key(b); });
    if (view.is_reversed)
        std::reverse(rows.begin(), rows.end());
}

bool has_rank(const Ranges &ranges, int rank)
{
    return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [rank](const auto &range) {
               return range.first <= rank && rank <= range.second;
           });
}

/* ---- text ---- */

using Cells = std::array<std::string, 11>;

const Cells names = {"RANK", "HOST", "STATE", "SINCE",     "MPI",         "CALLS/S",
                     "CPU",  "CALL", "SITE",  "WAITS FOR", "COMMUNICATOR"};

bool is_number(std::size_t column)
{
    return column == 0 || (column >= 3 && column <= 6);
}

std::string percent_text(const Mean &mean)
{
    return mean.number == 0 ? "-" : print("%.0f%%", mean.value());
}

std::string rate_text(const Mean &mean)
{
    const double rate = mean.value();
    return rate < 0               ? "-"
        : rate > 0 && rate < 9.95 ? print("%.1f", rate)
                                  : grouped(static_cast<std::uint64_t>(std::lround(rate)));
}

/* Names that the program gives must not change the terminal. */
std::string printable(std::string text)
{
    std::replace_if(
        text.begin(), text.end(),
        [](char one) { return static_cast<unsigned char>(one) < ' ' || one == 127; }, '?');
    return text;
}

Cells cells_of(const Row &row, double now)
{
    Cells cells = {row.rank_text(),
                   row.host_text(),
                   row.state,
                   row.first > 0 ? duration_text(now - row.last, now - row.first) : "-",
                   (row.is_sampled ? "~" : "") + percent_text(row.mpi),
                   rate_text(row.calls),
                   percent_text(row.cpu),
                   row.call,
                   row.site,
                   row.partner,
                   row.communicator};
    std::transform(cells.begin(), cells.end(), cells.begin(), printable);
    return cells;
}

/* Columns of UTF-8. */
std::size_t width_of(const std::string &text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char one) { return (one & 0xc0) != 0x80; }));
}

std::string line_of(const Cells &cells, const std::array<std::size_t, 11> &widths)
{
    std::string line;
    for (std::size_t i = 0; i < cells.size(); i++) {
        const std::string space(widths[i] - width_of(cells[i]), ' ');
        line += (i == 0 ? "" : "  ") + (is_number(i) ? space + cells[i] : cells[i] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/* "solver, 32 ranks: 30 waiting, 2 running" */
std::string title_of(const WorldFacts &world, const std::vector<Row> &rows)
{
    std::map<std::string, int> states;
    for (const Row &row : rows)
        states[row.state]++;
    std::vector<std::pair<std::string, int>> sorted(states.begin(), states.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    std::string text;
    for (const auto &[state, number] : sorted)
        text += print("%s %d %s", text.empty() ? ":" : ",", number, state.c_str());
    const std::size_t size = std::max(rows.size(), static_cast<std::size_t>(world.size));
    return printable(world.program) + ", " + number_of(size, "rank") + text;
}

/* ---- what holds for all ranks ---- */

/* Empty if a rank has made calls, or if none waits. */
std::string progress_text(const WorldFacts &world, double now)
{
    std::set<int> outside;
    bool is_waiting = false;
    double last = 0;
    for (const RankFacts &rank : world.ranks) {
        const Position position = position_of(rank);
        switch (situation_of(rank, position)) {
        case Situation::dead:
        case Situation::exited:
        case Situation::finished:
            continue;
        case Situation::progressing:
            return "";
        case Situation::polling:
            is_waiting = true;
            continue;
        case Situation::outside:
            outside.insert(rank.rank);
            break;
        case Situation::in_call:
            is_waiting = true;
            break;
        case Situation::stopped:
        case Situation::traced:
            break;
        }
        last = std::max(last, position.since());
    }
    if (!is_waiting)
        return "";
    return "no rank has made progress in MPI" +
        (last > 0 ? " for " + duration_text(now - last) : std::string()) +
        (outside.empty() ? ""
                         : "; " + ranks_list(outside) + (outside.size() == 1 ? " is" : " are") +
                 " outside MPI");
}

/* "the job has ended: rank 1 died" */
std::string end_text(const JobFacts &facts)
{
    std::set<int> dead, exited;
    for (const WorldFacts &world : facts.worlds) {
        for (const RankFacts &rank : world.ranks) {
            if (rank.condition == Condition::dead)
                dead.insert(rank.rank);
            else if (rank.condition == Condition::exited)
                exited.insert(rank.rank);
        }
    }
    std::string reasons;
    if (!dead.empty())
        reasons = ": " + ranks_list(dead) + " died";
    if (!exited.empty())
        reasons +=
            (reasons.empty() ? ": " : ", ") + ranks_list(exited) + " ended without MPI_Finalize";
    return "the job has ended" + reasons;
}

}  // namespace

Ranges ranges_in(const std::string &text)
{
    const auto fail = [&text] {
        throw std::runtime_error("'" + text + "' is not a list of ranks such as 0-3,7");
    };
    Ranges ranges;
    const char *at = text.data(), *const end = at + text.size();
    const auto number = [&] {
        int value = 0;
        const auto [next, fault] = std::from_chars(at, end, value);
        if (fault != std::errc() || value < 0)
            fail();
        at = next;
        return value;
    };
    while (at != end) {
        const int first = number();
        const bool is_range = at != end && *at == '-';
        at += is_range ? 1 : 0;
        const int last = is_range ? number() : first;
        if (last < first || (at != end && (*at != ',' || ++at == end)))
            fail();
        ranges.emplace_back(first, last);
    }
    return ranges;
}

bool has_ended(const JobFacts &facts)
{
    const auto has_ended = [](const WorldFacts &world) {
        return std::all_of(world.ranks.begin(), world.ranks.end(),
                           [](const RankFacts &rank) { return rank.has_ended; });
    };
    return !facts.worlds.empty() &&
        std::all_of(facts.worlds.begin(), facts.worlds.end(), has_ended);
}

Table table_of(const JobFacts &facts, const View &view)
{
    const Ranges ranges = ranges_in(view.ranks);
    Table table;
    /* The first row of a world has its program. */
    std::vector<std::pair<std::string, Cells>> lines;
    for (const WorldFacts &one : facts.worlds) {
        const World world(one);
        const Graph graph = waits_of(world);
        std::vector<Row> rows;
        for (std::size_t i = 0; i < one.ranks.size(); i++)
            rows.push_back(row_of(world, one.ranks[i], graph[i]));
        table.head.push_back(title_of(one, rows));
        if (const std::string text = progress_text(one, facts.now); !text.empty())
            table.head.push_back(text);
        constexpr std::size_t most_cycles = 2;
        const auto cycles = cycles_in(graph);
        for (std::size_t i = 0; i < std::min(cycles.size(), most_cycles); i++)
            table.head.push_back(cycle_text(world, cycles[i], facts.now));
        if (const std::string text = world.missing_text(); !text.empty())
            table.head.push_back(text);

        rows.erase(std::remove_if(rows.begin(), rows.end(),
                                  [&](const Row &row) {
                                      return (view.waiting_only && !row.is_waiting) ||
                                          !has_rank(ranges,
                                                    row.ranks.empty() ? -1 : *row.ranks.begin());
                                  }),
                   rows.end());
        if (view.is_grouped)
            rows = groups_of(rows);
        sort(rows, view, facts.now);
        bool is_first = facts.worlds.size() > 1;
        for (const Row &row : rows) {
            lines.emplace_back(is_first ? one.program : "", cells_of(row, facts.now));
            is_first = false;
        }
    }
    for (const std::string &warning : facts.warnings)
        table.head.push_back("left out " + warning);
    if (has_ended(facts))
        table.head.push_back(end_text(facts));

    std::array<std::size_t, 11> widths{};
    const auto widen = [&widths](const Cells &cells) {
        for (std::size_t i = 0; i < cells.size(); i++)
            widths[i] = std::max(widths[i], width_of(cells[i]));
    };
    widen(names);
    for (const auto &[program, cells] : lines)
        widen(cells);
    table.fixed = widths[0] + 2;
    table.width = std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
    table.columns = line_of(names, widths);
    for (const auto &[program, cells] : lines) {
        if (!program.empty())
            table.rows.push_back(printable(program) + ":");
        table.rows.push_back(line_of(cells, widths));
    }
    return table;
}

}  // namespace qmpi::top
