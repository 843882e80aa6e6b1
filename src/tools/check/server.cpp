/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "server.hpp"

#include "erase.hpp"

#include "../common/report.hpp"

#include <stdexcept>

namespace qmpi::check {

void Server::finish(std::chrono::duration<double> longest)
{
    std::unique_lock<std::mutex> guard(lock_);
    if (ended_.wait_for(guard, longest, [this] { return analyser_.have_all_ended(); }))
        analyser_.find_conflicts();
    analyser_.find_cycles();
    analyser_.find_unreceived();
}

void Server::settle()
{
    const auto last = std::chrono::steady_clock::now() + longest_settling;
    std::unique_lock<std::mutex> guard(lock_);
    for (std::uint64_t known = UINT64_MAX;
         known != taken_ && std::chrono::steady_clock::now() < last;) {
        known = taken_;
        if (ended_.wait_for(guard, settled, [this] { return analyser_.have_all_ended(); }))
            break;
    }
    analyser_.find_cycles();
}

void Server::let_all_go()
{
    for (const auto &[rank, last] : leaving_)
        answer({~rank});
}

void Server::find_unreceived()
{
    const std::lock_guard<std::mutex> guard(lock_);
    analyser_.find_cycles();
    analyser_.find_unreceived();
}

void Server::dismiss()
{
    for (const int rank : waiting_)
        answer({~rank});
}

Statement Server::statement()
{
    const std::lock_guard<std::mutex> guard(lock_);
    return std::move(statement_);
}

std::set<int> Server::spawned()
{
    const std::lock_guard<std::mutex> guard(spawned_lock_);
    return spawned_;
}

std::set<int> Server::unfinished()
{
    const std::lock_guard<std::mutex> guard(lock_);
    return analyser_.unfinished();
}

void Server::take(int rank, std::string_view events)
{
    const std::lock_guard<std::mutex> guard(lock_);
    taken_++;
    if (events.empty()) {
        answer({rank});
        if (analyser_.joined(rank)) {
            const std::lock_guard<std::mutex> spawned_guard(spawned_lock_);
            spawned_.insert(rank);
        }
        answer_questions();
    }
    while (!events.empty()) {
        const auto head = Reader(events).get<Head>();
        if (head.size > events.size() - Head::bytes)
            throw std::runtime_error("an event ends too early");
        take(rank, head, Reader(events.substr(Head::bytes, head.size)));
        events.remove_prefix(Head::bytes + head.size);
    }
}

void Server::take(int rank, const Head &head, Reader &&reader)
{
    if (head.event == Event::statement) {
        const auto statement = reader.get<StatementEvent>();
        Reader fields(statement.bytes);
        statement_.merge(fields);
    } else if (head.event == Event::members) {
        const auto [size, members] = reader.get<MembersEvent>();
        questions_.emplace_back(rank, members.ranks(size));
        answer_questions();
        return;
    } else if (head.event == Event::world) {
        const auto world = reader.get<WorldEvent>();
        if (world.first >= 0)
            worlds_[world.name] = world.first;
        const auto known = worlds_.find(world.name);
        answer({rank, known == worlds_.end() ? -1 : known->second});
        return;
    } else
        analyser_.take(rank, head.event, reader);
    if (head.wants_answer && head.event == Event::finalized)
        waiting_.push_back(rank);
    else if (head.wants_answer && head.event == Event::exited)
        answer({~rank});
    else if (head.wants_answer && head.event == Event::left)
        leaving_.emplace_back(rank, std::chrono::steady_clock::now() + longest_settling);
    else if (head.event == Event::truncated || head.event == Event::unmatched)
        failed_.emplace_back(rank, std::chrono::steady_clock::now() + longest_on_the_way);
    else if (head.wants_answer)
        answer({rank});
}

void Server::lost(int rank)
{
    const std::lock_guard<std::mutex> guard(lock_);
    analyser_.lost(rank);
    answer_questions();
}

int Server::add(const World &world)
{
    const std::lock_guard<std::mutex> guard(lock_);
    return worlds_[world.name] = analyser_.add(world.size);
}

void Server::idle()
{
    std::unique_lock<std::mutex> guard(lock_);
    answer_failed();
    if (analyser_.have_all_ended())
        ended_.notify_all();
    let_go();
    if (!search())
        return;
    guard.unlock();
    on_deadlock_();
}

void Server::let_go()
{
    erase_if(leaving_, [this, now = std::chrono::steady_clock::now()](const auto &leaving) {
        if (now >= leaving.second)
            answer({~leaving.first});
        return now >= leaving.second;
    });
}

void Server::answer_questions()
{
    erase_if(questions_, [this](const auto &question) {
        const auto &[rank, others] = question;
        if (analyser_.are_joining(others))
            return false;
        answer({rank, analyser_.are_present(others)});
        return true;
    });
}

void Server::answer_failed()
{
    const auto now = std::chrono::steady_clock::now();
    erase_if(failed_, [&](const auto &failed) {
        const auto [rank, last] = failed;
        if (analyser_.awaits_sender(rank) && now < last)
            return false;
        analyser_.settle_failed(rank);
        await_stderr(); /* the error may end the job */
        answer({rank});
        return true;
    });
}

bool Server::search()
{
    if (std::chrono::steady_clock::now() < next_search_)
        return false;
    next_search_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    analyser_.find_cycles();
    return finds_deadlocks_ && !ignores_deadlocks_ && analyser_.find_deadlock();
}

}  // namespace qmpi::check
