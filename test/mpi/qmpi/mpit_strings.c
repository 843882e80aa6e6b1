/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* String control variables of MPI_T can be read, with the value of the environment if it has one,
 * and written; a read returns what was written. Upstream this test belongs in test/mpi/mpi_t. */

#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpitest.h"

#define CHECK(cond, ...)                        \
    do {                                        \
        if (!(cond)) {                          \
            errs++;                             \
            fprintf(stderr, __VA_ARGS__);       \
        }                                       \
    } while (0)

static int errs = 0;

/* Reads the variable if it is a string; returns 1 for strings, 0 for others. */
static int read_variable(int idx)
{
    char name[256];
    const char *expected;
    int name_len = sizeof(name), verbosity, binding, scope, count = -1;
    MPI_Datatype datatype;
    MPI_T_cvar_handle handle;
    char *value;

    MPI_T_cvar_get_info(idx, name, &name_len, &verbosity, &datatype, NULL, NULL, NULL, &binding,
                        &scope);
    if (datatype != MPI_CHAR)
        return 0;
    MPI_T_cvar_handle_alloc(idx, NULL, &handle, &count);
    CHECK(count > 0, "%s: count %d\n", name, count);
    value = malloc(count + 1);
    if (value == NULL)
        abort();
    memset(value, '?', count);
    value[count] = '\0';
    CHECK(MPI_T_cvar_read(handle, value) == MPI_SUCCESS, "cannot read %s\n", name);
    CHECK(memchr(value, '\0', count) != NULL, "%s: the value is not terminated\n", name);
    expected = getenv(name);
    CHECK(expected == NULL || strcmp(value, expected) == 0, "%s is '%s', expected '%s'\n", name,
          value, expected);
    free(value);
    MPI_T_cvar_handle_free(&handle);
    return 1;
}

static void write_variable(const char *name, const char *text)
{
    int idx = -1, count;
    MPI_T_cvar_handle handle;
    char value[4096] = "";

    CHECK(MPI_T_cvar_get_index(name, &idx) == MPI_SUCCESS, "no variable %s\n", name);
    MPI_T_cvar_handle_alloc(idx, NULL, &handle, &count);
    CHECK(count <= (int) sizeof(value), "%s: count %d\n", name, count);
    CHECK(MPI_T_cvar_write(handle, text) == MPI_SUCCESS, "cannot write %s\n", name);
    CHECK(MPI_T_cvar_read(handle, value) == MPI_SUCCESS, "cannot read %s\n", name);
    CHECK(strcmp(value, text) == 0, "%s is '%s' after writing '%s'\n", name, value, text);
    MPI_T_cvar_handle_free(&handle);
}

int main(int argc, char **argv)
{
    int provided, num = 0, num_strings = 0;

    setenv("MPIR_CVAR_IALLREDUCE_TREE_TYPE", "knomial_1", 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&num);
    for (int i = 0; i < num; i++)
        num_strings += read_variable(i);
    CHECK(num_strings > 10, "only %d string variables among %d\n", num_strings, num);
    write_variable("MPIR_CVAR_IBCAST_TREE_TYPE", "knomial_2");
    write_variable("MPIR_CVAR_IBCAST_TREE_TYPE", "kary");
    MTest_Init(&argc, &argv);
    for (int i = 0; i < num; i++)
        read_variable(i);
    /* before MPI_Finalize: debugging builds report the memory that MPI_T still uses */
    MPI_T_finalize();
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
