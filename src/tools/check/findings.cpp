/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "findings.hpp"

#include "../common/report.hpp"

#include <vector>

namespace qmpi::check {

std::string Place::text() const
{
    if (line <= 0)
        return text_of(*this);
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

void Finding::write(Writer &writer) const
{
    writer.put(static_cast<std::uint8_t>(kind));
    writer.put(rank);
    writer.put(function);
    writer.put(place);
    writer.put(text);
    writer.put(others);
    writer.put(awaited);
}

Finding Finding::read(Reader &reader)
{
    Finding finding;
    const auto kind = reader.get<std::uint8_t>();
    if (kind >= number_of_kinds)
        throw std::runtime_error("unknown kind of finding");
    finding.kind = static_cast<Kind>(kind);
    finding.rank = reader.get<int>();
    finding.function = reader.get<std::string>();
    finding.place = reader.get<Place>();
    finding.text = reader.get<std::string>();
    finding.others = reader.get<std::vector<OtherCall>>();
    finding.awaited = reader.get<std::vector<Awaited>>();
    return finding;
}

/* ---- FindingSet ---- */

FindingSet::Entry &FindingSet::entry_of(const Finding &finding)
{
    Entry &entry = entries_[{finding.kind, finding.function, finding.place.text(),
                             finding.kind == Kind::deadlock ? finding.rank : -1}];
    if (entry.times == 0)
        entry.first = finding;
    return entry;
}

bool FindingSet::add(const Finding &finding, std::uint64_t times)
{
    Entry &entry = entry_of(finding);
    const bool is_new = entry.times == 0;
    entry.times += times;
    entry.ranks.insert(finding.rank);
    return is_new;
}

void FindingSet::write(Writer &writer) const
{
    writer.put(static_cast<std::uint64_t>(entries_.size()));
    each([&writer](const Entry &entry) {
        entry.first.write(writer);
        writer.put(entry.times);
        writer.put(std::vector<int>(entry.ranks.begin(), entry.ranks.end()));
    });
}

void FindingSet::merge(Reader &reader)
{
    for (auto number = reader.get<std::uint64_t>(); number > 0; number--) {
        Entry &entry = entry_of(Finding::read(reader));
        entry.times += reader.get<std::uint64_t>();
        const auto ranks = reader.get<std::vector<int>>();
        entry.ranks.insert(ranks.begin(), ranks.end());
    }
}

/* ---- Findings ---- */

bool Findings::add(const Finding &finding)
{
    const bool is_printed = wants(finding.kind) && keep(finding);
    if (is_printed && on_new_)
        on_new_();
    return is_printed;
}

bool Findings::keep(const Finding &finding)
{
    const std::lock_guard<std::mutex> guard(lock_);
    const bool is_printed = set_.add(finding) && !is_suppressed_(finding);
    if (is_printed)
        write_stderr("QMPI check: " + finding.line() + "\n");
    return is_printed;
}

void Findings::merge(const FindingSet &others)
{
    Writer writer;
    others.write(writer);
    const std::string bytes = writer.take();
    Reader reader(bytes);
    const std::lock_guard<std::mutex> guard(lock_);
    set_.merge(reader);
}

FindingSet Findings::all() const
{
    const std::lock_guard<std::mutex> guard(lock_);
    return set_;
}

}  // namespace qmpi::check
