/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles that are not those of an object. The library may end the program. ranks: 1 cases: 6 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value;
    MPI_Comm comm = (MPI_Comm) 0x84000055;
    MPI_Group group = (MPI_Group) 0x88000077;
    MPI_Datatype type = (MPI_Datatype) 0x8c000099, made;
    MPI_Op op = (MPI_Op) 0x98000022;
    MPI_Win window = (MPI_Win) 0xa0000022;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    switch (atoi(argv[1])) {
    case 1:
        MPI_Barrier(comm);                                                          /* expect: invalid argument */
        break;
    case 2:
        MPI_Group_size(group, &value);                                              /* expect: invalid argument */
        break;
    case 3:
        MPI_Type_contiguous(2, type, &made);                                        /* expect: invalid argument */
        break;
    case 4:
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, op, MPI_COMM_SELF);         /* expect: invalid argument */
        break;
    case 5:
        MPI_Win_fence(0, window);                                                   /* expect: invalid argument */
        break;
    case 6:
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);                       /* expect: invalid argument */
        break;
    }
    _Exit(0);
}
