/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A witness against whom tools are checked with programs that do not count by themselves: a library
 * of the old profiling interface, for LD_PRELOAD, that counts calls and bytes of some functions and
 * prints lines "witness FUNCTION CALLS SENT RECEIVED" in every process. It knows no QMPI. The
 * programs receive as much as their buffers can take. */

#include <mpi.h>
#include <stdio.h>

#define FUNCTIONS(f) f(Send) f(Recv) f(Isend) f(Irecv) f(Bcast) f(Allreduce) f(Gather) f(Wait) f(Waitall) f(Barrier)

#define NUMBER(name) name##_number,
enum { FUNCTIONS(NUMBER) LAST };

static struct {
    long calls, sent, received;
} counts[LAST];

static void count(int function, long sent, long received)
{
    counts[function].calls++;
    counts[function].sent += sent;
    counts[function].received += received;
}

static long bytes(int count, MPI_Datatype datatype)
{
    int size;
    PMPI_Type_size(datatype, &size);
    return (long) count * size;
}

static int size_of(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

static int rank_in(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int MPI_Send(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm comm)
{
    count(Send_number, dest == MPI_PROC_NULL ? 0 : bytes(n, t), 0);
    return PMPI_Send(b, n, t, dest, tag, comm);
}

int MPI_Recv(void *b, int n, MPI_Datatype t, int source, int tag, MPI_Comm comm, MPI_Status * status)
{
    count(Recv_number, 0, source == MPI_PROC_NULL ? 0 : bytes(n, t));
    return PMPI_Recv(b, n, t, source, tag, comm, status);
}

int MPI_Isend(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm comm, MPI_Request * request)
{
    count(Isend_number, dest == MPI_PROC_NULL ? 0 : bytes(n, t), 0);
    return PMPI_Isend(b, n, t, dest, tag, comm, request);
}

int MPI_Irecv(void *b, int n, MPI_Datatype t, int source, int tag, MPI_Comm comm, MPI_Request * request)
{
    count(Irecv_number, 0, source == MPI_PROC_NULL ? 0 : bytes(n, t));
    return PMPI_Irecv(b, n, t, source, tag, comm, request);
}

int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm comm)
{
    int is_root = rank_in(comm) == root;
    count(Bcast_number, is_root ? (size_of(comm) - 1) * bytes(n, t) : 0, is_root ? 0 : bytes(n, t));
    return PMPI_Bcast(b, n, t, root, comm);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm)
{
    long all = (size_of(comm) - (in == MPI_IN_PLACE)) * bytes(n, t);
    count(Allreduce_number, all, all);
    return PMPI_Allreduce(in, out, n, t, op, comm);
}

int MPI_Gather(const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u, int root, MPI_Comm comm)
{
    int is_in_place = in == MPI_IN_PLACE;
    count(Gather_number, is_in_place ? 0 : bytes(n, t),
          rank_in(comm) == root ? (size_of(comm) - is_in_place) * bytes(m, u) : 0);
    return PMPI_Gather(in, n, t, out, m, u, root, comm);
}

int MPI_Wait(MPI_Request * request, MPI_Status * status)
{
    count(Wait_number, 0, 0);
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    count(Waitall_number, 0, 0);
    return PMPI_Waitall(n, requests, statuses);
}

int MPI_Barrier(MPI_Comm comm)
{
    count(Barrier_number, 0, 0);
    return PMPI_Barrier(comm);
}

int MPI_Finalize(void)
{
#define NAME(name) "MPI_" #name,
    static const char *const names[] = { FUNCTIONS(NAME) };
    char text[2000] = "";
    int length = 0;
    for (int i = 0; i < LAST; i++) {
        if (counts[i].calls > 0)
            length += snprintf(text + length, sizeof text - (size_t) length, "witness %s %ld %ld %ld\n", names[i],
                               counts[i].calls, counts[i].sent, counts[i].received);
    }
    fputs(text, stdout);
    fflush(stdout);
    return PMPI_Finalize();
}
