/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Building the chain does not read the other control variables: those that a tool sets with setenv
 * in its function for MPI_Init count. Run with the list rec,rec. */

#define _GNU_SOURCE
#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static void set_variables(MPI_Context context, int tool_id, int function)
{
    if (function == MPI_INIT_T) {
        setenv("MPIR_CVAR_IBCAST_TREE_TYPE", "knomial_2", 1);
        setenv("MPIR_CVAR_BCAST_MIN_PROCS", "4711", 1);
    }
}

int main(int argc, char **argv)
{
    int provided, index = -1, count, number = 0;
    char value[4096] = "";
    MPI_T_cvar_handle handle;

    qt_begin();
    qt_on_enter = set_variables;
    MPI_Init(&argc, &argv);
    QT_CHECK(qt_num_inits == 2, "%d instances", qt_num_inits);

    QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    QT_SUCCESS(MPI_T_cvar_get_index("MPIR_CVAR_BCAST_MIN_PROCS", &index));
    QT_SUCCESS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    QT_SUCCESS(MPI_T_cvar_read(handle, &number));
    QT_CHECK(number == 4711, "the number is %d instead of 4711", number);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
    QT_SUCCESS(MPI_T_cvar_get_index("MPIR_CVAR_IBCAST_TREE_TYPE", &index));
    QT_SUCCESS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    QT_SUCCESS(MPI_T_cvar_read(handle, value));
    QT_CHECK(strcmp(value, "knomial_2") == 0, "the text is '%s' instead of 'knomial_2'", value);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
    QT_SUCCESS(MPI_T_finalize());
    MPI_Finalize();
    return qt_end();
}
