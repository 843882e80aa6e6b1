/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that counts the calls of a function of the tool interface. */

#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Get_calling_address(MPI_Context context, void *address)
{
    calls++;
    return PMPI_Get_calling_address(context, address);
}

int MPI_Finalize(void)
{
    printf("spy: %d\n", calls);
    return PMPI_Finalize();
}
