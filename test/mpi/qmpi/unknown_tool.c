/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A job of several processes whose list names an unknown tool fails: the test harness expects a
 * non-zero status of mpiexec. Run with the list nobody on two processes. */

#include "qmpi_test.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
