/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpi_fortimpl.h"

/* Part of libmpifort. */

#if MPIR_EXT_QMPI

unsigned char MPIR_QMPI_fortran_open[MPI_LAST_FUNC_T];

void MPIR_QMPI_fortran_note(int function, const void *site)
{
    if (MPIR_F_NeedInit) {
        mpirinitf_();
        MPIR_F_NeedInit = 0;
    }
    if (!MPII_QMPI_note_call_site(function, site))
        __atomic_store_n(&MPIR_QMPI_fortran_open[function], 1, __ATOMIC_RELAXED);
}

#endif /* MPIR_EXT_QMPI */
