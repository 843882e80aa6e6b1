/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Ready sends that are ordered after the start of their receives by different operations. ranks: 3 */
#include <mpi.h>

enum { KINDS = 6 };

int main(int argc, char **argv)
{
    int rank, value = 1, sum, values[2 * KINDS];
    MPI_Request requests[2 * KINDS], request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        if (rank == 1) {
            for (int k = 0; k < KINDS; k++)
                MPI_Irecv(&values[k], 1, MPI_INT, k % 2 ? 0 : MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &requests[k]);
            MPI_Barrier(MPI_COMM_WORLD);                                     /* a collective operation */
            MPI_Send(&value, 1, MPI_INT, 0, 20, MPI_COMM_WORLD);             /* a message */
            MPI_Send(&value, 1, MPI_INT, 2, 21, MPI_COMM_WORLD);             /* messages by another process */
            MPI_Recv(&value, 1, MPI_INT, 0, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* of a synchronous send */
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
            MPI_Recv_init(&value, 1, MPI_INT, 0, 30, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            /* Its two parts have no order */
            MPI_Sendrecv(&value, 1, MPI_INT, 0, 31, &sum, 1, MPI_INT, 0, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Irsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 2, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            MPI_Ssend(&value, 1, MPI_INT, 1, 22, MPI_COMM_WORLD);
            MPI_Rsend_init(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 30, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 1, 32, MPI_COMM_WORLD);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, 21, MPI_COMM_WORLD);
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Irecv(&sum, 1, MPI_INT, rank, 40, MPI_COMM_WORLD, &request);    /* from itself */
        MPI_Rsend(&value, 1, MPI_INT, rank, 40, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
