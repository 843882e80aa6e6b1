/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "reports.hpp"

#include "trace_report.hpp"

#include "../common/record_report.hpp"
#include "../trace/finish.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <dlfcn.h>

namespace qmpi::report {
namespace {

/* ---- libraries of tools ---- */

/* As libmpi searches them: MPIR_CVAR_QMPI_TOOL_PATH, then mpich/tools beside libmpi. */
std::vector<std::string> folders_of_tools()
{
    std::vector<std::string> folders;
    const char *const path = std::getenv("MPIR_CVAR_QMPI_TOOL_PATH");
    std::istringstream words(path == nullptr ? "" : path);
    for (std::string folder; std::getline(words, folder, ':');) {
        if (!folder.empty())
            folders.push_back(folder);
    }
    Dl_info library;
    if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Init"), &library) != 0)
        folders.push_back(
            (std::filesystem::canonical(library.dli_fname).parent_path() / "mpich/tools").string());
    return folders;
}

/* A tool's name comes from a record, which anybody may have written. */
std::string library_of(const std::string &tool)
{
    std::string searched;
    for (const std::string &folder : folders_of_tools()) {
        for (const char *const prefix : {"/libqmpi_", "/lib"}) {
            const std::string file = folder + prefix + tool + ".so";
            if (tool.find('/') == std::string::npos && std::filesystem::exists(file))
                return file;
        }
        searched += (searched.empty() ? "" : ", ") + folder;
    }
    throw std::runtime_error("there is no libqmpi_" + tool + ".so or lib" + tool + ".so in " +
                             searched + "; name the folder in MPIR_CVAR_QMPI_TOOL_PATH");
}

/* Loading a tool registers it with libmpi, and nothing more until MPI is initialized. */
auto function_of(const std::string &tool)
{
    const std::string file = library_of(tool);
    void *const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw std::runtime_error(dlerror());
    void *const function = dlsym(library, report_function);
    if (function == nullptr)
        throw std::runtime_error(
            file + " has no function " + report_function +
            " (built without QMPI_REPORT, or with another version of the kit)");
    return reinterpret_cast<decltype(&qmpi_make_report_1)>(function);
}

class ToolReport : public Report {
  public:
    ToolReport(Introduction introduction, std::vector<std::string> records)
        : introduction_(std::move(introduction)), records_(std::move(records))
    {
    }

    std::string name() const override { return name_of(introduction_); }

    Forms make(const std::vector<const char *> &formats) const override
    {
        std::vector<const char *> records, wanted = formats;
        for (const std::string &record : records_)
            records.push_back(record.c_str());
        wanted.push_back(nullptr);
        Forms made;
        const ReportRequest request{
            introduction_.tool.c_str(),
            records.data(),
            records.size(),
            wanted.data(),
            [](void *context, const char *format, const char *content, std::size_t size) {
                (*static_cast<Forms *>(context))[format].assign(content, size);
            },
            &made};
        if (function()(&request) != 0)
            throw std::runtime_error(made[""]);
        return made;
    }

  private:
    decltype(&qmpi_make_report_1) function() const
    {
        try {
            return function_of(introduction_.tool);
        } catch (const std::exception &exception) {
            throw std::runtime_error("cannot report " + records_.front() + " of the tool " +
                                     introduction_.tool + ": " + exception.what());
        }
    }

    const Introduction introduction_;
    const std::vector<std::string> records_;
};

/* ---- loading ---- */

/* Records of several instances, and journals of one. */
class Loader {
  public:
    void add(const std::string &path)
    {
        for (const std::string &name : record_files_in(path))
            add_record(name);
        if (std::filesystem::is_directory(path) && !trace::journals_in(path).empty())
            journal_folders_.push_back(path);
    }

    /* By position in the chain. */
    std::vector<std::unique_ptr<Report>> reports()
    {
        std::vector<const Group *> groups;
        for (const auto &[key, group] : groups_)
            groups.push_back(&group);
        std::stable_sort(groups.begin(), groups.end(), [](const Group *a, const Group *b) {
            return a->introduction.tool_id < b->introduction.tool_id;
        });
        std::vector<std::unique_ptr<Report>> reports;
        for (const Group *const group : groups)
            reports.push_back(std::make_unique<ToolReport>(group->introduction, group->records));
        if (!journal_folders_.empty())
            reports.push_back(trace_report_of(trace::journals_in(journal_folders_)));
        return reports;
    }

  private:
    /* Of one instance in one run. */
    struct Group {
        Introduction introduction; /* of the first rank */
        std::vector<std::string> records;
    };

    void add_record(const std::string &name)
    {
        const FileContent file(name);
        if (!RecordView::has_begun(file.content()))
            return;
        try {
            const Introduction own = RecordView(file.content()).introduction();
            Group &group = groups_[{own.folder, own.tool, own.arguments}];
            if (group.records.empty() || own.rank < group.introduction.rank)
                group.introduction = own;
            group.records.push_back(name);
        } catch (const std::exception &exception) {
            std::fprintf(stderr, "qmpi_report: %s is left out: %s\n", name.c_str(),
                         exception.what());
        }
    }

    /* By folder, tool and arguments: numbers of an instance differ if tool lists do. */
    std::map<std::tuple<std::string, std::string, std::string>, Group> groups_;
    std::vector<std::string> journal_folders_;
};

}  // namespace

std::string Report::make(const char *format) const
{
    auto made = make(std::vector<const char *>{format});
    if (made.empty())
        throw std::runtime_error(name() + ": the tool has no report of this format");
    return std::move(made.begin()->second);
}

std::vector<std::unique_ptr<Report>> load(const std::vector<std::string> &paths)
{
    Loader loader;
    for (const std::string &path : paths)
        loader.add(path);
    auto reports = loader.reports();
    if (reports.empty())
        throw std::runtime_error(paths.front() + " has no records");
    return reports;
}

std::unique_ptr<Report> load_one(const std::vector<std::string> &paths)
{
    auto reports = load(paths);
    if (reports.size() == 1)
        return std::move(reports.front());
    std::string names;
    for (const auto &one : reports)
        names += (names.empty() ? "" : ", ") + one->name();
    throw std::runtime_error(paths.front() + " has " + std::to_string(reports.size()) +
                             " reports (" + names + "); name the records of one");
}

}  // namespace qmpi::report
