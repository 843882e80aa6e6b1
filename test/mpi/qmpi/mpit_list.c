/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool list as a control variable of the tools information interface. The argument says what is
 * asked:
 *   read      with a list in the environment, under whichever of the three names: is the variable's
 *             value that list, before and after MPI_Init?
 *   unset     without one: is the value the empty string?
 *   write     does a list written before MPI_Init choose the tools?
 *   replace   does a list written before MPI_Init replace the one of the environment?
 *   again     of two lists written before MPI_Init, is it the last one that counts?
 *   empty     does an empty list written before MPI_Init leave no tools?
 *   late      is writing refused once MPI is initialised, with the value unchanged?
 *   chain     is writing refused once the chain stands, though MPI is not initialised? */

#include "qmpi_test.h"

#define VARIABLE "MPIR_CVAR_QMPI_TOOL_LIST"

static MPI_T_cvar_handle handle;
static int capacity;            /* bytes for the value */

__attribute__ ((constructor))
static void load(void)
{
    qt_register("foo", qt_record_all);
    qt_register("bar", qt_record_all);
}

/* QMPI functions where the chain must not be built by asking, MPI functions otherwise. */
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
    QT_CHECK(memchr(value, '\0', capacity) != NULL, "the value has no end");
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
    QT_CHECK(found == n && qt_num_inits == n, "%d instances initialised and %d called instead of %d",
             qt_num_inits, found, n);
}

static const char *list_of_environment(void)
{
    static const char *const names[] = { VARIABLE, "MPICH_QMPI_TOOL_LIST", "QMPI_TOOL_LIST" };

    for (int i = 0; i < 3; i++) {
        if (getenv(names[i]))
            return getenv(names[i]);
    }
    return "";
}

static void ask_read(void)
{
    open_variable(1);
    expect_value(list_of_environment());
    MPI_Init(NULL, NULL);
    expect_value(list_of_environment());
    expect_instances(2);
    close_variable();
    MPI_Finalize();
}

static void ask_unset(void)
{
    open_variable(1);
    expect_value("");
    MPI_Init(NULL, NULL);
    expect_value("");
    expect_instances(0);
    close_variable();
    MPI_Finalize();
}

static void ask_write(const char *list, int instances)
{
    open_variable(0);
    QT_SUCCESS(QMPI_T_cvar_write(handle, list));
    expect_value(list);
    QT_CHECK(qt_num_inits == 0, "writing the list initialised tools");
    MPI_Init(NULL, NULL);
    expect_value(list);
    expect_instances(instances);
    close_variable();
    MPI_Finalize();
}

static void ask_again(void)
{
    open_variable(0);
    QT_SUCCESS(QMPI_T_cvar_write(handle, ""));
    QT_SUCCESS(QMPI_T_cvar_write(handle, "foo,foo,foo"));
    close_variable();
    ask_write("bar,foo", 2);
}

/* In a program that does not know of the chain the MPI names are used. */
static void ask_write_plainly(const char *list, int instances)
{
    open_variable(1);
    QT_SUCCESS(MPI_T_cvar_write(handle, list));
    expect_value(list);
    MPI_Init(NULL, NULL);
    expect_instances(instances);
    close_variable();
    MPI_Finalize();
}

static void ask_late(void)
{
    MPI_Init(NULL, NULL);
    open_variable(0);
    QT_CLASS(QMPI_T_cvar_write(handle, "foo"), MPI_T_ERR_CVAR_SET_NOT_NOW);
    expect_value(list_of_environment());
    expect_instances(*list_of_environment()? 2 : 0);
    close_variable();
    MPI_Finalize();
}

static void ask_chain(void)
{
    int flag;

    MPI_Initialized(&flag);
    QT_CHECK(qt_num_inits == 2, "%d instances", qt_num_inits);
    open_variable(0);
    QT_CLASS(QMPI_T_cvar_write(handle, "foo"), MPI_T_ERR_CVAR_SET_NOT_NOW);
    expect_value(list_of_environment());
    MPI_Init(NULL, NULL);
    expect_instances(2);
    close_variable();
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *question = argc > 1 ? argv[1] : "";

    qt_begin(argc, argv);
    if (strcmp(question, "read") == 0)
        ask_read();
    else if (strcmp(question, "unset") == 0)
        ask_unset();
    else if (strcmp(question, "write") == 0)
        ask_write_plainly("foo,bar,foo", 3);
    else if (strcmp(question, "replace") == 0)
        ask_write("bar", 1);
    else if (strcmp(question, "again") == 0)
        ask_again();
    else if (strcmp(question, "empty") == 0)
        ask_write("", 0);
    else if (strcmp(question, "late") == 0)
        ask_late();
    else if (strcmp(question, "chain") == 0)
        ask_chain();
    else
        qt_errs++;
    return qt_end();
}
