/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two receives into columns of a matrix that have an element in common. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static double matrix[8][8], column[8];
    int rank;
    MPI_Datatype type, elements;
    MPI_Request requests[3];
    const int lengths[] = {1, 1}, places[] = {0, 2 * 8 + 1};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &type);
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &elements);
    MPI_Type_commit(&type);
    MPI_Type_commit(&elements);
    if (rank == 0) {
        MPI_Irecv(matrix, 1, type, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&matrix[0][1], 1, type, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(&matrix[0][0], 1, elements, 1, 2, MPI_COMM_WORLD, &requests[2]);   /* expect: buffer overlap */
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Send(column, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(column, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        MPI_Send(column, 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&elements);
    MPI_Finalize();
    return 0;
}
