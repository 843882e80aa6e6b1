! Copyright (C) by the QMPI for MPICH developers
!     See COPYRIGHT in top-level directory
!
! Does a tool see every call once, under its C name, and no other call? One source for the three
! bindings: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08. Run on one process with the tool of record.cpp.

! gfortran joins words at an empty comment
#if defined(USE_MPI_F08)
#define HANDLE(kind) type(MPI_/**/kind)
#define STATUS type(MPI_Status)
#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#endif

module watch
  use, intrinsic :: iso_c_binding
  implicit none
  interface
     integer(c_int) function saw_c(name, length) bind(C, name="saw")
       import
       character(kind=c_char), intent(in) :: name(*)
       integer(c_int), value :: length
     end function saw_c
     integer(c_int) function wrapper_saw_c(name, length) bind(C, name="wrapper_saw")
       import
       character(kind=c_char), intent(in) :: name(*)
       integer(c_int), value :: length
     end function wrapper_saw_c
     subroutine check_c(right, what, length) bind(C, name="check")
       import
       integer(c_int), value :: right
       character(kind=c_char), intent(in) :: what(*)
       integer(c_int), value :: length
     end subroutine check_c
     subroutine tell(rank) bind(C)
       import
       integer(c_int), value :: rank
     end subroutine tell
  end interface
contains
  subroutine saw(name)
    character(len=*), intent(in) :: name
    integer :: ignored
    ignored = saw_c(name, len(name))
  end subroutine saw
  subroutine saw_nothing(name)
    character(len=*), intent(in) :: name
    call expect(saw_c("", 0) == 1, name // " without a tool")
  end subroutine saw_nothing
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    call check_c(merge(1, 0, right), what, len(what))
  end subroutine expect
  subroutine wrapper_saw(name)
    character(len=*), intent(in) :: name
    integer :: ignored
    ignored = wrapper_saw_c(name, len(name))
  end subroutine wrapper_saw
end module watch

program calls
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  use watch
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  HANDLE(Comm) :: comm, cart, graph
  HANDLE(Group) :: group
  HANDLE(Datatype) :: kinds(1), vector
  HANDLE(Request) :: request
  HANDLE(Info) :: info
  HANDLE(File) :: file
  HANDLE(Win) :: win
  STATUS :: status
  integer :: ierr, rank, size_of, number, flag_count, counts(1), places(1), coords(1)
  integer :: sent(8), grid(4, 4), ranks(1)
  integer, asynchronous :: received(8), back(4)
  integer :: in_degree, out_degree
  integer(kind=MPI_OFFSET_KIND) :: offset
  integer(kind=MPI_ADDRESS_KIND) :: bytes, value, found
  integer :: keyval
  logical :: flag, wrap(1), weighted
  double precision :: now
  character(len=MPI_MAX_PROCESSOR_NAME) :: text

  call MPI_Init(ierr)
  call saw("MPI_Init")
  call MPI_Initialized(flag, ierr)
  call saw("MPI_Initialized")
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call saw("MPI_Comm_rank")
  call MPI_Comm_size(MPI_COMM_WORLD, size_of, ierr)
  call saw("MPI_Comm_size")
  call MPI_Get_processor_name(text, number, ierr)
  call saw("MPI_Get_processor_name")
  now = MPI_Wtime()
  call saw("MPI_Wtime")
  now = MPI_Wtick()
  call saw("MPI_Wtick")

  ! messages
  sent = 1
  received = 0
  call MPI_Irecv(received, 8, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request, ierr)
  call saw("MPI_Irecv")
  call MPI_Send(sent, 8, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierr)
  call saw("MPI_Send")
  call wrapper_saw("MPI_Send")
  call MPI_Wait(request, status, ierr)
  call saw("MPI_Wait")
  call MPI_Get_count(status, MPI_INTEGER, number, ierr)
  call saw("MPI_Get_count")
  call MPI_Sendrecv(sent, 8, MPI_INTEGER, 0, 2, received, 8, MPI_INTEGER, 0, 2, MPI_COMM_SELF, status, ierr)
  call saw("MPI_Sendrecv")
  call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE, ierr)
  call saw("MPI_Iprobe")

  ! a section of an array: mpi_f08 makes a datatype for it
  grid = 7
  back = 0
  call MPI_Irecv(back, 4, MPI_INTEGER, 0, 3, MPI_COMM_SELF, request, ierr)
  call saw("MPI_Irecv")
  call MPI_Send(grid(2, :), 4, MPI_INTEGER, 0, 3, MPI_COMM_SELF, ierr)
  call saw("MPI_Send")
  call wrapper_saw("MPI_Send")
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call saw("MPI_Wait")
  call expect(all(back == 7), "the section of an array that arrived")

  ! collectives, some with arrays as long as the communicator
  counts = 1
  places = 0
  kinds = MPI_INTEGER
  call MPI_Barrier(MPI_COMM_SELF, ierr)
  call saw("MPI_Barrier")
  call wrapper_saw("MPI_Barrier")
  call MPI_Bcast(sent, 8, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  call saw("MPI_Bcast")
  call MPI_Allreduce(MPI_IN_PLACE, sent, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, ierr)
  call saw("MPI_Allreduce")
  call MPI_Gatherv(sent, 1, MPI_INTEGER, received, counts, places, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  call saw("MPI_Gatherv")
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, received, counts, places, MPI_INTEGER, MPI_COMM_SELF, ierr)
  call saw("MPI_Alltoallv")
  call MPI_Alltoallw(sent, counts, places, kinds, received, counts, places, kinds, MPI_COMM_SELF, ierr)
  call saw("MPI_Alltoallw")
  call MPI_Reduce_scatter(sent, received, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, ierr)
  call saw("MPI_Reduce_scatter")
  call MPI_Ialltoallw(sent, counts, places, kinds, received, counts, places, kinds, MPI_COMM_SELF, request, ierr)
  call saw("MPI_Ialltoallw")
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call saw("MPI_Wait")

  ! communicators, groups, topologies
  call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
  call saw("MPI_Comm_dup")
  call MPI_Comm_set_name(comm, "watched", ierr)
  call saw("MPI_Comm_set_name")
  call MPI_Comm_group(comm, group, ierr)
  call saw("MPI_Comm_group")
  call MPI_Group_size(group, number, ierr)
  call saw("MPI_Group_size")
  call MPI_Group_free(group, ierr)
  call saw("MPI_Group_free")
  call MPI_Comm_free(comm, ierr)
  call saw("MPI_Comm_free")
  wrap = .true.
  call MPI_Cart_create(MPI_COMM_SELF, 1, counts, wrap, .false., cart, ierr)
  call saw("MPI_Cart_create")
  coords = 0
  call MPI_Cart_rank(cart, coords, number, ierr)
  call saw("MPI_Cart_rank")
  call MPI_Cart_sub(cart, wrap, comm, ierr)
  call saw("MPI_Cart_sub")
  call MPI_Comm_free(comm, ierr)
  call saw("MPI_Comm_free")
  call MPI_Neighbor_alltoallv(sent, [1, 1], [0, 1], MPI_INTEGER, received, [1, 1], [0, 1], MPI_INTEGER, cart, ierr)
  call saw("MPI_Neighbor_alltoallv")
  call MPI_Comm_free(cart, ierr)
  call saw("MPI_Comm_free")
  ranks = 0
  call MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, ranks, MPI_UNWEIGHTED, 1, ranks, MPI_UNWEIGHTED, &
       MPI_INFO_NULL, .false., graph, ierr)
  call saw("MPI_Dist_graph_create_adjacent")
  call MPI_Dist_graph_neighbors_count(graph, in_degree, out_degree, weighted, ierr)
  call saw("MPI_Dist_graph_neighbors_count")
  call MPI_Comm_free(graph, ierr)
  call saw("MPI_Comm_free")

  ! attributes: Fortran gets the value that it stored, of any width
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, bytes, ierr)
  call saw("MPI_Comm_create_keyval")
  value = -12345678901234_MPI_ADDRESS_KIND
  call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value, ierr)
  call saw("MPI_Comm_set_attr")
  found = 0
  call MPI_Comm_get_attr(MPI_COMM_SELF, keyval, found, flag, ierr)
  call saw("MPI_Comm_get_attr")
  call expect(flag .and. found == value, "the attribute stored in Fortran")
#if !defined(USE_MPI_F08)
  call MPI_Attr_put(MPI_COMM_SELF, keyval, -7, ierr)
  call saw("MPI_Attr_put")
  number = 0
  call MPI_Attr_get(MPI_COMM_SELF, keyval, number, flag, ierr)
  call saw("MPI_Attr_get")
  call expect(flag .and. number == -7, "the attribute stored as an integer")
#endif
  call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval, ierr)
  call saw("MPI_Comm_delete_attr")
  call MPI_Comm_get_attr(MPI_COMM_SELF, keyval, found, flag, ierr)
  call saw("MPI_Comm_get_attr")
  call expect(.not. flag, "the attribute that was deleted")
  call MPI_Comm_free_keyval(keyval, ierr)
  call saw("MPI_Comm_free_keyval")
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, found, flag, ierr)
  call saw("MPI_Comm_get_attr")
  call expect(flag .and. found >= 32767, "the largest tag")

  ! datatypes, information, memory
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, vector, ierr)
  call saw("MPI_Type_vector")
  call MPI_Type_commit(vector, ierr)
  call saw("MPI_Type_commit")
  call MPI_Type_free(vector, ierr)
  call saw("MPI_Type_free")
  call MPI_Type_create_f90_real(6, 30, vector, ierr)
  call saw("MPI_Type_create_f90_real")
  call MPI_Info_create(info, ierr)
  call saw("MPI_Info_create")
  call MPI_Info_set(info, "access_style", "write_once", ierr)
  call saw("MPI_Info_set")
  call MPI_Info_free(info, ierr)
  call saw("MPI_Info_free")
  bytes = 32
  call MPI_Win_create(sent, bytes, 4, MPI_INFO_NULL, MPI_COMM_SELF, win, ierr)
  call saw("MPI_Win_create")
  call MPI_Win_fence(0, win, ierr)
  call saw("MPI_Win_fence")
  call MPI_Win_free(win, ierr)
  call saw("MPI_Win_free")

  ! files, whose handles are converted
  call MPI_File_open(MPI_COMM_SELF, "calls.tmp", MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
       MPI_INFO_NULL, file, ierr)
  call saw("MPI_File_open")
  call MPI_File_write(file, sent, 8, MPI_INTEGER, status, ierr)
  call saw("MPI_File_write")
  offset = 0
  call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
  call saw("MPI_File_seek")
  call MPI_File_read_all(file, received, 8, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call saw("MPI_File_read_all")
  call MPI_File_close(file, ierr)
  call saw("MPI_File_close")

  ! the library without tools
  call QMPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call saw_nothing("QMPI_Comm_rank")
  now = QMPI_Wtime()
  call saw_nothing("QMPI_Wtime")
  back = 0
  call QMPI_Irecv(back, 4, MPI_INTEGER, 0, 3, MPI_COMM_SELF, request, ierr)
  call QMPI_Send(grid(3, :), 4, MPI_INTEGER, 0, 3, MPI_COMM_SELF, ierr)
  call QMPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call saw_nothing("QMPI_Irecv, QMPI_Send, QMPI_Wait")
  call expect(all(back == 7), "what QMPI_Send sent")

  call MPI_Finalize(ierr)
  call saw("MPI_Finalize")
  call tell(rank)
end program calls
