! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Calls on known lines. One source for the three bindings: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.

module lines
  implicit none
  interface
     subroutine next_call_is_on(line) bind(C)
       use, intrinsic :: iso_c_binding
       integer(c_int), value :: line
     end subroutine next_call_is_on
  end interface
end module lines

#if defined(USE_MPI_F08)
#define COMM type(MPI_Comm)
#else
#define COMM integer
#endif

subroutine called_back(handle, code)
  use lines
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  COMM :: handle
  integer :: code, ierror
  call next_call_is_on(__LINE__ + 1)
  call MPI_Barrier(MPI_COMM_SELF, ierror)
end subroutine called_back

program where
  use lines
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
#if defined(USE_MPI_F08)
  type(MPI_Errhandler) :: handler
#else
  integer :: handler
#endif
  interface
     subroutine called_back(handle, code)
#if defined(USE_MPI_F08)
       use mpi_f08
#endif
       COMM :: handle
       integer :: code
     end subroutine called_back
  end interface
  integer :: value(1), ierror, round

  call MPI_Init(ierror)
  call next_call_is_on(__LINE__ + 1)
  call MPI_Barrier(MPI_COMM_SELF, ierror)
  call next_call_is_on(__LINE__ + 1)
  call MPI_Comm_rank(MPI_COMM_SELF, value(1), ierror)
  call next_call_is_on(__LINE__ + 1)
  call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, ierror)
  do round = 1, 3
     call descend(3)
  end do
  call MPI_Comm_create_errhandler(called_back, handler, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)
  call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER, ierror)
  call MPI_Errhandler_free(handler, ierror)
  call MPI_Finalize(ierror)

contains

  ! The same functions from several call sites, at several depths of the stack.
  recursive subroutine descend(depth)
    integer, intent(in) :: depth
    integer :: value(1), ierror
    call next_call_is_on(__LINE__ + 1)
    call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, ierror)
    if (depth > 1) call descend(depth - 1)
    call next_call_is_on(__LINE__ + 1)
    call MPI_Comm_rank(MPI_COMM_SELF, value(1), ierror)
    call next_call_is_on(__LINE__ + 1)
    call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, ierror)
  end subroutine descend
end program where
