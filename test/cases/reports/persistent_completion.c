/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A persistent receive fails, since the message is too long, is completed by each function that can, and
 * is started again. ranks: 2; argument: the function */

#include <mpi.h>
#include <string.h>

static const char *function;

static int is(const char *name)
{
    return strcmp(function, name) == 0;
}

/* Another request of the same call, which is inactive, is first. */
static void complete(MPI_Request * requests)
{
    int index = 0, flag = 0, number = 0, indices[2];
    MPI_Status statuses[2];

    if (is("wait"))
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    else if (is("test"))
        while (!flag)
            MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    else if (is("waitany"))
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    else if (is("testany"))
        while (!flag)
            MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    else if (is("waitsome"))
        MPI_Waitsome(2, requests, &number, indices, MPI_STATUSES_IGNORE);
    else if (is("testsome"))
        while (number == 0)
            MPI_Testsome(2, requests, &number, indices, statuses);
    else if (is("waitall"))
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    else if (is("testall"))
        while (!flag)
            MPI_Testall(2, requests, &flag, statuses);
}

int main(int argc, char **argv)
{
    int rank, data[8] = { 0 };
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    function = argv[1];
    if (rank == 1) {
        MPI_Recv_init(data, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    }
    for (int i = 0; i < 4; i++) {
        if (rank == 0)
            MPI_Send(data, i % 2 == 1 ? 2 : 6, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else {
            MPI_Start(&requests[1]);
            complete(requests);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    MPI_Finalize();
    return 0;
}
