/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two processes; one of them stays in a call. Each writes the file ready.RANK before it does so.
 *
 *     late       rank 0 waits in MPI_Allreduce, in the last one forever
 *     first      rank 0 stays in its first call, and rank 1 calls MPI_Iprobe
 *     nested     rank 0 stays in a call in a callback of MPI_Comm_free
 *     finalize   rank 0 stays in MPI_Finalize
 *     thread     another thread of rank 0 stays in MPI_Recv since before MPI_Pcontrol(2)
 */
#include "../../common/job_ends.h"

#include <pthread.h>
#include <stdlib.h>

static void wait_for_nobody(void)
{
    int number;
    MPI_Recv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* nobody */
}

static int on_delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void) comm, (void) key, (void) value, (void) state;
    wait_for_nobody();
    return MPI_SUCCESS;
}

static void *wait_in_thread(void *unused)
{
    wait_for_nobody();
    return unused;
}

static void probe(int rounds)
{
    int flag;
    for (int i = 0; i < rounds; i++) {
        usleep(10000);
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

static void be_late(int rank)
{
    int x = 1, y;
    for (int i = 0; i < 6; i++) {
        if (i == 5)
            write_text("ready", rank, "");
        if (rank == 1)
            usleep(i < 5 ? 200000 : 300000000);
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);     /* late */
    }
}

static void free_communicator(void)
{
    int key;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_free(&comm);                                               /* nested */
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    const int is_first = strcmp(how, "first") == 0;
    int level, rank = -1;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (is_first)
        rank = atoi(getenv("PMI_RANK"));
    else
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "late") == 0)
        be_late(rank);
    if (is_first && rank == 1)
        probe(20);
    write_text("ready", rank, "");
    if (rank == 1)
        sleep(300);
    if (strcmp(how, "nested") == 0)
        free_communicator();
    if (strcmp(how, "thread") == 0) {
        pthread_create(&thread, NULL, wait_in_thread, NULL);
        usleep(200000);
        MPI_Pcontrol(2);
        sleep(300);
    }
    if (strcmp(how, "finalize") != 0)
        wait_for_nobody();
    MPI_Finalize();                                                     /* finalize */
    return 0;
}
