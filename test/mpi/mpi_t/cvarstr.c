/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Every string control variable can be read; one set in the environment has that value, and a read
 * returns what was written. */

#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpitest.h"

static char *read_string(int index)
{
    MPI_T_cvar_handle handle;
    int count;
    char *text;

    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    text = malloc(count + 1);
    memset(text, '?', count);
    text[count] = '\0';
    MPI_T_cvar_read(handle, text);
    MPI_T_cvar_handle_free(&handle);
    return text;
}

static int check_value(const char *name, const char *expected)
{
    int index, errs;
    char *text;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        return 0;
    text = read_string(index);
    errs = strcmp(text, expected) != 0;
    if (errs)
        fprintf(stderr, "%s is '%s' (expected '%s')\n", name, text, expected);
    free(text);
    return errs;
}

static int check_write(const char *name, const char *text)
{
    MPI_T_cvar_handle handle;
    int index, count;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        return 0;
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_write(handle, text);
    MPI_T_cvar_handle_free(&handle);
    return check_value(name, text);
}

int main(int argc, char *argv[])
{
    int provided, num_cvar, errs = 0;

    setenv("MPIR_CVAR_IALLREDUCE_TREE_TYPE", "knomial_1", 1);
    MTest_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&num_cvar);
    for (int i = 0; i < num_cvar; i++) {
        char name[128];
        int length = sizeof(name), verbosity, binding, scope;
        MPI_Datatype datatype;
        MPI_T_enum enumtype;

        MPI_T_cvar_get_info(i, name, &length, &verbosity, &datatype, &enumtype, NULL, NULL,
                            &binding, &scope);
        if (datatype == MPI_CHAR) {
            char *text = read_string(i);
            if (strchr(text, '?')) {
                fprintf(stderr, "%s is not terminated: '%s'\n", name, text);
                errs++;
            }
            free(text);
        }
    }
    errs += check_value("MPIR_CVAR_IALLREDUCE_TREE_TYPE", "knomial_1");
    errs += check_write("MPIR_CVAR_IBCAST_TREE_TYPE", "knomial_2");
    errs += check_write("MPIR_CVAR_IBCAST_TREE_TYPE", "kary");
    MPI_T_finalize();
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
