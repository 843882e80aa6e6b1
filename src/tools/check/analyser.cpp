/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "analyser.hpp"

#include "agreement.hpp"
#include "erase.hpp"
#include "functions.hpp"

#include "../common/process.hpp"
#include "../common/report.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <iterator>
#include <utility>

namespace qmpi::check {

void Analyser::take(int rank, Event event, Reader &reader)
{
    switch (event) {
    case Event::site: {
        const auto site = reader.get<SiteEvent>();
        process(rank).sites[site.site] = {{site.module, site.offset}, {}};
        break;
    }
    case Event::found: {
        const auto found = reader.get<FoundEvent>();
        findings_.add(finding(static_cast<Kind>(found.kind), rank, found.position, found.text,
                              calls(rank, found.others)));
        break;
    }
    case Event::collective:
        take_collective(rank, reader.get<CollectiveEvent>());
        break;
    case Event::send:
        take_message(rank, reader.get<SendEvent>());
        break;
    case Event::receive:
        take_message(rank, reader.get<ReceiveEvent>());
        break;
    case Event::received:
        take_received(rank, reader.get<ReceivedEvent>());
        break;
    case Event::matched: {
        const auto receive = reader.get<MatchedEvent>();
        Matched &matched = process(rank).matched[receive.number];
        matched.receive =
            Receive{receive.position, receive.number, 0, 0, true, receive.signature, nullptr};
        compare_matched(rank, receive.number);
        replay_.receive_matched(rank, receive.number);
        break;
    }
    case Event::partitioned:
        take_partitioned(rank, reader.get<PartitionedEvent>());
        break;
    case Event::partitioned_started:
    case Event::partitioned_ready:
    case Event::partitioned_freed:
        take_partitioned(event, {rank, reader.get<OperationKey>().number});
        break;
    case Event::joining:
        take_joining(rank, reader.get<JoiningEvent>());
        break;
    case Event::await:
        replay_.await(rank, reader.get<OperationEvent>());
        break;
    case Event::truncated:
        process(rank).truncated = reader.get<OperationEvent>();
        break;
    case Event::unmatched:
        process(rank).unmatched = reader.get<CommunicatorEvent>().communicator;
        break;
    case Event::completed:
        replay_.completed(rank, reader.get<OperationKey>());
        break;
    case Event::probe:
        take_probe(rank, reader.get<ProbeEvent>());
        break;
    case Event::window:
        take_window(rank, reader.get<WindowEvent>());
        break;
    case Event::access:
        take_access(rank, reader.get<AccessEvent>());
        break;
    case Event::accesses_complete:
        replay_.accesses_complete(rank, reader.get<AccessesCompleteEvent>());
        break;
    case Event::exposure:
        replay_.exposure(rank, reader.get<ExposureEvent>());
        break;
    case Event::no_puts:
        replay_.exclude_puts(rank, reader.get<NoPutsEvent>());
        break;
    case Event::polling: {
        const auto polling = reader.get<OperationEvent>();
        process(rank).polling.reset();
        if (polling.position.function < 0)
            break;
        process(rank).polling = polling.position;
        process(rank).polling_since =
            Clock::now() - std::chrono::milliseconds(polling.operation.number);
        find_no_progress();
        break;
    }
    case Event::blocked:
        process(rank).blocked = reader.get<BlockedEvent>();
        process(rank).blocked_since = Clock::now();
        break;
    case Event::unblocked:
        process(rank).blocked.reset();
        break;
    case Event::distrust:
        distrust(rank);
        break;
    case Event::exclude:
        exclude(rank, reader.get<CommunicatorEvent>());
        break;
    case Event::freed:
        take_freed(reader.get<CommunicatorEvent>());
        break;
    case Event::forgotten:
        replay_.forgotten(rank, reader.get<OperationKey>().number);
        break;
    case Event::cancelling: {
        const auto receive = reader.get<OperationKey>();
        if (const auto inbox = inboxes_.find({receive.communicator, rank}); inbox != inboxes_.end())
            inbox->second.cancel(receive.number);
        break;
    }
    case Event::silent:
        process(rank).is_silent = true;
        break;
    case Event::finalized:
    case Event::exited:
        process(rank).is_finalized = true;
        note_end(rank);
        break;
    case Event::left:
        note_end(rank);
        break;
    case Event::order_lost:
        replay_.order_lost(rank, reader.get<OrderLostEvent>());
        break;
    case Event::multiple:
        process(rank).is_multiple = true;
        break;
    case Event::thread:
        replay_.change_thread(rank, reader.get<ThreadEvent>());
        break;
    case Event::returned:
        replay_.returned(rank);
        break;
    case Event::members:
    case Event::world:
    case Event::statement:
        break; /* see Server */
    }
    if (replay_.has_results())
        take_results();
}

void Analyser::take_results()
{
    for (const Race &race : replay_.take_races())
        add(Kind::message_race, race.rank, race.position,
            "could also get the message of rank " + std::to_string(race.sender) + " (" +
                text(race.sender, race.other) + ")",
            {call(race.sender, race.other)});
    for (const Conflict &conflict : replay_.take_conflicts())
        add(conflict.is_excluded ? Kind::epoch : Kind::conflict, conflict.rank, conflict.position,
            text(conflict), {call(conflict.other_rank, conflict.other_position)});
    for (const Unready &send : replay_.take_unready())
        add(Kind::ready, send.rank, send.position,
            "rank " + std::to_string(send.receiver) + " may start the receive later (" +
                text(send.receiver, send.receive) + "): no message orders it before this send",
            {call(send.receiver, send.receive)});
    for (const Omission &omission : replay_.take_omissions())
        note(omission);
}

/* The first of a kind is printed. */
void Analyser::note(const Omission &omission)
{
    recorder_.omitted(omission);
    if (omitted_.insert(omission.what).second)
        write_stderr("QMPI check: rank " + std::to_string(omission.rank) +
                     ": left out of the search for " + omission.what + ": " + omission.reason +
                     "\n");
}

void Analyser::note_once(const Omission &omission)
{
    if (noted_.insert({omission.rank, omission.what}).second)
        note(omission);
}

void Analyser::lost(int rank)
{
    process(rank).is_lost = true;
    note_end(rank);
    process(rank).blocked.reset();
    replay_.remove(rank, "has ended, or does not have this tool");
}

bool Analyser::are_present(const std::vector<int> &ranks) const
{
    return std::none_of(ranks.begin(), ranks.end(), [this](int rank) {
        return processes_.at(static_cast<std::size_t>(rank)).is_lost;
    });
}

int Analyser::add(int size)
{
    const int first = this->size();
    processes_.resize(processes_.size() + static_cast<std::size_t>(size));
    for (int rank = first; rank < this->size(); rank++)
        process(rank).has_joined = false;
    replay_.add(size);
    return first;
}

bool Analyser::are_joining(const std::vector<int> &ranks) const
{
    return std::any_of(ranks.begin(), ranks.end(), [this](int rank) {
        const Process &process = processes_.at(static_cast<std::size_t>(rank));
        return !process.has_joined && !process.is_lost;
    });
}

std::set<int> Analyser::unfinished() const
{
    std::set<int> unfinished;
    for (int rank = first_world_; rank < size(); rank++) {
        const Process &process = processes_[static_cast<std::size_t>(rank)];
        if (process.has_joined && !process.is_finalized)
            unfinished.insert(rank);
    }
    return unfinished;
}

void Analyser::note_end(int rank)
{
    if (!std::exchange(process(rank).has_ended, true))
        ended_++;
}

void Analyser::find_unreceived()
{
    const bool is_certain =
        std::all_of(processes_.begin(), processes_.end(),
                    [](const Process &process) { return process.is_silent && process.is_trusted; });
    if (!is_certain || has_found_unreceived_)
        return;
    has_found_unreceived_ = true;
    for (const auto &[address, inbox] : inboxes_)
        report_unreceived(address.second, inbox);
    find_conflicts();
}

void Analyser::report_unreceived(int receiver, const Inbox &inbox)
{
    inbox.each_message([&](int source, int tag, const Message &message) {
        if (!inbox.may_receive(source, tag)) /* else an unwaited receive may get it */
            add(Kind::unreceived, source, message.position,
                "rank " + std::to_string(receiver) + " never received this message (tag " +
                    std::to_string(tag) + ", " + message.signature.text() + ")");
    });
}

void Analyser::find_conflicts()
{
    if (std::exchange(has_ended_run_, true))
        return;
    replay_.end_run();
    take_results();
}

/* A second thread of a process could break a cycle, until the process has ended. */
void Analyser::find_cycles()
{
    for (Cycle &cycle : replay_.find_cycles()) {
        if (!cycle.is_certain) /* else a deadlock, as soon as its calls are known to be blocked */
            cycles_.push_back(std::move(cycle));
    }
    erase_if(cycles_, [this](const Cycle &cycle) {
        bool has_threads = false, may_have_threads = false;
        for (const Cycle::Call &call : cycle.calls) {
            const Process &process = this->process(call.rank);
            has_threads = has_threads || replay_.has_threads(call.rank);
            may_have_threads = may_have_threads || (process.is_multiple && !process.is_finalized);
        }
        if (!has_threads && !may_have_threads)
            report(cycle);
        return has_threads || !may_have_threads;
    });
}

void Analyser::report(const Cycle &cycle)
{
    const auto &all = cycle.calls;
    const bool has_sends = std::any_of(all.begin(), all.end(),
                                       [](const Cycle::Call &call) { return call.needs_buffer; });
    const bool may_pass =
        std::any_of(all.begin(), all.end(), [](const Cycle::Call &call) { return call.may_pass; });
    for (const Cycle::Call &call : all) {
        if (call.needs_buffer)
            add(Kind::possible_deadlock, call.rank, call.position,
                std::string("completes only if the library buffers the message") +
                    (may_pass ? ", or if a collective operation does not wait for all processes; "
                              : "; ") +
                    text(cycle),
                calls(cycle));
        else if (call.may_pass && !has_sends)
            add(Kind::possible_deadlock, call.rank, call.position,
                "completes only if the operation does not wait for all processes; " + text(cycle),
                calls(cycle));
    }
}

std::vector<OtherCall> Analyser::calls(const Cycle &cycle)
{
    std::vector<OtherCall> calls;
    for (std::size_t i = 0; i < cycle.calls.size() && i < max_lines; i++)
        calls.push_back(call(cycle.calls[i].rank, cycle.calls[i].position));
    return calls;
}

std::vector<OtherCall> Analyser::calls(int rank, const std::vector<Position> &positions)
{
    std::vector<OtherCall> calls;
    calls.reserve(positions.size());
    for (const Position &position : positions)
        calls.push_back(call(rank, position));
    return calls;
}

std::string Analyser::text(const Cycle &cycle)
{
    std::string list = "cycle: ";
    for (std::size_t i = 0; i < cycle.calls.size() && i < max_calls; i++) {
        const Cycle::Call &call = cycle.calls[i];
        list +=
            "rank " + std::to_string(call.rank) + " (" + text(call.rank, call.position) + ") -> ";
    }
    if (cycle.calls.size() > max_calls)
        list += "... -> ";
    return list + "rank " + std::to_string(cycle.calls[0].rank);
}

/* Those that wait could wait for one that tests in vain, which may still do something else: no deadlock. */
void Analyser::find_no_progress()
{
    if (has_found_no_progress_)
        return;
    const auto now = Clock::now();
    const auto is_idle = [&](const Process &process) {
        return process.is_lost || process.has_ended ||
            (process.blocked && now - process.blocked_since >= timeout_) ||
            (process.polling && now - process.polling_since >= timeout_);
    };
    const auto polls = [](const Process &process) {
        return process.polling && !process.has_ended && !process.is_lost;
    };
    if (std::none_of(processes_.begin(), processes_.end(), polls) ||
        !std::all_of(processes_.begin(), processes_.end(), is_idle))
        return;
    has_found_no_progress_ = true;
    int number = 0;
    for (int rank = 0; rank < size() && number < max_lines; rank++) {
        if (!polls(process(rank)))
            continue;
        number++;
        note({rank, omitted_deadlocks,
              "it tests in vain (" + text(rank, *process(rank).polling) +
                  "), and all other processes wait or do the same"});
    }
}

bool Analyser::find_deadlock()
{
    missing_.clear();
    std::vector<bool> is_stuck(processes_.size());
    for (std::size_t i = 0; i < processes_.size(); i++)
        is_stuck[i] = is_overdue(static_cast<int>(i));
    /* A process that waits for one that can proceed can proceed. */
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (std::size_t i = 0; i < processes_.size(); i++) {
            if (is_stuck[i] && processes_[i].blocked &&
                can_proceed(static_cast<int>(i), is_stuck)) {
                is_stuck[i] = false;
                has_changed = true;
            }
        }
    }
    std::set<int> stuck;
    for (std::size_t i = 0; i < processes_.size(); i++) {
        if (is_stuck[i] && processes_[i].blocked)
            stuck.insert(static_cast<int>(i));
    }
    if (stuck.empty() || stuck == reported_)
        return false;
    reported_ = stuck;
    const bool is_printed = report(stuck, is_stuck);
    if (is_printed) {
        replay_.find_races_of_unreceived();
        take_results();
    }
    return is_printed;
}

const Place &Analyser::place(int rank, const Position &position)
{
    static const Place unknown;
    const auto found = process(rank).sites.find(position.site);
    if (found == process(rank).sites.end())
        return unknown;
    Site &site = found->second;
    if (!site.place)
        site.place = Place(call_sites_.find(site.location));
    return *site.place;
}

OtherCall Analyser::call(int rank, const Position &position)
{
    return {rank, function_name(position.function), place(rank, position)};
}

std::string Analyser::text(const Conflict &conflict)
{
    if (conflict.is_excluded)
        return "rank " + std::to_string(conflict.target) +
            " has declared with MPI_MODE_NOPUT that its memory is not changed (" +
            text(conflict.other_rank, conflict.other_position) + ")";
    const bool is_own = conflict.other_rank == conflict.rank;
    const std::string other = conflict.has_other_operation ? " with another operation"
        : conflict.has_other_type                          ? " with another type"
        : conflict.is_displaced                            ? ", displaced by a part of an element,"
                                                           : "";
    return (is_own ? "this process accesses overlapping memory of rank "
                   : "rank " + std::to_string(conflict.other_rank) +
                    " accesses the same memory of rank ") +
        std::to_string(conflict.target) + other +
        (is_own ? " in the same epoch (" : " without order (") +
        text(conflict.other_rank, conflict.other_position) + ")";
}

std::string Analyser::text(int rank, const Position &position)
{
    return call_text(function_name(position.function), place(rank, position));
}

Finding Analyser::finding(Kind kind, int rank, const Position &position, const std::string &text,
                          std::vector<OtherCall> others)
{
    return {kind,
            rank,
            function_name(position.function),
            place(rank, position),
            text,
            std::move(others),
            {}};
}

/* A finding of the analyser itself. */
bool Analyser::add(Kind kind, int rank, const Position &position, const std::string &text,
                   std::vector<OtherCall> others, std::vector<Awaited> awaited)
{
    if (!findings_.wants(kind))
        return false;
    Finding found = finding(kind, rank, position, text, std::move(others));
    found.awaited = std::move(awaited);
    recorder_.found(found);
    return findings_.add(found);
}

/* ---- collective operations ---- */

namespace {

/* Number of the function, the same for the form with large counts. The array has no destructor: a
 * process may end by exit() while its thread still compares. */
int family(int function)
{
    static const auto families = [] {
        std::array<int, MPI_LAST_FUNC_T> numbers{};
        std::map<std::string, int> known;
        for (int i = 0; i < MPI_LAST_FUNC_T; i++) {
            std::string name = function_name(i);
            if (qmpi::set::large_count.contains(i))
                name.resize(name.size() - 2); /* "_c" */
            numbers[static_cast<std::size_t>(i)] = known.emplace(name, i).first->second;
        }
        return numbers;
    }();
    return families[static_cast<std::size_t>(function)];
}

/* Two bits: known, and known without MPI_BYTE, which equals different types. */
unsigned aspects(const Signature &signature)
{
    return !signature.is_known ? 0U : signature.has_bytes() ? 1U : 3U;
}

unsigned aspects(const Side &side)
{
    return side.blocks.size() == 1 ? aspects(side.blocks[0]) : 0U;
}

/* Aspects of an arrival that others must agree with, apart for the groups of an intercommunicator. */
unsigned aspects(const CollectiveEvent &event)
{
    const unsigned own = 1U | (event.operation != 0 ? 2U : 0U) | aspects(event.same) << 2 |
        aspects(event.sent) << 4 | aspects(event.received) << 6 | (event.agreed != 0 ? 256U : 0U);
    return own << (event.is_in_second(event.rank) ? 9 : 0);
}

/* Has data for each other process. */
bool concerns_each(const CollectiveEvent &event)
{
    return event.rank == event.root || event.sent.blocks.size() > 1 ||
        event.received.blocks.size() > 1 || !event.sent.neighbours.empty() ||
        !event.received.neighbours.empty();
}

/* A process with MPI_PROC_NULL knows the root's group only. */
bool has_other_root(const CollectiveEvent &a, const CollectiveEvent &b)
{
    const bool is_unknown = a.root == MPI_PROC_NULL || b.root == MPI_PROC_NULL;
    const auto is_in_second = [](const CollectiveEvent &event) {
        return event.is_in_second(event.root == MPI_PROC_NULL ? event.rank : event.root);
    };
    return is_unknown ? is_in_second(a) != is_in_second(b) : a.root != b.root;
}

/* value: that of the handle, of a predefined operation */
std::string operation_text(std::uint64_t value)
{
    static const std::pair<MPI_Op, const char *> names[] = {
        {MPI_SUM, "MPI_SUM"},         {MPI_PROD, "MPI_PROD"},     {MPI_MAX, "MPI_MAX"},
        {MPI_MIN, "MPI_MIN"},         {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
        {MPI_LXOR, "MPI_LXOR"},       {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
        {MPI_BXOR, "MPI_BXOR"},       {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
        {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"}};
    for (const auto &[operation, name] : names) {
        if (qmpi::handle_value(operation) == value)
            return name;
    }
    return value == CollectiveEvent::commutative ? "an operation of the program that commutes"
        : value == CollectiveEvent::not_commutative
        ? "an operation of the program that does not commute"
        : "another operation";
}

/* As in the call. */
std::string root_text(const CollectiveEvent &event)
{
    if (event.root == MPI_PROC_NULL)
        return "MPI_PROC_NULL";
    if (event.second == 0)
        return std::to_string(event.root);
    return event.root == event.rank
        ? "MPI_ROOT"
        : std::to_string(event.root - (event.is_in_second(event.root) ? event.second : 0));
}

}  // namespace

void Analyser::take_collective(int rank, CollectiveEvent event)
{
    if (!process(rank).is_trusted || is_excluded(event.communicator) || is_excluded(event.made_on))
        return;
    if (event.number != 0 && groups_.count(event.communicator) == 0)
        return; /* its members are unknown */
    Group &group = groups_[event.communicator];
    if (event.number == 0) {
        group.name = event.name;
        group.made_on = event.made_on;
        if (group.world == nullptr)
            group.world = std::make_shared<const std::vector<int>>(event.members.ranks(event.size));
        event.members = Members();
    }
    replay_.collective(rank, event, group.world);
    const std::uint64_t number = event.number;
    const auto [found, is_first] = group.operations.try_emplace(number);
    Operation &operation = found->second;
    if (is_first)
        operation.missing = static_cast<std::size_t>(
            std::count_if(group.world->begin(), group.world->end(),
                          [this](int member) { return process(member).is_trusted; }));
    if (!group.has_mismatch)
        compare_with_earlier(group, operation, rank, event);
    operation.has_mismatch = operation.has_mismatch ||
        (!operation.arrivals.empty() && is_other_operation(operation.arrivals[0].event, event));
    if (--operation.missing == 0) {
        const std::uint64_t communicator = event.communicator;
        const int function = event.position.function;
        operation.arrivals.push_back({rank, std::move(event)});
        complete(communicator, group, number, operation, function);
        return;
    }
    if (const unsigned own = aspects(event);
        (own & ~operation.sampled) != 0 || concerns_each(event) || is_news(operation, event)) {
        if (event.position.function == MPI_COMM_CREATE_T)
            operation.groups.insert(event.agreed);
        operation.samples.push_back(operation.arrivals.size());
        operation.sampled |= own;
    }
    operation.arrivals.push_back({rank, std::move(event)});
}

/* All processes have started the operation. */
void Analyser::complete(std::uint64_t communicator, Group &group, std::uint64_t number,
                        const Operation &operation, int function)
{
    if (!operation.has_mismatch) {
        group.operations.erase(number);
        if (ends_communicator(function) || function == MPI_WIN_FREE_T ||
            function == MPI_FILE_CLOSE_T)
            forget(communicator, group);
        return;
    }
    group.mismatched.push_back(number);
    if (group.mismatched.size() > max_mismatched) {
        group.operations.erase(group.mismatched.front());
        group.mismatched.pop_front();
    }
}

/* Others are compared with each other. What waits for this process only is forgotten. */
void Analyser::distrust(int rank)
{
    process(rank).is_trusted = false;
    process(rank).matched.clear();
    replay_.remove(rank, "no longer compared with other processes");
    for (auto &[address, inbox] : inboxes_) {
        if (address.second == rank)
            inbox = Inbox();
        inbox.remove_source(rank);
    }
    erase_if(partitioned_, [rank](const auto &unmatched) {
        const auto &[communicator, sender, receiver, tag] = unmatched.first;
        return sender == rank || receiver == rank;
    });
    erase_if(partitioned_operations_,
             [rank](const auto &operation) { return operation.first.first == rank; });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> complete;
    for (auto &[communicator, group] : groups_) {
        if (std::count(group.world->begin(), group.world->end(), rank) == 0)
            continue;
        for (auto &[number, operation] : group.operations) {
            const bool has_arrived =
                std::any_of(operation.arrivals.begin(), operation.arrivals.end(),
                            [rank](const Arrival &arrival) { return arrival.rank == rank; });
            if (!has_arrived && operation.missing > 0 && --operation.missing == 0)
                complete.emplace_back(communicator, number);
        }
    }
    for (const auto &[communicator, number] : complete) {
        Group &group = groups_.at(communicator);
        const Operation &operation = group.operations.at(number);
        this->complete(communicator, group, number, operation,
                       operation.arrivals[0].event.position.function);
    }
}

/* Windows and persistent operations of the communicator stay in groups_, so that their later events
 * are ignored, too. */
void Analyser::exclude(int rank, const CommunicatorEvent &event)
{
    const std::uint64_t communicator = event.communicator;
    const std::string name = event.name.empty() ? "a communicator" : event.name;
    excluded_.insert(communicator);
    std::set<std::uint64_t> objects{communicator};
    for (const auto &[id, group] : groups_) {
        if (group.made_on == communicator)
            objects.insert(id);
    }
    for (const auto &[key, operation] : partitioned_operations_) {
        if (operation.channel->communicator == communicator)
            objects.insert(operation.channel->id);
    }
    replay_.exclude(rank, objects, "several threads use " + name + " at the same time");
    forget_partitioned(communicator);
    inboxes_.erase(inboxes_.lower_bound({communicator, 0}),
                   inboxes_.upper_bound({communicator, INT_MAX}));
    groups_.erase(communicator);
    if (!std::exchange(has_printed_exclusion_, true))
        write_stderr("QMPI check: rank " + std::to_string(rank) + ": " + name +
                     " is no longer compared: several threads use it at the same time\n");
}

bool Analyser::is_excluded(std::uint64_t communicator) const
{
    if (excluded_.empty())
        return false;
    const auto group = groups_.find(communicator);
    return excluded_.count(communicator) > 0 ||
        (group != groups_.end() && excluded_.count(group->second.made_on) > 0);
}

void Analyser::take_freed(const CommunicatorEvent &event)
{
    const auto found = groups_.find(event.communicator);
    if (found != groups_.end() && ++found->second.freed == found->second.world->size())
        groups_.erase(found);
}

/* Messages that nobody has received are still reported. */
void Analyser::forget(std::uint64_t communicator, const Group &group)
{
    const SharedRanks members = group.world;
    groups_.erase(communicator);
    bounds_.free(communicator);
    forget_partitioned(communicator);
    for (const int rank : members != nullptr ? *members : std::vector<int>()) {
        const auto inbox = inboxes_.find({communicator, rank});
        if (inbox != inboxes_.end() && inbox->second.is_empty())
            inboxes_.erase(inbox);
    }
}

void Analyser::compare_with_earlier(Group &group, const Operation &operation, int rank,
                                    const CollectiveEvent &event)
{
    const auto &arrivals = operation.arrivals;
    auto is_trusted = [&](const Arrival &arrival) { return process(arrival.rank).is_trusted; };

    compare(group, {rank, event}, rank, event); /* own contribution */
    if (!concerns_each(event) &&
        std::all_of(operation.samples.begin(), operation.samples.end(),
                    [&](std::size_t i) { return is_trusted(arrivals[i]); })) {
        for (const std::size_t i : operation.samples)
            compare(group, arrivals[i], rank, event);
        return;
    }
    for (const Arrival &earlier : arrivals) {
        if (is_trusted(earlier))
            compare(group, earlier, rank, event);
    }
}

void Analyser::compare(Group &group, const Arrival &earlier, int rank, const CollectiveEvent &event)
{
    const std::string problem = group.has_mismatch ? "" : difference(earlier, rank, event);
    if (problem.empty())
        return;
    group.has_mismatch = true;
    const bool is_of_types = event.position.function == earlier.event.position.function &&
        !has_other_root(event, earlier.event) && event.operation == earlier.event.operation &&
        disagreement(earlier, rank, event).empty();
    add(is_of_types ? Kind::signature : Kind::collective, rank, event.position,
        problem + " (" + text(earlier.rank, earlier.event.position) + "), operation " +
            std::to_string(event.number + 1) + " on " +
            (group.name.empty() ? "a communicator" : group.name),
        {call(earlier.rank, earlier.event.position)});
}

std::string Analyser::difference(const Arrival &earlier, int rank, const CollectiveEvent &event)
{
    const CollectiveEvent &other = earlier.event;
    const auto who = [&] { return "rank " + std::to_string(earlier.rank); };
    if (family(other.position.function) != family(event.position.function))
        return who() + " calls a different function here";
    if (has_other_root(other, event))
        return "root " + root_text(event) + ", but " + who() + " has root " + root_text(other);
    if (other.operation != event.operation && other.operation != 0 && event.operation != 0)
        return "reduces with " + operation_text(event.operation) + ", but " + who() +
            " reduces with " + operation_text(other.operation);
    if (std::string text = disagreement(earlier, rank, event); !text.empty())
        return text;
    if (differ(other.same, event.same))
        return event.same.text() + ", but " + who() + " has " + other.same.text();
    const Signature *sent = event.sent.block(other.rank),
                    *received = other.received.block(event.rank);
    if (sent != nullptr && received != nullptr && differ(*sent, *received))
        return "sends " + sent->text() + ", but " + who() + " receives " + received->text();
    sent = other.sent.block(event.rank);
    received = event.received.block(other.rank);
    if (sent != nullptr && received != nullptr && differ(*sent, *received))
        return "receives " + received->text() + ", but " + who() + " sends " + sent->text();
    return "";
}

/* Groups of an intercommunicator agree each for itself. */
std::string Analyser::disagreement(const Arrival &earlier, int rank, const CollectiveEvent &event)
{
    const CollectiveEvent &other = earlier.event;
    const int function = event.position.function;
    if (other.agreed == event.agreed || other.position.function != function ||
        other.is_in_second(other.rank) != event.is_in_second(event.rank))
        return "";
    const std::string who = "rank " + std::to_string(earlier.rank);
    if (function == MPI_COMM_CREATE_T) {
        const AgreedGroup own = AgreedGroup::unpacked(event.agreed),
                          others = AgreedGroup::unpacked(other.agreed);
        const bool is_known = event.agreed != 0 && other.agreed != 0;
        const bool must_agree = own.has_bound(others.lowest) || own.has_bound(others.highest) ||
            own.has_bound(earlier.rank) || others.has_bound(rank);
        return is_known && must_agree ? "the group is not that of " + who : "";
    }
    const auto names = agreed_names(function);
    for (std::size_t i = 0; i < names.size(); i++) {
        const auto part = [i](std::uint64_t all) { return all >> 16 * i & 0xffff; };
        if (part(event.agreed) != 0 && part(other.agreed) != 0 &&
            part(event.agreed) != part(other.agreed))
            return std::string(names[i]) + " is not that of " + who;
    }
    return "";
}

bool Analyser::is_news(const Operation &operation, const CollectiveEvent &event) const
{
    return event.position.function == MPI_COMM_CREATE_T && operation.groups.size() < max_groups &&
        operation.groups.count(event.agreed) == 0;
}

bool Analyser::is_other_operation(const CollectiveEvent &a, const CollectiveEvent &b)
{
    return family(a.position.function) != family(b.position.function) || has_other_root(a, b);
}

bool Analyser::differ(const Signature &a, const Signature &b)
{
    const Comparison result = check::compare(a, b);
    return result != Comparison::equal && result != Comparison::unknown;
}

/* ---- windows ---- */

void Analyser::take_window(int rank, const WindowEvent &event)
{
    report(bounds_.made(rank, event));
    replay_.window(rank, event);
}

void Analyser::take_access(int rank, AccessEvent event)
{
    if (!event.blocks.empty())
        report(bounds_.access(rank, event));
    for (const int target : bounds_.take_crowded())
        note_once({target, omitted_bounds, "too many accesses came before it had made its window"});
    replay_.access(rank, std::move(event));
}

void Analyser::report(const std::vector<WindowBounds::Access> &outside)
{
    for (const WindowBounds::Access &access : outside)
        add(Kind::argument, access.rank, access.position,
            "accesses bytes " + std::to_string(access.begin) + " to " +
                std::to_string(access.end - 1) + " of the window of rank " +
                std::to_string(access.target) + ", which has " + std::to_string(access.size) +
                " bytes");
}

/* ---- messages ---- */

void Analyser::take_message(int rank, SendEvent send)
{
    if (is_excluded(send.communicator) || !process(send.destination).is_trusted)
        return;
    SharedEnd end = replay_.send(rank, send);
    inboxes_[{send.communicator, send.destination}].add(
        rank, send.tag, {send.position, send.number, std::move(send.signature), std::move(end)},
        match_for(send.destination));
}

void Analyser::take_message(int rank, ReceiveEvent receive)
{
    if (is_excluded(receive.communicator) ||
        (receive.source >= 0 && !process(receive.source).is_trusted))
        return;
    SharedEnd end = replay_.receive(rank, receive);
    inboxes_[{receive.communicator, rank}].add(
        {receive.position, receive.number, receive.source, receive.tag, receive.is_certain,
         std::move(receive.signature), std::move(end)},
        match_for(rank));
}

void Analyser::take_probe(int rank, const ProbeEvent &event)
{
    if (!is_excluded(event.communicator))
        replay_.probe(rank, event);
}

void Analyser::take_received(int rank, const ReceivedEvent &event)
{
    if (is_excluded(event.communicator))
        return;
    Inbox &inbox = inboxes_[{event.communicator, rank}];
    if (event.is_cancelled) {
        replay_.cancelled(rank, event.number);
        inbox.remove(event.number, match_for(rank));
    } else if (!process(event.source).is_trusted)
        inbox.remove(event.number, match_for(rank));
    else {
        replay_.completed(rank, {false, 0, event.number});
        inbox.settle(event.number, event.source, event.tag, match_for(rank));
    }
}

void Analyser::matched(int rank, const Message &message, const Receive &receive)
{
    if (qmpi::operation_of(receive.position.function) == qmpi::operation::probe) {
        Matched &matched = process(rank).matched[receive.number];
        matched.source = receive.source;
        matched.send = message;
        matched.needs_receive = message.end->needs_receive;
        matched.send->end = nullptr;
        compare_matched(rank, receive.number);
    } else
        compare(receive.source, message, rank, receive);
    replay_.match(message.end, receive.end);
}

void Analyser::compare_matched(int rank, std::uint64_t number)
{
    const Matched &matched = process(rank).matched[number];
    if (!matched.send || !matched.receive)
        return;
    compare(matched.source, *matched.send, rank, *matched.receive);
    process(rank).matched.erase(number);
}

bool Analyser::awaits_sender(int rank) const
{
    const Process &receiver = processes_[static_cast<std::size_t>(rank)];
    if (receiver.unmatched != 0) {
        const auto inbox = inboxes_.find({receiver.unmatched, rank});
        return inbox == inboxes_.end() || inbox->second.is_empty();
    }
    const auto &[is_collective, communicator, number] = receiver.truncated.operation;
    if (is_collective) {
        const auto group = groups_.find(communicator);
        return group != groups_.end() && !group->second.has_mismatch &&
            group->second.operations.count(number) > 0;
    }
    if (const auto found = receiver.matched.find(number); found != receiver.matched.end())
        return !found->second.send;
    const auto inbox = inboxes_.find({communicator, rank});
    return inbox != inboxes_.end() && inbox->second.has_receive(number);
}

void Analyser::settle_failed(int rank)
{
    Process &receiver = process(rank);
    if (const std::uint64_t unmatched = std::exchange(receiver.unmatched, 0)) {
        if (const auto inbox = inboxes_.extract({unmatched, rank}))
            report_unreceived(rank, inbox.mapped());
        return;
    }
    const auto &[position, operation] = receiver.truncated;
    const auto group = groups_.find(operation.communicator);
    const bool has_group = operation.is_collective && group != groups_.end();
    const bool is_found = has_group ? std::exchange(group->second.has_mismatch, true)
                                    : receiver.truncated_receives.erase(operation.number) > 0;
    if (!is_found)
        add(kind_of_too_long(operation.is_collective), rank, position, too_long);
}

void Analyser::take_partitioned(int rank, const PartitionedEvent &event)
{
    if (is_excluded(event.communicator) || !process(event.peer).is_trusted)
        return;
    const int source = event.is_send ? rank : event.peer;
    const int destination = event.is_send ? event.peer : rank;
    const auto found =
        partitioned_.try_emplace({event.communicator, source, destination, event.tag}).first;
    std::deque<SharedChannel> &channels = found->second;
    PartitionedOperation operation{channels.empty() ? nullptr : channels.front(), event.is_send};
    const bool is_second = operation.channel != nullptr && !operation.own().is_made;
    if (!is_second) {
        operation.channel = std::make_shared<Channel>();
        channels.push_back(operation.channel);
        Channel &channel = *operation.channel;
        channel.communicator = event.communicator;
        channel.id = id_of(Shared::partitioned, event.communicator, ++number_of_channels_);
        channel.tag = event.tag;
        channel.send.rank = source;
        channel.receive.rank = destination;
    }
    operation.own().is_made = true;
    operation.own().made = {event.position, event.number, event.signature, nullptr};
    partitioned_operations_[{rank, event.number}] = operation;
    if (!is_second)
        return;
    const Message &receive = operation.channel->receive.made;
    compare(source, operation.channel->send.made, destination,
            {receive.position, 0, source, event.tag, true, receive.signature, nullptr});
    channels.pop_front();
    if (channels.empty())
        partitioned_.erase(found);
}

void Analyser::take_partitioned(Event event, const OperationOf &key)
{
    const auto found = partitioned_operations_.find(key);
    if (found == partitioned_operations_.end())
        return;
    const PartitionedOperation &operation = found->second;
    switch (event) {
    case Event::partitioned_started:
        operation.own().starts++;
        if (!operation.is_send)
            add_end(operation);
        break;
    case Event::partitioned_ready:
        add_end(operation);
        break;
    default:
        replay_.forgotten(key.first, key.second);
        operation.own().is_freed = true;
        partitioned_operations_.erase(found);
    }
}

void Analyser::add_end(const PartitionedOperation &operation)
{
    const Channel &channel = *operation.channel;
    Channel::Side &own = operation.own(), &other = operation.other();
    if (is_excluded(channel.communicator) || !process(other.rank).is_trusted)
        return;
    const auto &[position, number, signature, none] = own.made;
    SharedEnd end = operation.is_send
        ? replay_.send(own.rank, {position, channel.id, number, other.rank, channel.tag, {}})
        : replay_.receive(
              own.rank,
              {position, channel.id, number, other.rank, channel.tag, true, false, false, {}});
    if (other.ends.empty()) {
        own.ends.push_back(std::move(end));
        return;
    }
    const SharedEnd partner = std::move(other.ends.front());
    other.ends.pop_front();
    replay_.match(operation.is_send ? end : partner, operation.is_send ? partner : end);
}

void Analyser::take_joining(int rank, const JoiningEvent &event)
{
    const auto [first, second] = std::minmax(rank, event.leader);
    const auto joined = joins_.try_emplace({event.communicator, first, second, event.tag}).first;
    joined->second += rank == first ? 1 : -1;
    if (joined->second == 0)
        joins_.erase(joined);
}

void Analyser::forget_partitioned(std::uint64_t communicator)
{
    partitioned_.erase(partitioned_.lower_bound({communicator, 0, 0, 0}),
                       partitioned_.upper_bound({communicator, INT_MAX, INT_MAX, INT_MAX}));
}

void Analyser::compare(int source, const Message &message, int rank, const Receive &receive)
{
    if (!process(rank).is_trusted || !process(source).is_trusted)
        return;
    const Comparison result = check::compare(message.signature, receive.signature);
    if (result == Comparison::unknown && message.signature.is_known && receive.signature.is_known)
        note_once({rank, omitted_types, "comparing them would take too long"});
    const bool is_mismatch = result == Comparison::longer || result == Comparison::different;
    if (is_mismatch && message.signature.bytes() > receive.signature.bytes())
        process(rank).truncated_receives.insert(receive.number);
    const auto who = [&] {
        return "rank " + std::to_string(source) + " sends " + message.signature.text() + " (" +
            text(source, message.position) + ")";
    };
    if (result == Comparison::longer)
        add(Kind::truncation, rank, receive.position,
            "buffer holds " + receive.signature.text() + ", but " + who(),
            {call(source, message.position)});
    else if (result == Comparison::different)
        add(Kind::signature, rank, receive.position,
            "receives " + receive.signature.text() + ", but " + who(),
            {call(source, message.position)});
}

/* ---- deadlocks ---- */

bool Analyser::is_overdue(int rank) const
{
    const Process &process = processes_[static_cast<std::size_t>(rank)];
    if (process.is_lost)
        return false;
    if (process.is_finalized)
        return process.is_silent; /* else it has a session */
    return process.is_trusted && process.blocked &&
        (replay_.is_in_certain_cycle(rank) || Clock::now() - process.blocked_since >= timeout_);
}

/* Members that have not started the operation, or another one instead. */
const std::vector<int> &Analyser::missing(int waiter, const Wait &wait)
{
    const auto group = groups_.find(wait.communicator);
    if (group == groups_.end() || group->second.world == nullptr)
        return nobody_;
    const auto operation = group->second.operations.find(wait.number);
    if (operation == group->second.operations.end())
        return nobody_;
    const std::vector<int> &candidates = wait.ranks;
    const bool is_own = operation->second.has_mismatch || !candidates.empty();
    const auto [known, is_new] =
        missing_.insert({{wait.communicator, wait.number, is_own ? waiter : -1}, {}});
    std::vector<int> &missing = known->second;
    if (!is_new)
        return missing;
    std::map<int, const CollectiveEvent *> arrived;
    for (const Arrival &arrival : operation->second.arrivals)
        arrived[arrival.rank] = &arrival.event;
    const auto own = arrived.find(waiter);
    for (const int rank : *group->second.world) {
        if (!candidates.empty() && !std::binary_search(candidates.begin(), candidates.end(), rank))
            continue;
        const auto found = arrived.find(rank);
        if (found == arrived.end() ||
            (operation->second.has_mismatch && own != arrived.end() &&
             is_other_operation(*own->second, *found->second)))
            missing.push_back(rank);
    }
    return missing;
}

bool Analyser::is_any_running(const std::vector<int> &ranks, const std::vector<bool> &is_stuck)
{
    return std::any_of(ranks.begin(), ranks.end(), [&](int rank) {
        return rank < 0 || !is_stuck[static_cast<std::size_t>(rank)];
    });
}

bool Analyser::is_sent(int receiver, const Wait &wait, const std::vector<bool> &is_stuck) const
{
    const auto found = inboxes_.find({wait.communicator, receiver});
    if (found == inboxes_.end())
        return false;
    const Inbox &inbox = found->second;
    if (wait.number != 0 && !inbox.has_receive(wait.number)) /* is matched */
        return true;
    return inbox.may_get(
        wait.number != 0 ? wait.number : UINT64_MAX, wait.tag,
        [&wait](int source) {
            return std::find(wait.ranks.begin(), wait.ranks.end(), source) != wait.ranks.end();
        },
        [&] { return is_any_member_running(wait.communicator, is_stuck); });
}

/* If its members are unknown, all processes may be. */
bool Analyser::is_any_member_running(std::uint64_t communicator,
                                     const std::vector<bool> &is_stuck) const
{
    const auto group = groups_.find(communicator);
    return group != groups_.end() && group->second.world != nullptr
        ? is_any_running(*group->second.world, is_stuck)
        : std::find(is_stuck.begin(), is_stuck.end(), false) != is_stuck.end();
}

bool Analyser::may_be_received(int sender, const Wait &wait) const
{
    if (wait.ranks.empty())
        return true;
    const auto found = inboxes_.find({wait.communicator, wait.ranks[0]});
    if (found == inboxes_.end())
        return !is_held_by_probe(sender, wait);
    const Inbox &inbox = found->second;
    const bool is_unmatched = wait.kind == Completion::buffered
        ? inbox.has_message(sender, wait.tag, wait.number)
        : inbox.needs_receive(sender, wait.tag, wait.number);
    return is_unmatched ? inbox.may_receive(sender, wait.tag) : !is_held_by_probe(sender, wait);
}

/* A probe of the receiver has matched the message, and its receive has not started. */
bool Analyser::is_held_by_probe(int sender, const Wait &wait) const
{
    const auto &matched = processes_[static_cast<std::size_t>(wait.ranks[0])].matched;
    return std::any_of(matched.begin(), matched.end(), [&](const auto &entry) {
        const Matched &one = entry.second;
        return one.send && one.source == sender && one.send->number == wait.number &&
            !one.receive && (one.needs_receive || wait.kind == Completion::buffered);
    });
}

bool Analyser::may_have_started(int waiter, const Wait &wait) const
{
    const auto found = partitioned_operations_.find({waiter, wait.number});
    if (found == partitioned_operations_.end())
        return true;
    const Channel::Side &own = found->second.own(), &other = found->second.other();
    if (!other.is_made)
        return false;
    return other.is_freed || !processes_[static_cast<std::size_t>(other.rank)].is_trusted ||
        other.starts >= own.starts;
}

bool Analyser::may_have_joined(int waiter, const Wait &wait) const
{
    if (wait.ranks.empty())
        return true;
    const int other = wait.ranks[0];
    const auto joined = joins_.find(
        {wait.communicator, std::min(waiter, other), std::max(waiter, other), wait.tag});
    return joined == joins_.end() || (joined->second > 0) != (waiter < other);
}

bool Analyser::may_have_come(int waiter, const Wait &wait, const std::vector<bool> &is_stuck) const
{
    switch (wait.kind) {
    case Completion::message:
        return is_sent(waiter, wait, is_stuck);
    case Completion::receive:
    case Completion::buffered:
        return may_be_received(waiter, wait);
    case Completion::partitioned:
        return may_have_started(waiter, wait);
    case Completion::joining:
        return may_have_joined(waiter, wait);
    default:
        return false;
    }
}

/* Nothing is known of a communicator that is not compared. */
bool Analyser::may_complete(int waiter, const Wait &wait, const std::vector<bool> &is_stuck)
{
    if (is_excluded(wait.communicator) || may_have_come(waiter, wait, is_stuck))
        return true;
    if (wait.kind != Completion::start)
        return wait.ranks.empty() || is_any_running(wait.ranks, is_stuck);
    const std::vector<int> &ranks = missing(waiter, wait);
    return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
        return rank < 0 || !is_stuck[static_cast<std::size_t>(rank)];
    });
}

const std::vector<int> &Analyser::awaited_ranks(int waiter, const Wait &wait)
{
    return wait.kind == Completion::start ? missing(waiter, wait) : wait.ranks;
}

/* A call without waits waits for something unknown. */
bool Analyser::can_proceed(int rank, const std::vector<bool> &is_stuck)
{
    const auto comes = [&](const Wait &wait) { return may_complete(rank, wait, is_stuck); };
    const std::vector<BlockedThread> &threads = process(rank).blocked->threads;
    return std::any_of(threads.begin(), threads.end(), [&](const BlockedThread &thread) {
        const std::vector<Wait> &waits = thread.waits;
        return waits.empty() ||
            (thread.needs_all ? std::all_of(waits.begin(), waits.end(), comes)
                              : std::any_of(waits.begin(), waits.end(), comes));
    });
}

std::string Analyser::list(const std::vector<int> &ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < 8; i++)
        text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
    return text + (ranks.size() > 8 ? ", ..." : "");
}

std::vector<Awaited> Analyser::awaited(int waiter, const BlockedThread &thread,
                                       const std::vector<bool> &is_stuck)
{
    std::vector<Awaited> all;
    for (const Wait &wait : thread.waits) {
        if (may_complete(waiter, wait, is_stuck))
            continue;
        Awaited one{wait.what, awaited_ranks(waiter, wait), {}};
        if (one.ranks.size() > max_lines)
            one.ranks.resize(max_lines);
        std::copy_if(one.ranks.begin(), one.ranks.end(), std::back_inserter(one.ended),
                     [&](int rank) { return rank >= 0 && process(rank).is_finalized; });
        all.push_back(std::move(one));
    }
    return all;
}

int Analyser::next_in_cycle(int waiter, const BlockedThread &thread,
                            const std::vector<bool> &is_stuck, std::string &what)
{
    for (const Wait &wait : thread.waits) {
        if (may_complete(waiter, wait, is_stuck))
            continue;
        const std::vector<int> &ranks = awaited_ranks(waiter, wait);
        what = "waits for " + list(ranks) + ": " + wait.what;
        for (int rank : ranks) {
            if (rank >= 0 && is_stuck[static_cast<std::size_t>(rank)])
                return rank;
        }
    }
    return -1;
}

bool Analyser::report(const std::set<int> &stuck, const std::vector<bool> &is_stuck)
{
    bool is_printed = false;
    int number = 0;
    for (int rank : stuck) {
        if (number++ == max_lines) {
            write_stderr("QMPI check: " + std::to_string(stuck.size() - max_lines) +
                         " more processes are deadlocked\n");
            break;
        }
        for (const BlockedThread &thread : process(rank).blocked->threads) {
            std::string what = "waits";
            const int next = next_in_cycle(rank, thread, is_stuck, what);
            if (next >= 0 && process(next).is_finalized)
                what += "; rank " + std::to_string(next) + " has ended";
            const bool is_new = add(Kind::deadlock, rank, thread.position,
                                    what + cycle_through(rank, thread, is_stuck), {},
                                    awaited(rank, thread, is_stuck));
            is_printed = is_printed || is_new;
        }
    }
    return is_printed;
}

/* Of other processes, by the first of their threads. */
std::string Analyser::cycle_through(int begin, const BlockedThread &thread,
                                    const std::vector<bool> &is_stuck)
{
    std::string text = "; cycle: rank " + std::to_string(begin), unused;
    int rank = next_in_cycle(begin, thread, is_stuck, unused);
    for (std::size_t i = 0; i < processes_.size() && rank >= 0; i++) {
        text += " -> " + std::to_string(rank);
        if (rank == begin)
            return text;
        const std::optional<BlockedEvent> &blocked = process(rank).blocked;
        rank = blocked ? next_in_cycle(rank, blocked->threads[0], is_stuck, unused) : -1;
    }
    return "";
}

}  // namespace qmpi::check
