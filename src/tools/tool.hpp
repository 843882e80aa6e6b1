/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What the tools that come with the library share: registration, with one message for whatever
 * goes wrong, the state of an instance, and the links to the next functions of the chain. */

#ifndef QMPI_TOOLS_TOOL_HPP_INCLUDED
#define QMPI_TOOLS_TOOL_HPP_INCLUDED

/* The tools use the C interface only; the old C++ binding would need a library of its own. */
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace qmpi_tool {

/* The function that comes next in the chain for one instance, and the tool id to call it with. */
struct Link {
    void (*function)(void) = nullptr;
    int tool_id = 0;
};

/* A link that knows its function's type: next(context, arguments ...) calls it. */
template <typename Function>
struct Next : Link {
    template <typename... Arguments>
    int operator()(MPI_Context context, Arguments... arguments) const
    {
        return reinterpret_cast<Function *>(function)(context, tool_id, arguments...);
    }
};

inline void complain(const char *tool_name, const char *doing, int error_code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;

    if (error_code == MPI_ERR_UNSUPPORTED_OPERATION) {
        /* Found out before MPI begins, in all processes alike: one of them says so. */
        const char *rank = std::getenv("PMI_RANK");
        if (rank != nullptr && std::strcmp(rank, "0") != 0)
            return;
        std::fprintf(stderr, "QMPI tool %s: this MPI library was built without QMPI; "
                     "the tool does nothing\n", tool_name);
        return;
    }
    QMPI_Error_string(error_code, text, &length);
    std::fprintf(stderr, "QMPI tool %s: %s: %s\n", tool_name, doing, text);
}

/* For the library's constructor. */
inline void register_tool(const char *tool_name, const char *description,
                          MPI_Tool_init_function *init)
{
    int error_code = MPI_Register_tool_name(tool_name, init);
    if (error_code != MPI_SUCCESS) {
        complain(tool_name, "cannot register the name", error_code);
        return;
    }
    MPIX_Set_tool_info(tool_name, MPICH_VERSION, "QMPI for MPICH developers", description);
}

/* For the init callback, like the two that follow. */
template <typename Function>
void intercept(const char *tool_name, int tool_id, int function_enum, Function *function)
{
    int error_code = MPI_Register_tool_function(
        tool_id, static_cast<enum MPI_Functions_enum>(function_enum),
        reinterpret_cast<void (*)(void)>(function));
    if (error_code != MPI_SUCCESS)
        complain(tool_name, "cannot intercept a function", error_code);
}

/* The states of all instances of a tool. They stay to the very end of the process, because calls
 * may still come after MPI_Finalize and out of exit handlers: never destroyed, on purpose. */
template <typename Instance>
std::map<int, Instance *> &instances()
{
    static auto &all = *new std::map<int, Instance *>;
    return all;
}

template <typename Instance>
void create_instance(const char *tool_name, int tool_id, MPIX_Tool_ready_function *ready)
{
    auto *instance = new Instance;
    instances<Instance>()[tool_id] = instance;

    int error_code = MPI_Register_tool_storage(tool_id, instance);
    if (error_code == MPI_SUCCESS)
        error_code = MPIX_Register_tool_ready_function(tool_id, ready);
    if (error_code != MPI_SUCCESS)
        complain(tool_name, "cannot register an instance", error_code);
}

/* For the ready function: before the whole chain stands there is nothing to look up. */
inline void look_up(const char *tool_name, int tool_id, int function_enum, Link &link)
{
    int error_code = MPI_Get_next_tool_function(
        tool_id, static_cast<enum MPI_Functions_enum>(function_enum), &link.function,
        &link.tool_id);
    if (error_code != MPI_SUCCESS)
        complain(tool_name, "cannot find the next function of the chain", error_code);
}

/* For an intercepted call: the state of this instance and no other. */
template <typename Instance>
Instance &instance_of(MPI_Context context, int tool_id)
{
    Instance *instance = nullptr;
    MPI_Get_tool_storage(context, tool_id, &instance);
    return *instance;
}

}  // namespace qmpi_tool

#endif /* QMPI_TOOLS_TOOL_HPP_INCLUDED */
