/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_CALL_H_INCLUDED
#define MPIR_QMPI_CALL_H_INCLUDED

/* For every part of MPICH, including those that do not see mpiimpl.h. A library without QMPI is the
 * same, preprocessed, as without this file and its macros.
 *
 * MPIR_EXT_QMPI is 1 with QMPI. The makefile defines it; mpir_ext.h does for ROMIO, which has a
 * makefile of its own. */

/* DIRECT is a call that the library makes for itself: no tool sees it. PDIRECT is the same where it
 * calls PMPI_X without QMPI. An ENTRY begins a cache line: elsewhere a call may take a cycle more
 * than in a library without QMPI whose entry happens to begin one. It is never a part of its
 * caller, so that it has a call site. */
#if MPIR_EXT_QMPI
#define MPIR_QMPI_DIRECT(name_) Q ## name_
#define MPIR_QMPI_PDIRECT(name_) Q ## name_
#define MPIR_QMPI_ENTRY __attribute__((aligned(64), noinline))
#else
#define MPIR_QMPI_DIRECT(name_) name_
#define MPIR_QMPI_PDIRECT(name_) P ## name_
#define MPIR_QMPI_ENTRY
#endif

#if MPIR_EXT_QMPI
#include <stdint.h>     /* where the C library is glibc, defines __GLIBC__ */
#include "mpi_qmpi.h"   /* the headers of the MPI ABI do not include it */

/* initial-exec: access makes no call, which could allocate memory. glibc keeps static TLS for
 * libraries that dlopen loads; musl refuses to load those that need it. */
#ifdef __GLIBC__
#define MPIR_QMPI_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define MPIR_QMPI_TLS_MODEL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- call sites of other languages ---- */

/* Call site of this thread's next call through a closed gate. Only the gate of its own function
 * takes Fortran's note. */
typedef struct {
    const void *site;
    int function;               /* whose call site Fortran noted; -1 if there is no note */
} MPIR_QMPI_Note;

MPICH_API_PUBLIC extern __thread MPIR_QMPI_Note MPIR_QMPI_note MPIR_QMPI_TLS_MODEL;

/* The gates as the libraries of other languages see them. */
MPICH_API_PUBLIC extern unsigned char MPII_QMPI_gate[];

#ifdef __SANITIZE_THREAD__  /* it does not know the fence that follows where a gate is closed */
#define MPIR_QMPI_LOAD_GATE(gate_) __atomic_load_n(&(gate_), __ATOMIC_ACQUIRE)
#else   /* compilers do not fold an atomic load into the instruction that compares */
#define MPIR_QMPI_LOAD_GATE(gate_) (gate_)
#endif
#define MPIR_QMPI_GATE_IS_CLOSED(function_) \
    __builtin_expect(MPIR_QMPI_LOAD_GATE(MPII_QMPI_gate[function_]), 0)

/* Notes the call of the function that contains it. */
#define MPIR_QMPI_NOTE(function_) \
    do { \
        if (MPIR_QMPI_GATE_IS_CLOSED(function_)) { \
            MPIR_QMPI_note.site = __builtin_return_address(0); \
            MPIR_QMPI_note.function = function_; \
        } \
    } while (0)

/* Sets the function that finds the application's call site for a return address in a language
 * binding; NULL removes it. It returns its argument if there is nothing to find. */
typedef const void *(MPIR_QMPI_Call_site_resolver) (const void *site);
MPICH_API_PUBLIC void MPII_QMPI_set_call_site_resolver(MPIR_QMPI_Call_site_resolver * resolver);

#ifdef __cplusplus
/* Links the resolver into programs that use the archive of the C++ binding. */
extern const int MPIR_QMPI_cxx_resolver __attribute__((visibility("hidden")));
static const int *const MPIR_QMPI_linked_resolver __attribute__((used)) =
    &MPIR_QMPI_cxx_resolver;
}
#endif
#endif /* MPIR_EXT_QMPI */

/* Inside libmpi, and for the QMPI_ forms, MPII_Comm_set_attr etc. are the library's own. */
#if MPIR_EXT_QMPI && (defined(MPIIMPL_H_INCLUDED) || defined(MPIR_QMPI_BYPASS))
#include "mpir_qmpi_attr.h"
#endif

#ifdef MPI_FORTIMPL_H_INCLUDED
/* First statement of the functions of mpif.h. ENTER is in place of MPICH's test whether the
 * interface is initialized: with QMPI this is done when the library is loaded, or by a call before
 * that. */
#if MPIR_EXT_QMPI && !defined(MPIR_QMPI_BYPASS)
#define MPIR_QMPI_F77_NOTE(function_) MPIR_QMPI_NOTE(function_)
#define MPIR_QMPI_F77_ENTER(function_) \
    do { \
        if (MPIR_QMPI_GATE_IS_CLOSED(function_)) { \
            MPIR_QMPI_fortran_init(); \
            MPIR_QMPI_NOTE(function_); \
        } \
    } while (0)
void MPIR_QMPI_fortran_init(void) __attribute__((visibility("hidden"), cold));
#else
#define MPIR_QMPI_F77_NOTE(function_)
#define MPIR_QMPI_F77_ENTER(function_) \
    if (MPIR_F_NeedInit) {mpirinitf_(); MPIR_F_NeedInit = 0;}
#endif

#if MPIR_EXT_QMPI
/* the interface's own conversions of handles */
#define MPIR_QMPI_DIRECT_CONVERSIONS_ONLY
#include "mpir_qmpi_direct_names.h"
#undef MPIR_QMPI_DIRECT_CONVERSIONS_ONLY
#endif
#endif /* MPI_FORTIMPL_H_INCLUDED */

/* External name of a Fortran procedure. */
#if defined(F77_NAME_UPPER)
#define MPIR_QMPI_FORTRAN_NAME(lower_, upper_) upper_
#elif defined(F77_NAME_LOWER)
#define MPIR_QMPI_FORTRAN_NAME(lower_, upper_) lower_
#elif defined(F77_NAME_LOWER_2USCORE)
#define MPIR_QMPI_FORTRAN_NAME(lower_, upper_) lower_ ## __
#else
#define MPIR_QMPI_FORTRAN_NAME(lower_, upper_) lower_ ## _
#endif

#endif /* MPIR_QMPI_CALL_H_INCLUDED */
