/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Definitions of a trace's journals, with common numbers for all processes. */

#ifndef TOOLS_TRACE_DEFINITIONS_HPP_INCLUDED
#define TOOLS_TRACE_DEFINITIONS_HPP_INCLUDED

#include "journal.hpp"

#include "../common/wire.hpp"

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace qmpi::trace {

/* At that time of a process's clock, rank 0's clock was time + offset, within the deviation; all in
 * nanoseconds. */
struct ClockPoint {
    std::uint64_t time;
    std::int64_t offset;
    double deviation;

    auto fields() { return std::tie(time, offset, deviation); }
};

/* Converts times to rank 0's clock by linear interpolation. */
class Clock {
  public:
    void add(ClockPoint point);
    std::uint64_t global(std::uint64_t time) const;
    std::uint64_t local(std::uint64_t global) const;
    const std::vector<ClockPoint> &points() const { return points_; }

    auto fields() { return std::tie(points_); }

  private:
    std::vector<ClockPoint> points_; /* by time */
};

struct Process {
    std::string host;
    std::string program;
    std::int64_t pid = 0;
    std::uint64_t epoch = 0; /* wall-clock time, in ns, when its now() was 0 */
    bool is_marked = false;  /* its journals, see mark_as_running() */
    Clock clock;
    std::vector<std::int32_t> threads; /* that recorded something */

    /* Adds the definitions of a journal of one of its threads. */
    void add(const Process &other, std::int32_t thread);

    auto fields() { return std::tie(host, program, pid, epoch, is_marked, clock, threads); }
};

/* A call site. */
struct Site {
    std::string function;
    std::string caller; /* "solve (halo.c:231)" */
    std::string file;   /* empty if unknown */
    std::int32_t line = 0;

    auto key() const { return std::tie(function, file, line, caller); }
    bool operator<(const Site &other) const { return key() < other.key(); }

    auto fields() { return std::tie(function, caller, file, line); }
};

/* World ranks, encoded as triples: first, step, count. */
using Group = std::vector<std::int64_t>;
Group group_of(const std::vector<int> &ranks);
std::vector<std::uint64_t> members_of(const Group &group);

/* Communicators with a single process are all the same and have no group. */
struct Communicator {
    std::uint64_t id = 0;
    bool is_inter = false;
    Group own, remote; /* either order, the same in all processes */
    std::string name;  /* not unique */

    bool is_self() const { return own.empty(); }
    auto key() const { return std::tie(id, is_inter, own, remote); }
    bool operator<(const Communicator &other) const { return key() < other.key(); }

    auto fields() { return std::tie(id, is_inter, own, remote, name); }

    /* World rank of a peer; me: world rank of the process. */
    std::int64_t world_rank_of(std::int32_t peer, std::int32_t me) const;
};

/* A journal and the meaning of its numbers. */
struct Recording {
    std::shared_ptr<JournalFile> file;
    std::int32_t rank = 0, thread = 0, size = 0; /* of MPI_COMM_WORLD */
    Process process;                             /* as this journal knows it */
    std::uint64_t begin = std::numeric_limits<std::uint64_t>::max(), end = 0; /* 0: no event */
    bool is_damaged = false;
    bool has_stopped = false;     /* later records are lost */
    std::size_t open_calls = 0;   /* without an end */
    std::uint64_t open_until = 0; /* see extend_open_calls(); 0: they end with the last record */
    std::vector<Site> sites;
    std::vector<Communicator> communicators;
};

/* The fields of a journal's first record that describe its process. */
void read_process(const Head &head, std::string_view content, Recording &recording);

/* Format of the definitions in a journal. */
std::string describe_process(int rank, int size, const std::string &host,
                             const std::string &program);
std::string describe_site(std::string_view function, const std::string &module,
                          std::uint64_t offset);
std::string describe_communicator(std::uint64_t id, const std::string &name, bool is_inter,
                                  const std::vector<int> &own, const std::vector<int> &remote);
std::string describe_clock(const ClockPoint &point);

/* Throws std::runtime_error if a journal cannot be read. One that is damaged is named on standard
 * error and ends there. */
std::vector<Recording> read_recordings(const std::vector<std::string> &paths);

/* Definitions of all processes, after merging; a number is the index in order. */
class Definitions {
  public:
    Definitions() = default;
    explicit Definitions(const std::vector<Recording> &recordings);

    void write(qmpi::Writer &writer) const;
    void merge(qmpi::Reader &reader);

    std::uint32_t number_of(const Site &site) const { return sites.at(site); }
    std::uint32_t number_of(const Communicator &communicator) const
    {
        return communicators.at(communicator);
    }
    std::uint32_t function_of(const std::string &name) const { return functions.at(name); }

    /* Adds processes without journals, after merging: a process sends only what it has. */
    void add_missing();

    /* Assigns the numbers; nothing may be added afterwards. */
    void number();

    std::map<std::int32_t, Process> processes;
    std::map<std::string, std::uint32_t> functions;
    std::map<Site, std::uint32_t> sites;
    std::map<Communicator, std::uint32_t> communicators;
    /* On rank 0's clock. */
    std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t end = 0;

  private:
    std::int32_t size_ = 0; /* processes of the job */
};

/* Receives the events of journals, in the process's own time. */
class Sink {
  public:
    virtual ~Sink() = default;

    virtual void begin(std::int32_t rank, std::int32_t thread) = 0;
    virtual void enter(std::uint64_t time, std::uint32_t function, std::uint32_t site) = 0;
    /* has_ended: false for a call in progress, whose time so far is known. */
    virtual void leave(std::uint64_t time, std::uint32_t function, bool has_ended) = 0;
    virtual void transfer(Kind kind, std::uint64_t time, std::uint32_t communicator,
                          const Transfer &transfer) = 0;
    virtual void end() = 0;
};

/* The calls in progress of a job that did not finish the trace itself last until now if the process runs on
 * this host, else until the last record of the processes that have ended. */
void extend_open_calls(std::vector<Recording> &recordings, Definitions &definitions);

/* A call in progress. */
struct OpenCall {
    std::int32_t rank, thread;
    std::uint32_t site; /* number of the definition */
    double seconds;     /* so far */
};

/* What reports say of their times. */
inline constexpr const char *open_calls_note =
    "The time of a process that is running is until this report, of another one until the last "
    "record.";

/* Communication with processes outside the world is skipped. */
void replay(const Recording &recording, const Definitions &definitions, Sink &sink);

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_DEFINITIONS_HPP_INCLUDED */
