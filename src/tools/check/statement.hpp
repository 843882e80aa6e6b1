/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The report: findings, and what is known of the processes. */

#ifndef TOOLS_CHECK_STATEMENT_HPP_INCLUDED
#define TOOLS_CHECK_STATEMENT_HPP_INCLUDED

#include "findings.hpp"
#include "suppressions.hpp"

#include "../common/call_sites.hpp"
#include "../common/record.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::check {

struct ProcessLine {
    struct Call {
        std::string function, site;

        auto fields() { return std::tie(function, site); }
    };

    /* A communicator that is not compared, from the first call after that number. */
    struct Exclusion {
        std::string communicator, reason;
        std::uint64_t calls = 0;

        auto fields() { return std::tie(communicator, reason, calls); }
    };

    std::string host;
    std::uint64_t calls = 0;
    std::vector<Call> current;        /* of its threads */
    std::uint64_t compared_calls = 0; /* if there is a reason */
    std::string reason;               /* why it is no longer compared with others; or empty */
    std::vector<Exclusion> excluded;

    auto fields() { return std::tie(host, calls, current, compared_calls, reason, excluded); }
};

/* See envelope(). */
struct Heading {
    Introduction introduction;
    std::string end;
    int number = 1; /* of processes */
    bool is_alone = false;
};

/* Part of the analysis, and why processes are left out of it. */
using Reason = std::pair<std::string, std::string>;

/* Empty if all of the process is compared. */
std::string comparison_text(const ProcessLine &process);

/* The calls that its threads are in. */
std::string current_text(const ProcessLine &process);

using Omissions = std::map<Reason, std::set<int>>; /* with the ranks */

/* Of a process without MPI_COMM_WORLD */
inline constexpr const char *no_analyser =
    "rank 0 has not begun with MPI_Session_init and this tool";

struct Statement {
    FindingSet findings;                  /* with those that are suppressed */
    std::map<int, ProcessLine> processes; /* by rank */
    Omissions omissions;
    Suppressions suppressions;
    std::string absent;                /* processes that take no part */
    std::set<int> spawned;             /* ranks of spawned processes */
    bool has_ended = false;            /* with MPI_Finalize: current calls do not matter */
    std::vector<std::string> unwanted; /* kinds that were switched off */
    std::string incomparable;          /* why no processes were compared; or empty */

    /* Of one process. Without call_sites, current calls are left out. */
    static Statement of(const RecordView &record, int rank, const std::string &host,
                        CallSites *call_sites = nullptr);

    void write(Writer &writer) const;
    void merge(Reader &reader);

    void omit(const Omissions &others);

    std::uint64_t calls() const;

    /* Findings that are not suppressed. */
    std::vector<FindingSet::Entry> shown() const;

    /* Findings that the entries have suppressed, in their order. */
    struct Suppressed {
        std::uint64_t findings = 0, times = 0;
    };
    std::vector<Suppressed> suppressed() const;

    /* "3 findings (1 suppressed) in 812 calls of 4 processes" */
    std::string summary() const;

    /* Gaps of the analysis, a line for each reason. */
    std::vector<std::string> gaps() const;

    /* Suppressed findings, a line for each entry. */
    std::vector<std::string> suppression_lines() const;

    std::string text() const;
    std::string json(const Heading &heading) const;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_STATEMENT_HPP_INCLUDED */
