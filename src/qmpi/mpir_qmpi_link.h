/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_LINK_H_INCLUDED
#define MPIR_QMPI_LINK_H_INCLUDED

/* What a call carries from link to link, for parts of the library that do not see mpiimpl.h too. */

#include <stdint.h>

typedef void (MPIR_QMPI_Any_function) (void);

/* One place in the chain: a function of an instance, or the library's own (tool id 0). */
typedef struct MPIR_QMPI_Link {
    MPIR_QMPI_Any_function *fn;
    int tool_id;
} MPIR_QMPI_Link;

/* MPI_Context points to one of these on the stack of the entry. */
struct MPIR_QMPI_Context {
    const void *call_site;      /* where the application's call returns to */
    /* two halves of a word, written by one instruction where both are constants */
    uint16_t function;          /* enum MPI_Functions_enum */
    uint16_t attr_type;         /* MPIR_Attr_type of a Fortran attribute call, else MPIR_ATTR_PTR */
};

#endif /* MPIR_QMPI_LINK_H_INCLUDED */
