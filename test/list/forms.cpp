// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Prints how the runtime reads a tool list from standard input. Each entry, ended by a null byte, has one of the forms
// NAME n, FILE p or FILE n=p, with non-empty arguments in parentheses; faults of an entry start with "!", of the list
// with "!!".

#include "entries.hpp"

#include <iostream>
#include <iterator>

namespace {

std::string form(const Entry &entry)
{
    if (entry.fault)
        return "!" + *entry.fault;
    std::string text = (entry.path ? "FILE " : "NAME ") + entry.name.value_or("");
    if (entry.path)
        text += (entry.name ? "=" : "") + *entry.path;
    return entry.arguments.empty() ? text : text + "(" + entry.arguments + ")";
}

}  // namespace

int main()
{
    const List list = parse({std::istreambuf_iterator<char>(std::cin), {}});
    if (list.fault)
        std::cout << "!!" << *list.fault << '\0';
    for (const Entry &entry : list.entries)
        std::cout << form(entry) << '\0';
}
