/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A structure is received as another one. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    char bytes[64] = {0};
    int lengths[2] = {1, 1};
    MPI_Aint offsets[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype turned[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype type;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, lengths, offsets, rank == 0 ? types : turned, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(bytes, 3, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(bytes, 3, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: type mismatch */
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
