!
! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!

! Arguments that MPI forbids, in Fortran. ranks: 2
program arguments
    use mpi_f08
    implicit none
    integer :: values(4) = 0, sums(4), error
    type(MPI_Comm) :: comm
    type(MPI_Datatype) :: pair

    call MPI_Init()
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Send(values, -1, MPI_INTEGER, 0, 0, comm, error)               ! expect: invalid argument
    call MPI_Send(values, 1, MPI_INTEGER, 2, 0, comm, error)                ! expect: invalid argument
    call MPI_Send(values, 1, pair, 0, 0, comm, error)                       ! expect: invalid argument
    call MPI_Bcast(values, 1, MPI_INTEGER, -1, comm, error)                 ! expect: invalid argument
    call MPI_Allreduce(values, sums, 1, MPI_REAL, MPI_BXOR, comm, error)    ! expect: invalid argument
    call MPI_Type_vector(2, -1, 3, MPI_INTEGER, pair, error)                ! expect: invalid argument
    call MPI_Type_free(pair)
    call MPI_Comm_free(comm)
    call MPI_Finalize()
end program
