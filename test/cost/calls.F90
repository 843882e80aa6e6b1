! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! The calls of calls.cpp in Fortran.

subroutine mpif_send(calls) bind(C)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: buffer(1), ierror
  buffer = 0
  do i = 1, calls
     call MPI_Send(buffer, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
  end do
end subroutine mpif_send

subroutine f08_send(calls) bind(C)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: buffer(1)
  buffer = 0
  do i = 1, calls
     call MPI_Send(buffer, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
  end do
end subroutine f08_send

subroutine f08_comm_rank(calls) bind(C)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: rank
  do i = 1, calls
     call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  end do
end subroutine f08_comm_rank
