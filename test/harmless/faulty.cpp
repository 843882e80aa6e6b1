// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A tool that fails in one process at the step of its report that the option names.

#include <qmpi/report_options.hpp>
#include <qmpi/reporting_tool.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace {

struct Faulty : qmpi::ReportingTool<Faulty> {
    struct Options : qmpi::ReportOptions {
        explicit Options(const qmpi::arguments &given)
            : qmpi::ReportOptions(given, {qmpi::Format::text})
        {
        }
        std::string fault = option("fault", "").help("step that fails");
    };

    struct State {
        std::string text;
        bool fails = false;

        void write(qmpi::Writer &writer) const { writer.put(text); }
        void merge(qmpi::Reader &reader)
        {
            if (fails)
                throw std::runtime_error("no merge");
            text += reader.get<std::string>().substr(0, 1);
        }
    };

    State state(bool is_alone)
    {
        const std::string &fault = options_.fault;
        const int rank = reporter(is_alone).rank;
        if (fault == "state_of_all" || (fault == "state" && rank == 1))
            throw std::runtime_error("rank " + std::to_string(rank) + " has no state");
        if (fault != "memory" || is_alone)
            return {"x", fault == "merge" && rank == 0};
        if (rank == 0)
            limit_memory();
        return {std::string(rank == 1 ? large : 1, 'x'), false};
    }

    bool write(const State &, const qmpi::Reporter &)
    {
        set_limit(RLIM_INFINITY);
        return options_.fault != "write";
    }

    ~Faulty() { report_at_end(); }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }

    static constexpr std::size_t large = std::size_t{1} << 26;

    /* What the process has, and half of what rank 1 sends. */
    static void limit_memory()
    {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        set_limit(pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + large / 2);
    }

    static void set_limit(rlim_t bytes)
    {
        struct rlimit limit {};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = std::min(bytes, limit.rlim_max);
        setrlimit(RLIMIT_AS, &limit);
    }

    const Options options_{arguments()};
    const qmpi::Destination destination_{*this, options_};
};

}  // namespace

QMPI_TOOL("faulty", Faulty)
