/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Writes a dataset with parallel HDF5, every process its rows, and reads it again. Prints how many
 * bytes of data all processes wrote: "data BYTES". */

#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 200, COLUMNS = 300 };

static void need(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "hdf5: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t file = H5Fcreate(argc > 1 ? argv[1] : "hdf5.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    need(file >= 0, "cannot create the file");

    hsize_t whole[2] = { (hsize_t) size * ROWS, COLUMNS }, mine[2] = { ROWS, COLUMNS };
    hsize_t begin[2] = { (hsize_t) rank * ROWS, 0 };
    hid_t space = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, mine, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, mine, NULL);
    hid_t data = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    int *values = malloc(sizeof(int) * ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = rank * ROWS * COLUMNS + i;
    need(H5Dwrite(data, H5T_NATIVE_INT, memory, space, transfer, values) >= 0, "cannot write");
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = -1;
    need(H5Dread(data, H5T_NATIVE_INT, memory, space, transfer, values) >= 0, "cannot read");
    for (int i = 0; i < ROWS * COLUMNS; i++)
        need(values[i] == rank * ROWS * COLUMNS + i, "read something else than written");

    free(values);
    H5Dclose(data);
    H5Sclose(space);
    H5Sclose(memory);
    H5Pclose(transfer);
    H5Pclose(access);
    H5Fclose(file);
    if (rank == 0)
        printf("data %zu\n", sizeof(int) * ROWS * COLUMNS * (size_t) size);
    MPI_Finalize();
    return 0;
}
