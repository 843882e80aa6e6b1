/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The buffer of a long message can be detached when it is received, for which the other process is not ready. ranks: 2
 * tool: timeout=2,deadlock=abort */
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 1 << 24 };

int main(int argc, char **argv)
{
    int rank, size, value = 1;
    char *data = malloc(BYTES), *buffer = malloc(BYTES + MPI_BSEND_OVERHEAD);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, BYTES + MPI_BSEND_OVERHEAD);
        MPI_Bsend(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);                                          /* expect: deadlock */
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
