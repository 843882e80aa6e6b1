/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Wrong arguments and calls in the wrong phase return the right error class and change nothing. The
 * argument names the phase:
 *   before      before the chain is built, tools in the list
 *   none        without a list: there is no instance
 *   init        inside an init callback
 *   ready       inside a ready callback
 *   call        inside an intercepted call
 *   after       after MPI_Finalize
 * Run with the list probe,probe (without a list for "none"). */

#include "qmpi_test.h"

#define LONGEST (MPIX_MAX_TOOL_NAME_LENGTH - 1)

static const char *phase = "";
static int checked = 0;         /* number of checks of the phase */
static int ready_calls = 0;
static int late_calls = 0;      /* calls of functions whose registration was refused */
static int init_reached = 0;    /* bit set of the ids of init callbacks */

static int next_of_two(int tool_id)
{
    return tool_id == 1 ? 2 : 0;
}

static void other_init(int tool_id)
{
    late_calls++;
}

static void other_ready(int tool_id)
{
    late_calls++;
}

static int other_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    late_calls++;
    *rank = -5;
    return MPI_SUCCESS;
}

#define OTHER_RANK ((void (*)(void)) other_rank)

/* ---- tables of bad arguments ---- */

static const int bad_tool_ids[] = { 0, -1, 3, 1000000, -2147483647 - 1, 2147483647 };
static const int bad_functions[] = { -1, MPI_LAST_FUNC_T, MPI_LAST_FUNC_T + 1, 1000000,
    -2147483647 - 1, 2147483647
};

#define NUM(array) ((int) (sizeof(array) / sizeof((array)[0])))

static int mark_function_target;

static void mark_function(void)
{
    mark_function_target++;
}

/* For two errors at once, such as an unknown id in the wrong phase, either class is right. */
#define EITHER (-1)

static void check_class(int rc, int error_class, const char *what, int tool_id, int function)
{
    int found = qt_class(rc);

    if (error_class == EITHER)
        QT_CHECK(found == MPI_ERR_ARG || found == MPI_ERR_OTHER,
                 "%s: %s of tool %d, function %d: class %d", phase, what, tool_id, function, found);
    else
        QT_CHECK(found == error_class, "%s: %s of tool %d, function %d: class %d instead of %d",
                 phase, what, tool_id, function, found, error_class);
}

/* A refused look-up does not write its results. */
static void refuse_next(int tool_id, int function, int error_class)
{
    void (*fn) (void) = mark_function;
    int id = 4711;
    int rc = MPI_Get_next_tool_function(tool_id, function, &fn, &id);

    check_class(rc, error_class, "next", tool_id, function);
    QT_CHECK(fn == mark_function && id == 4711, "%s: refused, but results written", phase);
}

static void refuse_storage_of(MPI_Context context, int tool_id, int error_class)
{
    void *storage = &mark_function_target;
    int rc = MPI_Get_tool_storage(context, tool_id, &storage);

    check_class(rc, error_class, "storage", tool_id, -1);
    QT_CHECK(storage == &mark_function_target, "%s: refused, but result written", phase);
}

static void refuse_bad_names(void)
{
    char name[MPIX_MAX_TOOL_NAME_LENGTH + 100];

    QT_CLASS(MPI_Register_tool_name(NULL, other_init), MPI_ERR_ARG);
    QT_CLASS(MPI_Register_tool_name("fine", NULL), MPI_ERR_ARG);
    QT_CLASS(MPI_Register_tool_name("", other_init), MPI_ERR_ARG);
    memset(name, 'x', sizeof(name));
    name[LONGEST + 1] = '\0';
    QT_CLASS(MPI_Register_tool_name(name, other_init), MPI_ERR_ARG);
    name[LONGEST + 1] = 'x';
    name[sizeof(name) - 1] = '\0';
    QT_CLASS(MPI_Register_tool_name(name, other_init), MPI_ERR_ARG);
    QT_CLASS(PMPI_Register_tool_name("", other_init), MPI_ERR_ARG);
    QT_CLASS(QMPI_Register_tool_name("", other_init), MPI_ERR_ARG);
}

static void refuse_bad_look_ups(MPI_Context context, int instances)
{
    void (*fn) (void) = mark_function;
    int id = 4711;

    for (int i = 0; i < NUM(bad_tool_ids); i++) {
        refuse_next(bad_tool_ids[i], MPI_SEND_T, MPI_ERR_ARG);
        refuse_storage_of(context, bad_tool_ids[i], MPI_ERR_ARG);
    }
    if (!instances) {
        refuse_next(1, MPI_SEND_T, MPI_ERR_ARG);
        refuse_storage_of(context, 1, MPI_ERR_ARG);
        return;
    }
    for (int i = 0; i < NUM(bad_functions); i++)
        refuse_next(1, bad_functions[i], MPI_ERR_ARG);
    QT_CLASS(MPI_Get_next_tool_function(1, MPI_SEND_T, NULL, &id), MPI_ERR_ARG);
    QT_CLASS(MPI_Get_next_tool_function(1, MPI_SEND_T, &fn, NULL), MPI_ERR_ARG);
    QT_CLASS(MPI_Get_next_tool_function(1, MPI_SEND_T, NULL, NULL), MPI_ERR_ARG);
    QT_CHECK(fn == mark_function && id == 4711, "%s: refused, but results written", phase);
    QT_CLASS(MPI_Get_tool_storage(context, 1, NULL), MPI_ERR_ARG);
}

static void refuse_bad_contexts(void)
{
    void *address = &mark_function_target;

    QT_CLASS(MPI_Get_calling_address(NULL, &address), MPI_ERR_ARG);
    QT_CHECK(address == &mark_function_target, "%s: refused, but result written", phase);
    QT_CLASS(MPI_Get_calling_address(NULL, NULL), MPI_ERR_ARG);
}

static void refuse_bad_function_names(void)
{
    static const char *const names[] = { "", "MPI_", "MPI_Sen", "MPI_Sendd", "mpi_send",
        "MPI_SEND_T", "PMPI_Send", "QMPI_Send", " MPI_Send", "MPI_Send "
    };
    int function = 4711;
    const char *name = "untouched";

    for (int i = 0; i < NUM(names); i++)
        QT_CLASS(MPIX_Get_function_enum(names[i], &function), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_function_enum(NULL, &function), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_function_enum("MPI_Send", NULL), MPI_ERR_ARG);
    QT_CHECK(function == 4711, "%s: refused, but result written", phase);
    for (int i = 0; i < NUM(bad_functions); i++)
        QT_CLASS(MPIX_Get_function_name(bad_functions[i], &name), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_function_name(MPI_SEND_T, NULL), MPI_ERR_ARG);
    QT_CHECK(strcmp(name, "untouched") == 0, "%s: refused, but result written", phase);
}

/* These work in every phase. */
static void names_work(void)
{
    int function = -1;
    const char *name = NULL;

    QT_SUCCESS(MPIX_Get_function_enum("MPI_Send", &function));
    QT_CHECK(function == MPI_SEND_T, "%s: function %d", phase, function);
    QT_SUCCESS(MPIX_Get_function_name(MPI_SEND_T, &name));
    QT_CHECK(name && strcmp(name, "MPI_Send") == 0, "%s: name %s", phase, name ? name : "NULL");
}

/* Functions for init callbacks, called outside of one. */
static void refuse_registrations(int instances)
{
    int rc;

    if (!instances) {
        rc = MPI_Register_tool_storage(1, &mark_function_target);
        check_class(rc, EITHER, "registering storage", 1, -1);
        rc = MPI_Register_tool_function(1, MPI_COMM_RANK_T, OTHER_RANK);
        check_class(rc, EITHER, "registering", 1, MPI_COMM_RANK_T);
        rc = MPIX_Register_tool_ready_function(1, other_ready);
        check_class(rc, EITHER, "registering the ready function", 1, -1);
        return;
    }
    QT_CLASS(MPI_Register_tool_storage(1, &mark_function_target), MPI_ERR_OTHER);
    QT_CLASS(MPI_Register_tool_function(1, MPI_COMM_RANK_T, OTHER_RANK), MPI_ERR_OTHER);
    QT_CLASS(MPI_Register_tool_function(1, MPI_COMM_SIZE_T, OTHER_RANK), MPI_ERR_OTHER);
    QT_CLASS(MPIX_Register_tool_ready_function(1, other_ready), MPI_ERR_OTHER);
    QT_CLASS(QMPI_Register_tool_storage(1, &mark_function_target), MPI_ERR_OTHER);
    QT_CLASS(QMPI_Register_function(1, MPI_COMM_RANK_T, OTHER_RANK), MPI_ERR_OTHER);
    QT_CHECK(MPI_Register_tool_storage(9, NULL) != MPI_SUCCESS, "%s: accepted", phase);
    QT_CHECK(MPI_Register_tool_function(1, -1, OTHER_RANK) != MPI_SUCCESS, "%s: accepted", phase);
    QT_CHECK(MPI_Register_tool_function(1, MPI_COMM_RANK_T, NULL) != MPI_SUCCESS, "%s: accepted",
             phase);
}

static void refuse_late_names(void)
{
    QT_CLASS(MPI_Register_tool_name("late", other_init), MPI_ERR_OTHER);
    QT_CLASS(QMPI_Register_tool_name("later", other_init), MPI_ERR_OTHER);
}

/* ---- the tool ---- */

static int storages[3];

static int my_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    void (*fn) (void) = NULL;
    void *storage = NULL;
    int id = -1;

    /* refused calls have not changed the instance */
    QT_SUCCESS(MPI_Get_tool_storage(context, tool_id, &storage));
    QT_CHECK(storage == &storages[tool_id], "instance %d has another storage", tool_id);
    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &fn, &id));
    QT_CHECK(id == next_of_two(tool_id), "the next of %d is %d", tool_id, id);
    if (strcmp(phase, "call") == 0) {
        checked++;
        refuse_bad_names();
        refuse_late_names();
        refuse_registrations(2);
        refuse_bad_look_ups(context, 2);
        refuse_bad_contexts();
        QT_CLASS(MPI_Get_calling_address(context, NULL), MPI_ERR_ARG);
        refuse_bad_function_names();
        names_work();
    }
    storages[tool_id]++;
    return ((MPI_Comm_rank_t *) fn) (context, id, comm, rank);
}

static void my_ready(int tool_id)
{
    ready_calls++;
    if (strcmp(phase, "ready") != 0)
        return;
    checked++;
    refuse_bad_names();
    refuse_late_names();
    refuse_registrations(2);
    refuse_bad_look_ups(NULL, 2);
    refuse_bad_contexts();
    refuse_bad_function_names();
    names_work();
}

static void refuse_in_init(int tool_id)
{
    refuse_bad_names();
    refuse_late_names();
    for (int i = 0; i < NUM(bad_tool_ids); i++) {
        int bad = bad_tool_ids[i];
        QT_CLASS(MPI_Register_tool_storage(bad, &mark_function_target), MPI_ERR_ARG);
        QT_CLASS(MPI_Register_tool_function(bad, MPI_COMM_RANK_T, OTHER_RANK), MPI_ERR_ARG);
        QT_CLASS(MPIX_Register_tool_ready_function(bad, other_ready), MPI_ERR_ARG);
        refuse_storage_of(NULL, bad, MPI_ERR_ARG);
    }
    for (int i = 0; i < NUM(bad_functions); i++)
        QT_CLASS(MPI_Register_tool_function(tool_id, bad_functions[i], OTHER_RANK), MPI_ERR_ARG);
    QT_CLASS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, NULL), MPI_ERR_ARG);
    QT_CLASS(MPIX_Register_tool_ready_function(tool_id, NULL), MPI_ERR_ARG);
    /* another instance than the one whose callback runs */
    check_class(MPI_Register_tool_storage(3 - tool_id, &mark_function_target), EITHER,
                "registering storage", 3 - tool_id, -1);
    check_class(MPI_Register_tool_function(3 - tool_id, MPI_COMM_RANK_T, OTHER_RANK), EITHER,
                "registering", 3 - tool_id, MPI_COMM_RANK_T);
    check_class(MPIX_Register_tool_ready_function(3 - tool_id, other_ready), EITHER,
                "registering the ready function", 3 - tool_id, -1);
    check_class(MPIX_Fail_tool(3 - tool_id, "another instance"), EITHER, "failing", 3 - tool_id,
                -1);
    /* the chain is not complete, so there is no next function yet */
    refuse_next(tool_id, MPI_COMM_RANK_T, MPI_ERR_OTHER);
    refuse_next(tool_id, MPI_SEND_T, MPI_ERR_OTHER);
    refuse_bad_contexts();
    refuse_bad_function_names();
    names_work();
}

static void init_probe(int tool_id)
{
    init_reached |= 1 << tool_id;
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, &storages[tool_id]));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) my_rank));
    QT_SUCCESS(MPIX_Register_tool_ready_function(tool_id, my_ready));
    if (strcmp(phase, "init") == 0) {
        checked++;
        refuse_in_init(tool_id);
    }
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("probe", init_probe);
}

/* ---- phases outside of callbacks ---- */

static void refuse_before(void)
{
    char name[MPIX_MAX_TOOL_NAME_LENGTH];

    refuse_bad_names();
    QT_CLASS(MPI_Register_tool_name("probe", other_init), MPI_ERR_ARG);
    refuse_registrations(0);
    refuse_bad_look_ups(NULL, 0);
    refuse_bad_contexts();
    refuse_bad_function_names();
    names_work();
    /* the longest name is accepted, once */
    memset(name, 'n', LONGEST);
    name[LONGEST] = '\0';
    QT_SUCCESS(MPI_Register_tool_name(name, other_init));
    QT_CLASS(MPI_Register_tool_name(name, other_init), MPI_ERR_ARG);
}

static void refuse_after(int instances)
{
    refuse_bad_names();
    refuse_late_names();
    refuse_registrations(instances);
    refuse_bad_look_ups(NULL, instances);
    refuse_bad_contexts();
    refuse_bad_function_names();
    names_work();
}

/* Refused calls have not changed the chain. */
static void chain_works(int instances)
{
    int rank = -1, size = -1;

    storages[1] = storages[2] = 0;
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    QT_CHECK(rank == 0 && size == 1, "rank %d, size %d", rank, size);
    QT_CHECK(storages[1] == (instances > 0) && storages[2] == (instances > 0),
             "instances called %d and %d times", storages[1], storages[2]);
    QT_CHECK(late_calls == 0, "something refused was called %d times", late_calls);
    QT_CHECK(ready_calls == instances, "%d ready callbacks", ready_calls);
    QT_CHECK(init_reached == (instances ? 6 : 0), "init callbacks: %d", init_reached);
    QT_CHECK(mark_function_target == 0, "a marker was called");
}

int main(int argc, char **argv)
{
    int instances, expected = 2;

    qt_begin();
    phase = argc > 1 ? argv[1] : "";
    instances = strcmp(phase, "none") == 0 ? 0 : 2;
    if (strcmp(phase, "before") == 0 || strcmp(phase, "none") == 0) {
        refuse_before();
        checked++;
        expected = 1;
    }
    MPI_Init(&argc, &argv);
    chain_works(instances);
    if (strcmp(phase, "none") == 0)
        refuse_after(0);
    chain_works(instances);
    if (strcmp(phase, "call") == 0)
        expected = 4;
    MPI_Finalize();
    if (strcmp(phase, "none") == 0)
        refuse_after(0);
    if (strcmp(phase, "after") == 0) {
        refuse_after(instances);
        checked++;
        expected = 1;
    }
    QT_CHECK(checked == expected, "phase '%s': %d checks instead of %d", phase, checked, expected);
    return qt_end();
}
