/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "trace_report.hpp"

#include "../common/envelope.hpp"
#include "../common/process.hpp"
#include "../common/record_report.hpp"
#include "../common/table.hpp"
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
        : lives_(lives_of(recordings)), threads_(recordings.size()),
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

    Forms make(const std::vector<const char *> &formats) const override
    {
        Forms made;
        for (const char *const name : formats) {
            const Format format = format_of(name);
            if (format != Format::html)
                made[name] = lives_.add_to(format == Format::json      ? json()
                                               : format == Format::csv ? csv()
                                                                       : text(),
                                           this->name(), format);
        }
        if (made.empty())
            throw std::runtime_error("use \"qmpi_report otf2 --keep --html\" for journals");
        return made;
    }

  private:
    struct Line {
        std::string name;
        std::uint64_t calls;
        double seconds;
    };

    Table functions() const
    {
        Table table("Functions",
                    {{"Function", Unit::text, "name", {"", 32}},
                     {"", Unit::number, "calls"},
                     {"", Unit::number, "", {"Calls", 12}},
                     {"", Unit::seconds, "time_s", {"Time (s)", 14, 6}}});
        for (const Line &line : lines_)
            table.add({line.name, line.calls, grouped(line.calls), line.seconds});
        return table;
    }

    Table calls() const
    {
        Table table("Calls in progress",
                    {{"Rank", Unit::number, "rank", {"", 8}},
                     {"Thread", Unit::number, "thread", {"", 6}},
                     {"Function", Unit::text, "function", {"", 24}},
                     {"", Unit::seconds, "time_s", {"Seconds", 14, 6}},
                     {"Call site", Unit::text, "site", {"", 1}}},
                    trace::open_calls_note);
        for (const auto &[call, site] : in_progress_)
            table.add({call.rank, call.thread, site.function, call.seconds, site.caller});
        return table;
    }

    std::string text() const
    {
        const Table open = calls();
        return "trace: " + number_of(processes_, "process", "es") + ", " +
            number_of(threads_, "thread") + print(", %.6f s", seconds_) + absent_text(absent_) +
            "\n" + functions().text() +
            (open.rows.empty() ? "" : "\n" + open.title + "\n" + open.note + "\n" + open.text());
    }

    std::string json() const
    {
        Introduction introduction; /* journals have no more of it */
        introduction.tool = "trace";
        introduction.program = program_;
        introduction.absent = absent_;
        introduction.instance = introduction.instances = introduction.tool_id = 0;
        auto document = envelope(introduction, "", static_cast<int>(processes_), false);
        document.update({{"threads", threads_},
                         {"duration_s", seconds_},
                         {"functions", functions().json()},
                         {"current_calls", calls().json()}});
        return json_text(document);
    }

    std::string csv() const
    {
        Table table = calls_table();
        for (const Line &line : lines_)
            table.add({"trace", "function", line.name, "", line.calls, line.seconds, 0, 0});
        return table.csv();
    }

    const Lives lives_;
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
