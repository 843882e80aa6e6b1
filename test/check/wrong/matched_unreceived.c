/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A message is matched and never received; others are. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, is_there;
    MPI_Message message;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int tag = 0; tag < 4; tag++)
            MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);          /* expect: possible deadlock */
    } else {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(1, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);      /* expect: message not received */
        do
            MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &is_there, &message, MPI_STATUS_IGNORE); /* expect: message not received */
        while (!is_there);
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
