! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Does Fortran get the objects and attributes that a tool has replaced? The tool is that of replaces.c.
! One source for the three bindings: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.

#include "bindings.h"

module callbacks
  use, intrinsic :: iso_c_binding
  use results
  USES
  implicit none
  INCLUDES
  integer :: errors = 0
contains
#if defined(USE_MPI_F08)
  subroutine multiply(in, inout, length, kind)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: kind
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b(1:length) = a(1:length) * b(1:length)
  end subroutine multiply
  subroutine add(in, inout, length, kind)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: kind
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b(1:length) = a(1:length) + b(1:length)
  end subroutine add
#else
  subroutine multiply(a, b, length, kind)
    integer :: length, kind
    integer :: a(length), b(length)
    b(1:length) = a(1:length) * b(1:length)
  end subroutine multiply
  subroutine add(a, b, length, kind)
    integer :: length, kind
    integer :: a(length), b(length)
    b(1:length) = a(1:length) + b(1:length)
  end subroutine add
#endif

  subroutine handle_Comm(handle, code)
    HANDLE(Comm) :: handle
    integer :: code
    errors = errors + 1
  end subroutine handle_Comm
  subroutine handle_Session(handle, code)
    HANDLE(Session) :: handle
    integer :: code
  end subroutine handle_Session
end module callbacks

program main
  use callbacks
  implicit none
  HANDLE(Op) :: operations(2)
  HANDLE(Errhandler) :: handler
  HANDLE(Win) :: win
  integer(kind=MPI_ADDRESS_KIND) :: value
  integer :: keyval, ierr, i, mine(2), all(2)
  logical :: flag, commutes

  call MPI_Init(ierr)

  ! the second operation has the procedure of the first
  call MPI_Op_create(multiply, .true., operations(1), ierr)
  call MPI_Op_create(add, .true., operations(2), ierr)
  do i = 1, 2
     mine = [3, 4]
     all = [5, 6]
     call MPI_Reduce_local(mine, all, 2, MPI_INTEGER, operations(i), ierr)
     call expect(all(1) == 15 .and. all(2) == 24, "procedure of the operation")
     call MPI_Op_commutative(operations(i), commutes, ierr)
     call expect(commutes .eqv. i == 1, "operation commutes")
     call MPI_Op_free(operations(i), ierr)
  end do

  call MPI_Comm_create_errhandler(handle_Comm, handler, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierr)
  call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER, ierr)
  call expect(errors == 1, "error handler of a communicator")
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Session_create_errhandler(handle_Session, handler, ierr)
  call MPI_Errhandler_free(handler, ierr)
#if defined(MPIF_H)
  call MPI_Errhandler_create(handle_Comm, handler, ierr)
  call MPI_Errhandler_set(MPI_COMM_SELF, handler, ierr)
  call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER, ierr)
  call expect(errors == 2, "error handler of the old function")
  call MPI_Errhandler_free(handler, ierr)
#endif

  ! attributes that MPI defines
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call expect(flag .and. value == 77, "MPI_TAG_UB")
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierr)
  call expect(flag .and. (value == 0 .or. value == 1), "MPI_WTIME_IS_GLOBAL")
#if !defined(USE_MPI_F08)
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, mine(1), flag, ierr)
  call expect(flag .and. mine(1) == 77, "MPI_TAG_UB of the old function")
#endif
  value = 8
  call MPI_Win_create(mine, value, 4, MPI_INFO_NULL, MPI_COMM_SELF, win, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierr)
  call expect(flag .and. value == 4096, "MPI_WIN_BASE")
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
  call expect(flag .and. value == 2_MPI_ADDRESS_KIND ** 40, "MPI_WIN_SIZE")
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
  call expect(flag .and. value == 99, "MPI_WIN_DISP_UNIT")
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierr)
  call expect(flag .and. value == MPI_WIN_FLAVOR_CREATE, "MPI_WIN_CREATE_FLAVOR")
  call MPI_Win_free(win, ierr)

  ! attributes of the program: one that the tool replaces, one that it has, and one that it leaves alone
  do i = 5, 7
     value = i
     call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, value, ierr)
     call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag, ierr)
     call expect(.not. flag, "attribute that is not set")
     value = i
     if (i == 7) value = -10_MPI_ADDRESS_KIND ** 12
     call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, value, ierr)
     value = 0
     call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag, ierr)
     if (i == 5) call expect(flag .and. value == 12, "attribute that a tool replaces")
     if (i == 6) call expect(flag .and. value == 34, "attribute that a tool has")
     if (i == 7) call expect(flag .and. value == -10_MPI_ADDRESS_KIND ** 12, "attribute")
  end do
  value = 6
  call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, keyval, value, ierr)
  call MPI_Type_set_attr(MPI_INTEGER, keyval, value, ierr)
  call MPI_Type_get_attr(MPI_INTEGER, keyval, value, flag, ierr)
  call expect(flag .and. value == 34, "attribute of a datatype that a tool has")

  print '(i0,a,i0,a)', passed, " passed, ", failed, " failed"
  call MPI_Finalize(ierr)
end program main
