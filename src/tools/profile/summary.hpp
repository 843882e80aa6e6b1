/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Sums over processes: made by each from its tables, then merged. */

#ifndef TOOLS_PROFILE_SUMMARY_HPP_INCLUDED
#define TOOLS_PROFILE_SUMMARY_HPP_INCLUDED

#include "tables.hpp"

#include "../common/call_sites.hpp"
#include "../common/wire.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::profile {

/* MPI_Init, MPI_Finalize and the like: they are listed, but are outside the application's time. */
bool is_init_or_finalize(int function);

/* Call sites, innermost first: module number and offset. */
using Path = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/* A call in progress when the report is made. Of one that is not timed only thread and function are known. */
struct OpenCall {
    std::uint64_t thread = 0;
    int function = 0;
    Path path;
    bool is_timed = false;
    Time time = 0;  /* so far */
    Time begin = 0; /* wall-clock time */

    auto fields() { return std::tie(thread, function, path, is_timed, time, begin); }
};

struct Task {
    int rank = 0;
    int process = 0; /* number of the operating system */
    std::string host;
    std::uint64_t threads = 0; /* that called MPI */
    Time application = 0;
    Time mpi = 0; /* all threads; nested calls once */
    std::map<int, Time> functions;
    std::vector<OpenCall> calls; /* by thread, outermost first */
    Life life = Life::running;   /* when the report is made */

    /* Of all threads that called MPI: MPI time is a part of it. */
    Time thread_time() const { return application * std::max<std::uint64_t>(threads, 1); }

    auto fields()
    {
        return std::tie(rank, process, host, threads, application, mpi, functions, calls, life);
    }
};

/* When a process is reported. */
struct Moment {
    Time until;  /* calls in progress last until then */
    Life life;   /* the application of a running process lasts until then, too */
    bool is_own; /* the process reports, in MPI_Finalize or MPI_Abort, whose calls are left out */
};

/* The last time in a record. */
Time last_time_of(const RecordView &record);

/* True if no call in progress has ended between. */
bool has_same_calls(const RecordView &before, const RecordView &after);

/* Statistics of a number over processes. */
struct Spread {
    double sum = 0, squares = 0, min = 0, max = 0;
    std::uint64_t ranks = 0; /* that have it */

    static Spread of(double value) { return {value, value * value, value, value, 1}; }
    void merge(const Spread &other);

    /* Over all processes of the job; those without it count as 0. */
    double mean(std::uint64_t processes) const;
    double min_of(std::uint64_t processes) const { return ranks < processes ? 0 : min; }
    double variation(std::uint64_t processes) const; /* standard deviation / mean */

    auto fields() { return std::tie(sum, squares, min, max, ranks); }
};

struct Totals {
    std::uint64_t calls = 0;
    std::uint64_t timed_calls = 0;
    std::uint64_t sent = 0, received = 0;
    Time shortest = std::numeric_limits<Time>::max(), longest = 0; /* of timed calls */
    Spread time;                                                   /* over ranks */

    void merge(const Totals &other);
    double min_time() const { return timed_calls == 0 ? 0 : static_cast<double>(shortest); }
    double mean_time() const { return calls == 0 ? 0 : time.sum / static_cast<double>(calls); }

    auto fields() { return std::tie(calls, timed_calls, sent, received, shortest, longest, time); }
};

struct FunctionSummary {
    Totals totals;
    std::array<std::uint64_t, size_bins> sent_sizes{}, received_sizes{};

    auto fields() { return std::tie(totals, sent_sizes, received_sizes); }
};

/* The id of a communicator is the same in all its processes. */
struct CommunicatorSummary {
    std::string name;
    int size = 0;
    bool is_inter = false;
    std::map<int, Totals> functions;

    auto fields() { return std::tie(name, size, is_inter, functions); }
};

struct Summary {
    std::vector<Task> tasks;
    std::map<int, FunctionSummary> functions;
    std::vector<std::string> modules;
    std::map<std::pair<int, Path>, Totals> sites; /* function, path */
    std::map<std::uint64_t, CommunicatorSummary> communicators;

    /* From the record of one process, current generation only. Sampled times are scaled per
     * function. later: the record of a running process, read again: calls that have ended meanwhile
     * are not in progress. */
    static Summary of(const RecordView &record, Task task, const Moment &moment,
                      const RecordView *later = nullptr);

    void write(Writer &writer) const;
    void merge(Reader &reader);

    Time application() const;
    Time thread_time() const;
    Time mpi() const;

  private:
    std::uint64_t number_of_module(const std::string &path);

    struct Blocks;
    Path path_of(const SiteRecord &site, const Blocks &blocks);
    void add_functions(const Blocks &blocks, Task &task);
    void add_sites(const Blocks &blocks);
    void add_calls(const Blocks &blocks, const Moment &moment, Task &task);
    void add_communicators(const Blocks &blocks);
};

}  // namespace qmpi::profile

#endif /* TOOLS_PROFILE_SUMMARY_HPP_INCLUDED */
