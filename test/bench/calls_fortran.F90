! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! The calls of calls.cpp in Fortran: compiled with -DMPI_F08 for mpi_f08, else for mpif.h.

#ifdef MPI_F08
#define USE_INTERFACE use mpi_f08
#define INCLUDE_INTERFACE implicit none (type)
#define PREFIX "f08_"
#define REQUEST type(MPI_Request)
#define FILE_HANDLE type(MPI_File)
#else
#define USE_INTERFACE use, intrinsic :: iso_fortran_env, only : int32
#define INCLUDE_INTERFACE include 'mpif.h'
#define PREFIX "mpif_"
#define REQUEST integer
#define FILE_HANDLE integer
#endif

subroutine set_file(handle) bind(C, name=PREFIX//"set_file")
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer, value :: handle
  FILE_HANDLE :: file
  common /files/ file
#ifdef MPI_F08
  file%MPI_VAL = handle
#else
  file = handle
#endif
end subroutine set_file

subroutine comm_rank(calls) bind(C, name=PREFIX//"comm_rank")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: rank, ierror
  do i = 1, calls
     call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  end do
end subroutine comm_rank

subroutine wtime(calls) bind(C, name=PREFIX//"wtime")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  double precision, save :: time
  do i = 1, calls
     time = MPI_Wtime()
  end do
end subroutine wtime

subroutine send(calls) bind(C, name=PREFIX//"send")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: buffer(1), ierror
  buffer = 0
  do i = 1, calls
     call MPI_Send(buffer, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
  end do
end subroutine send

subroutine iprobe(calls) bind(C, name=PREFIX//"iprobe")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: ierror
  logical :: is_there
  do i = 1, calls
     call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, is_there, MPI_STATUS_IGNORE, &
          ierror)
  end do
end subroutine iprobe

subroutine isend_wait(calls) bind(C, name=PREFIX//"isend_wait")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer, asynchronous :: buffer(1)
  integer :: ierror
  REQUEST :: request
  buffer = 0
  do i = 1, calls
     call MPI_Isend(buffer, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, request, ierror)
     call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  end do
end subroutine isend_wait

subroutine ping_pong(calls) bind(C, name=PREFIX//"ping_pong")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  double precision :: buffer(1)
  integer :: rank, ierror
  buffer = 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do i = 1, calls
     if (rank == 0) call MPI_Send(buffer, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
     call MPI_Recv(buffer, 1, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierror)
     if (rank == 1) call MPI_Send(buffer, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, ierror)
  end do
end subroutine ping_pong

subroutine allreduce(calls) bind(C, name=PREFIX//"allreduce")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  double precision :: value(1), total(1)
  integer :: ierror
  value = 0
  do i = 1, calls
     call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
end subroutine allreduce

subroutine file_write(calls) bind(C, name=PREFIX//"file_write")
  use, intrinsic :: iso_c_binding
  USE_INTERFACE
  INCLUDE_INTERFACE
  integer(c_long), value :: calls
  integer(c_long) :: i
  integer :: buffer(1), ierror
  FILE_HANDLE :: file
  common /files/ file
  buffer = 0
  do i = 1, calls
     call MPI_File_write(file, buffer, 0, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
  end do
end subroutine file_write
