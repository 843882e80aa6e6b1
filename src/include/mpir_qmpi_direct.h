/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_DIRECT_H_INCLUDED
#define MPIR_QMPI_DIRECT_H_INCLUDED

/* Included last by files of the library that call MPI: their calls are not the application's and
 * bypass the tools. */

#include "mpir_qmpi_call.h"

#if MPIR_EXT_QMPI
#include "mpir_qmpi_direct_names.h"     /* generated: #define MPI_X QMPI_X, #define PMPI_X QMPI_X */
#endif

#endif /* MPIR_QMPI_DIRECT_H_INCLUDED */
