/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two tools that talk to each other: "phases" knows the program's phase, "phase_calls" asks it. */

#include <qmpi.hpp>
#include <qmpi/log.hpp>
#include <qmpi/services.hpp>

#include <atomic>
#include <map>
#include <mutex>

namespace {

/* The service that one tool offers to others. A change of the class needs a new name. */
struct PhaseService {
    static constexpr const char *name = "example.phase.v1";
    virtual int phase() const = 0;
};

struct Phases : qmpi::tool<Phases>, PhaseService {
    static constexpr const char *description = "the program's phase, by MPI_Pcontrol";

    std::atomic<int> current{0};

    Phases() { qmpi::publish<PhaseService>(*this, PhaseService::name, *this); }

    int phase() const override { return current; }

    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &call, int level, qmpi::varargs)
    {
        current = level;
        return call();
    }
};

struct PhaseCalls : qmpi::tool<PhaseCalls> {
    static constexpr const char *description = "calls of each phase; needs the tool phases";
    static constexpr auto functions = qmpi::set::point_to_point | qmpi::set::collective;

    const PhaseService *phases = nullptr;
    std::mutex mutex;
    std::map<int, long> calls;
    qmpi::Log log{*this};

    /* The chain is complete, so the order of the list does not matter. */
    void ready()
    {
        phases = qmpi::find_service<PhaseService>(*this, "phases", PhaseService::name);
        if (phases == nullptr)
            log.warn("the list has no tool phases");
    }

    int intercept(qmpi::any_call &call)
    {
        if (phases != nullptr) {
            const std::lock_guard<std::mutex> guard(mutex);
            calls[phases->phase()]++;
        }
        return call();
    }

    ~PhaseCalls()
    {
        for (const auto &[phase, number] : calls)
            std::fprintf(stderr, "phase %d: %ld calls\n", phase, number);
    }
};

}  // namespace

QMPI_TOOL("phases", Phases)
QMPI_TOOL("phase_calls", PhaseCalls)
