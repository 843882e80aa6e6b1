/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "statement.hpp"

#include "recorder.hpp"

#include "../common/envelope.hpp"
#include "../common/process.hpp"
#include "../common/report.hpp"

#include <atomic>
#include <functional>
#include <set>

namespace qmpi::check {
namespace {

/* Reads the blocks of a record. */
class RecordReader {
  public:
    RecordReader(ProcessLine &process, FindingSet &findings)
        : process_(process), findings_(findings)
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
            findings_.add(Finding::read(reader), times.load(std::memory_order_relaxed));
            break;
        }
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
                {function_name(call.function), brief_text_of(call_sites.find(sites_[call.site]))});
    }

  private:
    ProcessLine &process_;
    FindingSet &findings_;
    std::vector<CurrentCall> current_;
    std::map<std::uint32_t, CodeLocation> sites_;
};

std::string times_text(const FindingSet::Entry &entry)
{
    return entry.times == 1 ? ""
                            : " (" + std::to_string(entry.times) + " times, " +
            std::to_string(entry.ranks.size()) + (entry.ranks.size() == 1 ? " rank)" : " ranks)");
}

std::string number_text(std::uint64_t number, const char *what, const char *ending)
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : ending);
}

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

}  // namespace

Statement Statement::of(const RecordView &record, int rank, const std::string &host,
                        CallSites *call_sites)
{
    Statement statement;
    ProcessLine &process = statement.processes[rank];
    process.host = host;
    RecordReader reader(process, statement.findings);
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
}

void Statement::merge(Reader &reader)
{
    findings.merge(reader);
    processes.merge(reader.get<decltype(processes)>());
}

/* What was checked, and what was not, precedes the findings. */
std::string Statement::text() const
{
    std::uint64_t calls = 0;
    bool has_mismatch = false;
    for (const auto &[rank, process] : processes)
        calls += process.calls;
    findings.each([&has_mismatch](const FindingSet::Entry &entry) {
        has_mismatch = has_mismatch || entry.first.kind == Kind::collective;
    });
    std::string text = "check: " + number_text(findings.size(), "finding", "s") +
        (processes.empty() ? " so far"
                           : " in " + number_text(calls, "call", "s") + " of " +
                 number_text(processes.size(), "process", "es")) +
        "\n";
    if (!absent.empty())
        text += "not compared: " + absent + "\n";
    if (!incomparable.empty())
        text += "processes are not compared: " + incomparable + "\n";
    for (const std::string &kind : unwanted)
        text += (&kind == &unwanted.front() ? "not looked for: " : ", ") + kind +
            (&kind == &unwanted.back() ? "\n" : "");
    /* Processes with the same text share a line. */
    auto list = [&](const std::function<std::string(const ProcessLine &)> &text_of) {
        std::map<std::string, std::set<int>> lines;
        for (const auto &[rank, process] : processes)
            lines[text_of(process)].insert(rank);
        for (const auto &[line, ranks] : lines)
            text += line.empty()
                ? ""
                : (*ranks.begin() < 0 ? "" : ranks_text(ranks) + ": ") + line + "\n";
    };
    list(comparison_text);
    if (has_mismatch)
        text += "a communicator is not compared after its first collective mismatch\n";
    findings.each([&text](const FindingSet::Entry &entry) {
        text += entry.first.line() + times_text(entry) + "\n";
    });
    if (!has_ended)
        list(current_text);
    return text;
}

std::string Statement::json(const Introduction &introduction, const std::string &end, int number,
                            bool is_alone) const
{
    auto listed = nlohmann::json::array(), tasks = nlohmann::json::array();
    findings.each([&listed](const FindingSet::Entry &entry) {
        listed.push_back({{"kind", name_of(entry.first.kind)},
                          {"function", entry.first.function},
                          {"site", entry.first.site},
                          {"rank", entry.first.rank},
                          {"text", entry.first.text},
                          {"times", entry.times},
                          {"ranks", entry.ranks}});
    });
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
    auto document = envelope(introduction, end, number, is_alone);
    document.update({{"findings", listed}, {"tasks", tasks}, {"not_looked_for", unwanted}});
    if (!incomparable.empty())
        document["not_compared"] = incomparable;
    return json_text(document);
}

}  // namespace qmpi::check
