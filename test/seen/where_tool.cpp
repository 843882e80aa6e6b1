/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool "where": prints the call site of every call beside the line that the program has announced
 * for it. It is linked into the program, so that it works in static ones too. */

#include <dlfcn.h>
#include <mpi.h>
#include <cstdint>
#include <cstdio>

namespace {

int line;     // of the next call; 0: not announced
void *first;  // call site that the first instance of the chain saw

template <typename Function, typename... Arguments>
int pass_on(MPI_Context context, int tool_id, MPI_Functions_enum id, const char *name,
            Arguments... arguments)
{
    void *address = nullptr;
    void (*next)() = nullptr;
    int next_tool_id = 0;

    if (line != 0) {
        MPI_Get_calling_address(context, &address);
        if (tool_id == 1) {
            Dl_info object = {};
            dladdr(address, &object);
            // of the call instruction, as an offset in its object
            std::printf("%d %s 0x%jx %s\n", line, name,
                        static_cast<std::uintmax_t>(static_cast<char *>(address) -
                                                    static_cast<char *>(object.dli_fbase)) -
                            1,
                        object.dli_fname);
            first = address;
        } else if (address != first) {
            std::printf("%d %s instance %d saw %p, the first one %p\n", line, name, tool_id,
                        address, first);
        }
    }
    MPI_Get_next_tool_function(tool_id, id, &next, &next_tool_id);
    const int result = reinterpret_cast<Function *>(next)(context, next_tool_id, arguments...);
    if (tool_id == 1)
        line = 0;
    return result;  // no call in tail position: every instance has a frame on the stack
}

int barrier(MPI_Context context, int tool_id, MPI_Comm comm)
{
    return pass_on<MPI_Barrier_t>(context, tool_id, MPI_BARRIER_T, "MPI_Barrier", comm);
}

int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    return pass_on<MPI_Comm_rank_t>(context, tool_id, MPI_COMM_RANK_T, "MPI_Comm_rank", comm, rank);
}

int send(MPI_Context context, int tool_id, const void *buf, int count, MPI_Datatype datatype,
         int dest, int tag, MPI_Comm comm)
{
    return pass_on<MPI_Send_t>(context, tool_id, MPI_SEND_T, "MPI_Send", buf, count, datatype, dest,
                               tag, comm);
}

int sendrecv(MPI_Context context, int tool_id, const void *sendbuf, int sendcount,
             MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return pass_on<MPI_Sendrecv_t>(context, tool_id, MPI_SENDRECV_T, "MPI_Sendrecv", sendbuf,
                                   sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                   source, recvtag, comm, status);
}

void init(int tool_id)
{
    MPI_Register_tool_function(tool_id, MPI_BARRIER_T, reinterpret_cast<void (*)()>(barrier));
    MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, reinterpret_cast<void (*)()>(comm_rank));
    MPI_Register_tool_function(tool_id, MPI_SEND_T, reinterpret_cast<void (*)()>(send));
    MPI_Register_tool_function(tool_id, MPI_SENDRECV_T, reinterpret_cast<void (*)()>(sendrecv));
}

__attribute__((constructor)) void load()
{
    MPI_Register_tool_name("where", init);
}

}  // namespace

/* The program's next MPI call is on this line of its source. */
extern "C" void next_call_is_on(int number)
{
    line = number;
    std::fflush(stdout);
}
