/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Objects freed in MPI_Finalize, by a callback of an attribute of MPI_COMM_SELF, are no leak. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

static MPI_Comm comm;
static MPI_Datatype type;

static int end(MPI_Comm self, int keyval, void *value, void *state)
{
    (void) self;
    (void) keyval;
    (void) value;
    (void) state;
    MPI_Type_free(&type);
    return MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int keyval;

    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_free_keyval(&keyval);
    MPI_Finalize();
    return 0;
}
