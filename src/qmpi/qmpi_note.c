/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

#ifdef ENABLE_QMPI

/* A gate opens when the chain is built and no instance intercepts the function. */
int MPII_QMPI_note_call_site(int function, const void *site)
{
    if (!MPIR_QMPI_gate_is_closed(function))
        return 0;
    MPIR_QMPI_note.site = site;
    MPIR_QMPI_note.function = function;
    return 1;
}

#endif /* ENABLE_QMPI */
