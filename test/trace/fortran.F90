! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory

! Messages around a ring and reductions, by mpi_f08: 10 of each, the i-th with i numbers.
program fortran
    use mpi_f08
    implicit none
    integer :: rank, size, i, flag
    type(MPI_Request) :: requests(2)
    double precision :: out(100), in(100), total(100)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    out = rank
    do i = 1, 10
        call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, mod(rank + size - 1, size), i, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(out, i, MPI_DOUBLE_PRECISION, mod(rank + 1, size), i, MPI_COMM_WORLD, requests(2))
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call MPI_Allreduce(out, total, i, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    end do
    flag = 0
    call MPI_Finalize(flag)
end program fortran
