! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! An attribute set and read in Fortran, with the integers of mpif.h: do they come back through a PMPI
! tool that wraps the C functions?
program attribute
    implicit none
    include 'mpif.h'
    integer :: keyval, val, rank, ierr
    logical :: found

    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
    call mpi_keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, keyval, 0, ierr)
    call mpi_attr_put(MPI_COMM_WORLD, keyval, -5, ierr)
    call mpi_attr_get(MPI_COMM_WORLD, keyval, val, found, ierr)
    print '(a,i0,1x,l1,1x,i0)', 'attribute ', val, found, rank
    call mpi_finalize(ierr)
end program
