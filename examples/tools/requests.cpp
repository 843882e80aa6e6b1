/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Time from the start of a nonblocking operation to its completion. */

#include <qmpi.hpp>
#include <qmpi/process.hpp>
#include <qmpi/requests.hpp>

#include <atomic>
#include <cstdint>

namespace {

struct Requests : qmpi::tool<Requests> {
    static constexpr const char *description = "time of nonblocking operations";
    static constexpr auto functions = qmpi::set::point_to_point | qmpi::set::completion;

    /* Data of the tool that each request carries. */
    struct Start {
        std::uint64_t time;
    };
    /* Other threads may be in a call when the process exits and this object ends. */
    qmpi::forever<qmpi::Requests<Start>> requests;
    std::atomic<long> completed{0};
    std::atomic<std::uint64_t> time{0};

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (qmpi::uses_requests<Call>())
            return qmpi::complete(call, *requests,
                                  [this](Start &start, const MPI_Status *, qmpi::Outcome outcome) {
                                      if (outcome == qmpi::Outcome::completed) {
                                          completed++;
                                          time += qmpi::now() - start.time;
                                      }
                                  });
        else if constexpr (Call::form == qmpi::form::nonblocking &&
                           Call::has(qmpi::role::request)) {
            const int result = call();
            if (result == MPI_SUCCESS)
                requests->add(*qmpi::get<qmpi::role::request>(call), {qmpi::now()});
            return result;
        } else
            return call();
    }

    ~Requests()
    {
        int left = 0;
        requests->each([&left](MPI_Request, const Start &, bool) { left++; });
        std::fprintf(stderr, "%ld operations in %.3f ms, %d not completed\n", completed.load(),
                     static_cast<double>(time.load()) / 1e6, left);
    }
};

}  // namespace

QMPI_TOOL("requests", Requests)
