/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Operations with a request: the memory that they use while they are pending, and whether anybody
 * completes them. */

#ifndef TOOLS_CHECK_OPERATIONS_HPP_INCLUDED
#define TOOLS_CHECK_OPERATIONS_HPP_INCLUDED

#include "functions.hpp"
#include "local_process.hpp"
#include "messages.hpp"
#include "waiting.hpp"

#include "../common/requests.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace tools::check {

/* Any number of threads. */
class Operations {
  public:
    Operations(LocalProcess &process, Messages &messages, Waiting &waiting)
        : process_(process), messages_(messages), waiting_(waiting)
    {
    }

    /* Makes the call, and follows the communicators and requests that it makes, starts, completes
     * and frees. All calls go this way that the program makes itself. */
    template <typename Call>
    int go(Call &call)
    {
        if constexpr (Call::is_in(qmpi::set::completion) || Call::id == MPI_START_T ||
                      Call::id == MPI_STARTALL_T)
            return complete(call, requests_,
                            [this](Pending &pending, const MPI_Status *status, Outcome outcome) {
                                if (outcome == Outcome::started)
                                    start(pending);
                                else
                                    end(pending, status, outcome);
                            });
        else
            return process_.communicators.watch(call);
    }

    /* The same for functions that may wait for requests. */
    template <typename Call>
    int wait(Call &call, const Here &here)
    {
        constexpr bool needs_all = Call::id == MPI_WAIT_T || Call::id == MPI_WAITALL_T;
        if constexpr (needs_all || Call::id == MPI_WAITANY_T || Call::id == MPI_WAITSOME_T) {
            const Blocked blocked(waiting_,
                                  {process_.place(here), needs_all,
                                   waits_of(qmpi::get<qmpi::role::request>(call),
                                            qmpi::get_or<qmpi::role::length>(call, 1), needs_all)});
            return go(call);
        } else
            return go(call);
    }

    /* For the request that an operation has given. A persistent one does nothing until it is
     * started. */
    void add(MPI_Request request, Pending pending);
    void add_persistent(MPI_Request request, Pending pending);

    /* Before MPI_Cancel. */
    void cancel(MPI_Request request);

    /* Adds memory that an operation reads or writes. Of data with gaps nobody can say for certain
     * that two of them meet. */
    void add_range(std::vector<Range> &ranges, const void *address, MPI_Count count,
                   MPI_Datatype datatype, bool is_written);

    /* Whether memory that is about to be used is in use. */
    void check_overlaps(const std::vector<Range> &ranges, const Place &place);

    /* Whether an operation that sends and receives does so in the same memory. */
    void check_own_overlap(const Pending &pending);

    /* At the end: requests that are left. */
    void find_left();

  private:
    std::vector<Wait> waits_of(const MPI_Request *requests, int number, bool needs_all);
    bool shares_handle(MPI_Request request);
    void use_memory(Pending &pending);
    void start(Pending &pending);
    void end(Pending &pending, const MPI_Status *status, Outcome outcome);

    LocalProcess &process_;
    Messages &messages_;
    Waiting &waiting_;
    PendingMemory memory_;
    Requests<Pending> requests_;
    std::atomic<std::uint64_t> number_of_pending_{0};
};

}  // namespace tools::check

#endif /* TOOLS_CHECK_OPERATIONS_HPP_INCLUDED */
