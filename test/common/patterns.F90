! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory

! Communication patterns in Fortran, with mpi_f08 and (at the end) with mpif.h, in the form of patterns.c.
! For 2 to 16 processes.

#include "expected_calls.F90"

module truth
    use mpi_f08
    use expected_calls
    implicit none
    integer, parameter :: most = 16, room = 512
    integer :: my_rank, ranks
    integer :: phase = 2
    character(len=80) :: kind_name, pattern_name
    integer(MPI_COUNT_KIND) :: messages(0:most-1, 0:most-1), bytes(0:most-1, 0:most-1)
contains
    subroutine begin_pattern(kind_of_it, name)
        character(len=*), intent(in) :: kind_of_it, name
        kind_name = kind_of_it
        pattern_name = name
        messages = 0
        bytes = 0
        phase = phase + 1
        call expect_call('MPI_Barrier', __LINE__, 0, 0)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Pcontrol(phase)
    end subroutine

    subroutine expect(origin, target, content)
        integer, intent(in) :: origin, target, content
        messages(origin, target) = messages(origin, target) + 1
        bytes(origin, target) = bytes(origin, target) + content
    end subroutine

    subroutine end_pattern()
        integer :: i, j
        if (my_rank /= 0) return
        print '(a,i0,4a)', 'pattern ', phase, ' ', trim(kind_name), ' ', trim(pattern_name)
        do i = 0, ranks - 1
            do j = 0, ranks - 1
                if (messages(i, j) > 0) print '(a,5(1x,i0))', 'expect', phase, i, j, messages(i, j), bytes(i, j)
            end do
        end do
        flush (6)
    end subroutine

    pure integer function next(of)
        integer, intent(in) :: of
        next = modulo(of + 1, ranks)
    end function

    pure integer function previous(of)
        integer, intent(in) :: of
        previous = modulo(of - 1, ranks)
    end function

    ! Bytes of a call that only the root has, or only the others.
    pure integer function only_at(root, content)
        integer, intent(in) :: root, content
        only_at = merge(content, 0, my_rank == root)
    end function

    pure integer function except_at(root, content)
        integer, intent(in) :: root, content
        except_at = merge(0, content, my_rank == root)
    end function

    pure integer function amount(origin, target)
        integer, intent(in) :: origin, target
        amount = merge(0, 2 + 3 * origin + 7 * target, origin == 1 .and. target == 0)
    end function

    subroutine expect_ring(content)
        integer, intent(in) :: content
        integer :: i
        do i = 0, ranks - 1
            call expect(i, next(i), content)
        end do
    end subroutine

    subroutine expect_all(content, with_own)
        integer, intent(in) :: content
        logical, intent(in) :: with_own
        integer :: i, j
        do i = 0, ranks - 1
            do j = 0, ranks - 1
                if (i /= j .or. with_own) call expect(i, j, content)
            end do
        end do
    end subroutine
end module

module patterns
    use truth
    implicit none
    integer, asynchronous :: out(room * most), in(room * most)
    double precision, asynchronous :: values(room), sums(room)
contains
    subroutine point_to_point()
        type(MPI_Request) :: request, pair(2), many(2 * most)
        type(MPI_Status) :: status, statuses(2 * most)
        type(MPI_Message) :: message
        integer :: i, j, number, completed, indices(2 * most), above, below
        ! an array: for a call with a local variable as output gfortran notes the line of the block
        logical :: is_complete(1)

        call begin_pattern('point-to-point', 'isend, irecv, waitall')
        call expect_call('MPI_Irecv', __LINE__, 0, 80)
        call MPI_Irecv(in, room, MPI_INTEGER, previous(my_rank), 1, MPI_COMM_WORLD, pair(1))
        call expect_call('MPI_Isend', __LINE__, 80, 0)
        call MPI_Isend(out, 20, MPI_INTEGER, next(my_rank), 1, MPI_COMM_WORLD, pair(2))
        call expect_call('MPI_Waitall', __LINE__, 0, 0)
        call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE)
        call expect_ring(80)
        call end_pattern()

        call begin_pattern('point-to-point', 'send, recv from anybody')
        if (my_rank == 0) then
            do i = 1, ranks - 1
                ! in any order
                call expect_call('MPI_Recv', __LINE__, 0, 8 * i)
                call MPI_Recv(values, room, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            end do
        else
            call expect_call('MPI_Send', __LINE__, 8 * my_rank, 0)
            call MPI_Send(values, my_rank, MPI_DOUBLE_PRECISION, 0, my_rank, MPI_COMM_WORLD)
        end if
        do i = 1, ranks - 1
            call expect(i, 0, 8 * i)
        end do
        call end_pattern()

        call begin_pattern('point-to-point', 'sendrecv')
        above = merge(my_rank + 1, MPI_PROC_NULL, my_rank + 1 < ranks)
        below = merge(my_rank - 1, MPI_PROC_NULL, my_rank > 0)
        call expect_call('MPI_Sendrecv', __LINE__, merge(24, 0, my_rank + 1 < ranks), merge(24, 0, my_rank > 0))
        call MPI_Sendrecv(out, 6, MPI_INTEGER, above, 2, in, room, MPI_INTEGER, below, 2, MPI_COMM_WORLD, status)
        do i = 0, ranks - 2
            call expect(i, i + 1, 24)
        end do
        call end_pattern()

        call begin_pattern('point-to-point', 'sendrecv_replace')
        call expect_call('MPI_Sendrecv_replace', __LINE__, 32, 32)
        call MPI_Sendrecv_replace(out, 8, MPI_INTEGER, next(my_rank), 3, previous(my_rank), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect_ring(32)
        call end_pattern()

        call begin_pattern('point-to-point', 'issend, waitsome')
        number = 0
        do i = 0, ranks - 1
            number = number + 1
            call expect_call('MPI_Irecv', __LINE__, 0, 4 * amount(i, my_rank))
            call MPI_Irecv(in(room * i + 1:), room, MPI_INTEGER, i, 4, MPI_COMM_WORLD, many(number))
        end do
        do i = 0, ranks - 1
            number = number + 1
            call expect_call('MPI_Issend', __LINE__, 4 * amount(my_rank, i), 0)
            call MPI_Issend(out, amount(my_rank, i), MPI_INTEGER, i, 4, MPI_COMM_WORLD, many(number))
        end do
        completed = 0
        do while (completed /= MPI_UNDEFINED)
            call expect_call('MPI_Waitsome', __LINE__, 0, 0)
            call MPI_Waitsome(number, many, completed, indices, statuses)
        end do
        do i = 0, ranks - 1
            do j = 0, ranks - 1
                call expect(i, j, 4 * amount(i, j))
            end do
        end do
        call end_pattern()

        call begin_pattern('point-to-point', 'persistent, twice')
        call expect_call('MPI_Send_init', __LINE__, 2 * 36, 0)
        call MPI_Send_init(out, 9, MPI_INTEGER, next(my_rank), 5, MPI_COMM_WORLD, pair(1))
        call expect_call('MPI_Recv_init', __LINE__, 0, 2 * 36)
        call MPI_Recv_init(in, room, MPI_INTEGER, previous(my_rank), 5, MPI_COMM_WORLD, pair(2))
        do i = 1, 2
            call expect_call('MPI_Startall', __LINE__, 0, 0)
            call MPI_Startall(2, pair)
            call expect_call('MPI_Waitall', __LINE__, 0, 0)
            call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE)
        end do
        call expect_call('MPI_Request_free', __LINE__, 0, 0)
        call MPI_Request_free(pair(1))
        call expect_call('MPI_Request_free', __LINE__, 0, 0)
        call MPI_Request_free(pair(2))
        call expect_ring(36)
        call expect_ring(36)
        call end_pattern()

        call begin_pattern('point-to-point', 'matched probe, test')
        call expect_call('MPI_Isend', __LINE__, 60, 0)
        call MPI_Isend(out, 15, MPI_INTEGER, next(my_rank), 6, MPI_COMM_WORLD, request)
        call expect_call('MPI_Mprobe', __LINE__, 0, 0)
        call MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, message, status)
        call expect_call('MPI_Mrecv', __LINE__, 0, 60)
        call MPI_Mrecv(in, room, MPI_INTEGER, message, MPI_STATUS_IGNORE)
        is_complete = .false.
        do while (.not. is_complete(1))
            call expect_call('MPI_Test', __LINE__, 0, 0)
            call MPI_Test(request, is_complete(1), MPI_STATUS_IGNORE)
        end do
        call expect_ring(60)
        call end_pattern()

        call begin_pattern('point-to-point', 'large count')
        call expect_call('MPI_Irecv_c', __LINE__, 0, 64)
        call MPI_Irecv(in, int(room, MPI_COUNT_KIND), MPI_INTEGER, previous(my_rank), 7, MPI_COMM_WORLD, request)
        call expect_call('MPI_Send_c', __LINE__, 64, 0)
        call MPI_Send(out, 16_MPI_COUNT_KIND, MPI_INTEGER, next(my_rank), 7, MPI_COMM_WORLD)
        call expect_call('MPI_Wait', __LINE__, 0, 0)
        call MPI_Wait(request, status)
        call expect_ring(64)
        call end_pattern()
    end subroutine

    subroutine rooted()
        integer :: counts(0:most-1), places(0:most-1), i, root
        type(MPI_Request) :: request

        root = ranks - 1
        counts = [(1 + 2 * i, i = 0, most - 1)]
        places = [(room * i, i = 0, most - 1)]

        call begin_pattern('collective', 'bcast')
        call expect_call('MPI_Bcast', __LINE__, only_at(root, 240 * (ranks - 1)), except_at(root, 240))
        call MPI_Bcast(values, 30, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            if (i /= root) call expect(root, i, 240)
        end do
        call end_pattern()

        call begin_pattern('collective', 'gather, in place')
        if (my_rank == root) then
            call expect_call('MPI_Gather', __LINE__, 0, 16 * (ranks - 1))
            call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INTEGER, root, MPI_COMM_WORLD)
        else
            call expect_call('MPI_Gather', __LINE__, 16, 0)
            call MPI_Gather(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, root, MPI_COMM_WORLD)
        end if
        do i = 0, ranks - 1
            if (i /= root) call expect(i, root, 16)
        end do
        call end_pattern()

        call begin_pattern('collective', 'gatherv')
        call expect_call('MPI_Gatherv', __LINE__, 4 * counts(my_rank), only_at(root, 4 * sum(counts(:ranks - 1))))
        call MPI_Gatherv(out, counts(my_rank), MPI_INTEGER, in, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            call expect(i, root, 4 * counts(i))
        end do
        call end_pattern()

        call begin_pattern('collective', 'scatter')
        call expect_call('MPI_Scatter', __LINE__, only_at(root, 20 * ranks), 20)
        call MPI_Scatter(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            call expect(root, i, 20)
        end do
        call end_pattern()

        call begin_pattern('collective', 'iscatterv')
        call expect_call('MPI_Iscatterv', __LINE__, only_at(root, 4 * sum(counts(:ranks - 1))), 4 * counts(my_rank))
        call MPI_Iscatterv(out, counts, places, MPI_INTEGER, in, counts(my_rank), MPI_INTEGER, root, MPI_COMM_WORLD, request)
        call expect_call('MPI_Wait', __LINE__, 0, 0)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        do i = 0, ranks - 1
            call expect(root, i, 4 * counts(i))
        end do
        call end_pattern()

        call begin_pattern('collective', 'reduce')
        call expect_call('MPI_Reduce', __LINE__, 48, only_at(root, 48 * ranks))
        call MPI_Reduce(values, sums, 6, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            call expect(i, root, 48)
        end do
        call end_pattern()

        call begin_pattern('collective', 'persistent bcast, twice')
        call expect_call('MPI_Bcast_init', __LINE__, only_at(root, 2 * 28 * (ranks - 1)), except_at(root, 2 * 28))
        call MPI_Bcast_init(out, 7, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, request)
        do i = 1, 2
            call expect_call('MPI_Start', __LINE__, 0, 0)
            call MPI_Start(request)
            call expect_call('MPI_Wait', __LINE__, 0, 0)
            call MPI_Wait(request, MPI_STATUS_IGNORE)
        end do
        call expect_call('MPI_Request_free', __LINE__, 0, 0)
        call MPI_Request_free(request)
        do i = 0, 2 * ranks - 1
            if (i / 2 /= root) call expect(root, i / 2, 28)
        end do
        call end_pattern()
    end subroutine

    subroutine all_to_all()
        integer :: counts(0:most-1), sent(0:most-1), received(0:most-1), places(0:most-1), places_in_bytes(0:most-1)
        type(MPI_Datatype) :: types(0:most-1)
        type(MPI_Request) :: request
        integer :: i, j, of_others

        do i = 0, most - 1
            counts(i) = 1 + 2 * i
            sent(i) = amount(my_rank, i)
            received(i) = amount(i, my_rank)
            places(i) = room * i
            places_in_bytes(i) = 4 * room * i
            types(i) = MPI_INTEGER
        end do
        of_others = sum(counts(:ranks - 1)) - counts(my_rank)

        call begin_pattern('collective', 'allgather')
        call expect_call('MPI_Allgather', __LINE__, 12 * ranks, 12 * ranks)
        call MPI_Allgather(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD)
        call expect_all(12, .true.)
        call end_pattern()

        call begin_pattern('collective', 'allgatherv, in place')
        call expect_call('MPI_Allgatherv', __LINE__, 4 * counts(my_rank) * (ranks - 1), 4 * of_others)
        call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            do j = 0, ranks - 1
                if (i /= j) call expect(i, j, 4 * counts(i))
            end do
        end do
        call end_pattern()

        call begin_pattern('collective', 'alltoall')
        call expect_call('MPI_Alltoall', __LINE__, 8 * ranks, 8 * ranks)
        call MPI_Alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD)
        call expect_all(8, .true.)
        call end_pattern()

        call begin_pattern('collective', 'alltoallv')
        call expect_call('MPI_Alltoallv', __LINE__, 4 * sum(sent(:ranks - 1)), 4 * sum(received(:ranks - 1)))
        call MPI_Alltoallv(out, sent, places, MPI_INTEGER, in, received, places, MPI_INTEGER, MPI_COMM_WORLD)
        call expect_amounts()
        call end_pattern()

        call begin_pattern('collective', 'ialltoallw')
        call expect_call('MPI_Ialltoallw', __LINE__, 4 * sum(sent(:ranks - 1)), 4 * sum(received(:ranks - 1)))
        call MPI_Ialltoallw(out, sent, places_in_bytes, types, in, received, places_in_bytes, types, MPI_COMM_WORLD, request)
        call expect_call('MPI_Wait', __LINE__, 0, 0)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect_amounts()
        call end_pattern()

        call begin_pattern('collective', 'allreduce, in place')
        call expect_call('MPI_Allreduce', __LINE__, 40 * (ranks - 1), 40 * (ranks - 1))
        call MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
        call expect_all(40, .false.)
        call end_pattern()

        call begin_pattern('collective', 'iallreduce')
        call expect_call('MPI_Iallreduce', __LINE__, 48 * ranks, 48 * ranks)
        call MPI_Iallreduce(values, sums, 6, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, request)
        call expect_call('MPI_Wait', __LINE__, 0, 0)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect_all(48, .true.)
        call end_pattern()

        call begin_pattern('collective', 'reduce_scatter')
        call expect_call('MPI_Reduce_scatter', __LINE__, 4 * sum(counts(:ranks - 1)), 4 * counts(my_rank) * ranks)
        call MPI_Reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            do j = 0, ranks - 1
                call expect(i, j, 4 * counts(j))
            end do
        end do
        call end_pattern()

        call begin_pattern('collective', 'scan')
        call expect_call('MPI_Scan', __LINE__, 28 * (ranks - my_rank), 28 * (my_rank + 1))
        call MPI_Scan(out, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            do j = i, ranks - 1
                call expect(i, j, 28)
            end do
        end do
        call end_pattern()

        call begin_pattern('collective', 'exscan')
        call expect_call('MPI_Exscan', __LINE__, 28 * (ranks - my_rank - 1), 28 * my_rank)
        call MPI_Exscan(out, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        do i = 0, ranks - 1
            do j = i + 1, ranks - 1
                call expect(i, j, 28)
            end do
        end do
        call end_pattern()
    end subroutine

    subroutine expect_amounts()
        integer :: i, j
        do i = 0, ranks - 1
            do j = 0, ranks - 1
                if (amount(i, j) > 0) call expect(i, j, 4 * amount(i, j))
            end do
        end do
    end subroutine

    subroutine other_communicators()
        type(MPI_Comm) :: half, ring
        type(MPI_Win) :: window
        integer, asynchronous :: memory(room)
        integer :: i, j, half_ranks

        half_ranks = (ranks + 1 - modulo(my_rank, 2)) / 2
        call expect_call('MPI_Comm_split', __LINE__, 0, 0)
        call MPI_Comm_split(MPI_COMM_WORLD, modulo(my_rank, 2), -my_rank, half)
        call begin_pattern('collective', 'allgather in halves')
        call expect_call('MPI_Allgather', __LINE__, 24 * half_ranks, 24 * half_ranks)
        call MPI_Allgather(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, half)
        do i = 0, ranks - 1
            do j = modulo(i, 2), ranks - 1, 2
                call expect(i, j, 24)
            end do
        end do
        call end_pattern()
        call expect_call('MPI_Comm_free', __LINE__, 0, 0)
        call MPI_Comm_free(half)

        call expect_call('MPI_Cart_create', __LINE__, 0, 0)
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
        call begin_pattern('collective', 'neighbor_alltoall on a ring')
        call expect_call('MPI_Neighbor_alltoall', __LINE__, 24, 24)
        call MPI_Neighbor_alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, ring)
        do i = 0, ranks - 1
            call expect(i, next(i), 12)
            call expect(i, previous(i), 12)
        end do
        call end_pattern()
        call expect_call('MPI_Comm_free', __LINE__, 0, 0)
        call MPI_Comm_free(ring)

        call expect_call('MPI_Win_create', __LINE__, 0, 0)
        call MPI_Win_create(memory, int(4 * room, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
        call begin_pattern('one-sided', 'put and get')
        call expect_call('MPI_Win_fence', __LINE__, 0, 0)
        call MPI_Win_fence(0, window)
        call expect_call('MPI_Put', __LINE__, 20, 0)
        call MPI_Put(out, 5, MPI_INTEGER, next(my_rank), 0_MPI_ADDRESS_KIND, 5, MPI_INTEGER, window)
        call expect_call('MPI_Win_fence', __LINE__, 0, 0)
        call MPI_Win_fence(0, window)
        call expect_call('MPI_Get', __LINE__, 0, 16)
        call MPI_Get(in, 4, MPI_INTEGER, next(my_rank), 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, window)
        call expect_call('MPI_Win_fence', __LINE__, 0, 0)
        call MPI_Win_fence(0, window)
        do i = 0, ranks - 1
            call expect(i, next(i), 20)
            call expect(next(i), i, 16)
        end do
        call end_pattern()
        call expect_call('MPI_Win_free', __LINE__, 0, 0)
        call MPI_Win_free(window)
    end subroutine
end module

! The old interface.
subroutine with_mpif_h()
    use truth, only: begin_pattern, end_pattern, expect_ring, expect_all, expect, expect_call, only_at, except_at, &
                     my_rank, ranks, next, previous
    implicit none
    include 'mpif.h'
    integer :: out(512), in(512), requests(2), i, error, status(MPI_STATUS_SIZE)

    out = 0
    call begin_pattern('point-to-point', 'mpif.h: isend, irecv, wait')
    call expect_call('MPI_Irecv', __LINE__, 0, 44)
    call MPI_Irecv(in, 512, MPI_INTEGER, previous(my_rank), 0, MPI_COMM_WORLD, requests(1), error)
    call expect_call('MPI_Isend', __LINE__, 44, 0)
    call MPI_Isend(out, 11, MPI_INTEGER, next(my_rank), 0, MPI_COMM_WORLD, requests(2), error)
    call expect_call('MPI_Wait', __LINE__, 0, 0)
    call MPI_Wait(requests(1), status, error)
    call expect_call('MPI_Wait', __LINE__, 0, 0)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
    call expect_ring(44)
    call end_pattern()

    call begin_pattern('collective', 'mpif.h: bcast')
    call expect_call('MPI_Bcast', __LINE__, only_at(0, 48 * (ranks - 1)), except_at(0, 48))
    call MPI_Bcast(out, 12, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    do i = 1, ranks - 1
        call expect(0, i, 48)
    end do
    call end_pattern()

    call begin_pattern('collective', 'mpif.h: allreduce, in place')
    call expect_call('MPI_Allreduce', __LINE__, 52 * (ranks - 1), 52 * (ranks - 1))
    call MPI_Allreduce(MPI_IN_PLACE, in, 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect_all(52, .false.)
    call end_pattern()

    call begin_pattern('collective', 'mpif.h: alltoall')
    call expect_call('MPI_Alltoall', __LINE__, 56 * ranks, 56 * ranks)
    call MPI_Alltoall(out, 14, MPI_INTEGER, in, 14, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect_all(56, .true.)
    call end_pattern()
end subroutine

program main
    use patterns
    implicit none
    external :: with_mpif_h

    call MPI_Init()
    call expect_call('MPI_Comm_rank', __LINE__, 0, 0)
    call MPI_Comm_rank(MPI_COMM_WORLD, my_rank)
    call expect_call('MPI_Comm_size', __LINE__, 0, 0)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (ranks < 2 .or. ranks > most) call MPI_Abort(MPI_COMM_WORLD, 2)
    out = 0
    values = 0
    call point_to_point()
    call rooted()
    call all_to_all()
    call other_communicators()
    call with_mpif_h()
    call print_expected_calls('patterns.F90')
    call MPI_Finalize()
end program
