/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Objects that a thread frees while a call of another thread uses them: the call completes normally
 * (MPI 4.0, 5.1.9, 7.4.3). Blocking collective operations are not among them: MPICH frees the communicator.
 * ranks: 2; argument: the call */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE 1000000

static const char *kind;
static MPI_Comm comm;
static MPI_Datatype type;
static char *buffer;
static volatile int is_in_call;

static int is(const char *name)
{
    return strcmp(kind, name) == 0;
}

/* The part of rank 0, which waits for rank 1. */
static void *use(void *unused)
{
    MPI_Comm own = comm;
    MPI_Datatype own_type = type;
    MPI_Message message;
    MPI_Request request;

    is_in_call = 1;
    if (is("receive"))
        MPI_Recv(buffer, 1, MPI_INT, 1, 0, own, MPI_STATUS_IGNORE);
    else if (is("sendrecv"))
        MPI_Sendrecv(buffer, 1, MPI_INT, 1, 0, buffer + 8, 1, MPI_INT, 1, 0, own, MPI_STATUS_IGNORE);
    else if (is("send"))
        MPI_Send(buffer, LARGE, MPI_CHAR, 1, 0, own);
    else if (is("mprobe")) {
        MPI_Mprobe(1, 0, own, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(buffer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else if (is("wait")) {
        MPI_Irecv(buffer, 1, MPI_INT, 1, 0, own, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("neighbors"))
        MPI_Neighbor_allgather(buffer, 1, MPI_INT, buffer + 8, 1, MPI_INT, own);
    else if (is("datatype"))
        MPI_Send(buffer, 1, own_type, 1, 0, own);
    else
        abort();
    return unused;
}

static void answer(void)
{
    if (is("send") || is("datatype"))
        MPI_Recv(buffer, LARGE, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
    else if (is("neighbors"))
        MPI_Neighbor_allgather(buffer, 1, MPI_INT, buffer + 8, 1, MPI_INT, comm);
    else if (is("sendrecv"))
        MPI_Sendrecv(buffer, 1, MPI_INT, 0, 0, buffer + 8, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 1, MPI_INT, 0, 0, comm);
}

int main(int argc, char **argv)
{
    int level, rank, size = 2, is_periodic = 1;
    pthread_t thread;
    MPI_Comm other;
    MPI_Datatype another;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    kind = argv[1];
    buffer = calloc(LARGE, 1);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &comm);
    MPI_Type_contiguous(LARGE, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        pthread_create(&thread, NULL, use, NULL);
        while (!is_in_call);
        usleep(300000);
        MPI_Comm_free(&comm);
        MPI_Type_free(&type);
        /* The handles are used again meanwhile. */
        MPI_Comm_dup(MPI_COMM_SELF, &other);
        MPI_Type_contiguous(3, MPI_CHAR, &another);
        MPI_Recv(buffer + 16, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
        MPI_Comm_free(&other);
        MPI_Type_free(&another);
        puts("received");
    } else {
        usleep(600000);
        MPI_Send(buffer, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
        answer();
        MPI_Comm_free(&comm);
        MPI_Type_free(&type);
    }
    MPI_Finalize();
    if (rank == 0)
        puts("ok");
    return 0;
}
