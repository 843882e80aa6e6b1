/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "suppressions.hpp"

#include "../common/process.hpp"
#include "../common/record.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace qmpi::check {
namespace {

/* No other characters are special, so that every text matches itself. */
bool matches(std::string_view pattern, std::string_view text)
{
    std::size_t star = std::string_view::npos, retry = 0, at = 0, i = 0;
    while (i < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            retry = i;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[i])) {
            at++;
            i++;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            i = ++retry;
        } else
            return false;
    }
    return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text)
{
    const char *const blanks = " \t\r";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string names_of_kinds()
{
    std::string names;
    for (std::size_t i = 0; i < number_of_kinds; i++)
        names += (i == 0                        ? ""
                      : i + 1 < number_of_kinds ? ", "
                                                : " or ") +
            std::string(kind_names[i].name);
    return names;
}

bool is_kind(const std::string &pattern)
{
    return std::any_of(std::begin(kind_names), std::end(kind_names),
                       [&](const KindName &kind) { return matches(pattern, kind.name); });
}

bool is_function(const std::string &pattern)
{
    for (int i = 0; i < MPI_LAST_FUNC_T; i++) {
        if (matches(pattern, function_name(i)))
            return true;
    }
    return false;
}

/* Throws the reason. A name of a function has no blanks, and a kind no colon. */
Suppressions::Entry entry_of(std::string_view text, int line)
{
    const std::string_view at = " at ", colon = ": ";
    const std::size_t site = text.find(at), kind = text.rfind(colon);
    if (site == std::string_view::npos || kind == std::string_view::npos || kind < site + at.size())
        throw qmpi::argument_error("'" + std::string(text) +
                                   "' is not of the form FUNCTION at SITE: KIND");
    const Suppressions::Entry entry{
        line, std::string(trimmed(text.substr(0, site))),
        std::string(trimmed(text.substr(site + at.size(), kind - site - at.size()))),
        std::string(trimmed(text.substr(kind + colon.size())))};
    if (!is_function(entry.function))
        throw qmpi::argument_error("no MPI function has the name '" + entry.function + "'");
    if (!is_kind(entry.kind))
        throw qmpi::argument_error("unknown kind of finding '" + entry.kind + "' (expected " +
                                   names_of_kinds() + ")");
    return entry;
}

}  // namespace

bool Suppressions::Entry::matches(const Finding &finding) const
{
    const Place &place = finding.place;
    const auto fits = [this](const std::string &text) {
        return !text.empty() && check::matches(site, text);
    };
    Place without_line = place;
    without_line.line = 0;
    without_line.function.clear();
    return check::matches(kind, name_of(finding.kind)) &&
        check::matches(function, finding.function) &&
        (fits(place.text()) || fits(text_of(place)) || fits(place.function) ||
         (place.line > 0 && fits(place.file + ":" + std::to_string(place.line))) ||
         fits(text_of(without_line)));
}

Suppressions::Suppressions(std::string name, std::string content)
    : name_(std::move(name)), content_(std::move(content))
{
    int line = 0;
    for (std::size_t begin = 0; begin < content_.size();) {
        const std::size_t end = std::min(content_.find('\n', begin), content_.size());
        const std::string_view text =
            trimmed(std::string_view(content_).substr(begin, end - begin));
        begin = end + 1;
        line++;
        if (text.empty() || text.front() == '#')
            continue;
        try {
            entries_.push_back(entry_of(text, line));
        } catch (const qmpi::argument_error &error) {
            throw qmpi::argument_error(name_ + ":" + std::to_string(line) + ": " + error.what());
        }
    }
}

Suppressions Suppressions::of_file(const std::string &name)
{
    try {
        return {name, std::string(FileContent(name).content())};
    } catch (const qmpi::argument_error &) {
        throw;
    } catch (const std::runtime_error &error) {
        throw qmpi::argument_error(std::string("argument suppress: ") + error.what());
    }
}

std::string Suppressions::written() const
{
    Writer writer;
    writer.put(name_);
    writer.put(content_);
    return writer.take();
}

Suppressions Suppressions::read(std::string_view bytes)
{
    Reader reader(bytes);
    const auto name = reader.get<std::string>();
    return {name, reader.get<std::string>()};
}

std::size_t Suppressions::find(const Finding &finding) const
{
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry &entry) { return entry.matches(finding); });
    return static_cast<std::size_t>(found - entries_.begin());
}

}  // namespace qmpi::check
