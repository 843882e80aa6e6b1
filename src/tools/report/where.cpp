/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "where.hpp"

#include "where_job.hpp"
#include "where_words.hpp"

#include "../common/process.hpp"
#include "../common/text.hpp"

#include <qmpi.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 10;
constexpr std::size_t most_cycles = 3;
constexpr std::size_t longest_told_cycle = 3;

/* ---- words ---- */

/* A verb for one or several ranks: "waits", "wait" */
struct Verb {
    const char *one, *several;
};

constexpr Verb waits{"waits", "wait"}, is{"is", "are"}, has{"has", "have"};

/* "MPI_Recv (ring.c:12, MPI_COMM_WORLD)" */
std::string call_text(const CallFacts &call)
{
    return std::string(function_name(call.function)) + " (" + place_of(call.site) +
        (call.has_communicator ? ", " + name_of(call.communicator) : "") + ")";
}

std::string last_call_text(const CallFacts &call)
{
    return std::string(function_name(call.function)) + " (" + place_of(call.site) + ")";
}

/* ---- text ---- */

/* Processes of which one sentence is true. */
struct Group {
    std::vector<std::size_t> members;
    std::map<std::string, std::set<int>> details; /* ranks by what differs */
    double first = 0, last = 0;                   /* since when */
    bool has_begin = false;
    int order = 0;
};

enum Order { gone, halted, odd, usual };

class Text {
  public:
    Text(const WorldFacts &facts, double now) : world_(facts), now_(now) {}

    std::vector<std::string> lines()
    {
        find_cycles();
        make_groups();
        std::vector<std::string> lines;
        for (const auto *group : sorted()) {
            if (group->second.order < odd)
                lines.push_back(sentence(group->first, group->second));
        }
        lines.insert(lines.end(), cycle_lines_.begin(), cycle_lines_.end());
        std::size_t places = 0, ranks = 0;
        for (const auto *group : sorted()) {
            if (group->second.order < odd)
                continue;
            if (lines.size() < most_lines - 1)
                lines.push_back(sentence(group->first, group->second));
            else {
                places++;
                ranks += group->second.members.size();
            }
        }
        if (places > 0)
            lines.push_back(number_of(ranks, "more rank") + " in " +
                            number_of(places, "other place") + " (--json lists all)");
        if (const std::string missing = world_.missing_text(); !missing.empty())
            lines.push_back(missing);
        return lines;
    }

    const std::vector<std::vector<std::size_t>> &cycles() const { return cycles_; }

  private:
    using Named = std::pair<const std::string, Group>;

    const WorldFacts &facts() const { return world_.facts(); }

    void find_cycles()
    {
        cycles_ = cycles_in(waits_of(world_));
        for (std::size_t i = 0; i < cycles_.size(); i++) {
            if (i == most_cycles) {
                cycle_lines_.push_back(
                    print("%zu more cycles of ranks that wait for each other", cycles_.size() - i));
                break;
            }
            cycle_lines_.push_back(told_cycle(cycles_[i]));
            if (cycles_[i].size() <= longest_told_cycle)
                told_.insert(cycles_[i].begin(), cycles_[i].end());
        }
    }

    std::string told_cycle(const std::vector<std::size_t> &cycle) const
    {
        std::string path, parts;
        for (const std::size_t member : cycle) {
            const RankFacts &rank = facts().ranks[member];
            const CallFacts &call = *position_of(rank).calls.front();
            path += std::to_string(rank.rank) + " -> ";
            const std::string details = details_of(world_, call);
            parts += (parts.empty() ? "" : "; ") + rank.name() + " in " + call_text(call) +
                (details.empty() ? "" : ": " + details);
        }
        const std::string begin = cycle_text(world_, cycle, now_) + ": ";
        if (cycle.size() <= longest_told_cycle)
            return begin + parts;
        constexpr std::size_t shown = 8;
        if (cycle.size() > shown) {
            path.clear();
            for (std::size_t i = 0; i < shown - 1; i++)
                path += std::to_string(facts().ranks[cycle[i]].rank) + " -> ";
            path += "... -> " + std::to_string(facts().ranks[cycle.back()].rank) + " -> ";
        }
        return begin + path + std::to_string(facts().ranks[cycle.front()].rank);
    }

    void make_groups()
    {
        for (std::size_t i = 0; i < facts().ranks.size(); i++) {
            if (told_.count(i) == 0)
                add(i);
        }
    }

    void add(std::size_t index)
    {
        const RankFacts &rank = facts().ranks[index];
        const Position position = position_of(rank);
        std::string details;
        int order = 0;
        const std::string key = predicate(rank, position, details, order);
        Group &group = groups_[key];
        group.members.push_back(index);
        group.details[details].insert(rank.rank);
        group.order = order;
        const double since = position.since();
        if (since > 0 && !is_gone(rank)) {
            group.first = group.has_begin ? std::min(group.first, since) : since;
            group.last = group.has_begin ? std::max(group.last, since) : since;
            group.has_begin = true;
        }
    }

    /* In sentences, verbs are between \1 and \2, as "one|several"; \3 is the time, \4 what differs. */
    static std::string verb(const Verb &verb)
    {
        return std::string("\1") + verb.one + "|" + verb.several + "\2";
    }

    std::string predicate(const RankFacts &rank, const Position &position, std::string &details,
                          int &order) const
    {
        const std::string there = whereabouts(position);
        order = position.is_outside() ? odd : usual;
        switch (situation_of(rank, position)) {
        case Situation::dead:
            order = gone;
            return verb(has) + " died without MPI_Finalize, " + there;
        case Situation::exited:
            order = gone;
            return verb(has) + " ended without MPI_Finalize, " + there;
        case Situation::finished:
            order = odd;
            return verb(has) + " ended MPI";
        case Situation::stopped:
            order = halted;
            return verb(is) + " stopped by a signal (SIGCONT continues), " + there;
        case Situation::traced:
            order = halted;
            return verb(is) + " stopped by a debugger, " + there;
        case Situation::polling:
            return verb({"polls", "poll"}) + " with " + call_text(*position.last) +
                ", without result";
        case Situation::progressing:
            return verb({"makes", "make"}) + " progress, last in " + last_text(position);
        case Situation::outside:
            if (rank.threads.empty() && rank.stack && !rank.stack->function.empty()) {
                order = usual;
                return verb(is) + " in " + rank.stack->function + " (" +
                    place_of(rank.stack->site) + ")";
            }
            return outside(rank, position);
        case Situation::in_call:
            break;
        }
        std::string text;
        for (const CallFacts *call : position.calls) {
            text += text.empty() ? verb(may_wait(call->function) ? waits : is)
                                 : std::string(" and, in another thread,");
            text += " in " + call_text(*call);
            const std::string more = details_of(world_, *call);
            details += (details.empty() || more.empty() ? "" : ", and ") + more;
        }
        return text + "\3" + swap_text(rank) + "\4";
    }

    std::string outside(const RankFacts &rank, const Position &position) const
    {
        const std::string site = rank.stack ? ", in " + function_text(rank.stack->site) : "";
        if (rank.threads.empty())
            return verb(is) + " outside MPI" + site + state_text(rank);
        return verb(has) + " been outside MPI\3, after " + last_text(position) + site +
            state_text(rank);
    }

    /* "compute (solver.c:88)" */
    static std::string function_text(const CallSite &site)
    {
        return site.line > 0 && !site.function.empty() ? site.function + " (" + place_of(site) + ")"
                                                       : place_of(site);
    }

    static std::string last_text(const Position &position)
    {
        return position.last == nullptr ? "no call of MPI" : last_call_text(*position.last);
    }

    static std::string whereabouts(const Position &position)
    {
        return position.is_outside() ? "outside MPI, after " + last_text(position)
                                     : "in " + call_text(*position.calls.front());
    }

    /* The memory only if one rank is meant: it is never the same. */
    std::string state_text(const RankFacts &rank) const
    {
        switch (rank.condition) {
        case Condition::elsewhere:
            return ": on host " + rank.host + ", which cannot be looked at from here";
        case Condition::in_system:
            return ": waits in the system, usually for a disk or a network file system" +
                swap_text(rank);
        case Condition::sleeping:
        case Condition::running: {
            const int percent = static_cast<int>(std::lround(rank.cpu / 10)) * 10;
            return std::string(": ") + (percent > 0 ? "running" : "sleeping") +
                print(", %d %% CPU", percent) + swap_text(rank);
        }
        default:
            return "";
        }
    }

    static std::string swap_text(const RankFacts &rank)
    {
        return rank.swapped * 10 > rank.memory && rank.swapped > (std::int64_t{16} << 20)
            ? print(", %lld MB swapped out", static_cast<long long>(rank.swapped >> 20))
            : "";
    }

    /* Odd ones first. */
    std::vector<const Named *> sorted() const
    {
        std::vector<const Named *> all;
        for (const Named &group : groups_)
            all.push_back(&group);
        std::stable_sort(all.begin(), all.end(), [](const Named *a, const Named *b) {
            const auto key = [](const Group &group) {
                return std::make_tuple(group.order < odd ? group.order : odd, group.members.size(),
                                       group.order, group.members.front());
            };
            return key(a->second) < key(b->second);
        });
        return all;
    }

    std::string subject(const Group &group) const
    {
        const std::size_t number = group.members.size();
        const auto known = static_cast<std::size_t>(facts().size);
        std::set<int> ranks;
        for (const std::size_t member : group.members)
            ranks.insert(facts().ranks[member].rank);
        if (number == 1) {
            const RankFacts &rank = facts().ranks[group.members.front()];
            return rank.name() +
                (is_gone(rank) || rank.condition == Condition::stopped
                     ? " (process " + std::to_string(rank.process) + ")"
                     : "");
        }
        if (ranks.size() < number) /* without ranks */
            return number_of(number, "process", "es");
        if (known > 0 && number > 4)
            return print("%zu of %zu ranks", number, known);
        return ranks_list(ranks);
    }

    std::string sentence(const std::string &key, const Group &group) const
    {
        std::string text = subject(group) + " ";
        for (std::size_t i = 0; i < key.size(); i++) {
            if (key[i] == '\1') {
                const std::size_t bar = key.find('|', i), end = key.find('\2', i);
                text += group.members.size() == 1 ? key.substr(i + 1, bar - i - 1)
                                                  : key.substr(bar + 1, end - bar - 1);
                i = end;
            } else if (key[i] == '\3')
                text += group.has_begin
                    ? " for " + duration_text(now_ - group.last, now_ - group.first)
                    : "";
            else if (key[i] == '\4')
                text += details_text(group);
            else
                text += key[i];
        }
        return text + hosts_text(group);
    }

    std::string details_text(const Group &group) const
    {
        if (group.details.size() == 1) {
            const std::string &only = group.details.begin()->first;
            return only.empty() ? "" : ": " + only;
        }
        using Item = std::pair<const std::string, std::set<int>>;
        std::vector<const Item *> items;
        for (const Item &item : group.details)
            items.push_back(&item);
        std::sort(items.begin(), items.end(), [](const Item *a, const Item *b) {
            return *a->second.begin() < *b->second.begin();
        });
        constexpr std::size_t most = 3;
        std::string text;
        for (std::size_t i = 0; i < std::min(items.size(), most); i++)
            text += (i == 0 ? ": " : ", ") + items[i]->first + " (" + ranks_list(items[i]->second) +
                ")";
        return text + (items.size() > most ? ", ..." : "");
    }

    /* Of a single rank, if the job has several hosts. */
    std::string hosts_text(const Group &group) const
    {
        std::set<std::string> hosts;
        for (const RankFacts &rank : facts().ranks)
            hosts.insert(rank.host);
        const std::string &host = facts().ranks[group.members.front()].host;
        return hosts.size() > 1 && group.members.size() == 1 &&
                facts().ranks[group.members.front()].condition != Condition::elsewhere
            ? ", host " + host
            : "";
    }

    const World world_;
    const double now_;
    std::vector<std::vector<std::size_t>> cycles_;
    std::vector<std::string> cycle_lines_;
    std::set<std::size_t> told_; /* in lines of cycles */
    std::map<std::string, Group> groups_;
};

/* ---- JSON ---- */

const char *text_of(Condition condition)
{
    switch (condition) {
    case Condition::elsewhere:
        return "unknown";
    case Condition::running:
        return "running";
    case Condition::sleeping:
        return "sleeping";
    case Condition::in_system:
        return "waiting in the system";
    case Condition::stopped:
        return "stopped";
    case Condition::traced:
        return "traced";
    case Condition::finished:
        return "ended MPI";
    case Condition::exited:
        return "ended without MPI_Finalize";
    case Condition::dead:
        return "dead";
    }
    return "";
}

Json json_of(const CallSite &site)
{
    return {{"function", site.function},
            {"file", site.file},
            {"line", site.line},
            {"module", site.module},
            {"offset", site.offset}};
}

Json json_of(const CallFacts &call, const World &world, double now)
{
    Json json;
    json["function"] = function_name(call.function);
    json["site"] = json_of(call.site);
    if (call.has_communicator) {
        json["communicator"] = {{"name", call.communicator.name}, {"size", call.communicator.size}};
        if (call.communicator.context >= 0)
            json["communicator"]["context"] = call.communicator.context;
        if (call.communicator.is_inter())
            json["communicator"]["remote_size"] = call.communicator.remote_size;
    }
    switch (operation_of(call.function)) {
    case operation::receive:
    case operation::probe:
    case operation::send:
        if (call.function != MPI_MRECV_T && call.function != MPI_IMRECV_T) {
            json["peer"] = call.peer;
            json["tag"] = call.tag;
        }
        break;
    case operation::sendrecv:
        json["source"] = call.peer;
        json["destination"] = call.destination;
        break;
    case operation::wait:
    case operation::test:
    case operation::start:
        json["requests"] = call.size;
        break;
    default:
        if (is_rooted(call.function))
            json["root"] = call.peer;
    }
    if (call.size > 0 && call.element > 0)
        json["bytes"] = call.size * call.element;
    if (call.begin > 0) {
        json["begin"] = call.begin;
        json[call.end > 0 ? "end" : "seconds"] = call.end > 0 ? call.end : now - call.begin;
    }
    const std::string details = details_of(world, call);
    if (!details.empty())
        json["waits"] = details;
    return json;
}

Json json_of(const RankFacts &rank, const World &world, double now)
{
    Json json;
    if (rank.rank >= 0)
        json["rank"] = rank.rank;
    json["process"] = rank.process;
    json["host"] = rank.host;
    json["state"] = text_of(rank.condition);
    if (rank.condition != Condition::elsewhere && !is_gone(rank)) {
        json["cpu_percent"] = std::lround(rank.cpu);
        json["memory_bytes"] = rank.memory;
        json["swapped_bytes"] = rank.swapped;
    }
    json["calls_per_second"] = rank.calls_per_second;
    const Position position = position_of(rank);
    if (position.is_outside() && position.since() > 0)
        json["outside_seconds"] = now - position.since();
    json["threads"] = Json::array();
    for (const ThreadFacts &thread : rank.threads) {
        Json one{
            {"thread", thread.thread}, {"calls", thread.calls}, {"is_in_call", thread.is_in_call}};
        for (const CallFacts &call : thread.last)
            one["last_calls"].push_back(json_of(call, world, now));
        json["threads"].push_back(one);
    }
    if (rank.stack)
        json["stack"] = {{"function", rank.stack->function}, {"site", json_of(rank.stack->site)}};
    if (rank.threads_without_slot > 0)
        json["threads_not_recorded"] = rank.threads_without_slot;
    json["calls"] = Json::object();
    for (const auto &[function, number] : rank.counts)
        json["calls"][function_name(function)] = number;
    return json;
}

Json json_of(const WorldFacts &facts, double now)
{
    Text text(facts, now);
    const World world(facts);
    Json json;
    json["program"] = facts.program;
    json["size"] = facts.size;
    json["lines"] = text.lines();
    json["cycles"] = Json::array();
    for (const auto &cycle : text.cycles()) {
        Json ranks = Json::array();
        for (const std::size_t member : cycle)
            ranks.push_back(facts.ranks[member].rank);
        json["cycles"].push_back(ranks);
    }
    json["missing"] = world.missing();
    json["ranks"] = Json::array();
    for (const RankFacts &rank : facts.ranks)
        json["ranks"].push_back(json_of(rank, world, now));
    return json;
}

}  // namespace

std::string where(const std::vector<std::string> &jobs, const WhereOptions &options)
{
    const JobFacts facts = facts_of_job(jobs, options.with_stacks);
    if (options.as_json) {
        Json json;
        json["tool"] = "where";
        json["time"] = facts.now;
        json["warnings"] = facts.warnings;
        for (const WorldFacts &world : facts.worlds)
            json["worlds"].push_back(json_of(world, facts.now));
        return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    std::string text;
    for (const WorldFacts &world : facts.worlds) {
        if (facts.worlds.size() > 1)
            text += print("%s, MPI_COMM_WORLD of %s:\n", world.program.c_str(),
                          number_of(world.size, "rank").c_str());
        for (const std::string &line : Text(world, facts.now).lines())
            text += line + "\n";
    }
    if (!facts.has_records)
        text +=
            "from the stacks alone: with the tool watch there are communicators, partners and "
            "times\n";
    for (const std::string &warning : facts.warnings)
        text += "left out " + warning + "\n";
    return text;
}

}  // namespace qmpi::report
