/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "count": calls and bytes of every function, one table per instance in the chain. The manual
 * page qmpi-count(7) defines a byte; common/movement.hpp implements it. */

#include "common/bytes.hpp"
#include "common/process.hpp"
#include "common/reporting_tool.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using tools::print;

/* Relaxed order: no other data depends on a counter. */
struct Counter {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};

    static void add(std::atomic<std::uint64_t> &counter, std::uint64_t number)
    {
        counter.fetch_add(number, std::memory_order_relaxed);
    }

    void add(const tools::Bytes &bytes)
    {
        add(sent, bytes.sent);
        add(received, bytes.received);
    }
};

using Counters = std::array<Counter, MPI_LAST_FUNC_T>;

/* ---- the report ---- */

struct Line {
    const char *name;
    std::uint64_t calls, min, max, sent, received;
};

/* Sums per function over some processes. */
struct Totals {
    using Column = std::vector<std::uint64_t>;

    Column calls = Column(MPI_LAST_FUNC_T), min = calls, max = calls;
    Column sent = calls, received = calls;
    int processes = 1;

    void write(tools::Writer &writer) const
    {
        writer.put(processes);
        for (const Column *column : {&calls, &min, &max, &sent, &received})
            writer.put(*column);
    }

    void merge(tools::Reader &reader)
    {
        processes += reader.get<int>();
        merge(calls, reader, std::plus<std::uint64_t>());
        merge(min, reader, [](auto a, auto b) { return std::min(a, b); });
        merge(max, reader, [](auto a, auto b) { return std::max(a, b); });
        merge(sent, reader, std::plus<std::uint64_t>());
        merge(received, reader, std::plus<std::uint64_t>());
    }

  private:
    template <typename Operation>
    static void merge(Column &column, tools::Reader &reader, Operation operation)
    {
        const auto other = reader.get<Column>();
        std::transform(column.begin(), column.end(), other.begin(), column.begin(), operation);
    }
};

Totals totals_of_process(const Counters &counters)
{
    Totals totals;
    for (std::size_t i = 0; i < counters.size(); i++) {
        totals.calls[i] = counters[i].calls.load(std::memory_order_relaxed);
        totals.sent[i] = counters[i].sent.load(std::memory_order_relaxed);
        totals.received[i] = counters[i].received.load(std::memory_order_relaxed);
    }
    totals.min = totals.max = totals.calls;
    return totals;
}

bool read_order(const qmpi::arguments &arguments)
{
    const std::string order = arguments.get("sort", "calls");
    if (order != "calls" && order != "bytes")
        throw qmpi::argument_error("argument sort=" + order + ": must be calls or bytes");
    return order == "bytes";
}

std::vector<Line> lines_of(const Totals &totals, bool by_bytes)
{
    std::vector<Line> lines;
    for (std::size_t i = 0; i < totals.calls.size(); i++) {
        if (totals.calls[i] > 0)
            lines.push_back({tools::function_name(static_cast<int>(i)), totals.calls[i],
                             totals.min[i], totals.max[i], totals.sent[i], totals.received[i]});
    }

    std::sort(lines.begin(), lines.end(), [by_bytes](const Line &a, const Line &b) {
        const std::uint64_t a_bytes = a.sent + a.received, b_bytes = b.sent + b.received;
        if (by_bytes && a_bytes != b_bytes)
            return a_bytes > b_bytes;
        if (a.calls != b.calls)
            return a.calls > b.calls;
        if (a_bytes != b_bytes)
            return a_bytes > b_bytes;
        return std::strcmp(a.name, b.name) < 0;
    });
    return lines;
}

std::string table(const std::string &heading, const Totals &totals, bool by_bytes)
{
    const std::vector<Line> lines = lines_of(totals, by_bytes);
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

/* ---- the tool ---- */

class Count : public tools::ReportingTool<Count> {
  public:
    static constexpr const char *description = "counts calls and bytes of every function";
    static constexpr const char *argument_list =
        "out=NAME          file for the table, or - for standard error (default)\n"
        "sort=calls|bytes  sort order, largest first (default: calls)\n";

    ~Count() { report_at_end(); }

    template <typename Call>
    auto intercept(Call &call)
    {
        Counter &counter = counters_[Call::id];
        Counter::add(counter.calls, 1);
        if constexpr (!Traffic::concerns<Call>())
            return call();
        else {
            tools::Bytes bytes;
            const auto result = traffic_.follow(
                call, bytes, [&call] { return call(); }, [] { return Nothing(); },
                [this](Traffic::Operation &operation, const tools::Bytes &moved, bool) {
                    counters_[operation.function].add(moved);
                });
            if (!bytes.is_zero())
                counter.add(bytes);
            return result;
        }
    }

  private:
    friend class tools::ReportingTool<Count>;

    struct Nothing {};
    using Traffic = tools::Traffic<Nothing>;

    Totals state(bool) const { return totals_of_process(counters_); }

    void write(const Totals &totals, const tools::Reporter &reporter)
    {
        const std::string processes = reporter.is_alone
            ? print("process %d on %s only", static_cast<int>(getpid()), tools::host_name().c_str())
            : print("%d process%s of MPI_COMM_WORLD", totals.processes,
                    totals.processes == 1 ? "" : "es") +
                reporter.absent_text();
        const std::string text =
            table("count: " + tools::instance_text(instance_number(), instance_count(), tool_id()) +
                      ", " + processes,
                  totals, by_bytes_);
        destination_.write(reporter, [&text](tools::Format) { return text; });
    }

    const tools::Destination destination_{*this, {tools::Format::text}, "-"};
    const bool by_bytes_ = read_order(arguments());
    Counters counters_;
    Traffic traffic_;
};

}  // namespace

QMPI_TOOL("count", Count)
