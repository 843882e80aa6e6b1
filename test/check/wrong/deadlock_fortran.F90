! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Everybody receives first, by the module mpi. ranks: 2 tool: timeout=2,deadlock=abort
program main
  use mpi
  implicit none
  integer :: rank, error, value
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Recv(value, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)  ! expect: deadlock
  call MPI_Send(rank, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
