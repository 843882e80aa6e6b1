/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What a program in any language calls, as a C tool and as C PMPI wrappers see it. Preloaded and
 * listed as "record"; the program asks with saw() after every call. */

#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string tool_log, pmpi_log;
int asked, wrong;

struct Link {
    void (*function)();
    int tool_id;
};
Link next_link[MPI_LAST_FUNC_T];

template <typename F> F *next(int id)
{
    return reinterpret_cast<F *>(next_link[id].function);
}

#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers)       \
    type record_##name tool_params                                                              \
    {                                                                                           \
        tool_log += " " #name;                                                                  \
        const int next_tool_id = next_link[id].tool_id;                                         \
        static_cast<void>(tool_id);                                                             \
        return next<name##_t>(id) next_args;                                                    \
    }
#include <mpi_qmpi_functions.h>

void ready(int tool_id)
{
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        MPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(id),
                                   &next_link[id].function, &next_link[id].tool_id);
}

void init(int tool_id)
{
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers)       \
    MPI_Register_tool_function(tool_id, id, reinterpret_cast<void (*)()>(record_##name));
#include <mpi_qmpi_functions.h>
    MPIX_Register_tool_ready_function(tool_id, ready);
}

__attribute__((constructor)) void load()
{
    MPI_Register_tool_name("record", init);
}

} // namespace

extern "C" {

/* The program made one call of the function, as text with its length, since the last question: was
 * it seen once, and nothing besides, by the tool? 1 for yes. */
int saw(const char *function, int length)
{
    const std::string expected = " " + std::string(function, length);
    const bool right = tool_log == expected;

    asked++;
    if (!right) {
        wrong++;
        std::fprintf(stderr, "not ok  %s: the tool saw%s\n", expected.c_str() + 1,
                     tool_log.empty() ? " nothing" : tool_log.c_str());
    }
    tool_log.clear();
    return right;
}

/* The same question for the PMPI wrappers below. */
int wrapper_saw(const char *function, int length)
{
    const std::string expected = " " + std::string(function, length);
    const bool right = pmpi_log == expected;

    asked++;
    if (!right) {
        wrong++;
        std::fprintf(stderr, "not ok  %s: the PMPI wrappers saw%s\n", expected.c_str() + 1,
                     pmpi_log.empty() ? " nothing" : pmpi_log.c_str());
    }
    pmpi_log.clear();
    return right;
}

/* Prints the count, once for all processes where nothing is wrong. */
void tell(int rank)
{
    if (rank == 0 || wrong > 0)
        std::printf("%d passed, %d failed\n", asked - wrong, wrong);
    std::fflush(stdout);
}

int MPI_Barrier(MPI_Comm comm)
{
    pmpi_log += " MPI_Barrier";
    return PMPI_Barrier(comm);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    pmpi_log += " MPI_Send";
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

} // extern "C"
