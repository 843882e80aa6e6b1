/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A reduction with MPI_DATATYPE_NULL returns an error, whatever its operation. */

#include "mpi.h"
#include <stdio.h>
#include "mpitest.h"

static int errs;

static void expect_type(const char *name, int code)
{
    int error_class;

    MPI_Error_class(code, &error_class);
    if (error_class != MPI_ERR_TYPE) {
        fprintf(stderr, "%s: error class %d (expected %d)\n", name, error_class, MPI_ERR_TYPE);
        errs++;
    }
}

int main(int argc, char *argv[])
{
    const MPI_Datatype type = MPI_DATATYPE_NULL;
    const int counts[] = { 1 };
    int in = 0, out = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_SELF;

    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    expect_type("MPI_Reduce", MPI_Reduce(&in, &out, 1, type, MPI_SUM, 0, comm));
    expect_type("MPI_Allreduce", MPI_Allreduce(&in, &out, 1, type, MPI_SUM, comm));
    expect_type("MPI_Iscan", MPI_Iscan(&in, &out, 1, type, MPI_SUM, comm, &request));
    expect_type("MPI_Reduce_scatter", MPI_Reduce_scatter(&in, &out, counts, type, MPI_SUM, comm));
    expect_type("MPI_Reduce_local", MPI_Reduce_local(&in, &out, 1, type, MPI_SUM));
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
