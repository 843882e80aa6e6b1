/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A call reaches no tool while all instances that intercept the function sleep, and each instance
 * that intercepts it while one of them is awake. Run with the list rec,rank,none. */

#include "qmpi_test.h"
#include <pthread.h>

#define NUM_SWITCHES 100000

enum { REC = 1, RANK, NONE, NUM_IDS };  /* instances */

static int seen[NUM_IDS];             /* state that the awake function has found */
static int num_changes[NUM_IDS];

static void note_state(int tool_id)
{
    QT_SUCCESS(MPIX_Get_tool_awake(tool_id, &seen[tool_id]));
    __atomic_fetch_add(&num_changes[tool_id], 1, __ATOMIC_RELAXED);
}

static void init_all(int tool_id)
{
    qt_record_all(tool_id);
    QT_SUCCESS(MPIX_Register_tool_awake_function(tool_id, note_state));
}

static void init_rank(int tool_id)
{
    qt_record_begin(tool_id);
    qt_record_function(tool_id, MPI_COMM_RANK_T);
    QT_SUCCESS(MPIX_Register_tool_awake_function(tool_id, note_state));
}

static void init_none(int tool_id)
{
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", init_all);
    qt_register("rank", init_rank);
    qt_register("none", init_none);
}

static void set(int tool_id, int is_awake)
{
    int state = -1;

    QT_SUCCESS(MPIX_Set_tool_awake(tool_id, is_awake));
    QT_SUCCESS(MPIX_Get_tool_awake(tool_id, &state));
    QT_CHECK(state == is_awake, "instance %d: state %d", tool_id, state);
    QT_CHECK(seen[tool_id] == is_awake, "instance %d: found state %d", tool_id, seen[tool_id]);
}

static void expect_calls(const char *rank, const char *size)
{
    int n;

    qt_log_clear();
    MPI_Comm_rank(MPI_COMM_SELF, &n);
    qt_expect_log(rank, "MPI_Comm_rank");
    MPI_Comm_size(MPI_COMM_SELF, &n);
    qt_expect_log(size, "MPI_Comm_size");
}

static void check_calls(void)
{
    static const char both[] = "1>MPI_Comm_rank 2>MPI_Comm_rank 2<MPI_Comm_rank 1<MPI_Comm_rank";
    static const char size[] = "1>MPI_Comm_size 1<MPI_Comm_size";

    expect_calls(both, size);
    set(REC, 0);
    expect_calls(both, "");
    set(RANK, 0);
    expect_calls("", "");
    set(REC, 1);
    expect_calls(both, size);
    set(REC, 0);
    set(REC, 0);
    set(RANK, 1);
    expect_calls(both, "");
    set(RANK, 0);
    MPI_Pcontrol(1);
    qt_expect_log("1>MPI_Pcontrol 1<MPI_Pcontrol", "MPI_Pcontrol");
}

static void check_arguments(void)
{
    int state;

    QT_CLASS(MPIX_Set_tool_awake(0, 0), MPI_ERR_ARG);
    QT_CLASS(MPIX_Set_tool_awake(NUM_IDS, 0), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_tool_awake(NUM_IDS, &state), MPI_ERR_ARG);
    QT_CLASS(MPIX_Set_tool_awake(NONE, 0), MPI_ERR_UNSUPPORTED_OPERATION);
    QT_CLASS(MPIX_Register_tool_awake_function(REC, note_state), MPI_ERR_OTHER);
    QT_CLASS(MPIX_Get_tool_awake(REC, NULL), MPI_ERR_ARG);
}

static int is_done = 0;

static void *call(void *unused)
{
    long wrong = 0;

    while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE)) {
        int rank = -1;
        wrong += MPI_Comm_rank(MPI_COMM_SELF, &rank) != MPI_SUCCESS || rank != 0;
    }
    return (void *) wrong;
}

/* One thread switches while another calls. */
static void check_threads(void)
{
    pthread_t thread;
    void *wrong;

    if (pthread_create(&thread, NULL, call, NULL) != 0)
        abort();
    for (int i = 0; i < NUM_SWITCHES; i++)
        MPIX_Set_tool_awake(RANK, i % 2);
    __atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
    pthread_join(thread, &wrong);
    QT_CHECK(wrong == NULL, "%ld wrong results", (long) wrong);
}

int main(int argc, char **argv)
{
    int provided;

    qt_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    check_calls();
    QT_CHECK(num_changes[REC] == 3 && num_changes[RANK] == 3, "%d and %d changes",
             num_changes[REC], num_changes[RANK]);
    check_arguments();
    if (provided == MPI_THREAD_MULTIPLE)
        check_threads();
    set(REC, 0);
    set(RANK, 0);
    qt_log_clear();
    MPI_Finalize();
    qt_expect_log("1>MPI_Finalize 1<MPI_Finalize", "MPI_Finalize");
    return qt_end();
}
