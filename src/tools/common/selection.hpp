/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Selection of functions by the user. */

#ifndef QMPI_SELECTION_HPP_INCLUDED
#define QMPI_SELECTION_HPP_INCLUDED

#include <qmpi.hpp>

#include <string>

namespace qmpi {
inline namespace v1 {

/* A union of sets of qmpi::set, such as collective, and functions, such as MPI_Send: collective+MPI_Send.
 * The default is all. */
template <>
struct option_type<function_set> {
    static constexpr const char *placeholder = "A+B";
    static function_set read(const std::string &text);
    static std::string text(const function_set &) { return "all"; }
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_SELECTION_HPP_INCLUDED */
