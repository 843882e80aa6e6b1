/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Distributed arrays with arguments of distributed dimensions that MPI forbids. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, sizes[2] = {8, 8}, processes[2] = {2, 1}, arguments[2] = {0, MPI_DISTRIBUTE_DFLT_DARG};
    int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    MPI_Datatype type;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT, &type);    /* expect: invalid argument */
    distributions[0] = MPI_DISTRIBUTE_CYCLIC;
    MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT, &type);    /* expect: invalid argument */
    MPI_Finalize();
    return 0;
}
