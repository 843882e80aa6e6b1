/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A thread of rank 1 receives the first message of all that come, as soon as MPI is initialized.
 * Prints its number. */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *receive_first(void *unused)
{
    char text[64] = "";
    int is_initialized = 0;

    while (!is_initialized)
        MPI_Initialized(&is_initialized);
    MPI_Recv(text, sizeof(text), MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %s\n", text);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *rank_text = getenv("PMI_RANK");
    const int is_receiver = rank_text && strcmp(rank_text, "1") == 0;
    char text[] = "42";
    pthread_t thread;
    int provided;

    if (is_receiver)
        pthread_create(&thread, NULL, receive_first, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (is_receiver)
        pthread_join(thread, NULL);
    else
        MPI_Send(text, sizeof(text), MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
