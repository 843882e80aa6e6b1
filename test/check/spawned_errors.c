/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two processes spawn two others, which run the same program; all of them make the error that the first
 * argument names. The second one is the program to spawn, if it is not this one. The mark of a line with an
 * error is "MODE: KIND". */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm others; /* between parents and children */
static int is_child, rank;
static int four[4];
static double one;

static int is(const char *what, const char *mode)
{
    return strcmp(what, mode) == 0;
}

static void spawn(char **argv, MPI_Comm comm, int number)
{
    MPI_Comm_spawn(argv[1] && argv[2] ? argv[2] : argv[0], argv + 1, number, MPI_INFO_NULL, 0, comm,
                   &others, MPI_ERRCODES_IGNORE);
}

static void send_to_child(int count)
{
    if (is_child)
        MPI_Recv(four, 2, MPI_INT, rank, 0, others, MPI_STATUS_IGNORE); /* truncation: truncation */
    else
        MPI_Send(four, count, MPI_INT, rank, 0, others);
}

static void truncation(void)
{
    send_to_child(3);
}

static void type_mismatch(void)
{
    int number;
    MPI_Comm_remote_size(others, &number);
    if (rank >= number)
        return;
    if (is_child)
        MPI_Send(four, 2, MPI_INT, rank, 0, others);
    else
        MPI_Recv(&one, 1, MPI_DOUBLE, rank, 0, others, MPI_STATUS_IGNORE); /* type: type mismatch */
}

static void collective_mismatch(void)
{
    if (is_child)
        MPI_Barrier(others); /* collective: deadlock */
    else
        MPI_Allreduce(four, four + 1, 1, MPI_INT, MPI_SUM, others); /* collective: deadlock */
}

/* Each waits for the other. */
static void deadlock(void)
{
    MPI_Recv(four, 1, MPI_INT, rank, 0, others, MPI_STATUS_IGNORE); /* deadlock: deadlock */
}

/* Each sends first. */
static void exchange(void)
{
    MPI_Send(four, 1, MPI_INT, rank, 0, others); /* exchange: possible deadlock */
    MPI_Recv(four, 1, MPI_INT, rank, 0, others, MPI_STATUS_IGNORE);
}

static void unreceived(void)
{
    if (is_child)
        MPI_Send(four, 1, MPI_INT, rank, 7, others); /* unreceived: message not received, possible deadlock */
    MPI_Barrier(others);
}

static void leak(void)
{
    MPI_Comm copy;
    if (is_child)
        MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* leak: leak */
}

/* Of all four, parents first. */
static MPI_Comm merged(void)
{
    MPI_Comm all;
    MPI_Intercomm_merge(others, is_child, &all);
    return all;
}

static void merged_type(void)
{
    MPI_Comm all = merged();
    if (is_child && rank == 1)
        MPI_Send(four, 1, MPI_INT, 0, 0, all);
    else if (!is_child && rank == 0)
        MPI_Recv(&one, 1, MPI_FLOAT, 3, 0, all, MPI_STATUS_IGNORE); /* merged: type mismatch */
    MPI_Comm_free(&all);
}

/* Rank 0 takes the messages of a parent and a child in any order. */
static void race(void)
{
    MPI_Comm all = merged();
    if (is_child == (rank == 0)) /* ranks 1 and 2 of all */
        MPI_Send(four, 1, MPI_INT, 0, 0, all);
    for (int i = 0; i < 2 && !is_child && rank == 0; i++)
        MPI_Recv(four, 1, MPI_INT, MPI_ANY_SOURCE, 0, all, MPI_STATUS_IGNORE); /* race: message race */
    MPI_Comm_free(&all);
}

/* A parent and a child write the same memory of rank 0. */
static void conflict(void)
{
    MPI_Comm all = merged();
    MPI_Win window;
    MPI_Win_create(four, sizeof four, sizeof(int), MPI_INFO_NULL, all, &window);
    MPI_Win_fence(0, window);
    if (is_child == (rank == 0))
        MPI_Put(&is_child, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* conflict: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&all);
}

/* In one window, whose memory two processes write. What orders them is in the mode: nothing, that
 * the second one is connected with the first, or that it is. */
static void ordered(int is_connected)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm link = MPI_COMM_NULL;
    MPI_Win window;
    MPI_Win_create(four, sizeof four, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, sizeof port, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else
        MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && is_connected)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &link);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* unordered: access conflict */
    MPI_Win_unlock(0, window);
    if (rank == 0 && is_connected)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &link);
    if (link != MPI_COMM_NULL)
        MPI_Comm_disconnect(&link);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Win_free(&window);
}

/* Without an error. */
static void right(void)
{
    MPI_Comm all = merged(), copy;
    int sum = 0, number = 1, value = 0;
    MPI_Status status;
    send_to_child(2);
    MPI_Sendrecv(four, 1, MPI_INT, rank, 1, four + 1, 1, MPI_INT, rank, 1, others, &status);
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, all);
    if (sum != 4)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(&value, 1, MPI_INT, is_child ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, others);
    MPI_Comm_dup(all, &copy);
    MPI_Comm_free(&all);
    if (is_child)
        MPI_Send(&value, 1, MPI_INT, 0, rank, copy);
    for (int i = 0; i < 2 && !is_child && rank == 0; i++)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, i, copy, &status);
    MPI_Comm_free(&copy);
}

/* A child spawns, too; the second argument ends this. */
static void again(char **argv)
{
    MPI_Comm parents = others;
    char *more[] = {argv[0], "type", NULL};
    type_mismatch();
    if (is_child && rank == 0) {
        spawn(more, MPI_COMM_SELF, 2);
        is_child = 0;
        type_mismatch();
        MPI_Comm_disconnect(&others);
    }
    others = parents;
}

/* The parents use sessions only. */
static void session(char **argv)
{
    char *more[] = {argv[0], "type", NULL};
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "parents", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    spawn(more, comm, 2);
    type_mismatch();
    MPI_Comm_disconnect(&others);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static const struct {
    const char *mode;
    void (*make)(void);
} errors[] = {
    {"type", type_mismatch}, {"truncation", truncation}, {"collective", collective_mismatch},
    {"deadlock", deadlock},  {"exchange", exchange},     {"unreceived", unreceived},
    {"leak", leak},          {"merged", merged_type},    {"race", race},
    {"conflict", conflict},  {"right", right},
};

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (is(mode, "session")) {
        session(argv);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&others);
    is_child = others != MPI_COMM_NULL;
    if (is(mode, "unordered") || is(mode, "ordered"))
        ordered(is(mode, "ordered"));
    else if (!is_child)
        spawn(argv, MPI_COMM_WORLD, 2);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (is(mode, errors[i].mode))
            errors[i].make();
    }
    if (is(mode, "again"))
        again(argv);
    else if (is(mode, "killed") && is_child) {
        sleep(1);
        _exit(3);
    }
    if (others != MPI_COMM_NULL)
        MPI_Comm_disconnect(&others);
    if (is(mode, "long") && is_child)
        sleep(12);
    MPI_Finalize();
    return 0;
}
