/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A persistent request is used after it was freed. ranks: 1 cases: 6 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value, flag;
    MPI_Request request, old;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    old = request;
    MPI_Request_free(&request);
    switch (atoi(argv[1])) {
        case 1:
            MPI_Request_free(&old); /* expect: freed handle */
            break;
        case 2:
            MPI_Start(&old);        /* expect: freed handle */
            break;
        case 3:
            MPI_Startall(1, &old);  /* expect: freed handle */
            break;
        case 4:
            MPI_Test(&old, &flag, MPI_STATUS_IGNORE);       /* expect: freed handle */
            break;
        case 5:
            MPI_Request_get_status(old, &flag, MPI_STATUS_IGNORE);  /* expect: freed handle */
            break;
        case 6:
            MPI_Cancel(&old);       /* expect: freed handle */
            break;
    }
    MPI_Finalize();
    return 0;
}
