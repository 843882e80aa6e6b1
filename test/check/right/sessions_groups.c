/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Only the creation of an intercommunicator of two groups orders the accesses. ranks: 3 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group all, own, other;
    MPI_Comm comm, both;
    MPI_Win window;
    int rank, *memory, first = 0;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    MPI_Group_incl(all, 1, &first, rank == 0 ? &own : &other);
    MPI_Group_excl(all, 1, &first, rank == 0 ? &other : &own);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Intercomm_create_from_groups(own, 0, other, 0, "both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&both);
    MPI_Comm_free(&comm);
    MPI_Group_free(&own);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
