/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tables of reports: columns and rows described once, printed as text, JSON, CSV and in a page. */

#ifndef QMPI_TABLE_HPP_INCLUDED
#define QMPI_TABLE_HPP_INCLUDED

#include "page.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* A row has one value per column: a number, a text, null (unknown), or for JSON any value. */
class Table {
  public:
    using Row = std::vector<nlohmann::json>;

    Table(std::string table_title, std::vector<Column> table_columns, std::string table_note = {})
        : title(std::move(table_title)), columns(std::move(table_columns)),
          note(std::move(table_note))
    {
    }

    void add(Row row) { rows.push_back(std::move(row)); }

    /* Heads and rows. Columns are as wide as their longest value; texts, except the last, are
     * padded on the right, numbers on the left. */
    std::string text() const;

    /* A list of objects. */
    nlohmann::json json() const;

    /* The keys, then a line for each row. */
    std::string csv() const;

    void add_to(Page &page) const;

    std::string title;
    std::vector<Column> columns;
    std::string note;
    std::vector<Row> rows;
    Row total; /* in the text, after the rows; empty: none */
};

/* CSV of tools that sum by function and call site: tool, kind, function, site, calls, time, bytes sent, bytes
 * received. */
Table calls_table();

/* Underlined. */
std::string text_title(const std::string &title);

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_TABLE_HPP_INCLUDED */
