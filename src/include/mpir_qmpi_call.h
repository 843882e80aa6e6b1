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

#endif /* MPIR_QMPI_CALL_H_INCLUDED */
