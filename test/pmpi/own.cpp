/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that defines names which the program, the C library or another copy of the tool define
 * too: a variable and a function of C, variables that C++ has once in a process, and a variable of each
 * thread. It also uses what it must share with the program: the allocator and the standard streams. */

#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

extern "C" {
int calls;
int rand();
}
inline int inline_calls;
thread_local int thread_calls;

inline int &local_calls()
{
    static int n;
    return n;
}

int rand()
{
    return -7;
}

int MPI_Barrier(MPI_Comm comm)
{
    calls++;
    inline_calls++;
    local_calls()++;
    thread_calls++;
    return PMPI_Barrier(comm);
}

int MPI_Finalize()
{
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &exception) {
        char *copy = strdup(exception.what());
        std::cout << "own: calls " << calls << ' ' << inline_calls << ' ' << local_calls() << ' '
                  << thread_calls << " rand " << rand() << ' ' << copy << std::endl;
        std::free(copy);
    }
    return PMPI_Finalize();
}
