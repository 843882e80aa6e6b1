// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Pass-through tools for chains of any length. The same source is compiled for this library and for
// MPICH's experimental interface (which has no MPIX_TOOL_INTERFACE_VERSION). It uses the names that both
// have.
//   static1 ... static1000   keep links in variables; MPI_Comm_rank and MPI_Send only. Compiled with
//                            -DSTATIC_LAYERS, without the others: a thousand names slow the start-up
//   instance                 keeps links in an array by tool id
//   lookup                   looks the next function up in every call
//   frame                    as instance, with work after the call, so its frame stays on the stack
//   other                    intercepts MPI_Type_size, which no benchmark with this tool calls
//   address                  as instance, and queries the calling address; MPI_Comm_rank only
// Tools without a list of functions intercept all functions that the benchmarks call.

#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

constexpr int most_tools = 1024;

void need(int status, const char *what)
{
    if (status == MPI_SUCCESS)
        return;
    std::fprintf(stderr, "layers: %s returned error code %d\n", what, status);
    std::exit(1);
}

template <typename Function>
struct Link {
    Function *function;
    int tool_id;

    void find(int tool_id_of_caller, QMPI_Functions_enum id)
    {
        need(QMPI_Get_function(tool_id_of_caller, id, reinterpret_cast<void (**)(void)>(&function),
                               &tool_id),
             "QMPI_Get_function");
    }
};

template <typename Function>
void intercept(int tool_id, QMPI_Functions_enum id, Function *function)
{
    need(QMPI_Register_function(tool_id, id, reinterpret_cast<void (*)(void)>(function)),
         "QMPI_Register_function");
}

// Finds the links of an instance when the chain is complete.
using Ready = void(int tool_id);

#ifdef MPIX_TOOL_INTERFACE_VERSION
void when_ready(int tool_id, Ready *ready)
{
    need(MPIX_Register_tool_ready_function(tool_id, ready), "MPIX_Register_tool_ready_function");
}
#else
// The experimental interface has no ready function. The chain is complete in the first call, MPI_Init
// or MPI_Init_thread.
std::array<Ready *, most_tools> ready_functions;

template <typename Function, QMPI_Functions_enum id, typename... Arguments>
int first_call(QMPI_Context context, int tool_id, Arguments... arguments)
{
    Link<Function> next;
    ready_functions[static_cast<unsigned>(tool_id)](tool_id);
    next.find(tool_id, id);
    return next.function(context, next.tool_id, arguments...);
}

void when_ready(int tool_id, Ready *ready)
{
    ready_functions.at(static_cast<unsigned>(tool_id)) = ready;
    intercept<QMPI_Init_t>(tool_id, MPI_INIT_T,
                           first_call<QMPI_Init_t, MPI_INIT_T, int *, char ***>);
    intercept<QMPI_Init_thread_t>(
        tool_id, MPI_INIT_THREAD_T,
        first_call<QMPI_Init_thread_t, MPI_INIT_THREAD_T, int *, char ***, int, int *>);
}
#endif

// ---- a layer of one function, in every kind ----

template <QMPI_Functions_enum id, typename Function>
struct Layer;

template <QMPI_Functions_enum id, typename Result, typename... Arguments>
struct Layer<id, Result(QMPI_Context, int, Arguments...)> {
    using Function = Result(QMPI_Context, int, Arguments...);

    static inline std::array<Link<Function>, most_tools> links;

    template <int number>
    struct Static {
        static inline Link<Function> next;
        static Result call(QMPI_Context context, int, Arguments... arguments)
        {
            return next.function(context, next.tool_id, arguments...);
        }
        static void find(int tool_id) { next.find(tool_id, id); }
    };

    static Result by_instance(QMPI_Context context, int tool_id, Arguments... arguments)
    {
        const auto &next = links[static_cast<unsigned>(tool_id)];
        return next.function(context, next.tool_id, arguments...);
    }

    static Result by_lookup(QMPI_Context context, int tool_id, Arguments... arguments)
    {
        Function *next;
        int next_tool_id;
        QMPI_Get_function(tool_id, id, reinterpret_cast<void (**)(void)>(&next), &next_tool_id);
        return next(context, next_tool_id, arguments...);
    }

    static Result with_frame(QMPI_Context context, int tool_id, Arguments... arguments)
    {
        const auto &next = links[static_cast<unsigned>(tool_id)];
        const Result result = next.function(context, next.tool_id, arguments...);
        __asm__ volatile("" ::: "memory");  // the work
        return result;
    }

    static Result with_address(QMPI_Context context, int tool_id, Arguments... arguments)
    {
        void *address;
        QMPI_Get_calling_address(context, &address);
        return by_instance(context, tool_id, arguments...);
    }

    static void find(int tool_id) { links.at(static_cast<unsigned>(tool_id)).find(tool_id, id); }
};

using CommRank = Layer<MPI_COMM_RANK_T, QMPI_Comm_rank_t>;
using Send = Layer<MPI_SEND_T, QMPI_Send_t>;

// ---- tools: layers of several functions ----

template <QMPI_Functions_enum... ids>
struct Ids {
};

template <typename... Layers, QMPI_Functions_enum... ids>
auto tool_of(Ids<ids...>)
{
    struct OfAll {
        static void find(int tool_id) { (Layers::find(tool_id), ...); }
        static void instance(int tool_id)
        {
            when_ready(tool_id, find);
            (intercept(tool_id, ids, Layers::by_instance), ...);
        }
        static void lookup(int tool_id) { (intercept(tool_id, ids, Layers::by_lookup), ...); }
        static void frame(int tool_id)
        {
            when_ready(tool_id, find);
            (intercept(tool_id, ids, Layers::with_frame), ...);
        }
    };
    return OfAll();
}

#define LAYER(upper_, lower_) Layer<MPI_##upper_##_T, QMPI_##lower_##_t>

// All functions that the benchmarks call. The experimental interface has no MPI-IO.
using All =
    decltype(tool_of<LAYER(COMM_RANK, Comm_rank), LAYER(WTIME, Wtime), LAYER(SEND, Send),
                     LAYER(RECV, Recv), LAYER(IPROBE, Iprobe), LAYER(ISEND, Isend),
                     LAYER(IRECV, Irecv), LAYER(WAIT, Wait), LAYER(WAITALL, Waitall),
                     LAYER(BCAST, Bcast), LAYER(ALLREDUCE, Allreduce), LAYER(ALLGATHER, Allgather),
                     LAYER(ALLGATHERV, Allgatherv)
#ifdef MPIX_TOOL_INTERFACE_VERSION
                         ,
                     LAYER(FILE_WRITE, File_write)
#endif
                     >(Ids<MPI_COMM_RANK_T, MPI_WTIME_T, MPI_SEND_T, MPI_RECV_T, MPI_IPROBE_T,
                           MPI_ISEND_T, MPI_IRECV_T, MPI_WAIT_T, MPI_WAITALL_T, MPI_BCAST_T,
                           MPI_ALLREDUCE_T, MPI_ALLGATHER_T, MPI_ALLGATHERV_T
#ifdef MPIX_TOOL_INTERFACE_VERSION
                           ,
                           MPI_FILE_WRITE_T
#endif
                           >()));

void name_tool(const std::string &name, void (*init)(int tool_id))
{
    need(QMPI_Register_tool_name(name.c_str(), init), "QMPI_Register_tool_name");
}

#ifdef STATIC_LAYERS
template <int number>
struct StaticTool {
    static void find(int tool_id)
    {
        CommRank::Static<number>::find(tool_id);
        Send::Static<number>::find(tool_id);
    }
    static void init(int tool_id)
    {
        when_ready(tool_id, find);
        intercept(tool_id, MPI_COMM_RANK_T, CommRank::Static<number>::call);
        intercept(tool_id, MPI_SEND_T, Send::Static<number>::call);
    }
};

template <int... numbers>
void name_static_tools(std::integer_sequence<int, numbers...>)
{
    (name_tool("static" + std::to_string(numbers + 1), StaticTool<numbers>::init), ...);
}

__attribute__((constructor)) void name_tools()
{
    name_static_tools(std::make_integer_sequence<int, 1000>());
}
#else
void other(int tool_id)
{
    intercept(tool_id, MPI_TYPE_SIZE_T, Layer<MPI_TYPE_SIZE_T, QMPI_Type_size_t>::by_lookup);
}

void address(int tool_id)
{
    when_ready(tool_id, CommRank::find);
    intercept(tool_id, MPI_COMM_RANK_T, CommRank::with_address);
}

__attribute__((constructor)) void name_tools()
{
    name_tool("instance", All::instance);
    name_tool("lookup", All::lookup);
    name_tool("frame", All::frame);
    name_tool("other", other);
    name_tool("address", address);
}
#endif

}  // namespace
