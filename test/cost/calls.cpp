// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// The program whose MPI calls are counted. It knows nothing of tools: the same source is built for every library.
//
// Each phase ends with a request to callgrind to write what it counted since the last one. A function is called in
// phases of different length, so that whatever a phase costs besides its calls cancels in the difference.

#include "phases.h"

#include <cstdio>
#include <mpi.h>

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

}   // namespace

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        std::fputs("calls: MPI_Init failed\n", stderr);
        return 1;
    }
    cost::count_phases("MPI_Comm_rank", call_comm_rank);
    cost::count_phases("MPI_Send", call_send);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
