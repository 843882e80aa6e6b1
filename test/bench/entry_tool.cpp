// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A tool, "others", that intercepts every function but those that entry.cpp calls, and those that
// count_calls.cpp calls besides to open its file.

#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace {

constexpr int called[] = {
    MPI_INIT_T,
    MPI_INIT_THREAD_T,
    MPI_FINALIZE_T,
    MPI_COMM_RANK_T,
    MPI_SEND_T,
    MPI_COMM_SIZE_T,
    MPI_TYPE_SIZE_T,
    MPI_INITIALIZED_T,
    MPI_COMM_TEST_INTER_T,
    MPI_TOPO_TEST_T,
    MPI_TYPE_GET_EXTENT_T,
    MPI_TYPE_GET_TRUE_EXTENT_T,
    MPI_GROUP_SIZE_T,
    MPI_GROUP_RANK_T,
    MPI_GET_COUNT_T,
    MPI_GET_ELEMENTS_T,
    MPI_TEST_CANCELLED_T,
    MPI_QUERY_THREAD_T,
    MPI_IS_THREAD_MAIN_T,
    MPI_FINALIZED_T,
    MPI_FILE_OPEN_T,
    MPI_FILE_C2F_T,
    MPI_FILE_CLOSE_T,
};

void never()
{
    std::fputs("entry_tool: a function was called that the program does not call\n", stderr);
    std::abort();
}

void init(int tool_id)
{
    int intercepted = 0;
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        if (std::find(std::begin(called), std::end(called), id) == std::end(called) &&
            MPI_Register_tool_function(tool_id, static_cast<MPI_Functions_enum>(id), never) ==
                MPI_SUCCESS)
            intercepted++;
    if (intercepted < 500) {
        std::fprintf(stderr, "entry_tool: only %d functions could be intercepted\n", intercepted);
        std::exit(1);
    }
}

__attribute__((constructor)) void name_tool()
{
    MPI_Register_tool_name("others", init);
}

}  // namespace
