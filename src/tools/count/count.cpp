/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "count": calls and bytes of every function, one table per instance in the chain. The manual
 * page qmpi-count(7) defines a byte; common/movement.hpp implements it. */

#include "totals.hpp"

#include "../common/bytes.hpp"

#include <qmpi.hpp>

namespace qmpi::count {
namespace {

class Count : public TableTool<Count, Totals> {
  public:
    static constexpr const char *description = "counts calls and bytes of every function";
    using Options = count::Options;
    static constexpr bool can_sleep = true;

    ~Count() { report_at_end(); }

    template <typename Call>
    auto intercept(Call &call)
    {
        Counter &counter = counters_[Call::id];
        Counter::add(counter.calls, 1);
        Bytes bytes;
        const auto result = traffic_.follow(
            call, bytes, [] { return Nothing(); },
            [this](Traffic::Operation &operation, const Bytes &moved, bool) {
                counters_[operation.function].add(moved);
            });
        if (!bytes.is_zero())
            counter.add(bytes);
        return result;
    }

  private:
    friend class ReportingTool<Count>;
    friend class TableTool<Count, Totals>;

    struct Nothing {};
    using Traffic = qmpi::Traffic<Nothing>;

    const Options options_{arguments()};
    const Destination destination_{*this, options_};
    Counters &counters_ = own_record().make<Counters>(Kind::counters);
    forever<Communicators> communicators_{Detail::shape};
    Traffic traffic_{*communicators_};
};

}  // namespace
}  // namespace qmpi::count

QMPI_TABLE_TOOL("count", qmpi::count::Count)
