/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Fills a record of 3 MB. */

#include "common/record.hpp"

int main()
{
    static auto &record = *new qmpi::Record("fill", std::size_t{3} << 20); /* never destroyed */
    for (int i = 0; i < 5; i++)
        record.allocate<char>(qmpi::Block::first_own, std::size_t{1} << 20);
}
