/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "overview.hpp"

#include "categories.hpp"

#include "../common/sizes.hpp"
#include "../common/text.hpp"

#include <algorithm>
#include <set>

namespace qmpi::trace {
namespace {

constexpr std::size_t max_lanes = 64, max_rows = 1024, max_spans = 65536;

/* "Rank 3", or "Ranks 16-31" if several share a lane. */
std::vector<std::string> names_of(const std::map<std::int32_t, std::size_t> &index_of_rank,
                                  std::size_t number)
{
    struct Range {
        std::int32_t first = -1, last = -1;
    };
    std::vector<Range> ranges(number);
    for (const auto &[rank, index] : index_of_rank) {
        Range &range = ranges[index * number / index_of_rank.size()];
        if (range.first < 0)
            range.first = rank;
        range.last = rank;
    }
    std::vector<std::string> names;
    names.reserve(ranges.size());
    for (const Range &range : ranges)
        names.push_back(range.first == range.last ? "Rank " + std::to_string(range.first)
                                                  : "Ranks " + std::to_string(range.first) + "-" +
                                std::to_string(range.last));
    return names;
}

}  // namespace

Overview::Overview(const Definitions &definitions)
    : definitions_(definitions),
      number_of_lanes_(std::min(definitions.processes.size(), max_lanes)),
      number_of_slots_(
          std::min<std::size_t>(2048, max_spans / std::max<std::size_t>(number_of_lanes_, 1))),
      number_of_rows_(std::min(definitions.processes.size(), max_rows))
{
    for (const auto &entry : definitions.processes)
        index_of_rank_.emplace(entry.first, index_of_rank_.size());
    for (const auto &[name, number] : definitions.functions) {
        if (const int id = id_of(name); id != no_function)
            number_of_function_.emplace(id, number);
    }
    slot_ = static_cast<double>(definitions.end - definitions.begin + 1) /
        static_cast<double>(number_of_slots_);
    threads_.resize(number_of_lanes_);
    times_.assign(number_of_rows_, std::vector<double>(definitions.functions.size()));
    sums_.resize(definitions.functions.size());
    sizes_.resize(qmpi::size_bins);
}

/* ---- events ---- */

void Overview::begin(std::int32_t rank, std::int32_t thread)
{
    rank_ = rank;
    thread_ = thread;
    const std::size_t index = index_of_rank_.at(rank);
    clock_ = &definitions_.processes.at(rank).clock;
    lane_ = index * number_of_lanes_ / index_of_rank_.size();
    row_ = index * number_of_rows_ / index_of_rank_.size();
    threads_[lane_]++;
}

void Overview::enter(std::uint64_t time, std::uint32_t function, std::uint32_t site)
{
    sums_[function].calls++;
    open_.push_back({clock_->global(time), function, site});
}

/* Nested calls (from callbacks) belong to the outer call. */
void Overview::leave(std::uint64_t time, std::uint32_t function, bool has_ended)
{
    const Open call = open_.back();
    open_.pop_back();
    const std::uint64_t end = std::max(clock_->global(time), call.begin);
    const double seconds = static_cast<double>(end - call.begin) / 1e9;
    sums_[function].time += seconds;
    if (!has_ended)
        in_progress_.push_back({rank_, thread_, call.site, seconds});
    if (!open_.empty())
        return;
    times_[row_][function] += seconds;
    add_time(call.begin, end, function);
}

void Overview::transfer(Kind kind, std::uint64_t, std::uint32_t, const Transfer &transfer)
{
    /* The function that described the operation, not the one that completes it */
    const auto function = number_of_function_.find(transfer.function);
    if (function != number_of_function_.end()) {
        sums_[function->second].sent += transfer.sent;
        sums_[function->second].received += transfer.received;
    }
    if (kind == Kind::send || kind == Kind::isend)
        sizes_[qmpi::bin_of(transfer.sent)]++;
}

void Overview::end() {}

void Overview::add_time(std::uint64_t begin, std::uint64_t end, std::uint32_t function)
{
    auto slot_of = [this](std::uint64_t time) {
        const double position =
            static_cast<double>(time - std::min(time, definitions_.begin)) / slot_;
        return std::min(static_cast<std::size_t>(position), number_of_slots_ - 1);
    };
    const auto base = static_cast<double>(definitions_.begin);
    for (std::size_t slot = slot_of(begin); slot <= slot_of(end); slot++) {
        const double from =
            std::max(static_cast<double>(begin), base + static_cast<double>(slot) * slot_);
        const double to =
            std::min(static_cast<double>(end), base + static_cast<double>(slot + 1) * slot_);
        slots_[key_of({lane_, slot}, function)] += std::max(to - from, 0.0) / 1e9;
    }
}

/* ---- merging ---- */

void Overview::write(qmpi::Writer &writer) const
{
    writer.put(slots_);
    writer.put(threads_);
    writer.put(sizes_);
    writer.put(sums_);
    /* Most rows belong to other ranks. */
    for (std::uint64_t row = 0; row < times_.size(); row++) {
        if (std::any_of(times_[row].begin(), times_[row].end(),
                        [](double time) { return time > 0; })) {
            writer.put(row);
            writer.put(times_[row]);
        }
    }
}

void Overview::merge(qmpi::Reader &reader)
{
    auto add = [](auto &sums, const auto &others) {
        for (std::size_t i = 0; i < sums.size(); i++)
            sums[i] += others.at(i);
    };
    for (const auto &[key, time] : reader.get<decltype(slots_)>())
        slots_[key] += time;
    add(threads_, reader.get<decltype(threads_)>());
    add(sizes_, reader.get<decltype(sizes_)>());
    add(sums_, reader.get<decltype(sums_)>());
    while (!reader.at_end()) {
        const auto row = reader.get<std::uint64_t>();
        add(times_.at(row), reader.get<std::vector<double>>());
    }
}

/* ---- the page ---- */

/* The dominant activity of each slot; equal neighbours become one span. */
std::vector<qmpi::Span> Overview::spans() const
{
    std::vector<std::string> names;
    for (const auto &entry : definitions_.functions)
        names.push_back(entry.first);

    std::vector<qmpi::Span> spans;
    const double slot_time = slot_ / 1e9;
    auto used = slots_.begin();
    for (std::uint64_t lane = 0; lane < number_of_lanes_; lane++) {
        for (std::uint64_t slot = 0; slot < number_of_slots_; slot++) {
            double application = slot_time * threads_[lane], most = 0;
            std::string main = qmpi::Page::application;
            for (; used != slots_.end() && used->first < key_of({lane, slot + 1}, 0); ++used) {
                application -= used->second;
                if (used->second > most) {
                    most = used->second;
                    main = names[used->first % names.size()];
                }
            }
            if (application > most)
                main = qmpi::Page::application;
            const double begin = static_cast<double>(slot) * slot_time;
            if (slot > 0 && spans.back().category == main)
                spans.back().end = begin + slot_time;
            else
                spans.push_back({static_cast<int>(lane), begin, begin + slot_time, main});
        }
    }
    return spans;
}

void Overview::add_open_calls(qmpi::Page &page) const
{
    std::vector<const Site *> sites;
    for (const auto &entry : definitions_.sites)
        sites.push_back(&entry.first);
    std::vector<std::vector<nlohmann::json>> rows;
    for (const OpenCall &call : in_progress_) {
        const Site &site = *sites[call.site];
        rows.push_back({call.rank, call.thread, site.function, call.seconds, site.caller});
    }
    page.table("Calls in progress",
               {{"Rank", qmpi::Unit::number},
                {"Thread", qmpi::Unit::number},
                {"Function", qmpi::Unit::text},
                {"Time so far", qmpi::Unit::seconds},
                {"Call site", qmpi::Unit::text}},
               rows, open_calls_note);
}

std::string Overview::html() const
{
    std::uint64_t calls = 0, sent = 0;
    std::set<std::string> hosts;
    std::size_t threads = 0;
    for (const Sums &sums : sums_) {
        calls += sums.calls;
        sent += sums.sent;
    }
    for (const auto &entry : definitions_.processes) {
        hosts.insert(entry.second.host);
        threads += entry.second.threads.size();
    }
    const double seconds = static_cast<double>(definitions_.end - definitions_.begin) / 1e9;
    const std::string program =
        definitions_.processes.empty() ? "" : definitions_.processes.begin()->second.program;

    qmpi::Page page("Trace of " + program,
                    number_of(index_of_rank_.size(), "rank") + ", " + number_of(threads, "thread") +
                        " on " + number_of(hosts.size(), "host"));
    page.facts({{"Program", program},
                {"Ranks", std::to_string(index_of_rank_.size())},
                {"Threads", std::to_string(threads)},
                {"Hosts", std::to_string(hosts.size())},
                {"Duration", qmpi::print("%.6g s", seconds)},
                {"MPI calls", qmpi::grouped(calls)},
                {"Bytes sent", qmpi::grouped(sent)}});

    if (!in_progress_.empty())
        add_open_calls(page);
    page.timeline("Timeline", names_of(index_of_rank_, number_of_lanes_), spans(),
                  "Each interval shows its dominant activity. The full trace is in the files "
                  "next to this page.");

    std::vector<std::string> functions;
    std::vector<std::vector<nlohmann::json>> rows;
    for (const auto &[name, number] : definitions_.functions) {
        functions.push_back(name);
        const Sums &sums = sums_[number];
        rows.push_back({name, sums.calls, sums.time,
                        sums.calls > 0 ? sums.time / static_cast<double>(sums.calls) : 0.0,
                        sums.sent, sums.received});
    }
    std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a[2] > b[2]; });
    page.bars("Time in MPI by function", names_of(index_of_rank_, number_of_rows_), functions,
              times_, qmpi::Unit::seconds);
    page.table("Functions",
               {{"Function", qmpi::Unit::text},
                {"Calls", qmpi::Unit::number},
                {"Time", qmpi::Unit::seconds},
                {"Time per call", qmpi::Unit::seconds},
                {"Sent", qmpi::Unit::bytes},
                {"Received", qmpi::Unit::bytes}},
               rows);

    std::vector<qmpi::Bin> bins;
    for (std::size_t i = 0; i < sizes_.size(); i++) {
        if (sizes_[i] > 0 || !bins.empty())
            bins.push_back(
                {qmpi::first_size(i), qmpi::next_size(i), static_cast<double>(sizes_[i])});
    }
    while (!bins.empty() && bins.back().count == 0)
        bins.pop_back();
    if (!bins.empty())
        page.histogram("Message sizes", bins, qmpi::Unit::bytes);
    return page.html();
}

}  // namespace qmpi::trace
