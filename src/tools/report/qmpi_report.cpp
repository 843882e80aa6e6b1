/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes reports from the records of a job that has not ended, or not with MPI_Finalize, and compares
 * reports. See qmpi_report(1). */

#include "compare.hpp"
#include "reports.hpp"
#include "where.hpp"

#include "../common/report.hpp"
#include "../common/text.hpp"
#include "../trace/definitions.hpp"
#include "../trace/finish.hpp"
#include "../trace/journal.hpp"
#include "../trace/otf2_output.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace qmpi;

using Paths = std::vector<std::string>;

/* To the file, or to standard output. */
void put(const std::string &text, const std::string &file)
{
    if (file.empty()) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return;
    }
    const std::string reason = write_file(file, text);
    if (!reason.empty())
        throw std::runtime_error("cannot write " + file + ": " + reason);
}

/* One that cannot be made does not keep the others back. */
int show(const Paths &paths)
{
    int status = 0;
    for (const auto &one : report::load(paths)) {
        try {
            put(one->make("text"), "");
        } catch (const std::exception &exception) {
            std::fprintf(stderr, "qmpi_report: %s\n", exception.what());
            status = 2;
        }
    }
    return status;
}

void make(const Paths &paths, const char *format, const std::string &file)
{
    put(report::load_one(paths)->make(format), file);
}

/* All formats that the tool has, except CSV. */
void merge(const Paths &paths, const std::string &stem)
{
    for (const auto &[format, content] : report::load_one(paths)->make({"text", "json", "html"}))
        put(content, stem + "." + (format == "text" ? "txt" : format));
}

int compare(const std::string &before, const std::string &after, const report::Thresholds &limits)
{
    const std::string text =
        report::differences(report::numbers_of(before), report::numbers_of(after), limits);
    put(text, "");
    return text.empty() ? 0 : 1;
}

std::string stem_of(std::string folder)
{
    while (folder.size() > 1 && folder.back() == '/')
        folder.pop_back();
    const std::string ending = trace::folder_of("");
    return ends_in(folder, ending) ? folder.substr(0, folder.size() - ending.size())
                                   : folder + ".trace";
}

Life life_of(const std::string &path)
{
    trace::JournalFile journal(path);
    trace::Recording recording;
    recording.process.is_marked = true; /* of an empty journal */
    journal.read([&recording](const trace::Head &head, std::string_view content) {
        if (head.what() == trace::Kind::process)
            trace::read_process(head, content, recording);
    });
    return journal.life(recording.process.is_marked);
}

/* Makes a trace from journals. */
void finish_trace(const Paths &folders, const std::string &stem, trace::Formats formats, bool keeps)
{
    const std::vector<std::string> journals = trace::journals_in(folders);
    if (journals.empty())
        throw std::runtime_error(folders.front() + " has no journals");
    if (!keeps) {
        std::set<Life> lives;
        for (const std::string &journal : journals)
            lives.insert(life_of(journal));
        keeps = lives != std::set<Life>{Life::ended};
        if (keeps)
            std::fprintf(stderr, "qmpi_report: the program %s; the journals stay\n",
                         lives.count(Life::running) > 0
                             ? "is still running"
                             : "may still be running (the file system has no locks)");
    }
    if (!formats.otf2 && !formats.json && !formats.html)
        formats = {trace::has_otf2, !trace::has_otf2, true};
    const std::string reason = trace::finish(
        MPI_COMM_NULL, journals, stem.empty() ? stem_of(folders.front()) : stem, formats, keeps);
    if (!reason.empty())
        throw std::runtime_error(reason);
}

}  // namespace

int main(int argc, char **argv)
{
    CLI::App app(
        "Makes reports from the records that a job has left (NAME.records, "
        "NAME.unfinished), and compares reports.");
    app.require_subcommand(1);
    Paths paths;
    std::string output, before, after;
    report::Thresholds limits;
    trace::Formats formats{false, false, false};
    bool keeps = false;
    int status = 0;

    auto command = [&](const char *name, const char *text, auto run) {
        CLI::App *const sub = app.add_subcommand(name, text);
        sub->add_option("RECORDS", paths, "folders with records, or record files")->required();
        sub->callback(run);
        return sub;
    };
    auto to_file = [&](CLI::App *sub) {
        sub->add_option("-o,--output", output, "file (default: standard output)");
    };
    command("show", "print the reports as text", [&] { status = show(paths); });
    to_file(command("json", "make a report in JSON", [&] { make(paths, "json", output); }));
    to_file(command("html", "make a report as a page", [&] { make(paths, "html", output); }));
    to_file(command("csv",
                    "make a table of functions and call sites, pairs of processes, or findings",
                    [&] { make(paths, "csv", output); }));
    command("merge", "make one report of all records, in all formats of the tool",
            [&] { merge(paths, output); })
        ->add_option("-o,--output", output, "name of the files without ending")
        ->required();

    CLI::App *const diff = app.add_subcommand(
        "diff", "compare two runs by function and call site; the status is 1 if they differ");
    diff->add_option("BEFORE", before, "records or JSON report of profile or count")->required();
    diff->add_option("AFTER", after, "records or JSON report of profile or count")->required();
    diff->add_option("--calls", limits.calls, "percent that calls may differ (default: 0)");
    diff->add_option("--bytes", limits.bytes, "percent that bytes may differ (default: 0)");
    diff->add_option("--time", limits.time, "percent that times may differ (default: any)");
    diff->add_option("--seconds", limits.seconds,
                     "differences of time below this do not count (default: 0)");
    diff->callback([&] { status = compare(before, after, limits); });

    CLI::App *const otf2 =
        app.add_subcommand("otf2", "make a trace from journals (NAME.unfinished), and remove them");
    otf2->add_option("JOURNALS", paths, "folders")->required();
    otf2->add_option("-o,--output", output, "name of the files without ending (default: NAME)");
    otf2->add_flag("--otf2", formats.otf2, "make NAME.otf2 (default, with NAME.html)");
    otf2->add_flag("--json", formats.json, "make NAME.json, for Perfetto");
    otf2->add_flag("--html", formats.html, "make NAME.html");
    otf2->add_flag("--keep", keeps, "keep the journals");
    otf2->callback([&] { finish_trace(paths, output, formats, keeps); });

    CLI::App *const where = app.add_subcommand(
        "where", "say where the ranks of a job with the tool watch are, and what they wait for");
    where->add_option("JOB", paths, "number of a process of the job, or records")->required();
    report::WhereOptions places;
    where->add_flag("--json", places.as_json, "facts of all ranks in JSON");
    where->add_flag("--stack", places.with_stacks,
                    "read stacks: where ranks outside MPI are, and jobs without the tool");
    where->callback([&] { put(report::where(paths, places), ""); });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "qmpi_report: %s\n", exception.what());
        return 2;
    }
    return status;
}
