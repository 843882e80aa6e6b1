/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpi_fortimpl.h"

/* A part of libmpifort. */

/* Makes the addresses of MPI_BOTTOM and its like known to C. Functions of mpif.h have no test for
 * that once their gates are open, which can be before the first of them is called. */
__attribute__((constructor))
void MPIR_QMPI_fortran_init(void)
{
    if (MPIR_F_NeedInit) {
        mpirinitf_();
        MPIR_F_NeedInit = 0;
    }
}
