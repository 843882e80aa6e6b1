/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads make and free intercommunicators of the same processes, each over communicators of its
 * own, in an order that differs from process to process. One reduces on them, the other one meets. ranks: 2 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 20 };

struct thread {
    int number;
    MPI_Comm peers, own;
};

static int rank;

static void *use(void *thread_)
{
    const struct thread *thread = thread_;
    int one = 1, sum;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm both;
        if ((thread->number + rank + i) % 2)
            usleep(1000);
        MPI_Intercomm_create(thread->own, 0, thread->peers, 1 - rank, 0, &both);
        if (thread->number == 0)
            MPI_Barrier(both);
        else
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
        MPI_Comm_free(&both);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread threads[2] = { {0}, {1} };
    pthread_t second;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].peers);
        MPI_Comm_dup(MPI_COMM_SELF, &threads[i].own);
    }
    pthread_create(&second, NULL, use, &threads[1]);
    use(&threads[0]);
    pthread_join(second, NULL);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_free(&threads[i].peers);
        MPI_Comm_free(&threads[i].own);
    }
    MPI_Finalize();
    return 0;
}
