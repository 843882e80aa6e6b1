/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* In the library of the MPI ABI, MPI_Comm is MPICH's own type and ABI_Comm that of the
 * application and its tools. The first inclusion gives the latter the names MPI_, the second takes
 * them back. */

#ifndef MPIR_QMPI_ABI_TYPES
#define MPIR_QMPI_ABI_TYPES
#define MPI_Comm ABI_Comm
#define MPI_Datatype ABI_Datatype
#define MPI_Errhandler ABI_Errhandler
#define MPI_File ABI_File
#define MPI_Group ABI_Group
#define MPI_Info ABI_Info
#define MPI_Message ABI_Message
#define MPI_Op ABI_Op
#define MPI_Request ABI_Request
#define MPI_Session ABI_Session
#define MPI_Win ABI_Win
#else
#undef MPIR_QMPI_ABI_TYPES
#undef MPI_Comm
#undef MPI_Datatype
#undef MPI_Errhandler
#undef MPI_File
#undef MPI_Group
#undef MPI_Info
#undef MPI_Message
#undef MPI_Op
#undef MPI_Request
#undef MPI_Session
#undef MPI_Win
#endif
