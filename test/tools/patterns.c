/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Communication patterns, and for each what it moves between each two processes, worked out here from
 * the sizes and the standard's text: the truth for test/tools/run-messages. Each pattern is a phase of
 * its own (MPI_Pcontrol), with a barrier, which moves nothing, in front. Rank 0 prints
 *
 *     pattern PHASE KIND NAME
 *     expect PHASE FROM TO MESSAGES BYTES
 *
 * For 2 to 16 processes, best an even number above 2. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROOM = 4096 };

static int rank, size;
static int phase = 2;
static const char *kind, *name;
static long messages[MOST][MOST], bytes[MOST][MOST];
static int out[MOST * ROOM], in[MOST * ROOM];

static void begin(const char *pattern_kind, const char *pattern_name)
{
    kind = pattern_kind;
    name = pattern_name;
    memset(messages, 0, sizeof messages);
    memset(bytes, 0, sizeof bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(++phase);
}

static void expect(int from, int to, long content)
{
    messages[from][to]++;
    bytes[from][to] += content;
}

static void end(void)
{
    if (rank != 0)
        return;
    printf("pattern %d %s %s\n", phase, kind, name);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            if (messages[from][to] > 0)
                printf("expect %d %d %d %ld %ld\n", phase, from, to, messages[from][to],
                       bytes[from][to]);
}

static int next(int of)
{
    return (of + 1) % size;
}

static int previous(int of)
{
    return (of + size - 1) % size;
}

/* ints from one rank to another, different for each pair; nothing from 1 to 0 */
static int amount(int from, int to)
{
    return from == 1 && to == 0 ? 0 : 3 + 5 * from + 11 * to;
}

/* Every rank to the next one, so many ints. */
static void expect_ring(int ints, int times)
{
    for (int from = 0; from < size; from++)
        for (int i = 0; i < times; i++)
            expect(from, next(from), 4L * ints);
}

/* All to all, so many ints, to themselves or not. */
static void expect_all(int ints, int with_own)
{
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            if (with_own || from != to)
                expect(from, to, 4L * ints);
}

static void expect_amounts(int with_own)
{
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            if (amount(from, to) > 0 && (with_own || from != to))
                expect(from, to, 4L * amount(from, to));
}

/* ---- point to point ---- */

static void blocking(void)
{
    static char buffer[100000];
    int (*const sends[]) (const void *, int, MPI_Datatype, int, int, MPI_Comm) =
        { MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend };
    static const char *const names[] = { "send", "bsend", "ssend", "rsend" };

    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int mode = 0; mode < 4; mode++) {
        begin("point-to-point", names[mode]);
        for (int times = 0; times < 3; times++) {
            MPI_Request request;
            /* the room is larger than the message */
            MPI_Irecv(in, ROOM, MPI_INT, times == 0 ? MPI_ANY_SOURCE : previous(rank), mode,
                      MPI_COMM_WORLD, &request);
            MPI_Barrier(MPI_COMM_WORLD);
            sends[mode] (out, 100 + mode, MPI_INT, next(rank), mode, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        expect_ring(100 + mode, 3);
        end();
    }
    {
        void *detached;
        int length;
        MPI_Buffer_detach(&detached, &length);
    }

    begin("point-to-point", "receive without status, from anybody");
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(in, ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    } else
        MPI_Send(out, 10 * rank, MPI_INT, 0, rank, MPI_COMM_WORLD);
    for (int i = 1; i < size; i++)
        expect(i, 0, 40L * i);
    end();

    begin("point-to-point", "sendrecv with no neighbour at the ends");
    {
        const int above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
        const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        MPI_Sendrecv(out, 7, MPI_DOUBLE, above, 0, in, 100, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i + 1 < size; i++)
            expect(i, i + 1, 56);
    }
    end();

    begin("point-to-point", "sendrecv_replace");
    MPI_Sendrecv_replace(out, 13, MPI_INT, next(rank), 0, previous(rank), 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    expect_ring(13, 1);
    end();

    begin("point-to-point", "messages without content, and to itself");
    {
        MPI_Request request;
        MPI_Irecv(in, 10, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 10, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(out, 5, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++) {
            expect(i, i, 0);
            expect(i, i, 20);
        }
    }
    end();

    begin("point-to-point", "a structure of an int and a double, two of the three that there is room for");
    {
        const int lengths[] = { 1, 1 };
        const MPI_Aint places[] = { 0, 8 };
        const MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE };
        MPI_Datatype structure;
        MPI_Request request;
        MPI_Type_create_struct(2, lengths, places, types, &structure);
        MPI_Type_commit(&structure);
        MPI_Irecv(in, 3, structure, previous(rank), 0, MPI_COMM_WORLD, &request);
        MPI_Send(out, 2, structure, next(rank), 0, MPI_COMM_WORLD);
        MPI_Type_free(&structure);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++)
            expect(i, next(i), 24);
    }
    end();

    begin("point-to-point", "matched probe");
    {
        MPI_Message message;
        MPI_Request request;
        MPI_Request sends_pending[2];
        int flag = 0;
        MPI_Isend(out, 31, MPI_INT, next(rank), 1, MPI_COMM_WORLD, &sends_pending[0]);
        MPI_Isend(out, 32, MPI_INT, next(rank), 2, MPI_COMM_WORLD, &sends_pending[1]);
        MPI_Mprobe(previous(rank), 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, ROOM, MPI_INT, &message, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(in, ROOM, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Waitall(2, sends_pending, MPI_STATUSES_IGNORE);
        expect_ring(31, 1);
        expect_ring(32, 1);
    }
    end();

    begin("point-to-point", "large count");
    {
        MPI_Request request;
        MPI_Irecv_c(in, ROOM, MPI_INT, previous(rank), 0, MPI_COMM_WORLD, &request);
        MPI_Send_c(out, 77, MPI_INT, next(rank), 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_ring(77, 1);
    }
    end();
}

/* Everybody sends to everybody, and completes it in a way of its own. */
static void nonblocking(const char *way, int (*complete) (int, MPI_Request *))
{
    MPI_Request requests[2 * MOST];
    int number = 0;

    begin("point-to-point", way);
    for (int i = 0; i < size; i++)
        MPI_Irecv(in + i * ROOM, ROOM, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
                  &requests[number++]);
    for (int i = 0; i < size; i++)
        MPI_Isend(out, amount(rank, i), MPI_INT, i, rank, MPI_COMM_WORLD, &requests[number++]);
    complete(number, requests);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            expect(from, to, 4L * amount(from, to));
    end();
}

static int by_wait(int number, MPI_Request * requests)
{
    for (int i = number - 1; i >= 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return 0;
}

static int by_waitall(int number, MPI_Request * requests)
{
    return MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
}

static int by_waitany(int number, MPI_Request * requests)
{
    int index = 0;
    while (index != MPI_UNDEFINED)
        MPI_Waitany(number, requests, &index, MPI_STATUS_IGNORE);
    return 0;
}

static int by_waitsome(int number, MPI_Request * requests)
{
    int completed = 0, indices[2 * MOST];
    MPI_Status statuses[2 * MOST];
    while (completed != MPI_UNDEFINED)
        MPI_Waitsome(number, requests, &completed, indices, statuses);
    return 0;
}

static int by_test(int number, MPI_Request * requests)
{
    for (int i = 0; i < number; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    return 0;
}

static int by_testall(int number, MPI_Request * requests)
{
    for (int flag = 0; !flag;)
        MPI_Testall(number, requests, &flag, MPI_STATUSES_IGNORE);
    return 0;
}

static int by_testany(int number, MPI_Request * requests)
{
    for (int flag = 0, index = 0; !flag || index != MPI_UNDEFINED;)
        MPI_Testany(number, requests, &index, &flag, MPI_STATUS_IGNORE);
    return 0;
}

static int by_testsome(int number, MPI_Request * requests)
{
    int completed = 0, indices[2 * MOST];
    while (completed != MPI_UNDEFINED)
        MPI_Testsome(number, requests, &completed, indices, MPI_STATUSES_IGNORE);
    return 0;
}

/* Asked for its status first, and then freed, when it is complete. */
static int by_free(int number, MPI_Request * requests)
{
    for (int i = 0; i < number; i++) {
        for (int flag = 0; !flag;)
            MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[i]);
    }
    return 0;
}

static void other_requests(void)
{
    begin("point-to-point", "persistent, started three times");
    {
        MPI_Request requests[2];
        MPI_Send_init(out, 21, MPI_INT, next(rank), 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(in, ROOM, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
        for (int times = 0; times < 3; times++) {
            if (times == 1) {
                MPI_Start(&requests[1]);
                MPI_Start(&requests[0]);
            } else
                MPI_Startall(2, requests);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            /* they are not active now */
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        expect_ring(21, 3);
    }
    end();

    begin("point-to-point", "partitioned, started twice");
    {
        enum { PARTITIONS = 4 };
        MPI_Request requests[2];
        MPI_Psend_init(out, PARTITIONS, 6, MPI_INT, next(rank), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
        MPI_Precv_init(in, PARTITIONS, 6, MPI_INT, previous(rank), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
        for (int times = 0; times < 2; times++) {
            MPI_Startall(2, requests);
            for (int i = 0; i < PARTITIONS; i++)
                MPI_Pready(i, requests[0]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        expect_ring(PARTITIONS * 6, 2);
    }
    end();

    begin("point-to-point", "a send that is freed at once");
    {
        MPI_Request request;
        MPI_Isend(out, 9, MPI_INT, next(rank), 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Recv(in, 9, MPI_INT, previous(rank), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_ring(9, 1);
    }
    end();

    begin("point-to-point", "a receive that is cancelled");
    {
        MPI_Request request;
        MPI_Irecv(in, 9, MPI_INT, previous(rank), 77, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    end();

    begin("point-to-point", "isendrecv");
    {
        MPI_Request requests[2];
        MPI_Isendrecv(out, 17, MPI_INT, next(rank), 0, in, 17, MPI_INT, previous(rank), 0,
                      MPI_COMM_WORLD, &requests[0]);
        MPI_Isendrecv_replace(out + ROOM, 19, MPI_INT, next(rank), 1, previous(rank), 1,
                              MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        expect_ring(17, 1);
        expect_ring(19, 1);
    }
    end();

    begin("point-to-point", "to and from nobody");
    {
        MPI_Request requests[2];
        MPI_Irecv(in, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(in, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    }
    end();

    begin("point-to-point", "switched off and on");
    MPI_Pcontrol(0);
    MPI_Sendrecv(out, 3, MPI_INT, next(rank), 0, in, ROOM, MPI_INT, previous(rank), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Pcontrol(phase);
    MPI_Sendrecv(out, 4, MPI_INT, next(rank), 0, in, ROOM, MPI_INT, previous(rank), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect_ring(4, 1);
    end();
}

/* ---- collective ---- */

/* Counts and places of amount(), as sender or receiver. */
static int out_counts[MOST], in_counts[MOST], places[MOST], byte_places[MOST];
static MPI_Datatype int_types[MOST];
static MPI_Count large_out_counts[MOST], large_in_counts[MOST];
static MPI_Aint large_places[MOST];

static void fill_counts(void)
{
    for (int i = 0; i < size; i++) {
        out_counts[i] = amount(rank, i);
        in_counts[i] = amount(i, rank);
        large_out_counts[i] = out_counts[i];
        large_in_counts[i] = in_counts[i];
        places[i] = i * ROOM;
        large_places[i] = i * ROOM;
        byte_places[i] = i * ROOM * 4;
        int_types[i] = MPI_INT;
    }
}

static void rooted(void)
{
    const int root = size - 1;
    int counts[MOST];

    for (int i = 0; i < size; i++)
        counts[i] = 2 + 3 * i;

    begin("collective", "bcast");
    MPI_Bcast(out, 50, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(root, i, 200);
    end();

    begin("collective", "gather");
    MPI_Gather(out, 5, MPI_INT, in, rank == root ? 5 : -1, rank == root ? MPI_INT : MPI_DATATYPE_NULL,
               root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        expect(i, root, 20);
    end();

    begin("collective", "gatherv, in place");
    MPI_Gatherv(rank == root ? MPI_IN_PLACE : out, rank == root ? -1 : counts[rank],
                rank == root ? MPI_DATATYPE_NULL : MPI_INT, in, rank == root ? counts : NULL, places,
                MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(i, root, 4L * counts[i]);
    end();

    begin("collective", "scatter");
    MPI_Scatter(out, 6, MPI_INT, in, 6, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        expect(root, i, 24);
    end();

    begin("collective", "scatterv, in place");
    MPI_Scatterv(out, rank == root ? counts : NULL, places, MPI_INT, rank == root ? MPI_IN_PLACE : in,
                 rank == root ? -1 : counts[rank], rank == root ? MPI_DATATYPE_NULL : MPI_INT, root,
                 MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(root, i, 4L * counts[i]);
    end();

    begin("collective", "reduce");
    MPI_Reduce(out, in, 8, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        expect(i, root, 32);
    end();

    begin("collective", "reduce, in place");
    MPI_Reduce(rank == root ? MPI_IN_PLACE : out, in, 8, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(i, root, 32);
    end();

    begin("collective", "igatherv");
    {
        MPI_Request request;
        MPI_Igatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD,
                     &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++)
            expect(i, root, 4L * counts[i]);
    }
    end();

    begin("collective", "persistent bcast, started twice");
    {
        MPI_Request request;
        MPI_Bcast_init(out, 11, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        for (int times = 0; times < 2; times++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
        for (int i = 0; i < size; i++)
            for (int times = 0; i != root && times < 2; times++)
                expect(root, i, 44);
    }
    end();

    begin("collective", "bcast with a large count");
    MPI_Bcast_c(out, 51, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(root, i, 204);
    end();
}

static void all_to_all(void)
{
    int counts[MOST], sum = 0;

    fill_counts();
    for (int i = 0; i < size; i++) {
        counts[i] = 2 + 3 * i;
        sum += counts[i];
    }

    begin("collective", "allgather");
    MPI_Allgather(out, 5, MPI_INT, in, 5, MPI_INT, MPI_COMM_WORLD);
    expect_all(5, 1);
    end();

    begin("collective", "allgather, in place");
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 5, MPI_INT, MPI_COMM_WORLD);
    expect_all(5, 0);
    end();

    begin("collective", "allgatherv");
    MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            expect(from, to, 4L * counts[from]);
    end();

    begin("collective", "alltoall");
    MPI_Alltoall(out, 4, MPI_INT, in, 4, MPI_INT, MPI_COMM_WORLD);
    expect_all(4, 1);
    end();

    begin("collective", "alltoall, in place");
    MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 4, MPI_INT, MPI_COMM_WORLD);
    expect_all(4, 0);
    end();

    begin("collective", "alltoallv");
    MPI_Alltoallv(out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, MPI_COMM_WORLD);
    expect_amounts(1);
    end();

    begin("collective", "alltoallw");
    MPI_Alltoallw(out, out_counts, byte_places, int_types, in, in_counts, byte_places, int_types,
                  MPI_COMM_WORLD);
    expect_amounts(1);
    end();

    begin("collective", "alltoallv with large counts");
    MPI_Alltoallv_c(out, large_out_counts, large_places, MPI_INT, in, large_in_counts, large_places,
                    MPI_INT, MPI_COMM_WORLD);
    expect_amounts(1);
    end();

    begin("collective", "ialltoallw");
    {
        MPI_Request request;
        MPI_Ialltoallw(out, out_counts, byte_places, int_types, in, in_counts, byte_places, int_types,
                       MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_amounts(1);
    }
    end();

    begin("collective", "persistent alltoallv, started twice");
    {
        MPI_Request request;
        MPI_Alltoallv_init(out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        for (int times = 0; times < 2; times++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            expect_amounts(1);
        }
        MPI_Request_free(&request);
    }
    end();

    begin("collective", "allreduce");
    MPI_Allreduce(out, in, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_all(9, 1);
    end();

    begin("collective", "allreduce, in place");
    MPI_Allreduce(MPI_IN_PLACE, in, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_all(9, 0);
    end();

    begin("collective", "iallreduce");
    {
        MPI_Request request;
        MPI_Iallreduce(out, in, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        for (int flag = 0; !flag;)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        expect_all(10, 1);
    }
    end();

    begin("collective", "reduce_scatter");
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            expect(from, to, 4L * counts[to]);
    end();

    begin("collective", "reduce_scatter_block, in place");
    MPI_Reduce_scatter_block(MPI_IN_PLACE, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_all(3, 0);
    end();

    begin("collective", "scan");
    MPI_Scan(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int to = from; to < size; to++)
            expect(from, to, 16);
    end();

    begin("collective", "exscan");
    MPI_Exscan(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int to = from + 1; to < size; to++)
            expect(from, to, 16);
    end();

    begin("collective", "barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    end();
}

/* ---- other communicators ---- */

static void parts_of_the_world(void)
{
    MPI_Comm half, halves;
    int half_size, other_size;

    /* the even ranks and the odd ones, each in the opposite order */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_size(half, &half_size);

    begin("collective", "allgather in halves");
    MPI_Allgather(out, 5, MPI_INT, in, 5, MPI_INT, half);
    for (int from = 0; from < size; from++)
        for (int to = from % 2; to < size; to += 2)
            expect(from, to, 20);
    end();

    begin("point-to-point", "a message in halves, and after a handle was used again");
    for (int times = 0; times < 2; times++) {
        MPI_Comm same;
        /* rank 0 of the half is its highest rank in the world, and the other way round */
        MPI_Comm_split(half, 0, times, &same);
        if (times == 1) {
            MPI_Comm_free(&same);
            MPI_Comm_split(half, 0, rank, &same);
        }
        if (half_size > 1) {
            int own;
            MPI_Comm_rank(same, &own);
            if (own == 0)
                MPI_Send(out, 5 + times, MPI_INT, half_size - 1, 0, same);
            if (own == half_size - 1)
                MPI_Recv(in, 10, MPI_INT, 0, 0, same, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&same);
    }
    for (int odd = 0; odd < 2; odd++) {
        const int lowest = odd, highest = size - 1 - (size - 1 - odd) % 2;
        if (highest > lowest) {
            expect(highest, lowest, 20);
            expect(lowest, highest, 24);
        }
    }
    end();

    begin("collective", "allreduce on a duplicate that is made without waiting");
    {
        MPI_Comm copy;
        MPI_Request request;
        MPI_Comm_idup(half, &copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, copy);
        MPI_Comm_free(&copy);
        for (int from = 0; from < size; from++)
            for (int to = from % 2; to < size; to += 2)
                expect(from, to, 12);
    }
    end();

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? size - 1 - (size - 1) % 2 :
                         size - 1 - size % 2, 0, &halves);
    MPI_Comm_remote_size(halves, &other_size);
    fill_counts();

    begin("point-to-point", "between two groups");
    {
        /* rank i of one group and rank i of the other */
        int own;
        MPI_Comm_rank(halves, &own);
        if (own < other_size)
            MPI_Sendrecv(out, 8, MPI_INT, own, 0, in, ROOM, MPI_INT, own, 0, halves, MPI_STATUS_IGNORE);
        /* in the order of the groups the highest even rank meets the highest odd one */
        for (int even = size - 1 - (size - 1) % 2, odd = size - 1 - size % 2; even >= 0 && odd >= 0;
             even -= 2, odd -= 2) {
            expect(even, odd, 32);
            expect(odd, even, 32);
        }
    }
    end();

    begin("collective", "bcast between two groups");
    {
        const int root = size - 1 - (size - 1) % 2;
        int where = rank == root ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
        MPI_Bcast(out, 12, MPI_INT, where, halves);
        for (int to = 1; to < size; to += 2)
            expect(root, to, 48);
    }
    end();

    begin("collective", "gather between two groups");
    {
        const int root = size - 1 - (size - 1) % 2;
        int where = rank == root ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
        MPI_Gather(out, 12, MPI_INT, in, 12, MPI_INT, where, halves);
        for (int from = 1; from < size; from += 2)
            expect(from, root, 48);
    }
    end();

    begin("collective", "allgather between two groups");
    MPI_Allgather(out, 2 + rank % 2, MPI_INT, in, 3 - rank % 2, MPI_INT, halves);
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2)
            expect(from, to, 4L * (2 + from % 2));
    end();

    begin("collective", "alltoall between two groups");
    MPI_Alltoall(out, 2 + rank % 2, MPI_INT, in, 3 - rank % 2, MPI_INT, halves);
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2)
            expect(from, to, 4L * (2 + from % 2));
    end();

    begin("collective", "allreduce between two groups");
    MPI_Allreduce(out, in, 6, MPI_INT, MPI_SUM, halves);
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2)
            expect(from, to, 24);
    end();

    begin("collective", "reduce_scatter_block between two groups");
    /* what all get together is as long on both sides */
    MPI_Reduce_scatter_block(out, in, 2 * other_size, MPI_INT, MPI_SUM, halves);
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2) {
            const int evens = (size + 1) / 2, odds = size / 2;
            expect(from, to, 8L * (to % 2 ? evens : odds));
        }
    end();

    MPI_Comm_free(&halves);
    MPI_Comm_free(&half);
}

static void neighbours(void)
{
    MPI_Comm line, graph;
    const int no_wrap[] = { 0 };

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, no_wrap, 0, &line);
    begin("collective", "neighbor_allgather on a line");
    MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, line);
    for (int i = 0; i + 1 < size; i++) {
        expect(i, i + 1, 12);
        expect(i + 1, i, 12);
    }
    end();

    begin("collective", "ineighbor_alltoall on a line");
    {
        MPI_Request request;
        MPI_Ineighbor_alltoall(out, 4, MPI_INT, in, 4, MPI_INT, line, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i + 1 < size; i++) {
            expect(i, i + 1, 16);
            expect(i + 1, i, 16);
        }
    }
    end();
    MPI_Comm_free(&line);

    /* everybody sends to the next and to itself, and gets from the previous and from itself */
    {
        const int sources[] = { previous(rank), rank }, targets[] = { next(rank), rank };
        const int sent[] = { 5 + rank, 2 }, received[] = { 5 + previous(rank), 2 };
        const int displacements[] = { 0, ROOM };
        const MPI_Aint byte_displacements[] = { 0, 4 * ROOM };
        const MPI_Datatype types[] = { MPI_INT, MPI_INT };

        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
        begin("collective", "neighbor_alltoallv on a graph");
        MPI_Neighbor_alltoallv(out, sent, displacements, MPI_INT, in, received, displacements, MPI_INT,
                               graph);
        for (int i = 0; i < size; i++) {
            expect(i, next(i), 4L * (5 + i));
            expect(i, i, 8);
        }
        end();

        begin("collective", "persistent neighbor_alltoallw on a graph");
        {
            MPI_Request request;
            MPI_Neighbor_alltoallw_init(out, sent, byte_displacements, types, in, received,
                                        byte_displacements, types, graph, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            for (int i = 0; i < size; i++) {
                expect(i, next(i), 4L * (5 + i));
                expect(i, i, 8);
            }
        }
        end();
        MPI_Comm_free(&graph);
    }
}

/* ---- one-sided ---- */

static void one_sided(void)
{
    MPI_Win window;
    static int memory[ROOM];
    int operand = 1, compared = 0, result[ROOM];

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);

    begin("one-sided", "put");
    MPI_Win_fence(0, window);
    MPI_Put(out, 10, MPI_INT, next(rank), 0, 10, MPI_INT, window);
    MPI_Put(out, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, window);
    MPI_Win_fence(0, window);
    expect_ring(10, 1);
    end();

    begin("one-sided", "get");
    MPI_Win_fence(0, window);
    MPI_Get(in, 11, MPI_INT, next(rank), 0, 11, MPI_INT, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < size; i++)
        expect(next(i), i, 44);
    end();

    begin("one-sided", "accumulate");
    MPI_Win_fence(0, window);
    MPI_Accumulate(out, 12, MPI_INT, next(rank), 0, 12, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    expect_ring(12, 1);
    end();

    begin("one-sided", "get_accumulate, and without operation");
    MPI_Win_lock_all(0, window);
    MPI_Get_accumulate(out, 13, MPI_INT, result, 13, MPI_INT, next(rank), 0, 13, MPI_INT, MPI_SUM,
                       window);
    MPI_Win_flush_all(window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, result, 14, MPI_INT, next(rank), 0, 14, MPI_INT,
                       MPI_NO_OP, window);
    MPI_Win_unlock_all(window);
    for (int i = 0; i < size; i++) {
        expect(i, next(i), 52);
        expect(next(i), i, 52);
        expect(next(i), i, 56);
    }
    end();

    begin("one-sided", "fetch_and_op, compare_and_swap");
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&operand, result, MPI_INT, next(rank), 0, MPI_SUM, window);
    MPI_Compare_and_swap(&operand, &compared, result, MPI_INT, next(rank), 1, window);
    MPI_Win_unlock_all(window);
    for (int i = 0; i < size; i++) {
        expect(i, next(i), 4);
        expect(next(i), i, 4);
        expect(i, next(i), 8);
        expect(next(i), i, 4);
    }
    end();

    begin("one-sided", "rput, rget");
    {
        MPI_Request requests[2];
        MPI_Win_lock_all(0, window);
        MPI_Rput(out, 15, MPI_INT, next(rank), 0, 15, MPI_INT, window, &requests[0]);
        MPI_Rget(in, 16, MPI_INT, next(rank), 100, 16, MPI_INT, window, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Win_unlock_all(window);
        for (int i = 0; i < size; i++) {
            expect(i, next(i), 60);
            expect(next(i), i, 64);
        }
    }
    end();
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > MOST) {
        fprintf(stderr, "patterns: 2 to %d processes\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    blocking();
    nonblocking("all to all, completed by wait", by_wait);
    nonblocking("all to all, completed by waitall", by_waitall);
    nonblocking("all to all, completed by waitany", by_waitany);
    nonblocking("all to all, completed by waitsome", by_waitsome);
    nonblocking("all to all, completed by test", by_test);
    nonblocking("all to all, completed by testall", by_testall);
    nonblocking("all to all, completed by testany", by_testany);
    nonblocking("all to all, completed by testsome", by_testsome);
    nonblocking("all to all, freed when complete", by_free);
    other_requests();
    rooted();
    all_to_all();
    parts_of_the_world();
    neighbours();
    one_sided();
    MPI_Finalize();
    return 0;
}
