/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Rank 0 exposes its memory to rank 1 alone, then to ranks 1 and 2, which write the same place.
 * ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, second[2] = {1, 2}, zero = 0;
    MPI_Win window;
    MPI_Group world, origins, only, target;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, second, &only);
    MPI_Group_incl(world, 2, second, &origins);
    MPI_Group_incl(world, 1, &zero, &target);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_post(only, 0, window);
        MPI_Win_wait(window);
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
    } else {
        if (rank == 1) {
            MPI_Win_start(target, 0, window);
            MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
            MPI_Win_complete(window);
        }
        MPI_Win_start(target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* expect: access conflict */
        MPI_Win_complete(window);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&only);
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
