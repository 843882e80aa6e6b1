/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

#ifdef ENABLE_QMPI

#include "mpii_qmpi_words.h"

int MPIR_QMPI_pcontrol(const void *call_site, int level, va_list varargs)
{
    struct MPIR_QMPI_Context context = { call_site, MPI_PCONTROL_T };
    int mpi_errno = MPI_SUCCESS;
    const MPIR_QMPI_Link *link;
    MPII_QMPI_Words words;
    int num_links;

    MPII_QMPI_read_words(&words, varargs);
    link = MPIR_QMPI_pcontrol_links(&num_links);
    for (int i = 0; i < num_links; i++, link++) {
        MPI_Pcontrol_t *fn = (MPI_Pcontrol_t *) link->fn;
        int err = fn(&context, link->tool_id, level, MPII_QMPI_PASS_WORDS(words));
        /* every instance is called, the first error is reported */
        if (mpi_errno == MPI_SUCCESS)
            mpi_errno = err;
    }
    return mpi_errno;
}

#endif /* ENABLE_QMPI */
