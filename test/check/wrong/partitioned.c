/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"

/* A partition is marked as ready before the send is started. ranks: 2 */
static void partitioned_early(int rank, int size)
{
    int values[4] = {0};
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Pready(0, request);                                                     /* expect: invalid argument */
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* The request of an active partitioned send is freed. ranks: 2 */
static void partitioned_freed(int rank, int size)
{
    int values[4] = {0};
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Request_free(&request);                                                 /* expect: invalid argument */
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
}

/* A send waits for a partition that is never marked as ready. ranks: 2 tool: timeout=2,deadlock=abort */
static void partitioned_not_ready(int rank, int size)
{
    int values[4] = {0};
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                      /* expect: deadlock */
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

/* A message is received into a partition that is ready; a partition that has not arrived is sent. ranks: 2 */
static void partitioned_overlap(int rank, int size)
{
    int values[4] = {0};
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(1, request);
        MPI_Recv(values + 2, 2, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: buffer overlap */
        MPI_Pready(0, request);
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Send(values, 2, MPI_INT, 0, 6, MPI_COMM_WORLD);                         /* expect: buffer overlap */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* The second receive has fewer partitions than the second send; they match as they were made. ranks: 2 */
static void partitioned_truncation(int rank, int size)
{
    int values[2][8] = {{0}};
    MPI_Request requests[2];

    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            MPI_Psend_init(values[i], 2 + 2 * i, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
        else
            MPI_Precv_init(values[i], 4, 1 + i / 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);        /* expect: truncation */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}

/* A partition is marked as ready twice, a partition of a receive, and one that does not exist. ranks: 2 */
static void partitioned_twice(int rank, int size)
{
    int values[4] = {0}, has_arrived;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(1, request);
        MPI_Pready_range(0, 1, request);                                            /* expect: invalid argument */
    } else {
        MPI_Precv_init(values, 1, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Parrived(request, 1, &has_arrived);                                     /* expect: invalid argument */
        MPI_Pready(0, request);                                                     /* expect: invalid argument */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Partitions of integers are received as floating-point numbers. ranks: 2 */
static void partitioned_type(int rank, int size)
{
    int values[4] = {0};
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(values, 4, 1, MPI_FLOAT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* expect: type mismatch */
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* A partitioned receive was started and not waited for, and neither request is freed. ranks: 2 */
static void partitioned_unfinished(int rank, int size)
{
    int values[4] = {0}, has_arrived = 0;
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);   /* expect: leak */
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Precv_init(values, 1, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);   /* expect: pending request */
        MPI_Start(&request);
        while (!has_arrived)
            MPI_Parrived(request, 0, &has_arrived);
    }
}

CASES(CASE(partitioned_early), CASE(partitioned_freed), CASE(partitioned_not_ready),
      CASE(partitioned_overlap), CASE(partitioned_truncation), CASE(partitioned_twice),
      CASE(partitioned_type), CASE(partitioned_unfinished))
