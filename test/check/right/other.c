/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stddef.h>

/* Arguments that are forbidden, to see the error. ranks: 2 tool: arguments=no */
static void arguments_off(int rank, int size)
{
    int value = 0;
    double data[4] = {0};
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Cancel(NULL);
    MPI_Request_free(NULL);
    MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Psend_init(data, 2, 2, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Pready_list(2, NULL, request);
    MPI_Request_free(&request);
}

/* Objects freed in MPI_Finalize, by a callback of an attribute of MPI_COMM_SELF, are no leak. ranks: 2 */

static MPI_Comm comm;
static MPI_Datatype type;

static int end(MPI_Comm self, int keyval, void *value, void *state)
{
    (void) self;
    (void) keyval;
    (void) value;
    (void) state;
    MPI_Type_free(&type);
    return MPI_Comm_free(&comm);
}

static void end_callbacks(int rank, int size)
{
    int keyval;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_free_keyval(&keyval);
}

/* MPI_Isendrecv with wildcards, of which MPICH leaves the status empty, and without. ranks: 3 */
static void isendrecv(int rank, int size)
{
    int left, right, a, b = -1, is_done;
    float sent = 1, got;
    MPI_Request request, requests[2];

    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    a = rank;

    /* known by the arguments */
    MPI_Isendrecv(&a, 1, MPI_INT, right, 1, &b, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
    do
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done);
    MPI_Isendrecv_replace(&a, 1, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* without a send, the status is set */
    MPI_Isendrecv(&a, 1, MPI_INT, rank < size - 1 ? right : MPI_PROC_NULL, 3, &b, 1, MPI_INT,
                  rank == 0 ? MPI_PROC_NULL : left, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&a, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    else if (rank == 1) {
        MPI_Isendrecv(&a, 1, MPI_INT, MPI_PROC_NULL, 4, &b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                      &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    for (int i = 0; i < 3; i++) {
        MPI_Isendrecv(&a, 1, MPI_INT, right, 5, &b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Isendrecv_replace(&a, 1, MPI_INT, right, 6, left, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    do
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done);

    /* whatever it has got, others are received as well */
    MPI_Isend(&sent, 1, MPI_FLOAT, right, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got, 1, MPI_FLOAT, left, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

CASES(CASE(arguments_off), CASE(end_callbacks), CASE(isendrecv))
