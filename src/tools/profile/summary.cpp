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

void put(Writer &writer, const Totals &totals)
{
    for (const std::uint64_t number :
         {totals.calls, totals.timed_calls, totals.sent, totals.received, totals.shortest,
          totals.longest, totals.time.ranks})
        writer.put(number);
    for (const double number :
         {totals.time.sum, totals.time.squares, totals.time.min, totals.time.max})
        writer.put(number);
}

Totals get_totals(Reader &reader)
{
    Totals totals;
    for (std::uint64_t *number :
         {&totals.calls, &totals.timed_calls, &totals.sent, &totals.received, &totals.shortest,
          &totals.longest, &totals.time.ranks})
        *number = reader.get<std::uint64_t>();
    for (double *number :
         {&totals.time.sum, &totals.time.squares, &totals.time.min, &totals.time.max})
        *number = reader.get<double>();
    return totals;
}

void put(Writer &writer, const Task &task)
{
    writer.put(task.rank);
    writer.put(task.process);
    writer.put(task.host);
    writer.put(task.threads);
    writer.put(task.application);
    writer.put(task.mpi);
    writer.put(std::uint64_t{task.functions.size()});
    for (const auto &[function, time] : task.functions) {
        writer.put(function);
        writer.put(time);
    }
}

Task get_task(Reader &reader)
{
    Task task;
    task.rank = reader.get<int>();
    task.process = reader.get<int>();
    task.host = reader.get<std::string>();
    task.threads = reader.get<std::uint64_t>();
    task.application = reader.get<Time>();
    task.mpi = reader.get<Time>();
    for (auto left = reader.get<std::uint64_t>(); left > 0; left--) {
        const int function = reader.get<int>();
        task.functions[function] = reader.get<Time>();
    }
    return task;
}

void merge(std::array<std::uint64_t, size_bins> &sizes, const std::vector<std::uint64_t> &others)
{
    for (std::size_t i = 0; i < size_bins; i++)
        sizes[i] += others.at(i);
}

std::vector<std::uint64_t> vector_of(const std::array<std::uint64_t, size_bins> &sizes)
{
    return {sizes.begin(), sizes.end()};
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
        record.each([&](std::uint32_t kind, std::string_view content) {
            switch (static_cast<Kind>(kind)) {
            case Kind::process:
                process = &block_as<ProcessRecord>(content);
                break;
            case Kind::table:
                all_tables.push_back(&block_as<TableRecord>(content));
                break;
            case Kind::function:
                functions.push_back(&block_as<FunctionRecord>(content));
                break;
            case Kind::site:
                sites.push_back(&block_as<SiteRecord>(content));
                break;
            case Kind::module:
                modules.emplace_back(content);
                break;
            case Kind::communicator:
                communicators.push_back(&block_as<CommunicatorRecord>(content));
                break;
            case Kind::named_communicator:
                names.push_back(&block_as<NamedCommunicator>(content));
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
            path.emplace_back(number_of_module(blocks.modules.at(place.module)), place.offset);
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
    writer.put(std::uint64_t{tasks.size()});
    for (const Task &task : tasks)
        put(writer, task);

    writer.put(std::uint64_t{functions.size()});
    for (const auto &[id, function] : functions) {
        writer.put(id);
        put(writer, function.totals);
        writer.put(vector_of(function.sent_sizes));
        writer.put(vector_of(function.received_sizes));
    }

    writer.put(std::uint64_t{modules.size()});
    for (const std::string &module : modules)
        writer.put(module);
    writer.put(std::uint64_t{sites.size()});
    for (const auto &[key, totals] : sites) {
        writer.put(key.first);
        writer.put(std::uint64_t{key.second.size()});
        for (const auto &[module, offset] : key.second) {
            writer.put(module);
            writer.put(offset);
        }
        put(writer, totals);
    }

    writer.put(std::uint64_t{communicators.size()});
    for (const auto &[id, communicator] : communicators) {
        writer.put(id);
        writer.put(communicator.name);
        writer.put(communicator.size);
        writer.put(communicator.is_inter);
        writer.put(std::uint64_t{communicator.functions.size()});
        for (const auto &[function, totals] : communicator.functions) {
            writer.put(function);
            put(writer, totals);
        }
    }
}

void Summary::merge(Reader &reader)
{
    for (auto left = reader.get<std::uint64_t>(); left > 0; left--)
        tasks.push_back(get_task(reader));

    for (auto left = reader.get<std::uint64_t>(); left > 0; left--) {
        FunctionSummary &function = functions[reader.get<int>()];
        function.totals.merge(get_totals(reader));
        profile::merge(function.sent_sizes, reader.get<std::vector<std::uint64_t>>());
        profile::merge(function.received_sizes, reader.get<std::vector<std::uint64_t>>());
    }

    std::vector<std::uint64_t> numbers(reader.get<std::uint64_t>());
    for (std::uint64_t &number : numbers)
        number = number_of_module(reader.get<std::string>());
    for (auto left = reader.get<std::uint64_t>(); left > 0; left--) {
        const int function = reader.get<int>();
        Path path(reader.get<std::uint64_t>());
        for (auto &[module, offset] : path) {
            module = numbers.at(reader.get<std::uint64_t>());
            offset = reader.get<std::uint64_t>();
        }
        sites[{function, path}].merge(get_totals(reader));
    }

    for (auto left = reader.get<std::uint64_t>(); left > 0; left--) {
        CommunicatorSummary &communicator = communicators[reader.get<std::uint64_t>()];
        communicator.name = reader.get<std::string>();
        communicator.size = reader.get<int>();
        communicator.is_inter = reader.get<bool>();
        for (auto lines = reader.get<std::uint64_t>(); lines > 0; lines--) {
            const int function = reader.get<int>();
            communicator.functions[function].merge(get_totals(reader));
        }
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
