/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A published name orders the accesses to a window. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, has_name = 1, *memory;
    char port[MPI_MAX_PORT_NAME];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        for (int i = 0; i < 200 && MPI_Lookup_name("done", MPI_INFO_NULL, port) != MPI_SUCCESS; i++)
            has_name = i < 199;     /* mpiexec may have no names */
    if (rank < 2) {
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
    }
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        if (MPI_Publish_name("done", MPI_INFO_NULL, port) == MPI_SUCCESS) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Unpublish_name("done", MPI_INFO_NULL, port);
        } else
            MPI_Barrier(MPI_COMM_WORLD);
        MPI_Close_port(port);
    } else
        MPI_Barrier(MPI_COMM_WORLD);
    (void) has_name;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
