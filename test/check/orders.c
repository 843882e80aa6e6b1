/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* orders STEP... - four processes make the same steps:
 *   N                  process N sends to process 0, which receives from any process
 *   @N                 process N puts to the memory of process 0
 *   [i|p]:NAME:COMM:N  a collective operation, with root N; i: nonblocking, p: persistent
 *   [i|p]:partitions:w:0  a partitioned send to the next process; i, p: not completed at once
 *   wait               completes these; so does the end
 * COMM: w(orld), r(eversed), l(ine), c(ircle), or i(ntercommunicator) of even and odd ranks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_steps = 64, size = 4 };

static int in[most_steps][16], out[most_steps][16];
static MPI_Request requests[2 * most_steps];
static int step, waiting, rank;
static MPI_Win window;

/* X: name without the prefix; I: the same of the nonblocking function */
#define CALL(X, I, ...) \
    do { \
        if (form == 'i') \
            MPI_##I(__VA_ARGS__, &requests[waiting++]); \
        else if (form == 'p') { \
            MPI_##X##_init(__VA_ARGS__, MPI_INFO_NULL, &requests[waiting]); \
            MPI_Start(&requests[waiting++]); \
        } else \
            MPI_##X(__VA_ARGS__); \
    } while (0)

static void finish(int first)
{
    for (int i = first; i < waiting; i++) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        if (requests[i] != MPI_REQUEST_NULL)    /* persistent */
            MPI_Request_free(&requests[i]);
    }
    waiting = first;
}

static void message(int sender)
{
    int value;

    if (rank == sender)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void put(int origin)
{
    if (rank == origin) {
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
}

static void partitions(char form, MPI_Comm comm)
{
    const int first = waiting;

    MPI_Precv_init(out[step], 1, 2, MPI_INT, (rank + size - 1) % size, step, comm, MPI_INFO_NULL, &requests[waiting++]);
    MPI_Psend_init(in[step], 2, 1, MPI_INT, (rank + 1) % size, step, comm, MPI_INFO_NULL, &requests[waiting++]);
    MPI_Startall(2, &requests[first]);
    MPI_Pready_range(0, 1, requests[first + 1]);
    if (form == ':')
        finish(first);
}

static const int places[size] = {0, 1, 2, 3};
static const int odd[size] = {0, 1, 0, 1};              /* only these processes have data */
static int to_next[size], from_previous[size];          /* each process has data for the next one only */

static void collective(char form, const char *name, int root, MPI_Comm comm)
{
    int *a = in[step], *b = out[step];

    if (!strcmp(name, "barrier"))
        CALL(Barrier, Ibarrier, comm);
    else if (!strcmp(name, "bcast"))
        CALL(Bcast, Ibcast, a, 1, MPI_INT, root, comm);
    else if (!strcmp(name, "scatter"))
        CALL(Scatter, Iscatter, a, 1, MPI_INT, b, 1, MPI_INT, root, comm);
    else if (!strcmp(name, "gather"))
        CALL(Gather, Igather, a, 1, MPI_INT, b, 1, MPI_INT, root, comm);
    else if (!strcmp(name, "oddgather"))
        CALL(Gatherv, Igatherv, a, odd[rank], MPI_INT, b, odd, places, MPI_INT, root, comm);
    else if (!strcmp(name, "reduce"))
        CALL(Reduce, Ireduce, a, b, 1, MPI_INT, MPI_SUM, root, comm);
    else if (!strcmp(name, "allreduce"))
        CALL(Allreduce, Iallreduce, a, b, 1, MPI_INT, MPI_SUM, comm);
    else if (!strcmp(name, "nothing"))
        CALL(Allreduce, Iallreduce, a, b, 0, MPI_INT, MPI_SUM, comm);
    else if (!strcmp(name, "allgather"))
        CALL(Allgather, Iallgather, a, 1, MPI_INT, b, 1, MPI_INT, comm);
    else if (!strcmp(name, "alltoall"))
        CALL(Alltoall, Ialltoall, a, 1, MPI_INT, b, 1, MPI_INT, comm);
    else if (!strcmp(name, "shift"))
        CALL(Alltoallv, Ialltoallv, a, to_next, places, MPI_INT, b, from_previous, places, MPI_INT, comm);
    else if (!strcmp(name, "scan"))
        CALL(Scan, Iscan, a, b, 1, MPI_INT, MPI_SUM, comm);
    else if (!strcmp(name, "exscan"))
        CALL(Exscan, Iexscan, a, b, 1, MPI_INT, MPI_SUM, comm);
    else if (!strcmp(name, "neighbors"))
        CALL(Neighbor_allgather, Ineighbor_allgather, a, 1, MPI_INT, b, 1, MPI_INT, comm);
    else if (!strcmp(name, "partitions"))
        partitions(form, comm);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    const int length = size, period = 0;
    int next, previous, *memory;
    MPI_Comm reversed, line, circle, half, inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    to_next[next] = from_previous[previous] = 1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &period, 0, &line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &circle);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    for (step = 1; step < argc; step++) {
        const char *colon = strchr(argv[step], ':');
        const char form = argv[step][0];
        char name[16], comm;
        int root;

        if (colon == NULL && strcmp(argv[step], "wait") == 0)
            finish(0);
        else if (form == '@')
            put(atoi(argv[step] + 1));
        else if (colon == NULL)
            message(atoi(argv[step]));
        else if (sscanf(colon, ":%15[a-z]:%c:%d", name, &comm, &root) != 3)
            MPI_Abort(MPI_COMM_WORLD, 2);
        else if (comm == 'w')
            collective(form, name, root, MPI_COMM_WORLD);
        else if (comm == 'r')
            collective(form, name, size - 1 - root, reversed);
        else if (comm == 'l')
            collective(form, name, root, line);
        else if (comm == 'c')
            collective(form, name, root, circle);
        else
            collective(form, name, rank == root ? MPI_ROOT : rank % 2 == root % 2 ? MPI_PROC_NULL : root / 2, inter);
    }
    finish(0);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&line);
    MPI_Comm_free(&circle);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
