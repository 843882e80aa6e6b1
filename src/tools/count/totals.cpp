/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "totals.hpp"

#include "../common/process.hpp"
#include "../common/text.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <functional>

namespace qmpi::count {
namespace {

struct Line {
    const char *name;
    std::uint64_t calls, min, max, sent, received;
};

template <typename Operation>
void merge(Totals::Column &column, Reader &reader, Operation operation)
{
    const auto other = reader.get<Totals::Column>();
    for (std::size_t i = 0; i < column.size(); i++)
        column[i] = operation(column[i], other.at(i));
}

std::vector<Line> lines_of(const Totals &totals, Order order)
{
    std::vector<Line> lines;
    for (std::size_t i = 0; i < totals.calls.size(); i++) {
        if (totals.calls[i] > 0)
            lines.push_back({function_name(static_cast<int>(i)), totals.calls[i], totals.min[i],
                             totals.max[i], totals.sent[i], totals.received[i]});
    }

    std::sort(lines.begin(), lines.end(), [order](const Line &a, const Line &b) {
        const std::uint64_t a_bytes = a.sent + a.received, b_bytes = b.sent + b.received;
        if (order == Order::bytes && a_bytes != b_bytes)
            return a_bytes > b_bytes;
        if (a.calls != b.calls)
            return a.calls > b.calls;
        if (a_bytes != b_bytes)
            return a_bytes > b_bytes;
        return std::strcmp(a.name, b.name) < 0;
    });
    return lines;
}

std::string table(const std::string &heading, const Totals &totals, Order order)
{
    const std::vector<Line> lines = lines_of(totals, order);
    int width = 8;
    for (const Line &line : lines)
        width = std::max(width, static_cast<int>(std::strlen(line.name)));

    std::string text = heading + "\n";
    text += print("%-*s %12s %12s %12s %16s %16s\n", width, "Function", "Calls", "Min/process",
                  "Max/process", "Bytes sent", "Bytes total");
    std::uint64_t calls = 0, sent = 0, received = 0;
    for (const Line &line : lines) {
        text += print(
            "%-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %16" PRIu64 " %16" PRIu64 "\n", width,
            line.name, line.calls, line.min, line.max, line.sent, line.sent + line.received);
        calls += line.calls;
        sent += line.sent;
        received += line.received;
    }
    text += print("%-*s %12" PRIu64 " %12s %12s %16" PRIu64 " %16" PRIu64 "\n\n", width, "(all)",
                  calls, "", "", sent, sent + received);
    return text;
}

}  // namespace

Totals Totals::of(const RecordView &record)
{
    Totals totals;
    record.each([&totals](std::uint32_t kind, std::string_view content) {
        if (static_cast<Kind>(kind) != Kind::counters)
            return;
        const auto &counters = block_as<Counters>(content);
        for (std::size_t i = 0; i < counters.size(); i++) {
            totals.calls[i] = counters[i].calls.load(std::memory_order_relaxed);
            totals.sent[i] = counters[i].sent.load(std::memory_order_relaxed);
            totals.received[i] = counters[i].received.load(std::memory_order_relaxed);
        }
    });
    totals.min = totals.max = totals.calls;
    return totals;
}

void Totals::write(Writer &writer) const
{
    writer.put(processes);
    for (const Column *column : {&calls, &min, &max, &sent, &received})
        writer.put(*column);
}

void Totals::merge(Reader &reader)
{
    processes += reader.get<int>();
    count::merge(calls, reader, std::plus<>());
    count::merge(min, reader, [](auto a, auto b) { return std::min(a, b); });
    count::merge(max, reader, [](auto a, auto b) { return std::max(a, b); });
    count::merge(sent, reader, std::plus<>());
    count::merge(received, reader, std::plus<>());
}

std::string text_of(const Totals &totals, const Introduction &introduction, bool is_alone)
{
    const std::string processes = is_alone
        ? print("process %d on %s only", introduction.process, introduction.host.c_str())
        : number_of(totals.processes, "process", "es") + " of MPI_COMM_WORLD" +
            absent_text(introduction.absent);
    return table(
        "count: " +
            instance_text(introduction.instance, introduction.instances, introduction.tool_id) +
            ", " + processes,
        totals, Options(qmpi::arguments(introduction.arguments)).sort);
}

}  // namespace qmpi::count
