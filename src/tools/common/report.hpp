/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Destinations of reports. */

#ifndef QMPI_REPORT_HPP_INCLUDED
#define QMPI_REPORT_HPP_INCLUDED

#include "report_options.hpp"
#include "text.hpp"

#include <qmpi.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* True in set-uid and similar programs: the user must not make them write files. */
bool is_privileged();

/* Of the name, such as "json". Throws std::runtime_error. */
Format format_of(std::string_view name);

/* Replaces a file atomically; a device or other special file is written directly. Returns the
 * system's reason on failure, or an empty text. */
std::string write_file(const std::string &name, std::string_view content);

/* One write to standard error, so that processes do not mix. */
void write_stderr(std::string_view text);

/* Waits for up to 0.1 s until standard error was read, if it is a pipe: mpiexec drops the rest when a
 * job is aborted. */
void await_stderr();

/* Message to the user: "QMPI tool NAME: WHAT" as one line on standard error. */
void complain(const char *tool_name, const std::string &what);

/* "instance 1 of 2 (tool 3 of the chain)" */
std::string instance_text(int instance, int instances, int tool_id);

/* "rank 1, ranks 3-5" */
std::string ranks_text(const std::set<int> &ranks);

/* Author of a report: an instance, in the processes that have it or in one of them. */
struct Reporter {
    int instance = 1;        /* number of the tool's instance, from 1 */
    int instances = 1;       /* number of instances */
    bool is_alone = false;   /* one process only */
    bool is_spawned = false; /* spawned processes: the parents have their own report */
    bool is_variant = false; /* processes of lower ranks have the tool with other arguments */
    int rank = -1;           /* of the writer in MPI_COMM_WORLD; -1: none */
    std::string absent;      /* processes of MPI_COMM_WORLD that are not in the report */
};

/* "; not in the report: rank 0 (no tools)", or empty if no process is absent. */
inline std::string absent_text(const std::string &absent)
{
    return absent.empty() ? "" : "; not in the report: " + absent;
}

/* Files that the user wants, by the options of the instance:
 *   out=NAME         with the ending .txt, .json, .csv, .html or .otf2: one report of that format; else
 *                    the stem of all files; - is text on standard error. Default: program, tool
 *                    and process number, as in halo.profile.4711, or halo.profile.4711-2 if there
 *                    are files of that name: processes of two hosts or containers can have one number
 *   formats=A+B      text, json, csv, html, otf2; default: all that the tool has (trace: otf2+html)
 *   records=FOLDER   folder for the folder of the records, on each host; default: that of NAME
 * A name is relative to the folder in which the tool was constructed, and belongs to the first
 * instance that has it. Other instances of the same tool append their number (-2); another tool is
 * refused. A process that reports alone, and processes whose arguments differ from those of lower
 * ranks, append their rank (.rank3), or host and process number if they have none. */
class Destination {
  public:
    /* A member to be constructed with the tool:  Destination destination{*this, options};
     *   others       endings of further files of the tool, such as ".unfinished"
     * Throws qmpi::argument_error. */
    template <typename Tool>
    Destination(const qmpi::tool<Tool> &tool, const ReportOptions &options,
                const std::vector<std::string> &others = {})
        : Destination({tool.name(), tool.tool_id(), tool.instance_number()}, options, others)
    {
    }

    /* Makes and writes the reports, except otf2. Prints a message for each file that cannot be
     * written, then the text report, if there is one, to standard error. Returns false if a file
     * could not be written. Not thread-safe. */
    bool write(const Reporter &reporter, const std::function<std::string(Format)> &make) const;

    /* File name without the ending; empty for standard error. */
    std::string stem(const Reporter &reporter) const;

    /* File name of a format. */
    std::string file(const Reporter &reporter, Format format) const;

    /* Makes a new folder for the records of a run, named by this process's stem and the ending, on
     * each host if the user gave records=. Collective; returns its absolute path, which is the same
     * in all processes. Throws std::runtime_error in the processes that have no folder. */
    std::string make_record_folder(const qmpi::world &world, const Reporter &reporter,
                                   const std::string &ending) const;

    /* The same for a process alone. Not collective. */
    std::string make_record_folder(const Reporter &reporter, const std::string &ending) const;

    /* Absolute path of a file name. */
    std::string path(const std::string &name) const;

    const std::vector<Format> &formats() const { return formats_; }

    /* False if everything goes to standard error. */
    bool has_files() const { return !is_stderr_; }

    /* True if the user expects records, or at least files. */
    bool wants_records() const { return !is_stderr_ || !records_.empty(); }

  private:
    struct Owner {
        const char *tool_name;
        int tool_id;
        int instance;
    };

    Destination(const Owner &owner, const ReportOptions &options,
                const std::vector<std::string> &others);
    std::string default_stem(const Reporter &reporter) const;
    std::string wanted_stem(const Reporter &reporter) const;
    int unused_number(const std::string &wanted, int number) const;
    std::string claim_folder(const std::string &wanted, const std::string &ending) const;
    std::string new_record_folder(const Reporter &reporter, const std::string &ending) const;
    std::string new_name_in_records(const std::string &stem, const std::string &ending) const;
    void choose_one(const ReportOptions &options, Format format);
    void claim_name(const Owner &owner, const std::string &out,
                    const std::vector<std::string> &others);

    const char *tool_name_;
    std::string out_; /* without ending; empty: default */
    std::string folder_;
    std::string records_; /* empty: beside the reports */
    bool is_stderr_ = false;
    std::vector<Format> formats_;

    /* Default stems that had another number: by what they would have been. Copies share them. */
    struct Chosen {
        std::mutex lock;
        std::map<std::string, std::string> stems;
    };
    std::shared_ptr<Chosen> chosen_ = std::make_shared<Chosen>();
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_REPORT_HPP_INCLUDED */
