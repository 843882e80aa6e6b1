/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Objects that belong to a session, and others that may outlive it, in processes with sessions only. ranks: 2 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Datatype type;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "left", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);         /* expect: leak */
    MPI_Group_free(&group);
    MPI_Info_create(&info);                             /* expect: leak */
    MPI_Type_contiguous(2, MPI_INT, &type);             /* expect: leak */
    MPI_Session_finalize(&session);
    return 0;
}
