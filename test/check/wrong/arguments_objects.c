/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Datatypes, groups, topologies, attributes, info objects and error handlers made with arguments that
 * MPI forbids. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int lengths[2] = {1, -1}, offsets[2] = {0, 1}, twice[2] = {0, 0}, dims[2] = {2, 2}, periods[2] = {0}, value;
    int ends[3] = {1, 2, 3}, edges[3] = {1, 0, 0}, falling[2] = {1, 0}, far[2] = {1, 2}, beyond[1] = {2}, rank;
    int outside[1][3] = {{0, 2, 1}}, still[1][3] = {{0, 1, 0}}, again[2][3] = {{0, 1, 1}, {1, 0, -1}};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL}, predefined = MPI_INT;
    MPI_Op sum = MPI_SUM;
    int sizes[1] = {4}, parts[1] = {3}, starts[1] = {2}, below, above;
    MPI_Datatype type;
    MPI_Group group, other;
    MPI_Comm comm, grid;
    MPI_Info none = MPI_INFO_NULL;
    MPI_Errhandler nothing = MPI_ERRHANDLER_NULL;
    void *attribute;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    dims[1] = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    dims[1] = 2;

    MPI_Type_contiguous(-1, MPI_INT, &type);                                        /* expect: invalid argument */
    MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type);                               /* expect: invalid argument */
    MPI_Type_vector(2, -1, 4, MPI_INT, &type);                                      /* expect: invalid argument */
    MPI_Type_indexed(2, lengths, offsets, MPI_INT, &type);                          /* expect: invalid argument */
    lengths[1] = 1;
    MPI_Type_create_struct(2, lengths, places, types, &type);                       /* expect: invalid argument */
    lengths[1] = -1;
    MPI_Type_create_subarray(1, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type); /* expect: invalid argument */
    MPI_Type_free(&type);       /* the library has made it */
    MPI_Type_create_subarray(1, sizes, sizes, periods, 3, MPI_INT, &type);          /* expect: invalid argument */
    type = MPI_DATATYPE_NULL;
    MPI_Type_commit(&type);                                                         /* expect: invalid argument */
    MPI_Type_free(&type);                                                           /* expect: invalid argument */
    MPI_Type_free(&predefined);                                                     /* expect: invalid argument */
    MPI_Op_free(&sum);                                                              /* expect: invalid argument */
    MPI_Group_incl(group, 2, twice, &other);                                        /* expect: invalid argument */
    MPI_Group_free(&other);
    MPI_Group_incl(group, 2, lengths, &other);                                      /* expect: invalid argument */
    MPI_Group_range_incl(group, 1, outside, &other);                                /* expect: invalid argument */
    MPI_Group_range_excl(group, 1, still, &other);                                  /* expect: invalid argument */
    MPI_Group_range_excl(group, 2, again, &other);                                  /* expect: invalid argument */
    MPI_Group_translate_ranks(group, 1, beyond, group, &value);                     /* expect: invalid argument */
    MPI_Group_size(MPI_GROUP_NULL, &value);                                         /* expect: invalid argument */
    MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm);                                   /* expect: invalid argument */
    MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &comm);             /* expect: invalid argument */
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);                    /* expect: invalid argument */
    MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &comm);                   /* expect: invalid argument */
    MPI_Graph_create(MPI_COMM_WORLD, 3, ends, edges, 0, &comm);                     /* expect: invalid argument */
    MPI_Graph_create(MPI_COMM_WORLD, 2, falling, edges, 0, &comm);                  /* expect: invalid argument */
    comm = MPI_COMM_NULL;
    MPI_Graph_create(MPI_COMM_WORLD, 2, ends, far, 0, &comm);                       /* expect: invalid argument */
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);   /* the same */
    MPI_Cart_rank(grid, dims, &rank);                                               /* expect: invalid argument */
    MPI_Cart_shift(grid, 2, 1, &below, &above);                                     /* expect: invalid argument */
    MPI_Cart_coords(grid, 7, 2, dims);                                              /* expect: invalid argument */
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &attribute, &value);      /* expect: invalid argument */
    MPI_Info_set(none, "key", "value");                                             /* expect: invalid argument */
    MPI_Info_free(&none);                                                           /* expect: invalid argument */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, nothing);                               /* expect: invalid argument */
    MPI_Alloc_mem(-1, MPI_INFO_NULL, &attribute);                                   /* expect: invalid argument */

    MPI_Comm_free(&grid);
    MPI_Group_free(&group);
    MPI_Finalize();
    return 0;
}
