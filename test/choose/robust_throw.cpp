// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Tool whose init callback throws (TOOL), and a program that catches everything.

#include <mpi.h>

#include <unistd.h>
#include <cstdio>
#include <stdexcept>

#ifdef TOOL
namespace {

void init(int)
{
    throw std::runtime_error("no licence for this machine");
}

__attribute__((constructor)) void load()
{
    MPI_Register_tool_name("throwing", init);
}

}  // namespace
#else
int main()
{
    alarm(20);
    try {
        MPIX_Load_tools();
    } catch (...) {
        std::puts("caught");
    }
    MPIX_Load_tools();
    std::puts("done");
    return 0;
}
#endif
