/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "categories.hpp"

#include <qmpi.hpp>

namespace qmpi::trace {

const std::array<const char *, number_of_categories> category_names = {
    "Application", "Point to point", "Completion", "Collective", "One-sided", "I/O", "Other MPI"};

int id_of(const std::string &function)
{
    int id = no_function;
    return QMPIX_Get_function_enum(function.c_str(), &id) == MPI_SUCCESS ? id : no_function;
}

Category category_of(int function)
{
    if (function == no_function)
        return Category::other;
    if (qmpi::set::io.contains(function))
        return Category::io;
    if (qmpi::set::rma.contains(function))
        return Category::one_sided;
    if (qmpi::set::collective.contains(function))
        return Category::collective;
    if ((qmpi::set::point_to_point | qmpi::set::partitioned).contains(function))
        return Category::point_to_point;
    if (qmpi::set::completion.contains(function))
        return Category::completion;
    return Category::other;
}

}  // namespace qmpi::trace
