/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool with plugins, as PnMPI: it opens PLUGIN, and calls its functions. With PLUGIN defined, the
 * plugin itself. */

#include <mpi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void note(const char *text);

#ifndef PLUGIN

static void *plugin;

static void *of_plugin(const char *name)
{
    if (!plugin)
        plugin = dlopen(getenv("PLUGIN"), RTLD_NOW);
    if (!plugin)
        fprintf(stderr, "%s\n", dlerror());
    return dlsym(plugin, name);
}

int MPI_Barrier(MPI_Comm comm)
{
    int (*barrier) (MPI_Comm);

    *(void **) &barrier = of_plugin("MPI_Barrier");
    note("host");
    return barrier(comm);
}

/* not in the plugin, so the next link's */
double MPI_Wtime(void)
{
    double (*wtime) (void);

    *(void **) &wtime = of_plugin("PMPI_Wtime");
    return wtime();
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    note("host");
    return PMPI_Comm_rank(comm, rank);
}

#else

static int barriers;

int MPI_Barrier(MPI_Comm comm)
{
    char text[30];
    int rank;

    sprintf(text, "plugin %d", ++barriers);
    note(text);
    MPI_Comm_rank(comm, &rank);
    return PMPI_Barrier(comm);
}

#endif
