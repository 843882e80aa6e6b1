/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "summary.hpp"

#include "../common/process.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace qmpi::profile {
namespace {

constexpr qmpi::function_set beginnings_and_ends(MPI_INIT_T, MPI_INIT_THREAD_T, MPI_FINALIZE_T,
                                                 MPI_SESSION_INIT_T, MPI_SESSION_FINALIZE_T);

/* Estimate for all calls from the timed ones. */
std::uint64_t scaled(std::uint64_t number, double factor)
{
    return factor == 1
        ? number
        : static_cast<std::uint64_t>(std::llround(static_cast<double>(number) * factor));
}

void add(std::array<std::uint64_t, size_bins> &sizes,
         const std::array<std::uint64_t, size_bins> &others)
{
    for (std::size_t i = 0; i < size_bins; i++)
        sizes[i] += others[i];
}

/* Statistics are over processes: add the threads of one. */
void add(Totals &totals, const Totals &of_thread)
{
    const double time = totals.time.sum + of_thread.time.sum;
    totals.merge(of_thread);
    totals.time = Spread::of(time);
}

/* Common to sites and communicators. */
template <typename Record>
Totals totals_of(const Record &record, double factor)
{
    Totals totals;
    totals.calls = scaled(record.calls.get(), factor);
    totals.timed_calls = record.calls.get();
    totals.sent = scaled(record.sent.get(), factor);
    totals.received = scaled(record.received.get(), factor);
    totals.time = Spread::of(static_cast<double>(scaled(record.time.get(), factor)));
    return totals;
}

/* An operation may complete in a thread that did not start it. */
template <typename Record>
bool is_empty(const Record &record)
{
    return record.calls.get() == 0 && record.sent.get() == 0 && record.received.get() == 0;
}

bool is_function(std::uint32_t id)
{
    return id < static_cast<std::uint32_t>(MPI_LAST_FUNC_T);
}

/* visit(table, level, key, begin) for each call in progress. */
template <typename Visit>
void each_current(const TableRecord &table, Visit visit)
{
    for (std::size_t level = 0; level < table.current.size(); level++) {
        const CallKey key(table.current[level].key.get());
        if (key.is_call() && is_function(key.function()))
            visit(level, key, table.current[level].begin.get());
    }
}

bool is_at(const TableRecord &table, std::size_t level, CallKey key, Time begin)
{
    const CurrentCall &call = table.current[level];
    return call.key.get() == key.bits() && call.begin.get() == begin;
}

/* Blocks of threads, by number. */
std::map<std::uint64_t, const TableRecord *> tables_of(const RecordView &record)
{
    std::map<std::uint64_t, const TableRecord *> tables;
    record.each([&tables](std::uint32_t kind, std::string_view content) {
        if (static_cast<Kind>(kind) == Kind::table) {
            const auto &table = block_as<TableRecord>(content);
            tables[table.number.get()] = &table;
        }
    });
    return tables;
}

}  // namespace

bool has_same_calls(const RecordView &before, const RecordView &after)
{
    const auto later = tables_of(after);
    bool is_same = true;
    for (const auto &[number, table] : tables_of(before)) {
        const auto again = later.find(number);
        each_current(*table, [&](std::size_t level, CallKey key, Time begin) {
            is_same &= again != later.end() && is_at(*again->second, level, key, begin);
        });
    }
    return is_same;
}

Time last_time_of(const RecordView &record)
{
    Time last = 0;
    for (const auto &[number, table] : tables_of(record)) {
        last = std::max(last, table->last.get());
        each_current(*table,
                     [&last](std::size_t, CallKey, Time begin) { last = std::max(last, begin); });
    }
    return last;
}

bool is_init_or_finalize(int function)
{
    return beginnings_and_ends.contains(function);
}

void Spread::merge(const Spread &other)
{
    min = ranks == 0 ? other.min : other.ranks == 0 ? min : std::min(min, other.min);
    max = std::max(max, other.max);
    sum += other.sum;
    squares += other.squares;
    ranks += other.ranks;
}

double Spread::mean(std::uint64_t processes) const
{
    return processes == 0 ? 0 : sum / static_cast<double>(processes);
}

double Spread::variation(std::uint64_t processes) const
{
    const double average = mean(processes);
    if (average == 0)
        return 0;
    const double variance = squares / static_cast<double>(processes) - average * average;
    return std::sqrt(std::max(variance, 0.0)) / average;
}

void Totals::merge(const Totals &other)
{
    calls += other.calls;
    timed_calls += other.timed_calls;
    sent += other.sent;
    received += other.received;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    time.merge(other.time);
}

std::uint64_t Summary::number_of_module(const std::string &path)
{
    const auto number =
        static_cast<std::size_t>(std::find(modules.begin(), modules.end(), path) - modules.begin());
    if (number == modules.size())
        modules.push_back(path);
    return number;
}

/* Blocks of a record by kind; only those of the current generation. Calls in progress are those of all
 * generations. */
struct Summary::Blocks {
    struct Current {
        std::uint64_t table;
        bool is_outermost;
        CallKey key;
        Time begin;
        const SiteRecord *site; /* nullptr: unknown */
    };
    std::vector<const FunctionRecord *> functions;
    std::vector<const SiteRecord *> sites;
    std::vector<const CommunicatorRecord *> communicators;
    std::vector<const NamedCommunicator *> names;
    std::vector<std::string> modules;
    std::map<std::uint64_t, const TableRecord *> tables;
    std::map<std::pair<std::uint64_t, std::uint32_t>, const FunctionRecord *> function_of;
    std::vector<Current> calls;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> calls_of; /* by function */
    Time application = 0, epoch = 0;
    bool is_sampled = false;

    Blocks(const RecordView &record, const Moment &moment, const RecordView *later)
    {
        const ProcessRecord *process = nullptr;
        auto add = [](auto &records, std::string_view content) -> auto &
        {
            using Pointer = typename std::decay_t<decltype(records)>::value_type;
            const auto &record = block_as<std::decay_t<decltype(*Pointer())>>(content);
            records.push_back(&record);
            return record;
        };
        auto add_calls = [add](auto &records, std::string_view content) {
            require_undamaged(is_function(add(records, content).function));
        };
        record.each([&](std::uint32_t kind, std::string_view content) {
            switch (static_cast<Kind>(kind)) {
            case Kind::process:
                process = &block_as<ProcessRecord>(content);
                break;
            case Kind::table:
                break;
            case Kind::function:
                add_calls(functions, content);
                break;
            case Kind::site: {
                const SiteRecord &site = add(sites, content);
                require_undamaged(is_function(site.function()) &&
                                  site.depth <=
                                      (content.size() - sizeof(SiteRecord)) / sizeof(SitePlace));
                break;
            }
            case Kind::module:
                modules.emplace_back(content);
                break;
            case Kind::communicator:
                add_calls(communicators, content);
                break;
            case Kind::named_communicator:
                require_undamaged(add(names, content).name[MPI_MAX_OBJECT_NAME - 1] == '\0');
                break;
            }
        });
        if (process == nullptr)
            throw std::runtime_error("the record does not belong to the tool profile");
        is_sampled = process->sample.get() > 1;
        epoch = process->epoch.get();
        tables = tables_of(record);
        add_current(later == nullptr ? tables : tables_of(*later), moment);
        Time last = moment.life == Life::running ? moment.until : process->begin.get();
        for (auto table = tables.begin(); table != tables.end();) {
            if (table->second->generation.get() == process->generation.get()) {
                last = std::max(last, table->second->last.get());
                ++table;
            } else
                table = tables.erase(table);
        }
        for (const Current &call : calls) {
            if (tables.count(call.table) > 0 && call.begin > 0)
                last = std::max(last, moment.until);
        }
        application =
            process->sum.get() + (process->runs.get() != 0 ? last - process->begin.get() : 0);
        keep_current(functions);
        keep_current(sites);
        keep_current(communicators);
        for (const FunctionRecord *function : functions)
            function_of[{function->table, function->function}] = function;
    }

    /* Calls that have ended, by those of them that are timed. */
    double factor(std::uint32_t table, std::uint32_t function) const
    {
        const auto found = function_of.find({table, function});
        if (!is_sampled || found == function_of.end() || found->second->timed_calls.get() == 0)
            return 1;
        const auto open = calls_of.find({table, function});
        const std::uint64_t ended =
            found->second->calls.get() - (open == calls_of.end() ? 0 : open->second);
        const std::uint64_t timed = found->second->timed_calls.get();
        return static_cast<double>(std::max(ended, timed)) / static_cast<double>(timed);
    }

  private:
    /* later: the same tables; calls that are not in them have ended */
    void add_current(const decltype(tables) &later, const Moment &moment)
    {
        std::map<std::pair<std::uint64_t, std::uint64_t>, const SiteRecord *> site_of;
        for (const SiteRecord *site : sites)
            site_of[{site->table, site->key.bits()}] = site;
        for (const auto &[number, table] : tables) {
            const auto again = later.find(number);
            if (again == later.end())
                continue;
            each_current(*table, [&, number = number](std::size_t level, CallKey key, Time begin) {
                const auto function = static_cast<int>(key.function());
                if (!is_at(*again->second, level, key, begin) ||
                    (moment.is_own && (function == MPI_FINALIZE_T || function == MPI_ABORT_T)))
                    return;
                const auto site = site_of.find({number, key.bits()});
                calls.push_back({number, level == 0, key, begin,
                                 site == site_of.end() ? nullptr : site->second});
                calls_of[{number, key.function()}]++;
            });
        }
    }

    template <typename Record>
    void keep_current(std::vector<const Record *> &records) const
    {
        records.erase(std::remove_if(records.begin(), records.end(),
                                     [this](const Record *record) {
                                         return tables.count(record->table) == 0 ||
                                             is_empty(*record);
                                     }),
                      records.end());
    }
};

void Summary::add_functions(const Blocks &blocks, Task &task)
{
    std::set<std::uint32_t> callers;
    for (const FunctionRecord *record : blocks.functions) {
        const int id = static_cast<int>(record->function);
        callers.insert(record->table);
        FunctionSummary &function = functions[id];
        function.totals.calls += record->calls.get();
        function.totals.sent += record->sent.get();
        function.totals.received += record->received.get();
        for (std::size_t i = 0; i < size_bins; i++) {
            function.sent_sizes[i] += record->sent_sizes[i].get();
            function.received_sizes[i] += record->received_sizes[i].get();
        }
        const Time outer_time =
            scaled(record->outer_time.get(), blocks.factor(record->table, record->function));
        if (!is_init_or_finalize(id)) {
            task.functions[id] += outer_time;
            task.mpi += outer_time;
        }
    }
    task.threads += callers.size();
}

Path Summary::path_of(const SiteRecord &site, const Blocks &blocks)
{
    Path path;
    for (std::size_t i = 0; i < site.depth; i++) {
        const SitePlace &place = site.places()[i];
        require_undamaged(place.module < blocks.modules.size());
        path.emplace_back(number_of_module(blocks.modules[place.module]), place.offset);
    }
    return path;
}

void Summary::add_sites(const Blocks &blocks)
{
    for (const SiteRecord *site : blocks.sites) {
        const int function = static_cast<int>(site->function());
        Totals totals = totals_of(*site, blocks.factor(site->table, site->function()));
        totals.shortest = site->shortest.get();
        totals.longest = site->longest.get();
        add(sites[{function, path_of(*site, blocks)}], totals);
        Totals of_times = totals;
        of_times.calls = of_times.sent = of_times.received = 0;
        add(functions[function].totals, of_times);
    }
}

/* Their time so far counts as that of other calls; the longest call may be one of them. */
void Summary::add_calls(const Blocks &blocks, const Moment &moment, Task &task)
{
    for (const Blocks::Current &current : blocks.calls) {
        OpenCall call;
        call.thread = current.table;
        call.function = static_cast<int>(current.key.function());
        if (current.site != nullptr)
            call.path = path_of(*current.site, blocks);
        call.is_timed = current.begin > 0;
        if (call.is_timed) {
            call.time = std::max(moment.until, current.begin) - current.begin;
            call.begin = blocks.epoch + current.begin;
        }
        task.calls.push_back(call);
        if (blocks.tables.count(current.table) == 0)
            continue;
        if (current.is_outermost && !is_init_or_finalize(call.function)) {
            task.mpi += call.time;
            task.functions[call.function] += call.time;
        }
        if (current.site == nullptr)
            continue;
        Totals totals;
        totals.longest = call.time;
        totals.time = Spread::of(static_cast<double>(call.time));
        add(functions[call.function].totals, totals);
        totals.calls = 1;
        add(sites[{call.function, call.path}], totals);
    }
}

void Summary::add_communicators(const Blocks &blocks)
{
    for (const CommunicatorRecord *record : blocks.communicators)
        add(communicators[record->id].functions[static_cast<int>(record->function)],
            totals_of(*record, blocks.factor(record->table, record->function)));
    for (const NamedCommunicator *named : blocks.names) {
        const auto found = communicators.find(named->id);
        if (found == communicators.end())
            continue;
        found->second.name = named->name;
        found->second.size = named->size;
        found->second.is_inter = named->is_inter != 0;
    }
}

Summary Summary::of(const RecordView &record, Task task, const Moment &moment,
                    const RecordView *later)
{
    const Blocks blocks(record, moment, later);
    Summary summary;
    task.application = blocks.application;
    task.life = moment.life;
    summary.add_functions(blocks, task);
    summary.add_sites(blocks);
    summary.add_calls(blocks, moment, task);
    summary.add_communicators(blocks);
    summary.tasks.push_back(std::move(task));
    return summary;
}

void Summary::write(Writer &writer) const
{
    writer.put(modules);
    writer.put(tasks);
    writer.put(functions);
    writer.put(sites);
    writer.put(communicators);
}

void Summary::merge(Reader &reader)
{
    std::vector<std::uint64_t> numbers;
    for (const std::string &module : reader.get<decltype(modules)>())
        numbers.push_back(number_of_module(module));
    auto renumber = [&numbers](Path &path) {
        for (auto &[module, offset] : path)
            module = numbers.at(module);
    };
    for (Task &task : reader.get<decltype(tasks)>()) {
        for (OpenCall &call : task.calls)
            renumber(call.path);
        tasks.push_back(std::move(task));
    }

    for (const auto &[id, other] : reader.get<decltype(functions)>()) {
        FunctionSummary &function = functions[id];
        function.totals.merge(other.totals);
        add(function.sent_sizes, other.sent_sizes);
        add(function.received_sizes, other.received_sizes);
    }

    for (const auto &[key, totals] : reader.get<decltype(sites)>()) {
        auto [function, path] = key;
        renumber(path);
        sites[{function, path}].merge(totals);
    }

    for (const auto &[id, other] : reader.get<decltype(communicators)>()) {
        CommunicatorSummary &communicator = communicators[id];
        communicator.name = other.name;
        communicator.size = other.size;
        communicator.is_inter = other.is_inter;
        for (const auto &[function, totals] : other.functions)
            communicator.functions[function].merge(totals);
    }
}

Time Summary::application() const
{
    Time sum = 0;
    for (const Task &task : tasks)
        sum += task.application;
    return sum;
}

Time Summary::thread_time() const
{
    Time sum = 0;
    for (const Task &task : tasks)
        sum += task.thread_time();
    return sum;
}

Time Summary::mpi() const
{
    Time sum = 0;
    for (const Task &task : tasks)
        sum += task.mpi;
    return sum;
}

}  // namespace qmpi::profile
