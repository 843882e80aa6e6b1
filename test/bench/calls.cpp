// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#include "calls.hpp"

#include <mpi.h>
#include <unistd.h>
#include <cstdlib>

// -DALL_INTERFACES adds MPI-IO and Fortran, which not every library has.

#ifdef ALL_INTERFACES
// from calls_fortran.F90, which is compiled once for each interface
#define FORTRAN_CALLS(interface_)             \
    void interface_##_comm_rank(long calls);  \
    void interface_##_wtime(long calls);      \
    void interface_##_send(long calls);       \
    void interface_##_iprobe(long calls);     \
    void interface_##_isend_wait(long calls); \
    void interface_##_ping_pong(long calls);  \
    void interface_##_allreduce(long calls);  \
    void interface_##_file_write(long calls); \
    void interface_##_set_file(MPI_Fint file);

extern "C" {
FORTRAN_CALLS(mpif)
FORTRAN_CALLS(f08)
}
#endif

namespace {

void comm_rank(long calls)
{
    int rank;
    for (long i = 0; i < calls; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

void wtime(long calls)
{
    for (long i = 0; i < calls; i++)
        MPI_Wtime();
}

void send(long calls)
{
    int value = 0;
    for (long i = 0; i < calls; i++)
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void iprobe(long calls)
{
    int is_there;
    for (long i = 0; i < calls; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
}

void isend_wait(long calls)
{
    int value = 0;
    for (long i = 0; i < calls; i++) {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

#ifdef ALL_INTERFACES
MPI_File file;

void file_write(long calls)
{
    int value = 0;
    for (long i = 0; i < calls; i++)
        MPI_File_write(file, &value, 0, MPI_INT, MPI_STATUS_IGNORE);
}
#endif

// One call is a message to the other rank and one back.
template <int doubles>
void ping_pong(long calls)
{
    double value = 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long i = 0; i < calls; i++) {
        if (rank == 0)
            MPI_Send(&value, doubles, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, doubles, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&value, doubles, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}

void allreduce(long calls)
{
    double value = 0, sum;
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace

const std::vector<bench::Call> bench::calls = {
    {"MPI_Comm_rank", 1, true, comm_rank},
    {"MPI_Wtime", 1, true, wtime},
    {"MPI_Send to MPI_PROC_NULL", 1, true, send},
    {"MPI_Iprobe", 1, false, iprobe},
    {"MPI_Isend+MPI_Wait", 1, false, isend_wait},
#ifdef ALL_INTERFACES
    {"MPI_File_write 0 bytes", 1, false, file_write},
    {"mpif.h MPI_Comm_rank", 1, false, mpif_comm_rank},
    {"mpif.h MPI_Wtime", 1, false, mpif_wtime},
    {"mpif.h MPI_Send to MPI_PROC_NULL", 1, false, mpif_send},
    {"mpif.h MPI_Iprobe", 1, false, mpif_iprobe},
    {"mpif.h MPI_Isend+MPI_Wait", 1, false, mpif_isend_wait},
    {"mpif.h MPI_File_write 0 bytes", 1, false, mpif_file_write},
    {"mpi_f08 MPI_Comm_rank", 1, false, f08_comm_rank},
    {"mpi_f08 MPI_Wtime", 1, false, f08_wtime},
    {"mpi_f08 MPI_Send to MPI_PROC_NULL", 1, false, f08_send},
    {"mpi_f08 MPI_Iprobe", 1, false, f08_iprobe},
    {"mpi_f08 MPI_Isend+MPI_Wait", 1, false, f08_isend_wait},
    {"mpi_f08 MPI_File_write 0 bytes", 1, false, f08_file_write},
#endif
    {"ping-pong 0 bytes", 2, false, ping_pong<0>},
    {"ping-pong 8 bytes", 2, false, ping_pong<1>},
    {"MPI_Allreduce 8 bytes", 2, false, allreduce},
#ifdef ALL_INTERFACES
    {"mpif.h ping-pong 8 bytes", 2, false, mpif_ping_pong},
    {"mpif.h MPI_Allreduce 8 bytes", 2, false, mpif_allreduce},
    {"mpi_f08 ping-pong 8 bytes", 2, false, f08_ping_pong},
    {"mpi_f08 MPI_Allreduce 8 bytes", 2, false, f08_allreduce},
#endif
};

void bench::set_up()
{
#ifdef ALL_INTERFACES
    char name[] = "file.XXXXXX";
    close(mkstemp(name));
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    mpif_set_file(MPI_File_c2f(file));
    f08_set_file(MPI_File_c2f(file));
#endif
}

void bench::tear_down()
{
#ifdef ALL_INTERFACES
    MPI_File_close(&file);
#endif
}
