/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "table.hpp"

#include "text.hpp"

#include <algorithm>

namespace qmpi {
inline namespace v1 {
namespace {

using nlohmann::json;

std::string value_text(const Column &column, const json &value)
{
    if (value.is_null())
        return "-";
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number_float() || column.text.digits > 0)
        return print("%.*f", column.text.digits, value.get<double>() * column.text.factor);
    return value.dump();
}

std::string csv_text(const json &value)
{
    if (value.is_number_float())
        return print("%.9f", value.get<double>());
    if (value.is_null())
        return "";
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

/* The columns that are wanted. */
template <typename Wanted>
Table part_of(const Table &table, Wanted is_wanted)
{
    Table part(table.title, {}, table.note);
    part.rows.resize(table.rows.size());
    for (std::size_t i = 0; i < table.columns.size(); i++) {
        if (!is_wanted(table.columns[i]))
            continue;
        part.columns.push_back(table.columns[i]);
        for (std::size_t row = 0; row < table.rows.size(); row++)
            part.rows[row].push_back(table.rows[row].at(i));
        if (!table.total.empty())
            part.total.push_back(table.total.at(i));
    }
    return part;
}

}  // namespace

std::string Table::text() const
{
    Table shown = part_of(*this, [](const Column &column) { return column.text.width > 0; });
    if (!shown.total.empty())
        shown.add(shown.total);
    std::vector<std::string> lines(shown.rows.size() + 1);
    for (std::size_t i = 0; i < shown.columns.size(); i++) {
        const Column &column = shown.columns[i];
        std::vector<std::string> values{column.text.title.empty() ? column.title
                                                                  : column.text.title};
        for (const Row &row : shown.rows)
            values.push_back(value_text(column, row[i]));
        auto width = static_cast<std::size_t>(column.text.width);
        for (const std::string &value : values)
            width = std::max(width, value.size());
        const bool is_last = i + 1 == shown.columns.size(), is_left = column.unit == Unit::text;
        for (std::size_t line = 0; line < lines.size(); line++) {
            const std::string padding(width - values[line].size(), ' ');
            lines[line] += i == 0 ? "" : is_last && is_left ? "  " : " ";
            lines[line] += !is_left ? padding + values[line]
                : is_last           ? values[line]
                                    : values[line] + padding;
        }
    }
    std::string text;
    for (const std::string &line : lines)
        text += line + "\n";
    return text;
}

json Table::json() const
{
    auto list = json::array();
    for (const Row &row : rows) {
        auto object = json::object();
        for (std::size_t i = 0; i < columns.size(); i++) {
            if (!columns[i].key.empty())
                object[json::json_pointer("/" + columns[i].key)] = row.at(i);
        }
        list.push_back(std::move(object));
    }
    return list;
}

std::string Table::csv() const
{
    Table shown = part_of(*this, [](const Column &column) { return !column.key.empty(); });
    Row keys;
    for (const Column &column : shown.columns)
        keys.push_back(column.key);
    shown.rows.insert(shown.rows.begin(), keys);
    std::string text;
    for (const Row &row : shown.rows) {
        for (std::size_t i = 0; i < row.size(); i++)
            text += (i == 0 ? "" : ",") + csv_text(row[i]);
        text += "\n";
    }
    return text;
}

void Table::add_to(Page &page) const
{
    const Table shown = part_of(*this, [](const Column &column) { return !column.title.empty(); });
    page.table(title, shown.columns, shown.rows, note);
}

Table calls_table()
{
    return {"",
            {{"", Unit::text, "tool"},
             {"", Unit::text, "kind"},
             {"", Unit::text, "function"},
             {"", Unit::text, "site"},
             {"", Unit::number, "calls"},
             {"", Unit::seconds, "time_s"},
             {"", Unit::bytes, "sent_bytes"},
             {"", Unit::bytes, "received_bytes"}}};
}

std::string text_title(const std::string &title)
{
    return "\n" + title + "\n" + std::string(title.size(), '-') + "\n";
}

}  // namespace v1
}  // namespace qmpi
