/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_Request_free of a request whose operation has failed, or whose query would call the program: without
 * tools neither the error handler nor the query function runs. ranks: 2; argument: the kind of request */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int queries;

static int query(void *state, MPI_Status * status)
{
    queries++;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return state == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int free_nothing(void *state)
{
    (void) state;
    return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
    (void) state, (void) complete;
    return MPI_SUCCESS;
}

/* The message of the other process has arrived; the library completes the receive with an error. */
static void await_message(void)
{
    int flag;
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; i++)
        MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, four[4] = { 0 }, one, size = 0;
    const char *kind = argc > 1 ? argv[1] : "receive";
    char room[1000], *given;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Send(four, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        if (strcmp(kind, "bsend") == 0)
            MPI_Recv(four, 4, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(kind, "receive") == 0) {
        MPI_Irecv(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        await_message();
        MPI_Request_free(&request);
    } else if (strcmp(kind, "persistent") == 0) {
        MPI_Recv_init(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        await_message();
        MPI_Request_free(&request);
    } else {
        MPI_Recv(four, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        await_message();
        if (strcmp(kind, "bsend") == 0) {
            MPI_Buffer_attach(room, sizeof room);
            MPI_Bsend_init(four, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Request_free(&request);
            MPI_Buffer_detach(&given, &size);
        } else {
            MPI_Grequest_start(query, free_nothing, cancel_nothing, &size, &request);
            MPI_Grequest_complete(request);
            MPI_Request_free(&request);
        }
    }
    MPI_Finalize();
    if (rank == 0)
        printf("freed, %d queries\n", queries);
    return 0;
}
