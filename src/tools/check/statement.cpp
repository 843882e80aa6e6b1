/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "statement.hpp"

#include "recorder.hpp"

#include "../common/envelope.hpp"
#include "../common/process.hpp"
#include "../common/report.hpp"
#include "../common/text.hpp"

#include <atomic>
#include <functional>
#include <set>

namespace qmpi::check {
namespace {

/* Reads the blocks of a record. */
class RecordReader {
  public:
    RecordReader(ProcessLine &process, Statement &statement)
        : process_(process), statement_(statement)
    {
    }

    void take(std::uint32_t kind, std::string_view content)
    {
        switch (static_cast<RecordBlock>(kind)) {
        case RecordBlock::thread: {
            const auto &activity = block_as<Activity>(content);
            process_.calls += activity.calls.load(std::memory_order_relaxed);
            if (const auto word = activity.current.load(std::memory_order_relaxed))
                current_.push_back(CurrentCall::unpacked(word));
            break;
        }
        case RecordBlock::site: {
            const SiteBlock site = SiteBlock::read(content);
            sites_[site.number] = site.location;
            break;
        }
        case RecordBlock::finding: {
            const auto &times = block_as<std::atomic<std::uint64_t>>(content);
            Reader reader(content.substr(sizeof times));
            statement_.findings.add(Finding::read(reader), times.load(std::memory_order_relaxed));
            break;
        }
        case RecordBlock::omission: {
            const auto omission = Reader(content).get<Omission>();
            statement_.omissions[{omission.what, omission.reason}].insert(omission.rank);
            break;
        }
        case RecordBlock::suppressions:
            statement_.suppressions = Suppressions::read(content);
            break;
        case RecordBlock::distrust: {
            DistrustBlock distrust = DistrustBlock::read(content);
            if (distrust.communicator.empty()) {
                process_.compared_calls = distrust.calls;
                process_.reason = std::move(distrust.reason);
            } else
                process_.excluded.push_back(
                    {std::move(distrust.communicator), std::move(distrust.reason), distrust.calls});
            break;
        }
        }
    }

    /* A block of a call site can follow that of the thread. */
    void add_current_calls(CallSites &call_sites)
    {
        for (const CurrentCall &call : current_)
            process_.current.push_back(
                {function_name(call.function), Place(call_sites.find(sites_[call.site])).text()});
    }

  private:
    ProcessLine &process_;
    Statement &statement_;
    std::vector<CurrentCall> current_;
    std::map<std::uint32_t, CodeLocation> sites_;
};

std::string times_text(const FindingSet::Entry &entry)
{
    return entry.times == 1 ? ""
                            : " (" + std::to_string(entry.times) + " times, " +
            number_of(entry.ranks.size(), "rank") + ")";
}

/* Processes with the same text share a line. */
void list(const std::map<int, ProcessLine> &processes,
          const std::function<std::string(const ProcessLine &)> &text_of,
          const std::function<void(const std::string &)> &put)
{
    std::map<std::string, std::set<int>> lines;
    for (const auto &[rank, process] : processes)
        lines[text_of(process)].insert(rank);
    for (const auto &[line, ranks] : lines) {
        if (!line.empty())
            put((*ranks.begin() < 0 ? "" : ranks_text(ranks) + ": ") + line);
    }
}

nlohmann::json json_of(const FindingSet::Entry &entry)
{
    const Finding &first = entry.first;
    nlohmann::json json = {{"kind", name_of(first.kind)}, {"function", first.function},
                           {"site", first.place.text()},  {"place", json_of(first.place)},
                           {"rank", first.rank},          {"text", first.text},
                           {"times", entry.times},        {"ranks", entry.ranks},
                           {"suppression", first.entry()}};
    for (const OtherCall &other : first.others)
        json["other_calls"].push_back({{"rank", other.rank},
                                       {"function", other.function},
                                       {"site", other.place.text()},
                                       {"place", json_of(other.place)}});
    for (const Awaited &one : first.awaited)
        json["waits_for"].push_back(
            {{"what", one.what}, {"ranks", one.ranks}, {"ended", one.ended}});
    return json;
}

}  // namespace

std::string comparison_text(const ProcessLine &process)
{
    std::string text;
    if (!process.reason.empty())
        text = "not compared with others after call " + std::to_string(process.compared_calls) +
            ": " + process.reason;
    for (const ProcessLine::Exclusion &exclusion : process.excluded)
        text += (text.empty() ? "" : "; ") + std::string("communicator ") + exclusion.communicator +
            " not compared after call " + std::to_string(exclusion.calls) + ": " + exclusion.reason;
    return text;
}

std::string current_text(const ProcessLine &process)
{
    std::string text;
    for (const ProcessLine::Call &call : process.current)
        text += (text.empty() ? "in " : ", ") + call.function + " at " + call.site;
    return text.empty() ? "outside MPI" : text;
}

Statement Statement::of(const RecordView &record, int rank, const std::string &host,
                        CallSites *call_sites)
{
    Statement statement;
    ProcessLine &process = statement.processes[rank];
    process.host = host;
    RecordReader reader(process, statement);
    record.each(
        [&reader](std::uint32_t kind, std::string_view content) { reader.take(kind, content); });
    if (call_sites != nullptr)
        reader.add_current_calls(*call_sites);
    return statement;
}

void Statement::write(Writer &writer) const
{
    findings.write(writer);
    writer.put(processes);
    writer.put(suppressions.written());
    writer.put(static_cast<std::uint64_t>(omissions.size()));
    for (const auto &[reason, ranks] : omissions) {
        writer.put(reason);
        writer.put(std::vector<int>(ranks.begin(), ranks.end()));
    }
}

void Statement::merge(Reader &reader)
{
    findings.merge(reader);
    processes.merge(reader.get<decltype(processes)>());
    const auto written = reader.get<std::string>();
    if (suppressions.is_empty())
        suppressions = Suppressions::read(written);
    for (auto number = reader.get<std::uint64_t>(); number > 0; number--) {
        const auto reason = reader.get<Reason>();
        const auto ranks = reader.get<std::vector<int>>();
        omit({{reason, {ranks.begin(), ranks.end()}}});
    }
}

void Statement::omit(const Omissions &others)
{
    for (const auto &[reason, ranks] : others)
        omissions[reason].insert(ranks.begin(), ranks.end());
}

std::uint64_t Statement::calls() const
{
    std::uint64_t calls = 0;
    for (const auto &[rank, process] : processes)
        calls += process.calls;
    return calls;
}

std::vector<FindingSet::Entry> Statement::shown() const
{
    std::vector<FindingSet::Entry> shown;
    findings.each([&](const FindingSet::Entry &entry) {
        if (!suppressions.match(entry.first))
            shown.push_back(entry);
    });
    return shown;
}

std::vector<Statement::Suppressed> Statement::suppressed() const
{
    std::vector<Suppressed> suppressed(suppressions.entries().size());
    findings.each([&](const FindingSet::Entry &entry) {
        const std::size_t i = suppressions.find(entry.first);
        if (i < suppressed.size()) {
            suppressed[i].findings++;
            suppressed[i].times += entry.times;
        }
    });
    return suppressed;
}

std::string Statement::summary() const
{
    const std::size_t number = shown().size(), hidden = findings.size() - number;
    return number_of(number, "finding") +
        (hidden == 0 ? "" : " (" + std::to_string(hidden) + " suppressed)") +
        (processes.empty() ? " so far"
                           : " in " + number_of(calls(), "call") + " of " +
                 number_of(processes.size(), "process", "es"));
}

std::vector<std::string> Statement::gaps() const
{
    std::vector<std::string> lines;
    bool has_mismatch = false;
    findings.each([&has_mismatch](const FindingSet::Entry &entry) {
        has_mismatch = has_mismatch || entry.first.kind == Kind::collective;
    });
    if (!absent.empty())
        lines.push_back("not compared: " + absent);
    if (!incomparable.empty())
        lines.push_back("processes are not compared: " + incomparable);
    if (!unwanted.empty()) {
        std::string names;
        for (const std::string &kind : unwanted)
            names += (names.empty() ? "" : ", ") + kind;
        lines.push_back("not looked for: " + names);
    }
    if (processes.empty())
        lines.emplace_back(
            "written before MPI_Finalize: the records name the processes that a part of the "
            "analysis left out");
    list(processes, comparison_text, [&](const std::string &line) { lines.push_back(line); });
    for (const auto &[reason, ranks] : omissions)
        lines.push_back(ranks_text(ranks) + ": left out of the search for " + reason.first + ": " +
                        reason.second);
    if (has_mismatch)
        lines.emplace_back("a communicator is not compared after its first collective mismatch");
    return lines;
}

std::vector<std::string> Statement::suppression_lines() const
{
    std::vector<std::string> lines;
    const std::vector<Suppressed> numbers = suppressed();
    for (std::size_t i = 0; i < numbers.size(); i++) {
        const Suppressions::Entry &entry = suppressions.entries()[i];
        const std::string which =
            suppressions.file() + ":" + std::to_string(entry.line) + ": " + entry.text();
        const auto &[found, times] = numbers[i];
        lines.push_back(found == 0 ? "suppresses nothing: " + which
                                   : number_of(found, "finding") +
                                (times == found ? "" : " (" + std::to_string(times) + " times)") +
                                " suppressed by " + which);
    }
    return lines;
}

/* The coverage precedes the findings. */
std::string Statement::text() const
{
    std::string text = "check: " + summary() + "\n";
    if (!spawned.empty())
        text += ranks_text(spawned) + ": spawned\n";
    for (const std::string &line : gaps())
        text += line + "\n";
    for (const std::string &line : suppression_lines())
        text += line + "\n";
    std::set<std::string> entries;
    for (const FindingSet::Entry &entry : shown()) {
        text += entry.first.line() + times_text(entry) + "\n";
        entries.insert(entry.first.entry());
    }
    if (!has_ended)
        list(processes, current_text, [&](const std::string &line) { text += line + "\n"; });
    if (!entries.empty())
        text += "to suppress findings, put their lines into a file for suppress=FILE:\n";
    for (const std::string &entry : entries)
        text += "    " + entry + "\n";
    return text;
}

std::string Statement::json(const Heading &heading) const
{
    auto listed = nlohmann::json::array(), tasks = nlohmann::json::array();
    for (const FindingSet::Entry &entry : shown())
        listed.push_back(json_of(entry));
    for (const auto &[rank, process] : processes) {
        auto current = nlohmann::json::array();
        for (const ProcessLine::Call &call : process.current)
            current.push_back({{"function", call.function}, {"site", call.site}});
        nlohmann::json line{{"rank", rank}, {"host", process.host}, {"calls", process.calls}};
        if (!process.reason.empty())
            line["not_compared"] = {{"after_calls", process.compared_calls},
                                    {"reason", process.reason}};
        for (const ProcessLine::Exclusion &exclusion : process.excluded)
            line["communicators_not_compared"].push_back({{"communicator", exclusion.communicator},
                                                          {"after_calls", exclusion.calls},
                                                          {"reason", exclusion.reason}});
        if (!has_ended)
            line["current_calls"] = current;
        tasks.push_back(line);
    }
    auto document = envelope(heading.introduction, heading.end, heading.number, heading.is_alone);
    document.update({{"findings", listed}, {"tasks", tasks}, {"not_looked_for", unwanted}});
    if (!spawned.empty())
        document["spawned"] = spawned;
    if (!incomparable.empty())
        document["not_compared"] = incomparable;
    for (const auto &[reason, ranks] : omissions)
        document["left_out"].push_back(
            {{"search", reason.first}, {"reason", reason.second}, {"ranks", ranks}});
    if (!suppressions.is_empty()) {
        auto entries = nlohmann::json::array();
        const std::vector<Suppressed> numbers = suppressed();
        for (std::size_t i = 0; i < numbers.size(); i++)
            entries.push_back({{"line", suppressions.entries()[i].line},
                               {"entry", suppressions.entries()[i].text()},
                               {"findings", numbers[i].findings},
                               {"times", numbers[i].times}});
        document["suppressions"] = {{"file", suppressions.file()}, {"entries", entries}};
    }
    return json_text(document);
}

}  // namespace qmpi::check
