/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Types that are not the same, though they have the same size. ranks: 2 tool: strict */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    float parts[2] = {0};
    char text[4] = "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&value, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(text, 4, MPI_SIGNED_CHAR, 1, 2, MPI_COMM_WORLD);
        MPI_Send(parts, 1, MPI_C_FLOAT_COMPLEX, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: type mismatch */
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: type mismatch */
        MPI_Recv(text, 4, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       /* expect: type mismatch */
        MPI_Recv(parts, 2, MPI_FLOAT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: type mismatch */
    }
    value = 1;
    MPI_Bcast(&value, rank ? 1 : 4, rank ? MPI_INT : MPI_BYTE, 0, MPI_COMM_WORLD);  /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
