! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! A keyval that is not freed. ranks: 1
program main
  use mpi_f08
  implicit none
  integer :: keyval
  call MPI_Init()
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)  ! expect: leak
  call MPI_Finalize()
end program
