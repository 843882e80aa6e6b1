/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Returns from MPI_Start half a second after the library. */

#include <qmpi.hpp>

#include <chrono>
#include <thread>

struct Slow : qmpi::tool<Slow> {
    int MPI_Start(qmpi::call<MPI_START_T> &call)
    {
        const int error_code = call();
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        return error_code;
    }
};

QMPI_TOOL("slow", Slow)
