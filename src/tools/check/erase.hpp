/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* std::erase_if of C++20, for lists and maps. */

#ifndef TOOLS_CHECK_ERASE_HPP_INCLUDED
#define TOOLS_CHECK_ERASE_HPP_INCLUDED

#include <iterator>

namespace qmpi::check {

template <typename Container, typename Predicate>
void erase_if(Container &container, Predicate predicate)
{
    for (auto entry = container.begin(); entry != container.end();)
        entry = predicate(*entry) ? container.erase(entry) : std::next(entry);
}

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_ERASE_HPP_INCLUDED */
