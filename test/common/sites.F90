! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Calls MPI from many places, and notes each call as a profile has to count it. With -DF08 by the module mpi_f08,
! else by mpif.h.

#include "expected_calls.F90"

module work
#ifdef F08
    use mpi_f08
#endif
    use expected_calls
    implicit none
#ifdef F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#else
    include 'mpif.h'
#define COMM integer
#define REQUEST integer
#endif
contains
    subroutine exchange(rank, ranks, comm_used)
        integer, intent(in) :: rank, ranks
        COMM, intent(in) :: comm_used
        real(kind=8) :: data_out(50), data_in(50)
        REQUEST :: requests(2)
        integer :: i, ierror, next, before
        data_out = rank
        next = mod(rank + 1, ranks)
        before = mod(rank + ranks - 1, ranks)
        do i = 1, 12
            call expect_call('MPI_Irecv', __LINE__, 0, 8 * i)
            call MPI_Irecv(data_in, 50, MPI_DOUBLE_PRECISION, before, 3, comm_used, requests(1), ierror)
            call expect_call('MPI_Isend', __LINE__, 8 * i, 0)
            call MPI_Isend(data_out, i, MPI_DOUBLE_PRECISION, next, 3, comm_used, requests(2), ierror)
            call expect_call('MPI_Waitall', __LINE__, 0, 0)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
        end do
    end subroutine

    subroutine collect(rank, ranks)
        integer, intent(in) :: rank, ranks
        integer :: one(4), all(400), ierror, at_root, elsewhere
        one = rank
        at_root = merge(1, 0, rank == 0)
        elsewhere = 1 - at_root
        call expect_call('MPI_Bcast', __LINE__, 16 * (ranks - 1) * at_root, 16 * elsewhere)
        call MPI_Bcast(one, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call expect_call('MPI_Gather', __LINE__, 16, 16 * ranks * at_root)
        call MPI_Gather(one, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call expect_call('MPI_Allreduce', __LINE__, 16 * (ranks - 1), 16 * (ranks - 1))
        call MPI_Allreduce(MPI_IN_PLACE, one, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect_call('MPI_Barrier', __LINE__, 0, 0)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
    end subroutine
end module

program sites
    use work
    use expected_calls
    implicit none
    integer :: rank, ranks, ierror
    call MPI_Init(ierror)
    call expect_call('MPI_Comm_rank', __LINE__, 0, 0)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call expect_call('MPI_Comm_size', __LINE__, 0, 0)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call exchange(rank, ranks, MPI_COMM_WORLD)
    call collect(rank, ranks)
    call expect_call('MPI_Allreduce', __LINE__, 4 * ranks, 4 * ranks)
    call MPI_Allreduce(rank, ranks, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call print_expected_calls('sites.F90')
    call MPI_Finalize(ierror)
end program
