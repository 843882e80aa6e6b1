/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Shows, wakes and puts to sleep instances of the tools of a running job. See qmpi_ctl(1). */

#include "endpoint.hpp"

#include "../common/process.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <signal.h>
#include <unistd.h>

namespace {

using namespace qmpi::control;

bool belongs_to(pid_t process, pid_t job)
{
    while (process > 1 && process != job)
        process = static_cast<pid_t>(qmpi::stat_field(process, 4));
    return process == job;
}

struct Instance {
    std::string state, description;

    bool operator<(const Instance &other) const
    {
        return std::tie(description, state) < std::tie(other.description, other.state);
    }
};

/* A process of the job. */
struct Process {
    pid_t id;
    std::string path; /* of its socket */
    int rank = -1;
    std::string host, program;
    std::map<int, Instance> instances; /* by tool id */

    std::string name() const
    {
        return rank >= 0 ? "rank " + std::to_string(rank) : "process " + std::to_string(id);
    }
};

/* The lines of the answer; empty if the process does not answer. */
std::vector<std::string> ask(const Process &process, const std::string &request)
{
    const Descriptor peer = connect_to(process.path);
    if (!peer || !send_text(peer, request + "\n"))
        return {};
    std::vector<std::string> lines;
    std::istringstream text(receive_text(peer, '\0', 1 << 24));
    for (std::string line; std::getline(text, line);) {
        if (line == ".")
            return lines;
        lines.push_back(line);
    }
    return {};
}

bool read_status(Process &process)
{
    const std::vector<std::string> lines = ask(process, "status");
    if (lines.empty())
        return false;
    std::istringstream head(lines.front());
    head >> process.rank >> process.host >> std::ws;
    std::getline(head, process.program);
    for (std::size_t i = 1; i < lines.size(); i++) {
        std::istringstream line(lines[i]);
        int tool_id = 0;
        Instance instance;
        line >> tool_id >> instance.state >> std::ws;
        std::getline(line, instance.description);
        process.instances[tool_id] = instance;
    }
    return true;
}

/* Processes of the job on this host that have the tool. */
std::vector<Process> processes_of(pid_t job)
{
    std::vector<Process> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder())) {
        const pid_t id = std::atoi(entry.path().filename().c_str());
        if (id <= 0)
            continue;
        if (kill(id, 0) != 0 && errno == ESRCH)
            unlink(entry.path().c_str()); /* was killed */
        else if (belongs_to(id, job))
            found.push_back({id, entry.path(), -1, "", "", {}});
    }
    return found;
}

std::string list_of(const std::vector<const Process *> &processes, std::size_t all)
{
    if (processes.size() == all)
        return all == 1 ? processes.front()->name() : "all " + std::to_string(all) + " processes";
    std::string text;
    for (const Process *process : processes)
        text += (text.empty() ? "" : ", ") + process->name();
    return text;
}

/* One line for each instance and state, with the processes that have it so. */
void show(const std::vector<Process> &processes)
{
    std::map<std::pair<int, Instance>, std::vector<const Process *>> groups;
    for (const Process &process : processes) {
        for (const auto &[tool_id, instance] : process.instances)
            groups[{tool_id, instance}].push_back(&process);
    }
    for (const auto &[key, members] : groups) {
        const auto &[tool_id, instance] = key;
        std::printf("%3d  %-7s %-24s %s\n", tool_id,
                    instance.state == "fixed" ? "awake*" : instance.state.c_str(),
                    instance.description.c_str(), list_of(members, processes.size()).c_str());
    }
    std::printf("(* cannot sleep)\n");
}

std::string tool_of(const std::string &description)
{
    return description.substr(0, description.find('('));
}

/* Tool ids in the process that the words name, by id or tool; without words those that can sleep. */
std::vector<int> chosen(const Process &process, const std::vector<std::string> &words)
{
    std::vector<int> ids;
    for (const auto &[tool_id, instance] : process.instances) {
        const bool is_named =
            std::count(words.begin(), words.end(), std::to_string(tool_id)) != 0 ||
            std::count(words.begin(), words.end(), tool_of(instance.description)) != 0;
        if (words.empty() ? instance.state != "fixed" : is_named)
            ids.push_back(tool_id);
    }
    return ids;
}

/* False if an instance is not there, or cannot sleep. */
bool change(const std::vector<Process> &processes, const std::string &verb,
            const std::vector<std::string> &words)
{
    bool is_good = true;
    std::size_t number = 0;
    for (const Process &process : processes) {
        for (const int tool_id : chosen(process, words)) {
            number++;
            if (ask(process, verb + " " + std::to_string(tool_id)) ==
                std::vector<std::string>{"done"})
                continue;
            std::fprintf(stderr, "qmpi_ctl: %s: instance %d, %s, cannot sleep\n",
                         process.name().c_str(), tool_id,
                         process.instances.at(tool_id).description.c_str());
            is_good = false;
        }
    }
    if (number == 0)
        throw std::runtime_error(words.empty() ? "no instance of the job can sleep"
                                               : "the job has no such instance");
    return is_good;
}

int run(pid_t job, const std::string &verb, const std::vector<std::string> &words)
{
    std::vector<Process> processes;
    int status = 0;
    for (Process &process : processes_of(job)) {
        if (read_status(process)) {
            processes.push_back(process);
        } else {
            std::fprintf(stderr, "qmpi_ctl: process %d does not answer\n", process.id);
            status = 1;
        }
    }
    if (processes.empty() && status == 0)
        throw std::runtime_error("no process of job " + std::to_string(job) +
                                 " on this host has the tool 'control'");
    std::sort(processes.begin(), processes.end(), [](const Process &a, const Process &b) {
        return std::tie(a.rank, a.id) < std::tie(b.rank, b.id);
    });
    if (verb == "status")
        show(processes);
    else if (!processes.empty() && !change(processes, verb, words))
        status = 1;
    return status;
}

}  // namespace

int main(int argc, char **argv)
{
    CLI::App app(
        "Shows the tools of a running job, wakes them, and lets them sleep. The processes need the "
        "tool "
        "'control' in their list.");
    int job = 0;
    std::string verb;
    std::vector<std::string> instances;
    app.add_option("JOB", job, "process id of mpiexec or of a process of the job")
        ->required()
        ->check(CLI::PositiveNumber);
    app.add_option("COMMAND", verb, "status, wake or sleep")
        ->required()
        ->check(CLI::IsMember({"status", "wake", "sleep"}));
    app.add_option("INSTANCE", instances,
                   "for wake and sleep: ids or tool names (default: all that can sleep)");
    try {
        app.parse(argc, argv);
        return run(job, verb, instances);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "qmpi_ctl: %s\n", exception.what());
        return 2;
    }
}
