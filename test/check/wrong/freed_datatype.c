/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A datatype is used after it was freed. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    int values[2] = {0};
    MPI_Datatype type, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    copy = type;
    MPI_Type_free(&type);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Sendrecv_replace(values, 1, copy, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: freed handle */
    MPI_Finalize();
    return 0;
}
