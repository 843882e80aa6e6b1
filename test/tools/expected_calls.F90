! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory

! What a profile has to say of the calls of a program, by place in the source: expected_calls.h for
! programs in Fortran, which include this file. A call stands on the line behind its "call expect_call",
! in that one line: gfortran notes for a longer statement the line of any of its arguments.

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
