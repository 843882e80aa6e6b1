/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A receive with a datatype whose data overlaps; to send it is right. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    float data[64] = {0};
    MPI_Datatype type;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_hvector(16, 1, 3, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);           /* expect: buffer overlap */
        MPI_Recv_init(data, 1, type, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);                                                        /* expect: buffer overlap */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Bcast(data, 1, type, 1, MPI_COMM_WORLD);                                    /* expect: buffer overlap */
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
