/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Any text as a tool list. Besides what the sanitizers see: every entry is either whole or has a
 * fault, a fault is one short line that any terminal can show, and the good entries written down again
 * are read as the same. Built with libFuzzer, or with replay.cpp for the texts of the corpus. */

#include "entries.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void demand(bool condition, const char *what)
{
    if (!condition) {
        std::fprintf(stderr, "broken: %s\n", what);
        std::abort();
    }
}

void check_fault(const std::string &fault)
{
    demand(!fault.empty() && fault.size() < 1024, "a fault is a short text");
    for (std::size_t i = 0; i < fault.size(); i++) {
        const unsigned char c = fault[i], next = i + 1 < fault.size() ? fault[i + 1] : 0;
        demand(c >= ' ' && c != 0x7f, "a fault has no control characters");
        demand(c != 0xc2 || next < 0x80 || next > 0x9f, "nor those of Unicode");
    }
}

void check_entry(const Entry &entry)
{
    if (entry.fault) {
        check_fault(*entry.fault);
        return;
    }
    demand(entry.name.has_value() || entry.path.has_value(), "a good entry has a name or a path");
    demand(!entry.name || (!entry.name->empty() && entry.name->size() <= MPII_QMPI_MAX_NAME),
           "a name has 1 to 255 characters");
    demand(!entry.path || (!entry.path->empty() && entry.path->size() <= MPII_QMPI_MAX_PATH),
           "a path has 1 to 4095 characters");
    demand(entry.name != "pmpi" || !entry.path, "pmpi=PATH means pmpi(PATH)");
    demand(!entry.name || entry.name->find('/') == std::string::npos, "a name has no slash");
    demand(!entry.path || entry.path->find('/') != std::string::npos, "a path has a slash");
}

std::string selector(const Entry &entry)
{
    return entry.name.value_or("") + (entry.name && entry.path ? "=" : "") +
        entry.path.value_or("");
}

void check_again(const List &list)
{
    std::string text;
    std::vector<const Entry *> good;

    for (const Entry &entry : list.entries) {
        if (!entry.fault) {
            text += (good.empty() ? "" : ",") + selector(entry) + "(" + entry.arguments + ")";
            good.push_back(&entry);
        }
    }
    if (good.empty())
        return;
    const List again = parse(text);
    demand(!again.fault && again.entries.size() == good.size(), "as many entries when read again");
    for (std::size_t i = 0; i < good.size(); i++) {
        const Entry &a = *good[i], &b = again.entries[i];
        demand(!b.fault && a.name == b.name && a.path == b.path && a.arguments == b.arguments,
               "the same entry when read again");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const List list = parse(std::string(reinterpret_cast<const char *>(data), size).c_str());

    demand(list.fault.has_value() == list.entries.empty(), "entries, or a fault of the list");
    if (list.fault)
        check_fault(*list.fault);
    for (const Entry &entry : list.entries)
        check_entry(entry);
    check_again(list);
    return 0;
}
