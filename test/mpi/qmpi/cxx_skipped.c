/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Stands for cxx_tool where the test suite was configured without C++: its list must be answered, or
 * the library ends the program. */

#include <mpi.h>
#include <stdio.h>

static void intercept_nothing(int tool_id)
{
}

__attribute__ ((constructor))
static void answer_list(void)
{
    MPI_Register_tool_name("cxx", intercept_nothing);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    printf(" No Errors\n");
    return 0;
}
