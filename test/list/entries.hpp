/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The library's reader of tool lists as the tests use it, alone and without MPI. */

#ifndef TEST_LIST_ENTRIES_HPP_INCLUDED
#define TEST_LIST_ENTRIES_HPP_INCLUDED

extern "C" {
#include "mpii_qmpi_list.h"
}

#include <optional>
#include <string>
#include <vector>

struct Entry {
    std::optional<std::string> fault;
    std::optional<std::string> name, path;
    std::string arguments;
};

struct List {
    std::optional<std::string> fault; /* of the list as a whole */
    std::vector<Entry> entries;
};

inline std::optional<std::string> text_or_nothing(const char *text)
{
    return text ? std::optional<std::string>(text) : std::nullopt;
}

inline List parse(const std::string &text)
{
    List list;
    MPII_QMPI_Entry *entries = nullptr;
    int count = -1;
    char message[2048] = "";

    if (MPII_QMPI_parse_list(text.c_str(), &entries, &count, message, sizeof message) != 0)
        list.fault = message;
    for (int i = 0; i < count; i++) {
        const MPII_QMPI_Entry &entry = entries[i];
        list.entries.push_back({text_or_nothing(entry.fault), text_or_nothing(entry.name),
                                text_or_nothing(entry.path),
                                text_or_nothing(entry.arguments).value_or("")});
    }
    MPII_QMPI_free_entries(entries, count);
    return list;
}

#endif /* TEST_LIST_ENTRIES_HPP_INCLUDED */
