/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Categories of MPI functions in a trace. Journals have names of functions, so that they can be
 * read by another build. */

#ifndef TOOLS_TRACE_CATEGORIES_HPP_INCLUDED
#define TOOLS_TRACE_CATEGORIES_HPP_INCLUDED

#include <array>
#include <cstddef>
#include <string>

namespace qmpi::trace {

enum class Category { application, point_to_point, completion, collective, one_sided, io, other };
inline constexpr std::size_t number_of_categories = 7;

/* In the order of Category. */
extern const std::array<const char *, number_of_categories> category_names;

/* Id of a function; no_function if this library does not know it. */
inline constexpr int no_function = -1;
int id_of(const std::string &function);

Category category_of(int function);

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_CATEGORIES_HPP_INCLUDED */
