/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "source_lines.hpp"

#include "../common/record.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace qmpi::check {
namespace {

constexpr int lines_before = 3, lines_after = 3;
constexpr std::size_t longest_line = 400;

bool is_newer(const std::string &file, const std::string &module)
{
    std::error_code fault;
    const auto changed = std::filesystem::last_write_time(file, fault);
    const auto built = fault ? changed : std::filesystem::last_write_time(module, fault);
    return !fault && changed > built;
}

SourceLines lines_of(std::string_view content, int line)
{
    SourceLines found;
    found.first = std::max(1, line - lines_before);
    std::size_t begin = 0;
    for (int number = 1; number <= line + lines_after && begin < content.size(); number++) {
        const std::size_t end = std::min(content.find('\n', begin), content.size());
        if (number >= found.first)
            found.lines.emplace_back(content.substr(begin, std::min(end - begin, longest_line)));
        begin = end + 1;
    }
    if (found.first + static_cast<int>(found.lines.size()) <= line)
        found.lines.clear();
    return found;
}

}  // namespace

SourceLines lines_around(const CallSite &site)
{
    std::error_code fault;
    if (site.line <= 0 || !std::filesystem::is_regular_file(site.file, fault))
        return {};
    try {
        SourceLines found = lines_of(FileContent(site.file).content(), site.line);
        found.is_newer = is_newer(site.file, site.module);
        return found;
    } catch (const std::runtime_error &) {
        return {};
    }
}

}  // namespace qmpi::check
