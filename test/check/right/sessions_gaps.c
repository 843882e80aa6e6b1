/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Processes with sessions only receive two messages at the same time into the gaps of each other. ranks: 2 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Datatype every_second;
    MPI_Request requests[4];
    int rank, in[8], out[8] = { 0 };

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "gaps", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(in + i, 1, every_second, 1 - rank, i, comm, &requests[i]);
        MPI_Isend(out + i, 1, every_second, 1 - rank, i, comm, &requests[2 + i]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&every_second);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
