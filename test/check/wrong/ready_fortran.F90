! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! A ready send before its receive. ranks: 2
program main
  use mpi_f08
  implicit none
  integer :: rank, value = 1
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    call MPI_Rsend(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)  ! expect: ready send
  else
    call sleep(1)
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  call MPI_Finalize()
end program
