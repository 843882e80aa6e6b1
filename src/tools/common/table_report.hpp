/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools whose report is a list of tables: the kit prints it as text, JSON, CSV and page, at the end of
 * the program and from records. */

#ifndef QMPI_TABLE_REPORT_HPP_INCLUDED
#define QMPI_TABLE_REPORT_HPP_INCLUDED

#include "record_report.hpp"
#include "reporting_tool.hpp"
#include "table.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* A report as a list of tables. */
class TableReport {
  public:
    /*   end        wall-clock time; empty: unknown
     *   is_alone   of one process only, which could not be merged with others */
    TableReport(Introduction introduction, std::string end, int processes, bool is_alone)
        : introduction_(std::move(introduction)), end_(std::move(end)), processes_(processes),
          is_alone_(is_alone)
    {
    }

    const Introduction &introduction() const { return introduction_; }

    /* key: member of the JSON report */
    void add(std::string key, Table table) { tables_.emplace_back(std::move(key), table); }

    /* In place of the tables. */
    void set_csv(std::string csv) { csv_ = std::move(csv); }

    std::string make(Format format) const;

  private:
    std::string processes_text() const;
    std::string text() const;
    std::string json() const;
    std::string csv() const;
    std::string html() const;

    const Introduction introduction_;
    const std::string end_;
    const int processes_;
    const bool is_alone_;
    std::vector<std::pair<std::string, Table>> tables_;
    std::string csv_;
};

/* Options of the tool, or their base. */
struct TableOptions : ReportOptions {
    explicit TableOptions(const arguments &given)
        : ReportOptions(given, {Format::text, Format::json, Format::csv, Format::html})
    {
    }
};

namespace detail {

/* Data of some processes, and their number. */
template <typename Data>
struct Measured {
    Data data;
    int processes = 1;

    void write(Writer &writer) const
    {
        writer.put(processes);
        data.write(writer);
    }

    void merge(Reader &reader)
    {
        processes += reader.get<int>();
        data.merge(reader);
    }

    std::string make(Format format, const Introduction &introduction, const std::string &end,
                     bool is_alone) const
    {
        TableReport report(introduction, end, processes, is_alone);
        data.report(report);
        return report.make(format);
    }
};

/* The same, from records. */
template <typename Data>
class TablesOfRecords : public RecordReport {
  public:
    explicit TablesOfRecords(Records &records)
    {
        records.each([this](const Records::Part &part) {
            Measured<Data> other{Data::of(part.view)};
            if (sum_)
                add_state(*sum_, other);
            else
                sum_ = std::move(other);
        });
        introduction_ = records.introduction();
    }

    std::string make(Format format) const override
    {
        return sum_->make(format, introduction_, "", !introduction_.has_world());
    }

  private:
    std::optional<Measured<Data>> sum_;
    Introduction introduction_;
};

}  // namespace detail

/* A ReportingTool with these functions. Data: what a process has measured, with
 *   static Data of(const RecordView &)       from its record
 *   void write(Writer &) const
 *   void merge(Reader &)                     adds the data of another process
 *   void report(TableReport &) const         adds the tables
 * QMPI_TABLE_TOOL(NAME, Tool) in place of QMPI_TOOL also offers the report to qmpi_report. */
template <typename Tool, typename Data_>
class TableTool : public ReportingTool<Tool> {
  public:
    using Data = Data_;

  protected:
    friend class ReportingTool<Tool>;

    detail::Measured<Data> state(bool) { return {Data::of(this->own_record().view())}; }

    bool write(const detail::Measured<Data> &measured, const Reporter &reporter)
    {
        return static_cast<Tool *>(this)->destination_.write(reporter, [&](Format format) {
            return measured.make(format, this->introduction(), local_time(), reporter.is_alone);
        });
    }
};

#define QMPI_TABLE_TOOL(name_, ...) \
    QMPI_TOOL(name_, __VA_ARGS__)   \
    QMPI_REPORT(name_, ::qmpi::detail::TablesOfRecords<__VA_ARGS__::Data>)

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_TABLE_REPORT_HPP_INCLUDED */
