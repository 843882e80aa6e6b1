/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Can all string control variables be read, with the value of the environment where that sets one,
 * and does writing one and reading it again give what was written? */

#define _GNU_SOURCE
#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static void check_value(const char *name, const char *value)
{
    const char *wanted = getenv(name);

    if (wanted)
        QT_CHECK(strcmp(value, wanted) == 0, "%s is '%s' instead of '%s'", name, value, wanted);
}

static int read_variable(int index)
{
    char name[256], description[4096];
    int name_length = sizeof(name), description_length = sizeof(description);
    int verbosity, bind, scope, count = -1;
    MPI_T_enum enumtype;
    MPI_Datatype datatype;
    MPI_T_cvar_handle handle;
    char *value;

    QT_SUCCESS(MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &datatype, &enumtype,
                                   description, &description_length, &bind, &scope));
    if (datatype != MPI_CHAR)
        return 0;
    QT_SUCCESS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    QT_CHECK(count > 0, "%s: room for %d bytes", name, count);
    value = malloc(count + 1);
    if (value == NULL)
        abort();
    memset(value, '?', count);
    value[count] = '\0';
    QT_SUCCESS(MPI_T_cvar_read(handle, value));
    QT_CHECK(memchr(value, '\0', count) != NULL, "%s: the value has no end", name);
    check_value(name, value);
    free(value);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
    return 1;
}

static void write_and_read(const char *name, const char *text)
{
    int index = -1, count;
    MPI_T_cvar_handle handle;
    char value[4096] = "";

    QT_SUCCESS(MPI_T_cvar_get_index(name, &index));
    QT_SUCCESS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    QT_CHECK(count <= (int) sizeof(value), "%s: %d bytes", name, count);
    QT_SUCCESS(MPI_T_cvar_write(handle, text));
    QT_SUCCESS(MPI_T_cvar_read(handle, value));
    QT_CHECK(strcmp(value, text) == 0, "%s: '%s' was written, '%s' read", name, text, value);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
}

int main(int argc, char **argv)
{
    int provided, n = 0, strings = 0;

    qt_begin(argc, argv);
    setenv("MPIR_CVAR_IALLREDUCE_TREE_TYPE", "knomial_1", 1);
    QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    QT_SUCCESS(MPI_T_cvar_get_num(&n));
    for (int i = 0; i < n; i++)
        strings += read_variable(i);
    /* the base has more than ten of them */
    QT_CHECK(strings > 10, "only %d string variables among %d", strings, n);
    write_and_read("MPIR_CVAR_IBCAST_TREE_TYPE", "knomial_2");
    write_and_read("MPIR_CVAR_IBCAST_TREE_TYPE", "kary");
    MPI_Init(&argc, &argv);
    for (int i = 0; i < n; i++)
        read_variable(i);
    /* MPI_T ends first: a debugging build reports what it still holds when MPI ends */
    QT_SUCCESS(MPI_T_finalize());
    MPI_Finalize();
    return qt_end();
}
