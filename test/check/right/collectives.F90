! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Collective operations in place and with other types of the same signature. ranks: 3
program main
  use mpi_f08
  implicit none
  integer :: rank, n, i
  real(8) :: values(12), all(36)
  integer, allocatable :: counts(:), offsets(:)
  type(MPI_Datatype) :: four
  type(MPI_Request) :: request
  values = 0
  all = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  allocate(counts(n), offsets(n))
  call MPI_Type_vector(2, 2, 3, MPI_DOUBLE_PRECISION, four)
  call MPI_Type_commit(four)
  if (rank == 0) then
    call MPI_Bcast(values, 1, four, 0, MPI_COMM_WORLD)
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 4, MPI_REAL8, 0, MPI_COMM_WORLD)
    call MPI_Reduce(MPI_IN_PLACE, values, 3, MPI_REAL8, MPI_SUM, 0, MPI_COMM_WORLD)
  else
    call MPI_Bcast(values, 4, MPI_REAL8, 0, MPI_COMM_WORLD)
    call MPI_Gather(values, 1, four, all, 0, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Reduce(values, values, 3, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  end if
  do i = 1, n
    counts(i) = i
    offsets(i) = 4 * (i - 1)
  end do
  call MPI_Allgatherv(values, counts(rank + 1), MPI_REAL8, all, counts, offsets, MPI_REAL8, MPI_COMM_WORLD)
  counts = rank + 1
  call MPI_Iallreduce(MPI_IN_PLACE, values, 3, MPI_REAL8, MPI_MAX, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Type_free(four)
  call MPI_Finalize()
end program
