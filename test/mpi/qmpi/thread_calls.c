/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Every call of four threads reaches both instances exactly once. The argument is the number of
 * calls of each thread (default 1,000,000). Run with the list count,count. */

#include "qmpi_test.h"
#include <pthread.h>

#define NUM_THREADS 4

static long num_calls = 1000000;

static struct counts {
    long rank, time;
} counts[3];

static int my_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    struct counts *mine = NULL;
    void (*fn) (void);
    int id;

    if (MPI_Get_tool_storage(context, tool_id, &mine) != MPI_SUCCESS || mine == NULL ||
        MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &fn, &id) != MPI_SUCCESS)
        return MPI_ERR_INTERN;
    __atomic_fetch_add(&mine->rank, 1, __ATOMIC_RELAXED);
    return ((MPI_Comm_rank_t *) fn) (context, id, comm, rank);
}

static double my_time(MPI_Context context, int tool_id)
{
    struct counts *mine = NULL;
    void (*fn) (void);
    int id;

    if (MPI_Get_tool_storage(context, tool_id, &mine) != MPI_SUCCESS || mine == NULL ||
        MPI_Get_next_tool_function(tool_id, MPI_WTIME_T, &fn, &id) != MPI_SUCCESS)
        return -1;
    __atomic_fetch_add(&mine->time, 1, __ATOMIC_RELAXED);
    return ((MPI_Wtime_t *) fn) (context, id);
}

static void init_count(int tool_id)
{
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, &counts[tool_id]));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) my_rank));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_WTIME_T, (void (*)(void)) my_time));
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("count", init_count);
}

/* Half of the calls are MPI_Comm_rank, half MPI_Wtime. Returns the number of wrong results. */
static void *work(void *arg)
{
    long wrong = 0;
    double last = 0;

    for (long i = 0; i < num_calls; i++) {
        if (i % 2) {
            int rank = -1;
            wrong += MPI_Comm_rank(MPI_COMM_SELF, &rank) != MPI_SUCCESS || rank != 0;
        } else {
            double now = MPI_Wtime();
            wrong += now < last || now < 0;
            last = now;
        }
    }
    return (void *) wrong;
}

int main(int argc, char **argv)
{
    pthread_t threads[NUM_THREADS];
    int provided;
    long expected;

    qt_begin();
    if (argc > 1)
        num_calls = atol(argv[1]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        goto fn_exit;           /* a library without threads */

    memset(counts, 0, sizeof(counts));
    for (int i = 0; i < NUM_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            abort();
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        QT_CHECK(wrong == NULL, "thread %d: %ld wrong results", i, (long) wrong);
    }
    expected = NUM_THREADS * (num_calls / 2);
    for (int id = 1; id <= 2; id++) {
        QT_CHECK(counts[id].rank == expected,
                 "instance %d: %ld calls of MPI_Comm_rank instead of %ld", id,
                 counts[id].rank, expected);
        expected += NUM_THREADS * (num_calls % 2);
        QT_CHECK(counts[id].time == expected, "instance %d: %ld calls of MPI_Wtime instead of %ld",
                 id, counts[id].time, expected);
        expected -= NUM_THREADS * (num_calls % 2);
    }

  fn_exit:
    MPI_Finalize();
    return qt_end();
}
