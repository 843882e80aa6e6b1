/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Communication patterns with the messages and bytes that each moves between each two processes,
 * worked out here from the sizes and the standard's text, for test_messages.py. Each pattern is a
 * separate phase (MPI_Pcontrol) after a barrier, which moves nothing. Rank 0 prints
 *
 *     pattern PHASE KIND NAME
 *     expect PHASE FROM TO MESSAGES BYTES
 *
 * All ranks print at the end every call with the bytes that tools must count for it, for
 * test_profile.py and test_bytes.py.
 *
 * For 2 to 16 processes, best an even number above 2. */

#include "expected_calls.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROOM = 4096 };

static int rank, size;
static int is_always_on;        /* argument "on": all tools see all calls */
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
    CALL(MPI_Barrier, 0, 0, (MPI_COMM_WORLD));
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
    fflush(stdout);
}

static int next(int of)
{
    return (of + 1) % size;
}

static int previous(int of)
{
    return (of + size - 1) % size;
}

/* Bytes of a call that only the root has, or only the others. */
static long only_at(int root, long content)
{
    return rank == root ? content : 0;
}

static long except_at(int root, long content)
{
    return rank == root ? 0 : content;
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
    static const struct {
        const char *name;
        int (*send) (const void *, int, MPI_Datatype, int, int, MPI_Comm);
    } modes[] = { {"MPI_Send", MPI_Send}, {"MPI_Bsend", MPI_Bsend}, {"MPI_Ssend", MPI_Ssend},
                  {"MPI_Rsend", MPI_Rsend} };

    CALL(MPI_Buffer_attach, 0, 0, (buffer, sizeof buffer));
    for (int mode = 0; mode < 4; mode++) {
        begin("point-to-point", modes[mode].name);
        for (int times = 0; times < 3; times++) {
            MPI_Request request;
            /* the room is larger than the message */
            CALL(MPI_Irecv, 0, 4 * (100 + mode),
                 (in, ROOM, MPI_INT, times == 0 ? MPI_ANY_SOURCE : previous(rank), mode,
                  MPI_COMM_WORLD, &request));
            CALL(MPI_Barrier, 0, 0, (MPI_COMM_WORLD));
            CALL_BY_POINTER(modes[mode].name, modes[mode].send, 4 * (100 + mode), 0,
                            (out, 100 + mode, MPI_INT, next(rank), mode, MPI_COMM_WORLD));
            CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        }
        expect_ring(100 + mode, 3);
        end();
    }
    {
        void *detached;
        int length;
        CALL(MPI_Buffer_detach, 0, 0, (&detached, &length));
    }

    begin("point-to-point", "receive without status, from anybody");
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            CALL(MPI_Recv, 0, 40 * i,   /* in any order */
                 (in, ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
    } else
        CALL(MPI_Send, 40 * rank, 0, (out, 10 * rank, MPI_INT, 0, rank, MPI_COMM_WORLD));
    for (int i = 1; i < size; i++)
        expect(i, 0, 40L * i);
    end();

    begin("point-to-point", "sendrecv with no neighbour at the ends");
    {
        const int above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
        const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        CALL(MPI_Sendrecv, except_at(size - 1, 56), except_at(0, 56),
             (out, 7, MPI_DOUBLE, above, 0, in, 100, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE));
        for (int i = 0; i + 1 < size; i++)
            expect(i, i + 1, 56);
    }
    end();

    begin("point-to-point", "sendrecv_replace");
    CALL(MPI_Sendrecv_replace, 52, 52,
         (out, 13, MPI_INT, next(rank), 0, previous(rank), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    expect_ring(13, 1);
    end();

    begin("point-to-point", "messages without content, and to itself");
    {
        MPI_Request request;
        CALL(MPI_Irecv, 0, 0, (in, 10, MPI_INT, rank, 0, MPI_COMM_WORLD, &request));
        CALL(MPI_Send, 0, 0, (NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        CALL(MPI_Irecv, 0, 20, (in, 10, MPI_INT, 0, 0, MPI_COMM_SELF, &request));
        CALL(MPI_Send, 20, 0, (out, 5, MPI_INT, 0, 0, MPI_COMM_SELF));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < size; i++) {
            expect(i, i, 0);
            expect(i, i, 20);
        }
    }
    end();

    begin("point-to-point", "a structure of an int and a double, two where there is room for three");
    {
        const int lengths[] = { 1, 1 };
        const MPI_Aint places[] = { 0, 8 };
        const MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE };
        MPI_Datatype structure;
        MPI_Request request;
        CALL(MPI_Type_create_struct, 0, 0, (2, lengths, places, types, &structure));
        CALL(MPI_Type_commit, 0, 0, (&structure));
        CALL(MPI_Irecv, 0, 24, (in, 3, structure, previous(rank), 0, MPI_COMM_WORLD, &request));
        CALL(MPI_Send, 24, 0, (out, 2, structure, next(rank), 0, MPI_COMM_WORLD));
        CALL(MPI_Type_free, 0, 0, (&structure));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
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
        CALL(MPI_Isend, 124, 0,
             (out, 31, MPI_INT, next(rank), 1, MPI_COMM_WORLD, &sends_pending[0]));
        CALL(MPI_Isend, 128, 0,
             (out, 32, MPI_INT, next(rank), 2, MPI_COMM_WORLD, &sends_pending[1]));
        CALL(MPI_Mprobe, 0, 0, (previous(rank), 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
        CALL(MPI_Mrecv, 0, 124, (in, ROOM, MPI_INT, &message, MPI_STATUS_IGNORE));
        while (!flag)
            CALL(MPI_Improbe, 0, 0,
                 (MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
        CALL(MPI_Imrecv, 0, 128, (in, ROOM, MPI_INT, &message, &request));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        CALL(MPI_Waitall, 0, 0, (2, sends_pending, MPI_STATUSES_IGNORE));
        expect_ring(31, 1);
        expect_ring(32, 1);
    }
    end();

    begin("point-to-point", "large count");
    {
        MPI_Request request;
        CALL(MPI_Irecv_c, 0, 308,
             (in, ROOM, MPI_INT, previous(rank), 0, MPI_COMM_WORLD, &request));
        CALL(MPI_Send_c, 308, 0, (out, 77, MPI_INT, next(rank), 0, MPI_COMM_WORLD));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        expect_ring(77, 1);
    }
    end();
}

/* Every rank sends to every rank and completes with another function. */
static void nonblocking(const char *way, int (*complete) (int, MPI_Request *))
{
    MPI_Request requests[2 * MOST];
    int number = 0;

    begin("point-to-point", way);
    for (int i = 0; i < size; i++)
        CALL(MPI_Irecv, 0, 4 * amount(i, rank),
             (in + i * ROOM, ROOM, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
              &requests[number++]));
    for (int i = 0; i < size; i++)
        CALL(MPI_Isend, 4 * amount(rank, i), 0,
             (out, amount(rank, i), MPI_INT, i, rank, MPI_COMM_WORLD, &requests[number++]));
    complete(number, requests);
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            expect(from, to, 4L * amount(from, to));
    end();
}

static int by_wait(int number, MPI_Request * requests)
{
    for (int i = number - 1; i >= 0; i--)
        CALL(MPI_Wait, 0, 0, (&requests[i], MPI_STATUS_IGNORE));
    return 0;
}

static int by_waitall(int number, MPI_Request * requests)
{
    return CALL(MPI_Waitall, 0, 0, (number, requests, MPI_STATUSES_IGNORE));
}

static int by_waitany(int number, MPI_Request * requests)
{
    int index = 0;
    while (index != MPI_UNDEFINED)
        CALL(MPI_Waitany, 0, 0, (number, requests, &index, MPI_STATUS_IGNORE));
    return 0;
}

static int by_waitsome(int number, MPI_Request * requests)
{
    int completed = 0, indices[2 * MOST];
    MPI_Status statuses[2 * MOST];
    while (completed != MPI_UNDEFINED)
        CALL(MPI_Waitsome, 0, 0, (number, requests, &completed, indices, statuses));
    return 0;
}

static int by_test(int number, MPI_Request * requests)
{
    for (int i = 0; i < number; i++)
        for (int flag = 0; !flag;)
            CALL(MPI_Test, 0, 0, (&requests[i], &flag, MPI_STATUS_IGNORE));
    return 0;
}

static int by_testall(int number, MPI_Request * requests)
{
    for (int flag = 0; !flag;)
        CALL(MPI_Testall, 0, 0, (number, requests, &flag, MPI_STATUSES_IGNORE));
    return 0;
}

static int by_testany(int number, MPI_Request * requests)
{
    for (int flag = 0, index = 0; !flag || index != MPI_UNDEFINED;)
        CALL(MPI_Testany, 0, 0, (number, requests, &index, &flag, MPI_STATUS_IGNORE));
    return 0;
}

static int by_testsome(int number, MPI_Request * requests)
{
    int completed = 0, indices[2 * MOST];
    while (completed != MPI_UNDEFINED)
        CALL(MPI_Testsome, 0, 0, (number, requests, &completed, indices, MPI_STATUSES_IGNORE));
    return 0;
}

/* Asked for its status first, and then freed, when it is complete. */
static int by_free(int number, MPI_Request * requests)
{
    for (int i = 0; i < number; i++) {
        for (int flag = 0; !flag;)
            CALL(MPI_Request_get_status, 0, 0, (requests[i], &flag, MPI_STATUS_IGNORE));
        CALL(MPI_Request_free, 0, 0, (&requests[i]));
    }
    return 0;
}

static void other_requests(void)
{
    begin("point-to-point", "persistent, started three times");
    {
        MPI_Request requests[2];
        CALL(MPI_Send_init, 3 * 84, 0, (out, 21, MPI_INT, next(rank), 0, MPI_COMM_WORLD, &requests[0]));
        CALL(MPI_Recv_init, 0, 3 * 84,
             (in, ROOM, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]));
        for (int times = 0; times < 3; times++) {
            if (times == 1) {
                CALL(MPI_Start, 0, 0, (&requests[1]));
                CALL(MPI_Start, 0, 0, (&requests[0]));
            } else
                CALL(MPI_Startall, 0, 0, (2, requests));
            CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
            /* they are not active now */
            CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
            CALL(MPI_Barrier, 0, 0, (MPI_COMM_WORLD));
        }
        CALL(MPI_Request_free, 0, 0, (&requests[0]));
        CALL(MPI_Request_free, 0, 0, (&requests[1]));
        expect_ring(21, 3);
    }
    end();

    begin("point-to-point", "partitioned, started twice");
    {
        enum { PARTITIONS = 4 };
        MPI_Request requests[2];
        CALL(MPI_Psend_init, 2 * 24 * PARTITIONS, 0,
             (out, PARTITIONS, 6, MPI_INT, next(rank), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
              &requests[0]));
        CALL(MPI_Precv_init, 0, 2 * 24 * PARTITIONS,
             (in, PARTITIONS, 6, MPI_INT, previous(rank), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
              &requests[1]));
        for (int times = 0; times < 2; times++) {
            CALL(MPI_Startall, 0, 0, (2, requests));
            for (int i = 0; i < PARTITIONS; i++)
                CALL(MPI_Pready, 0, 0, (i, requests[0]));
            CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
        }
        CALL(MPI_Request_free, 0, 0, (&requests[0]));
        CALL(MPI_Request_free, 0, 0, (&requests[1]));
        expect_ring(PARTITIONS * 6, 2);
    }
    end();

    begin("point-to-point", "a send that is freed at once");
    {
        MPI_Request request;
        CALL(MPI_Isend, 36, 0, (out, 9, MPI_INT, next(rank), 0, MPI_COMM_WORLD, &request));
        CALL(MPI_Request_free, 0, 0, (&request));
        CALL(MPI_Recv, 0, 36,
             (in, 9, MPI_INT, previous(rank), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_ring(9, 1);
    }
    end();

    begin("point-to-point", "a receive that is cancelled");
    {
        MPI_Request request;
        CALL(MPI_Irecv, 0, 0, (in, 9, MPI_INT, previous(rank), 77, MPI_COMM_WORLD, &request));
        CALL(MPI_Cancel, 0, 0, (&request));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
    }
    end();

    begin("point-to-point", "isendrecv");
    {
        MPI_Request requests[2];
        CALL(MPI_Isendrecv, 68, 68,
             (out, 17, MPI_INT, next(rank), 0, in, 17, MPI_INT, previous(rank), 0, MPI_COMM_WORLD,
              &requests[0]));
        CALL(MPI_Isendrecv_replace, 76, 76,
             (out + ROOM, 19, MPI_INT, next(rank), 1, previous(rank), 1, MPI_COMM_WORLD,
              &requests[1]));
        CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
        expect_ring(17, 1);
        expect_ring(19, 1);
    }
    end();

    begin("point-to-point", "to and from nobody");
    {
        MPI_Request requests[2];
        CALL(MPI_Irecv, 0, 0, (in, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
        CALL(MPI_Isend, 0, 0, (out, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]));
        CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
        CALL(MPI_Recv, 0, 0, (in, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CALL(MPI_Send, 0, 0, (out, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    }
    end();

    if (is_always_on)
        return;
    begin("point-to-point", "switched off and on");
    MPI_Pcontrol(0);
    MPI_Sendrecv(out, 3, MPI_INT, next(rank), 0, in, ROOM, MPI_INT, previous(rank), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Pcontrol(phase);
    CALL(MPI_Sendrecv, 16, 16,
         (out, 4, MPI_INT, next(rank), 0, in, ROOM, MPI_INT, previous(rank), 0, MPI_COMM_WORLD,
          MPI_STATUS_IGNORE));
    expect_ring(4, 1);
    end();
}

/* ---- collective ---- */

/* Counts, their sums and places of amount(), as sender or receiver. */
static int out_counts[MOST], in_counts[MOST], out_sum, in_sum, places[MOST], byte_places[MOST];
static MPI_Datatype int_types[MOST];
static MPI_Count large_out_counts[MOST], large_in_counts[MOST];
static MPI_Aint large_places[MOST];

static void fill_counts(void)
{
    out_sum = in_sum = 0;
    for (int i = 0; i < size; i++) {
        out_counts[i] = amount(rank, i);
        in_counts[i] = amount(i, rank);
        out_sum += out_counts[i];
        in_sum += in_counts[i];
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
    int counts[MOST], sum = 0;

    for (int i = 0; i < size; i++) {
        counts[i] = 2 + 3 * i;
        sum += counts[i];
    }

    begin("collective", "bcast");
    CALL(MPI_Bcast, only_at(root, 200 * (size - 1)), except_at(root, 200),
         (out, 50, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(root, i, 200);
    end();

    begin("collective", "gather");
    CALL(MPI_Gather, 20, only_at(root, 20 * size),
         (out, 5, MPI_INT, in, rank == root ? 5 : -1, rank == root ? MPI_INT : MPI_DATATYPE_NULL,
          root, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        expect(i, root, 20);
    end();

    begin("collective", "gatherv, in place");
    CALL(MPI_Gatherv, except_at(root, 4 * counts[rank]), only_at(root, 4 * (sum - counts[rank])),
         (rank == root ? MPI_IN_PLACE : out, rank == root ? -1 : counts[rank],
          rank == root ? MPI_DATATYPE_NULL : MPI_INT, in, rank == root ? counts : NULL, places,
          MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(i, root, 4L * counts[i]);
    end();

    begin("collective", "scatter");
    CALL(MPI_Scatter, only_at(root, 24 * size), 24,
         (out, 6, MPI_INT, in, 6, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        expect(root, i, 24);
    end();

    begin("collective", "scatterv, in place");
    CALL(MPI_Scatterv, only_at(root, 4 * (sum - counts[rank])), except_at(root, 4 * counts[rank]),
         (out, rank == root ? counts : NULL, places, MPI_INT, rank == root ? MPI_IN_PLACE : in,
          rank == root ? -1 : counts[rank], rank == root ? MPI_DATATYPE_NULL : MPI_INT, root,
          MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(root, i, 4L * counts[i]);
    end();

    begin("collective", "reduce");
    CALL(MPI_Reduce, 32, only_at(root, 32 * size),
         (out, in, 8, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        expect(i, root, 32);
    end();

    begin("collective", "reduce, in place");
    CALL(MPI_Reduce, except_at(root, 32), only_at(root, 32 * (size - 1)),
         (rank == root ? MPI_IN_PLACE : out, in, 8, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        if (i != root)
            expect(i, root, 32);
    end();

    begin("collective", "igatherv");
    {
        MPI_Request request;
        CALL(MPI_Igatherv, 4 * counts[rank], only_at(root, 4 * sum),
             (out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD,
              &request));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < size; i++)
            expect(i, root, 4L * counts[i]);
    }
    end();

    begin("collective", "persistent bcast, started twice");
    {
        MPI_Request request;
        CALL(MPI_Bcast_init, only_at(root, 2 * 44 * (size - 1)), except_at(root, 2 * 44),
             (out, 11, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        for (int times = 0; times < 2; times++) {
            CALL(MPI_Start, 0, 0, (&request));
            CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        }
        CALL(MPI_Request_free, 0, 0, (&request));
        for (int i = 0; i < size; i++)
            for (int times = 0; i != root && times < 2; times++)
                expect(root, i, 44);
    }
    end();

    begin("collective", "bcast with a large count");
    CALL(MPI_Bcast_c, only_at(root, 204 * (size - 1)), except_at(root, 204),
         (out, 51, MPI_INT, root, MPI_COMM_WORLD));
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
    CALL(MPI_Allgather, 20 * size, 20 * size, (out, 5, MPI_INT, in, 5, MPI_INT, MPI_COMM_WORLD));
    expect_all(5, 1);
    end();

    begin("collective", "allgather, in place");
    CALL(MPI_Allgather, 20 * (size - 1), 20 * (size - 1),
         (MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 5, MPI_INT, MPI_COMM_WORLD));
    expect_all(5, 0);
    end();

    begin("collective", "allgatherv");
    CALL(MPI_Allgatherv, 4 * counts[rank] * size, 4 * sum,
         (out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            expect(from, to, 4L * counts[from]);
    end();

    begin("collective", "alltoall");
    CALL(MPI_Alltoall, 16 * size, 16 * size, (out, 4, MPI_INT, in, 4, MPI_INT, MPI_COMM_WORLD));
    expect_all(4, 1);
    end();

    begin("collective", "alltoall, in place");
    CALL(MPI_Alltoall, 16 * (size - 1), 16 * (size - 1),
         (MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 4, MPI_INT, MPI_COMM_WORLD));
    expect_all(4, 0);
    end();

    begin("collective", "alltoallv");
    CALL(MPI_Alltoallv, 4 * out_sum, 4 * in_sum,
         (out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, MPI_COMM_WORLD));
    expect_amounts(1);
    end();

    begin("collective", "alltoallw");
    CALL(MPI_Alltoallw, 4 * out_sum, 4 * in_sum,
         (out, out_counts, byte_places, int_types, in, in_counts, byte_places, int_types,
          MPI_COMM_WORLD));
    expect_amounts(1);
    end();

    begin("collective", "alltoallv with large counts");
    CALL(MPI_Alltoallv_c, 4 * out_sum, 4 * in_sum,
         (out, large_out_counts, large_places, MPI_INT, in, large_in_counts, large_places, MPI_INT,
          MPI_COMM_WORLD));
    expect_amounts(1);
    end();

    begin("collective", "ialltoallw");
    {
        MPI_Request request;
        CALL(MPI_Ialltoallw, 4 * out_sum, 4 * in_sum,
             (out, out_counts, byte_places, int_types, in, in_counts, byte_places, int_types,
              MPI_COMM_WORLD, &request));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        expect_amounts(1);
    }
    end();

    begin("collective", "persistent alltoallv, started twice");
    {
        MPI_Request request;
        CALL(MPI_Alltoallv_init, 2 * 4 * out_sum, 2 * 4 * in_sum,
             (out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, MPI_COMM_WORLD,
              MPI_INFO_NULL, &request));
        for (int times = 0; times < 2; times++) {
            CALL(MPI_Start, 0, 0, (&request));
            CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
            expect_amounts(1);
        }
        CALL(MPI_Request_free, 0, 0, (&request));
    }
    end();

    begin("collective", "allreduce");
    CALL(MPI_Allreduce, 36 * size, 36 * size, (out, in, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect_all(9, 1);
    end();

    begin("collective", "allreduce, in place");
    CALL(MPI_Allreduce, 36 * (size - 1), 36 * (size - 1),
         (MPI_IN_PLACE, in, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect_all(9, 0);
    end();

    begin("collective", "iallreduce");
    {
        MPI_Request request;
        CALL(MPI_Iallreduce, 40 * size, 40 * size,
             (out, in, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
        for (int flag = 0; !flag;)
            CALL(MPI_Test, 0, 0, (&request, &flag, MPI_STATUS_IGNORE));
        expect_all(10, 1);
    }
    end();

    begin("collective", "reduce_scatter");
    CALL(MPI_Reduce_scatter, 4 * sum, 4 * counts[rank] * size,
         (out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            expect(from, to, 4L * counts[to]);
    end();

    begin("collective", "reduce_scatter_block, in place");
    CALL(MPI_Reduce_scatter_block, 12 * (size - 1), 12 * (size - 1),
         (MPI_IN_PLACE, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect_all(3, 0);
    end();

    begin("collective", "scan");
    CALL(MPI_Scan, 16 * (size - rank), 16 * (rank + 1),
         (out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int to = from; to < size; to++)
            expect(from, to, 16);
    end();

    begin("collective", "exscan");
    CALL(MPI_Exscan, 16 * (size - rank - 1), 16 * rank,
         (out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int to = from + 1; to < size; to++)
            expect(from, to, 16);
    end();

    begin("collective", "barrier");
    CALL(MPI_Barrier, 0, 0, (MPI_COMM_WORLD));
    end();
}

/* ---- other communicators ---- */

static void parts_of_the_world(void)
{
    const int is_odd = rank % 2;
    MPI_Comm half, halves;
    int half_size, other_size;

    /* the even ranks and the odd ones, each in the opposite order */
    CALL(MPI_Comm_split, 0, 0, (MPI_COMM_WORLD, is_odd, -rank, &half));
    CALL(MPI_Comm_size, 0, 0, (half, &half_size));

    begin("collective", "allgather in halves");
    CALL(MPI_Allgather, 20 * half_size, 20 * half_size, (out, 5, MPI_INT, in, 5, MPI_INT, half));
    for (int from = 0; from < size; from++)
        for (int to = from % 2; to < size; to += 2)
            expect(from, to, 20);
    end();

    begin("point-to-point", "a message in halves, and after a handle was used again");
    for (int times = 0; times < 2; times++) {
        MPI_Comm same;
        /* rank 0 of the half is its highest rank in the world, and vice versa */
        CALL(MPI_Comm_split, 0, 0, (half, 0, times, &same));
        if (times == 1) {
            CALL(MPI_Comm_free, 0, 0, (&same));
            CALL(MPI_Comm_split, 0, 0, (half, 0, rank, &same));
        }
        if (half_size > 1) {
            int own;
            CALL(MPI_Comm_rank, 0, 0, (same, &own));
            if (own == 0)
                CALL(MPI_Send, 4 * (5 + times), 0,
                     (out, 5 + times, MPI_INT, half_size - 1, 0, same));
            if (own == half_size - 1)
                CALL(MPI_Recv, 0, 4 * (5 + times),
                     (in, 10, MPI_INT, 0, 0, same, MPI_STATUS_IGNORE));
        }
        CALL(MPI_Comm_free, 0, 0, (&same));
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
        CALL(MPI_Comm_idup, 0, 0, (half, &copy, &request));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        CALL(MPI_Allreduce, 12 * half_size, 12 * half_size,
             (out, in, 3, MPI_INT, MPI_SUM, copy));
        CALL(MPI_Comm_free, 0, 0, (&copy));
        for (int from = 0; from < size; from++)
            for (int to = from % 2; to < size; to += 2)
                expect(from, to, 12);
    }
    end();

    CALL(MPI_Intercomm_create, 0, 0,
         (half, 0, MPI_COMM_WORLD, is_odd ? size - 1 - (size - 1) % 2 : size - 1 - size % 2, 0,
          &halves));
    CALL(MPI_Comm_remote_size, 0, 0, (halves, &other_size));
    fill_counts();

    begin("point-to-point", "between two groups");
    {
        /* rank i of one group and rank i of the other */
        int own;
        CALL(MPI_Comm_rank, 0, 0, (halves, &own));
        if (own < other_size)
            CALL(MPI_Sendrecv, 32, 32,
                 (out, 8, MPI_INT, own, 0, in, ROOM, MPI_INT, own, 0, halves, MPI_STATUS_IGNORE));
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
        int where = rank == root ? MPI_ROOT : is_odd ? 0 : MPI_PROC_NULL;
        CALL(MPI_Bcast, only_at(root, 48 * other_size), is_odd * 48,
             (out, 12, MPI_INT, where, halves));
        for (int to = 1; to < size; to += 2)
            expect(root, to, 48);
    }
    end();

    begin("collective", "gather between two groups");
    {
        const int root = size - 1 - (size - 1) % 2;
        int where = rank == root ? MPI_ROOT : is_odd ? 0 : MPI_PROC_NULL;
        CALL(MPI_Gather, is_odd * 48, only_at(root, 48 * other_size),
             (out, 12, MPI_INT, in, 12, MPI_INT, where, halves));
        for (int from = 1; from < size; from += 2)
            expect(from, root, 48);
    }
    end();

    begin("collective", "allgather between two groups");
    CALL(MPI_Allgather, 4 * (2 + is_odd) * other_size, 4 * (3 - is_odd) * other_size,
         (out, 2 + is_odd, MPI_INT, in, 3 - is_odd, MPI_INT, halves));
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2)
            expect(from, to, 4L * (2 + from % 2));
    end();

    begin("collective", "alltoall between two groups");
    CALL(MPI_Alltoall, 4 * (2 + is_odd) * other_size, 4 * (3 - is_odd) * other_size,
         (out, 2 + is_odd, MPI_INT, in, 3 - is_odd, MPI_INT, halves));
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2)
            expect(from, to, 4L * (2 + from % 2));
    end();

    begin("collective", "allreduce between two groups");
    CALL(MPI_Allreduce, 24 * other_size, 24 * other_size,
         (out, in, 6, MPI_INT, MPI_SUM, halves));
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2)
            expect(from, to, 24);
    end();

    begin("collective", "reduce_scatter_block between two groups");
    /* what all get together is as long on both sides; each provides that of its own group */
    CALL(MPI_Reduce_scatter_block, 8 * other_size * half_size, 8 * other_size * other_size,
         (out, in, 2 * other_size, MPI_INT, MPI_SUM, halves));
    for (int from = 0; from < size; from++)
        for (int to = 1 - from % 2; to < size; to += 2) {
            const int evens = (size + 1) / 2, odds = size / 2;
            expect(from, to, 8L * (to % 2 ? evens : odds));
        }
    end();

    CALL(MPI_Comm_free, 0, 0, (&halves));
    CALL(MPI_Comm_free, 0, 0, (&half));
}

static void neighbours(void)
{
    MPI_Comm line, graph;
    const int no_wrap[] = { 0 };
    const int neighbors = (rank > 0) + (rank + 1 < size);

    CALL(MPI_Cart_create, 0, 0, (MPI_COMM_WORLD, 1, &size, no_wrap, 0, &line));
    begin("collective", "neighbor_allgather on a line");
    /* The ends of the line have one neighbor, and room in the buffer for two. */
    CALL(MPI_Neighbor_allgather, 12 * neighbors, 12 * neighbors, (out, 3, MPI_INT, in, 3, MPI_INT, line));
    for (int i = 0; i + 1 < size; i++) {
        expect(i, i + 1, 12);
        expect(i + 1, i, 12);
    }
    end();

    begin("collective", "ineighbor_alltoall on a line");
    {
        MPI_Request request;
        CALL(MPI_Ineighbor_alltoall, 16 * neighbors, 16 * neighbors,
             (out, 4, MPI_INT, in, 4, MPI_INT, line, &request));
        CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
        for (int i = 0; i + 1 < size; i++) {
            expect(i, i + 1, 16);
            expect(i + 1, i, 16);
        }
    }
    end();
    CALL(MPI_Comm_free, 0, 0, (&line));

    /* everybody sends to the next and to itself, and gets from the previous and from itself */
    {
        const int sources[] = { previous(rank), rank }, targets[] = { next(rank), rank };
        const int sent[] = { 5 + rank, 2 }, received[] = { 5 + previous(rank), 2 };
        const int displacements[] = { 0, ROOM };
        const MPI_Aint byte_displacements[] = { 0, 4 * ROOM };
        const MPI_Datatype types[] = { MPI_INT, MPI_INT };

        CALL(MPI_Dist_graph_create_adjacent, 0, 0,
             (MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL,
              0, &graph));
        begin("collective", "neighbor_alltoallv on a graph");
        CALL(MPI_Neighbor_alltoallv, 4 * (7 + rank), 4 * (7 + previous(rank)),
             (out, sent, displacements, MPI_INT, in, received, displacements, MPI_INT, graph));
        for (int i = 0; i < size; i++) {
            expect(i, next(i), 4L * (5 + i));
            expect(i, i, 8);
        }
        end();

        begin("collective", "persistent neighbor_alltoallw on a graph");
        {
            MPI_Request request;
            CALL(MPI_Neighbor_alltoallw_init, 4 * (7 + rank), 4 * (7 + previous(rank)),
                 (out, sent, byte_displacements, types, in, received, byte_displacements, types,
                  graph, MPI_INFO_NULL, &request));
            CALL(MPI_Start, 0, 0, (&request));
            CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
            CALL(MPI_Request_free, 0, 0, (&request));
            for (int i = 0; i < size; i++) {
                expect(i, next(i), 4L * (5 + i));
                expect(i, i, 8);
            }
        }
        end();
        CALL(MPI_Comm_free, 0, 0, (&graph));
    }
}

/* ---- one-sided ---- */

static void one_sided(void)
{
    MPI_Win window;
    static int memory[ROOM];
    int operand = 1, compared = 0, result[ROOM];

    CALL(MPI_Win_create, 0, 0,
         (memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));

    begin("one-sided", "put");
    CALL(MPI_Win_fence, 0, 0, (0, window));
    CALL(MPI_Put, 40, 0, (out, 10, MPI_INT, next(rank), 0, 10, MPI_INT, window));
    CALL(MPI_Put, 0, 0, (out, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, window));
    CALL(MPI_Win_fence, 0, 0, (0, window));
    expect_ring(10, 1);
    end();

    begin("one-sided", "get");
    CALL(MPI_Win_fence, 0, 0, (0, window));
    CALL(MPI_Get, 0, 44, (in, 11, MPI_INT, next(rank), 0, 11, MPI_INT, window));
    CALL(MPI_Win_fence, 0, 0, (0, window));
    for (int i = 0; i < size; i++)
        expect(next(i), i, 44);
    end();

    begin("one-sided", "accumulate");
    CALL(MPI_Win_fence, 0, 0, (0, window));
    CALL(MPI_Accumulate, 48, 0, (out, 12, MPI_INT, next(rank), 0, 12, MPI_INT, MPI_SUM, window));
    CALL(MPI_Win_fence, 0, 0, (0, window));
    expect_ring(12, 1);
    end();

    begin("one-sided", "get_accumulate, and without operation");
    CALL(MPI_Win_lock_all, 0, 0, (0, window));
    CALL(MPI_Get_accumulate, 52, 52,
         (out, 13, MPI_INT, result, 13, MPI_INT, next(rank), 0, 13, MPI_INT, MPI_SUM, window));
    CALL(MPI_Win_flush_all, 0, 0, (window));
    CALL(MPI_Get_accumulate, 0, 56,
         (NULL, 0, MPI_DATATYPE_NULL, result, 14, MPI_INT, next(rank), 0, 14, MPI_INT, MPI_NO_OP,
          window));
    CALL(MPI_Win_unlock_all, 0, 0, (window));
    for (int i = 0; i < size; i++) {
        expect(i, next(i), 52);
        expect(next(i), i, 52);
        expect(next(i), i, 56);
    }
    end();

    begin("one-sided", "fetch_and_op, compare_and_swap");
    CALL(MPI_Win_lock_all, 0, 0, (0, window));
    CALL(MPI_Fetch_and_op, 4, 4, (&operand, result, MPI_INT, next(rank), 0, MPI_SUM, window));
    CALL(MPI_Compare_and_swap, 8, 4, (&operand, &compared, result, MPI_INT, next(rank), 1, window));
    CALL(MPI_Win_unlock_all, 0, 0, (window));
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
        CALL(MPI_Win_lock_all, 0, 0, (0, window));
        CALL(MPI_Rput, 60, 0, (out, 15, MPI_INT, next(rank), 0, 15, MPI_INT, window, &requests[0]));
        CALL(MPI_Rget, 0, 64,
             (in, 16, MPI_INT, next(rank), 100, 16, MPI_INT, window, &requests[1]));
        CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
        CALL(MPI_Win_unlock_all, 0, 0, (window));
        for (int i = 0; i < size; i++) {
            expect(i, next(i), 60);
            expect(next(i), i, 64);
        }
    }
    end();
    CALL(MPI_Win_free, 0, 0, (&window));
}

/* ---- files ---- */

/* A file has 25 ints for each process; reading beyond its end gives less. Files are no messages. */
static void files(void)
{
    const char *name = "patterns.data";
    const MPI_Offset own = 100L * rank, last = 100L * size;
    MPI_File file;
    MPI_Request request;

    begin("point-to-point", "files");
    CALL(MPI_File_open, 0, 0,
         (MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
          MPI_INFO_NULL, &file));
    CALL(MPI_File_write_at, 40, 0, (file, own, out, 10, MPI_INT, MPI_STATUS_IGNORE));
    CALL(MPI_File_write_at_all, 20, 0, (file, own + 40, out, 5, MPI_INT, MPI_STATUS_IGNORE));
    CALL(MPI_File_iwrite_at, 16, 0, (file, own + 60, out, 4, MPI_INT, &request));
    CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
    CALL(MPI_File_write_at_all_begin, 24, 0, (file, own + 76, out, 6, MPI_INT));
    CALL(MPI_File_write_at_all_end, 0, 0, (file, out, MPI_STATUS_IGNORE));
    CALL(MPI_File_sync, 0, 0, (file));
    CALL(MPI_Barrier, 0, 0, (MPI_COMM_WORLD));
    CALL(MPI_File_read_at, 0, 40, (file, last - 40, in, ROOM, MPI_INT, MPI_STATUS_IGNORE));
    CALL(MPI_File_read_at_all, 0, 100, (file, own, in, 25, MPI_INT, MPI_STATUS_IGNORE));
    CALL(MPI_File_iread_at, 0, 8, (file, last - 8, in, 4, MPI_INT, &request));
    CALL(MPI_Wait, 0, 0, (&request, MPI_STATUS_IGNORE));
    CALL(MPI_File_read_at_all_begin, 0, 0, (file, own, in, 7, MPI_INT));
    CALL(MPI_File_read_at_all_end, 0, 28, (file, in, MPI_STATUS_IGNORE));
    CALL(MPI_File_close, 0, 0, (&file));
    end();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    is_always_on = argc > 1 && strcmp(argv[1], "on") == 0;
    CALL(MPI_Comm_rank, 0, 0, (MPI_COMM_WORLD, &rank));
    CALL(MPI_Comm_size, 0, 0, (MPI_COMM_WORLD, &size));
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
    files();
    print_expected_calls();
    MPI_Finalize();
    return 0;
}
