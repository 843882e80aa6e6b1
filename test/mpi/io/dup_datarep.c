/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The name of a data representation can be registered once. The error is one of MPI-IO, which is
 * returned by default. */

#include "mpi.h"
#include <stdio.h>
#include "mpitest.h"

static int extent(MPI_Datatype datatype, MPI_Aint * result, void *extra_state)
{
    MPI_Aint lb;
    return MPI_Type_get_extent(datatype, &lb, result);
}

int main(int argc, char *argv[])
{
    int i, errs = 0;
    const int expected[] = { MPI_SUCCESS, MPI_ERR_DUP_DATAREP };

    MTest_Init(&argc, &argv);
    for (i = 0; i < 2; i++) {
        int error_class, code = MPI_Register_datarep("dup_datarep", MPI_CONVERSION_FN_NULL,
                                                     MPI_CONVERSION_FN_NULL, extent, NULL);
        MPI_Error_class(code, &error_class);
        if (error_class != expected[i]) {
            fprintf(stderr, "call %d: error class %d (expected %d)\n", i, error_class, expected[i]);
            errs++;
        }
    }
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
