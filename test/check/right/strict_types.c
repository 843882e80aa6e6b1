/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Exact types, and packed data. ranks: 2 tool: strict */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, position = 0;
    struct {
        float value;
        int place;
    } pair = {0, 0}, result;
    float parts[4] = {0};
    char text[64] = "";
    MPI_Datatype type;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_C_FLOAT_COMPLEX, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&value, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Pack(&value, 1, MPI_INT, text, 64, &position, MPI_COMM_WORLD);
        MPI_Send(text, position, MPI_PACKED, 1, 2, MPI_COMM_WORLD);
        MPI_Send(parts, 1, type, 1, 3, MPI_COMM_WORLD);
        MPI_Send(&pair, 1, MPI_FLOAT_INT, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(text, 64, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(parts, 2, MPI_C_FLOAT_COMPLEX, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&pair, 1, MPI_FLOAT_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&pair, &result, 1, MPI_FLOAT_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
