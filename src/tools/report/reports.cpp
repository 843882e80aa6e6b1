/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "reports.hpp"

#include "trace_report.hpp"

#include "../check/options.hpp"
#include "../check/report.hpp"
#include "../check/statement.hpp"
#include "../common/envelope.hpp"
#include "../common/process.hpp"
#include "../count/totals.hpp"
#include "../messages/report.hpp"
#include "../profile/reports.hpp"
#include "../trace/finish.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

namespace qmpi::report {
namespace {

void leave_out(const std::string &path, const std::exception &exception)
{
    std::fprintf(stderr, "qmpi_report: %s is left out: %s\n", path.c_str(), exception.what());
}

/* Records of one instance in one run, by rank. */
struct Group {
    struct Part {
        Introduction introduction;
        RecordView view;
        Life life;
        std::string path;
    };
    std::vector<Part> parts;

    /* read(part) for each process. One whose record cannot be read is named on standard error, and
     * missing from then on. Throws std::runtime_error if that is true of all. */
    template <typename Read>
    void each(Read read)
    {
        const std::string first = parts.front().path;
        const auto is_damaged = [&](const Part &part) {
            try {
                read(part);
                return false;
            } catch (const std::exception &exception) {
                leave_out(part.path, exception);
                return true;
            }
        };
        parts.erase(std::remove_if(parts.begin(), parts.end(), is_damaged), parts.end());
        if (parts.empty())
            throw std::runtime_error("none of the records can be read; the first is " + first);
    }

    /* Of the first process; absent says what is missing. */
    Introduction introduction() const
    {
        Introduction whole = parts.front().introduction;
        std::set<int> ranks, incomplete;
        for (const Part &part : parts) {
            ranks.insert(part.introduction.rank);
            if (part.view.is_incomplete())
                incomplete.insert(part.introduction.rank);
        }
        std::set<int> missing;
        for (int rank = 0; rank < whole.size; rank++) {
            if (whole.has_world() && ranks.count(rank) == 0)
                missing.insert(rank);
        }
        if (!missing.empty())
            whole.absent = "records of " + ranks_text(missing) +
                (whole.absent.empty() ? "" : " (of these without the tool: " + whole.absent + ")");
        if (!incomplete.empty())
            whole.absent += std::string(whole.absent.empty() ? "" : "; ") + "later entries" +
                (whole.has_world() ? " of " + ranks_text(incomplete) : "") +
                " (no room in the record)";
        return whole;
    }

    int tool_id() const { return parts.front().introduction.tool_id; }

    bool is_alone() const
    {
        const Introduction &first = parts.front().introduction;
        return parts.size() == 1 && (first.size > 1 || !first.has_world());
    }

    Lives lives() const
    {
        Lives lives;
        for (const Part &part : parts)
            lives.add(part.introduction.rank, part.life);
        return lives;
    }

    /* By rank. Throws std::runtime_error if two are of the same, or of worlds of other sizes. */
    void sort()
    {
        std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
            return a.introduction.rank < b.introduction.rank;
        });
        const auto same =
            std::adjacent_find(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
                return a.introduction.rank == b.introduction.rank ||
                    a.introduction.size != b.introduction.size;
            });
        if (same != parts.end())
            throw std::runtime_error(same->path + " and " + std::next(same)->path +
                                     " are of different runs");
    }
};

template <typename State>
void add(State &sum, const State &other)
{
    Writer writer;
    other.write(writer);
    const std::string bytes = writer.take();
    Reader reader(bytes);
    sum.merge(reader);
}

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

std::string name_of(const Introduction &introduction)
{
    return introduction.tool + ", " +
        instance_text(introduction.instance, introduction.instances, introduction.tool_id);
}

/* ---- count ---- */

class CountReport : public Report {
  public:
    explicit CountReport(Group &group) : Report(group.lives())
    {
        group.each([this](const Group::Part &part) {
            const auto totals = count::Totals::of(part.view);
            if (totals_)
                add(*totals_, totals);
            else
                totals_ = totals;
        });
        introduction_ = group.introduction();
    }

    std::string name() const override { return name_of(introduction_); }

    std::string content(Format format) const override
    {
        if (format == Format::html)
            throw std::runtime_error("the tool count has no page");
        if (format == Format::text)
            return count::text_of(*totals_, introduction_, !introduction_.has_world());
        auto document = envelope(introduction_, "", totals_->processes, !introduction_.has_world());
        document["functions"] = nlohmann::json::array();
        each([&](const char *name, std::size_t i) {
            document["functions"].push_back(
                {{"name", name},
                 {"calls", totals_->calls[i]},
                 {"process_calls", {{"min", totals_->min[i]}, {"max", totals_->max[i]}}},
                 {"sent_bytes", totals_->sent[i]},
                 {"received_bytes", totals_->received[i]}});
        });
        return json_text(document);
    }

    std::string csv() const override
    {
        std::string text = csv_heading;
        each([&](const char *name, std::size_t i) {
            text += csv_line("count", "function", name, "", totals_->calls[i], 0, totals_->sent[i],
                             totals_->received[i]);
        });
        return text;
    }

    bool has_page() const override { return false; }

  private:
    template <typename Visit>
    void each(Visit visit) const
    {
        for (std::size_t i = 0; i < totals_->calls.size(); i++) {
            if (totals_->calls[i] > 0)
                visit(function_name(static_cast<int>(i)), i);
        }
    }

    Introduction introduction_;
    std::optional<count::Totals> totals_;
};

/* ---- profile ---- */

class ProfileReport : public Report {
  public:
    explicit ProfileReport(Group &group) : Report(group.lives())
    {
        run_.is_alone = group.is_alone();
        for (const Group::Part &part : group.parts)
            note_last_time(part);
        group.each([this](const Group::Part &part) { add(summary_, summary_of(part)); });
        run_.introduction = group.introduction();
        reports_ = std::make_unique<profile::Reports>(run_, summary_, call_sites_);
    }

    std::string name() const override { return name_of(run_.introduction); }
    std::string content(Format format) const override { return reports_->make(format); }

    std::string csv() const override
    {
        std::string text = csv_heading;
        const auto document = nlohmann::json::parse(reports_->json());
        for (const auto &line : document["functions"])
            text += csv_line("profile", "function", line["name"], "", line["calls"], line["time_s"],
                             line["sent_bytes"], line["received_bytes"]);
        for (const auto &line : document["sites"])
            text +=
                csv_line("profile", "site", line["function"], profile::text_of_path(line["path"]),
                         line["calls"], line["time_s"], line["sent_bytes"], line["received_bytes"]);
        return text;
    }

  private:
    /* The clocks of other hosts are unknown. */
    static bool is_running_here(const Group::Part &part)
    {
        return part.life == Life::running && part.introduction.host == host_name();
    }

    void note_last_time(const Group::Part &part)
    {
        if (is_running_here(part))
            return;
        profile::Time &last = last_[part.introduction.host];
        try {
            last = std::max(last, profile::last_time_of(part.view));
        } catch (const std::exception &) {
            /* summary_of() reports the damage. */
        }
    }

    profile::Summary summary_of(const Group::Part &part) const
    {
        profile::Task task;
        task.rank = part.introduction.rank;
        task.process = part.introduction.process;
        task.host = part.introduction.host;
        if (is_running_here(part))
            return summary_of_running(part, task);
        return profile::Summary::of(part.view, task,
                                    {last_.at(part.introduction.host), part.life, false});
    }

    /* The process changes its record while it is read. A call in progress counts if it is in the record both
     * before and after all sums; read again if one has ended meanwhile. */
    static profile::Summary summary_of_running(const Group::Part &part, const profile::Task &task)
    {
        constexpr int most_attempts = 20;
        auto first = std::make_unique<FileContent>(part.path);
        for (int attempt = 1;; attempt++) {
            const profile::Moment moment{now(), Life::running, false};
            auto second = std::make_unique<FileContent>(part.path);
            const RecordView before(first->content()), after(second->content());
            if (attempt == most_attempts || profile::has_same_calls(before, after))
                return profile::Summary::of(before, task, moment, &after);
            first = std::move(second);
        }
    }

    profile::Run run_;
    profile::Summary summary_;
    CallSites call_sites_;
    std::unique_ptr<profile::Reports> reports_;
    std::map<std::string, profile::Time> last_; /* of processes that have ended, by host */
};

/* ---- messages ---- */

class MessagesReport : public Report {
  public:
    explicit MessagesReport(Group &group)
        : Report(group.lives()),
          heading_(messages::heading_of(group.introduction(), group.is_alone())),
          state_(heading_.rows.block)
    {
        group.each([this](const Group::Part &part) {
            messages::State state(heading_.rows.block);
            messages::State::check(
                part.view,
                part.introduction.has_world() ? part.introduction.size : most_ranks_without_world);
            state.add(part.view, part.introduction.rank);
            if (state.last > part.introduction.start)
                heading_.seconds = std::max(
                    heading_.seconds, messages::seconds(state.last - part.introduction.start));
            add(state_, state);
        });
        heading_.introduction = group.introduction();
        for (const messages::Entry &entry : state_.entries)
            heading_.rows.number = std::max({heading_.rows.number, entry.from + 1, entry.to + 1});
    }

    std::string name() const override { return name_of(heading_.introduction); }

    std::string content(Format format) const override
    {
        return messages::report_maker(state_, heading_)(format);
    }

    std::string csv() const override
    {
        std::string text = "tool,kind,phase,from,to,side,messages,bytes,time_s\n";
        for (const messages::Entry &entry : state_.entries)
            text += print("messages,%s,%d,%d,%d,%s,", messages::name_of(entry.kind), entry.phase,
                          entry.from, entry.to, entry.side == Side::sent ? "sent" : "received") +
                std::to_string(entry.sums.messages) + "," + std::to_string(entry.sums.bytes) + "," +
                print("%.9f", messages::seconds(entry.sums.time)) + "\n";
        return text;
    }

  private:
    static constexpr int most_ranks_without_world = 1 << 22;

    messages::Heading heading_;
    messages::State state_;
};

/* ---- check ---- */

class CheckReport : public Report {
  public:
    explicit CheckReport(Group &group)
        : Report(group.lives()), heading_{{}, "", 1, group.is_alone()}
    {
        CallSites call_sites;
        group.each([&](const Group::Part &part) {
            add(statement_,
                check::Statement::of(part.view, part.introduction.rank, part.introduction.host,
                                     &call_sites));
        });
        heading_.introduction = group.introduction();
        heading_.number = static_cast<int>(statement_.processes.size());
        statement_.absent = heading_.introduction.absent;
        if (!heading_.introduction.has_world())
            statement_.incomparable = check::no_analyser;
        statement_.unwanted =
            check::Options(qmpi::arguments(heading_.introduction.arguments)).unwanted();
    }

    std::string name() const override { return name_of(heading_.introduction); }

    std::string content(Format format) const override
    {
        return check::report_of(statement_, heading_, format);
    }

    std::string csv() const override
    {
        std::string text = "tool,kind,function,site,rank,times,text\n";
        for (const check::FindingSet::Entry &entry : statement_.shown())
            text += std::string("check,") + check::name_of(entry.first.kind) + "," +
                entry.first.function + "," + quoted(entry.first.place.text()) + "," +
                std::to_string(entry.first.rank) + "," + std::to_string(entry.times) + "," +
                quoted(entry.first.text) + "\n";
        return text;
    }

  private:
    check::Heading heading_;
    check::Statement statement_;
};

std::unique_ptr<Report> report_of(Group &group)
{
    const std::string &tool = group.parts.front().introduction.tool;
    if (tool == "check")
        return std::make_unique<CheckReport>(group);
    if (tool == "count")
        return std::make_unique<CountReport>(group);
    if (tool == "profile")
        return std::make_unique<ProfileReport>(group);
    if (tool == "messages")
        return std::make_unique<MessagesReport>(group);
    throw std::runtime_error(group.parts.front().path + " is of the unknown tool '" + tool + "'");
}

}  // namespace

/* ---- Lives ---- */

namespace {

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

std::string Lives::text() const
{
    std::string text;
    for (const auto &[life, ranks] : ranks_)
        text += (text.empty() ? "" : "; ") + std::string(text_of(life)) +
            (ranks_.size() == 1 ? "" : ": " + ranks_text(ranks));
    return text;
}

std::map<std::string, std::set<int>> Lives::by_name() const
{
    std::map<std::string, std::set<int>> named;
    for (const auto &[life, ranks] : ranks_)
        named[name_of(life)] = ranks;
    return named;
}

/* ---- Report ---- */

std::string Report::make(Format format) const
{
    const std::string content = this->content(format);
    if (format == Format::text)
        return name() + ", from records at " + local_time() + ": " + lives_.text() + "\n" + content;
    if (format != Format::json)
        return content;
    auto document = nlohmann::ordered_json::parse(content);
    document["records"] = lives_.by_name();
    return document.dump(1) + "\n";
}

std::vector<std::pair<Format, std::string>> Report::formats() const
{
    std::vector<std::pair<Format, std::string>> formats{{Format::text, ".txt"},
                                                        {Format::json, ".json"}};
    if (has_page())
        formats.emplace_back(Format::html, ".html");
    return formats;
}

const char *const csv_heading = "tool,kind,function,site,calls,time_s,sent_bytes,received_bytes\n";

std::string csv_line(const std::string &tool, const std::string &kind, const std::string &function,
                     const std::string &site, std::uint64_t calls, double time, std::uint64_t sent,
                     std::uint64_t received)
{
    return tool + "," + kind + "," + function + "," + quoted(site) + "," + std::to_string(calls) +
        "," + print("%.9f", time) + "," + std::to_string(sent) + "," + std::to_string(received) +
        "\n";
}

/* ---- loading ---- */

namespace {

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

    std::vector<std::unique_ptr<Report>> reports()
    {
        std::vector<std::unique_ptr<Report>> reports;
        std::vector<Group *> groups;
        for (auto &[key, group] : groups_) {
            group.sort();
            groups.push_back(&group);
        }
        std::stable_sort(groups.begin(), groups.end(), [](const Group *a, const Group *b) {
            return a->tool_id() < b->tool_id();
        });
        for (Group *const group : groups)
            reports.push_back(report_of(*group));
        if (!journal_folders_.empty())
            reports.push_back(trace_report_of(trace::journals_in(journal_folders_)));
        return reports;
    }

  private:
    void add_record(const std::string &name)
    {
        auto file = std::make_unique<FileContent>(name);
        if (!RecordView::has_begun(file->content()))
            return;
        try {
            const RecordView view(file->content());
            const Introduction own = view.introduction();
            groups_[{own.folder, own.tool, own.arguments}].parts.push_back(
                {own, view, file->life(view.is_marked()), name});
            files_.push_back(std::move(file));
        } catch (const std::exception &exception) {
            leave_out(name, exception);
        }
    }

    std::vector<std::unique_ptr<FileContent>> files_;
    /* By folder, tool and arguments: numbers of an instance differ if tool lists do. */
    std::map<std::tuple<std::string, std::string, std::string>, Group> groups_;
    std::vector<std::string> journal_folders_;
};

}  // namespace

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
