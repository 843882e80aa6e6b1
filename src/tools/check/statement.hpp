/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The report: findings, and what is known of the processes. */

#ifndef TOOLS_CHECK_STATEMENT_HPP_INCLUDED
#define TOOLS_CHECK_STATEMENT_HPP_INCLUDED

#include "findings.hpp"

#include "../common/call_sites.hpp"
#include "../common/record.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace qmpi::check {

struct ProcessLine {
    struct Call {
        std::string function, site;

        template <typename Visit>
        void each(Visit &&visit)
        {
            visit(function), visit(site);
        }
    };

    /* A communicator that is not compared, from the first call after that number. */
    struct Exclusion {
        std::string communicator, reason;
        std::uint64_t calls = 0;

        template <typename Visit>
        void each(Visit &&visit)
        {
            visit(communicator), visit(reason), visit(calls);
        }
    };

    std::string host;
    std::uint64_t calls = 0;
    std::vector<Call> current;        /* of its threads */
    std::uint64_t compared_calls = 0; /* if there is a reason */
    std::string reason;               /* why it is no longer compared with others; or empty */
    std::vector<Exclusion> excluded;

    template <typename Visit>
    void each(Visit &&visit)
    {
        visit(host), visit(calls), visit(current), visit(compared_calls), visit(reason);
        visit(excluded);
    }
};

struct Statement {
    FindingSet findings;
    std::map<int, ProcessLine> processes; /* by rank */
    std::string absent;                   /* processes that take no part */
    bool has_ended = false;               /* with MPI_Finalize: current calls do not matter */
    std::vector<std::string> unwanted;    /* kinds that were switched off */
    std::string incomparable;             /* why no processes were compared; or empty */

    /* Of one process. Without call_sites, current calls are left out. */
    static Statement of(const RecordView &record, int rank, const std::string &host,
                        CallSites *call_sites = nullptr);

    void write(Writer &writer) const;
    void merge(Reader &reader);

    std::string text() const;
    /* introduction, end, number and is_alone: see envelope() */
    std::string json(const Introduction &introduction, const std::string &end, int number,
                     bool is_alone) const;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_STATEMENT_HPP_INCLUDED */
