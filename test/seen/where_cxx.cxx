/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls on known lines, in C++: of an object, where compilers can inline the binding's function, and
 * through a reference, where they must call it. */

#include <mpi.h>

extern "C" void next_call_is_on(int line);

int main(int argc, char **argv)
{
    int value = 0;

    MPI::Init(argc, argv);
    const MPI::Comm &any = MPI::COMM_SELF;
    next_call_is_on(__LINE__ + 1);
    MPI::COMM_SELF.Barrier();
    next_call_is_on(__LINE__ + 1);
    MPI::COMM_SELF.Get_rank();
    next_call_is_on(__LINE__ + 1);
    any.Get_rank();
    next_call_is_on(__LINE__ + 1);
    any.Send(&value, 1, MPI::INT, MPI::PROC_NULL, 0);
    MPI::Finalize();
    return 0;
}
