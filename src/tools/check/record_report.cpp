/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "options.hpp"
#include "report.hpp"
#include "statement.hpp"

#include "../common/record_report.hpp"
#include "../common/table.hpp"

#include <string>

namespace qmpi::check {
namespace {

class FromRecords : public RecordReport {
  public:
    explicit FromRecords(Records &records) : heading_{{}, "", 1, records.is_alone()}
    {
        CallSites call_sites;
        records.each([&](const Records::Part &part) {
            add_state(statement_,
                      Statement::of(part.view, part.introduction.rank, part.introduction.host,
                                    &call_sites));
        });
        heading_.introduction = records.introduction();
        heading_.number = static_cast<int>(statement_.processes.size());
        statement_.absent = heading_.introduction.absent;
        if (!heading_.introduction.has_world())
            statement_.incomparable = no_analyser;
        statement_.unwanted = Options(qmpi::arguments(heading_.introduction.arguments)).unwanted();
    }

    std::string make(Format format) const override
    {
        return format == Format::csv ? csv() : report_of(statement_, heading_, format);
    }

  private:
    std::string csv() const
    {
        Table table("",
                    {{"", Unit::text, "tool"},
                     {"", Unit::text, "kind"},
                     {"", Unit::text, "function"},
                     {"", Unit::text, "site"},
                     {"", Unit::number, "rank"},
                     {"", Unit::number, "times"},
                     {"", Unit::text, "text"}});
        for (const FindingSet::Entry &entry : statement_.shown())
            table.add({"check", name_of(entry.first.kind), entry.first.function,
                       entry.first.place.text(), entry.first.rank, entry.times, entry.first.text});
        return table.csv();
    }

    Heading heading_;
    Statement statement_;
};

}  // namespace
}  // namespace qmpi::check

QMPI_REPORT("check", qmpi::check::FromRecords)
