/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A summary as text, JSON, CSV and HTML. */

#ifndef TOOLS_PROFILE_REPORTS_HPP_INCLUDED
#define TOOLS_PROFILE_REPORTS_HPP_INCLUDED

#include "options.hpp"
#include "summary.hpp"

#include "../common/report.hpp"
#include "../common/table.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::profile {

/* Of the instance; its arguments say how the report is to be. */
struct Run {
    Introduction introduction;
    std::string end;       /* wall-clock time; empty: unknown, from records */
    bool is_alone = false; /* one process only */
};

class Reports {
  public:
    /* Resolves the call sites. Both arguments must outlive this object. */
    Reports(const Run &run, const Summary &summary, CallSites &call_sites);

    std::string text() const;
    std::string json() const;
    std::string html() const;
    std::string csv() const;
    std::string make(Format format) const
    {
        return format == Format::json ? json()
            : format == Format::html  ? html()
            : format == Format::csv   ? csv()
                                      : text();
    }

  private:
    struct Site {
        int function;
        std::vector<CallSite> path; /* innermost first */
        const Totals *totals;
    };

    struct Function {
        int id;
        const FunctionSummary *summary;
    };

    /* A call in progress, and its path without frames before main(). */
    struct Call {
        const Task *task;
        const OpenCall *call;
        std::vector<CallSite> path;
    };

    std::vector<CallSite> resolve(const Path &path, CallSites &call_sites);
    std::vector<const Site *> top_sites(bool by_bytes) const;
    std::vector<std::pair<std::string, std::string>> facts() const;
    double share_of_application(int function, double time) const;
    double share_of_mpi(int function, double time) const;
    bool has_threads() const;
    bool shows_calls() const;

    using Communicators = std::map<std::uint64_t, CommunicatorSummary>;

    qmpi::Table tasks() const;
    qmpi::Table calls(const Task *task = nullptr) const;
    qmpi::Table sites(const std::vector<const Site *> &sites) const;
    qmpi::Table functions() const;
    qmpi::Table sizes() const;
    static qmpi::Table communicators(const Communicators &communicators);
    std::string sites_text(const std::string &title, std::vector<const Site *> shown) const;
    void add_bars(Page &page) const;
    void add_sizes(Page &page) const;

    const Run &run_;
    const Options options_;
    const Summary &summary_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, CallSite> found_;
    std::vector<Call> calls_;
    std::vector<Site> sites_;         /* by time, longest first */
    std::vector<Function> functions_; /* likewise */
};

}  // namespace qmpi::profile

#endif /* TOOLS_PROFILE_REPORTS_HPP_INCLUDED */
