/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stddef.h>

/* Origin and target of an access do not match. ranks: 2 */
static void access_types(int rank, int size)
{
    int other, memory[10] = {0}, data[10] = {0}, result[10];
    MPI_Win window;

    other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, window);
    MPI_Put(data, 10, MPI_INT, other, 0, 5, MPI_INT, window);                       /* expect: truncation */
    MPI_Win_flush_all(window);
    MPI_Get(data, 4, MPI_INT, other, 0, 5, MPI_INT, window);                        /* expect: truncation */
    MPI_Win_flush_all(window);
    MPI_Put(data, 4, MPI_INT, other, 0, 4, MPI_FLOAT, window);                      /* expect: type mismatch */
    MPI_Win_flush_all(window);
    MPI_Get_accumulate(data, 4, MPI_INT, result, 3, MPI_INT, other, 0, 4, MPI_INT, MPI_SUM, window);    /* expect: truncation */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Calls without their epoch, and epochs that begin inside another one. ranks: 2 */
static void epochs(int rank, int size)
{
    int other, flag, *memory;
    MPI_Win window;
    MPI_Group world, group;

    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);

    MPI_Win_unlock(other, window);                                                  /* expect: access epoch */
    MPI_Win_unlock_all(window);                                                     /* expect: access epoch */
    MPI_Win_flush(other, window);                                                   /* expect: access epoch */
    MPI_Win_flush_all(window);                                                      /* expect: access epoch */
    MPI_Win_flush_local(other, window);                                             /* expect: access epoch */
    MPI_Win_flush_local_all(window);                                                /* expect: access epoch */
    MPI_Win_complete(window);                                                       /* expect: access epoch */
    MPI_Win_wait(window);                                                           /* expect: access epoch */
    MPI_Win_test(window, &flag);                                                    /* expect: access epoch */

    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);                                /* expect: access epoch */
    MPI_Win_lock_all(0, window);                                                    /* expect: access epoch */
    MPI_Win_start(group, 0, window);                                                /* expect: access epoch */
    MPI_Win_unlock(other, window);
    MPI_Win_lock_all(0, window);
    MPI_Win_lock_all(0, window);                                                    /* expect: access epoch */
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);                                /* expect: access epoch */
    MPI_Win_unlock_all(window);

    MPI_Win_post(group, 0, window);
    MPI_Win_post(group, 0, window);                                                 /* expect: access epoch */
    MPI_Win_start(group, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);                                /* expect: access epoch */
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_wait(window);                                                           /* expect: access epoch */

    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}

/* A window is freed in the epoch of a fence. ranks: 2 */
static void fence_and_free(int rank, int size)
{
    int values[4] = {0};
    MPI_Win window;

    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    if (MPI_Win_free(&window) != MPI_SUCCESS) {                                     /* expect: access epoch */
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        MPI_Win_free(&window);
    }
}

/* A lock inside the epoch of a fence, and a fence inside that of a lock. ranks: 2 */
static void fence_and_lock(int rank, int size)
{
    int values[4] = {0};
    MPI_Win window;

    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);                             /* expect: access epoch */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock_all(0, window);
    MPI_Win_fence(0, window);                                                       /* expect: access epoch */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* A fence with MPI_MODE_NOPRECEDE after an access, and operations with a request in the epoch of a fence. ranks: 2 */
static void fence_modes(int rank, int size)
{
    int got, values[4] = {0};
    MPI_Win window;
    MPI_Request request;

    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);                                      /* expect: access epoch */
    if (MPI_Rget(&got, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, window, &request) == MPI_SUCCESS)   /* expect: access epoch */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}

/* Puts into windows of which the target has declared that there are none. ranks: 2 */
static void no_puts(int rank, int size)
{
    int other, value = 1, *memory;
    MPI_Win window;
    MPI_Group all, group;

    other = 1 - rank;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, window);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                      /* expect: access epoch */
    MPI_Win_fence(MPI_MODE_NOPUT, window);
    MPI_Accumulate(&value, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_SUM, window);      /* expect: access epoch */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);                      /* expect: access epoch */
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, MPI_MODE_NOPUT, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}

/* Handles of other objects in place of requests and messages. ranks: 1 */
static void no_request(int rank, int size)
{
    int flag, index, number, value = 1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, (MPI_Request) MPI_COMM_WORLD}, request = requests[1];
    MPI_Message message = (MPI_Message) MPI_INT;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                          /* expect: invalid argument */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                                  /* expect: invalid argument */
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);                            /* expect: invalid argument */
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);                                   /* expect: invalid argument */
    MPI_Testsome(2, requests, &number, &index, MPI_STATUSES_IGNORE);                /* expect: invalid argument */
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);                      /* expect: invalid argument */
    MPI_Start(&request);                                                            /* expect: invalid argument */
    MPI_Cancel(&request);                                                           /* expect: invalid argument */
    MPI_Request_free(&request);                                                     /* expect: invalid argument */
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);                     /* expect: invalid argument */
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);                             /* expect: invalid argument */
}

/* Changes memory that a one-sided, a collective and a persistent operation read. tool: checksums ranks: 2 */
static void origin_changed(int rank, int size)
{
    int value = 1, sum, values[4] = {0};
    MPI_Win window;
    MPI_Request request;

    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);                   /* expect: buffer changed */
    value++;
    MPI_Win_fence(0, window);
    value++;
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);    /* expect: buffer changed */
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);     /* expect: buffer changed */
    MPI_Start(&request);
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value++;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Win_free(&window);
}

/* An access to a process that is not locked. ranks: 2 */
static void put_other_target(int rank, int size)
{
    int values[4] = {0};
    MPI_Win window;

    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);                    /* expect: access epoch */
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
}

/* Accesses to a process that is not in the group of MPI_Win_start. ranks: 2 */
static void start_outside(int rank, int size)
{
    int other, value = 1, got = 0, old, *memory;
    MPI_Win window;
    MPI_Group all, group;

    other = 1 - rank;
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                        /* expect: access epoch */
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);                      /* expect: access epoch */
        MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 2, MPI_SUM, window);             /* expect: access epoch */
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}

/* One process adds to what another one writes. ranks: 3 */
static void window_accumulate(int rank, int size)
{
    int *memory, value = 0;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);       /* either: access conflict */
    if (rank == 2)
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);                       /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Accumulates of elements that are not the same: of other types by one process, and displaced by a part of an
 * element. ranks: 3 */
static void window_accumulates(int rank, int size)
{
    int *memory, data[4] = {1, 1, 1, 1};
    float other[4] = {1, 1, 1, 1};
    MPI_Win window;

    MPI_Win_allocate(40, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(other, 4, MPI_FLOAT, 1, 0, 4, MPI_FLOAT, MPI_SUM, window);
        MPI_Accumulate(data, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, window);        /* expect: access conflict */
    }
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(data, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, window);
        MPI_Accumulate(data, 4, MPI_INT, 1, 4, 4, MPI_INT, MPI_SUM, window);        /* the same elements */
        MPI_Accumulate(data, 4, MPI_INT, 1, 4, 4, MPI_INT, MPI_MAX, window);
    }
    MPI_Win_fence(0, window);
    if (rank != 1)
        MPI_Accumulate(data, 4, MPI_INT, 1, rank > 0 ? 1 : 0, 4, MPI_INT, MPI_SUM, window); /* expect: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Accesses by types with a negative lower bound that begin before the window, or end after it. ranks: 2 */
static void window_bounds(int rank, int size)
{
    int other, values[4] = {0}, results[4], one = 1, two[2] = {1, 1};
    static int memory[32];
    MPI_Aint back = -8, both[2] = {-16, -8};
    MPI_Datatype behind, apart;
    MPI_Win window;

    other = 1 - rank;
    MPI_Type_create_hindexed(1, &one, &back, MPI_INT, &behind);
    MPI_Type_create_hindexed(2, two, both, MPI_INT, &apart);
    MPI_Type_commit(&behind);
    MPI_Type_commit(&apart);
    MPI_Win_create(&memory[12], 32, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(values, 1, MPI_INT, other, 37, 1, behind, window);      /* expect: invalid argument */
    MPI_Put(values, 1, MPI_INT, other, 7, 1, behind, window);       /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Get(results, 2, MPI_INT, other, 12, 1, apart, window);      /* expect: invalid argument */
    MPI_Get(results + 2, 2, MPI_INT, other, 40, 1, apart, window);      /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Accumulate(values, 2, MPI_INT, other, 36, 2, behind, MPI_SUM, window);      /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&behind);
    MPI_Type_free(&apart);
}

/* Rank 0 exposes its memory to rank 1 alone, then to ranks 1 and 2, which write the same place.
 * ranks: 3 */
static void window_exposure(int rank, int size)
{
    int *memory, second[2] = {1, 2}, zero = 0;
    MPI_Win window;
    MPI_Group world, origins, only, target;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, second, &only);
    MPI_Group_incl(world, 2, second, &origins);
    MPI_Group_incl(world, 1, &zero, &target);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_post(only, 0, window);
        MPI_Win_wait(window);
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
    } else {
        if (rank == 1) {
            MPI_Win_start(target, 0, window);
            MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
            MPI_Win_complete(window);
        }
        MPI_Win_start(target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* expect: access conflict */
        MPI_Win_complete(window);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&only);
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
    MPI_Win_free(&window);
}

/* A fetch and a put: what the fetch returns cannot order the fetch itself. ranks: 3 */
static void window_fetch(int rank, int size)
{
    int *memory, old;
    MPI_Win window;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);           /* either: access conflict */
    if (rank == 2)
        MPI_Fetch_and_op(&rank, &old, MPI_INT, 0, 0, MPI_SUM, window);  /* either: access conflict */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Accesses of a process that are not complete at the target when the next one is made. ranks: 2 */
static void window_flush(int rank, int size)
{
    int *memory, values[4] = {0}, got[4];
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0) {
        /* perhaps before the tool knows the window of the target */
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Put(values, 4, MPI_INT, 1, 2, 4, MPI_INT, window);          /* expect: access conflict */
        MPI_Win_unlock(1, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Get(got, 4, MPI_INT, 1, 3, 4, MPI_INT, window);             /* expect: access conflict */
        MPI_Win_unlock(1, window);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Put(values, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush_local(1, window);
        MPI_Get(got, 1, MPI_INT, 1, 0, 1, MPI_INT, window);             /* expect: access conflict */
        MPI_Win_unlock(1, window);
        MPI_Win_lock_all(0, window);
        MPI_Put(values, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Get(got, 1, MPI_INT, 1, 0, 1, MPI_INT, window);             /* expect: access conflict */
        MPI_Win_unlock_all(window);
    }
    MPI_Win_free(&window);
}

/* The data of a vector with gaps and a single number overlap. ranks: 3 */
static void window_gaps(int rank, int size)
{
    int *memory, value = 0;
    MPI_Win window;
    MPI_Datatype apart;
    int both[2] = {1, 2};

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Type_vector(2, 1, 3, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Put(both, 2, MPI_INT, 0, 1, 1, apart, window);              /* either: access conflict */
    if (rank == 2)
        MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);           /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Type_free(&apart);
    MPI_Win_free(&window);
}

/* Shared locks do not order accesses. ranks: 3 */
static void window_lock(int rank, int size)
{
    int *memory, value = 0;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank > 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* expect: access conflict */
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

/* A message before the access is complete does not order it. ranks: 3 */
static void window_lock_all(int rank, int size)
{
    int *memory, value = 0;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window);          /* either: access conflict */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* The message goes the other way. ranks: 3 */
static void window_message(int rank, int size)
{
    int *memory, value = 0;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    if (rank == 2) {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* A put of one process, and a fetch of another one that changes nothing. ranks: 3 */
static void window_no_op(int rank, int size)
{
    int *memory, value = 1, old;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);    /* either: access conflict */
    if (rank == 2)
        MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window);  /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Accumulates of two processes with different operations. ranks: 3 */
static void window_operations(int rank, int size)
{
    int *memory, value = 1;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);      /* either: access conflict */
    if (rank == 2)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_PROD, window);     /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Accesses that are not inside the window of the target. ranks: 2 */
static void window_outside(int rank, int size)
{
    int other, memory[20] = {0}, data[10] = {0};
    MPI_Win window;
    MPI_Datatype apart;

    other = 1 - rank;
    MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_create(memory, 10 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(data, 10, MPI_INT, other, 1, 10, MPI_INT, window);                      /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Get(data, 2, MPI_INT, other, 8, 1, apart, window);                          /* expect: invalid argument */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Accumulate(data, 1, MPI_INT, other, 10, 1, MPI_INT, MPI_SUM, window);       /* expect: invalid argument */
    MPI_Win_unlock(other, window);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(data, data + 1, MPI_INT, other, 15, MPI_SUM, window);          /* expect: invalid argument */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Type_free(&apart);
}

/* A process writes overlapping parts of a window: in an epoch of fences, and with a lock and no flush between.
 * ranks: 2 */
static void window_own(int rank, int size)
{
    int *memory, values[4] = {0};
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Put(values, 4, MPI_INT, 1, 2, 4, MPI_INT, window);  /* expect: access conflict */
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(values, 4, MPI_INT, 1, 4, 4, MPI_INT, window);
        MPI_Accumulate(&rank, 1, MPI_INT, 1, 7, 1, MPI_INT, MPI_SUM, window);   /* expect: access conflict */
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
}

/* The message leaves before MPI_Rget is complete. ranks: 3 */
static void window_rget(int rank, int size)
{
    int *memory, value = 0, ready = 1;
    MPI_Win window;
    MPI_Request request;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank > 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    if (rank == 1) {
        MPI_Rget(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window, &request);
        MPI_Send(&ready, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        MPI_Recv(&ready, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* expect: access conflict */
    }
    if (rank > 0)
        MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

/* Reductions and broadcasts do not order the accesses of processes that are not the root. ranks: 3 */
static void window_rooted(int rank, int size)
{
    int *memory, sum;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* A prefix reduction does not order what lower ranks do after it and higher ranks before it. ranks: 3 */
static void window_scan(int rank, int size)
{
    int *memory, sum;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* A persistent barrier before them does not order the accesses of two processes. ranks: 3 */
static void window_started(int rank, int size)
{
    int *memory;
    MPI_Win window;
    MPI_Request barrier;

    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Start(&barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank < 2)
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);   /* expect: access conflict */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Request_free(&barrier);
}

/* Accumulates of two processes with different types. ranks: 3 */
static void window_types(int rank, int size)
{
    int *memory, value = 1;
    float number = 1;
    MPI_Win window;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);      /* either: access conflict */
    if (rank == 2)
        MPI_Accumulate(&number, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_SUM, window);  /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

CASES(CASE(access_types), CASE(epochs), CASE(fence_and_free), CASE(fence_and_lock),
      CASE(fence_modes), CASE(no_puts), CASE(no_request), CASE(origin_changed),
      CASE(put_other_target), CASE(start_outside), CASE(window_accumulate),
      CASE(window_accumulates), CASE(window_bounds), CASE(window_exposure), CASE(window_fetch),
      CASE(window_flush), CASE(window_gaps), CASE(window_lock), CASE(window_lock_all),
      CASE(window_message), CASE(window_no_op), CASE(window_operations), CASE(window_outside),
      CASE(window_own), CASE(window_rget), CASE(window_rooted), CASE(window_scan),
      CASE(window_started), CASE(window_types))
