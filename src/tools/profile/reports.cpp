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
using Lines = std::vector<std::vector<json>>;

constexpr double seconds_per_ns = 1e-9, ms_per_ns = 1e-6, us_per_ns = 1e-3;

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
    "MPI is the sum over the threads that called MPI, and MPI % its share of their application "
    "time.";
constexpr const char *threads_page_note =
    "MPI is the sum over the threads that called MPI, and its share is that of their application "
    "time.";

const char *state_of(const Task &task)
{
    return task.life == Life::running ? "running" : task.life == Life::ended ? "ended" : "unknown";
}

/* Wall-clock time; "-" if unknown. */
std::string begin_of(const OpenCall &call)
{
    return call.is_timed ? local_time(static_cast<std::time_t>(call.begin / ns_per_second)) : "-";
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

std::string title_line(const std::string &title)
{
    return "\n" + title + "\n" + std::string(title.size(), '-') + "\n";
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

json bytes_json(const Totals &totals)
{
    return {
        {"calls", totals.calls}, {"sent_bytes", totals.sent}, {"received_bytes", totals.received}};
}

json json_of_path(const std::vector<CallSite> &path)
{
    json list = json::array();
    for (const CallSite &frame : path)
        list.push_back(qmpi::json_of(frame));
    return list;
}

/* Nanoseconds in seconds. */
json spread_json(double min, double mean, double max)
{
    return {{"min", min * seconds_per_ns},
            {"mean", mean * seconds_per_ns},
            {"max", max * seconds_per_ns}};
}

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

/* ---- text ---- */

std::string Reports::text() const
{
    std::string text = "Profile of MPI calls\n====================\n";
    for (const auto &[name, value] : facts())
        text += print("%-12s %s\n", name.c_str(), value.c_str());
    text += tasks_text();
    if (!calls_.empty())
        text += calls_text();
    text += sites_text("Call sites by time", top_sites(false));
    text += sites_text("Call sites by bytes", top_sites(true));
    text += functions_text();
    text += sizes_text();
    if (options_.communicators)
        text += communicators_text();
    return text + "\n";
}

std::string Reports::tasks_text() const
{
    auto line = [](const std::string &rank, Time application, Time mpi, Time of_threads,
                   const std::string &where) {
        return print("%8s %14.6f %14.6f %7.2f  %s\n", rank.c_str(),
                     static_cast<double>(application) * seconds_per_ns,
                     static_cast<double>(mpi) * seconds_per_ns,
                     share(static_cast<double>(mpi), static_cast<double>(of_threads)),
                     where.c_str());
    };
    std::string text = title_line("Processes (seconds)");
    if (has_threads())
        text += std::string(threads_note) + "\n";
    text +=
        print("%8s %14s %14s %7s  %s\n", "Rank", "Application", "MPI", "MPI %", "Host, process");
    for (const Task &task : summary_.tasks)
        text += line(task.rank < 0 ? "-" : std::to_string(task.rank), task.application, task.mpi,
                     task.thread_time(), task.host + ", " + std::to_string(task.process));
    return text + line("all", summary_.application(), summary_.mpi(), summary_.thread_time(), "");
}

std::string Reports::calls_text() const
{
    std::string text = title_line("Calls in progress");
    text += std::string(calls_note) + "\n";
    text += print("%8s %6s %-24s %14s %-25s %-7s  %s\n", "Rank", "Thread", "Function", "Seconds",
                  "Since", "Process", "Call site");
    for (const Call &call : calls_) {
        const OpenCall &open = *call.call;
        text += print("%8s %6" PRIu64 " %-24s %14s %-25s %-7s  %s\n",
                      call.task->rank < 0 ? "-" : std::to_string(call.task->rank).c_str(),
                      open.thread, function_name(open.function),
                      open.is_timed
                          ? print("%.6f", static_cast<double>(open.time) * seconds_per_ns).c_str()
                          : "-",
                      begin_of(open).c_str(), state_of(*call.task), site_of(call.path).c_str());
    }
    return text;
}

std::string Reports::sites_text(const std::string &title,
                                const std::vector<const Site *> &sites) const
{
    const std::size_t shown =
        options_.sites == 0 ? sites.size() : std::min<std::size_t>(options_.sites, sites.size());
    std::string text = title_line(print("%s (%zu of %zu)", title.c_str(), shown, sites.size()));
    text += print("%5s %-24s %10s %12s %11s %11s %11s %6s %6s %14s %14s  %s\n", "Site", "Function",
                  "Calls", "Time ms", "Min us", "Mean us", "Max us", "App %", "MPI %", "Bytes sent",
                  "Received", "Call site");
    for (std::size_t i = 0; i < shown; i++) {
        const Site &site = *sites[i];
        const Totals &totals = *site.totals;
        text +=
            print("%5td %-24s %10" PRIu64 " %12.3f %11.3f %11.3f %11.3f %6.2f %6.2f %14" PRIu64
                  " %14" PRIu64 "  ",
                  &site - sites_.data() + 1, function_name(site.function), totals.calls,
                  totals.time.sum * ms_per_ns, totals.min_time() * us_per_ns,
                  totals.mean_time() * us_per_ns, static_cast<double>(totals.longest) * us_per_ns,
                  share_of_application(site.function, totals.time.sum),
                  share_of_mpi(site.function, totals.time.sum), totals.sent, totals.received);
        text += text_of(site.path) + "\n";
    }
    return text;
}

std::string Reports::functions_text() const
{
    const auto ranks = static_cast<std::uint64_t>(summary_.tasks.size());
    std::string text =
        title_line("Functions (time per process: min, mean, max, coefficient of variation)");
    text += print("%-28s %10s %12s %11s %11s %11s %6s %6s %6s %14s %14s\n", "Function", "Calls",
                  "Time ms", "Min ms", "Mean ms", "Max ms", "Cov", "App %", "MPI %", "Bytes sent",
                  "Received");
    for (const Function &function : functions_) {
        const Totals &totals = function.summary->totals;
        text += print("%-28s %10" PRIu64 " %12.3f %11.3f %11.3f %11.3f %6.2f %6.2f %6.2f %14" PRIu64
                      " %14" PRIu64 "\n",
                      function_name(function.id), totals.calls, totals.time.sum * ms_per_ns,
                      totals.time.min_of(ranks) * ms_per_ns, totals.time.mean(ranks) * ms_per_ns,
                      totals.time.max * ms_per_ns, totals.time.variation(ranks),
                      share_of_application(function.id, totals.time.sum),
                      share_of_mpi(function.id, totals.time.sum), totals.sent, totals.received);
    }
    return text;
}

std::string Reports::sizes_text() const
{
    std::string text;
    for (const Function &function : functions_) {
        const FunctionSummary &summary = *function.summary;
        for (std::size_t bin = 0; bin < size_bins; bin++) {
            if (summary.sent_sizes[bin] + summary.received_sizes[bin] == 0)
                continue;
            text += print("%-28s %20.0f %20.0f %12" PRIu64 " %12" PRIu64 "\n",
                          function_name(function.id), first_size(bin), last_size(bin),
                          summary.sent_sizes[bin], summary.received_sizes[bin]);
        }
    }
    if (text.empty())
        return "";
    return title_line("Message sizes (calls by bytes)") +
        print("%-28s %20s %20s %12s %12s\n", "Function", "From bytes", "To", "Sending",
              "Receiving") +
        text;
}

std::string Reports::communicators_text() const
{
    std::string text = title_line("Communicators");
    text += print("%-24s %8s %-28s %10s %12s %14s %14s\n", "Communicator", "Size", "Function",
                  "Calls", "Time ms", "Bytes sent", "Received");
    for (const auto &[id, communicator] : summary_.communicators) {
        for (const auto &[function, totals] : communicator.functions)
            text +=
                print("%-24s %8d %-28s %10" PRIu64 " %12.3f %14" PRIu64 " %14" PRIu64 "\n",
                      name_of(id, communicator).c_str(), communicator.size, function_name(function),
                      totals.calls, totals.time.sum * ms_per_ns, totals.sent, totals.received);
    }
    return text;
}

/* ---- JSON ---- */

std::string Reports::json() const
{
    auto document = envelope(run_.introduction, run_.end, static_cast<int>(summary_.tasks.size()),
                             run_.is_alone);
    document.update({{"sample", options_.sample},
                     {"tasks", tasks_json()},
                     {"functions", functions_json()},
                     {"sites", sites_json()}});
    if (options_.communicators)
        document["communicators"] = communicators_json();
    return json_text(document);
}

nlohmann::json Reports::tasks_json() const
{
    auto tasks = nlohmann::json::array();
    auto call = calls_.begin();
    for (const Task &task : summary_.tasks) {
        auto functions = nlohmann::json::object();
        for (const auto &[function, time] : task.functions)
            functions[function_name(function)] = static_cast<double>(time) * seconds_per_ns;
        tasks.push_back({{"rank", task.rank},
                         {"host", task.host},
                         {"process", task.process},
                         {"threads", task.threads},
                         {"application_s", static_cast<double>(task.application) * seconds_per_ns},
                         {"mpi_s", static_cast<double>(task.mpi) * seconds_per_ns},
                         {"functions_s", functions}});
        if (!shows_calls())
            continue;
        auto &current = tasks.back()["current_calls"] = nlohmann::json::array();
        for (; call != calls_.end() && call->task == &task; ++call)
            current.push_back(json_of(*call));
    }
    return tasks;
}

nlohmann::json Reports::json_of(const Call &call)
{
    const OpenCall &open = *call.call;
    nlohmann::json line = {{"thread", open.thread},
                           {"function", function_name(open.function)},
                           {"path", json_of_path(call.path)},
                           {"since", nullptr},
                           {"time_s", nullptr}};
    if (open.is_timed)
        line.update({{"since", begin_of(open)},
                     {"time_s", static_cast<double>(open.time) * seconds_per_ns}});
    return line;
}

nlohmann::json Reports::functions_json() const
{
    const auto ranks = static_cast<std::uint64_t>(summary_.tasks.size());
    auto functions = nlohmann::json::array();
    for (const Function &function : functions_) {
        const Totals &totals = function.summary->totals;
        auto line = bytes_json(totals);
        line.update(
            {{"name", function_name(function.id)},
             {"timed_calls", totals.timed_calls},
             {"ranks", totals.time.ranks},
             {"time_s", totals.time.sum * seconds_per_ns},
             {"process_time_s",
              spread_json(totals.time.min_of(ranks), totals.time.mean(ranks), totals.time.max)},
             {"cov", totals.time.variation(ranks)},
             {"application_percent", share_of_application(function.id, totals.time.sum)},
             {"mpi_percent", share_of_mpi(function.id, totals.time.sum)},
             {"sent_sizes", sizes_json(function.summary->sent_sizes)},
             {"received_sizes", sizes_json(function.summary->received_sizes)}});
        functions.push_back(std::move(line));
    }
    return functions;
}

nlohmann::json Reports::sites_json() const
{
    auto sites = nlohmann::json::array();
    for (const Site &site : sites_) {
        const Totals &totals = *site.totals;
        auto line = bytes_json(totals);
        line.update({{"function", function_name(site.function)},
                     {"path", json_of_path(site.path)},
                     {"timed_calls", totals.timed_calls},
                     {"ranks", totals.time.ranks},
                     {"time_s", totals.time.sum * seconds_per_ns},
                     {"call_time_s",
                      spread_json(totals.min_time(), totals.mean_time(),
                                  static_cast<double>(totals.longest))}});
        sites.push_back(std::move(line));
    }
    return sites;
}

std::string text_of_path(const nlohmann::json &path)
{
    std::string text;
    for (const auto &frame : path) {
        CallSite site;
        site.function = frame.value("function", "");
        site.file = frame.value("file", "");
        site.line = frame.value("line", 0);
        site.module = frame.value("module", "");
        site.offset = frame.value("offset", std::uint64_t{0});
        text += (text.empty() ? "" : " < ") + qmpi::text_of(site);
    }
    return text;
}

nlohmann::json Reports::communicators_json() const
{
    auto communicators = nlohmann::json::array();
    for (const auto &[id, communicator] : summary_.communicators) {
        auto lines = nlohmann::json::array();
        for (const auto &[function, totals] : communicator.functions) {
            auto line = bytes_json(totals);
            line.update({{"name", function_name(function)},
                         {"ranks", totals.time.ranks},
                         {"time_s", totals.time.sum * seconds_per_ns}});
            lines.push_back(std::move(line));
        }
        communicators.push_back({{"id", print("%016" PRIx64, id)},
                                 {"name", communicator.name},
                                 {"size", communicator.size},
                                 {"is_inter", communicator.is_inter},
                                 {"functions", lines}});
    }
    return communicators;
}

/* ---- HTML ---- */

std::string Reports::html() const
{
    const double application = static_cast<double>(summary_.application()) * seconds_per_ns;
    const double mpi = static_cast<double>(summary_.mpi()) * seconds_per_ns;
    Page page("MPI profile", run_.introduction.command);
    auto list = facts();
    list.emplace_back("Application time", print("%.3f s over all processes", application));
    list.emplace_back("MPI time",
                      print("%.3f s, %.1f %%", mpi,
                            share(static_cast<double>(summary_.mpi()),
                                  static_cast<double>(summary_.thread_time()))) +
                          (has_threads() ? " of the application time of all threads in MPI" : ""));
    page.facts(list);
    if (!calls_.empty())
        add_calls(page);
    add_bars(page);
    add_sites(page);
    add_functions(page);
    add_sizes(page);
    if (options_.communicators)
        add_communicators(page);
    add_processes(page);
    return page.html();
}

void Reports::add_calls(Page &page) const
{
    Lines lines;
    for (const Call &call : calls_) {
        const OpenCall &open = *call.call;
        lines.push_back({call.task->rank, open.thread, function_name(open.function),
                         open.is_timed
                             ? nlohmann::json(static_cast<double>(open.time) * seconds_per_ns)
                             : nlohmann::json(),
                         begin_of(open), state_of(*call.task), site_of(call.path)});
    }
    page.table("Calls in progress",
               {{"Rank", Unit::number},
                {"Thread", Unit::number},
                {"Function", Unit::text},
                {"Time so far", Unit::seconds},
                {"Since", Unit::text},
                {"Process", Unit::text},
                {"Call site", Unit::text}},
               lines, calls_note);
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
        std::vector<double> parts{std::max(static_cast<double>(task.thread_time()) - other, 0.0) *
                                  seconds_per_ns};
        for (const int function : series) {
            const auto found = task.functions.find(function);
            const double time =
                found == task.functions.end() ? 0 : static_cast<double>(found->second);
            parts.push_back(time * seconds_per_ns);
            other -= time;
        }
        parts.push_back(std::max(other, 0.0) * seconds_per_ns);
        values.push_back(std::move(parts));
    }
    page.bars("Time per rank", rows, names, values, Unit::seconds,
              std::string("From the return of MPI_Init to MPI_Finalize.") +
                  (has_threads() ? " The times of threads that called MPI are added." : ""));
}

void Reports::add_sites(Page &page) const
{
    Lines lines;
    for (const Site &site : sites_) {
        const Totals &totals = *site.totals;
        lines.push_back({function_name(site.function), text_of(site.path), totals.calls,
                         totals.time.sum * seconds_per_ns, totals.min_time() * seconds_per_ns,
                         totals.mean_time() * seconds_per_ns,
                         static_cast<double>(totals.longest) * seconds_per_ns,
                         share_of_application(site.function, totals.time.sum),
                         share_of_mpi(site.function, totals.time.sum), totals.sent,
                         totals.received});
    }
    page.table("Call sites",
               {{"Function", Unit::text},
                {"Call site", Unit::text},
                {"Calls", Unit::number},
                {"Time", Unit::seconds},
                {"Min", Unit::seconds},
                {"Mean", Unit::seconds},
                {"Max", Unit::seconds},
                {"Application", Unit::percent},
                {"MPI", Unit::percent},
                {"Sent", Unit::bytes},
                {"Received", Unit::bytes}},
               lines);
}

void Reports::add_functions(Page &page) const
{
    const auto ranks = static_cast<std::uint64_t>(summary_.tasks.size());
    Lines lines;
    for (const Function &function : functions_) {
        const Totals &totals = function.summary->totals;
        lines.push_back({function_name(function.id), totals.calls, totals.time.sum * seconds_per_ns,
                         totals.time.min_of(ranks) * seconds_per_ns,
                         totals.time.mean(ranks) * seconds_per_ns, totals.time.max * seconds_per_ns,
                         totals.time.variation(ranks),
                         share_of_application(function.id, totals.time.sum),
                         share_of_mpi(function.id, totals.time.sum), totals.sent, totals.received});
    }
    page.table("Functions",
               {{"Function", Unit::text},
                {"Calls", Unit::number},
                {"Time", Unit::seconds},
                {"Min per process", Unit::seconds},
                {"Mean per process", Unit::seconds},
                {"Max per process", Unit::seconds},
                {"Variation", Unit::number},
                {"Application", Unit::percent},
                {"MPI", Unit::percent},
                {"Sent", Unit::bytes},
                {"Received", Unit::bytes}},
               lines, "Variation: standard deviation over the ranks divided by the mean.");
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

void Reports::add_communicators(Page &page) const
{
    Lines lines;
    for (const auto &[id, communicator] : summary_.communicators) {
        for (const auto &[function, totals] : communicator.functions)
            lines.push_back({name_of(id, communicator), communicator.size, function_name(function),
                             totals.calls, totals.time.sum * seconds_per_ns, totals.sent,
                             totals.received});
    }
    page.table("Communicators",
               {{"Communicator", Unit::text},
                {"Size", Unit::number},
                {"Function", Unit::text},
                {"Calls", Unit::number},
                {"Time", Unit::seconds},
                {"Sent", Unit::bytes},
                {"Received", Unit::bytes}},
               lines);
}

void Reports::add_processes(Page &page) const
{
    Lines lines;
    for (const Task &task : summary_.tasks)
        lines.push_back(
            {task.rank, task.host, task.process, task.threads,
             static_cast<double>(task.application) * seconds_per_ns,
             static_cast<double>(task.mpi) * seconds_per_ns,
             share(static_cast<double>(task.mpi), static_cast<double>(task.thread_time()))});
    page.table("Processes",
               {{"Rank", Unit::number},
                {"Host", Unit::text},
                {"Process", Unit::number},
                {"Threads", Unit::number},
                {"Application", Unit::seconds},
                {"MPI", Unit::seconds},
                {"Share of MPI", Unit::percent}},
               lines, has_threads() ? threads_page_note : "");
}

}  // namespace qmpi::profile
