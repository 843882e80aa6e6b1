/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Keyvals that are freed while they are in use, and by a callback; generalized requests that are completed, cancelled and freed.
 * ranks: 2 */
#include <mpi.h>
#include <stddef.h>

static int late;

static int query(void *state, MPI_Status *status)
{
    (void) state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
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
static int free_late(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void) comm, (void) keyval, (void) value, (void) state;
    return MPI_Comm_free_keyval(&late);
}

int main(int argc, char **argv)
{
    int keyval, copy, flag, value = 1, *found;
    MPI_Comm comm;
    MPI_Request request, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, &value);
    copy = keyval;
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_get_attr(comm, copy, &found, &flag);       /* the attribute still has it */
    MPI_Comm_free(&comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &late, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_late, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
    for (int i = 0; i < 3; i++) {
        MPI_Grequest_start(query, release, cancel, NULL, &request);
        other = request;
        if (i == 1)
            MPI_Cancel(&request);
        if (i == 2)
            MPI_Request_free(&request);
        MPI_Grequest_complete(other);
        if (i < 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
