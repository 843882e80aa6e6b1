! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Handles that were freed in places where MPI ignores them, and arguments of dimensions that are not distributed.
! ranks: 2
program main
  use mpi_f08
  implicit none
  integer :: rank, value, all(2), sizes(2), distributions(2), arguments(2), processes(2)
  type(MPI_Datatype) :: type, gone
  type(MPI_Request) :: request
  value = 1
  all = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Type_contiguous(1, MPI_INTEGER, type)
  call MPI_Type_commit(type)
  gone = type
  if (rank /= 0) call MPI_Type_free(type)
  call MPI_Gather(value, 1, MPI_INTEGER, all, 1, gone, 0, MPI_COMM_WORLD)
  call MPI_Iscatter(all, 1, gone, value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (rank == 0) call MPI_Type_free(type)
  call MPI_Allgather(MPI_IN_PLACE, 1, gone, all, 1, MPI_INTEGER, MPI_COMM_WORLD)
  sizes = 8
  distributions = [MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE]
  arguments = [MPI_DISTRIBUTE_DFLT_DARG, 0]
  processes = [2, 1]
  call MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_FORTRAN, MPI_INTEGER, type)
  call MPI_Type_free(type)
  call MPI_Finalize()
end program
