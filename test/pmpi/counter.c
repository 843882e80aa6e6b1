/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A typical PMPI tool: counts in static variables and prints the counts at the end. */

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int bcasts, sends, receives, ranks;

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    bcasts++;
    return PMPI_Bcast(buffer, count, datatype, root, comm);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status * status)
{
    receives++;
    return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    ranks++;
    return PMPI_Comm_rank(comm, rank);
}

/* The table of all processes. The calls for it are not counted. */
int MPI_Finalize(void)
{
    int mine[4] = { bcasts, sends, receives, ranks }, all[4], rank;

    PMPI_Reduce(mine, all, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "counter: bcast %d send %d recv %d rank %d\n", all[0], all[1], all[2],
                all[3]);
    return PMPI_Finalize();
}
