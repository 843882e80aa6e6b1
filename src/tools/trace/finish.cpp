/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "finish.hpp"

#include "chrome_output.hpp"
#include "definitions.hpp"
#include "otf2_output.hpp"
#include "overview.hpp"

#include "../common/merge.hpp"
#include "../common/report.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

#include <dirent.h>
#include <unistd.h>

namespace qmpi::trace {
namespace {

/* Processes that make a trace together, or one alone. */
class Team {
  public:
    explicit Team(MPI_Comm handle) : comm(handle)
    {
        if (comm != MPI_COMM_NULL) {
            QMPI_Comm_rank(comm, &rank);
            QMPI_Comm_size(comm, &size);
        }
    }

    template <typename State>
    bool merge(State &state) const
    {
        return comm == MPI_COMM_NULL || qmpi::merge_to_root(comm, state);
    }

    /* Broadcast from rank 0. */
    void share(std::string &text) const
    {
        if (comm == MPI_COMM_NULL)
            return;
        const auto broadcast = [this](void *data, std::size_t size) {
            await([=](MPI_Request *request) {
                return QMPI_Ibcast(data, static_cast<int>(size), MPI_BYTE, 0, comm, request);
            });
        };
        constexpr std::size_t largest_piece = std::size_t{1} << 30;
        std::uint64_t length = text.size();
        broadcast(&length, sizeof length);
        text.resize(length);
        for (std::size_t done = 0; done < length; done += largest_piece)
            broadcast(text.data() + done, std::min(largest_piece, length - done));
    }

    /* Reason of the lowest rank that has one. */
    std::string first(std::string reason) const
    {
        struct Reason {
            std::string text;
            void write(qmpi::Writer &writer) const { writer.put(text); }
            void merge(qmpi::Reader &reader)
            {
                const auto other = reader.get<std::string>();
                if (text.empty())
                    text = other;
            }
        } state{std::move(reason)};
        if (!merge(state) && state.text.empty())
            state.text = "merging failed: an MPI call returned an error";
        share(state.text);
        return state.text;
    }

    MPI_Comm comm;
    int rank = 0, size = 1;
};

/* Runs work; returns the text of its exception. */
template <typename Work>
std::string attempt(Work work)
{
    try {
        return work();
    } catch (const std::exception &exception) {
        return exception.what();
    }
}

/* In the folder of the reports, which all hosts see. */
std::string part_of(const std::string &stem, int number)
{
    return stem + "." + std::to_string(number) + ".json~";
}

std::string write_json(const Team &team, const std::string &stem, const Definitions &definitions,
                       const std::vector<Recording> &recordings)
{
    std::string reason = team.first(attempt(
        [&] { return write_chrome_events(part_of(stem, team.rank), definitions, recordings); }));
    if (team.rank == 0 && reason.empty()) {
        std::vector<std::string> parts;
        parts.reserve(static_cast<std::size_t>(team.size));
        for (int i = 0; i < team.size; i++)
            parts.push_back(part_of(stem, i));
        reason = attempt([&] { return join_chrome_events(stem + ".json", parts, definitions); });
    }
    reason = team.first(reason);
    unlink(part_of(stem, team.rank).c_str());
    return reason;
}

std::string write_html(const Team &team, const std::string &stem, const Definitions &definitions,
                       const std::vector<Recording> &recordings)
{
    Overview overview(definitions);
    const std::string fault = team.first(attempt([&] {
        for (const Recording &recording : recordings)
            replay(recording, definitions, overview);
        return std::string();
    }));
    if (!fault.empty())
        return fault;
    if (!team.merge(overview))
        return "merging failed: an MPI call returned an error";
    if (team.rank != 0)
        return "";
    const std::string name = stem + ".html";
    const std::string reason = qmpi::write_file(name, overview.html());
    return reason.empty() ? "" : "cannot write " + name + ": " + reason;
}

/* keeps_journals becomes true if one is damaged, since not all of it is in the trace. */
std::string write_all(const Team &team, const std::vector<std::string> &journals,
                      const std::string &stem, const Formats &formats, bool &keeps_journals)
{
    std::vector<Recording> recordings;
    Definitions definitions;
    std::string reason = team.first(attempt([&] {
        recordings = read_recordings(journals);
        for (const Recording &recording : recordings)
            keeps_journals |= recording.is_damaged;
        definitions = Definitions(recordings);
        if (team.comm == MPI_COMM_NULL)
            extend_open_calls(recordings, definitions);
        return std::string();
    }));
    if (!reason.empty())
        return reason;
    if (!team.merge(definitions))
        return "merging failed: an MPI call returned an error";
    qmpi::Writer writer;
    if (team.rank == 0) {
        definitions.add_missing();
        definitions.write(writer);
    }
    std::string all = writer.take();
    team.share(all);
    reason = team.first(attempt([&] {
        if (team.rank != 0) {
            definitions = Definitions();
            qmpi::Reader reader(all);
            definitions.merge(reader);
        }
        return std::string();
    }));
    if (!reason.empty())
        return reason;

    if (definitions.processes.empty())
        return ""; /* no process could write a journal, and one has said why */
    auto add = [&](std::string other) {
        other = team.first(std::move(other));
        if (reason.empty())
            reason = other;
    };
    if (formats.otf2)
        add(attempt(
            [&] { return write_otf2(team.comm, stem + ".otf2", definitions, recordings); }));
    if (formats.json)
        add(write_json(team, stem, definitions, recordings));
    if (formats.html)
        add(attempt([&] { return write_html(team, stem, definitions, recordings); }));
    return reason;
}

}  // namespace

std::vector<std::string> journals_in(const std::string &folder)
{
    DIR *const directory = opendir(folder.c_str());
    if (directory == nullptr)
        throw std::runtime_error("cannot read " + folder + ": " + std::strerror(errno));
    /* By rank and thread. */
    std::vector<std::pair<std::pair<int, int>, std::string>> found;
    while (const dirent *entry = readdir(directory)) {
        int rank = 0, thread = 0, length = 0;
        if (std::sscanf(entry->d_name, "%d.%d.journal%n", &rank, &thread, &length) == 2 &&
            length > 0 && entry->d_name[length] == '\0')
            found.push_back({{rank, thread}, folder + "/" + entry->d_name});
    }
    closedir(directory);
    std::sort(found.begin(), found.end());
    std::vector<std::string> paths;
    paths.reserve(found.size());
    for (auto &entry : found)
        paths.push_back(std::move(entry.second));
    return paths;
}

std::vector<std::string> journals_in(const std::vector<std::string> &folders)
{
    std::map<std::string, std::string> by_name;
    std::vector<std::string> all;
    for (const std::string &folder : folders) {
        for (const std::string &path : journals_in(folder)) {
            const auto [other, is_new] =
                by_name.try_emplace(path.substr(path.rfind('/') + 1), path);
            if (!is_new)
                throw std::runtime_error(other->second + " and " + path + " are of different runs");
            all.push_back(path);
        }
    }
    return all;
}

std::string finish(MPI_Comm comm, const std::vector<std::string> &journals, const std::string &stem,
                   const Formats &formats, bool keeps_journals)
{
    const Team team(comm);
    const std::string reason = write_all(team, journals, stem, formats, keeps_journals);
    if (reason.empty() && !keeps_journals) {
        for (const std::string &journal : journals)
            unlink(journal.c_str());
    }
    team.first("");
    if (reason.empty() && !keeps_journals) {
        for (const std::string &journal : journals)
            rmdir(journal.substr(0, journal.rfind('/')).c_str());
    }
    return reason;
}

}  // namespace qmpi::trace
