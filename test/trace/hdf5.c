/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* All ranks write their part of one data set with parallel HDF5, and read that of the next rank. */

#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>

enum { LENGTH = 1000 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, sum = 0;
    static double data[LENGTH];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file = H5Fcreate("trace_hdf5.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hsize_t all = (hsize_t) (LENGTH * size), part = LENGTH, start = (hsize_t) (LENGTH * rank);
    hid_t space = H5Screate_simple(1, &all, NULL), memory = H5Screate_simple(1, &part, NULL);
    hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);

    for (int i = 0; i < LENGTH; i++)
        data[i] = rank;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &part, NULL);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, data);
    MPI_Barrier(MPI_COMM_WORLD);
    start = (hsize_t) (LENGTH * ((rank + 1) % size));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &part, NULL);
    H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, transfer, data);
    for (int i = 0; i < LENGTH; i++)
        wrong += data[i] != (rank + 1) % size;

    H5Dclose(set);
    H5Sclose(space);
    H5Sclose(memory);
    H5Pclose(transfer);
    H5Fclose(file);
    H5Pclose(access);
    MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", sum);
    MPI_Finalize();
    return sum != 0;
}
