/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Unusual but valid registrations. The argument names the case:
 *   twice     of two registrations of a function the last one counts; the same for storage and
 *             ready functions, which run after all init callbacks, the last instance first
 *   silent    a tool that registers nothing changes nothing and may look functions up later
 *   unlisted  without a list a tool is never initialized
 *   inside    MPI calls in init callbacks and ready functions work and reach no tool
 *   partial   an instance gets the next link of functions that it does not intercept */

#include "qmpi_test.h"

static const char *part = "";
static char order[256];

static void note(const char *what, int tool_id)
{
    size_t n = strlen(order);

    snprintf(order + n, sizeof(order) - n, "%s%d ", what, tool_id);
}

static int storages[2];

static int wrong_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    QT_CHECK(0, "the first registration was called");
    *rank = -1;
    return MPI_SUCCESS;
}

static int right_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    void *storage = NULL;
    void (*fn) (void);
    int id;

    note("rank", tool_id);
    QT_SUCCESS(MPI_Get_tool_storage(context, tool_id, &storage));
    QT_CHECK(storage == &storages[1], "the first storage was given");
    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &fn, &id));
    return ((MPI_Comm_rank_t *) fn) (context, id, comm, rank);
}

static void wrong_ready(int tool_id)
{
    QT_CHECK(0, "the first ready function was called");
}

static void call_mpi(void)
{
    int flag = -1, version = 0, subversion;

    QT_SUCCESS(MPI_Initialized(&flag));
    QT_CHECK(flag == 0, "initialized: %d", flag);
    QT_SUCCESS(MPI_Get_version(&version, &subversion));
    QT_CHECK(version == MPI_VERSION, "version %d", version);
}

static void right_ready(int tool_id)
{
    note("ready", tool_id);
    if (strcmp(part, "inside") == 0)
        call_mpi();
}

static void init_twice(int tool_id)
{
    note("init", tool_id);
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) wrong_rank));
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, &storages[0]));
    QT_SUCCESS(MPIX_Register_tool_ready_function(tool_id, wrong_ready));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) right_rank));
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, &storages[1]));
    QT_SUCCESS(MPIX_Register_tool_ready_function(tool_id, right_ready));
    if (strcmp(part, "inside") == 0)
        call_mpi();
}

static void init_silent(int tool_id)
{
    note("silent", tool_id);
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("twice", init_twice);
    qt_register("silent", init_silent);
    qt_register("rec", qt_record_all);
}

static void expect_order(const char *expected)
{
    QT_CHECK(strcmp(order, expected) == 0, "expected '%s', found '%s'", expected, order);
    order[0] = '\0';
}

static void call_rank(void)
{
    int rank = -1;

    QT_SUCCESS(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    QT_CHECK(rank == 0, "rank %d", rank);
}

/* list twice,twice */
static void test_twice(void)
{
    expect_order("init1 init2 ready2 ready1 ");
    call_rank();
    expect_order("rank1 rank2 ");
}

/* list silent */
static void test_silent(void)
{
    void (*fn) (void) = NULL;
    void *storage = &fn;
    int id = -1;

    expect_order("silent1 ");
    call_rank();
    expect_order("");
    QT_SUCCESS(MPI_Get_next_tool_function(1, MPI_COMM_RANK_T, &fn, &id));
    QT_CHECK(fn != NULL && id == 0, "the next function of the last instance has the id %d", id);
    QT_SUCCESS(MPI_Get_tool_storage(NULL, 1, &storage));
    QT_CHECK(storage == NULL, "storage that was not registered");
}

static void test_unlisted(void)
{
    call_rank();
    expect_order("");
    QT_CHECK(qt_num_inits == 0, "%d instances", qt_num_inits);
    qt_expect_log("", "no list");
}

/* list rec,twice,rec */
static void test_inside(void)
{
    expect_order("init2 ready2 ");
    qt_expect_log("1>MPI_Init 3>MPI_Init 3<MPI_Init 1<MPI_Init", "calls of callbacks");
}

/* list silent,rec */
static void test_partial(void)
{
    void (*fn) (void) = NULL, (*last) (void) = NULL;
    int id = -1, rank = -1;

    expect_order("silent1 ");
    QT_SUCCESS(MPI_Get_next_tool_function(1, MPI_COMM_RANK_T, &fn, &id));
    QT_CHECK(fn != NULL && id == 2, "next of 1 is %d", id);
    QT_SUCCESS(MPI_Get_next_tool_function(2, MPI_COMM_RANK_T, &last, &id));
    QT_CHECK(last != NULL && last != fn && id == 0, "next of 2 is %d", id);
    /* the end of the chain needs no context */
    QT_SUCCESS(((MPI_Comm_rank_t *) last) (NULL, id, MPI_COMM_SELF, &rank));
    QT_CHECK(rank == 0, "rank %d", rank);
}

int main(int argc, char **argv)
{
    qt_begin();
    part = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    if (strcmp(part, "twice") == 0)
        test_twice();
    else if (strcmp(part, "silent") == 0)
        test_silent();
    else if (strcmp(part, "unlisted") == 0)
        test_unlisted();
    else if (strcmp(part, "inside") == 0)
        test_inside();
    else if (strcmp(part, "partial") == 0)
        test_partial();
    else
        qt_errs++;
    MPI_Finalize();
    return qt_end();
}
