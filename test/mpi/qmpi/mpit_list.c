/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool list as a control variable of MPI_T. The argument names the case:
 *   read      the value is the list of the environment, before and after MPI_Init
 *   unset     without a list the value is the empty string
 *   write     a list written before MPI_Init chooses the tools
 *   replace   a list written before MPI_Init replaces the list of the environment
 *   again     of two lists written before MPI_Init the last one counts
 *   empty     an empty list written before MPI_Init leaves no tools
 *   late      writing is refused after MPI_Init, and the value stays
 *   calls     calls before MPI_Init do not read the list: it can be written after them */

#include "qmpi_test.h"

#define VARIABLE "MPIR_CVAR_QMPI_TOOL_LIST"

static MPI_T_cvar_handle handle;
static int capacity;            /* size of the value */

__attribute__ ((constructor))
static void load(void)
{
    qt_register("foo", qt_record_all);
    qt_register("bar", qt_record_all);
}

/* QMPI functions reach no tool, which could call MPI_T, too. */
static void open_variable(int through_chain)
{
    int provided, index = -1;

    if (through_chain) {
        QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
        QT_SUCCESS(MPI_T_cvar_get_index(VARIABLE, &index));
        QT_SUCCESS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &capacity));
    } else {
        QT_SUCCESS(QMPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
        QT_SUCCESS(QMPI_T_cvar_get_index(VARIABLE, &index));
        QT_SUCCESS(QMPI_T_cvar_handle_alloc(index, NULL, &handle, &capacity));
    }
    QT_CHECK(index >= 0, "no variable %s", VARIABLE);
    QT_CHECK(capacity > 0, "room for %d bytes only", capacity);
}

static void close_variable(void)
{
    QT_SUCCESS(QMPI_T_cvar_handle_free(&handle));
    QT_SUCCESS(QMPI_T_finalize());
}

static void expect_value(const char *expected)
{
    char *value = malloc(capacity + 1);

    if (value == NULL)
        abort();
    memset(value, '?', capacity);
    value[capacity] = '\0';
    QT_SUCCESS(QMPI_T_cvar_read(handle, value));
    QT_CHECK(memchr(value, '\0', capacity) != NULL, "the value is not terminated");
    QT_CHECK(strcmp(value, expected) == 0, "value '%s' instead of '%s'", value, expected);
    free(value);
}

static void expect_instances(int n)
{
    int rank, found = 0;

    qt_log_clear();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int id = 1; id <= 4; id++)
        found += qt_count(id, MPI_COMM_RANK_T);
    QT_CHECK(found == n && qt_num_inits == n,
             "%d instances initialized and %d called instead of %d", qt_num_inits, found, n);
}

static const char *list_of_environment(void)
{
    static const char *const names[] = { VARIABLE, "QMPI_TOOL_LIST" };

    for (int i = 0; i < 2; i++) {
        if (getenv(names[i]))
            return getenv(names[i]);
    }
    return "";
}

static void test_read(void)
{
    open_variable(1);
    expect_value(list_of_environment());
    MPI_Init(NULL, NULL);
    expect_value(list_of_environment());
    expect_instances(2);
    close_variable();
    MPI_Finalize();
}

static void test_unset(void)
{
    open_variable(1);
    expect_value("");
    MPI_Init(NULL, NULL);
    expect_value("");
    expect_instances(0);
    close_variable();
    MPI_Finalize();
}

static void test_write(const char *list, int instances)
{
    open_variable(0);
    QT_SUCCESS(QMPI_T_cvar_write(handle, list));
    expect_value(list);
    QT_CHECK(qt_num_inits == 0, "writing the list initialized tools");
    MPI_Init(NULL, NULL);
    expect_value(list);
    expect_instances(instances);
    close_variable();
    MPI_Finalize();
}

static void test_again(void)
{
    open_variable(0);
    QT_SUCCESS(QMPI_T_cvar_write(handle, ""));
    QT_SUCCESS(QMPI_T_cvar_write(handle, "foo,foo,foo"));
    close_variable();
    test_write("bar,foo", 2);
}

/* As in a program that does not know the chain: MPI functions only. */
static void test_write_by_mpi(const char *list, int instances)
{
    open_variable(1);
    QT_SUCCESS(MPI_T_cvar_write(handle, list));
    expect_value(list);
    MPI_Init(NULL, NULL);
    expect_instances(instances);
    close_variable();
    MPI_Finalize();
}

static void test_late(void)
{
    MPI_Init(NULL, NULL);
    open_variable(0);
    QT_CLASS(QMPI_T_cvar_write(handle, "foo"), MPI_T_ERR_CVAR_SET_NOT_NOW);
    expect_value(list_of_environment());
    expect_instances(*list_of_environment()? 2 : 0);
    close_variable();
    MPI_Finalize();
}

static void test_calls(void)
{
    int flag;

    MPI_Initialized(&flag);
    QT_CHECK(qt_num_inits == 0, "%d instances", qt_num_inits);
    test_write("foo", 1);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    qt_begin();
    if (strcmp(part, "read") == 0)
        test_read();
    else if (strcmp(part, "unset") == 0)
        test_unset();
    else if (strcmp(part, "write") == 0)
        test_write_by_mpi("foo,bar,foo", 3);
    else if (strcmp(part, "replace") == 0)
        test_write("bar", 1);
    else if (strcmp(part, "again") == 0)
        test_again();
    else if (strcmp(part, "empty") == 0)
        test_write("", 0);
    else if (strcmp(part, "late") == 0)
        test_late();
    else if (strcmp(part, "calls") == 0)
        test_calls();
    else
        qt_errs++;
    return qt_end();
}
