/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Keyvals that are not freed, and a generalized request that is never completed. ranks: 1 */
#include <mpi.h>
#include <stddef.h>

static int query(void *state, MPI_Status *status)
{
    (void) state, (void) status;
    return MPI_SUCCESS;
}
static int release(void *state)
{
    (void) state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int is_complete)
{
    (void) state, (void) is_complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int keyval;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);     /* expect: leak */
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);     /* expect: leak */
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);        /* expect: leak */
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, NULL);                    /* expect: leak */
    MPI_Grequest_start(query, release, cancel, NULL, &request);                     /* expect: pending request */
    MPI_Finalize();
    return 0;
}
