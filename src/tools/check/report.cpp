/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "report.hpp"

#include "source_lines.hpp"

#include "../common/page.hpp"
#include "../common/report.hpp"
#include "../common/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace qmpi::check {
namespace {

using Entries = std::vector<FindingSet::Entry>;

std::string rank_text(int rank)
{
    return rank < 0 ? "one process" : "rank " + std::to_string(rank);
}

/* ---- findings ---- */

Excerpt excerpt_of(const std::string &title, const Place &place)
{
    SourceLines source = lines_around(place);
    return {title + (place.function.empty() ? "" : " in " + place.function) +
                (source.is_newer ? " (the file has changed after the program was built)" : ""),
            source.first, place.line, std::move(source.lines)};
}

Item::Line line_of(const FindingSet::Entry &entry)
{
    std::string who = *entry.ranks.begin() < 0 ? "" : ranks_text(entry.ranks);
    if (entry.times > 1)
        who += (who.empty() ? "" : ", ") + std::to_string(entry.times) + " times";
    return {who, entry.first.text};
}

/* Source of the finding's call and of those that it names. The calls of a cycle include its own. */
std::vector<Excerpt> excerpts_of(const Finding &finding)
{
    std::vector<Excerpt> excerpts;
    std::set<std::string> shown;
    const auto add = [&](int rank, const std::string &function, const Place &place) {
        const std::string call = call_text(function, place);
        if (!shown.insert(call).second)
            return;
        Excerpt excerpt = excerpt_of(rank_text(rank) + ": " + call, place);
        if (!excerpt.lines.empty())
            excerpts.push_back(std::move(excerpt));
    };
    add(finding.rank, finding.function, finding.place);
    for (const OtherCall &other : finding.others)
        add(other.rank, other.function, other.place);
    return excerpts;
}

/* The processes of a deadlock that wait in the same call share an item. */
std::vector<Item> items_of(const Entries &entries)
{
    std::vector<Item> items;
    std::map<std::string, std::size_t> known;
    for (const FindingSet::Entry &entry : entries) {
        const Finding &first = entry.first;
        const auto [found, is_new] = known.emplace(first.entry(), items.size());
        if (is_new)
            items.push_back({name_of(first.kind),
                             call_text(first.function, first.place),
                             {},
                             excerpts_of(first),
                             first.entry()});
        items[found->second].lines.push_back(line_of(entry));
    }
    return items;
}

/* ---- graphs ---- */

struct Graph {
    std::vector<Node> nodes;
    std::vector<Arrow> arrows;
};

/* A node for each deadlocked process, and for each that one of them waits for. */
class Deadlock {
  public:
    explicit Deadlock(const Entries &entries)
    {
        std::map<int, const Finding *> waiting;
        for (const FindingSet::Entry &entry : entries) {
            if (entry.first.kind == Kind::deadlock)
                waiting[entry.first.rank] = &entry.first;
        }
        for (const auto &[rank, finding] : waiting)
            graph_.nodes[node_of(rank)].lines = {finding->function, finding->place.text()};
        for (const auto &[rank, finding] : waiting)
            add_arrows(*finding);
    }

    Graph take() { return std::move(graph_); }

  private:
    std::size_t node_of(int rank)
    {
        const auto [known, is_new] = nodes_.emplace(rank, graph_.nodes.size());
        if (is_new)
            graph_.nodes.push_back({rank_text(rank), {}});
        return known->second;
    }

    void add_arrows(const Finding &finding)
    {
        for (const Awaited &one : finding.awaited) {
            for (const int rank : one.ranks) {
                const std::size_t to = node_of(rank);
                graph_.arrows.push_back(
                    {static_cast<int>(node_of(finding.rank)), static_cast<int>(to), one.what});
                if (std::find(one.ended.begin(), one.ended.end(), rank) != one.ended.end())
                    graph_.nodes[to].lines = {"has ended"};
            }
        }
    }

    Graph graph_;
    std::map<int, std::size_t> nodes_; /* by rank */
};

using Cycle = std::vector<std::pair<int, std::string>>;

/* Rank and call, from the lowest on. */
Cycle cycle_of(const Finding &finding)
{
    Cycle cycle;
    for (const OtherCall &call : finding.others)
        cycle.emplace_back(call.rank, call_text(call.function, call.place));
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
}

Graph graph_of(const Finding &finding)
{
    Graph graph;
    for (std::size_t i = 0; i < finding.others.size(); i++) {
        const OtherCall &call = finding.others[i];
        graph.nodes.push_back({rank_text(call.rank), {call.function, call.place.text()}});
        graph.arrows.push_back({static_cast<int>(i),
                                static_cast<int>((i + 1) % finding.others.size()), call.function});
    }
    return graph;
}

void add_graphs(Page &page, const Entries &entries)
{
    constexpr std::size_t most_cycles = 8;
    Graph deadlock = Deadlock(entries).take();
    if (!deadlock.nodes.empty())
        page.graph("Deadlock", deadlock.nodes, deadlock.arrows,
                   "Each arrow points to a process that must act first. Cycles are highlighted.");
    std::set<Cycle> cycles;
    for (const FindingSet::Entry &entry : entries) {
        const Finding &first = entry.first;
        if (first.kind != Kind::possible_deadlock || first.others.empty() ||
            !cycles.insert(cycle_of(first)).second || cycles.size() > most_cycles)
            continue;
        const Graph graph = graph_of(first);
        page.graph(cycles.size() == 1 ? "Possible deadlock"
                                      : "Possible deadlock " + std::to_string(cycles.size()),
                   graph.nodes, graph.arrows,
                   "With a library that does not buffer messages, these calls wait for each "
                   "other. In this run they completed.");
    }
}

/* ---- what was checked ---- */

void add_statement(Page &page, const Statement &statement)
{
    std::vector<std::string> gaps = statement.gaps();
    std::vector<Remark> remarks;
    /* Kinds that the user has switched off are no surprise. */
    const bool has_losses = gaps.size() > (statement.unwanted.empty() ? 0U : 1U);
    if (!has_losses)
        gaps.insert(gaps.begin(), "no process and no communicator was left out");
    remarks.push_back({"Not checked, and why", std::move(gaps)});
    if (!statement.spawned.empty())
        remarks.push_back({"Spawned processes", {ranks_text(statement.spawned)}});
    if (!statement.suppressions.is_empty()) {
        std::vector<std::string> lines = statement.suppression_lines();
        if (lines.empty())
            lines.push_back(statement.suppressions.file() + " has no entries");
        remarks.push_back({"Suppressions", std::move(lines)});
    }
    page.summary("What was checked", statement.summary(),
                 !statement.shown().empty() ? Tone::bad
                     : has_losses           ? Tone::doubtful
                                            : Tone::good,
                 remarks, "The limits that every run has are in the manual page qmpi-check(7).");
}

void add_kinds(Page &page, const Statement &statement)
{
    std::array<std::uint64_t, number_of_kinds> shown{}, hidden{};
    statement.findings.each([&](const FindingSet::Entry &entry) {
        const auto kind = static_cast<std::size_t>(entry.first.kind);
        (statement.suppressions.match(entry.first) ? hidden : shown)[kind]++;
    });
    std::vector<std::vector<nlohmann::json>> rows;
    for (std::size_t i = 0; i < number_of_kinds; i++) {
        const KindName &kind = kind_names[i];
        const bool is_off = std::find(statement.unwanted.begin(), statement.unwanted.end(),
                                      kind.name) != statement.unwanted.end();
        rows.push_back({kind.name, is_off ? "no" : "yes",
                        is_off ? nlohmann::json() : nlohmann::json(shown[i]),
                        is_off ? nlohmann::json() : nlohmann::json(hidden[i]), kind.argument});
    }
    page.table("Kinds of findings",
               {{"Kind", Unit::text},
                {"Looked for", Unit::text},
                {"Findings", Unit::number},
                {"Suppressed", Unit::number},
                {"Argument that switches it", Unit::text}},
               rows);
}

void add_processes(Page &page, const Statement &statement)
{
    std::vector<std::vector<nlohmann::json>> rows;
    for (const auto &[rank, process] : statement.processes) {
        const std::string gap = comparison_text(process);
        rows.push_back({rank < 0 ? nlohmann::json() : nlohmann::json(rank), process.host,
                        process.calls,
                        !statement.incomparable.empty() ? "not at all"
                            : gap.empty()               ? "all"
                                                        : gap,
                        statement.has_ended ? "" : current_text(process)});
    }
    std::vector<Column> columns{{"Rank", Unit::number},
                                {"Host", Unit::text},
                                {"Calls", Unit::number},
                                {"Compared with others", Unit::text},
                                {"Now", Unit::text}};
    if (statement.has_ended) {
        columns.pop_back();
        for (auto &row : rows)
            row.pop_back();
    }
    page.table("Processes", columns, rows);
}

void add_facts(Page &page, const Heading &heading)
{
    const Introduction &own = heading.introduction;
    page.facts({{"Program", own.program},
                {"Command", own.command},
                {"Processes", std::to_string(heading.number)},
                {"Begin", own.begin},
                {"End", heading.end.empty() ? "unknown" : heading.end},
                {"Tool",
                 "check(" + own.arguments + "), " +
                     instance_text(own.instance, own.instances, own.tool_id)},
                {"Library", own.library}});
}

std::string page_of(const Statement &statement, const Heading &heading)
{
    Page page("MPI check", heading.introduction.command);
    const Entries shown = statement.shown();
    add_statement(page, statement);
    add_graphs(page, shown);
    if (!shown.empty())
        page.items("Findings", items_of(shown),
                   "To suppress one, put its last line into a file for suppress=FILE.");
    add_kinds(page, statement);
    if (!statement.processes.empty())
        add_processes(page, statement);
    add_facts(page, heading);
    return page.html();
}

}  // namespace

std::string report_of(const Statement &statement, const Heading &heading, Format format)
{
    return format == Format::html ? page_of(statement, heading)
        : format == Format::json  ? statement.json(heading)
                                  : statement.text();
}

}  // namespace qmpi::check
