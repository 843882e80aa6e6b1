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

double factor_of(const FunctionRecord *record)
{
    if (record == nullptr || record->timed_calls.get() == 0)
        return 1;
    return static_cast<double>(record->calls.get()) /
        static_cast<double>(record->timed_calls.get());
}

}  // namespace

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

/* Blocks of a record by kind; only those of the current generation. */
struct Summary::Blocks {
    std::vector<const FunctionRecord *> functions;
    std::vector<const SiteRecord *> sites;
    std::vector<const CommunicatorRecord *> communicators;
    std::vector<const NamedCommunicator *> names;
    std::vector<std::string> modules;
    std::map<std::uint64_t, const TableRecord *> tables;
    std::map<std::pair<std::uint32_t, std::uint32_t>, const FunctionRecord *> function_of;
    Time application = 0;

    Blocks(const RecordView &record, bool has_ended)
    {
        const ProcessRecord *process = nullptr;
        std::vector<const TableRecord *> all_tables;
        auto add = [](auto &records, std::string_view content) -> auto &
        {
            using Pointer = typename std::decay_t<decltype(records)>::value_type;
            const auto &record = block_as<std::decay_t<decltype(*Pointer())>>(content);
            records.push_back(&record);
            return record;
        };
        auto add_calls = [add](auto &records, std::string_view content) -> auto &
        {
            const auto &record = add(records, content);
            require_undamaged(is_function(record.function));
            return record;
        };
        record.each([&](std::uint32_t kind, std::string_view content) {
            switch (static_cast<Kind>(kind)) {
            case Kind::process:
                process = &block_as<ProcessRecord>(content);
                break;
            case Kind::table:
                add(all_tables, content);
                break;
            case Kind::function:
                add_calls(functions, content);
                break;
            case Kind::site:
                require_undamaged(add_calls(sites, content).depth <=
                                  (content.size() - sizeof(SiteRecord)) / sizeof(SitePlace));
                break;
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
        Time last = has_ended ? now() : process->begin.get();
        for (const TableRecord *table : all_tables) {
            if (table->generation.get() != process->generation.get())
                continue;
            tables[table->number.get()] = table;
            last = std::max(last, table->last.get());
        }
        application =
            process->sum.get() + (process->runs.get() != 0 ? last - process->begin.get() : 0);
        keep_current(functions);
        keep_current(sites);
        keep_current(communicators);
        for (const FunctionRecord *function : functions)
            function_of[{function->table, function->function}] = function;
    }

    double factor(std::uint32_t table, std::uint32_t function) const
    {
        const auto found = function_of.find({table, function});
        return factor_of(found == function_of.end() ? nullptr : found->second);
    }

  private:
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
        const Time outer_time = scaled(record->outer_time.get(), factor_of(record));
        if (!is_init_or_finalize(id)) {
            task.functions[id] += outer_time;
            task.mpi += outer_time;
        }
    }
    task.threads += callers.size();
}

void Summary::add_sites(const Blocks &blocks)
{
    for (const SiteRecord *site : blocks.sites) {
        const int function = static_cast<int>(site->function);
        Path path;
        for (std::size_t i = 0; i < site->depth; i++) {
            const SitePlace &place = site->places()[i];
            require_undamaged(place.module < blocks.modules.size());
            path.emplace_back(number_of_module(blocks.modules[place.module]), place.offset);
        }
        Totals totals = totals_of(*site, blocks.factor(site->table, site->function));
        totals.shortest = site->shortest.get();
        totals.longest = site->longest.get();
        add(sites[{function, path}], totals);
        Totals of_times = totals;
        of_times.calls = of_times.sent = of_times.received = 0;
        add(functions[function].totals, of_times);
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

Summary Summary::of(const RecordView &record, Task task, bool has_ended)
{
    const Blocks blocks(record, has_ended);
    Summary summary;
    task.application = blocks.application;
    summary.add_functions(blocks, task);
    summary.add_sites(blocks);
    summary.add_communicators(blocks);
    summary.tasks.push_back(std::move(task));
    return summary;
}

void Summary::write(Writer &writer) const
{
    writer.put(tasks);
    writer.put(functions);
    writer.put(modules);
    writer.put(sites);
    writer.put(communicators);
}

void Summary::merge(Reader &reader)
{
    for (Task &task : reader.get<decltype(tasks)>())
        tasks.push_back(std::move(task));

    for (const auto &[id, other] : reader.get<decltype(functions)>()) {
        FunctionSummary &function = functions[id];
        function.totals.merge(other.totals);
        add(function.sent_sizes, other.sent_sizes);
        add(function.received_sizes, other.received_sizes);
    }

    std::vector<std::uint64_t> numbers;
    for (const std::string &module : reader.get<decltype(modules)>())
        numbers.push_back(number_of_module(module));
    for (const auto &[key, totals] : reader.get<decltype(sites)>()) {
        auto [function, path] = key;
        for (auto &[module, offset] : path)
            module = numbers.at(module);
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

Time Summary::mpi() const
{
    Time sum = 0;
    for (const Task &task : tasks)
        sum += task.mpi;
    return sum;
}

}  // namespace qmpi::profile
