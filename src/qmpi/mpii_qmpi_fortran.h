/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_FORTRAN_H_INCLUDED
#define MPII_QMPI_FORTRAN_H_INCLUDED

/* Included by what the library of the Fortran interfaces consists of. */

#include "mpir_qmpi_call.h"

#if MPIR_EXT_QMPI && defined(__GNUC__)
/* Takes fortran_call_site.c into a program that is linked with the library's archive. */
extern const MPIR_QMPI_Binding *const MPIR_QMPI_fortran_binding;
static const MPIR_QMPI_Binding *const *const MPIR_QMPI_linked_binding __attribute__((used)) =
    &MPIR_QMPI_fortran_binding;
#endif

#endif /* MPII_QMPI_FORTRAN_H_INCLUDED */
