!
! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!

! MPI_Info_create_env of mpi_f08, which has no argc and argv in Fortran, gives the keys of MPI_INFO_ENV.

program main
    use mpi_f08
    implicit none
    type(MPI_Info) :: info
    character(len=MPI_MAX_INFO_VAL) :: before, after
    integer :: errs, length
    logical :: flag_before, flag_after

    errs = 0
    call MPI_Info_create_env(info)
    length = len(before)
    call MPI_Info_get_string(info, "thread_level", length, before, flag_before)
    call MPI_Info_free(info)
    call MPI_Init()
    call MPI_Info_create_env(info)
    length = len(after)
    call MPI_Info_get_string(info, "thread_level", length, after, flag_after)
    call MPI_Info_free(info)
    if (flag_before .neqv. flag_after) then
        errs = errs + 1
    else if (flag_before) then
        if (before /= after) errs = errs + 1
    end if
    if (errs == 0) then
        print *, "No Errors"
    else
        print *, "Found ", errs, " errors"
    end if
    call MPI_Finalize()
end program main
