/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Callbacks make and free a communicator of the process alone, which is no reason to compare no more. ranks: 2 */
#include <mpi.h>

static int copy(MPI_Comm comm, int key, void *made, void *in, void *out, int *flag)
{
    (void) comm, (void) key, (void) in;
    MPI_Comm_dup(MPI_COMM_SELF, made);
    *(void **) out = made;
    *flag = 1;
    return MPI_SUCCESS;
}

static int free_made(MPI_Comm comm, int key, void *value, void *made)
{
    (void) comm, (void) key;
    if (value == made)
        MPI_Comm_free(made);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, key, other = 0;
    float value;
    MPI_Comm made, first, second;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(copy, free_made, &key, &made);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, key, &other);
    MPI_Comm_dup(first, &second);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&key);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
