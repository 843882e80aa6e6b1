/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stddef.h>

/* Collective operations with arguments that MPI forbids, the same in all processes. ranks: 2 */
static void arguments_collectives(int rank, int size)
{
    int in[4] = {0}, out[4] = {0}, counts[2] = {1, -1}, offsets[2] = {0, 1}, ones[2] = {1, 1};
    double real = 0, sum;
    MPI_Datatype pair, types[2] = {MPI_INT, (MPI_Datatype) MPI_SUM};
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);

    MPI_Barrier(MPI_COMM_NULL);                                                     /* expect: invalid argument */
    MPI_Bcast(in, 1, MPI_INT, 2, comm);                                             /* expect: invalid argument */
    MPI_Bcast(in, 1, MPI_INT, MPI_ROOT, comm);                                      /* expect: invalid argument */
    MPI_Bcast(in, -2, MPI_INT, 0, comm);                                            /* expect: invalid argument */
    MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF);                          /* expect: invalid argument */
    MPI_Ibcast(in, 1, MPI_DATATYPE_NULL, 0, comm, &request);                        /* expect: invalid argument */
    MPI_Gather(in, -1, MPI_INT, out, 1, MPI_INT, 0, comm);                          /* expect: invalid argument */
    MPI_Allgather(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm);                  /* expect: invalid argument */
    MPI_Allgatherv(in, 1, MPI_INT, out, counts, offsets, MPI_INT, comm);            /* expect: invalid argument */
    MPI_Scatter(in, 1, MPI_INT, NULL, 1, MPI_INT, 0, comm);                         /* expect: invalid argument */
    MPI_Alltoallv(in, counts, offsets, MPI_INT, out, counts, offsets, MPI_INT, comm);       /* expect: invalid argument */
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_DATATYPE_NULL, comm);                  /* expect: invalid argument */
    MPI_Reduce(in, out, 1, MPI_INT, MPI_OP_NULL, 0, comm);                          /* expect: invalid argument */
    MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, -4, comm);                             /* expect: invalid argument */
    MPI_Allreduce(&real, &sum, 1, MPI_DOUBLE, MPI_BAND, comm);                      /* expect: invalid argument */
    MPI_Allreduce(in, out, 1, pair, MPI_SUM, comm);                                 /* expect: invalid argument */
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAXLOC, comm);                           /* expect: invalid argument */
    MPI_Iallreduce(in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm, &request);          /* expect: invalid argument */
    MPI_Scan(in, out, 1, MPI_INT, MPI_OP_NULL, comm);                               /* expect: invalid argument */
    MPI_Reduce_local(in, out, 1, MPI_INT, MPI_MINLOC);                              /* expect: invalid argument */
    MPI_Reduce_local(in, out, 1, MPI_WCHAR, MPI_SUM);                               /* expect: invalid argument */
    MPI_Allreduce(in, out, 1, MPI_PACKED, MPI_BOR, comm);                           /* expect: invalid argument */
    MPI_Allreduce(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);          /* expect: invalid argument */
    MPI_Bcast(in, 1, (MPI_Datatype) MPI_COMM_WORLD, 0, comm);                       /* expect: invalid argument */
    MPI_Alltoallw(in, ones, offsets, types, out, ones, offsets, types, comm);       /* expect: invalid argument */

    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
}

/* Requests that are started, cancelled, marked as ready or queried although MPI forbids it. ranks: 2 */
static void arguments_requests(int rank, int size)
{
    int values[4] = {0}, copy[4], has_arrived;
    MPI_Request inactive, message, part, none;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    MPI_Recv_init(copy, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &inactive);
    MPI_Cancel(&inactive);                                                          /* expect: invalid argument */
    MPI_Start(&inactive);
    MPI_Start(&inactive);                                                           /* expect: invalid argument */
    MPI_Send(values, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&inactive, MPI_STATUS_IGNORE);
    MPI_Request_free(&inactive);
    MPI_Send_init(values, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &inactive);
    MPI_Cancel(&inactive);                                                          /* expect: invalid argument */
    MPI_Request_free(&inactive);

    MPI_Irecv(copy, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &message);
    MPI_Start(&message);                                                            /* expect: invalid argument */
    MPI_Pready(0, message);                                                         /* expect: invalid argument */
    MPI_Parrived(message, 0, &has_arrived);                                         /* expect: invalid argument */
    MPI_Send(values, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&message, MPI_STATUS_IGNORE);

    MPI_Psend_init(values, 0, 2, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &none);/* expect: invalid argument */
    if (rank == 0)
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &part);
    else
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &part);
    MPI_Start(&part);
    MPI_Cancel(&part);                                                              /* expect: invalid argument */
    if (rank == 0)
        MPI_Pready_range(0, 1, part);
    MPI_Wait(&part, MPI_STATUS_IGNORE);
    MPI_Cancel(&part);                                                              /* expect: invalid argument */
    MPI_Request_free(&part);
}

/* Windows and files with arguments that MPI forbids. ranks: 2 */
static void arguments_windows(int rank, int size)
{
    int values[4] = {0}, in = 0;
    MPI_Win window, other;
    MPI_File file;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);

    MPI_Win_create(values, sizeof values, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &other);        /* expect: invalid argument */
    MPI_Win_create(values, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);           /* expect: invalid argument */
    MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);              /* expect: invalid argument */
    MPI_Win_fence(0, MPI_WIN_NULL);                                                 /* expect: invalid argument */
    MPI_Win_lock(17, 0, 0, window);                                                 /* expect: invalid argument */
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);                                    /* expect: invalid argument */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOSTORE, window);                     /* expect: invalid argument */
    MPI_Win_lock_all(0, window);
    MPI_Put(&in, 1, MPI_INT, 2, 0, 1, MPI_INT, window);                             /* expect: invalid argument */
    MPI_Put(&in, -1, MPI_INT, 0, 0, 1, MPI_INT, window);                            /* expect: invalid argument */
    MPI_Put(&in, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, window);                   /* expect: invalid argument */
    MPI_Put(&in, 1, MPI_INT, 0, 0, 1, (MPI_Datatype) MPI_COMM_WORLD, window);       /* expect: invalid argument */
    MPI_Put(&in, 1, MPI_INT, 0, -1, 1, MPI_INT, window);                            /* expect: invalid argument */
    MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                            /* expect: invalid argument */
    MPI_Accumulate(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, window);         /* expect: invalid argument */
    MPI_Win_unlock_all(window);

    MPI_File_open(MPI_COMM_WORLD, "arguments", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);     /* expect: invalid argument */
    MPI_File_open(MPI_COMM_WORLD, "arguments", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at(file, -1, &in, 1, MPI_INT, MPI_STATUS_IGNORE);                /* expect: invalid argument */
    MPI_File_write(file, &in, -1, MPI_INT, MPI_STATUS_IGNORE);                      /* expect: invalid argument */
    MPI_File_seek(file, 0, 4711);                                                   /* expect: invalid argument */
    MPI_File_read(file, &in, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE);              /* expect: invalid argument */
    MPI_File_close(&file);

    MPI_Win_free(&window);
}

/* Distributed arrays with arguments of distributed dimensions that MPI forbids. ranks: 2 */
static void darray(int rank, int size)
{
    int sizes[2] = {8, 8}, processes[2] = {2, 1}, arguments[2] = {0, MPI_DISTRIBUTE_DFLT_DARG};
    int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    MPI_Datatype type;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT, &type);    /* expect: invalid argument */
    distributions[0] = MPI_DISTRIBUTE_CYCLIC;
    MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT, &type);    /* expect: invalid argument */
}

/* The request of a pending receive is freed; that message and later ones are compared. ranks: 2 */
static void freed_receive(int rank, int size)
{
    int value, late = 0;
    float fraction = 0;
    MPI_Request request;

    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);   /* expect: type mismatch */
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Send(&fraction, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&fraction, 1, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
    } else
        MPI_Recv(&late, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: type mismatch */
}

/* Keyvals that are not freed, and a generalized request that is never completed. ranks: 1 */

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

static void keyvals(int rank, int size)
{
    int keyval;
    MPI_Request request;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);     /* expect: leak */
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);     /* expect: leak */
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);        /* expect: leak */
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, NULL);                    /* expect: leak */
    MPI_Grequest_start(query, release, cancel, NULL, &request);                     /* expect: pending request */
}

/* Null pointers where a process has data, next to places where it has none. ranks: 1 */
static void refused(int rank, int size)
{
    const MPI_Comm self = MPI_COMM_SELF;
    int value = 1, other, dims[1] = {1}, periods[1] = {1}, ranks[1] = {0}, counts[1] = {1};
    MPI_Aint places[1] = {0};
    MPI_Comm ring, sender;
    MPI_Datatype type, types[1] = {MPI_DATATYPE_NULL};
    MPI_Message message;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Cart_create(self, 1, dims, periods, 0, &ring);
    MPI_Dist_graph_create_adjacent(self, 1, ranks, MPI_UNWEIGHTED, 1, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &sender);
    MPI_Exscan(NULL, &value, 1, MPI_INT, MPI_SUM, self);                            /* expect: invalid argument */
    MPI_Exscan(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, self);                      /* expect: invalid argument */
    MPI_Scan(&value, NULL, 1, MPI_INT, MPI_SUM, self);                              /* expect: invalid argument */
    MPI_Neighbor_allgather(&value, 1, MPI_INT, NULL, 1, MPI_INT, ring);             /* expect: invalid argument */
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, &value, 1, MPI_INT, sender);            /* expect: invalid argument */
    MPI_Isend(&value, 1, MPI_INT, 0, 0, self, &request);
    MPI_Mprobe(0, 0, self, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(NULL, 1, MPI_INT, &message, MPI_STATUS_IGNORE);                       /* expect: invalid argument */
    MPI_Mrecv(&other, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_create_struct(1, counts, places, types, &type);                        /* expect: invalid argument */
    MPI_Comm_free(&ring);
    MPI_Comm_free(&sender);
}

CASES(CASE(arguments_collectives), CASE(arguments_requests), CASE(arguments_windows), CASE(darray),
      CASE(freed_receive), CASE(keyvals), CASE(refused))
