! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Strided sections: receives into the same memory, and types that differ. ranks: 2
program main
  use mpi_f08
  implicit none
  integer, asynchronous :: a(20), b(20), m(6, 6)
  real, asynchronous :: x(20)
  integer :: rank
  type(MPI_Request) :: requests(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = rank
  call MPI_Irecv(b(1:20:2), 10, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(b(1:10), 10, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(2))  ! expect: buffer overlap
  call MPI_Send(a(2:20:2), 10, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD)
  call MPI_Send(a, 10, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Irecv(m(1:5:2, 1:5:2), 9, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(m(1:3, 3:3), 3, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD, requests(2))  ! expect: buffer overlap
  call MPI_Send(a, 9, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD)
  call MPI_Send(a, 3, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  if (rank == 0) then
    call MPI_Send(a(1:20:4), 5, MPI_INTEGER, 1, 5, MPI_COMM_WORLD)
  else
    call MPI_Recv(x(1:10:2), 5, MPI_REAL, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)  ! expect: type mismatch
  end if
  call MPI_Finalize()
end program
