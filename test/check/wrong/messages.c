/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stdlib.h>
#include <unistd.h>

/* A later matched message is longer than the buffer, which ends the job. ranks: 2 */
static void matched_late_fatal(int rank, int size)
{
    int values[10] = {0};
    MPI_Message message;

    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(values, i == 9 ? 2 : 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else {
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(values, 1, MPI_INT, &message, MPI_STATUS_IGNORE);       /* expect: truncation */
        }
    }
    if (rank == 0)
        usleep(50000);
}

/* A later matched message is longer than the buffer of a request, and its sender makes no call for a
 * while. ranks: 2 */
static void matched_late_wait(int rank, int size)
{
    int values[10] = {0};
    MPI_Message message;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(values, i == 9 ? 2 : 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else {
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Imrecv(values, 1, MPI_INT, &message, &request);               /* expect: truncation */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0)
        usleep(50000);
}

/* A matched message is received into the buffer of a pending receive. ranks: 2 */
static void matched_overlap(int rank, int size)
{
    int values[8] = {0}, others[8] = {0};
    MPI_Message message;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    if (rank == 0) {
        MPI_Send(values, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(values, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(values, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(values + 3, 4, MPI_INT, &message, &requests[1]);                  /* expect: buffer overlap */
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* A matched message is longer than the buffer. ranks: 2 */
static void matched_truncation(int rank, int size)
{
    int values[8] = {0}, others[8] = {0};
    MPI_Message message;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    if (rank == 0) {
        MPI_Send(values, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(values, 3, MPI_INT, &message, &requests[0]);                      /* expect: truncation */
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* A matched message is received as another type. ranks: 2 */
static void matched_type(int rank, int size)
{
    int values[8] = {0}, others[8] = {0};
    MPI_Message message;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    if (rank == 0) {
        MPI_Send(values, 4, MPI_FLOAT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(values, 4, MPI_INT, &message, MPI_STATUS_IGNORE);                  /* expect: type mismatch */
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* A message is matched and never received; others are. ranks: 2 */
static void matched_unreceived(int rank, int size)
{
    int value = 1, is_there;
    MPI_Message message;

    if (rank == 1) {
        for (int tag = 0; tag < 4; tag++)
            MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);          /* expect: possible deadlock */
    } else {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(1, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);      /* expect: message not received */
        do
            MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &is_there, &message, MPI_STATUS_IGNORE); /* expect: message not received */
        while (!is_there);
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Integers are received as floating-point numbers. ranks: 2 */
static void message_type(int rank, int size)
{
    int values[4] = {0};

    if (rank == 0)
        MPI_Send(values, 4, MPI_INT, 1, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(values, 4, MPI_FLOAT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: type mismatch */
}

/* Ready sends before their receives, in all forms. ranks: 2 */
static void ready_sends(int rank, int size)
{
    int value = 1, values[4];
    MPI_Request request;

    if (rank == 0) {
        MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);                        /* expect: ready send */
        MPI_Irsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);             /* expect: ready send */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Rsend_init(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);         /* expect: ready send */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);                        /* expect: ready send */
    } else {
        sleep(1);
        MPI_Recv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&values[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&values[2], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&values[3], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* In this run the receive of the second ready send starts first, but by chance. ranks: 2 */
static void ready_unordered(int rank, int size)
{
    int value = 1, values[2];
    MPI_Request requests[2];

    if (rank == 1)
        MPI_Irecv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(&values[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        sleep(1);
        MPI_Rsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);                        /* expect: ready send */
    }
}

/* Datatypes that repeat an element, or that have their elements in another order: another operation uses their data.
 * ranks: 2 */

#define N 4
#define LARGE (1 << 20)

static void repeated_types(int rank, int size)
{
    int other, data[N] = {0}, got[N], places[N] = {0, 0, 2, 3}, order[N] = {3, 1, 0, 2}, ones[N] = {1, 1, 1, 1};
    int halves[2] = {LARGE, 0}, lengths[2] = {LARGE, LARGE};
    int *much = calloc(2 * LARGE, sizeof(int)), *result = calloc(2 * LARGE, sizeof(int)), *memory;
    MPI_Datatype type, permuted, large;
    MPI_Request request;
    MPI_Win window;

    other = 1 - rank;
    MPI_Type_create_indexed_block(N, 1, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_indexed(N, ones, order, MPI_INT, &permuted);
    MPI_Type_commit(&permuted);
    MPI_Type_indexed(2, lengths, halves, MPI_INT, &large);
    MPI_Type_commit(&large);

    MPI_Irecv(&data[2], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(data, 1, type, other, 2, got, N, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: buffer overlap */
    MPI_Sendrecv(data, 1, permuted, other, 2, got, N, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);        /* expect: buffer overlap */
    MPI_Send(got, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&much[2 * LARGE - 1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(much, 1, large, other, 2, result, 2 * LARGE, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);        /* expect: buffer overlap */
    MPI_Send(got, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* received twice into the same element */
    MPI_Sendrecv(got, N, MPI_INT, other, 2, data, 1, type, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: buffer overlap */

    MPI_Win_allocate(sizeof(int[N]), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(got, N, MPI_INT, 0, 0, 1, type, window);    /* either: access conflict */
    else
        MPI_Put(&other, 1, MPI_INT, 0, 2, 1, MPI_INT, window);      /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&type);
    MPI_Type_free(&permuted);
    MPI_Type_free(&large);
    free(much);
    free(result);
}

/* Types that are not the same, though they have the same size. ranks: 2 tool: strict */
static void strict_types(int rank, int size)
{
    int value = 1;
    float parts[2] = {0};
    char text[4] = "";

    if (rank == 0) {
        MPI_Send(&value, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&value, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(text, 4, MPI_SIGNED_CHAR, 1, 2, MPI_COMM_WORLD);
        MPI_Send(parts, 1, MPI_C_FLOAT_COMPLEX, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: type mismatch */
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: type mismatch */
        MPI_Recv(text, 4, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       /* expect: type mismatch */
        MPI_Recv(parts, 2, MPI_FLOAT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: type mismatch */
    }
    value = 1;
    MPI_Bcast(&value, rank ? 1 : 4, rank ? MPI_INT : MPI_BYTE, 0, MPI_COMM_WORLD);  /* expect: type mismatch */
}

/* A later message of a loop is longer than the buffer; the library ends the job. ranks: 2 */
static void truncation_fatal(int rank, int size)
{
    int values[10] = {0};

    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(values, i == 9 ? 2 : 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: truncation */
    }
}

/* A message from any source is longer than the buffer; the library ends the job in MPI_Wait. ranks: 2 */
static void truncation_fatal_any(int rank, int size)
{
    int values[10] = {0};
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Send(values, 10, MPI_INT, 1, 0, comm);
    else {
        MPI_Irecv(values, 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);   /* expect: truncation */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
}

/* A later message of a loop is longer than the buffer, and its sender makes no call for a while. ranks: 2 */
static void truncation_late(int rank, int size)
{
    int values[10] = {0};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Send(values, i == 9 ? 2 : 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: truncation */
    }
    if (rank == 0)
        usleep(50000);
}

/* The message is longer than the buffer of a nonblocking receive. ranks: 2 */
static void truncation_nonblocking(int rank, int size)
{
    int values[10] = {0};
    MPI_Request request;

    if (rank == 0)
        MPI_Send(values, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Irecv(values, 5, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);              /* expect: truncation */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* MPI_Wait finds that a message from any source is longer than the buffer. ranks: 2 */
static void truncation_wait(int rank, int size)
{
    int values[10] = {0};
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(values, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Irecv(values, 5, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);   /* expect: truncation */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* The communicator is freed before its message is received, which ends the program in MPICH 5. ranks: 2 */
static void unreceived_freed(int rank, int size)
{
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 5, copy);                        /* expect: message not received */
    MPI_Comm_free(&copy);
}

/* The same with an error handler that returns: the communicator is freed nevertheless. ranks: 2 */
static void unreceived_returned(int rank, int size)
{
    MPI_Comm copy;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 5, copy);                        /* expect: message not received */
    MPI_Comm_free(&copy);
}

CASES(CASE(matched_late_fatal), CASE(matched_late_wait), CASE(matched_overlap),
      CASE(matched_truncation), CASE(matched_type), CASE(matched_unreceived), CASE(message_type),
      CASE(ready_sends), CASE(ready_unordered), CASE(repeated_types), CASE(strict_types),
      CASE(truncation_fatal), CASE(truncation_fatal_any), CASE(truncation_late),
      CASE(truncation_nonblocking), CASE(truncation_wait), CASE(unreceived_freed),
      CASE(unreceived_returned))
