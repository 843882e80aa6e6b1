/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "replay.hpp"

#include "functions.hpp"
#include "send_mode.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <cstdint>

namespace qmpi::check {
namespace {

constexpr const char *several_threads = "several threads communicate";

/* Each member needs data of all others, or the operation has no other purpose than to wait. A group
 * that makes a communicator has none yet on which its members could agree in advance. Two groups that
 * join wait for each other: see Collectives::join(). */
bool is_barrier(int function)
{
    switch (qmpi::operation_of(function)) {
    case qmpi::operation::barrier:
    case qmpi::operation::allgather:
    case qmpi::operation::alltoall:
    case qmpi::operation::allreduce:
    case qmpi::operation::reduce_scatter:
    case qmpi::operation::fence:
        return true;
    default:
        return makes_of_group(function) || function == MPI_COMM_JOIN_T;
    }
}

bool contains(const std::vector<int> &ranks, int rank)
{
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

Flow flow_of(int function)
{
    switch (qmpi::operation_of(function)) {
    case qmpi::operation::gather:
    case qmpi::operation::reduce:
        return Flow::to_root;
    case qmpi::operation::bcast:
    case qmpi::operation::scatter:
        return Flow::from_root;
    case qmpi::operation::scan:
    case qmpi::operation::exscan:
        return Flow::to_higher;
    default:
        return Flow::among_all;
    }
}

bool is_fence(int function)
{
    return function == MPI_WIN_FENCE_T || function == MPI_WIN_FREE_T;
}

/* MPI_Finalize may wait for the others too, but messages that are never received are reported as
 * such. MPI_Comm_free waits for nobody. */
bool waits_for_others(const CollectiveEvent &event)
{
    return event.size > 1 && event.position.function != MPI_FINALIZE_T &&
        event.position.function != MPI_COMM_FREE_T && event.is_started;
}

}  // namespace

/* ---- collective operations ---- */

bool Replay::Meeting::needs(int rank, int other) const
{
    const auto known = sources.find(rank);
    if (known != sources.end() && !contains(known->second, other))
        return false;
    switch (flow_of(function)) {
    case Flow::to_root:
        return rank == root;
    case Flow::from_root:
        return rank != root && other == root;
    case Flow::to_higher: {
        const auto own = std::find(members->begin(), members->end(), rank);
        return std::find(members->begin(), own, other) != own;
    }
    default:
        return is_barrier(function);
    }
}

const std::vector<int> &Replay::Meeting::awaited_by(int rank) const
{
    const auto known = sources.find(rank);
    return waits_for_all() || known == sources.end() ? *members : known->second;
}

void Replay::Meeting::join(int rank, const SharedClock &other)
{
    const Flow flow = flow_of(function);
    before[rank] = other;
    if (flow == Flow::to_higher)
        join_lower();
    else if (flow != Flow::from_root || rank == root)
        clock = Clock::join(clock, other);
}

void Replay::Meeting::join_lower()
{
    for (; joined < members->size(); joined++) {
        const int member = (*members)[joined];
        const auto found = before.find(member);
        if (found != before.end())
            clock = Clock::join(clock, found->second);
        else if (!is_over)
            return;
        after[member] = clock;
    }
}

SharedClock Replay::Meeting::clock_after(int rank) const
{
    const Flow flow = flow_of(function);
    if (flow == Flow::to_root && rank != root)
        return nullptr;
    const auto clock_in = [](const std::map<int, SharedClock> &clocks, int member) {
        const auto found = clocks.find(member);
        return found == clocks.end() ? nullptr : found->second;
    };
    const auto known = sources.find(rank);
    if (known == sources.end())
        return flow == Flow::to_higher ? clock_in(after, rank) : clock;
    SharedClock learned;
    for (const int source : known->second) {
        if (flow != Flow::from_root || source == root)
            learned = Clock::join(learned, clock_in(before, source));
    }
    return learned;
}

/* ---- the run ---- */

SharedEnd Replay::send(int rank, const SendEvent &send)
{
    const auto end = make_end(rank, send.position, send.communicator);
    const int function = send.position.function;
    end->is_send = true;
    end->peer = send.destination;
    end->tag = send.tag;
    const SendMode mode = send_mode(function);
    /* A buffered send does not wait for its receive, and a ready send has one. */
    end->needs_receive = mode == SendMode::standard || mode == SendMode::synchronous;
    end->is_synchronous = mode == SendMode::synchronous;
    end->is_ready = mode == SendMode::ready;
    add(rank, Step::Kind::start, send.position, end);
    if (send.position.is_blocking() && qmpi::operation_of(function) == qmpi::operation::send)
        add(rank, Step::Kind::wait, send.position, end);
    else
        process(rank).ends[send.number] = end;
    return end;
}

SharedEnd Replay::receive(int rank, const ReceiveEvent &receive)
{
    const auto end = make_end(rank, receive.position, receive.communicator);
    const qmpi::operation operation = qmpi::operation_of(receive.position.function);
    end->peer = receive.source;
    end->tag = receive.tag;
    end->is_from_any = receive.is_from_any;
    end->has_any_tag = receive.has_any_tag;
    end->is_probe = operation == qmpi::operation::probe;
    add(rank, Step::Kind::start, receive.position, end);
    if (end->is_probe) {
        process(rank).ends[receive.number] = end;
        add(rank, Step::Kind::look, receive.position, end);
    } else if (receive.position.is_blocking() && operation == qmpi::operation::receive)
        add(rank, Step::Kind::wait, receive.position, end);
    else
        process(rank).ends[receive.number] = end;
    return end;
}

void Replay::match(const SharedEnd &send, const SharedEnd &receive)
{
    send->partner = receive;
    receive->partner = send;
    receive->partner_rank = send->rank;
    receive->partner_tag = send->tag;
    receive->partner_position = send->position;
    receive->is_partner_posted = send->is_posted;
    receive->partner_clock = send->clock;
    send->is_partner_posted = receive->is_probe ? receive->is_received : receive->is_posted;
    send->partner_clock = receive->clock;
    if (send->is_posted && receive->is_posted) {
        close(*send);
        close(*receive);
        judge_ready(*send, *receive);
    }
    wake(send->rank);
    wake(receive->rank);
    advance();
}

void Replay::collective(int rank, const CollectiveEvent &event, const SharedRanks &members)
{
    if (!waits_for_others(event))
        return;
    const SharedMeeting meeting = meeting_of({event.communicator, event.number}, members);
    meeting->function = event.position.function;
    if (!event.sources.empty())
        meeting->sources[rank] = event.sources;
    if (event.root >= 0 && event.root < event.size)
        meeting->root = (*members)[static_cast<std::size_t>(event.root)];
    add(rank, Step::Kind::start, event.position, meeting);
    if (event.is_local)
        return;
    if (event.position.is_blocking())
        add(rank, Step::Kind::wait, event.position, meeting);
    else
        process(rank).meetings[{event.communicator, event.number}] = meeting;
}

Replay::SharedMeeting Replay::meeting_of(const std::pair<std::uint64_t, std::uint64_t> &number,
                                         const SharedRanks &members)
{
    SharedMeeting &meeting = meetings_[number];
    if (meeting == nullptr) {
        meeting = std::make_shared<Meeting>();
        meeting->communicator = number.first;
        meeting->number = number.second;
        meeting->members = members;
    }
    return meeting;
}

void Replay::access(int rank, AccessEvent event)
{
    Step step;
    step.kind = Step::Kind::start;
    step.access = std::make_shared<const AccessEvent>(std::move(event));
    add(rank, std::move(step));
}

void Replay::accesses_complete(int rank, const AccessesCompleteEvent &event)
{
    Step step;
    step.kind = Step::Kind::start;
    step.completion = std::make_shared<const AccessesCompleteEvent>(event);
    add(rank, std::move(step));
}

void Replay::order_lost(int rank, const OrderLostEvent &event)
{
    const std::string reason = "used " + event.what;
    if (event.is_of_all)
        lose_order(rank, reason);
    std::string &known = process(rank).order_lost;
    if (event.is_of_all || !known.empty())
        return;
    known = "rank " + std::to_string(rank) + ": " + reason;
    Step step;
    step.kind = Step::Kind::start;
    step.loses_order = true;
    add(rank, std::move(step));
}

void Replay::await(int rank, const OperationEvent &event)
{
    const auto &[is_collective, communicator, number] = event.operation;
    if (is_collective) {
        if (const auto found = process(rank).meetings.extract({communicator, number}))
            add(rank, Step::Kind::wait, event.position, found.mapped());
    } else if (const auto found = process(rank).ends.extract(number))
        add(rank, Step::Kind::wait, event.position, found.mapped());
}

void Replay::completed(int rank, const OperationKey &operation)
{
    const auto &[is_collective, communicator, number] = operation;
    if (is_collective) {
        if (const auto found = process(rank).meetings.extract({communicator, number}))
            add(rank, Step::Kind::look, {}, found.mapped());
    } else if (const auto found = process(rank).ends.extract(number)) {
        /* A send may have completed without its receive. */
        const End &end = *found.mapped();
        if (!end.is_send || end.is_synchronous)
            add(rank, Step::Kind::look, {}, found.mapped());
    }
}

void Replay::forgotten(int rank, std::uint64_t number)
{
    process(rank).ends.erase(number);
}

void Replay::cancelled(int rank, std::uint64_t number)
{
    if (const auto found = process(rank).ends.extract(number))
        found.mapped()->is_released = true;
}

/* Here a probe may find another message than in the run, and less may have happened before that one. */
void Replay::probe(int rank, const ProbeEvent &event)
{
    if (!event.has_found && (event.source == MPI_ANY_SOURCE || event.tag == MPI_ANY_TAG))
        can_order_unseen_ = has_ordered_unseen_ = true;
    Step step;
    step.kind = event.has_found ? Step::Kind::look : Step::Kind::wait;
    step.position = event.position;
    step.communicator = event.communicator;
    step.peer = event.source;
    step.tag = event.tag;
    add(rank, std::move(step));
}

void Replay::receive_matched(int rank, std::uint64_t number)
{
    const auto found = process(rank).ends.extract(number);
    if (!found)
        return;
    Step step;
    step.kind = Step::Kind::start;
    step.end = found.mapped();
    step.receives_matched = true;
    add(rank, std::move(step));
}

void Replay::receive_matched(int rank, const SharedEnd &probe)
{
    probe->is_received = true;
    probe->clock = process(rank).clock;
    const SharedEnd send = probe->partner.lock();
    if (send == nullptr)
        return;
    send->is_partner_posted = true;
    send->partner_clock = probe->clock;
    wake(send->rank);
}

void Replay::change_thread(int rank, const ThreadEvent &event)
{
    Process &own = process(rank);
    own.thread = event.number;
    if (!std::exchange(own.has_threads, true)) {
        omit(rank, omitted_cycles, several_threads);
        wake(rank);
        advance();
    }
}

void Replay::returned(int rank)
{
    Step step;
    step.kind = Step::Kind::returned;
    add(rank, std::move(step));
}

/* Sends that still wait for a receive have completed in the run, and collective operations that
 * still wait for others have done without them: first those that are known not to need them. */
void Replay::end_run()
{
    search();
    while (release_first_waits(false) || release_first_waits(true))
        ;
    for (int rank = 0; is_member(rank); rank++) {
        if (!process(rank).has_threads || held_up(rank) == nullptr)
            continue;
        omit(rank, omitted_accesses, several_threads);
        if (finds_races_)
            omit(rank, omitted_races, several_threads);
    }
    find_races_of_unreceived();
    for (const Unready &send : undecided_) {
        if (order_lost_.empty() && !has_ordered_unseen_)
            unready_.push_back(send);
        else
            omit(send.rank, omitted_ready,
                 order_lost_.empty() ? "processes can poll windows, or have probed for any message"
                                     : order_lost_);
    }
    accesses_.end();
}

void Replay::free(int rank, const std::string &reason)
{
    process(rank).is_free = true;
    lose_order(rank, reason);
    wake(rank);
    advance();
}

/* Others no longer wait for it. */
void Replay::remove(int rank, const std::string &reason)
{
    gone_ += process(rank).is_gone ? 0U : 1U;
    process(rank).is_gone = true;
    free(rank, reason);
    for (auto entry = meetings_.begin(); entry != meetings_.end();) {
        const SharedMeeting meeting = (entry++)->second;
        if (is_complete(*meeting))
            finish(meeting);
    }
    for (std::size_t i = 0; i < processes_.size(); i++)
        wake(static_cast<int>(i));
    advance();
}

void Replay::exclude(int rank, const std::set<std::uint64_t> &objects, const std::string &reason)
{
    const auto is_excluded = [&objects](std::uint64_t object) { return objects.count(object) > 0; };
    const auto release_excluded = [&](const SharedEnd &end) {
        if (end == nullptr || !is_excluded(end->communicator))
            return;
        const SharedEnd partner = end->partner.lock();
        if (partner == nullptr || (partner->is_probe && !partner->is_received))
            release(*end);
    };
    lose_order(rank, reason);
    for (Process &own : processes_) {
        for (Step &step : own.steps) {
            release_excluded(step.end);
            step.is_released = step.is_released || is_excluded(step.communicator); /* a probe */
        }
        for (const auto &[number, end] : own.ends)
            release_excluded(end);
    }
    for (auto entry = meetings_.begin(); entry != meetings_.end();) {
        const SharedMeeting meeting = (entry++)->second;
        if (is_excluded(meeting->communicator))
            finish(meeting);
    }
    for (std::size_t i = 0; i < processes_.size(); i++)
        wake(static_cast<int>(i));
    advance();
}

void Replay::release(End &end)
{
    end.is_released = true;
    close(end);
}

void Replay::leave_out(int rank, const std::string &reason)
{
    omit(rank, omitted_cycles, reason);
    free(rank, reason);
}

/* A write that is no longer known, or known without all that it tells, may have told of any access. */
void Replay::lose_order(int rank, const std::string &reason)
{
    if (order_lost_.empty())
        order_lost_ = "rank " + std::to_string(rank) + ": " + reason;
    accesses_.tell(Clock::with_unordered(nullptr, rank));
}

const std::string &Replay::reason_of_unknown_order(const SharedClock &clock) const
{
    const int rank = Clock::unordered(clock);
    return rank < 0 ? order_lost_ : processes_[static_cast<std::size_t>(rank)].order_lost;
}

void Replay::omit(int rank, const char *what, const std::string &reason)
{
    if (omitted_.insert({rank, what}).second)
        omissions_.push_back({rank, what, reason});
}

std::vector<Omission> Replay::take_omissions()
{
    for (const auto &[rank, other] : accesses_.take_ordered())
        omit(rank, omitted_accesses,
             !order_lost_.empty() ? order_lost_
                                  : "rank " + std::to_string(other) +
                     ": has written to windows that processes can poll");
    for (const int target : accesses_.take_crowded())
        omit(target, omitted_early_accesses,
             "more than " + std::to_string(Accesses::most_accesses) + " of its window at a time");
    return std::exchange(omissions_, {});
}

/* ---- progress ---- */

SharedEnd Replay::make_end(int rank, const Position &position, std::uint64_t communicator)
{
    auto end = std::make_shared<End>();
    end->rank = rank;
    end->position = position;
    end->communicator = communicator;
    return end;
}

void Replay::add(int rank, Step::Kind kind, const Position &position, const SharedEnd &end)
{
    Step step;
    step.kind = kind;
    step.position = position;
    step.end = end;
    add(rank, std::move(step));
}

void Replay::add(int rank, Step::Kind kind, const Position &position, const SharedMeeting &meeting)
{
    Step step;
    step.kind = kind;
    step.position = position;
    step.meeting = meeting;
    add(rank, std::move(step));
}

void Replay::add(int rank, Step step)
{
    Process &own = process(rank);
    step.thread = own.thread;
    if (own.steps.empty() && make(rank, step)) {
        advance();
        return;
    }
    own.steps.push_back(std::move(step));
    if (own.has_threads) {
        wake(rank);
        advance();
    }
    if (own.steps.size() > own.many)
        relieve(rank);
}

void Replay::advance()
{
    while (!awake_.empty()) {
        const int rank = awake_.back();
        awake_.pop_back();
        advance(rank);
    }
}

void Replay::advance(int rank)
{
    Process &own = process(rank);
    std::set<std::uint32_t> waiting; /* threads */
    for (auto step = own.steps.begin(); step != own.steps.end();) {
        const bool is_waiting = waiting.count(step->thread) > 0;
        if (!is_waiting && make(rank, *step))
            step = own.steps.erase(step);
        else if (!own.has_threads || (is_waiting && step->kind == Step::Kind::returned))
            break;
        else
            waiting.insert((step++)->thread);
    }
    if (own.steps.empty())
        own.many = many_steps;
}

bool Replay::make(int rank, Step &step)
{
    work_++;
    if (step.kind == Step::Kind::returned)
        return true;
    if (step.kind == Step::Kind::start)
        start(rank, step);
    else if (is_complete(rank, step))
        end(rank, step);
    else
        return false;
    process(rank).is_in_certain_cycle = false;
    return true;
}

bool Replay::is_complete(int rank, Step &step)
{
    if (step.is_released || process(rank).is_free)
        return true;
    if (step.end != nullptr)
        return step.end->is_partner_posted || step.end->is_released || is_gone(step.end->peer) ||
            (step.end->is_send &&
             (!step.end->needs_receive || is_accused(rank, step) ||
              (process(rank).has_threads && !step.end->is_synchronous)));
    if (step.meeting != nullptr) {
        if (step.meeting->is_over || is_accused(rank, step))
            return true;
        const int awaited = awaited_in(*step.meeting, rank);
        if (awaited == nobody)
            return true;
        if (std::exchange(step.awaited, awaited) != awaited)
            step.meeting->waiting.emplace(awaited, rank);
        return false;
    }
    return is_gone(step.peer) || has_message({step.communicator, rank}, step.peer, step.tag);
}

bool Replay::is_gone(int peer) const
{
    if (gone_ == 0 || (peer != MPI_ANY_SOURCE && !is_member(peer)))
        return false;
    return peer == MPI_ANY_SOURCE || processes_[static_cast<std::size_t>(peer)].is_gone;
}

/* All that are not gone have arrived. */
bool Replay::is_complete(const Meeting &meeting) const
{
    const std::vector<int> &members = *meeting.members;
    return meeting.before.size() >= members.size() ||
        (gone_ > 0 && std::all_of(members.begin(), members.end(), [&](int rank) {
               return is_gone(rank) || meeting.before.count(rank) > 0;
           }));
}

int Replay::awaited_in(const Meeting &meeting, int rank) const
{
    if (meeting.waits_for_all())
        return all_members;
    for (const int member : meeting.awaited_by(rank)) {
        if (meeting.before.count(member) == 0 && !is_gone(member))
            return member;
    }
    return nobody;
}

bool Replay::is_accused(int rank, const Step &step) const
{
    const auto &accused = processes_[static_cast<std::size_t>(rank)].accused;
    return !accused.empty() && accused.count({step.position.function, step.position.site}) > 0;
}

void Replay::start(int rank, const Step &step)
{
    if (step.receives_matched)
        receive_matched(rank, step.end);
    else if (step.end != nullptr)
        post(step.end, step.thread);
    else if (step.meeting != nullptr)
        arrive(rank, step.meeting);
    else if (step.access != nullptr)
        make_access(rank, *step.access);
    else if (step.loses_order)
        process(rank).clock = Clock::with_unordered(process(rank).clock, rank);
    else {
        tick(rank);
        accesses_.complete(rank, *step.completion, process(rank).time);
    }
}

void Replay::make_access(int rank, const AccessEvent &access)
{
    Process &own = process(rank);
    const bool is_shared = access.epoch == AccessEvent::Epoch::shared;
    const std::string &reason = reason_of_unknown_order(own.clock);
    const bool is_write =
        (access.kind == AccessEvent::Kind::put || access.kind == AccessEvent::Kind::accumulate) &&
        access.target != rank;
    has_ordered_unseen_ = has_ordered_unseen_ || (is_shared && is_write);
    if (is_shared && is_write && own.told != own.clock) {
        accesses_.tell(own.clock);
        own.told = own.clock;
    }
    if (is_shared && !reason.empty())
        omit(rank, omitted_accesses, reason);
    else if (accesses_.add(rank, access, own.clock, own.time + 1))
        tick(rank);
}

void Replay::tick(int rank)
{
    Process &own = process(rank);
    own.clock = Clock::with(own.clock, rank, ++own.time);
}

/* Events before the other side of a message, or before members started an operation, see Flow,
 * happened before the process continues. */
void Replay::end(int rank, const Step &step)
{
    if (step.meeting != nullptr) {
        learn(rank, step.meeting->clock_after(rank));
    } else if (step.end != nullptr && (!step.end->is_send || step.end->is_synchronous)) {
        learn(rank, step.end->partner_clock);
        /* The sender knows that the receive has got its message. */
        if (const SharedEnd receive = step.end->is_send ? step.end->partner.lock() : nullptr)
            receive->end_time = receive->time;
    } else if (step.end == nullptr) {
        learn_by_probe(rank, step);
        if (finds_races_)
            tick(rank);
        process(rank).probe_times[step.thread] = process(rank).time;
    }
    if (!finds_races_ || step.end == nullptr || step.end->is_send)
        return;
    if (order_lost_.empty())
        find_races(rank, step.end);
    else if (step.end->is_from_any)
        omit(rank, omitted_races, order_lost_);
}

void Replay::learn_by_probe(int rank, const Step &step)
{
    const auto inbox = inboxes_.find({step.communicator, rank});
    if (inbox == inboxes_.end())
        return;
    for (const SharedEnd &send : inbox->second.sends) {
        if (fits(*send, step.peer, step.tag))
            learn(rank, send->clock);
    }
}

/* The message of this receive could have been that of one that was posted before. */
void Replay::find_races(int rank, const SharedEnd &receive)
{
    Process &own = process(rank);
    if (receive->is_from_any)
        end_any_receive(receive);
    const Sent message{receive->communicator, receive->partner_rank, receive->partner_tag,
                       receive->partner_position, receive->partner_clock};
    for (const auto &[site, other] : own.any_receives) {
        if (other->time <= receive->time)
            find_race(*other, message);
    }
    for (auto &[site, open] : own.open_receives) {
        const SharedEnd other = open.end.lock();
        /* One of two messages is not that of the other receive. */
        if (other != nullptr && other->time <= receive->time && could_get(*other, message) &&
            open.later.size() < 2 && (open.later.empty() || open.later[0].rank != message.rank))
            open.later.push_back(message);
    }
    if (receive->is_from_any)
        own.any_receives[receive->position.site] = receive;
}

/* Nobody learns of the post of a blocking one, nor of the receive of a probed message, before it has its
 * message. */
void Replay::post_any_receive(const SharedEnd &receive)
{
    const int function = receive->position.function;
    const bool is_blocking =
        receive->position.is_blocking() && qmpi::operation_of(function) == qmpi::operation::receive;
    if (is_blocking || receive->peer != MPI_ANY_SOURCE) {
        receive->end_time = receive->time;
        return;
    }
    OpenReceive &open = process(receive->rank).open_receives[receive->position.site];
    const SharedEnd other = open.end.lock();
    if (other == nullptr || other->is_released)
        open = {receive, {}};
}

void Replay::end_any_receive(const SharedEnd &receive)
{
    Process &own = process(receive->rank);
    if (receive->end_time == UINT64_MAX) {
        tick(receive->rank);
        receive->end_time = own.time;
    }
    const auto open = own.open_receives.find(receive->position.site);
    if (open == own.open_receives.end() || open->second.end.lock() != receive)
        return;
    for (const Sent &message : open->second.later)
        find_race(*receive, message);
    own.open_receives.erase(open);
}

/* It was sent without knowing that the receive has got its own. */
bool Replay::could_get(const End &receive, const Sent &message)
{
    return receive.communicator == message.communicator && receive.partner_rank != message.rank &&
        (receive.has_any_tag || receive.tag == message.tag) &&
        Clock::time(message.clock, receive.rank) < receive.end_time;
}

void Replay::find_race(const End &receive, const Sent &message)
{
    if (!could_get(receive, message))
        return;
    const std::string &reason = reason_of_unknown_order(message.clock);
    if (reason.empty())
        races_.push_back({receive.rank, receive.position, message.rank, message.position});
    else
        omit(receive.rank, omitted_races, reason);
}

/* A receive that is open may get one of them. */
void Replay::find_races_of_unreceived()
{
    if (!finds_races_ || !order_lost_.empty())
        return;
    for (const auto &[address, inbox] : inboxes_) {
        const Process &receiver = process(address.receiver);
        if (receiver.has_threads || receiver.any_receives.empty())
            continue;
        for (const SharedEnd &send : inbox.sends) {
            if (has_receive(*send))
                continue;
            for (const auto &[site, receive] : receiver.any_receives)
                find_race(*receive,
                          {send->communicator, send->rank, send->tag, send->position, send->clock});
        }
    }
}

void Replay::learn(int rank, const SharedClock &clock)
{
    Process &own = process(rank);
    own.clock = Clock::join(own.clock, clock);
}

void Replay::arrive(int rank, const SharedMeeting &meeting)
{
    meeting->join(rank, process(rank).clock);
    const auto [begin, end] = meeting->waiting.equal_range(rank);
    std::for_each(begin, end, [this](const auto &waiting) { wake(waiting.second); });
    if (is_complete(*meeting))
        finish(meeting);
}

void Replay::finish(const SharedMeeting &meeting)
{
    meeting->is_over = true;
    for (const auto &[awaited, rank] : meeting->waiting)
        wake(rank);
    meetings_.erase({meeting->communicator, meeting->number});
    if (flow_of(meeting->function) == Flow::to_higher)
        meeting->join_lower();
    if (is_fence(meeting->function))
        accesses_.end_epochs(meeting->communicator, meeting->number);
    if (meeting->function == MPI_WIN_FREE_T)
        accesses_.free(meeting->communicator);
}

void Replay::post(const SharedEnd &end, std::uint32_t thread)
{
    end->is_posted = true;
    Process &own = process(end->rank);
    const bool is_counted = has_ready_ && !end->is_send && !end->is_probe;
    if (is_counted || (finds_races_ && end->is_from_any))
        tick(end->rank);
    if (is_counted)
        end->posted_time = own.time;
    has_ready_ = has_ready_ || end->is_ready;
    end->sequence = ++sequence_;
    end->clock = own.clock;
    /* A probe has chosen the message then. */
    end->time =
        end->is_from_any && end->peer != MPI_ANY_SOURCE ? own.probe_times[thread] : own.time;
    if (finds_races_ && end->is_from_any)
        post_any_receive(end);
    if (const SharedEnd partner = end->partner.lock()) {
        if (!end->is_probe || end->is_received) {
            partner->is_partner_posted = true;
            partner->partner_clock = end->clock;
        }
        close(*partner);
        wake(partner->rank);
        if (partner->is_posted)
            judge_ready(end->is_send ? *end : *partner, end->is_send ? *partner : *end);
    }
    if (!end->is_partner_posted && !end->is_released)
        open(end);
    if (end->is_send)
        wake(end->receiver());
}

/* The replay is a run that the standard allows, so a send that is posted before the receive in it can
 * start too early. If the receive is counted, so can one whose process does not know of it. The two parts of a
 * send-receive operation have no order. */
void Replay::judge_ready(const End &send, const End &receive)
{
    if (!send.is_ready || process(send.rank).has_threads || process(receive.rank).has_threads ||
        qmpi::operation_of(receive.position.function) == qmpi::operation::sendrecv)
        return;
    const bool is_late = send.sequence < receive.sequence ||
        (receive.posted_time != 0 && Clock::time(send.clock, receive.rank) < receive.posted_time);
    if (!is_late)
        return;
    const std::string &reason = reason_of_unknown_order(send.clock);
    const Unready found{send.rank, send.position, receive.rank, receive.position};
    if (!reason.empty())
        omit(send.rank, omitted_ready, reason);
    else
        (can_order_unseen_ ? undecided_ : unready_).push_back(found);
}

void Replay::open(const SharedEnd &end)
{
    if (!is_member(end->receiver()))
        return;
    Inbox &inbox = inboxes_[{end->communicator, end->receiver()}];
    auto &list = end->is_send ? inbox.sends : inbox.receives;
    end->place = list.insert(list.end(), end);
    end->is_open = true;
}

void Replay::close(End &end)
{
    if (!std::exchange(end.is_open, false))
        return;
    const auto found = inboxes_.find({end.communicator, end.receiver()});
    Inbox &inbox = found->second;
    (end.is_send ? inbox.sends : inbox.receives).erase(end.place);
    if (inbox.sends.empty() && inbox.receives.empty())
        inboxes_.erase(found);
}

bool Replay::fits(const End &send, int source, int tag)
{
    return (source == MPI_ANY_SOURCE || source == send.rank) &&
        (tag == MPI_ANY_TAG || tag == send.tag);
}

bool Replay::has_message(const Address &address, int source, int tag) const
{
    const auto inbox = inboxes_.find(address);
    return inbox != inboxes_.end() &&
        std::any_of(inbox->second.sends.begin(), inbox->second.sends.end(),
                    [&](const SharedEnd &send) { return fits(*send, source, tag); });
}

bool Replay::has_receive(const End &send) const
{
    const auto inbox = inboxes_.find({send.communicator, send.receiver()});
    return inbox != inboxes_.end() &&
        std::any_of(
               inbox->second.receives.begin(), inbox->second.receives.end(),
               [&](const SharedEnd &receive) { return fits(send, receive->peer, receive->tag); });
}

/* ---- waiting ---- */

template <typename Visit>
void Replay::each_first_wait(int rank, Visit visit)
{
    for (Step &step : process(rank).steps) {
        if (step.kind != Step::Kind::wait)
            return;
        if (!is_complete(rank, step))
            visit(step);
    }
}

Replay::Need Replay::need_of(int rank, const Step &step) const
{
    Need need;
    if (step.meeting != nullptr) {
        for (const int member : step.meeting->awaited_by(rank)) {
            if (!is_member(member))
                return need;
            if (step.meeting->before.count(member) == 0)
                need.ranks.push_back(member);
        }
    } else if (step.end != nullptr && step.end->is_send) {
        const SharedEnd partner = step.end->partner.lock();
        const bool is_held = partner != nullptr && partner->is_probe && partner->is_posted;
        if (!is_member(step.end->peer) || (!is_held && has_receive(*step.end)))
            return need;
        need.ranks.push_back(step.end->peer);
    } else {
        const int source = step.end != nullptr ? step.end->peer : step.peer;
        const int tag = step.end != nullptr ? step.end->tag : step.tag;
        const std::uint64_t communicator =
            step.end != nullptr ? step.end->communicator : step.communicator;
        if (has_message({communicator, rank}, source, tag))
            return need;
        need.is_any = source == MPI_ANY_SOURCE;
        if (!need.is_any && !is_member(source))
            return need;
        if (!need.is_any)
            need.ranks.push_back(source);
    }
    need.is_open = need.ranks.empty() && !need.is_any;
    return need;
}

/* A process that waits for one that can proceed can proceed. */
std::vector<bool> Replay::stuck_processes()
{
    std::vector<bool> is_stuck(processes_.size());
    std::vector<std::size_t> left(processes_.size()); /* nodes that a process waits for */
    std::vector<Node> nodes;
    std::vector<std::vector<std::size_t>> nodes_of(processes_.size());
    std::map<const Meeting *, std::size_t> node_of_meeting;
    std::size_t node_of_any = SIZE_MAX; /* of all that wait for any process */

    for (std::size_t i = 0; i < processes_.size(); i++) {
        const int rank = static_cast<int>(i);
        each_first_wait(rank, [&](const Step &step) {
            std::size_t node = nodes.size();
            /* Its members wait for the same ones. */
            const Meeting *shared = step.meeting != nullptr && step.meeting->waits_for_all()
                ? step.meeting.get()
                : nullptr;
            if (const auto known = node_of_meeting.find(shared); known != node_of_meeting.end())
                node = known->second;
            else {
                const Need need = need_of(rank, step);
                if (need.is_open)
                    return;
                if (need.is_any && node_of_any != SIZE_MAX)
                    node = node_of_any;
                else {
                    nodes.push_back({need.is_any, need.ranks.size(), {}});
                    for (const int other : need.ranks)
                        nodes_of[static_cast<std::size_t>(other)].push_back(node);
                    if (shared != nullptr)
                        node_of_meeting[shared] = node;
                    if (need.is_any)
                        node_of_any = node;
                }
            }
            nodes[node].waiting.push_back(rank);
            left[i]++;
        });
        is_stuck[i] = left[i] > 0 && !processes_[i].is_free && !processes_[i].has_threads;
    }

    std::vector<int> proceeding;
    for (std::size_t i = 0; i < processes_.size(); i++) {
        if (!is_stuck[i])
            proceeding.push_back(static_cast<int>(i));
    }
    const auto satisfy = [&](Node &node) {
        for (const int rank : std::exchange(node.waiting, {})) {
            const auto i = static_cast<std::size_t>(rank);
            if (is_stuck[i] && --left[i] == 0) {
                is_stuck[i] = false;
                proceeding.push_back(rank);
            }
        }
    };
    while (!proceeding.empty()) {
        const auto i = static_cast<std::size_t>(proceeding.back());
        proceeding.pop_back();
        work_++;
        if (node_of_any != SIZE_MAX)
            satisfy(nodes[node_of_any]);
        for (const std::size_t node : nodes_of[i]) {
            if (--nodes[node].left == 0)
                satisfy(nodes[node]);
        }
    }
    return is_stuck;
}

int Replay::next_in_cycle(int rank, const std::vector<bool> &is_stuck, Cycle::Call &call)
{
    int next = -1;
    const auto is_stuck_rank = [&](int other) { return is_stuck[static_cast<std::size_t>(other)]; };
    each_first_wait(rank, [&](const Step &step) {
        if (next >= 0)
            return;
        Need need = need_of(rank, step);
        if (need.is_open)
            return;
        if (need.is_any) {
            for (std::size_t i = 0; i < is_stuck.size() && need.ranks.empty(); i++) {
                if (is_stuck[i] && static_cast<int>(i) != rank)
                    need.ranks.push_back(static_cast<int>(i));
            }
            if (need.ranks.empty())
                need.ranks.push_back(rank);
        }
        const auto found = std::find_if(need.ranks.begin(), need.ranks.end(), is_stuck_rank);
        if (found == need.ranks.end())
            return;
        next = *found;
        call = {rank, step.position,
                step.end != nullptr && step.end->needs_receive && !step.end->is_synchronous,
                step.meeting != nullptr};
        if (step.meeting == nullptr || has_gone_further(rank))
            return;
        const auto needed = std::find_if(found, need.ranks.end(), [&](int other) {
            return is_stuck_rank(other) && step.meeting->needs(rank, other);
        });
        if (needed != need.ranks.end()) {
            next = *needed;
            call.may_pass = false;
        }
    });
    return next;
}

Cycle Replay::cycle_from(int rank, const std::vector<bool> &is_stuck, std::vector<bool> &is_seen)
{
    Cycle cycle;
    std::map<int, std::size_t> path;
    while (rank >= 0 && path.count(rank) == 0) {
        if (is_seen[static_cast<std::size_t>(rank)])
            return {};
        is_seen[static_cast<std::size_t>(rank)] = true;
        path[rank] = cycle.calls.size();
        Cycle::Call call{};
        const int next = next_in_cycle(rank, is_stuck, call);
        cycle.calls.push_back(call);
        rank = next;
    }
    if (rank < 0)
        return {};
    cycle.calls.erase(cycle.calls.begin(),
                      cycle.calls.begin() + static_cast<std::ptrdiff_t>(path[rank]));
    cycle.is_certain =
        std::none_of(cycle.calls.begin(), cycle.calls.end(),
                     [](const Cycle::Call &call) { return call.needs_buffer || call.may_pass; });
    return cycle;
}

bool Replay::is_news(const Cycle &cycle)
{
    return !cycle.is_certain ||
        !std::all_of(cycle.calls.begin(), cycle.calls.end(), [&](const Cycle::Call &call) {
            return process(call.rank).is_in_certain_cycle;
        });
}

/* Its calls complete from now on as in the run. */
void Replay::accuse(const Cycle &cycle)
{
    for (const Cycle::Call &call : cycle.calls) {
        Process &own = process(call.rank);
        if (cycle.is_certain)
            own.is_in_certain_cycle = true;
        else if (call.needs_buffer || call.may_pass) {
            own.accused.insert({call.position.function, call.position.site});
            if (call.may_pass)
                lose_order(call.rank, "in a possible deadlock of collective operations");
            wake(call.rank);
        }
    }
    advance();
}

void Replay::search()
{
    bool has_found = true;
    while (has_found) {
        has_found = false;
        const std::vector<bool> is_stuck = stuck_processes();
        std::vector<bool> is_seen(processes_.size());
        std::vector<Cycle> found;
        for (std::size_t i = 0; i < processes_.size(); i++) {
            if (!is_stuck[i] || is_seen[i])
                continue;
            Cycle cycle = cycle_from(static_cast<int>(i), is_stuck, is_seen);
            if (!cycle.calls.empty() && is_news(cycle))
                found.push_back(std::move(cycle));
        }
        for (Cycle &cycle : found) {
            accuse(cycle);
            has_found = has_found || !cycle.is_certain;
            cycles_.push_back(std::move(cycle));
        }
        for (int rank = 0; is_member(rank); rank++)
            has_found = (held_up(rank) != nullptr && release_for(rank)) || has_found;
    }
}

std::vector<Cycle> Replay::find_cycles()
{
    search();
    return std::exchange(cycles_, {});
}

/* ---- calls that complete as in the run ---- */

int Replay::first_needed(int rank) const
{
    const Process &own = processes_[static_cast<std::size_t>(rank)];
    if (own.steps.empty())
        return -1;
    const Step *held_up = this->held_up(rank);
    const Step &step = held_up != nullptr ? *held_up : own.steps.front();
    const Need need = need_of(rank, step);
    if (!need.ranks.empty())
        return need.ranks[0];
    const SharedEnd partner = step.end != nullptr ? step.end->partner.lock() : nullptr;
    return partner != nullptr ? partner->rank : -1;
}

const Replay::Step *Replay::held_up(int rank) const
{
    const Process &own = processes_[static_cast<std::size_t>(rank)];
    std::map<std::uint32_t, const Step *> first; /* by thread */
    for (const Step &step : own.steps) {
        const auto [known, is_first] = first.emplace(step.thread, &step);
        if (step.kind == Step::Kind::returned || (is_first && step.kind == Step::Kind::look))
            return known->second;
        if (!own.has_threads)
            break;
    }
    return nullptr;
}

bool Replay::has_gone_further(int rank) const
{
    const auto &steps = processes_[static_cast<std::size_t>(rank)].steps;
    return std::any_of(steps.begin(), steps.end(),
                       [](const Step &step) { return step.kind != Step::Kind::wait; });
}

bool Replay::needs_others(int rank, const Step &step) const
{
    const Need need = need_of(rank, step);
    return std::any_of(need.ranks.begin(), need.ranks.end(),
                       [&](int other) { return step.meeting->needs(rank, other); });
}

bool Replay::release_first_waits(bool has_ended)
{
    bool has_released = false;
    for (int rank = 0; is_member(rank); rank++)
        has_released = release_first_wait(rank, has_ended) || has_released;
    return has_released;
}

bool Replay::release_first_wait(int rank, bool has_ended)
{
    bool has_released = false;
    each_first_wait(rank, [&](Step &step) {
        if (step.end != nullptr && step.end->is_send && !step.end->is_synchronous)
            has_released = step.is_released = true;
        if (step.meeting == nullptr || !has_gone_further(rank))
            return;
        const bool needs_others = this->needs_others(rank, step);
        if (needs_others && !has_ended)
            return;
        has_released = step.is_released = true;
        const bool is_unknown = flow_of(step.meeting->function) == Flow::among_all &&
            step.meeting->sources.count(rank) == 0;
        if (needs_others || is_unknown)
            lose_order(rank, "a collective operation did not wait for all processes");
    });
    if (has_released) {
        wake(rank);
        advance();
    }
    return has_released;
}

bool Replay::release_for(int rank)
{
    int other = rank;
    for (int hops = 0; hops < most_hops && other >= 0; hops++) {
        if (release_first_wait(other, false))
            return true;
        other = first_needed(other);
    }
    return false;
}

void Replay::relieve(int rank)
{
    search();
    Process &own = process(rank);
    while (own.steps.size() > many_steps / 2 && release_for(rank))
        ;
    if (own.steps.size() > most_steps)
        leave_out(
            rank,
            "more than " + std::to_string(most_steps) + " calls ahead of those that it waits for");
    own.many = own.steps.size() + many_steps;
}

}  // namespace qmpi::check
