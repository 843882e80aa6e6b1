/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "sentinel.hpp"

#include "../common/process.hpp"
#include "../common/quiet_thread.hpp"
#include "../common/record.hpp"
#include "../common/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qmpi::watch {
namespace {

namespace fs = std::filesystem;

/* Calls that return when other ranks of the job have called something. Files, other jobs and the process
 * manager may take their time. */
bool waits_for_ranks(int function)
{
    constexpr function_set others = set::io | set::environment;
    if ((form_of(function) != form::blocking && form_of(function) != form::end) ||
        others.contains(function))
        return false;
    switch (operation_of(function)) {
    case operation::initialize:
    case operation::finalize:
        return false;
    case operation::receive:
    case operation::probe:
    case operation::send:
    case operation::sendrecv:
    case operation::wait:
        return true;
    default:
        return is_collective(function) || set::rma.contains(function);
    }
}

/* Functions by which a job meets processes that are not in its MPI_COMM_WORLD. */
constexpr MPI_Functions_enum meeting[] = {MPI_COMM_SPAWN_T,  MPI_COMM_SPAWN_MULTIPLE_T,
                                          MPI_COMM_ACCEPT_T, MPI_COMM_CONNECT_T,
                                          MPI_COMM_JOIN_T,   MPI_SESSION_INIT_T};

/* Processor time by thread, in ticks */
using Times = std::map<std::uint64_t, std::uint64_t>;

Times times_of_threads(int process)
{
    Times times;
    std::error_code fault;
    for (const auto &entry :
         fs::directory_iterator("/proc/" + std::to_string(process) + "/task", fault)) {
        const std::string stat = stat_text(entry.path());
        times[std::strtoull(entry.path().filename().c_str(), nullptr, 10)] =
            stat_field(stat, 14) + stat_field(stat, 15);
    }
    return times;
}

/* Numbers of calls by thread, and 0 of a rank that is killed or stopped: they stay the same while the
 * rank stands still. */
using Calls = std::map<std::uint64_t, std::uint64_t>;

/* Of a rank that cannot go on by itself; nullopt of others. A thread that has called MPI and is outside
 * now may do what others wait for. */
std::optional<Calls> calls_in_progress(const State &state, bool is_alive, const Times &threads)
{
    const std::string stat = stat_text("/proc/" + std::to_string(state.process.id));
    if (!is_alive || stat.empty() || stat.front() == 'T')
        return Calls{{0, 0}};
    if (stat.front() == 't') /* a debugger */
        return std::nullopt;
    Calls found;
    for (const Thread &thread : state.threads) {
        const std::uint64_t calls = thread.calls.get();
        if (calls == 0 || threads.count(thread.thread.get()) == 0)
            continue;
        const Call &last = thread.ring[(calls - 1) % last_calls];
        const std::uint64_t function = last.function.get();
        if (last.end.get() != 0 || function == 0 || function > MPI_LAST_FUNC_T ||
            !waits_for_ranks(static_cast<int>(function) - 1))
            return std::nullopt;
        found[thread.thread.get()] = calls;
    }
    return found.empty() ? std::nullopt : std::optional(found);
}

bool has_met_others(const State &state)
{
    return std::any_of(std::begin(meeting), std::end(meeting), [&](int function) {
        return std::any_of(state.counts.begin(), state.counts.end(), [=](const Counts &counts) {
            return counts[static_cast<std::size_t>(function)].load(std::memory_order_relaxed) > 0;
        });
    });
}

struct Rank {
    Calls calls;
    Times times;
};

/* All ranks at one moment, none of which can go on by itself. */
using Picture = std::map<int, Rank>;

/* Adds the rank; false if it can go on, or has met another job. */
bool add(const State &state, bool is_alive, Picture &picture)
{
    const Times times = times_of_threads(state.process.id);
    const auto calls = calls_in_progress(state, is_alive, times);
    if (!calls || has_met_others(state))
        return false;
    picture[state.process.rank] = {*calls, times};
    return true;
}

/* nullopt if some rank can go on, has no record here, or has met another job. */
std::optional<Picture> picture_of(const std::string &own_path, const State &own)
{
    Picture picture;
    if (!add(own, true, picture))
        return std::nullopt;
    picture[own.process.rank].times.erase(
        static_cast<std::uint64_t>(syscall(SYS_gettid))); /* this thread */
    for (const std::string &path : record_files_in(fs::path(own_path).parent_path())) {
        if (path == own_path) /* closing it would end the mark of a running process */
            continue;
        const FileContent file(path);
        const RecordView view(file.content());
        if (view.introduction().tool != "watch" || view.introduction().instance != 1)
            continue;
        const State *const state = state_in(view);
        if (state != nullptr && std::string_view(state->process.world) == own.process.world &&
            !add(*state, file.life(view.is_marked()) != Life::ended, picture))
            return std::nullopt;
    }
    return static_cast<int>(picture.size()) == own.process.size ? std::optional(picture)
                                                                : std::nullopt;
}

/* True if no call has ended, and no thread outside MPI has computed: at most a hundredth of the time,
 * since libraries have threads that look after things. */
bool is_same(const Picture &before, const Picture &after, double seconds)
{
    const double ticks = std::max(1.0, 0.01 * seconds * static_cast<double>(sysconf(_SC_CLK_TCK)));
    return std::equal(
        before.begin(), before.end(), after.begin(), after.end(),
        [=](const auto &a, const auto &b) {
            return a.first == b.first && a.second.calls == b.second.calls &&
                std::all_of(b.second.times.begin(), b.second.times.end(), [&](const auto &time) {
                       const auto earlier = a.second.times.find(time.first);
                       return b.second.calls.count(time.first) > 0 ||
                           (earlier != a.second.times.end() &&
                            static_cast<double>(time.second - earlier->second) <= ticks);
                   });
        });
}

/* qmpi_report of the installation that this tool belongs to; empty if it is not there. */
std::string report_program()
{
    Dl_info own{};
    if (dladdr(reinterpret_cast<void *>(report_program), &own) == 0)
        return "";
    const fs::path program =
        fs::path(own.dli_fname).parent_path() / "../../../bin/qmpi_report"; /* lib/mpich/tools */
    return access(program.c_str(), X_OK) == 0 ? program.lexically_normal().string() : "";
}

/* What "qmpi_report where" says of this job; empty if it cannot. */
std::string whereabouts()
{
    const std::string program = report_program();
    if (program.empty() || program.find('\'') != std::string::npos)
        return "";
    const std::string command =
        "env -u LD_PRELOAD '" + program + "' where " + std::to_string(getpid()) + " 2> /dev/null";
    std::FILE *const output = popen(command.c_str(), "re");
    if (output == nullptr)
        return "";
    std::string text;
    char part[4096];
    for (std::size_t size; (size = std::fread(part, 1, sizeof part, output)) > 0;)
        text.append(part, size);
    pclose(output);
    return text;
}

}  // namespace

Sentinel::Sentinel(HangOption option, std::string path, const State &own)
    : option_(option), path_(std::move(path)), own_(own), thread_(quiet_thread([this] { watch(); }))
{
}

Sentinel::~Sentinel()
{
    {
        const std::lock_guard<std::mutex> guard(lock_);
        has_ended_ = true;
    }
    ends_.notify_all();
    if (thread_.get_id() == std::this_thread::get_id()) /* in MPI_Abort */
        thread_.detach();
    else
        thread_.join();
}

/* False if the thread must end. */
bool Sentinel::sleep_for(std::chrono::duration<double> time)
{
    std::unique_lock<std::mutex> guard(lock_);
    return !ends_.wait_for(guard, time, [this] { return has_ended_; });
}

void Sentinel::watch()
{
    const std::chrono::duration<double> interval = option_.time / 10;
    std::optional<Picture> first;
    double seconds = 0, next = 0; /* of standstill: so far, and when to report */
    for (std::uint64_t time = now(); sleep_for(interval);) {
        /* Not the time for which this process was stopped itself. */
        seconds += std::min(static_cast<double>(now() - time) * 1e-9, 2 * interval.count());
        time = now();
        std::optional<Picture> picture;
        try {
            picture = picture_of(path_, own_);
        } catch (const std::exception &) { /* a rank ends, or there is no memory */
        }
        if (!picture || !first || !is_same(*first, *picture, seconds)) {
            first = std::move(picture);
            seconds = 0;
            next = option_.time.count();
        } else if (seconds >= next) {
            report(seconds);
            next = 2 * seconds;
            if (option_.aborts) {
                await_stderr();
                MPI_Abort(MPI_COMM_WORLD, option_.status);
            }
        }
    }
}

void Sentinel::report(double seconds) const
{
    const std::string where = whereabouts();
    std::fprintf(stderr, "QMPI tool watch: the job hangs: no rank has gone on for %.0f s%s\n%s",
                 seconds, where.empty() ? "" : ":", where.c_str());
}

}  // namespace qmpi::watch

namespace qmpi {
inline namespace v1 {

watch::HangOption option_type<watch::HangOption>::read(const std::string &text)
{
    watch::HangOption option;
    std::size_t end = std::min(text.find(':'), text.size());
    option.time = option_type<std::chrono::duration<double>>::read(text.substr(0, end));
    if (option.time.count() < 1)
        throw argument_error("must be at least 1s");
    while (end < text.size()) {
        const std::size_t begin = end + 1;
        end = std::min(text.find(':', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        option.aborts = true;
        if (word.rfind("status=", 0) == 0)
            option.status = arguments::number<int>(word.substr(7));
        else if (word != "abort")
            throw argument_error("after the time come :abort or :status=N");
    }
    return option;
}

}  // namespace v1
}  // namespace qmpi
