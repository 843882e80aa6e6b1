! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Do callbacks in Fortran work with tools? One source for the three bindings: -DMPIF_H, -DUSE_MPI or
! -DUSE_MPI_F08. Run on two processes. Every callback records its arguments and calls MPI.

#include "bindings.h"

module notes
  use results
  implicit none
  integer :: copies = 0, deletions = 0, errors = 0, operations = 0, queries = 0, frees = 0, cancels = 0
  integer :: latest_code = 0
end module notes

module callbacks
  use, intrinsic :: iso_c_binding
  USES
  implicit none
  INCLUDES
contains
  ! Calls in a callback are the application's calls; tools see them.
  subroutine call_mpi()
    integer :: size_of, ierr
    call MPI_Comm_size(MPI_COMM_WORLD, size_of, ierr)
  end subroutine call_mpi

  subroutine copy(extra, value_in, value_out, flag, ierror)
    use notes
    integer(kind=MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    integer :: ierror
    copies = copies + 1
    value_out = 2 * value_in + extra
    flag = .true.
    ierror = MPI_SUCCESS
    call call_mpi()
  end subroutine copy
  subroutine delete(ierror)
    use notes
    integer :: ierror
    deletions = deletions + 1
    ierror = MPI_SUCCESS
    call call_mpi()
  end subroutine delete
  subroutine handle_error(code)
    use notes
    integer :: code
    errors = errors + 1
    latest_code = code
    call call_mpi()
  end subroutine handle_error

  ! the same for every kind of handle
  subroutine copy_Comm(old, keyval, extra, value_in, value_out, flag, ierror)
    HANDLE(Comm) :: old
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    call copy(extra, value_in, value_out, flag, ierror)
  end subroutine copy_Comm
  subroutine delete_Comm(handle, keyval, value, extra, ierror)
    HANDLE(Comm) :: handle
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    call delete(ierror)
  end subroutine delete_Comm
  subroutine copy_Datatype(old, keyval, extra, value_in, value_out, flag, ierror)
    HANDLE(Datatype) :: old
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    call copy(extra, value_in, value_out, flag, ierror)
  end subroutine copy_Datatype
  subroutine delete_Datatype(handle, keyval, value, extra, ierror)
    HANDLE(Datatype) :: handle
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    call delete(ierror)
  end subroutine delete_Datatype
  subroutine copy_Win(old, keyval, extra, value_in, value_out, flag, ierror)
    HANDLE(Win) :: old
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    call copy(extra, value_in, value_out, flag, ierror)
  end subroutine copy_Win
  subroutine delete_Win(handle, keyval, value, extra, ierror)
    HANDLE(Win) :: handle
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    call delete(ierror)
  end subroutine delete_Win
  subroutine handle_Comm(handle, code)
    HANDLE(Comm) :: handle
    integer :: code
    call handle_error(code)
  end subroutine handle_Comm
  subroutine handle_Win(handle, code)
    HANDLE(Win) :: handle
    integer :: code
    call handle_error(code)
  end subroutine handle_Win
  subroutine handle_File(handle, code)
    HANDLE(File) :: handle
    integer :: code
    call handle_error(code)
  end subroutine handle_File

  ! not commutative: ten times the first operand, plus the second
#if defined(USE_MPI_F08)
  subroutine operate(in, inout, length, kind)
    use notes
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: kind
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b(1:length) = 10 * a(1:length) + b(1:length)
    operations = operations + 1
    call call_mpi()
  end subroutine operate
#else
  subroutine operate(a, b, length, kind)
    use notes
    integer :: length, kind
    integer :: a(length), b(length)
    b(1:length) = 10 * a(1:length) + b(1:length)
    operations = operations + 1
    call call_mpi()
  end subroutine operate
#endif

  subroutine query(extra, status, ierror)
    use notes
    STATUS :: status
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    queries = queries + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    ierror = MPI_SUCCESS
  end subroutine query
  subroutine release(extra, ierror)
    use notes
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    frees = frees + 1
    ierror = MPI_SUCCESS
    call call_mpi()
  end subroutine release
  subroutine cancel(extra, complete, ierror)
    use notes
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    cancels = cancels + 1
    ierror = MPI_SUCCESS
    call call_mpi()
  end subroutine cancel

#if defined(USE_MPI_F08)
  subroutine extent(kind, bytes, extra, ierror)
    type(MPI_Datatype) :: kind
    integer(kind=MPI_ADDRESS_KIND) :: bytes, extra
    integer :: ierror
    bytes = 4
    ierror = MPI_SUCCESS
  end subroutine extent
#else
  subroutine extent(kind, bytes, extra, ierror)
    integer :: kind, ierror
    integer(kind=MPI_ADDRESS_KIND) :: bytes, extra
    bytes = 4
    ierror = MPI_SUCCESS
  end subroutine extent
#endif
end module callbacks

program main
  use callbacks
  use notes
  implicit none
  HANDLE(Comm) :: comm
  HANDLE(Datatype) :: pair, twin
  HANDLE(Win) :: win
  HANDLE(File) :: file
  HANDLE(Errhandler) :: handler, found_handler
  HANDLE(Op) :: op
  HANDLE(Request) :: request
  STATUS :: status
  integer(kind=MPI_ADDRESS_KIND) :: extra, value, bytes
  integer :: keyval, ierr, rank, size_of, mine(2), all(2), code, number
  logical :: flag
#if defined(USE_MPI) && defined(LACKS_CONVERSION_FN_NULL)
  external :: MPI_CONVERSION_FN_NULL
#endif

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size_of, ierr)

  ! attributes
  extra = 1
  value = 1000000000000_MPI_ADDRESS_KIND
  call MPI_Comm_create_keyval(copy_Comm, delete_Comm, keyval, extra, ierr)
  call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value, ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
  call MPI_Comm_get_attr(comm, keyval, bytes, flag, ierr)
  call expect(flag .and. bytes == 2 * value + 1 .and. copies == 1, "attribute copied with a communicator")
  call MPI_Comm_free(comm, ierr)
  call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval, ierr)
  call expect(deletions == 2, "attributes of communicators deleted")
  call MPI_Comm_free_keyval(keyval, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
  call MPI_Type_create_keyval(copy_Datatype, delete_Datatype, keyval, extra, ierr)
  call MPI_Type_set_attr(pair, keyval, value, ierr)
  call MPI_Type_dup(pair, twin, ierr)
  call MPI_Type_get_attr(twin, keyval, bytes, flag, ierr)
  call expect(flag .and. bytes == 2 * value + 1 .and. copies == 2, "attribute copied with a datatype")
  call MPI_Type_free(twin, ierr)
  call MPI_Type_free(pair, ierr)
  call expect(deletions == 4, "attributes of datatypes deleted")
  call MPI_Type_free_keyval(keyval, ierr)
  bytes = 8
  call MPI_Win_create(mine, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_create_keyval(copy_Win, delete_Win, keyval, extra, ierr)
  call MPI_Win_set_attr(win, keyval, value, ierr)
  call MPI_Win_get_attr(win, keyval, bytes, flag, ierr)
  call expect(flag .and. bytes == value, "attribute of a window")

  ! error handlers, called by the program and by an error
  call MPI_Win_create_errhandler(handle_Win, handler, ierr)
  call MPI_Win_set_errhandler(win, handler, ierr)
  call MPI_Win_call_errhandler(win, MPI_ERR_OTHER, ierr)
  call expect(errors == 1 .and. latest_code == MPI_ERR_OTHER, "error handler of a window")
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Win_free(win, ierr)
  call expect(deletions == 5, "attribute of a window deleted")
  call MPI_Win_free_keyval(keyval, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_create_errhandler(handle_Comm, handler, ierr)
  call MPI_Comm_set_errhandler(comm, handler, ierr)
  call MPI_Comm_get_errhandler(comm, found_handler, ierr)
  call expect(found_handler == handler, "error handler of a communicator found again")
  call MPI_Errhandler_free(found_handler, ierr)
  call MPI_Send(mine, 1, MPI_INTEGER, size_of + 7, 0, comm, code)
  call MPI_Error_class(latest_code, number, ierr)
  call expect(errors == 2 .and. number == MPI_ERR_RANK .and. code == latest_code, "error handler of a communicator")
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_File_open(MPI_COMM_SELF, "callbacks.tmp" // char(iachar('0') + rank), &
       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, ierr)
  call MPI_File_create_errhandler(handle_File, handler, ierr)
  call MPI_File_set_errhandler(file, handler, ierr)
  call MPI_File_call_errhandler(file, MPI_ERR_IO, ierr)
  call expect(errors == 3 .and. latest_code == MPI_ERR_IO, "error handler of a file, called")
  call MPI_File_seek(file, -1_MPI_OFFSET_KIND, MPI_SEEK_SET, code)
  call expect(errors == 4 .and. code == latest_code .and. code /= MPI_SUCCESS, "error handler of a file")
  call MPI_Errhandler_free(handler, ierr)
  call MPI_File_close(file, ierr)

  ! an operation
  call MPI_Op_create(operate, .false., op, ierr)
  mine = [rank + 1, rank + 3]
  call MPI_Allreduce(mine, all, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call expect(all(1) == 12 .and. all(2) == 34, "operation, in the order of the ranks")
  operations = 0
  all = [5, 6]
  call MPI_Reduce_local(mine, all, 2, MPI_INTEGER, op, ierr)
  call expect(operations == 1 .and. all(1) == 10 * (rank + 1) + 5, "operation on local data")
  call MPI_Op_free(op, ierr)

  ! a generalized request
  extra = 3
  call MPI_Grequest_start(query, release, cancel, extra, request, ierr)
  call MPI_Cancel(request, ierr)
  call MPI_Grequest_complete(request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, number, ierr)
  call expect(number == 3 .and. queries == 1, "query function of a generalized request")
  call expect(cancels == 1, "cancel function of a generalized request")
  call expect(frees == 1, "free function of a generalized request")

  ! a data representation: ROMIO refuses to register a name twice
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call MPI_Register_datarep("callbacks", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, extra, ierr)
  call expect(ierr == MPI_SUCCESS, "data representation registered")
  call MPI_Register_datarep("callbacks", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, extra, ierr)
  call MPI_Error_class(ierr, number, code)
  call expect(number == MPI_ERR_DUP_DATAREP, "data representation registered again")

  call MPI_Finalize(ierr)
  if (rank == 0 .or. failed > 0) print '(i0,a,i0,a)', passed, " passed, ", failed, " failed"
end program main
