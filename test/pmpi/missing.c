/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that was written for a later MPI: its PMPI functions are not all in the library. */

#include <mpi.h>

void note(const char *text);
int PMPI_New_function(int n);
int pmpi_new_function_(int *n);
int MPIX_Other_function(void);

int MPI_New_function(int n)
{
    return PMPI_New_function(n);
}

int MPI_Other_function(void)
{
    int (*volatile function) (void) = MPIX_Other_function;
    return function() + pmpi_new_function_(0);
}

int MPI_Barrier(MPI_Comm comm)
{
    note("missing");
    return PMPI_Barrier(comm);
}

#ifdef CALLED
double MPI_Wtime(void)
{
    return MPI_New_function(1);
}
#endif
