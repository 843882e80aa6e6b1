/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Fills a record of 3 MB. */

#include "common/record.hpp"

#include <string>

int main()
{
    static auto &record = *new qmpi::Record("fill", std::size_t{3} << 20); /* never destroyed */
    for (int i = 0; i < 5; i++)
        record.add(qmpi::Block::first_own, std::string(std::size_t{1} << 20, 'x'));
}
