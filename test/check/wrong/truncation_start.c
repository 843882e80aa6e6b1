/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A persistent message is longer than the buffer; the library ends the job in the receiver, which has the
 * analyser. ranks: 2 */
#include <mpi.h>

int main(void)
{
    int rank, values[2] = {0};
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Request request;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        MPI_Irecv(values, 1, MPI_INT, 1, 0, comm, &request); /* expect: truncation */
        MPI_Barrier(comm);
    } else {
        MPI_Send_init(values, 2, MPI_INT, 0, 0, comm, &request);
        MPI_Barrier(comm);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Request_free(&request);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
