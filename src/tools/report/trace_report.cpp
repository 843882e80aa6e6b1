/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "trace_report.hpp"

#include "../common/envelope.hpp"
#include "../common/text.hpp"
#include "../trace/definitions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace qmpi::report {
namespace {

constexpr double per_second = 1e-9;

/* Sums of the calls, by number of the function. */
class Calls : public trace::Sink {
  public:
    struct Sums {
        std::uint64_t calls = 0, time = 0;
    };

    void begin(std::int32_t rank, std::int32_t thread) override
    {
        rank_ = rank;
        thread_ = thread;
        open_.clear();
    }

    void enter(std::uint64_t time, std::uint32_t function, std::uint32_t site) override
    {
        sums_[function].calls++;
        open_.push_back({time, site});
    }

    void leave(std::uint64_t time, std::uint32_t function, bool has_ended) override
    {
        const Open call = open_.back();
        open_.pop_back();
        sums_[function].time += time - call.begin;
        if (!has_ended)
            in_progress_.push_back(
                {rank_, thread_, call.site, static_cast<double>(time - call.begin) * per_second});
    }

    void transfer(trace::Kind, std::uint64_t, std::uint32_t, const trace::Transfer &) override {}
    void end() override {}

    const std::map<std::uint32_t, Sums> &sums() const { return sums_; }
    const std::vector<trace::OpenCall> &in_progress() const { return in_progress_; }

  private:
    struct Open {
        std::uint64_t begin;
        std::uint32_t site;
    };

    std::map<std::uint32_t, Sums> sums_;
    std::int32_t rank_ = 0, thread_ = 0;
    std::vector<Open> open_;
    std::vector<trace::OpenCall> in_progress_;
};

/* A process that has a journal in use is running. */
Lives lives_of(const std::vector<trace::Recording> &recordings)
{
    std::map<int, Life> known;
    for (const trace::Recording &recording : recordings) {
        const Life life = recording.file->life(recording.process.is_marked);
        if (life == Life::running || known.count(recording.rank) == 0)
            known[recording.rank] = life;
    }
    Lives lives;
    for (const auto &[rank, life] : known)
        lives.add(rank, life);
    return lives;
}

class TraceReport : public Report {
  public:
    TraceReport(const std::vector<trace::Recording> &recordings,
                const trace::Definitions &definitions)
        : Report(lives_of(recordings)), threads_(recordings.size()),
          seconds_(static_cast<double>(definitions.end - definitions.begin) * per_second)
    {
        std::set<int> missing;
        for (const auto &[rank, process] : definitions.processes) {
            if (process.threads.empty())
                missing.insert(rank);
        }
        processes_ = definitions.processes.size() - missing.size();
        if (!definitions.processes.empty())
            program_ = definitions.processes.begin()->second.program;
        absent_ = missing.empty() ? "" : "journals of " + ranks_text(missing);

        Calls calls;
        for (const trace::Recording &recording : recordings)
            replay(recording, definitions, calls);
        for (const auto &[name, number] : definitions.functions) {
            const auto found = calls.sums().find(number);
            if (found != calls.sums().end())
                lines_.push_back({name, found->second.calls,
                                  static_cast<double>(found->second.time) * per_second});
        }
        std::stable_sort(lines_.begin(), lines_.end(),
                         [](const Line &a, const Line &b) { return a.seconds > b.seconds; });

        std::vector<const trace::Site *> sites;
        for (const auto &entry : definitions.sites)
            sites.push_back(&entry.first);
        for (const trace::OpenCall &call : calls.in_progress())
            in_progress_.emplace_back(call, *sites[call.site]);
    }

    std::string name() const override { return "trace"; }

    std::string content(Format format) const override
    {
        if (format == Format::html)
            throw std::runtime_error("use \"qmpi_report otf2 --keep --html\" for journals");
        return format == Format::json ? json() : text();
    }

    std::string csv() const override
    {
        std::string text = csv_heading;
        for (const Line &line : lines_)
            text += csv_line("trace", "function", line.name, "", line.calls, line.seconds, 0, 0);
        return text;
    }

    bool has_page() const override { return false; }

  private:
    struct Line {
        std::string name;
        std::uint64_t calls;
        double seconds;
    };

    std::string text() const
    {
        std::string text = "trace: " + number_of(processes_, "process", "es") + ", " +
            number_of(threads_, "thread") + print(", %.6f s", seconds_) + absent_text(absent_) +
            "\n";
        text += print("%-32s %12s %14s\n", "Function", "Calls", "Time (s)");
        for (const Line &line : lines_)
            text += print("%-32s %12s %14.6f\n", line.name.c_str(), grouped(line.calls).c_str(),
                          line.seconds);
        if (in_progress_.empty())
            return text;
        text += print("\nCalls in progress\n%s\n%8s %6s %-24s %14s  %s\n", trace::open_calls_note,
                      "Rank", "Thread", "Function", "Seconds", "Call site");
        for (const auto &[call, site] : in_progress_)
            text += print("%8d %6d %-24s %14.6f  %s\n", call.rank, call.thread,
                          site.function.c_str(), call.seconds, site.caller.c_str());
        return text;
    }

    std::string json() const
    {
        Introduction introduction; /* journals have no more of it */
        introduction.tool = "trace";
        introduction.program = program_;
        introduction.absent = absent_;
        introduction.instance = introduction.instances = introduction.tool_id = 0;
        auto document = envelope(introduction, "", static_cast<int>(processes_), false);
        document.update({{"threads", threads_}, {"duration_s", seconds_}});
        document["functions"] = nlohmann::json::array();
        for (const Line &line : lines_)
            document["functions"].push_back(
                {{"name", line.name}, {"calls", line.calls}, {"time_s", line.seconds}});
        document["current_calls"] = nlohmann::json::array();
        for (const auto &[call, site] : in_progress_)
            document["current_calls"].push_back({{"rank", call.rank},
                                                 {"thread", call.thread},
                                                 {"function", site.function},
                                                 {"site", site.caller},
                                                 {"time_s", call.seconds}});
        return json_text(document);
    }

    std::size_t processes_ = 0, threads_;
    double seconds_;
    std::string program_, absent_;
    std::vector<Line> lines_; /* by time */
    std::vector<std::pair<trace::OpenCall, trace::Site>> in_progress_;
};

}  // namespace

std::unique_ptr<Report> trace_report_of(const std::vector<std::string> &journals)
{
    std::vector<trace::Recording> recordings = trace::read_recordings(journals);
    trace::Definitions definitions(recordings);
    trace::extend_open_calls(recordings, definitions);
    return std::make_unique<TraceReport>(recordings, definitions);
}

}  // namespace qmpi::report
