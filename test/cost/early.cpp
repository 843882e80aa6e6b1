// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A program that never initializes MPI: calls that are allowed then, in phases that callgrind counts.

#include "phases.h"

#include <mpi.h>

int main()
{
    cost::count_phases("MPI_Initialized", [](long n) {
        int flag;
        for (long i = 0; i < n; i++)
            MPI_Initialized(&flag);
    });
    cost::count_phases("MPI_Get_version", [](long n) {
        int version, subversion;
        for (long i = 0; i < n; i++)
            MPI_Get_version(&version, &subversion);
    });
    return 0;
}
