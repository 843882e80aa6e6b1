/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Collective calls of each communicator. */

#include <qmpi.hpp>
#include <qmpi/communicators.hpp>

#include <cstdint>
#include <map>
#include <mutex>

namespace {

struct CommunicatorCalls : qmpi::tool<CommunicatorCalls> {
    static constexpr const char *description = "collective calls of each communicator";
    static constexpr auto functions = qmpi::set::collective | qmpi::Communicators::functions();

    struct Count {
        qmpi::Communicators::Shared communicator;
        long calls = 0;
    };
    /* Other threads may be in a call when the process exits and this object ends. */
    qmpi::forever<qmpi::Communicators> communicators;
    std::mutex mutex;
    std::map<std::uint64_t, Count> counts; /* by the id that all members know */

    template <typename Call>
    auto intercept(Call &call)
    {
        /* Before the call: another thread may free the communicator while the call waits. */
        const auto communicator = communicators->used_by(call);
        /* Follows the functions that make and free communicators: handles are used again. */
        const auto result = communicators->watch(call);
        if constexpr (Call::is_in(qmpi::set::collective)) {
            if (result == MPI_SUCCESS && Call::has(qmpi::role::communicator))
                count(communicators->used_by(call, communicator));
        }
        return result;
    }

    void count(const qmpi::Communicators::Shared &communicator)
    {
        const std::lock_guard<std::mutex> guard(mutex);
        Count &count = counts[communicator->id];
        count.communicator = communicator;
        count.calls++;
    }

    ~CommunicatorCalls()
    {
        for (const auto &[id, count] : counts)
            std::fprintf(stderr, "%s, %d processes: %ld calls\n",
                         count.communicator->name().c_str(), count.communicator->size, count.calls);
    }
};

}  // namespace

QMPI_TOOL("communicators", CommunicatorCalls)
