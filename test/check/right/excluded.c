/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#define NEEDS_THREADS
#include "../cases.h"
#include <pthread.h>
#include <unistd.h>

/* Two threads receive different data at the same time: MPI_COMM_WORLD is no longer compared. */
static void *receive(void *is_second)
{
    int values[2];

    MPI_Recv(values, is_second == NULL ? 1 : 2, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void receive_twice(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, receive, &thread);
    receive(NULL);
    pthread_join(thread, NULL);
}

static void send_twice(void)
{
    int value = 0;

    for (int i = 0; i < 2; i++)
        MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
}

/* A message orders two accesses, of which one follows when its communicator is no longer compared. ranks: 3 */
static void excluded_put(int rank, int size)
{
    int value = 0, *memory;
    MPI_Comm copy;
    MPI_Win window;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, copy, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        receive_twice();
    if (rank == 0) {
        usleep(500000);
        send_twice();
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&copy);
}

/* A message on a communicator that is no longer compared orders two accesses. ranks: 3 */
static void excluded_put_late(int rank, int size)
{
    int value = 0, *memory;
    MPI_Comm copy;
    MPI_Win window;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, copy, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        receive_twice();
    if (rank == 0) {
        usleep(500000);
        send_twice();
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        usleep(1000000);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&copy);
}

/* A message is sent before a communicator is no longer compared, and received after. ranks: 3 */
static void excluded_send(int rank, int size)
{
    int value = 0;
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 2, 1, copy, MPI_STATUS_IGNORE);
        send_twice();
    } else if (rank == 1) {
        usleep(500000);
        receive_twice();
    } else {
        usleep(1000000);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 1, copy);
    }
    MPI_Comm_free(&copy);
}

/* As excluded_send, with a persistent and a nonblocking operation. ranks: 3 */
static void excluded_request(int rank, int size)
{
    int value = 0, other = 0;
    MPI_Comm copy;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        MPI_Ssend_init(&other, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Recv(&value, 1, MPI_INT, 2, 1, copy, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        MPI_Recv(&value, 1, MPI_INT, 2, 2, copy, MPI_STATUS_IGNORE);
        send_twice();
    } else if (rank == 1) {
        usleep(500000);
        receive_twice();
    } else {
        usleep(1000000);
        MPI_Send(&value, 1, MPI_INT, 0, 1, copy);
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 2, copy);
    }
    MPI_Comm_free(&copy);
}

/* A process probes a communicator that is no longer compared. ranks: 3 */
static void excluded_probe(int rank, int size)
{
    int value = 0;
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        usleep(1000000);
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 2, 2, copy);
        send_twice();
    } else if (rank == 1) {
        receive_twice();
    } else {
        usleep(500000);
        MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, copy, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
}

CASES(CASE(excluded_put), CASE(excluded_put_late), CASE(excluded_send),
      CASE(excluded_request), CASE(excluded_probe))
