/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A wrapper and the function that it calls, in two libraries that find each other by $ORIGIN.
 * Compiled with WRAPPERS for the library of the wrapper, without for the tool that needs it. */

#include <mpi.h>

void note(const char *text);
int next_rank(MPI_Comm comm, int *rank);

#ifdef WRAPPERS
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    note("w>MPI_Comm_rank");
    return next_rank(comm, rank);
}
#else
int next_rank(MPI_Comm comm, int *rank)
{
    return PMPI_Comm_rank(comm, rank);
}
#endif
