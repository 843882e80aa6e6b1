!
! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!

! MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw of mpi_f08 on a Cartesian communicator: each process sends one
! number to the left and one to the right.

program main
    use mpi_f08
    implicit none
    type(MPI_Comm) :: ring
    type(MPI_Datatype) :: types(2)
    integer, asynchronous :: sent(2), received(2)
    integer :: rank, length, left, right, errs, ierr, counts(2), displs(2)
    integer(MPI_ADDRESS_KIND) :: bytes(2)

    errs = 0
    call MTEST_Init(ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, length)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [length], [.true.], .false., ring)
    call MPI_Comm_rank(ring, rank)
    call MPI_Cart_shift(ring, 0, 1, left, right)
    sent = [10 * rank, 10 * rank + 1]
    counts = 1
    displs = [0, 1]
    bytes = displs * (storage_size(rank) / 8)
    types = MPI_INTEGER

    received = -1
    call MPI_Neighbor_alltoallv(sent, counts, displs, MPI_INTEGER, received, counts, displs, MPI_INTEGER, ring)
    call check("MPI_Neighbor_alltoallv")
    received = -1
    call MPI_Neighbor_alltoallw(sent, counts, bytes, types, received, counts, bytes, types, ring)
    call check("MPI_Neighbor_alltoallw")

    call MPI_Comm_free(ring)
    call MTEST_Finalize(errs)

contains

    subroutine check(name)
        character(len=*), intent(in) :: name
        if (any(received /= [10 * left + 1, 10 * right])) then
            print *, name, ": received ", received, ", expected ", 10 * left + 1, 10 * right
            errs = errs + 1
        end if
    end subroutine check

end program main
