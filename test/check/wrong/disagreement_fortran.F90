! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! A topology that is periodic in some processes only. ranks: 2
program main
  use mpi_f08
  implicit none
  integer :: rank
  type(MPI_Comm) :: cart
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [rank == 1], .false., cart)  ! expect: collective mismatch
  call MPI_Comm_free(cart)
  call MPI_Finalize()
end program
