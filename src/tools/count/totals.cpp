/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "totals.hpp"

#include "../common/process.hpp"
#include "../common/table.hpp"

#include <algorithm>
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
    for (const Column *column : {&calls, &min, &max, &sent, &received})
        writer.put(*column);
}

void Totals::merge(Reader &reader)
{
    count::merge(calls, reader, std::plus<>());
    count::merge(min, reader, [](auto a, auto b) { return std::min(a, b); });
    count::merge(max, reader, [](auto a, auto b) { return std::max(a, b); });
    count::merge(sent, reader, std::plus<>());
    count::merge(received, reader, std::plus<>());
}

void Totals::report(TableReport &report) const
{
    Table table("Functions",
                {{"Function", Unit::text, "name", {"", 8}},
                 {"Calls", Unit::number, "calls", {"", 12}},
                 {"Min/process", Unit::number, "process_calls/min", {"", 12}},
                 {"Max/process", Unit::number, "process_calls/max", {"", 12}},
                 {"Bytes sent", Unit::bytes, "sent_bytes", {"", 16}},
                 {"", Unit::bytes, "received_bytes"},
                 {"Bytes total", Unit::bytes, "", {"", 16}}});
    Table lines = calls_table();
    Line all{"(all)", 0, 0, 0, 0, 0};
    for (const Line &line :
         lines_of(*this, Options(arguments(report.introduction().arguments)).sort)) {
        table.add({line.name, line.calls, line.min, line.max, line.sent, line.received,
                   line.sent + line.received});
        lines.add({"count", "function", line.name, "", line.calls, 0.0, line.sent, line.received});
        all.calls += line.calls;
        all.sent += line.sent;
        all.received += line.received;
    }
    table.total = {all.name, all.calls, "", "", all.sent, all.received, all.sent + all.received};
    report.add("functions", std::move(table));
    report.set_csv(lines.csv());
}

}  // namespace qmpi::count
