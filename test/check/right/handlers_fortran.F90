! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! MPI_ERRHANDLER_GET of MPI-1 gives the handler that the program would have without the tool. ranks: 2
program main
  implicit none
  include 'mpif.h'
  integer :: handler, ierror
  external :: MPI_ERRHANDLER_GET, MPI_ERRHANDLER_SET
  call MPI_INIT(ierror)
  call MPI_ERRHANDLER_GET(MPI_COMM_WORLD, handler, ierror)
  if (handler /= MPI_ERRORS_ARE_FATAL) stop 1
  call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, handler, ierror)
  call MPI_COMM_GET_ERRHANDLER(MPI_COMM_WORLD, handler, ierror)
  if (handler /= MPI_ERRORS_ARE_FATAL) stop 2
  call MPI_FINALIZE(ierror)
end program
