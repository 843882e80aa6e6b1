/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Counts the calls of one function. */

#include <qmpi.hpp>

#include <atomic>

namespace {

struct Sends : qmpi::tool<Sends> {
    static constexpr const char *description = "counts the calls of MPI_Isend";

    std::atomic<long> calls{0};

    int MPI_Isend(qmpi::call<MPI_ISEND_T> &call)
    {
        calls++;
        return call();
    }

    ~Sends() { std::fprintf(stderr, "MPI_Isend: %ld calls\n", calls.load()); }
};

}  // namespace

QMPI_TOOL("sends", Sends)
