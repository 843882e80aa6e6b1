! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! For a program with one source for the three bindings: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.

! gfortran joins words at an empty comment
#if defined(USE_MPI_F08)
#define HANDLE(kind) type(MPI_/**/kind)
#define STATUS type(MPI_Status)
#define USES use mpi_f08
#define INCLUDES

#elif defined(USE_MPI)
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define USES use mpi
#define INCLUDES

#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define USES
#define INCLUDES include 'mpif.h'
#endif

module results
  implicit none
  integer :: passed = 0, failed = 0
contains
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) then
       passed = passed + 1
    else
       failed = failed + 1
       print '(2a)', "not ok  ", what
    end if
  end subroutine expect
end module results
