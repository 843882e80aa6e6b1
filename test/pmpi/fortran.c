/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that calls Fortran's MPI from its C wrapper, and has a Fortran wrapper that nobody
 * calls. */

#include <mpi.h>
#include <stdio.h>

void note(const char *text) __attribute__((weak));
void pmpi_comm_rank_(MPI_Fint * comm, MPI_Fint * rank, MPI_Fint * ierr);

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    MPI_Fint handle = MPI_Comm_c2f(comm), found, error_code;

    pmpi_comm_rank_(&handle, &found, &error_code);
    *rank = found;
    if (note)
        note("f");
    return error_code;
}

void mpi_comm_rank_(MPI_Fint * comm, MPI_Fint * rank, MPI_Fint * ierr)
{
    fprintf(stderr, "the tool's Fortran wrapper was called\n");
    pmpi_comm_rank_(comm, rank, ierr);
}

/* passed on with the call's attribute type */
int MPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
    return PMPI_Attr_put(comm, keyval, value);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return PMPI_Attr_get(comm, keyval, value, flag);
}
