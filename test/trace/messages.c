/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Sends messages with all functions of MPI and keeps books of them: each rank writes the expected
 * contents of a trace to expect.RANK. One line is
 *
 *     call FUNCTION NUMBER            calls that this rank made
 *     sent TO TAG BYTES NUMBER        messages to a rank of MPI_COMM_WORLD
 *     received FROM TAG BYTES NUMBER
 *
 * Even number of ranks, 2 at least. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

static struct {
    char text[80];
    int number;
} book[MOST];
static int entries;

static void note(const char *text)
{
    for (int i = 0; i < entries; i++) {
        if (strcmp(book[i].text, text) == 0) {
            book[i].number++;
            return;
        }
    }
    snprintf(book[entries].text, sizeof book[entries].text, "%s", text);
    book[entries++].number = 1;
}

static void called(const char *function)
{
    char text[80];
    snprintf(text, sizeof text, "call %s", function);
    note(text);
}

static void message(const char *way, int peer, int tag, int bytes)
{
    char text[80];
    snprintf(text, sizeof text, "%s %d %d %d", way, peer, tag, bytes);
    note(text);
}

#define CALL(function_, ...) (called(#function_), function_(__VA_ARGS__))

static int rank, size, partner, tag = 100;
static char out[1 << 16], in[1 << 16];

/* Partners exchange the same message; bytes differ by rank. */
static int mine(int bytes)
{
    return bytes + rank;
}

static int theirs(int bytes)
{
    return bytes + partner;
}

static void both(int bytes)
{
    message("sent", partner, tag, mine(bytes));
    message("received", partner, tag, theirs(bytes));
}

static void blocking(void)
{
    static char buffer[1 << 18];
    typedef int send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    send_t *const sends[] = { MPI_Send, MPI_Ssend, MPI_Bsend };
    const char *const names[] = { "MPI_Send", "MPI_Ssend", "MPI_Bsend" };

    CALL(MPI_Buffer_attach, buffer, sizeof buffer);
    for (int i = 0; i < 3; i++) {
        tag++;
        for (int turn = 0; turn < 2; turn++) {
            if (turn == rank % 2) {
                called(names[i]);
                sends[i](out, mine(100 * i), MPI_CHAR, partner, tag, MPI_COMM_WORLD);
            } else {
                CALL(MPI_Recv, in, sizeof in, MPI_CHAR, i == 1 ? MPI_ANY_SOURCE : partner,
                     i == 2 ? MPI_ANY_TAG : tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
        both(100 * i);
    }
    void *address;
    int bytes;
    CALL(MPI_Buffer_detach, &address, &bytes);

    tag++;
    CALL(MPI_Sendrecv, out, mine(7), MPI_CHAR, partner, tag, in, sizeof in, MPI_CHAR, partner, tag,
         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    both(7);
    tag++;
    CALL(MPI_Sendrecv_replace, out, 9, MPI_INT, partner, tag, partner, tag, MPI_COMM_WORLD,
         MPI_STATUS_IGNORE);
    message("sent", partner, tag, 9 * (int) sizeof(int));
    message("received", partner, tag, 9 * (int) sizeof(int));
    CALL(MPI_Send, out, 5, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    CALL(MPI_Recv, in, 5, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start_pair(int bytes, MPI_Request request[2])
{
    tag++;
    CALL(MPI_Irecv, in, sizeof in, MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request[0]);
    CALL(MPI_Isend, out, mine(bytes), MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request[1]);
    both(bytes);
}

/* Each of the functions that complete requests. */
static void nonblocking(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int index, flag, number, indices[2];

    start_pair(1000, request);
    CALL(MPI_Wait, &request[0], MPI_STATUS_IGNORE);
    CALL(MPI_Wait, &request[1], &status[0]);
    start_pair(1100, request);
    CALL(MPI_Waitall, 2, request, MPI_STATUSES_IGNORE);
    start_pair(1200, request);
    CALL(MPI_Waitany, 2, request, &index, &status[0]);
    CALL(MPI_Waitany, 2, request, &index, MPI_STATUS_IGNORE);
    start_pair(1300, request);
    for (int done = 0; done < 2; done += number)
        CALL(MPI_Waitsome, 2, request, &number, indices, MPI_STATUSES_IGNORE);
    start_pair(1400, request);
    for (int i = 0; i < 2; i++) {
        for (flag = 0; !flag;)
            CALL(MPI_Test, &request[i], &flag, MPI_STATUS_IGNORE);
    }
    start_pair(1500, request);
    for (flag = 0; !flag;)
        CALL(MPI_Testall, 2, request, &flag, status);
    start_pair(1600, request);
    for (int done = 0; done < 2; done += flag)
        CALL(MPI_Testany, 2, request, &index, &flag, MPI_STATUS_IGNORE);
    start_pair(1700, request);
    for (int done = 0; done < 2; done += number)
        CALL(MPI_Testsome, 2, request, &number, indices, MPI_STATUSES_IGNORE);
    /* The same tag several times: the order decides. */
    tag++;
    MPI_Request many[8];
    for (int i = 0; i < 4; i++)
        CALL(MPI_Irecv, in + 64 * i, 64, MPI_CHAR, partner, i == 1 ? MPI_ANY_TAG : tag, MPI_COMM_WORLD,
             &many[i]);
    for (int i = 0; i < 4; i++) {
        CALL(MPI_Isend, out, mine(i), MPI_CHAR, partner, tag, MPI_COMM_WORLD, &many[4 + i]);
        both(i);
    }
    for (int i = 7; i >= 0; i--)
        CALL(MPI_Wait, &many[i], MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request request[2];

    tag++;
    CALL(MPI_Recv_init, in, sizeof in, MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request[0]);
    CALL(MPI_Send_init, out, mine(50), MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            CALL(MPI_Start, &request[0]);
            CALL(MPI_Start, &request[1]);
        } else
            CALL(MPI_Startall, 2, request);
        CALL(MPI_Waitall, 2, request, MPI_STATUSES_IGNORE);
        both(50);
    }
    CALL(MPI_Request_free, &request[0]);
    CALL(MPI_Request_free, &request[1]);
}

static void matched(void)
{
    MPI_Message handle;
    MPI_Request request;
    int flag = 0;

    tag++;
    CALL(MPI_Isend, out, mine(60), MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request);
    CALL(MPI_Mprobe, partner, tag, MPI_COMM_WORLD, &handle, MPI_STATUS_IGNORE);
    CALL(MPI_Mrecv, in, sizeof in, MPI_CHAR, &handle, MPI_STATUS_IGNORE);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    both(60);
    tag++;
    CALL(MPI_Isend, out, mine(61), MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request);
    while (!flag)
        CALL(MPI_Improbe, partner, tag, MPI_COMM_WORLD, &flag, &handle, MPI_STATUS_IGNORE);
    MPI_Request receive;
    CALL(MPI_Imrecv, in, sizeof in, MPI_CHAR, &handle, &receive);
    CALL(MPI_Wait, &receive, MPI_STATUS_IGNORE);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    both(61);
}

/* A receive that nothing comes for. */
static void cancelled(void)
{
    MPI_Request request;
    CALL(MPI_Irecv, in, 1, MPI_CHAR, partner, 9999, MPI_COMM_WORLD, &request);
    CALL(MPI_Cancel, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
}

/* Ranks of other communicators are not those of the world. */
static void communicators(void)
{
    MPI_Comm half, reversed, bridge;
    MPI_Request request[2];
    int number;

    CALL(MPI_Comm_split, MPI_COMM_WORLD, 0, -rank, &reversed);
    tag++;
    CALL(MPI_Irecv, in, sizeof in, MPI_CHAR, size - 1 - partner, tag, reversed, &request[0]);
    CALL(MPI_Isend, out, mine(70), MPI_CHAR, size - 1 - partner, tag, reversed, &request[1]);
    CALL(MPI_Waitall, 2, request, MPI_STATUSES_IGNORE);
    both(70);

    CALL(MPI_Comm_split, MPI_COMM_WORLD, rank % 2, rank, &half);
    CALL(MPI_Comm_rank, half, &number);
    CALL(MPI_Intercomm_create, half, 0, MPI_COMM_WORLD, 1 - rank % 2, 77, &bridge);
    tag++;
    CALL(MPI_Sendrecv, out, mine(80), MPI_CHAR, number, tag, in, sizeof in, MPI_CHAR, number, tag,
         bridge, MPI_STATUS_IGNORE);
    both(80);
    CALL(MPI_Allreduce, &rank, &number, 1, MPI_INT, MPI_SUM, half);
    CALL(MPI_Barrier, reversed);
    CALL(MPI_Comm_set_name, half, "half of the world");
    CALL(MPI_Bcast, &number, 1, MPI_INT, 0, half);
    CALL(MPI_Comm_free, &bridge);
    CALL(MPI_Comm_free, &half);
    CALL(MPI_Comm_free, &reversed);

    tag++;
    CALL(MPI_Sendrecv, out, 3, MPI_CHAR, 0, tag, in, 3, MPI_CHAR, 0, tag, MPI_COMM_SELF,
         MPI_STATUS_IGNORE);
    message("sent", rank, tag, 3);
    message("received", rank, tag, 3);
}

static void collectives(void)
{
    MPI_Request request;
    int sum;

    for (int i = 0; i < 5; i++)
        CALL(MPI_Bcast, out, 1000, MPI_CHAR, 1, MPI_COMM_WORLD);
    CALL(MPI_Reduce, &rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    CALL(MPI_Iallreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Ibarrier, MPI_COMM_WORLD, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Alltoall, out, 8, MPI_CHAR, in, 8, MPI_CHAR, MPI_COMM_WORLD);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
}

static void write_book(void)
{
    char name[40];
    snprintf(name, sizeof name, "expect.%d", rank);
    FILE *file = fopen(name, "w");
    for (int i = 0; i < entries; i++)
        fprintf(file, "%s %d\n", book[i].text, book[i].number);
    fclose(file);
}

int main(int argc, char **argv)
{
    CALL(MPI_Init, &argc, &argv);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    partner = rank ^ 1;
    blocking();
    nonblocking();
    persistent();
    matched();
    cancelled();
    communicators();
    collectives();
    called("MPI_Finalize");
    write_book();
    return MPI_Finalize();
}
