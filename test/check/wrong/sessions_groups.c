/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two groups that join: one gives another string tag. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group all, own, other;
    MPI_Comm comm, both;
    int rank, first = 0;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);    /* MPICH needs it */
    MPI_Comm_rank(comm, &rank);
    MPI_Group_incl(all, 1, &first, rank == 0 ? &own : &other);
    MPI_Group_excl(all, 1, &first, rank == 0 ? &other : &own);
    MPI_Intercomm_create_from_groups(own, 0, other, 0, rank == 0 ? "one" : "other", MPI_INFO_NULL, MPI_ERRORS_RETURN, &both);   /* expect: deadlock */
    MPI_Comm_free(&both);
    MPI_Comm_free(&comm);
    MPI_Group_free(&own);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
