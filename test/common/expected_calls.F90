! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory

! Expected profile of a Fortran program by line of the source, as expected_calls.h for C. Programs include
! this file. A call is on the line after its "call expect_call", and on that line alone: for a longer
! statement gfortran records the line of any of its arguments.

module expected_calls
    implicit none
    integer, parameter :: most_sites = 300
    integer :: number = 0
    character(len=32) :: functions(most_sites)
    integer :: lines(most_sites)
    integer(kind=8) :: calls(most_sites) = 0, sent(most_sites) = 0, received(most_sites) = 0
    private
    public :: expect_call, print_expected_calls
contains
    subroutine expect_call(name, line, bytes_sent, bytes_received)
        character(len=*), intent(in) :: name
        integer, intent(in) :: line, bytes_sent, bytes_received
        integer :: i
        do i = 1, number
            if (lines(i) == line + 1 .and. functions(i) == name) exit
        end do
        if (i > number) then
            if (i > most_sites) error stop 'expect_call: most_sites is too small'
            number = i
            functions(i) = name
            lines(i) = line + 1
        end if
        calls(i) = calls(i) + 1
        sent(i) = sent(i) + bytes_sent
        received(i) = received(i) + bytes_received
    end subroutine

    subroutine print_expected_calls(file)
        character(len=*), intent(in) :: file
        integer :: i
        do i = 1, number
            print '(4a,4(1x,i0))', 'call ', trim(functions(i)), ' ', file, lines(i), calls(i), &
                sent(i), received(i)
            ! whole lines, that those of other processes cannot come into
            flush (6)
        end do
    end subroutine
end module
