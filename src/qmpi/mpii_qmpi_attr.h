/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_ATTR_H_INCLUDED
#define MPII_QMPI_ATTR_H_INCLUDED

#include "mpir_attr_generic.h"
#include "mpir_qmpi_call.h"

/* Attribute calls of the Fortran interfaces. They say how wide the caller's integer is, which the
 * arguments of MPI_Comm_set_attr and its like do not, so they enter the library by functions of their
 * own. Tools see them as the C functions; where no tool is they are MPII_Comm_set_attr and its like. */

#if MPIR_EXT_QMPI && !defined(MPIR_QMPI_BYPASS)
MPICH_API_PUBLIC int MPII_QMPI_Attr_put(MPI_Comm, int, void *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Comm_set_attr(MPI_Comm, int, void *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Type_set_attr(MPI_Datatype, int, void *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Win_set_attr(MPI_Win, int, void *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Attr_get(MPI_Comm, int, void *, int *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Comm_get_attr(MPI_Comm, int, void *, int *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Type_get_attr(MPI_Datatype, int, void *, int *, MPIR_Attr_type);
MPICH_API_PUBLIC int MPII_QMPI_Win_get_attr(MPI_Win, int, void *, int *, MPIR_Attr_type);
#else
#define MPII_QMPI_Attr_put MPII_Comm_set_attr
#define MPII_QMPI_Comm_set_attr MPII_Comm_set_attr
#define MPII_QMPI_Type_set_attr MPII_Type_set_attr
#define MPII_QMPI_Win_set_attr MPII_Win_set_attr
#define MPII_QMPI_Attr_get MPII_Comm_get_attr
#define MPII_QMPI_Comm_get_attr MPII_Comm_get_attr
#define MPII_QMPI_Type_get_attr MPII_Type_get_attr
#define MPII_QMPI_Win_get_attr MPII_Win_get_attr
#endif

#endif /* MPII_QMPI_ATTR_H_INCLUDED */
