/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Processes with sessions only: other types than were sent, and another collective operation. ranks: 3 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, values[4] = { 0 };
    float others[4];

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "types", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 2)
        MPI_Send(values, 4, MPI_INT, 1, 0, comm);
    else if (rank == 1)
        MPI_Recv(others, 4, MPI_FLOAT, 2, 0, comm, MPI_STATUS_IGNORE);   /* expect: type mismatch */
    if (rank == 0)
        MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INT, MPI_SUM, comm);   /* either: type mismatch */
    else
        MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_FLOAT, MPI_SUM, comm);      /* either: type mismatch */
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
