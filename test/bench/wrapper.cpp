// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A tool that only passes calls on. Preloaded, a tool of the profiling interface has the lowest cost that a tool can
// have; with pmpi= in the tool list it is a member of the chain. With -DGOTCHA_TOOL='"NAME"' it is a tool of GOTCHA.

#include <mpi.h>

#ifndef GOTCHA_TOOL

#define WRAP(result_, name_, parameters_, arguments_) \
    extern "C" result_ MPI_##name_ parameters_        \
    {                                                 \
        return PMPI_##name_ arguments_;               \
    }

#else

#include <gotcha/gotcha.h>

struct Wrapped {
    gotcha_wrappee_handle_t next = nullptr;
    gotcha_binding_t binding; /* GOTCHA keeps its address */

    Wrapped(const char *name, void *wrapper) : binding{name, wrapper, &next}
    {
        gotcha_wrap(&binding, 1, GOTCHA_TOOL);
    }
};

#define WRAP(result_, name_, parameters_, arguments_)                                           \
    extern Wrapped wrapped_##name_;                                                             \
    static result_ call_##name_ parameters_                                                     \
    {                                                                                           \
        auto next =                                                                             \
            reinterpret_cast<result_(*) parameters_>(gotcha_get_wrappee(wrapped_##name_.next)); \
        return next arguments_;                                                                 \
    }                                                                                           \
    Wrapped wrapped_##name_("MPI_" #name_, reinterpret_cast<void *>(call_##name_));

#endif

WRAP(int, Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
WRAP(double, Wtime, (), ())
WRAP(int, Send,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
WRAP(int, Recv,
     (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buf, count, datatype, source, tag, comm, status))
WRAP(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (source, tag, comm, flag, status))
WRAP(int, Isend,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
WRAP(int, Irecv,
     (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, source, tag, comm, request))
WRAP(int, Wait, (MPI_Request * request, MPI_Status *status), (request, status))
WRAP(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
     (count, requests, statuses))
WRAP(int, Bcast, (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
     (buffer, count, datatype, root, comm))
WRAP(int, Allreduce,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, comm))
WRAP(int, File_write,
     (MPI_File file, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
     (file, buf, count, datatype, status))
WRAP(int, Allgather,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
WRAP(int, Allgatherv,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
