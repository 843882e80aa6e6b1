/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "table_report.hpp"

#include "envelope.hpp"
#include "text.hpp"

namespace qmpi {
inline namespace v1 {

std::string TableReport::make(Format format) const
{
    return format == Format::json ? json()
        : format == Format::csv   ? csv()
        : format == Format::html  ? html()
                                  : text();
}

std::string TableReport::processes_text() const
{
    return is_alone_
        ? print("process %d on %s only", introduction_.process, introduction_.host.c_str())
        : number_of(processes_, "process", "es") + " of MPI_COMM_WORLD" +
            absent_text(introduction_.absent);
}

std::string TableReport::text() const
{
    std::string text = introduction_.tool + ": " +
        instance_text(introduction_.instance, introduction_.instances, introduction_.tool_id) +
        ", " + processes_text() + "\n";
    for (const auto &[key, table] : tables_)
        text += (tables_.size() == 1 ? "" : text_title(table.title)) + table.note +
            (table.note.empty() ? "" : "\n") + table.text();
    return text + "\n";
}

std::string TableReport::json() const
{
    auto document = envelope(introduction_, end_, processes_, is_alone_);
    for (const auto &[key, table] : tables_)
        document[key] = table.json();
    return json_text(document);
}

std::string TableReport::csv() const
{
    std::string text = csv_;
    for (const auto &[key, table] : tables_) {
        if (csv_.empty())
            text += (text.empty() ? "" : "\n") + table.csv();
    }
    return text;
}

std::string TableReport::html() const
{
    Page page(introduction_.tool, introduction_.command);
    page.facts({{"Program", introduction_.program},
                {"Processes", processes_text()},
                {"Begin", introduction_.begin},
                {"End", end_.empty() ? "unknown" : end_},
                {"Tool", name_of(introduction_)},
                {"Arguments", introduction_.arguments},
                {"MPI library", introduction_.library}});
    for (const auto &[key, table] : tables_)
        table.add_to(page);
    return page.html();
}

}  // namespace v1
}  // namespace qmpi
