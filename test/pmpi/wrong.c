/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Libraries that are no PMPI tools, one for each macro. */

#include <mpi.h>

#ifdef UNRESOLVED
int there_is_no_such_function(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return there_is_no_such_function();
}
#endif

#ifdef NOTHING
int something(void)
{
    return 1;
}
#endif

#ifdef FORTRAN_ONLY
void mpi_comm_rank_(MPI_Fint * comm, MPI_Fint * rank, MPI_Fint * ierr)
{
    *ierr = MPI_SUCCESS;
}
#endif

#ifdef OTHER_MPI
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return MPI_SUCCESS;
}
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return MPI_SUCCESS;
}
#endif

/* as real libraries, which have in addition the variables of mpi.h */
#ifdef WEAK_MPI
MPI_Fint *MPI_F_STATUS_IGNORE;
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return MPI_SUCCESS;
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) __attribute__ ((weak, alias("PMPI_Comm_rank")));
#endif
