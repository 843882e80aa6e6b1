/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool list is read in the call that initializes MPI: a list that main sets with setenv before
 * counts, one that it sets later does not, and MPI_T reads the one in force. The argument says what
 * main does:
 *   set      sets MPIR_CVAR_QMPI_TOOL_LIST
 *   slides   sets QMPI_TOOL_LIST
 *   both     sets both: MPIR_CVAR_QMPI_TOOL_LIST counts
 *   change   replaces the list of the environment
 *   unset    removes the list of the environment
 *   called   replaces the list after other calls, among them MPI_T_init_thread
 *   late     replaces it after MPI_Init */

#define _GNU_SOURCE
#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("foo", qt_record_all);
    qt_register("bar", qt_record_all);
}

static void check_value(const char *expected)
{
    char value[4096] = "";
    MPI_T_cvar_handle handle;
    int provided, idx = -1, count;

    QT_SUCCESS(QMPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    QT_SUCCESS(QMPI_T_cvar_get_index("MPIR_CVAR_QMPI_TOOL_LIST", &idx));
    QT_SUCCESS(QMPI_T_cvar_handle_alloc(idx, NULL, &handle, &count));
    QT_SUCCESS(QMPI_T_cvar_read(handle, value));
    QT_CHECK(strcmp(value, expected) == 0, "the list is '%s' instead of '%s'", value, expected);
    QT_SUCCESS(QMPI_T_cvar_handle_free(&handle));
    QT_SUCCESS(QMPI_T_finalize());
}

int main(int argc, char **argv)
{
    const char *task = argc > 1 ? argv[1] : "", *expected = "";
    int instances = 0, flag;

    qt_begin();
    if (strcmp(task, "set") == 0) {
        setenv("MPIR_CVAR_QMPI_TOOL_LIST", expected = "foo,bar,foo", 1);
        instances = 3;
    } else if (strcmp(task, "slides") == 0) {
        setenv("QMPI_TOOL_LIST", expected = "bar:bar", 1);
        instances = 2;
    } else if (strcmp(task, "both") == 0) {
        setenv("QMPI_TOOL_LIST", "bar:bar", 1);
        setenv("MPIR_CVAR_QMPI_TOOL_LIST", expected = "foo", 1);
        instances = 1;
    } else if (strcmp(task, "change") == 0) {
        setenv("MPIR_CVAR_QMPI_TOOL_LIST", expected = "bar", 1);
        instances = 1;
    } else if (strcmp(task, "unset") == 0) {
        unsetenv("MPIR_CVAR_QMPI_TOOL_LIST");
    } else if (strcmp(task, "called") == 0) {
        MPI_Initialized(&flag);
        QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &flag));
        setenv("MPIR_CVAR_QMPI_TOOL_LIST", expected = "bar", 1);
        instances = 1;
    } else if (strcmp(task, "late") == 0) {
        expected = "foo,foo";
        instances = 2;
    } else {
        qt_errs++;
    }
    MPI_Init(&argc, &argv);
    if (strcmp(task, "late") == 0)
        setenv("MPIR_CVAR_QMPI_TOOL_LIST", "bar", 1);
    QT_CHECK(qt_num_inits == instances, "%d instances instead of %d", qt_num_inits, instances);
    for (int id = 1; id <= 3; id++)
        QT_CHECK(qt_count(id, MPI_INIT_T) == (id <= instances), "instance %d: %d calls of MPI_Init",
                 id, qt_count(id, MPI_INIT_T));
    check_value(expected);
    MPI_Finalize();
    return qt_end();
}
