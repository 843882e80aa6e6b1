! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory

! Two ranks receive from each other.
program hangs
    use mpi
    implicit none
    integer :: rank, number, ierror, unit

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    open (newunit=unit, file='ready.' // achar(iachar('0') + rank))
    close (unit)
    call MPI_Recv(number, 1, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! [fortran]
    call MPI_Finalize(ierror)
end program hangs
