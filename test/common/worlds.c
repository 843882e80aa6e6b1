/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Communicates and prints "rank R right" if all data is right. The argument chooses the program:
 *
 *     world       BARRIERS barriers, a broadcast, a reduction, and messages around a ring
 *     paused      the same; ranks below the second argument end with MPI_Pcontrol(0)
 *     exhausted   the same after making communicators until the library has no more
 *     session     the same on the communicator of a session, without MPI_Init
 *     late        rank 0 calls MPI_Finalize in a handler of exit() that is older than the tools
 *     crossed     rank 1 calls MPI_Init when it knows by a session that rank 0 has done so
 *     spawn       the same in two spawned processes and their parents */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARRIERS = 7, MESSAGES = 5, NUMBERS = 25 };

static int is_right = 1;

static void work(MPI_Comm comm)
{
    int rank, size, root_data[NUMBERS], sum = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    /* First, so that traffic of a tool on this communicator would be matched. */
    for (int i = 0; i < NUMBERS; i++)
        root_data[i] = rank == 0 ? 100 + i : -1;
    MPI_Bcast(root_data, NUMBERS, MPI_INT, 0, comm);
    for (int i = 0; i < NUMBERS; i++)
        is_right &= root_data[i] == 100 + i;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    is_right &= sum == size * (size - 1) / 2;
    for (int i = 0; i < MESSAGES; i++) {
        int out[NUMBERS], in[NUMBERS];
        for (int k = 0; k < NUMBERS; k++)
            out[k] = 1000 * rank + k;
        MPI_Sendrecv(out, NUMBERS, MPI_INT, (rank + 1) % size, i, in, NUMBERS, MPI_INT,
                     (rank + size - 1) % size, i, comm, MPI_STATUS_IGNORE);
        for (int k = 0; k < NUMBERS; k++)
            is_right &= in[k] == 1000 * ((rank + size - 1) % size) + k;
    }
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(comm);
}

static MPI_Session session;
static MPI_Comm session_comm;

static void begin_session(void)
{
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "worlds", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_comm);
    MPI_Group_free(&group);
}

static void end_session(void)
{
    MPI_Comm_free(&session_comm);
    MPI_Session_finalize(&session);
}

/* Rank 1 waits for the others. Not by an operation that the tests count. */
static void meet(void)
{
    int value = 0, highest;
    MPI_Reduce(&value, &highest, 1, MPI_INT, MPI_MAX, 1, session_comm);
}

static void cross(int rank)
{
    begin_session();
    if (rank != 0)
        meet();
    MPI_Init(NULL, NULL);
    if (rank == 0)
        meet();
    work(MPI_COMM_WORLD);
    MPI_Finalize();
    end_session();
}

static void finalize(void)
{
    MPI_Finalize();
}

static void use_all_communicators(void)
{
    MPI_Comm comm;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void spawn(char *program)
{
    char *arguments[] = { "spawn", NULL };
    MPI_Comm other;
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL)
        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    work(MPI_COMM_WORLD);
    MPI_Comm_disconnect(&other);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "world";
    const char *own = getenv("PMI_RANK");
    int rank = own ? atoi(own) : 0;

    if (strcmp(what, "session") == 0) {
        begin_session();
        work(session_comm);
        end_session();
        printf("session %s\n", is_right ? "right" : "WRONG");
        return 0;
    }
    if (strcmp(what, "crossed") == 0) {
        cross(rank);
        printf("rank %d %s\n", rank, is_right ? "right" : "WRONG");
        return 0;
    }
    if (strcmp(what, "late") == 0 && rank == 0)
        atexit(finalize);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "spawn") == 0)
        spawn(argv[0]);
    else
        work(MPI_COMM_WORLD);
    if (strcmp(what, "exhausted") == 0)
        use_all_communicators();
    if (strcmp(what, "paused") == 0 && rank < atoi(argv[2]))
        MPI_Pcontrol(0);
    printf("rank %d %s\n", rank, is_right ? "right" : "WRONG");
    fflush(stdout);
    if (strcmp(what, "late") != 0 || rank != 0)
        MPI_Finalize();
    return 0;
}
