/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* All members of a communicator get the same context id, which no other of their communicators has;
 * wrong queries are refused and change nothing. */

#include "qmpi_test.h"

enum { MAX = 8 };

static long long ids[MAX];
static int num_ids = 0;

static void refuse(MPI_Comm comm, int error_class)
{
    long long id = -7;

    QT_CLASS(MPIX_Get_context_id(comm, &id), error_class);
    QT_CHECK(id == -7, "a refused call changed its result");
}

/* all: has the members of both groups */
static void check(MPI_Comm comm, MPI_Comm all, const char *what)
{
    long long id = -1, lowest, highest;

    QT_SUCCESS(MPIX_Get_context_id(comm, &id));
    MPI_Allreduce(&id, &lowest, 1, MPI_LONG_LONG, MPI_MIN, all);
    MPI_Allreduce(&id, &highest, 1, MPI_LONG_LONG, MPI_MAX, all);
    QT_CHECK(lowest == highest, "%s: from %lld to %lld", what, lowest, highest);
    for (int i = 0; i < num_ids; i++)
        QT_CHECK(ids[i] != id, "%s has the id of another communicator", what);
    ids[num_ids++] = id;
}

int main(int argc, char **argv)
{
    int rank, total = 0;
    MPI_Comm copy, late, half, inter;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_idup(MPI_COMM_WORLD, &late, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
    check(MPI_COMM_WORLD, MPI_COMM_WORLD, "MPI_COMM_WORLD");
    check(MPI_COMM_SELF, MPI_COMM_SELF, "MPI_COMM_SELF");
    check(copy, MPI_COMM_WORLD, "the copy");
    check(late, MPI_COMM_WORLD, "the copy by MPI_Comm_idup");
    check(half, half, "the half");
    check(inter, MPI_COMM_WORLD, "the intercommunicator");
    refuse(MPI_COMM_NULL, MPI_ERR_COMM);
    QT_CLASS(MPIX_Get_context_id(copy, NULL), MPI_ERR_ARG);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_free(&late);
    MPI_Comm_free(&copy);
    MPI_Reduce(&qt_errs, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank != 0)
        return 0;
    qt_errs = total;
    return qt_end();
}
