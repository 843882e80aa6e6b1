/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Classification of MPI functions by name. */

#ifndef TOOLS_TRACE_KINDS_HPP_INCLUDED
#define TOOLS_TRACE_KINDS_HPP_INCLUDED

#include <array>
#include <string>

namespace tools::trace {

enum class Category { application, point_to_point, completion, collective, one_sided, io, other };
inline constexpr std::size_t number_of_categories = 7;

/* In the order of Category. */
extern const std::array<const char *, number_of_categories> category_names;

Category category_of(const std::string &function);

/* "alltoallv" for all forms, such as MPI_Ialltoallv_c. */
std::string operation_of(const std::string &function);

}  // namespace tools::trace

#endif /* TOOLS_TRACE_KINDS_HPP_INCLUDED */
