/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that differ and must be the same in all processes. ranks: 2 cases: 13 */
#include <mpi.h>
#include <stdlib.h>

static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void) in, (void) out, (void) n, (void) type;
}

int main(int argc, char **argv)
{
    int rank, value = 0, result, dims[2] = {2, 1}, ends[2] = {1, 2}, edges[2] = {1, 0}, *memory;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all, group;
    MPI_Op op;
    MPI_Win window;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int periods[2] = {0, rank}, other = 1 - rank, mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    switch (atoi(argv[1])) {
    case 1:
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made);                /* expect: collective mismatch */
        break;
    case 2:
        dims[1] -= rank;
        dims[0] -= rank;
        MPI_Cart_create(MPI_COMM_WORLD, 2 - rank, dims, periods, 0, &made);         /* expect: collective mismatch */
        break;
    case 3:
        MPI_Cart_create(MPI_COMM_WORLD, 1, dims, dims, rank, &made);                /* expect: collective mismatch */
        break;
    case 4:
        edges[0] -= rank;
        MPI_Graph_create(MPI_COMM_WORLD, 2, ends, edges, 0, &made);                 /* expect: collective mismatch */
        break;
    case 5:
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,    /* expect: collective mismatch */
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, rank, &made);
        break;
    case 6:
        MPI_Comm_split_type(MPI_COMM_WORLD, rank ? MPI_COMM_TYPE_SHARED : MPI_COMM_TYPE_HW_UNGUIDED,    /* expect: collective mismatch */
                            0, MPI_INFO_NULL, &made);
        break;
    case 7:
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_incl(all, rank + 1, (int[]){0, 1}, &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, &made);                              /* expect: collective mismatch */
        break;
    case 8:
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Comm_create(MPI_COMM_WORLD, rank ? MPI_GROUP_EMPTY : all, &made);       /* expect: collective mismatch */
        break;
    case 9:
        MPI_File_open(MPI_COMM_WORLD, "disagreement.dat",                           /* expect: collective mismatch */
                      rank ? mode : mode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
        break;
    case 10:
        MPI_Op_create(add, rank, &op);
        MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD);             /* expect: collective mismatch */
        break;
    case 11:
        MPI_Op_create(add, 1, &op);
        MPI_Allreduce(&value, &result, 1, MPI_INT, rank ? op : MPI_SUM, MPI_COMM_WORLD);    /* expect: collective mismatch */
        break;
    case 12:
        MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
        MPI_Win_fence(rank ? MPI_MODE_NOSUCCEED : 0, window);                       /* expect: collective mismatch */
        break;
    case 13:
        MPI_File_open(MPI_COMM_WORLD, "disagreement.dat", mode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
        MPI_File_set_size(file, 4 + rank);                                          /* expect: collective mismatch */
        break;
    }
    MPI_Abort(MPI_COMM_WORLD, 0);
}
