/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "record_report.hpp"

#include "process.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <dlfcn.h>

namespace qmpi {
inline namespace v1 {
namespace {

/* Of this library. */
std::map<std::string, MakeReport> &reports()
{
    static std::map<std::string, MakeReport> reports;
    return reports;
}

const char *name_of(Life life)
{
    return life == Life::running ? "running" : life == Life::ended ? "ended" : "unknown";
}

const char *text_of(Life life)
{
    return life == Life::running ? "still running"
        : life == Life::ended    ? "ended without MPI_Finalize"
                                 : "perhaps still running (the file system has no locks)";
}

}  // namespace

/* ---- Lives ---- */

std::string Lives::add_to(const std::string &report, const std::string &name, Format format) const
{
    std::string text, json;
    for (const auto &[life, ranks] : ranks_) {
        text += (text.empty() ? "" : "; ") + std::string(text_of(life)) +
            (ranks_.size() == 1 ? "" : ": " + ranks_text(ranks));
        json += (json.empty() ? "" : ",") + print("\n  \"%s\": [", name_of(life));
        for (const int rank : ranks)
            json += (rank == *ranks.begin() ? "" : ", ") + std::to_string(rank);
        json += "]";
    }
    if (format == Format::text)
        return name + ", from records at " + local_time() + ": " + text + "\n" + report;
    if (format != Format::json)
        return report;
    return report.substr(0, report.rfind("\n}")) + ",\n \"records\": {" + json + "\n }\n}\n";
}

/* ---- Records ---- */

Records::Records(const std::vector<std::string> &paths)
{
    for (const std::string &path : paths) {
        files_.push_back(std::make_unique<FileContent>(path));
        const RecordView view(files_.back()->content());
        parts_.push_back({view.introduction(), view, files_.back()->life(view.is_marked()), path});
    }
    std::sort(parts_.begin(), parts_.end(), [](const Part &a, const Part &b) {
        return a.introduction.rank < b.introduction.rank;
    });
    const auto same =
        std::adjacent_find(parts_.begin(), parts_.end(), [](const Part &a, const Part &b) {
            return a.introduction.rank == b.introduction.rank ||
                a.introduction.size != b.introduction.size;
        });
    if (same != parts_.end())
        throw std::runtime_error(same->path + " and " + std::next(same)->path +
                                 " are of different runs");
}

void Records::each(const std::function<void(const Part &)> &read)
{
    const std::string first = parts_.front().path;
    const auto is_damaged = [&](const Part &part) {
        try {
            read(part);
            return false;
        } catch (const std::exception &exception) {
            std::fprintf(stderr, "qmpi_report: %s is left out: %s\n", part.path.c_str(),
                         exception.what());
            return true;
        }
    };
    parts_.erase(std::remove_if(parts_.begin(), parts_.end(), is_damaged), parts_.end());
    if (parts_.empty())
        throw std::runtime_error("none of the records can be read; the first is " + first);
}

Introduction Records::introduction() const
{
    Introduction whole = parts_.front().introduction;
    std::set<int> ranks, incomplete, missing;
    for (const Part &part : parts_) {
        ranks.insert(part.introduction.rank);
        if (part.view.is_incomplete())
            incomplete.insert(part.introduction.rank);
    }
    for (int rank = 0; rank < whole.size; rank++) {
        if (whole.has_world() && ranks.count(rank) == 0)
            missing.insert(rank);
    }
    if (!missing.empty())
        whole.absent = "records of " + ranks_text(missing) +
            (whole.absent.empty() ? "" : " (of these without the tool: " + whole.absent + ")");
    if (!incomplete.empty())
        whole.absent += std::string(whole.absent.empty() ? "" : "; ") + "later entries" +
            (whole.has_world() ? " of " + ranks_text(incomplete) : "") + " (no room in the record)";
    return whole;
}

bool Records::is_alone() const
{
    const Introduction &first = parts_.front().introduction;
    return parts_.size() == 1 && (first.size > 1 || !first.has_world());
}

Lives Records::lives() const
{
    Lives lives;
    for (const Part &part : parts_)
        lives.add(part.introduction.rank, part.life);
    return lives;
}

std::string name_of(const Introduction &introduction)
{
    return introduction.tool + ", " +
        instance_text(introduction.instance, introduction.instances, introduction.tool_id);
}

/* ---- for qmpi_report ---- */

bool add_report(const char *tool, MakeReport make)
{
    return reports().emplace(tool, make).second;
}

bool has_report(const std::string &tool)
{
    return reports().count(tool) > 0;
}

/* libmpi searches mpich/tools by itself. The reports of tools for the MPI ABI are those of mpich/tools. */
std::string variables_of_qmpi_report()
{
    Dl_info own;
    if (dladdr(reinterpret_cast<void *>(variables_of_qmpi_report), &own) == 0)
        return "";
    std::error_code fault;
    const std::string folder = std::filesystem::absolute(own.dli_fname, fault).parent_path();
    return ends_in(folder, "/mpich/tools") || ends_in(folder, "/mpich/tools_abi")
        ? ""
        : "MPIR_CVAR_QMPI_TOOL_PATH=" + folder + " ";
}

int qmpi_make_report_1(const ReportRequest *request)
{
    auto put = [request](const char *format, const std::string &content) {
        request->put(request->context, format, content.data(), content.size());
    };
    try {
        const auto make = reports().find(request->tool);
        if (make == reports().end())
            throw std::runtime_error(std::string(request->records[0]) + " is of the tool " +
                                     request->tool + ", whose library has no report of it");
        Records records({request->records, request->records + request->number});
        const auto report = make->second(records);
        const std::string name = name_of(records.introduction());
        for (const char *const *format = request->formats; *format != nullptr; format++) {
            const Format one = format_of(*format);
            if (report->has(one))
                put(*format, records.lives().add_to(report->make(one), name, one));
        }
        return 0;
    } catch (const std::exception &exception) {
        put("", exception.what());
        return 1;
    }
}

}  // namespace v1
}  // namespace qmpi
