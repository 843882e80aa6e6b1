/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_CALL_H_INCLUDED
#define MPIR_QMPI_CALL_H_INCLUDED

/* For every part of the library, those that do not see mpiimpl.h among them. */

#include "mpir_ext.h"

/* The library without tools, for calls that the library makes itself. */
#if MPIR_EXT_QMPI
#define MPIR_QMPI_DIRECT(name_) Q ## name_
#else
#define MPIR_QMPI_DIRECT(name_) P ## name_
#endif

#if MPIR_EXT_QMPI
/* The library of another language's interface. Between the application's call and the entry of the
 * C function lies a function of that library, which is not the call site that a tool asks for. */
typedef struct MPIR_QMPI_Binding {
    struct MPIR_QMPI_Binding *next;
    int (*contains) (const void *address);      /* whether the instruction is one of the library's */
} MPIR_QMPI_Binding;

#ifdef __cplusplus
extern "C" {
#endif
/* Called when the library is loaded and before it goes; libmpi keeps the address in between. */
void MPII_QMPI_add_binding(MPIR_QMPI_Binding * binding) MPICH_API_PUBLIC;
void MPII_QMPI_remove_binding(MPIR_QMPI_Binding * binding) MPICH_API_PUBLIC;
#ifdef __cplusplus
}
#endif
#endif /* MPIR_EXT_QMPI */

#endif /* MPIR_QMPI_CALL_H_INCLUDED */
