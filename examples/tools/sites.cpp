/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Time in MPI for each line of the program that calls it. */

#include <qmpi.hpp>
#include <qmpi/call_sites.hpp>
#include <qmpi/per_thread.hpp>
#include <qmpi/process.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace {

struct Sites : qmpi::tool<Sites> {
    static constexpr const char *description = "time of each call site";

    struct Sum {
        long calls = 0;
        std::uint64_t time = 0;
    };
    using Sums = std::map<void *, Sum>;

    /* No thread waits for another one. */
    qmpi::forever<qmpi::PerThread<Sums>> threads;

    int intercept(qmpi::any_call &call)
    {
        const std::uint64_t begin = qmpi::now();
        const int result = call();
        Sum &sum = threads->own()[call.calling_address()];
        sum.calls++;
        sum.time += qmpi::now() - begin;
        return result;
    }

    /* In MPI_Finalize, when the program's threads make no more calls. */
    void at_world_end(const qmpi::world &world)
    {
        if (world.program_rank() != 0)
            return;
        Sums all;
        threads->each([&all](const Sums &own) {
            for (const auto &[address, sum] : own) {
                all[address].calls += sum.calls;
                all[address].time += sum.time;
            }
        });
        qmpi::CallSites sites;
        for (const auto &[address, sum] : all)
            std::fprintf(stderr, "%s: %ld calls, %.3f ms\n",
                         qmpi::text_of(sites.find(address)).c_str(), sum.calls,
                         static_cast<double>(sum.time) / 1e6);
    }
};

}  // namespace

QMPI_TOOL("sites", Sites)
