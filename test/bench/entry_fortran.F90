! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! The cases of entry.cpp through mpif.h.

subroutine entry_fortran_rank(rounds) bind(C)
  use, intrinsic :: iso_c_binding
  include 'mpif.h'
  integer(c_long), value :: rounds
  integer(c_long) :: i
  integer :: value, ierror
  do i = 1, rounds
     call MPI_Comm_rank(MPI_COMM_WORLD, value, ierror)
  end do
end subroutine entry_fortran_rank

subroutine entry_fortran_send(rounds) bind(C)
  use, intrinsic :: iso_c_binding
  include 'mpif.h'
  integer(c_long), value :: rounds
  integer(c_long) :: i
  integer :: value, ierror
  value = 0
  do i = 1, rounds
     call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
  end do
end subroutine entry_fortran_send

subroutine entry_fortran_round4(rounds) bind(C)
  use, intrinsic :: iso_c_binding
  include 'mpif.h'
  integer(c_long), value :: rounds
  integer(c_long) :: i
  integer :: value, ierror
  logical :: flag
  do i = 1, rounds
     call MPI_Comm_rank(MPI_COMM_WORLD, value, ierror)
     call MPI_Comm_size(MPI_COMM_WORLD, value, ierror)
     call MPI_Type_size(MPI_INTEGER, value, ierror)
     call MPI_Initialized(flag, ierror)
  end do
end subroutine entry_fortran_round4

subroutine entry_fortran_round16(rounds) bind(C)
  use, intrinsic :: iso_c_binding
  include 'mpif.h'
  integer(c_long), value :: rounds
  integer(c_long) :: i
  integer :: value, ierror
  integer :: status(MPI_STATUS_SIZE)
  integer(kind=MPI_ADDRESS_KIND) :: low, extent
  logical :: flag
  status = 0
  do i = 1, rounds
     call MPI_Comm_rank(MPI_COMM_WORLD, value, ierror)
     call MPI_Comm_size(MPI_COMM_WORLD, value, ierror)
     call MPI_Type_size(MPI_INTEGER, value, ierror)
     call MPI_Initialized(flag, ierror)
     call MPI_Comm_test_inter(MPI_COMM_WORLD, flag, ierror)
     call MPI_Topo_test(MPI_COMM_WORLD, value, ierror)
     call MPI_Type_get_extent(MPI_INTEGER, low, extent, ierror)
     call MPI_Type_get_true_extent(MPI_INTEGER, low, extent, ierror)
     call MPI_Group_size(MPI_GROUP_EMPTY, value, ierror)
     call MPI_Group_rank(MPI_GROUP_EMPTY, value, ierror)
     call MPI_Get_count(status, MPI_INTEGER, value, ierror)
     call MPI_Get_elements(status, MPI_INTEGER, value, ierror)
     call MPI_Test_cancelled(status, flag, ierror)
     call MPI_Query_thread(value, ierror)
     call MPI_Is_thread_main(flag, ierror)
     call MPI_Finalized(flag, ierror)
  end do
end subroutine entry_fortran_round16
