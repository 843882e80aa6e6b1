! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Strided sections beside each other in the same memory. ranks: 2
program main
  use mpi_f08
  implicit none
  integer, asynchronous :: a(20), b(20), m(6, 6)
  integer :: rank, i
  type(MPI_Request) :: requests(4)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  a = rank
  do i = 1, 3
    call MPI_Irecv(b(1:20:2), 10, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(b(2:20:2), 10, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Irecv(m(1:5:2, 1:5:2), 9, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, requests(3))
    call MPI_Irecv(m(2:6:2, 1:6), 18, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD, requests(4))
    call MPI_Send(a(20:1:-2), 10, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD)
    call MPI_Send(a(1:10), 10, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD)
    call MPI_Send(a, 9, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD)
    call MPI_Send(a, 18, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
  end do
  call MPI_Bcast(b(1:20:3), 7, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
