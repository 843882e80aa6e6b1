/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "reports.hpp"

#include "../common/envelope.hpp"
#include "../common/process.hpp"
#include "../common/record.hpp"
#include "../count/totals.hpp"
#include "../messages/report.hpp"
#include "../profile/reports.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qmpi::report {
namespace {

/* A record file. Mapped, so that the blocks are aligned and a running job need not be stopped. */
class File {
  public:
    explicit File(const std::string &path) : path_(path)
    {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (file < 0 || fstat(file, &status) != 0) {
            const int reason = errno;
            if (file >= 0)
                close(file);
            throw std::runtime_error("cannot read " + path + ": " + std::strerror(reason));
        }
        size_ = static_cast<std::size_t>(status.st_size);
        if (size_ > 0)
            data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        close(file);
        if (data_ == MAP_FAILED)
            throw std::runtime_error("cannot read " + path);
    }

    ~File()
    {
        if (size_ > 0)
            munmap(data_, size_);
    }

    File(const File &) = delete;
    File &operator=(const File &) = delete;

    RecordView view() const
    {
        try {
            return RecordView({static_cast<const char *>(data_), size_});
        } catch (const std::exception &exception) {
            throw std::runtime_error(path_ + ": " + exception.what());
        }
    }

  private:
    std::string path_;
    std::size_t size_ = 0;
    void *data_ = nullptr;
};

/* Records of one instance, by rank. */
struct Group {
    struct Part {
        Introduction introduction;
        RecordView view;
    };
    std::vector<Part> parts;

    /* Of the first process; absent says what is missing. */
    Introduction introduction() const
    {
        Introduction whole = parts.front().introduction;
        std::set<int> ranks;
        bool is_incomplete = false;
        for (const Part &part : parts) {
            ranks.insert(part.introduction.rank);
            is_incomplete |= part.view.is_incomplete();
        }
        std::vector<bool> has(static_cast<std::size_t>(whole.size));
        for (int rank = 0; rank < whole.size; rank++)
            has[static_cast<std::size_t>(rank)] = ranks.count(rank) > 0;
        if (ranks.size() < has.size())
            whole.absent = "records of " + ranks_without(has) +
                (whole.absent.empty() ? "" : " (of these without the tool: " + whole.absent + ")");
        if (is_incomplete)
            whole.absent += std::string(whole.absent.empty() ? "" : "; ") +
                "call sites beyond the limit of a record";
        return whole;
    }

    bool is_alone() const { return parts.size() == 1 && parts.front().introduction.size > 1; }

  private:
    static std::string ranks_without(const std::vector<bool> &has)
    {
        std::string text;
        for (std::size_t i = 0; i < has.size();) {
            const std::size_t first = i;
            while (i < has.size() && !has[i])
                i++;
            if (i == first) {
                i++;
                continue;
            }
            text += (text.empty() ? "" : ", ") +
                (i == first + 1 ? "rank " + std::to_string(first)
                                : "ranks " + std::to_string(first) + "-" + std::to_string(i - 1));
        }
        return text;
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

constexpr const char *csv_heading =
    "tool,kind,function,site,calls,time_s,sent_bytes,received_bytes\n";

std::string csv_line(const std::string &tool, const std::string &kind, const std::string &function,
                     const std::string &site, std::uint64_t calls, double time, std::uint64_t sent,
                     std::uint64_t received)
{
    return tool + "," + kind + "," + function + "," + quoted(site) + "," + std::to_string(calls) +
        "," + print("%.9f", time) + "," + std::to_string(sent) + "," + std::to_string(received) +
        "\n";
}

std::string name_of(const Introduction &introduction)
{
    return introduction.tool + ", " +
        instance_text(introduction.instance, introduction.instances, introduction.tool_id);
}

/* ---- count ---- */

class CountReport : public Report {
  public:
    explicit CountReport(const Group &group) : introduction_(group.introduction())
    {
        for (const Group::Part &part : group.parts) {
            if (is_first_)
                totals_ = count::Totals::of(part.view);
            else
                add(totals_, count::Totals::of(part.view));
            is_first_ = false;
        }
    }

    std::string name() const override { return name_of(introduction_); }

    std::string make(Format format) const override
    {
        if (format == Format::html)
            throw std::runtime_error("the tool count has no page");
        if (format == Format::text)
            return count::text_of(totals_, introduction_, false);
        auto document = envelope(introduction_, "", totals_.processes, false);
        document["functions"] = nlohmann::json::array();
        each([&](const char *name, std::size_t i) {
            document["functions"].push_back(
                {{"name", name},
                 {"calls", totals_.calls[i]},
                 {"process_calls", {{"min", totals_.min[i]}, {"max", totals_.max[i]}}},
                 {"sent_bytes", totals_.sent[i]},
                 {"received_bytes", totals_.received[i]}});
        });
        return json_text(document);
    }

    std::string csv() const override
    {
        std::string text = csv_heading;
        each([&](const char *name, std::size_t i) {
            text += csv_line("count", "function", name, "", totals_.calls[i], 0, totals_.sent[i],
                             totals_.received[i]);
        });
        return text;
    }

    std::vector<std::pair<Format, std::string>> formats() const override
    {
        return {{Format::text, ".txt"}, {Format::json, ".json"}};
    }

  private:
    template <typename Visit>
    void each(Visit visit) const
    {
        for (std::size_t i = 0; i < totals_.calls.size(); i++) {
            if (totals_.calls[i] > 0)
                visit(function_name(static_cast<int>(i)), i);
        }
    }

    const Introduction introduction_;
    count::Totals totals_;
    bool is_first_ = true;
};

/* ---- profile ---- */

class ProfileReport : public Report {
  public:
    explicit ProfileReport(const Group &group)
    {
        run_.introduction = group.introduction();
        run_.is_alone = group.is_alone();
        for (const Group::Part &part : group.parts) {
            profile::Task task;
            task.rank = part.introduction.rank;
            task.process = part.introduction.process;
            task.host = part.introduction.host;
            add(summary_, profile::Summary::of(part.view, std::move(task), false));
        }
        reports_ = std::make_unique<profile::Reports>(run_, summary_, call_sites_);
    }

    std::string name() const override { return name_of(run_.introduction); }
    std::string make(Format format) const override { return reports_->make(format); }

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

    std::vector<std::pair<Format, std::string>> formats() const override
    {
        return {{Format::text, ".txt"}, {Format::json, ".json"}, {Format::html, ".html"}};
    }

  private:
    profile::Run run_;
    profile::Summary summary_;
    CallSites call_sites_;
    std::unique_ptr<profile::Reports> reports_;
};

/* ---- messages ---- */

class MessagesReport : public Report {
  public:
    explicit MessagesReport(const Group &group)
        : introduction_(group.introduction()),
          heading_(messages::heading_of(introduction_, group.is_alone())),
          state_(heading_.rows.block)
    {
        for (const Group::Part &part : group.parts) {
            messages::State state(heading_.rows.block);
            state.add(part.view, part.introduction.rank);
            if (state.last > part.introduction.start)
                heading_.seconds = std::max(
                    heading_.seconds, messages::seconds(state.last - part.introduction.start));
            add(state_, state);
        }
        for (const messages::Entry &entry : state_.entries)
            heading_.rows.number = std::max({heading_.rows.number, entry.from + 1, entry.to + 1});
    }

    std::string name() const override { return name_of(introduction_); }

    std::string make(Format format) const override
    {
        return messages::report_maker(state_, heading_)(format);
    }

    std::string csv() const override
    {
        std::string text = "tool,kind,phase,from,to,side,messages,bytes,time_s\n";
        for (const messages::Entry &entry : state_.entries)
            text += print("messages,%s,%d,%d,%d,%s,", kind_name(entry.kind), entry.phase,
                          entry.from, entry.to, entry.side == Side::sent ? "sent" : "received") +
                std::to_string(entry.sums.messages) + "," + std::to_string(entry.sums.bytes) + "," +
                print("%.9f", messages::seconds(entry.sums.time)) + "\n";
        return text;
    }

    std::vector<std::pair<Format, std::string>> formats() const override
    {
        return {{Format::text, ".txt"}, {Format::json, ".json"}, {Format::html, ".html"}};
    }

  private:
    static const char *kind_name(Kind kind)
    {
        return kind == Kind::point_to_point ? "point-to-point"
            : kind == Kind::collective      ? "collective"
                                            : "one-sided";
    }

    const Introduction introduction_;
    messages::Heading heading_;
    messages::State state_;
};

std::unique_ptr<Report> report_of(const Group &group)
{
    const std::string &tool = group.parts.front().introduction.tool;
    if (tool == "count")
        return std::make_unique<CountReport>(group);
    if (tool == "profile")
        return std::make_unique<ProfileReport>(group);
    if (tool == "messages")
        return std::make_unique<MessagesReport>(group);
    throw std::runtime_error("records of the unknown tool '" + tool + "'");
}

}  // namespace

std::vector<std::unique_ptr<Report>> load(const std::vector<std::string> &paths)
{
    std::vector<std::unique_ptr<File>> files;
    std::map<std::tuple<int, std::string, std::string, int>, Group> groups;
    for (const std::string &path : paths) {
        for (const std::string &name : record_files_in(path)) {
            files.push_back(std::make_unique<File>(name));
            const RecordView view = files.back()->view();
            const Introduction own = view.introduction();
            groups[{own.tool_id, own.tool, own.arguments, own.instance}].parts.push_back(
                {own, view});
        }
    }
    if (groups.empty())
        throw std::runtime_error(paths.front() + " has no records");
    std::vector<std::unique_ptr<Report>> reports;
    for (auto &[key, group] : groups) {
        std::sort(group.parts.begin(), group.parts.end(),
                  [](const Group::Part &a, const Group::Part &b) {
                      return a.introduction.rank < b.introduction.rank;
                  });
        reports.push_back(report_of(group));
    }
    return reports;
}

}  // namespace qmpi::report
