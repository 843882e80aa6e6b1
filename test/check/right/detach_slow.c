/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A buffer that is detached when the other process receives at last. ranks: 2 tool: timeout=1 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 24 };

int main(int argc, char **argv)
{
    int rank, size;
    char *data = malloc(BYTES), *buffer = malloc(BYTES + MPI_BSEND_OVERHEAD);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, BYTES + MPI_BSEND_OVERHEAD);
        MPI_Bsend(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
    } else {
        sleep(3);
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
    free(buffer);
    MPI_Finalize();
    return 0;
}
