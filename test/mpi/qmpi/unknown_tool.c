/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A job of several processes whose list names an unknown tool fails: the test harness expects a
 * non-zero status of mpiexec. Run with the list nobody on two processes. */

#include "qmpi_test.h"

static int result;

static void init_tool(int tool_id)
{
}

__attribute__ ((constructor))
static void load(void)
{
    result = MPI_Register_tool_name("tool", init_tool);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    /* a library without QMPI does not read the list */
    return qt_class(result) == MPI_ERR_UNSUPPORTED_OPERATION;
}
