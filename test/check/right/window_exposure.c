/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Ranks 1 and 2 write the same memory of rank 0 in different exposures, and add to it or use other
 * memory in the same one. ranks: 3 */
#include <mpi.h>

static int rank;
static MPI_Win window;
static MPI_Group world;

/* Rank 0 exposes its memory to some of the others, of which each makes the access. */
static void epoch(int number, const int *ranks, void (*access) (void))
{
    MPI_Group group;
    int zero = 0, is_origin = 0;

    for (int i = 0; i < number; i++)
        is_origin = is_origin || ranks[i] == rank;
    if (rank == 0) {
        MPI_Group_incl(world, number, ranks, &group);
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
        MPI_Group_free(&group);
    } else if (is_origin) {
        MPI_Group_incl(world, 1, &zero, &group);
        MPI_Win_start(group, 0, window);
        access();
        MPI_Win_complete(window);
        MPI_Group_free(&group);
    }
}

static void put(void)
{
    MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
}

static void put_apart(void)
{
    MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
}

static void add(void)
{
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
}

int main(int argc, char **argv)
{
    const int first = 1, second = 2, both[] = {2, 1};
    int *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    epoch(1, &first, put);
    epoch(2, both, put_apart);
    epoch(1, &second, put);
    epoch(1, &second, put);
    epoch(2, both, add);
    epoch(1, &first, put);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
