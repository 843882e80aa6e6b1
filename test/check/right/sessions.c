/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Sessions alone; handles that come again after they were freed. ranks: 2 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    for (int i = 0; i < 2; i++) {
        MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
        MPI_Info_free(&info);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "here", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
        MPI_Group_free(&group);
    }
    MPI_Session_finalize(&session);
    return 0;
}
