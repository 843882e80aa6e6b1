/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "where_words.hpp"

#include "../common/process.hpp"
#include "../common/text.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <deque>
#include <iterator>

namespace qmpi::report {

/* ---- words ---- */

std::string duration_text(double seconds)
{
    const auto whole = static_cast<long long>(std::max(0.0, seconds));
    if (whole < 120)
        return print("%lld s", whole);
    if (whole < 7200)
        return print("%lld min", whole / 60);
    return print("%lld h %lld min", whole / 3600, whole / 60 % 60);
}

std::string duration_text(double shortest, double longest)
{
    const std::string a = duration_text(shortest), b = duration_text(longest);
    return longest - shortest < std::max(1.0, 0.05 * longest) || a == b ? b : a + " to " + b;
}

std::string numbers_text(const std::set<int> &ranks)
{
    std::string text;
    for (auto rank = ranks.begin(); rank != ranks.end();) {
        const int first = *rank;
        int last = first;
        while (++rank != ranks.end() && *rank == last + 1)
            last++;
        text += (text.empty() ? "" : ", ") + std::to_string(first) +
            (last == first ? "" : "-" + std::to_string(last));
    }
    return text;
}

std::string ranks_list(const std::set<int> &ranks)
{
    return (ranks.size() == 1 ? "rank " : "ranks ") + numbers_text(ranks);
}

std::string place_of(const CallSite &site)
{
    if (site.module.empty())
        return "unknown place";
    if (site.line > 0)
        return site.file.substr(site.file.rfind('/') + 1) + ":" + std::to_string(site.line);
    const std::string text = text_of(site); /* "solve (halo+0x1f30)" */
    const std::size_t open = text.find(" (");
    return open == std::string::npos
        ? text
        : text.substr(0, open) + ", " + text.substr(open + 2, text.size() - open - 3);
}

std::string name_of(const CommunicatorFacts &communicator)
{
    if (!communicator.name.empty())
        return communicator.name;
    if (communicator.size == 0)
        return "unknown communicator";
    if (communicator.is_inter())
        return print("intercommunicator of %d and %d ranks", communicator.size,
                     communicator.remote_size);
    return "communicator of " + number_of(communicator.size, "rank");
}

bool is_rooted(int function)
{
    switch (operation_of(function)) {
    case operation::bcast:
    case operation::gather:
    case operation::scatter:
    case operation::reduce:
        return true;
    default:
        return false;
    }
}

bool may_wait(int function)
{
    if (form_of(function) != form::blocking && form_of(function) != form::end)
        return false;
    switch (operation_of(function)) {
    case operation::test:
    case operation::abort:
    case operation::start:
    case operation::ready:
    case operation::arrived:
        return false;
    default:
        return true;
    }
}

namespace {

bool is_poll(int function)
{
    const operation what = operation_of(function);
    return what == operation::test ||
        (what == operation::probe && form_of(function) != form::blocking);
}

}  // namespace

/* ---- what a rank waits for ---- */

World::World(const WorldFacts &facts) : facts_(facts)
{
    for (std::size_t i = 0; i < facts.ranks.size(); i++) {
        const RankFacts &rank = facts.ranks[i];
        by_rank_.emplace(rank.rank, i);
        for (const ThreadFacts &thread : rank.threads) {
            for (const CallFacts &call : thread.last)
                note(i, call.communicator);
        }
    }
}

void World::note(std::size_t process, const CommunicatorFacts &communicator)
{
    if (communicator.context >= 0 && communicator.size > 0 && !communicator.is_inter())
        members_[{communicator.context, communicator.leader}][communicator.rank] = process;
}

std::size_t World::member(const CommunicatorFacts &communicator, int rank) const
{
    if (communicator.is_inter())
        return none;
    if (communicator.name == "MPI_COMM_WORLD") {
        const auto found = by_rank_.find(rank);
        return found == by_rank_.end() ? none : found->second;
    }
    const auto members = members_.find({communicator.context, communicator.leader});
    if (communicator.context < 0 || members == members_.end())
        return none;
    const auto found = members->second.find(rank);
    return found == members->second.end() ? none : found->second;
}

std::string World::peer_text(const CallFacts &call, int peer) const
{
    if (peer == MPI_ANY_SOURCE)
        return "any rank";
    if (peer == MPI_PROC_NULL)
        return "MPI_PROC_NULL";
    const std::string own = "rank " + std::to_string(peer);
    if (call.communicator.name == "MPI_COMM_WORLD")
        return own;
    if (call.communicator.is_inter())
        return own + " of the remote group";
    const std::size_t process = member(call.communicator, peer);
    if (process == none)
        return own + " of that communicator";
    const std::string name = facts_.ranks[process].name();
    return name == own ? own : name + " (" + std::to_string(peer) + " of that communicator)";
}

std::set<int> World::missing() const
{
    std::set<int> missing;
    for (int rank = 0; rank < facts_.size; rank++)
        missing.insert(rank);
    for (const RankFacts &rank : facts_.ranks)
        missing.erase(rank.rank);
    return missing;
}

std::string World::missing_text() const
{
    const std::set<int> missing = this->missing();
    if (missing.empty())
        return "";
    const std::string ranks = missing.size() > 4
        ? print("%zu of %d ranks", missing.size(), facts_.size)
        : ranks_list(missing);
    const bool is_one = missing.size() == 1;
    if (facts_.ranks_on_host == facts_.size)
        return ranks + (is_one ? " has" : " have") +
            " no record: " + (is_one ? "it has" : "they have") + " ended, or " +
            (is_one ? "has" : "have") + " not begun MPI_Init with the tool watch";
    return ranks + (is_one ? " is" : " are") +
        " not seen: on another host (run this command there, too), ended, or without the "
        "tool watch";
}

std::string details_of(const World &world, const CallFacts &call)
{
    const auto tag = [&call] {
        return call.tag == MPI_ANY_TAG ? std::string() : " with tag " + std::to_string(call.tag);
    };
    switch (operation_of(call.function)) {
    case operation::receive:
        if (call.function == MPI_MRECV_T)
            return "";
        [[fallthrough]];
    case operation::probe:
        return "a message from " + world.peer_text(call, call.peer) + tag();
    case operation::send: {
        const std::string data = call.element > 0 ? number_of(call.size * call.element, "byte")
                                                  : number_of(call.size, "element");
        return data + " to " + world.peer_text(call, call.peer) + tag();
    }
    case operation::sendrecv:
        return "from " + world.peer_text(call, call.peer) + ", to " +
            world.peer_text(call, call.destination);
    case operation::wait:
    case operation::test:
        if (call.size == 1)
            return "1 request";
        return std::string(call.function == MPI_WAITANY_T || call.function == MPI_TESTANY_T
                               ? "any of "
                               : call.function == MPI_WAITSOME_T || call.function == MPI_TESTSOME_T
                               ? "some of "
                               : "") +
            number_of(call.size, "request");
    case operation::lock:
    case operation::unlock:
    case operation::flush:
        return call.function == MPI_WIN_FLUSH_ALL_T || call.function == MPI_WIN_FLUSH_LOCAL_ALL_T
            ? ""
            : "rank " + std::to_string(call.peer) + " of the window";
    default:
        return is_rooted(call.function) ? "root " + std::to_string(call.peer) : "";
    }
}

double Position::since() const
{
    if (is_outside())
        return last == nullptr ? 0 : last->end;
    double begin = calls.front()->begin;
    for (const CallFacts *call : calls)
        begin = std::min(begin, call->begin);
    return begin;
}

Position position_of(const RankFacts &rank)
{
    Position position;
    const ThreadFacts *newest = nullptr;
    double newest_time = 0;
    for (const ThreadFacts &thread : rank.threads) {
        if (thread.last.empty())
            continue;
        const CallFacts &call = thread.last.front();
        if (thread.is_in_call)
            position.calls.push_back(&call);
        const double time = std::max(call.begin, call.end);
        if (newest == nullptr || time > newest_time) {
            newest = &thread;
            newest_time = time;
            position.last = &call;
        }
    }
    position.polls = newest != nullptr && rank.calls_per_second > 0 &&
        std::all_of(newest->last.begin(), newest->last.end(),
                    [&](const CallFacts &call) { return is_poll(call.function); });
    return position;
}

Situation situation_of(const RankFacts &rank, const Position &position)
{
    switch (rank.condition) {
    case Condition::dead:
        return Situation::dead;
    case Condition::exited:
        return Situation::exited;
    case Condition::finished:
        return Situation::finished;
    case Condition::stopped:
        return Situation::stopped;
    case Condition::traced:
        return Situation::traced;
    default:
        break;
    }
    if (position.polls)
        return Situation::polling;
    if (rank.calls_per_second > 0)
        return Situation::progressing;
    return position.is_outside() ? Situation::outside : Situation::in_call;
}

bool is_gone(const RankFacts &rank)
{
    return rank.condition == Condition::dead || rank.condition == Condition::exited ||
        rank.condition == Condition::finished;
}

/* ---- cycles ---- */

namespace {

bool can_wait(const RankFacts &rank)
{
    return !is_gone(rank) && rank.calls_per_second == 0;
}

}  // namespace

Graph waits_of(const World &world)
{
    const auto &ranks = world.facts().ranks;
    std::vector<Position> positions;
    std::transform(ranks.begin(), ranks.end(), std::back_inserter(positions), position_of);

    /* Processes by the collective operation that they are in. */
    Graph graph(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); i++) {
        if (positions[i].calls.size() != 1 || !can_wait(ranks[i]))
            continue;
        const CallFacts &call = *positions[i].calls.front();
        const auto add = [&](int peer) {
            const std::size_t process = world.member(call.communicator, peer);
            if (process != none)
                graph[i].push_back(process);
        };
        if (form_of(call.function) != form::blocking || !call.has_communicator)
            continue;
        switch (operation_of(call.function)) {
        case operation::receive:
        case operation::probe:
        case operation::send:
        case operation::sendrecv:
            if (call.function != MPI_MRECV_T)
                add(call.peer);
            break;
        default:
            if (!is_collective(call.function) || call.communicator.context < 0)
                break;
            for (int peer = 0; peer < call.communicator.size; peer++) {
                const std::size_t other = world.member(call.communicator, peer);
                if (other == none)
                    continue;
                const auto &calls = positions[other].calls;
                const bool is_there = std::any_of(calls.begin(), calls.end(), [&](const auto *one) {
                    return one->function == call.function &&
                        one->communicator.context == call.communicator.context &&
                        one->communicator.leader == call.communicator.leader;
                });
                /* Not at the same time in another collective: a rooted one may let it go ahead. */
                if (!is_there)
                    graph[i].push_back(other);
            }
        }
    }
    return graph;
}

namespace {

/* A shortest cycle through a process; empty if there is none. */
std::vector<std::size_t> cycle_through(const Graph &graph, std::size_t start,
                                       const std::vector<bool> &is_left_out)
{
    std::vector<std::size_t> from(graph.size(), none);
    std::deque<std::size_t> next{start};
    while (!next.empty()) {
        const std::size_t one = next.front();
        next.pop_front();
        for (const std::size_t other : graph[one]) {
            if (other == start) {
                std::vector<std::size_t> cycle;
                for (std::size_t i = one; i != start; i = from[i])
                    cycle.push_back(i);
                cycle.push_back(start);
                std::reverse(cycle.begin(), cycle.end());
                return cycle;
            }
            if (from[other] == none && !is_left_out[other]) {
                from[other] = one;
                next.push_back(other);
            }
        }
    }
    return {};
}

}  // namespace

std::vector<std::vector<std::size_t>> cycles_in(const Graph &graph)
{
    std::vector<std::vector<std::size_t>> cycles;
    std::vector<bool> is_left_out(graph.size());
    for (std::size_t i = 0; i < graph.size(); i++) {
        if (is_left_out[i])
            continue;
        const auto cycle = cycle_through(graph, i, is_left_out);
        if (cycle.empty())
            continue;
        cycles.push_back(cycle);
        for (const std::size_t member : cycle)
            is_left_out[member] = true;
    }
    return cycles;
}

std::string cycle_text(const World &world, const std::vector<std::size_t> &cycle, double now)
{
    std::set<int> ranks;
    double first = now, last = 0;
    for (const std::size_t member : cycle) {
        const RankFacts &rank = world.facts().ranks[member];
        const double begin = position_of(rank).since();
        ranks.insert(rank.rank);
        first = std::min(first, begin);
        last = std::max(last, begin);
    }
    const std::string subject =
        cycle.size() == 1 ? world.facts().ranks[cycle.front()].name() : ranks_list(ranks);
    return subject +
        (cycle.size() == 1       ? " waits for itself"
             : cycle.size() == 2 ? " wait for each other"
                                 : " wait in a cycle") +
        " for " + duration_text(now - last, now - first);
}

}  // namespace qmpi::report
