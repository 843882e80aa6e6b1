/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The processes of a job and their calls in progress, from the records of the tool "watch" and /proc. */

#ifndef TOOLS_REPORT_WHERE_JOB_HPP_INCLUDED
#define TOOLS_REPORT_WHERE_JOB_HPP_INCLUDED

#include "where_stack.hpp"

#include "../common/call_sites.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::report {

/* ---- facts of one process ---- */

struct CommunicatorFacts {
    std::string name; /* empty: none */
    std::int64_t context = -1;
    int leader = -1;
    int rank = -1, size = 0; /* size 0: unknown communicator */
    int remote_size = 0;

    bool is_inter() const { return remote_size > 0; }
};

struct CallFacts {
    int function = 0;
    CallSite site;
    double begin = 0,
           end = 0; /* wall-clock time in seconds; end 0: in progress; begin 0: unknown */
    CommunicatorFacts communicator;
    bool has_communicator = false;
    int peer = 0, tag = 0;
    int destination = 0;      /* of MPI_Sendrecv, where peer is the source */
    std::int64_t size = 0;    /* elements or requests */
    std::int64_t element = 0; /* bytes of an element; 0: unknown */
};

struct ThreadFacts {
    int thread = 0;              /* the system's number */
    std::uint64_t calls = 0;     /* that have begun */
    std::vector<CallFacts> last; /* newest first */
    bool is_in_call = false;     /* last.front(), or the innermost call in it */
};

enum class Condition {
    elsewhere, /* on another host: unknown */
    running,
    sleeping,
    in_system, /* uninterruptible */
    stopped,
    traced,
    finished, /* after MPI_Finalize */
    exited,   /* without MPI_Finalize */
    dead      /* killed */
};

struct RankFacts {
    int rank = -1; /* in the job; -1: unknown */
    int process = 0;
    std::string host;
    Condition condition = Condition::elsewhere;
    bool is_initialized = false;
    bool has_ended = false;   /* the process is gone; false if unknown */
    double cpu = 0;           /* percent, since the last reading */
    std::int64_t memory = 0;  /* resident bytes */
    std::int64_t swapped = 0; /* bytes */
    double calls_per_second = 0;
    std::optional<double> time_in_mpi; /* percent of the time since the last reading */
    bool is_sampled = false;           /* time_in_mpi is an estimate from some of the calls */
    std::vector<ThreadFacts> threads;
    std::vector<std::pair<int, std::uint64_t>> counts; /* calls by function */
    std::uint64_t threads_without_slot = 0;
    std::optional<StackFacts> stack;

    std::string name() const;
};

/* Processes that were started together. */
struct WorldFacts {
    std::string name; /* of the process manager; empty: none */
    std::string program;
    int size = 0;          /* 0: unknown */
    int ranks_on_host = 0; /* of each host; 0: unknown */
    std::vector<RankFacts> ranks;
    std::vector<std::string> warnings; /* records that cannot be read */
};

struct JobFacts {
    std::vector<WorldFacts> worlds;
    std::vector<std::string> warnings;
    double now = 0;          /* wall-clock time in seconds */
    bool has_records = true; /* false: the facts are from stacks */
};

/* No process of the job has a record. */
class NoRecords : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/* Reads the records of a job, any number of times. Rates and shares are of the time since the last
 * reading, first since the constructor. */
class Observer {
  public:
    /* Each of the jobs is the number of a process, a record or a folder of records. Throws
     * std::runtime_error if nothing is found. */
    explicit Observer(std::vector<std::string> jobs);
    ~Observer();
    Observer(const Observer &) = delete;
    Observer &operator=(const Observer &) = delete;

    JobFacts read();

    /* Between two readings, for time_in_mpi: of more calls than a record holds, each sample sees the
     * last. */
    void sample();

    /* Time until the next sample. It varies, so that no program keeps step with the samples. */
    static std::chrono::milliseconds pause(std::chrono::duration<double> between_readings);

    /* Finds processes that have begun since the job was last searched. */
    void search();

  private:
    class Data;
    const std::unique_ptr<Data> data_;
};

/* Facts of jobs, as above. Takes a part of a second, to see what changes. wants_stacks: of ranks
 * outside MPI, and of jobs without records. Throws std::runtime_error if nothing is found. */
JobFacts facts_of_job(const std::vector<std::string> &jobs, bool wants_stacks);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_WHERE_JOB_HPP_INCLUDED */
