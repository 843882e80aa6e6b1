/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls on known lines, in C. */

#include <mpi.h>

void next_call_is_on(int line);

static void called_back(MPI_Comm *comm, int *code, ...)
{
    next_call_is_on(__LINE__ + 1);
    MPI_Barrier(MPI_COMM_SELF);
    next_call_is_on(0);         /* a call in tail position would not return to this function */
}

int main(int argc, char **argv)
{
    int value = 0;
    MPI_Errhandler handler;

    MPI_Init(&argc, &argv);
    next_call_is_on(__LINE__ + 1);
    MPI_Barrier(MPI_COMM_SELF);
    next_call_is_on(__LINE__ + 1);
    MPI_Comm_rank(MPI_COMM_SELF, &value);
    next_call_is_on(__LINE__ + 1);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF);
    next_call_is_on(__LINE__ + 1);      /* arguments on the stack */
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_create_errhandler(called_back, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    MPI_Errhandler_free(&handler);
    return MPI_Finalize();
}
