/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Distributed arrays: MPI ignores the argument of a dimension that is not distributed. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, sizes[2] = {8, 8}, processes[2] = {2, 1}, arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 0};
    int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    MPI_Count large_sizes[2] = {8, 8};
    MPI_Datatype type;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_free(&type);
    arguments[1] = -7;
    distributions[0] = MPI_DISTRIBUTE_CYCLIC;
    MPI_Type_create_darray_c(2, rank, 2, large_sizes, distributions, arguments, processes, MPI_ORDER_FORTRAN, MPI_INT, &type);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
