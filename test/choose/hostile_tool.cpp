/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool that misbehaves in MPI_Comm_rank, as its argument says:
 *   silent     never calls the next link
 *   throws     throws a std::runtime_error
 *   jumps      jumps to an earlier instance of this tool, over all that is between
 *   again      calls MPI_Comm_rank in place of the next link, once
 *   closes     its init callback closes its own library more often than it was opened */

#include <mpi.h>

#include <dlfcn.h>
#include <csetjmp>
#include <cstring>
#include <stdexcept>

namespace {

jmp_buf first_instance;
bool is_first_in_call = false, is_again = false;

int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    const char *how = "";
    void (*next)();
    int next_id;

    MPIX_Get_tool_arguments(tool_id, &how);
    if (std::strcmp(how, "silent") == 0)
        return MPI_SUCCESS;
    if (std::strcmp(how, "throws") == 0)
        throw std::runtime_error("hostile");
    if (std::strcmp(how, "again") == 0 && !is_again) {
        is_again = true;
        const int result = MPI_Comm_rank(comm, rank);
        is_again = false;
        return result;
    }
    if (std::strcmp(how, "jumps") == 0) {
        if (is_first_in_call)
            std::longjmp(first_instance, 1);
        is_first_in_call = true;
        if (setjmp(first_instance) != 0) {
            is_first_in_call = false;
            *rank = 0;
            return MPI_SUCCESS;
        }
    }
    MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &next, &next_id);
    return reinterpret_cast<MPI_Comm_rank_t *>(next)(context, next_id, comm, rank);
}

void init(int tool_id)
{
    const char *how = "";
    Dl_info info;

    MPIX_Get_tool_arguments(tool_id, &how);
    if (std::strcmp(how, "closes") == 0 && dladdr(&first_instance, &info) != 0) {
        void *own = dlopen(info.dli_fname, RTLD_NOW);
        dlclose(own);
        dlclose(own);
    }
    MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, reinterpret_cast<void (*)()>(comm_rank));
}

__attribute__((constructor)) void start()
{
    MPI_Register_tool_name("hostile", init);
}

}  // namespace
