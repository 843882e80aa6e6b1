/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Programs that end well after three seconds in which no rank has gone on: slow REASON. */

#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, number;

static void compute_for_three_seconds(void)
{
    for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 3;)
        continue;
}

static void compute(void)
{
    if (rank == 1)
        compute_for_three_seconds();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void rest(void)
{
    if (rank == 1)
        sleep(3);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *receive(void *unused)
{
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

/* Each rank has a thread that waits, and another one sends to the own rank at the end. */
static void send_after(void (*first) (void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, receive, NULL);
    first();
    MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
}

static void computing_thread(void)
{
    send_after(compute_for_three_seconds);
}

static void rest_for_three_seconds(void)
{
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 2, &number, 1, MPI_INT, rank, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    sleep(3);
}

static void resting_thread(void)
{
    send_after(rest_for_three_seconds);
}

static void poll(void)
{
    int flag = 0;
    if (rank == 1) {
        for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 3;)
            MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void end_slowly(void)
{
    MPI_Finalize();
    sleep(3);
    exit(0);
}

static const struct {
    const char *name;
    void (*run) (void);
} reasons[] = {
    {"compute", compute}, {"rest", rest}, {"computing_thread", computing_thread},
    {"resting_thread", resting_thread}, {"poll", poll}, {"end_slowly", end_slowly},
};

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strcmp(argv[1], reasons[i].name) == 0)
            reasons[i].run();
    }
    MPI_Finalize();
    return 0;
}
