/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A report of its own: a table as text, JSON, CSV and page, in MPI_Finalize and from the records of a
 * killed program. */

#include <qmpi.hpp>
#include <qmpi/process.hpp>
#include <qmpi/table_report.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace {

/* What a process keeps in its record. */
using Counters = std::array<std::atomic<std::uint64_t>, MPI_LAST_FUNC_T>;
constexpr auto counters_kind = qmpi::Block::first_own;

/* The same of several processes. */
struct Calls {
    std::vector<std::uint64_t> all = std::vector<std::uint64_t>(MPI_LAST_FUNC_T), most = all;

    static Calls of(const qmpi::RecordView &record)
    {
        Calls calls;
        record.each([&calls](std::uint32_t kind, std::string_view content) {
            if (static_cast<qmpi::Block>(kind) == counters_kind) {
                const auto &counters = qmpi::block_as<Counters>(content);
                std::copy(counters.begin(), counters.end(), calls.all.begin());
            }
        });
        calls.most = calls.all;
        return calls;
    }

    void write(qmpi::Writer &writer) const
    {
        writer.put(all);
        writer.put(most);
    }

    void merge(qmpi::Reader &reader)
    {
        const auto others = reader.get<decltype(all)>(),
                   most_of_others = reader.get<decltype(most)>();
        for (std::size_t id = 0; id < all.size(); id++) {
            all[id] += others.at(id);
            most[id] = std::max(most[id], most_of_others.at(id));
        }
    }

    void report(qmpi::TableReport &report) const
    {
        qmpi::Table table("Calls",
                          {{"Function", qmpi::Unit::text, "function", {"", 24}},
                           {"Calls", qmpi::Unit::number, "calls", {"", 10}},
                           {"Most of a process", qmpi::Unit::number, "most", {"Most", 10}}});
        for (std::size_t id = 0; id < all.size(); id++) {
            if (all[id] > 0)
                table.add({qmpi::function_name(static_cast<int>(id)), all[id], most[id]});
        }
        report.add("functions", std::move(table));
    }
};

struct TableOfCalls : qmpi::TableTool<TableOfCalls, Calls> {
    static constexpr const char *description = "calls of each function, as a table";

    using Options = qmpi::TableOptions;
    const Options options{arguments()};
    const qmpi::Destination destination_{*this, options};
    Counters &counters = own_record().make<Counters>(counters_kind);

    int intercept(qmpi::any_call &call)
    {
        counters[call.id()]++;
        return call();
    }

    ~TableOfCalls() { report_at_end(); }
};

}  // namespace

QMPI_TABLE_TOOL("table", TableOfCalls)
