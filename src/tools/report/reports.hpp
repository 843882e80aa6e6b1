/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports from record files. */

#ifndef TOOLS_REPORT_REPORTS_HPP_INCLUDED
#define TOOLS_REPORT_REPORTS_HPP_INCLUDED

#include "../common/record.hpp"
#include "../common/report.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::report {

/* Processes that still run, by their records. */
class Lives {
  public:
    void add(int rank, Life life) { ranks_[life].insert(rank); }

    /* "still running", or which processes are. */
    std::string text() const;

    /* Ranks by "running", "ended" and "unknown". */
    std::map<std::string, std::set<int>> by_name() const;

  private:
    std::map<Life, std::set<int>> ranks_;
};

/* The report of one instance over all processes that have left records. */
class Report {
  public:
    explicit Report(Lives lives) : lives_(std::move(lives)) {}
    virtual ~Report() = default;

    virtual std::string name() const = 0;
    virtual std::string csv() const = 0;

    /* The report of the tool; text and JSON also have what lives() says. */
    std::string make(Format format) const;

    /* With the endings of their files. */
    std::vector<std::pair<Format, std::string>> formats() const;

  private:
    virtual bool has_page() const { return true; }
    virtual std::string content(Format format) const = 0;

    const Lives lives_;
};

/* Common to the reports with sums of functions. */
extern const char *const csv_heading;
std::string csv_line(const std::string &tool, const std::string &kind, const std::string &function,
                     const std::string &site, std::uint64_t calls, double time, std::uint64_t sent,
                     std::uint64_t received);

/* The reports of all instances and runs that have records in the folders and files, and of the
 * journals in the folders. Throws std::runtime_error if there are none, if one cannot be read, or if
 * two are of the same process of different runs in a folder of the same name. */
std::vector<std::unique_ptr<Report>> load(const std::vector<std::string> &paths);

/* The only report of the paths. Throws std::runtime_error, also if there are several. */
std::unique_ptr<Report> load_one(const std::vector<std::string> &paths);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_REPORTS_HPP_INCLUDED */
