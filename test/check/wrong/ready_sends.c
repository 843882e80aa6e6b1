/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Ready sends before their receives, in all forms. ranks: 2 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 1, values[4];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);                        /* expect: ready send */
        MPI_Irsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);             /* expect: ready send */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Rsend_init(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);         /* expect: ready send */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);                        /* expect: ready send */
    } else {
        sleep(1);
        MPI_Recv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&values[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&values[2], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&values[3], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
