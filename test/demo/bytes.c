/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls with buffers of known sizes, for three processes. The comment at each call has its
 * part of a table of the tool count: bytes sent + bytes received, all processes together.
 * test_count.py has the sums. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;
static int in[64], out[64];

static void point_to_point(void)
{
    MPI_Request request;
    MPI_Message message;
    const int right = (rank + 1) % 3, left = (rank + 2) % 3;

    if (rank == 0)
        MPI_Send(in, 5, MPI_INT, 1, 0, MPI_COMM_WORLD); /* 20 + 0 */
    if (rank == 1)              /* 0 + 20: what arrives, not what the buffer can take */
        MPI_Recv(out, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(in, 7, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); /* nothing */
    MPI_Sendrecv(in, 2, MPI_DOUBLE, right, 1, out, 2, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);    /* 48 + 48 */
    MPI_Sendrecv_replace(in, 3, MPI_INT, rank < 2 ? rank + 1 : MPI_PROC_NULL, 1,
                         rank > 0 ? rank - 1 : MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);    /* 24 + 24 */
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(out, 10, MPI_INT, &message, MPI_STATUS_IGNORE);   /* nothing */

    /* counted at each start: 3 * 8 + 0 */
    MPI_Send_init(in, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (rank == 0) {
        MPI_Ssend_init(in, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    if (rank == 1) {            /* 0 + 3 * 8 */
        for (int i = 0; i < 3; i++) {
            MPI_Irecv(out, 2, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
}

static void partitioned(void)
{
    MPI_Request request;

    if (rank == 2)
        return;
    if (rank == 0)              /* 2 partitions of 3 ints: 24 + 0 */
        MPI_Psend_init(in, 2, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else                        /* 0 + 24 */
        MPI_Precv_init(out, 2, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0)
        MPI_Pready_range(0, 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void collective(void)
{
    const int counts[3] = { 1, 2, 3 }, displs[3] = { 0, 1, 3 };
    int ones[3] = { 1, 1, 1 }, places[3] = { 0, 16, 32 };
    MPI_Datatype types[3];
    MPI_Request request;
    int position = 0;

    MPI_Bcast(out, 3, MPI_INT, 1, MPI_COMM_WORLD);      /* 24 + 24 */
    MPI_Bcast_c(out, 2, MPI_INT, 1, MPI_COMM_WORLD);    /* 16 + 16 */
    /* what is not significant may be nonsense: 24 + 24 */
    MPI_Gather(in, 2, MPI_INT, rank ? NULL : out, rank ? -1 : 2,
               rank ? MPI_DATATYPE_NULL : MPI_INT, 0, MPI_COMM_WORLD);
    /* 16 + 16 */
    MPI_Igather(rank ? in : MPI_IN_PLACE, 2, rank ? MPI_INT : MPI_DATATYPE_NULL, out, 2, MPI_INT,
                0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* 24 + 24 */
    MPI_Scatterv(in, rank == 2 ? counts : NULL, rank == 2 ? displs : NULL, MPI_INT, out,
                 counts[rank], MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);     /* 36 + 36 */
    MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD);    /* 72 + 72 */
    MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, MPI_COMM_WORLD);      /* 72 + 72 */
    for (int i = 0; i < 3; i++)
        types[i] = (rank + i) % 2 ? MPI_DOUBLE : MPI_INT;
    MPI_Alltoallw(in, ones, places, types, out, ones, places, types, MPI_COMM_WORLD);   /* 52 + 52 */
    MPI_Reduce(in, rank ? NULL : out, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);  /* 48 + 48 */
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);      /* 24 + 24 */
    MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);     /* 24 + 24 */
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);      /* 72 + 72 */
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);     /* 72 + 72 */
    MPI_Reduce_local(in, out, 2, MPI_INT, MPI_SUM);     /* nothing */
    MPI_Pack(in, 2, MPI_INT, out, sizeof(out), &position, MPI_COMM_WORLD);      /* nothing */
}

static void neighbours(void)
{
    int dims[1] = { 3 }, periods[1] = { 1 };
    const int sources[1] = { 0 }, destinations[2] = { 1, 2 };
    MPI_Comm ring, star;

    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, ring);       /* 24 + 24 */
    MPI_Comm_free(&ring);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank ? 1 : 0, sources, MPI_UNWEIGHTED,
                                   rank ? 0 : 2, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &star);
    MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, star);      /* 8 + 8 */
    MPI_Neighbor_alltoallv(in, (int[]) { 1, 2 }, (int[]) { 0, 1 }, MPI_INT, out, &rank,
                           (int[]) { 0 }, MPI_INT, star);       /* 12 + 12 */
    MPI_Comm_free(&star);
}

static void between_groups(void)
{
    MPI_Comm group, both;
    MPI_Request request;
    const int root = rank == 0 ? MPI_ROOT : 0, block = rank == 0 ? 2 : 1;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == 0, 0, &both);
    MPI_Ibcast(out, 5, MPI_CHAR, root, both, &request); /* 10 + 10 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, both, &request);    /* 16 + 16 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iscatter(in, 1, MPI_INT, out, 1, MPI_INT, root, both, &request);        /* 8 + 8 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter_block(in, out, block, MPI_INT, MPI_SUM, both, &request);        /* 24 + 24 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

static void one_sided(void)
{
    MPI_Win win;

    MPI_Win_create(out, sizeof(out), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(in, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* 8 + 0 */
    MPI_Put(in, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, win); /* nothing */
    MPI_Win_fence(0, win);
    MPI_Get(in, 1, MPI_INT, 2, rank, 1, MPI_INT, win);  /* 0 + 12 */
    MPI_Win_fence(0, win);
    MPI_Fetch_and_op(in, out + 50, MPI_INT, 0, 32, MPI_SUM, win);       /* 12 + 12 */
    MPI_Win_fence(0, win);
    MPI_Compare_and_swap(in, in + 1, out + 48, MPI_INT, 0, 32, win);    /* 24 + 12 */
    MPI_Win_fence(0, win);
    /* what is not used may be nonsense: 0 + 24 */
    MPI_Get_accumulate(NULL, 7, MPI_DATATYPE_NULL, out + 40, 2, MPI_INT, 0, 32, 2, MPI_INT,
                       MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/* Failing calls move nothing, and the error stays the application's: the handler of MPI_COMM_WORLD
 * would end the program. */
static void failing(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (MPI_Ssend(in, 3, MPI_DATATYPE_NULL, 0, 0, comm) == MPI_SUCCESS ||
        MPI_Rsend(in, -3, MPI_INT, 0, 0, comm) == MPI_SUCCESS) {
        fprintf(stderr, "bytes: a wrong argument was accepted\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 3) {
        fprintf(stderr, "bytes: needs 3 processes\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    point_to_point();
    partitioned();
    collective();
    neighbours();
    between_groups();
    one_sided();
    failing();
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}
