/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Replaces cxx_tool if the test suite was configured without C++. It registers the tool of the
 * list, because the library ends programs that do not. */

#include <mpi.h>
#include <stdio.h>

static void init_cxx(int tool_id)
{
}

__attribute__ ((constructor))
static void load(void)
{
    MPI_Register_tool_name("cxx", init_cxx);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    printf(" No Errors\n");
    return 0;
}
