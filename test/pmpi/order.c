/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that notes a call on both sides; compiled with LETTER for its name. */

#include <mpi.h>

void note(const char *text);

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    int error_code;

    note(LETTER ">MPI_Comm_rank");
    error_code = PMPI_Comm_rank(comm, rank);
    note(LETTER "<MPI_Comm_rank");
    return error_code;
}
