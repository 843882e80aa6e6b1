! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! The message is longer than the buffer, by mpif.h. ranks: 2
program main
  implicit none
  include 'mpif.h'
  integer :: rank, error, values(10), status(MPI_STATUS_SIZE)
  values = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) then
    call MPI_Send(values, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Recv(values, 5, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)      ! expect: truncation
  end if
  call MPI_Finalize(error)
end program
