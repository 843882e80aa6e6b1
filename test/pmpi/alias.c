/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that defines PMPI_X and makes MPI_X an alias of it, as Darshan does. It finds the library's
 * functions by dlsym; its own call of PMPI_Wtime reaches its own function. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <dlfcn.h>

void note(const char *text);

int PMPI_Barrier(MPI_Comm comm)
{
    int (*barrier) (MPI_Comm);

    *(void **) &barrier = dlsym(RTLD_NEXT, "PMPI_Barrier");
    note("alias");
    return barrier(comm);
}

double PMPI_Wtime(void)
{
    double (*wtime) (void);

    *(void **) &wtime = dlsym(RTLD_NEXT, "MPI_Wtime");
    note("own");
    return wtime();
}

double MPI_Wtick(void)
{
    note(dlsym(RTLD_DEFAULT, "PMPI_Wtime") == (void *) &PMPI_Wtime ? "found" : "foreign");
    return PMPI_Wtime();
}

int MPI_Barrier(MPI_Comm comm) __attribute__ ((alias("PMPI_Barrier")));
double MPI_Wtime(void) __attribute__ ((alias("PMPI_Wtime")));
