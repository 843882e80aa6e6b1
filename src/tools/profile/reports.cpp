/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "reports.hpp"

#include "../common/envelope.hpp"
#include "../common/page.hpp"
#include "../common/process.hpp"
#include "../common/report.hpp"
#include "../common/sizes.hpp"
#include "../common/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cinttypes>
#include <set>

namespace qmpi::profile {
namespace {

using nlohmann::json;

constexpr double seconds_per_ns = 1e-9;

/* Further functions are combined into one series. */
constexpr std::size_t max_series = 15;

/* Estimates from samples, and calls that other threads began before the profile was off, may exceed the
 * whole. */
double share(double part, double whole)
{
    return whole == 0 ? 0 : std::min(100 * part / whole, 100.0);
}

double last_size(std::size_t bin)
{
    return next_size(bin) - 1;
}

std::uint64_t bytes_of(const Totals &totals)
{
    return totals.sent + totals.received;
}

/* Name, or number if there is none. */
std::string name_of(std::uint64_t id, const CommunicatorSummary &communicator)
{
    return communicator.name.empty() ? print("%016" PRIx64, id) : communicator.name;
}

constexpr const char *calls_note =
    "The time of a process that is running is until this report, of another one until the last "
    "call "
    "that the records have.";
constexpr const char *threads_note =
    "MPI is the sum over the threads that called MPI, and its share is that of their application "
    "time.";

const char *state_of(const Task &task)
{
    return task.life == Life::running ? "running" : task.life == Life::ended ? "ended" : "unknown";
}

/* Wall-clock time; null if unknown. */
json begin_of(const OpenCall &call)
{
    return call.is_timed ? json(local_time(static_cast<std::time_t>(call.begin / ns_per_second)))
                         : json();
}

/* Callers of main() are not interesting. */
bool is_before_main(const CallSite &site)
{
    return site.function.compare(0, 12, "__libc_start") == 0 || site.function == "_start";
}

std::string text_of(const std::vector<CallSite> &path)
{
    std::string text;
    for (const CallSite &frame : path)
        text += (text.empty() ? "" : " < ") + qmpi::text_of(frame);
    return text;
}

/* Of a call that is not timed the site is unknown. */
std::string site_of(const std::vector<CallSite> &path)
{
    return path.empty() ? "unknown (not timed)" : text_of(path);
}

/* Stable sort, largest first. */
template <typename Element, typename Value>
void sort_by(std::vector<Element> &elements, Value value)
{
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const Element &a, const Element &b) { return value(a) > value(b); });
}

json sizes_json(const std::array<std::uint64_t, size_bins> &sizes)
{
    json list = json::array();
    for (std::size_t bin = 0; bin < size_bins; bin++) {
        if (sizes[bin] > 0)
            list.push_back(
                {{"from", first_size(bin)}, {"to", last_size(bin)}, {"messages", sizes[bin]}});
    }
    return list;
}

json json_of_path(const std::vector<CallSite> &path)
{
    json list = json::array();
    for (const CallSite &frame : path)
        list.push_back(qmpi::json_of(frame));
    return list;
}

/* Nanoseconds in seconds. */
double seconds(double time)
{
    return time * seconds_per_ns;
}

double seconds(Time time)
{
    return seconds(static_cast<double>(time));
}

json rank_of(const Task &task)
{
    return task.rank < 0 ? json() : json(task.rank);
}

/* So far; null if unknown. */
json time_of(const OpenCall &call)
{
    return call.is_timed ? json(seconds(call.time)) : json();
}

/* Factors of times in the text. */
constexpr double ms = 1e3, us = 1e6;

}  // namespace

Reports::Reports(const Run &run, const Summary &summary, CallSites &call_sites)
    : run_(run), options_(qmpi::arguments(run.introduction.arguments)), summary_(summary)
{
    for (const auto &[key, totals] : summary.sites)
        sites_.push_back({key.first, resolve(key.second, call_sites), &totals});
    for (const Task &task : summary.tasks) {
        for (const OpenCall &call : task.calls)
            calls_.push_back({&task, &call, resolve(call.path, call_sites)});
    }
    sort_by(sites_, [](const Site &site) { return site.totals->time.sum; });
    for (const auto &[id, function] : summary.functions)
        functions_.push_back({id, &function});
    sort_by(functions_, [](const Function &function) { return function.summary->totals.time.sum; });
}

/* Without frames before main(). */
std::vector<CallSite> Reports::resolve(const Path &path, CallSites &call_sites)
{
    std::vector<CallSite> sites;
    for (const auto &frame : path) {
        auto known = found_.find(frame);
        if (known == found_.end())
            known =
                found_
                    .emplace(
                        frame,
                        call_sites.find(CodeLocation{summary_.modules[frame.first], frame.second}))
                    .first;
        if (!sites.empty() && is_before_main(known->second))
            break;
        sites.push_back(known->second);
    }
    return sites;
}

std::vector<const Reports::Site *> Reports::top_sites(bool by_bytes) const
{
    std::vector<const Site *> sites;
    for (const Site &site : sites_) {
        if (!by_bytes || bytes_of(*site.totals) > 0)
            sites.push_back(&site);
    }
    if (by_bytes)
        sort_by(sites, [](const Site *site) { return bytes_of(*site->totals); });
    return sites;
}

/* Initialisation and finalisation are outside the application's time and MPI time. */
double Reports::share_of_application(int function, double time) const
{
    return is_init_or_finalize(function) ? 0
                                         : share(time, static_cast<double>(summary_.thread_time()));
}

double Reports::share_of_mpi(int function, double time) const
{
    return is_init_or_finalize(function) ? 0 : share(time, static_cast<double>(summary_.mpi()));
}

/* MPI time is a sum over threads. */
bool Reports::has_threads() const
{
    return std::any_of(summary_.tasks.begin(), summary_.tasks.end(),
                       [](const Task &task) { return task.threads > 1; });
}

/* Records of an unfinished job also show that a process is not in MPI. */
bool Reports::shows_calls() const
{
    return run_.end.empty() || !calls_.empty();
}

std::vector<std::pair<std::string, std::string>> Reports::facts() const
{
    std::set<std::string> hosts;
    std::uint64_t threads = 0;
    for (const Task &task : summary_.tasks) {
        hosts.insert(task.host);
        threads = std::max(threads, task.threads);
    }
    const std::size_t ranks = summary_.tasks.size();
    std::vector<std::pair<std::string, std::string>> facts = {
        {"Command", run_.introduction.command},
        {"MPI library", run_.introduction.library},
        {"Processes",
         run_.is_alone ? "1 (this process only, not merged)"
                       : std::to_string(ranks) + " on " + number_of(hosts.size(), "host") +
                 ", with up to " + number_of(threads, "thread") + " in MPI"},
        {"Begin", run_.introduction.begin},
        {"End",
         run_.end.empty() ? "unknown; report made from records at " + local_time() : run_.end},
        {"Tool",
         "profile, " +
             instance_text(run_.introduction.instance, run_.introduction.instances,
                           run_.introduction.tool_id)}};
    if (!run_.introduction.absent.empty())
        facts.emplace_back("Not included", run_.introduction.absent);
    if (!run_.introduction.arguments.empty())
        facts.emplace_back("Arguments", run_.introduction.arguments);
    if (options_.sample > 1)
        facts.emplace_back("Sampling",
                           print("times and call sites: one of %" PRIu32 " calls of a function, "
                                 "scaled; calls and bytes of functions: all",
                                 options_.sample));
    return facts;
}

/* ---- tables ---- */

qmpi::Table Reports::tasks() const
{
    qmpi::Table table("Processes",
                      {{"Rank", Unit::number, "", {"", 8}},
                       {"", Unit::number, "rank"},
                       {"Host", Unit::text, "host"},
                       {"Process", Unit::number, "process"},
                       {"Threads", Unit::number, "threads"},
                       {"Application", Unit::seconds, "application_s", {"", 14, 6}},
                       {"MPI", Unit::seconds, "mpi_s", {"", 14, 6}},
                       {"Share of MPI", Unit::percent, "", {"MPI %", 7, 2}},
                       {"", Unit::text, "", {"Host, process", 1}},
                       {"", Unit::text, "functions_s"}},
                      has_threads() ? threads_note : "");
    auto share_of = [](Time mpi, Time of_threads) {
        return share(static_cast<double>(mpi), static_cast<double>(of_threads));
    };
    for (const Task &task : summary_.tasks) {
        auto functions = json::object();
        for (const auto &[function, time] : task.functions)
            functions[function_name(function)] = seconds(time);
        table.add({rank_of(task), task.rank, task.host, task.process, task.threads,
                   seconds(task.application), seconds(task.mpi),
                   share_of(task.mpi, task.thread_time()),
                   task.host + ", " + std::to_string(task.process), functions});
    }
    table.total = {"all",
                   {},
                   {},
                   {},
                   {},
                   seconds(summary_.application()),
                   seconds(summary_.mpi()),
                   share_of(summary_.mpi(), summary_.thread_time()),
                   "",
                   {}};
    return table;
}

/* task: of this one; nullptr: of all */
qmpi::Table Reports::calls(const Task *task) const
{
    qmpi::Table table("Calls in progress",
                      {{"Rank", Unit::number, "", {"", 8}},
                       {"Thread", Unit::number, "thread", {"", 6}},
                       {"Function", Unit::text, "function", {"", 24}},
                       {"Time so far", Unit::seconds, "time_s", {"Seconds", 14, 6}},
                       {"Since", Unit::text, "since", {"", 25}},
                       {"Process", Unit::text, "", {"", 7}},
                       {"Call site", Unit::text, "", {"", 1}},
                       {"", Unit::text, "path"}},
                      calls_note);
    for (const Call &call : calls_) {
        const OpenCall &open = *call.call;
        if (task == nullptr || call.task == task)
            table.add({rank_of(*call.task), open.thread, function_name(open.function),
                       time_of(open), begin_of(open), state_of(*call.task), site_of(call.path),
                       json_of_path(call.path)});
    }
    return table;
}

qmpi::Table Reports::sites(const std::vector<const Site *> &sites) const
{
    qmpi::Table table("Call sites",
                      {{"", Unit::number, "", {"Site", 5}},
                       {"Function", Unit::text, "function", {"", 24}},
                       {"Calls", Unit::number, "calls", {"", 10}},
                       {"", Unit::number, "timed_calls"},
                       {"", Unit::number, "ranks"},
                       {"Time", Unit::seconds, "time_s", {"Time ms", 12, 3, ms}},
                       {"Min", Unit::seconds, "call_time_s/min", {"Min us", 11, 3, us}},
                       {"Mean", Unit::seconds, "call_time_s/mean", {"Mean us", 11, 3, us}},
                       {"Max", Unit::seconds, "call_time_s/max", {"Max us", 11, 3, us}},
                       {"Application", Unit::percent, "", {"App %", 6, 2}},
                       {"MPI", Unit::percent, "", {"MPI %", 6, 2}},
                       {"Sent", Unit::bytes, "sent_bytes", {"Bytes sent", 14}},
                       {"Received", Unit::bytes, "received_bytes", {"", 14}},
                       {"Call site", Unit::text, "", {"", 1}},
                       {"", Unit::text, "path"}});
    for (const Site *site : sites) {
        const Totals &totals = *site->totals;
        table.add({site - sites_.data() + 1, function_name(site->function), totals.calls,
                   totals.timed_calls, totals.time.ranks, seconds(totals.time.sum),
                   seconds(totals.min_time()), seconds(totals.mean_time()), seconds(totals.longest),
                   share_of_application(site->function, totals.time.sum),
                   share_of_mpi(site->function, totals.time.sum), totals.sent, totals.received,
                   text_of(site->path), json_of_path(site->path)});
    }
    return table;
}

qmpi::Table Reports::functions() const
{
    const auto ranks = static_cast<std::uint64_t>(summary_.tasks.size());
    qmpi::Table table(
        "Functions",
        {{"Function", Unit::text, "name", {"", 28}},
         {"Calls", Unit::number, "calls", {"", 10}},
         {"", Unit::number, "timed_calls"},
         {"", Unit::number, "ranks"},
         {"Time", Unit::seconds, "time_s", {"Time ms", 12, 3, ms}},
         {"Min per process", Unit::seconds, "process_time_s/min", {"Min ms", 11, 3, ms}},
         {"Mean per process", Unit::seconds, "process_time_s/mean", {"Mean ms", 11, 3, ms}},
         {"Max per process", Unit::seconds, "process_time_s/max", {"Max ms", 11, 3, ms}},
         {"Variation", Unit::number, "cov", {"Cov", 6, 2}},
         {"Application", Unit::percent, "application_percent", {"App %", 6, 2}},
         {"MPI", Unit::percent, "mpi_percent", {"MPI %", 6, 2}},
         {"Sent", Unit::bytes, "sent_bytes", {"Bytes sent", 14}},
         {"Received", Unit::bytes, "received_bytes", {"", 14}},
         {"", Unit::text, "sent_sizes"},
         {"", Unit::text, "received_sizes"}},
        "Variation: standard deviation over the ranks divided by the mean.");
    for (const Function &function : functions_) {
        const Totals &totals = function.summary->totals;
        table.add({function_name(function.id), totals.calls, totals.timed_calls, totals.time.ranks,
                   seconds(totals.time.sum), seconds(totals.time.min_of(ranks)),
                   seconds(totals.time.mean(ranks)), seconds(totals.time.max),
                   totals.time.variation(ranks), share_of_application(function.id, totals.time.sum),
                   share_of_mpi(function.id, totals.time.sum), totals.sent, totals.received,
                   sizes_json(function.summary->sent_sizes),
                   sizes_json(function.summary->received_sizes)});
    }
    return table;
}

qmpi::Table Reports::sizes() const
{
    qmpi::Table table("Message sizes (calls by bytes)",
                      {{"", Unit::text, "", {"Function", 28}},
                       {"", Unit::bytes, "", {"From bytes", 20}},
                       {"", Unit::bytes, "", {"To", 20}},
                       {"", Unit::number, "", {"Sending", 12}},
                       {"", Unit::number, "", {"Receiving", 12}}});
    for (const Function &function : functions_) {
        const FunctionSummary &summary = *function.summary;
        for (std::size_t bin = 0; bin < size_bins; bin++) {
            if (summary.sent_sizes[bin] + summary.received_sizes[bin] > 0)
                table.add({function_name(function.id), first_size(bin), last_size(bin),
                           summary.sent_sizes[bin], summary.received_sizes[bin]});
        }
    }
    return table;
}

qmpi::Table Reports::communicators(const Communicators &communicators)
{
    qmpi::Table table("Communicators",
                      {{"Communicator", Unit::text, "", {"", 24}},
                       {"Size", Unit::number, "", {"", 8}},
                       {"Function", Unit::text, "name", {"", 28}},
                       {"Calls", Unit::number, "calls", {"", 10}},
                       {"", Unit::number, "ranks"},
                       {"Time", Unit::seconds, "time_s", {"Time ms", 12, 3, ms}},
                       {"Sent", Unit::bytes, "sent_bytes", {"Bytes sent", 14}},
                       {"Received", Unit::bytes, "received_bytes", {"", 14}}});
    for (const auto &[id, communicator] : communicators) {
        for (const auto &[function, totals] : communicator.functions)
            table.add({name_of(id, communicator), communicator.size, function_name(function),
                       totals.calls, totals.time.ranks, seconds(totals.time.sum), totals.sent,
                       totals.received});
    }
    return table;
}

/* ---- text ---- */

std::string Reports::text() const
{
    std::string text = "Profile of MPI calls\n====================\n";
    for (const auto &[name, value] : facts())
        text += print("%-12s %s\n", name.c_str(), value.c_str());
    const qmpi::Table processes = tasks();
    text += text_title("Processes (seconds)") + processes.note + (has_threads() ? "\n" : "") +
        processes.text();
    if (!calls_.empty())
        text += text_title("Calls in progress") + calls_note + "\n" + calls().text();
    text += sites_text("Call sites by time", top_sites(false));
    text += sites_text("Call sites by bytes", top_sites(true));
    text += text_title("Functions (time per process: min, mean, max, coefficient of variation)") +
        functions().text();
    const qmpi::Table by_size = sizes();
    if (!by_size.rows.empty())
        text += text_title(by_size.title) + by_size.text();
    if (options_.communicators)
        text += text_title("Communicators") + communicators(summary_.communicators).text();
    return text + "\n";
}

std::string Reports::sites_text(const std::string &title, std::vector<const Site *> shown) const
{
    const std::size_t number = shown.size();
    if (options_.sites > 0 && options_.sites < number)
        shown.resize(options_.sites);
    return text_title(print("%s (%zu of %zu)", title.c_str(), shown.size(), number)) +
        sites(shown).text();
}

/* ---- JSON and CSV ---- */

std::string Reports::json() const
{
    auto document = envelope(run_.introduction, run_.end, static_cast<int>(summary_.tasks.size()),
                             run_.is_alone);
    document.update({{"sample", options_.sample},
                     {"tasks", tasks().json()},
                     {"functions", functions().json()},
                     {"sites", sites(top_sites(false)).json()}});
    for (std::size_t i = 0; shows_calls() && i < summary_.tasks.size(); i++)
        document["tasks"][i]["current_calls"] = calls(&summary_.tasks[i]).json();
    if (options_.communicators) {
        auto &list = document["communicators"] = nlohmann::json::array();
        for (const auto &one : summary_.communicators)
            list.push_back({{"id", print("%016" PRIx64, one.first)},
                            {"name", one.second.name},
                            {"size", one.second.size},
                            {"is_inter", one.second.is_inter},
                            {"functions", communicators({one}).json()}});
    }
    return json_text(document);
}

std::string Reports::csv() const
{
    qmpi::Table table = calls_table();
    auto add = [&table](const char *kind, int function, const std::string &site,
                        const Totals &totals) {
        table.add({"profile", kind, function_name(function), site, totals.calls,
                   seconds(totals.time.sum), totals.sent, totals.received});
    };
    for (const Function &function : functions_)
        add("function", function.id, "", function.summary->totals);
    for (const Site &site : sites_)
        add("site", site.function, text_of(site.path), *site.totals);
    return table.csv();
}

/* ---- HTML ---- */

std::string Reports::html() const
{
    Page page("MPI profile", run_.introduction.command);
    auto list = facts();
    list.emplace_back("Application time",
                      print("%.3f s over all processes", seconds(summary_.application())));
    list.emplace_back("MPI time",
                      print("%.3f s, %.1f %%", seconds(summary_.mpi()),
                            share(static_cast<double>(summary_.mpi()),
                                  static_cast<double>(summary_.thread_time()))) +
                          (has_threads() ? " of the application time of all threads in MPI" : ""));
    page.facts(list);
    if (!calls_.empty())
        calls().add_to(page);
    add_bars(page);
    sites(top_sites(false)).add_to(page);
    functions().add_to(page);
    add_sizes(page);
    if (options_.communicators)
        communicators(summary_.communicators).add_to(page);
    tasks().add_to(page);
    return page.html();
}

/* The functions with the most time, and the rest as one series. */
void Reports::add_bars(Page &page) const
{
    std::vector<int> series;
    for (const Function &function : functions_) {
        if (!is_init_or_finalize(function.id) && series.size() < max_series)
            series.push_back(function.id);
    }
    std::vector<std::string> names{Page::application};
    for (const int function : series)
        names.emplace_back(function_name(function));
    names.emplace_back("Other MPI");

    std::vector<std::string> rows;
    std::vector<std::vector<double>> values;
    for (const Task &task : summary_.tasks) {
        rows.push_back(task.rank < 0 ? "Process " + std::to_string(task.process)
                                     : "Rank " + std::to_string(task.rank));
        auto other = static_cast<double>(task.mpi);
        std::vector<double> parts{
            seconds(std::max(static_cast<double>(task.thread_time()) - other, 0.0))};
        for (const int function : series) {
            const auto found = task.functions.find(function);
            const double time =
                found == task.functions.end() ? 0 : static_cast<double>(found->second);
            parts.push_back(seconds(time));
            other -= time;
        }
        parts.push_back(seconds(std::max(other, 0.0)));
        values.push_back(std::move(parts));
    }
    page.bars("Time per rank", rows, names, values, Unit::seconds,
              std::string("From the return of MPI_Init to MPI_Finalize.") +
                  (has_threads() ? " The times of threads that called MPI are added." : ""));
}

void Reports::add_sizes(Page &page) const
{
    std::vector<Bin> sent, received;
    for (std::size_t bin = 0; bin < size_bins; bin++) {
        double sending = 0, receiving = 0;
        for (const Function &function : functions_) {
            sending += static_cast<double>(function.summary->sent_sizes[bin]);
            receiving += static_cast<double>(function.summary->received_sizes[bin]);
        }
        if (sending > 0)
            sent.push_back({first_size(bin), next_size(bin), sending});
        if (receiving > 0)
            received.push_back({first_size(bin), next_size(bin), receiving});
    }
    page.histogram("Sizes of sent data", sent, Unit::bytes, "Calls by bytes sent.");
    page.histogram("Sizes of received data", received, Unit::bytes, "Calls by bytes received.");
}

}  // namespace qmpi::profile
