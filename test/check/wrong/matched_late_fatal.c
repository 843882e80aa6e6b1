/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A later matched message is longer than the buffer, which ends the job. ranks: 2 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, values[10] = {0};
    MPI_Message message;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(values, i == 9 ? 2 : 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else {
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(values, 1, MPI_INT, &message, MPI_STATUS_IGNORE);       /* expect: truncation */
        }
    }
    if (rank == 0)
        usleep(50000);
    MPI_Finalize();
    return 0;
}
