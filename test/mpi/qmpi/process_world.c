/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Each process has one name, its world and its rank there, whatever group has it and in which
 * process; wrong queries are refused and change nothing. */

#include "qmpi_test.h"

static const char untouched[] = "untouched";

static void refuse(MPI_Group group, int rank, int error_class)
{
    const char *world = untouched;
    int world_rank = -7;

    QT_CLASS(MPIX_Get_process_world(group, rank, &world, &world_rank), error_class);
    QT_CHECK(world == untouched && world_rank == -7, "a refused call changed its results");
}

int main(int argc, char **argv)
{
    const char *world = untouched, *other = untouched;
    char first[256] = "";
    int rank, size, world_rank, total = 0;
    MPI_Group all, reversed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]) {{size - 1, 0, -1}}, &reversed);
    QT_SUCCESS(MPIX_Get_process_world(all, 0, &world, &world_rank));
    QT_CHECK(*world && world != untouched, "the world has no name");
    snprintf(first, sizeof(first), "%s", world);
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, MPI_COMM_WORLD);
    QT_CHECK(strcmp(world, first) == 0, "rank 0 calls world '%s' '%s'", world, first);
    for (int i = 0; i < size; i++) {
        QT_SUCCESS(MPIX_Get_process_world(all, i, &other, &world_rank));
        QT_CHECK(other == world && world_rank == i, "rank %d is %d of %s", i, world_rank, other);
        QT_SUCCESS(MPIX_Get_process_world(reversed, i, &other, &world_rank));
        QT_CHECK(other == world && world_rank == size - 1 - i, "%d is %d", i, world_rank);
    }
    refuse(all, size, MPI_ERR_RANK);
    refuse(all, -1, MPI_ERR_RANK);
    refuse(MPI_GROUP_EMPTY, 0, MPI_ERR_RANK);
    refuse(MPI_GROUP_NULL, 0, MPI_ERR_GROUP);
    QT_CLASS(MPIX_Get_process_world(all, 0, NULL, &world_rank), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_process_world(all, 0, &world, NULL), MPI_ERR_ARG);
    MPI_Group_free(&reversed);
    MPI_Group_free(&all);
    MPI_Reduce(&qt_errs, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank != 0)
        return 0;
    qt_errs = total;
    return qt_end();
}
