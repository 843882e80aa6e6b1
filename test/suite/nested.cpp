/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool "nested" passes every call on, and ends the program if it sees an internal call of the
 * library: a call during another call of the same thread that does not come from a callback of the
 * application. Preload it and list "nested" to test a program, such as MPICH's test suite, for
 * internal calls that tools see.
 *
 * The call site distinguishes the two: a callback's call comes from the application's code, an
 * internal call from an object of the library. NESTED_STATISTICS=1 in the environment prints the
 * numbers of calls and of calls from callbacks at the end. */

#include <dlfcn.h>
#include <mpi.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Link {
    void (*function)();
    int tool_id;
};
Link links[MPI_LAST_FUNC_T];
int instances;

thread_local const char *below;  // this thread's call that is in the library
std::atomic<long> calls, from_callbacks;

bool is_library(const char *file)
{
    const char *name = std::strrchr(file, '/');
    name = name ? name + 1 : file;
    return std::strncmp(name, "libmpi", 6) == 0 || std::strncmp(name, "libpmpi", 7) == 0;
}

/* A call begins; returns the call that it is nested in. */
const char *enter(MPI_Context context, const char *name)
{
    const char *outer = below;

    calls++;
    if (outer) {
        void *address = nullptr;
        Dl_info object = {};
        MPI_Get_calling_address(context, &address);
        if (dladdr(address, &object) == 0 || is_library(object.dli_fname)) {
            std::fprintf(stderr, "nested: %s is called at %p in %s while %s is below\n", name,
                         address, object.dli_fname ? object.dli_fname : "an unknown object", outer);
            std::abort();
        }
        from_callbacks++;
    }
    below = name;
    return outer;
}

/* A call ends. */
struct Return {
    const char *outer;
    ~Return() { below = outer; }
};

#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    type pass_on_##name tool_params                                                       \
    {                                                                                     \
        const int next_tool_id = links[id].tool_id;                                       \
        static_cast<void>(tool_id);                                                       \
        const Return back = {enter(context, #name)};                                      \
        return reinterpret_cast<name##_t *>(links[id].function) next_args;                \
    }
#define MPIX_QMPI_FUNCTION_PCONTROL(id, type, name, tool_params, next_args, params, args, buffers) \
    type pass_on_##name tool_params                                                                \
    {                                                                                              \
        static_cast<void>(tool_id);                                                                \
        const Return back = {enter(context, #name)};                                               \
        return MPI_SUCCESS;                                                                        \
    }
#include <mpi_qmpi_functions.h>

void ready(int tool_id)
{
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        MPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(id),
                                   &links[id].function, &links[id].tool_id);
}

void init(int tool_id)
{
    if (++instances > 1) {
        std::fputs("nested: can be listed only once\n", stderr);
        std::exit(1);
    }
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    MPI_Register_tool_function(tool_id, id, reinterpret_cast<void (*)()>(pass_on_##name));
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
    MPIX_Register_tool_ready_function(tool_id, ready);
}

void say()
{
    std::fprintf(stderr, "nested: %ld calls, %ld of them from callbacks, none internal\n",
                 calls.load(), from_callbacks.load());
}

__attribute__((constructor)) void load()
{
    MPI_Register_tool_name("nested", init);
    if (std::getenv("NESTED_STATISTICS"))
        std::atexit(say);
}

}  // namespace
