/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "kinds.hpp"

#include <qmpi.hpp>

#include <cctype>
#include <string_view>

namespace tools::trace {

const std::array<const char *, number_of_categories> category_names = {
    "Application", "Point to point", "Completion", "Collective", "One-sided", "I/O", "Other MPI"};

Category category_of(const std::string &function)
{
    int id = 0;
    if (MPIX_Get_function_enum(function.c_str(), &id) != MPI_SUCCESS)
        return Category::other;
    /* First match: MPI_File_... are also collective, and so on. */
    if (qmpi::set::io.contains(id))
        return Category::io;
    if (qmpi::set::rma.contains(id))
        return Category::one_sided;
    if (qmpi::set::collective.contains(id))
        return Category::collective;
    if (qmpi::set::point_to_point.contains(id) || qmpi::set::partitioned.contains(id))
        return Category::point_to_point;
    if (qmpi::set::completion.contains(id))
        return Category::completion;
    return Category::other;
}

std::string operation_of(const std::string &function)
{
    std::string_view name = function;
    auto remove_end = [&name](std::string_view end) {
        if (name.size() > end.size() && name.substr(name.size() - end.size()) == end)
            name.remove_suffix(end.size());
    };
    name.remove_prefix(name.find('_') + 1);
    remove_end("_c");
    remove_end("_init");
    /* Nonblocking: "Ibcast" as "Iallreduce" has a small letter after the I. */
    std::string operation(name);
    if (operation.size() > 1 && operation[0] == 'I')
        operation.erase(0, 1);
    operation[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(operation[0])));
    const std::string_view neighbour = "neighbor_";
    if (operation.compare(0, neighbour.size(), neighbour) == 0)
        operation.erase(0, neighbour.size());
    return operation;
}

}  // namespace tools::trace
