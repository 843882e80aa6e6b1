/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* State of a drawn script: communicators, pending operations, and the draws. */

#ifndef SCRIPT_HPP
#define SCRIPT_HPP

#include <mpi.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "layouts.hpp"
#include "random.hpp"

/* A communicator of which all processes know the members. */
struct Comm {
    MPI_Comm handle = MPI_COMM_NULL; /* in members */
    std::vector<int> groups[2];      /* processes by rank; the second one of intercommunicators */
    bool is_inter = false;
    int messages_until = -1;    /* last step with a pending message */
    int collectives_until = -1; /* or collective operation */
    bool has_graph = false;     /* neighbors by rank */
    std::vector<std::vector<int>> sources, targets;
    int number = 0;

    int rank_in(int side, int process) const
    {
        for (size_t i = 0; i < groups[side].size(); i++)
            if (groups[side][i] == process)
                return static_cast<int>(i);
        return -1;
    }
    int side(int process) const
    {
        return rank_in(0, process) >= 0 ? 0 : is_inter && rank_in(1, process) >= 0 ? 1 : -1;
    }
    bool has(int process) const { return side(process) >= 0; }
    int rank(int process) const { return has(process) ? rank_in(side(process), process) : -1; }
    int size(int side = 0) const { return static_cast<int>(groups[side].size()); }
    /* The group that messages of this one go to */
    int far(int side) const { return is_inter ? 1 - side : side; }
};

struct Pending {
    MPI_Request request;
    int due;
    std::function<void(MPI_Status *)> done; /* without a status: null */
    /* Completed by MPI_Wait and MPI_Test alone: MPICH takes a started persistent request with MPI_PROC_NULL for an inactive
       one, one of a collective operation for an active one after its completion, and leaves the error of partitioned ones
       undefined in arrays of statuses. */
    bool is_single = false;
    bool is_collective = false; /* MPICH leaves their error undefined in MPI_Testall. */
};

struct Options {
    uint64_t seed = 1;
    int steps = 30;
    bool is_deterministic = false; /* no receives of any source */
    bool is_traced = false;
    std::set<int> skipped;
    std::string only; /* kind of steps */
};

class Script {
  public:
    Script(const Options &options, int me, int processes, uint64_t number)
        : options(options), me(me), processes(processes), number(number),
          draw(options.seed, number), own(options.seed, number, static_cast<uint64_t>(me) + 1000)
    {
    }

    const Options &options;
    const int me, processes;
    const uint64_t number; /* of the script; 0: the main one */
    int step = 0;
    bool has_threads = false; /* MPI_THREAD_MULTIPLE */
    /* False: MPICH 5 for UCX takes each process for a node of its own. */
    static inline bool is_one_node = true;
    Random draw, own; /* of all processes; of this one */
    std::vector<std::shared_ptr<Comm>> comms;
    std::vector<Pending> pending;
    int next_tag = 1, next_comm = 0;
    std::vector<std::shared_ptr<void>> kept; /* buffers that operations may use until the end */
    std::vector<std::pair<MPI_Op, int>> ops; /* operators of the script, and their last step */
    std::vector<MPI_Request *>
        unused; /* persistent requests to free after the current completions */

    uint64_t key() { return draw.next(); }
    int tag() { return static_cast<int>(number % 8) * 4000 + (next_tag++ % 3999); }
    bool is_main() const { return number == 0; }

    __attribute__((format(printf, 2, 3))) void say(const char *format, ...) const
    {
        if (!options.is_traced)
            return;
        char line[400];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        fprintf(stderr, "[%d] script %d step %d: %s\n", me, static_cast<int>(number), step, line);
    }

    void fail(const char *what) const
    {
        fprintf(stderr, "draw: seed %llu: rank %d: script %d step %d: %s\n",
                static_cast<unsigned long long>(options.seed), me, static_cast<int>(number), step,
                what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    void expect(bool is_right, const char *what) const
    {
        if (!is_right)
            fail(what);
    }

    void add(MPI_Request request, int due, std::function<void(MPI_Status *)> done,
             bool is_single = false, bool is_collective = false)
    {
        pending.push_back({request, due, std::move(done), is_single, is_collective});
    }
    /* Complete the operations that are due. */
    void complete()
    {
        std::vector<Pending> now, later;
        for (Pending &one : pending)
            (one.due <= step ? now : later).push_back(std::move(one));
        pending = std::move(later);
        complete(std::move(now));
        while (!ops.empty() && ops.front().second <= step) {
            MPI_Op_free(&ops.front().first);
            ops.erase(ops.begin());
        }
    }
    void complete(std::vector<Pending> all);

    /* Communicators that fit; never none if the first one, of all processes, does. */
    template <class Test>
    std::shared_ptr<Comm> comm(Test test)
    {
        std::vector<std::shared_ptr<Comm>> fit;
        for (const auto &one : comms)
            if (test(*one))
                fit.push_back(one);
        return fit.empty() ? nullptr : draw.of(fit);
    }
    std::shared_ptr<Comm> any_comm()
    {
        return comm([](const Comm &) { return true; });
    }
    std::shared_ptr<Comm> intra()
    {
        return comm([](const Comm &one) { return !one.is_inter; });
    }

  private:
    void complete_some(std::vector<Pending> &all);
};

/* Completes all of them, by the calls that the process draws. */
inline void Script::complete(std::vector<Pending> all)
{
    own.shuffle(all);
    while (!all.empty()) {
        std::vector<Pending> part;
        const size_t n = static_cast<size_t>(own.between(1, static_cast<int>(all.size())));
        for (size_t i = 0; i < n; i++) {
            part.push_back(std::move(all.back()));
            all.pop_back();
        }
        complete_some(part);
    }
}

inline void Script::complete_some(std::vector<Pending> &all)
{
    const int n = static_cast<int>(all.size());
    std::vector<MPI_Request> requests;
    std::vector<MPI_Status> statuses(all.size());
    std::vector<int> indices(all.size());
    for (const Pending &one : all)
        requests.push_back(one.request);
    const bool is_ignored = own.chance(40);
    MPI_Status *const states = is_ignored ? MPI_STATUSES_IGNORE : statuses.data();
    MPI_Status one, *const state = is_ignored ? MPI_STATUS_IGNORE : &one;
    int flag = 0, left = n, index, count;
    const auto finish = [&](int i, MPI_Status *status) {
        all[static_cast<size_t>(i)].done(is_ignored ? nullptr : status);
    };
    const auto finish_all = [&] {
        for (int i = 0; i < n; i++)
            finish(i, &statuses[static_cast<size_t>(i)]);
    };

    const bool has_single =
        std::any_of(all.begin(), all.end(), [](const Pending &one) { return one.is_single; });

    const bool has_collective =
        std::any_of(all.begin(), all.end(), [](const Pending &one) { return one.is_collective; });

    switch (has_single ? own.below(2) : own.below(has_collective ? 8 : 9)) {
    case 0:
        for (int i = 0; i < n; i++) {
            MPI_Wait(&requests[static_cast<size_t>(i)], state);
            finish(i, &one);
        }
        break;
    case 1:
        for (int i = 0; i < n; i++) {
            for (flag = 0; !flag;)
                MPI_Test(&requests[static_cast<size_t>(i)], &flag, state);
            finish(i, &one);
        }
        break;
    case 2:
        while (left-- > 0) {
            MPI_Waitany(n, requests.data(), &index, state);
            finish(index, &one);
        }
        break;
    case 3:
        while (left > 0) {
            MPI_Testany(n, requests.data(), &index, &flag, state);
            if (flag && index != MPI_UNDEFINED) {
                finish(index, &one);
                left--;
            }
        }
        break;
    case 4:
    case 5: {
        const bool is_wait = own.chance(50);
        while (left > 0) {
            is_wait ? MPI_Waitsome(n, requests.data(), &count, indices.data(), states)
                    : MPI_Testsome(n, requests.data(), &count, indices.data(), states);
            expect(count != MPI_UNDEFINED, "no active request");
            for (int i = 0; i < count; i++)
                finish(indices[static_cast<size_t>(i)], &statuses[static_cast<size_t>(i)]);
            left -= count;
        }
        break;
    }
    case 6:
        for (int i = 0; i < n; i++) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(requests[static_cast<size_t>(i)], &flag, state);
            MPI_Wait(&requests[static_cast<size_t>(i)], MPI_STATUS_IGNORE);
            finish(i, &one);
        }
        break;
    case 7:
        MPI_Waitall(n, requests.data(), states);
        finish_all();
        break;
    default:
        while (!flag)
            MPI_Testall(n, requests.data(), &flag, states);
        finish_all();
    }
    for (MPI_Request *one : unused)
        MPI_Request_free(one);
    unused.clear();
}

/* Handles and pointers for arguments that do not count in the process */
inline void *junk_pointer(Script &script)
{
    return script.own.chance(50)
        ? nullptr
        : reinterpret_cast<void *>(static_cast<uintptr_t>(script.own.below(1000)));
}

inline MPI_Datatype junk_type(Script &script)
{
    if (script.own.chance(50))
        return MPI_DATATYPE_NULL;
    MPI_Datatype made, kept;
    MPI_Type_contiguous(script.own.between(1, 3), MPI_INT, &made);
    kept = made;
    MPI_Type_free(&made);
    return kept;
}

inline int junk_count(Script &script)
{
    return script.own.between(-5, 5);
}

#endif
