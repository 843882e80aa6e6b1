! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory

! Both processes send first. ranks: 2
program unsafe
    use mpi_f08
    implicit none
    integer :: rank, value

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Send(rank, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)            ! expect: possible deadlock
    call MPI_Recv(value, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Finalize()
end program
