/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_ROMIO_H_INCLUDED
#define MPIR_QMPI_ROMIO_H_INCLUDED

/* Included by ROMIO after its own renaming. The MPI calls inside ROMIO bypass the tools, and the
 * functions that it defines are the bodies that the entries in romio_entries.c call. */

#include "mpir_qmpi_direct.h"

#if MPIR_EXT_QMPI

/* the entries own the names MPI_ and PMPI_ */
#undef HAVE_PRAGMA_WEAK
#undef HAVE_PRAGMA_HP_SEC_DEF
#undef HAVE_PRAGMA_CRI_DUP
#undef HAVE_WEAK_ATTRIBUTE

/* Without weak symbols ROMIO is built twice; the copy without MPIO_BUILD_PROFILING is libmpi's, for
 * calls inside of it. */
#if defined(HAVE_WEAK_SYMBOLS) || defined(MPIO_BUILD_PROFILING)
#define MPIR_QMPI_ROMIO_NAME(name_) MPIR_ROMIO_ ## name_
#else
#define MPIR_QMPI_ROMIO_NAME(name_) MPII_ROMIO_ ## name_
#endif

#ifdef HAVE_VISIBILITY
#define MPIR_QMPI_ROMIO_HIDDEN __attribute__((visibility("hidden")))
#else
#define MPIR_QMPI_ROMIO_HIDDEN
#endif

#include "mpir_qmpi_romio_names.h"      /* generated */

#endif /* MPIR_EXT_QMPI */

#endif /* MPIR_QMPI_ROMIO_H_INCLUDED */
