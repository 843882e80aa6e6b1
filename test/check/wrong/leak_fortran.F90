! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! A datatype is not freed, by mpi_f08. ranks: 2
program main
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: vector
  call MPI_Init()
  call MPI_Type_vector(3, 1, 2, MPI_REAL, vector)           ! expect: leak
  call MPI_Type_commit(vector)
  call MPI_Finalize()
end program
