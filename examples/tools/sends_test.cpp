/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tests the tool "sends" without mpiexec: the test makes the program's calls and is the library. */

#include "sends.cpp"

#include <qmpi/testing.hpp>

int main()
{
    qmpi::testing::Instance<Sends> sends;
    int peer = MPI_PROC_NULL, sent = 0;

    sends.library<MPI_ISEND_T>(
        [&](const void *, int, MPI_Datatype, int destination, int, MPI_Comm, MPI_Request *) {
            peer = destination;
            sent++;
            return MPI_SUCCESS;
        });
    for (int i = 0; i < 3; i++)
        sends.call<MPI_ISEND_T>(nullptr, 0, MPI_INT, 7, 0, MPI_COMM_WORLD, nullptr);

    const bool is_right = sends.tool().calls == 3 && sent == 3 && peer == 7;
    std::printf("%s\n", is_right ? "passed" : "failed");
    return is_right ? 0 : 1;
}
