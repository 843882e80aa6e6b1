/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports from records, which qmpi_report makes by the code of the tool: it loads the tool's library
 * and calls the one function that the library exports. */

#ifndef QMPI_RECORD_REPORT_HPP_INCLUDED
#define QMPI_RECORD_REPORT_HPP_INCLUDED

#include "record.hpp"
#include "report.hpp"
#include "wire.hpp"

#include <qmpi.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* Processes that still run, by their records. */
class Lives {
  public:
    void add(int rank, Life life) { ranks_[life].insert(rank); }

    /* The report with these facts; text begins with a line of the name, JSON has the member records. */
    std::string add_to(const std::string &report, const std::string &name, Format format) const;

  private:
    std::map<Life, std::set<int>> ranks_;
};

/* Records of one instance in one run, by rank. */
class Records {
  public:
    struct Part {
        Introduction introduction;
        RecordView view;
        Life life;
        std::string path;
    };

    /* Throws std::runtime_error if two are of the same process, or of worlds of other sizes. */
    explicit Records(const std::vector<std::string> &paths);

    const std::vector<Part> &parts() const { return parts_; }

    /* read(part) for each process. One whose record cannot be read is named on standard error, and
     * missing from then on. Throws std::runtime_error if that is true of all. */
    void each(const std::function<void(const Part &)> &read);

    /* Of the first process; absent says what is missing. */
    Introduction introduction() const;

    /* One process of several, or without a world. */
    bool is_alone() const;

    Lives lives() const;

  private:
    std::vector<std::unique_ptr<FileContent>> files_;
    std::vector<Part> parts_;
};

/* Adds data to a sum as merge_to_root() does. */
template <typename State>
void add_state(State &sum, const State &other)
{
    Writer writer;
    other.write(writer);
    const std::string bytes = writer.take();
    Reader reader(bytes);
    sum.merge(reader);
}

/* "profile, instance 1 of 2 (tool 3 of the chain)" */
std::string name_of(const Introduction &introduction);

/* The report of one instance over all processes that have left records. */
class RecordReport {
  public:
    virtual ~RecordReport() = default;

    virtual bool has(Format) const { return true; }
    virtual std::string make(Format format) const = 0;
};

/* QMPI_REPORT(NAME, Class) offers the reports of a tool to qmpi_report. Class is derived from RecordReport and
 * constructed from Records & */
#define QMPI_REPORT(tool_, ...)                                                     \
    [[maybe_unused]] static const bool QMPI_DETAIL_JOIN(qmpi_reported_, __LINE__) = \
        ::qmpi::add_report(tool_, [](::qmpi::Records &records) {                    \
            return std::unique_ptr<::qmpi::RecordReport>(new __VA_ARGS__(records)); \
        });

using MakeReport = std::unique_ptr<RecordReport> (*)(Records &);
bool add_report(const char *tool, MakeReport make);

/* True if qmpi_report can make reports of the tool's records by this library. */
bool has_report(const std::string &tool);

/* "MPIR_CVAR_QMPI_TOOL_PATH=FOLDER " if it needs that to find this library; or empty. */
std::string variables_of_qmpi_report();

/* ---- between qmpi_report and the library of a tool, which may have another version of the kit ---- */

struct ReportRequest {
    const char *tool;
    const char *const *records; /* paths of the record files of one instance in one run */
    std::size_t number;         /* of records */
    const char *const *formats; /* text, json, csv, html; nullptr ends the list */
    void (*put)(void *context, const char *format, const char *content, std::size_t size);
    void *context;
};

/* Exported by each library of a tool with QMPI_REPORT. Puts the report in those of the formats that the tool
 * has, from the same state of the records, and returns 0; or puts the reason why it cannot, and returns
 * 1. Needs no MPI_Init. */
extern "C" [[gnu::visibility("default")]] int qmpi_make_report_1(const ReportRequest *request);
inline constexpr const char *report_function = "qmpi_make_report_1";

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_RECORD_REPORT_HPP_INCLUDED */
