// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// The program whose MPI calls are counted. It knows nothing of tools: the same source is built for every library.
//
// Each phase ends with a request to callgrind to write what it counted since the last one. A function is called in
// phases of different length, so that whatever a phase costs besides its calls cancels in the difference.

#include "phases.h"

#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <unistd.h>

namespace
{

void call_comm_rank(long calls)
{
    int rank;
    for (long i = 0; i < calls; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

void call_send(long calls)
{
    int value = 0;
    for (long i = 0; i < calls; i++)
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

MPI_File file;

void call_file_get_amode(long calls)
{
    int amode;
    for (long i = 0; i < calls; i++)
        MPI_File_get_amode(file, &amode);
}

void call_file_write_at(long calls)
{
    int value = 0;
    for (long i = 0; i < calls; i++)
        MPI_File_write_at(file, 0, &value, 0, MPI_INT, MPI_STATUS_IGNORE);
}

}   // namespace

extern "C" {
void mpif_send(long calls);
void f08_send(long calls);
void f08_comm_rank(long calls);
}

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        std::fputs("calls: MPI_Init failed\n", stderr);
        return 1;
    }
    cost::count_phases("MPI_Comm_rank", call_comm_rank);
    cost::count_phases("MPI_Send", call_send);
#ifdef ALL_INTERFACES
    char name[] = "cost.XXXXXX";
    close(mkstemp(name));
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    cost::count_phases("MPI_File_get_amode", call_file_get_amode);
    cost::count_phases("MPI_File_write_at", call_file_write_at);
    MPI_File_close(&file);
    cost::count_phases("mpif.h MPI_Send", mpif_send);
    cost::count_phases("mpi_f08 MPI_Send", f08_send);
    cost::count_phases("mpi_f08 MPI_Comm_rank", f08_comm_rank);
#endif
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
