/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Programs that end, or are interrupted, in the manners that a report must survive. */

#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* Calls that the tests expect in the report. */
static void barriers(int number)
{
    for (int i = 0; i < number; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void sessions(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "ends", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    for (int i = 0; i < 4; i++)
        MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

/* On two communicators: 3 times 10 integers on all, 5 times 20 on halves. */
static void communicators(void)
{
    int data[20] = { 0 };
    MPI_Comm half, other;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    for (int i = 0; i < 3; i++)
        MPI_Bcast(data, 10, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        MPI_Bcast(data, 20, MPI_INT, 0, half);
    MPI_Comm_free(&half);
    /* The handle of the freed one may come again for this: it is another communicator. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    MPI_Comm_set_name(other, "reversed");
    MPI_Bcast(data, 1, MPI_INT, 0, other);
    MPI_Comm_free(&other);
}

/* Of 7 barriers 4 are between MPI_Pcontrol(1) and MPI_Pcontrol(0); 2 of these come after a reset. */
static void pcontrol(const char *also)
{
    MPI_Pcontrol(0);
    barriers(2);
    MPI_Pcontrol(1);
    barriers(2);
    if (strcmp(also, "reset") == 0)
        MPI_Pcontrol(2);
    barriers(2);
    MPI_Pcontrol(0);
    barriers(1);
}

static __attribute__((noinline)) void innermost(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile ("");
}

static __attribute__((noinline)) void left(void)
{
    innermost();
    innermost();
    __asm__ volatile ("");
}

static __attribute__((noinline)) void right(void)
{
    innermost();
    __asm__ volatile ("");
}

/* A reduction of the program's own calls MPI. */
static void sum(void *in, void *inout, int *count, MPI_Datatype * datatype)
{
    int size;
    MPI_Type_size(*datatype, &size);
    for (int i = 0; i < *count; i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static void nested(void)
{
    MPI_Op op;
    int in[2] = { 1, 2 }, out[2] = { 3, 4 };
    MPI_Op_create(sum, 1, &op);
    for (int i = 0; i < 10; i++)
        MPI_Reduce_local(in, out, 2, MPI_INT, op);
    MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *also = argc > 2 ? argv[2] : "";

    if (strcmp(what, "sessions") == 0) {
        sessions();
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "abort") == 0) {
        barriers(6);
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        sleep(60);
    } else if (strcmp(what, "return") == 0) {
        barriers(6);
        return 0;
    } else if (strcmp(what, "communicators") == 0)
        communicators();
    else if (strcmp(what, "pcontrol") == 0)
        pcontrol(also);
    else if (strcmp(what, "nested") == 0)
        nested();
    else if (strcmp(what, "path") == 0) {
        left();
        right();
    } else if (strcmp(what, "sleep") == 0)
        usleep(300000);
    else if (strcmp(what, "spawn") == 0) {
        MPI_Comm parent, children;
        MPI_Comm_get_parent(&parent);
        if (parent == MPI_COMM_NULL) {
            char *arguments[] = { "spawn", NULL };
            MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                           MPI_ERRCODES_IGNORE);
            MPI_Comm_disconnect(&children);
        } else
            MPI_Comm_disconnect(&parent);
    } else
        barriers(100);
    MPI_Finalize();
    return 0;
}
