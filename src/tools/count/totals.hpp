/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Record and report of the tool "count". */

#ifndef TOOLS_COUNT_TOTALS_HPP_INCLUDED
#define TOOLS_COUNT_TOTALS_HPP_INCLUDED

#include "../common/bytes.hpp"
#include "../common/record.hpp"
#include "../common/table_report.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace qmpi::count {

enum class Kind : std::uint32_t { counters = static_cast<std::uint32_t>(Block::first_own) };

/* Relaxed order: no other data depends on a counter. */
struct Counter {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};

    static void add(std::atomic<std::uint64_t> &counter, std::uint64_t number)
    {
        counter.fetch_add(number, std::memory_order_relaxed);
    }

    void add(const Bytes &bytes)
    {
        add(sent, bytes.sent);
        add(received, bytes.received);
    }
};

using Counters = std::array<Counter, MPI_LAST_FUNC_T>;

/* Sums per function over some processes. */
struct Totals {
    using Column = std::vector<std::uint64_t>;

    Column calls = Column(MPI_LAST_FUNC_T), min = calls, max = calls;
    Column sent = calls, received = calls;

    static Totals of(const RecordView &record);

    void write(Writer &writer) const;
    void merge(Reader &reader);
    void report(TableReport &report) const;
};

enum class Order { calls, bytes };

struct Options : ReportOptions {
    explicit Options(const qmpi::arguments &given) : ReportOptions(given, {Format::text}, "-") {}

    Order sort = option("sort", Order::calls)
                     .one_of({{"calls", Order::calls}, {"bytes", Order::bytes}})
                     .help("sort order, largest first");
    bool asleep = flag("asleep").help("count nothing until qmpi_ctl wakes the instance");
};

}  // namespace qmpi::count

#endif /* TOOLS_COUNT_TOTALS_HPP_INCLUDED */
