// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Pass-through tools whose cost is counted. They differ in how they find the next function:
//   static1 ... static16   links in variables (a chain needs as many tools as layers)
//   instance               links in an array by tool id
//   lookup                 MPI_Get_next_tool_function in every call
//   storage                links in the storage, MPI_Get_tool_storage in every call
//   both                   MPI_Get_tool_storage and MPI_Get_next_tool_function in every call
//   probe                  counts the interface functions at its first intercepted call

#include "phases.h"

#include <mpi.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

// Reference for the interface functions: the lowest cost of a call to another library.
extern "C" {
int cost_nothing_next(int tool_id, enum MPI_Functions_enum function_enum,
                      void (**function_ptr)(void), int *next_tool_id);
int cost_nothing_context(MPI_Context context, int tool_id, void *storage);
int cost_nothing_address(MPI_Context context, void *address);
}

namespace {

void need(int status, const char *what)
{
    if (status == MPI_SUCCESS)
        return;
    std::fprintf(stderr, "cost tools: %s returned error code %d\n", what, status);
    std::exit(1);
}

template <typename Function>
void intercept(int tool_id, enum MPI_Functions_enum id, Function *function)
{
    need(MPI_Register_tool_function(tool_id, id, reinterpret_cast<void (*)(void)>(function)),
         "MPI_Register_tool_function");
}

template <typename Function>
struct Link {
    Function *function;
    int tool_id;

    void find(int tool_id_of_caller, enum MPI_Functions_enum id)
    {
        need(MPI_Get_next_tool_function(tool_id_of_caller, id,
                                        reinterpret_cast<void (**)(void)>(&function), &tool_id),
             "MPI_Get_next_tool_function");
    }
};

struct Links {
    Link<MPI_Comm_rank_t> comm_rank;
    Link<MPI_Send_t> send;

    void find(int tool_id)
    {
        comm_rank.find(tool_id, MPI_COMM_RANK_T);
        send.find(tool_id, MPI_SEND_T);
    }
};

void set_up(int tool_id, MPI_Comm_rank_t *comm_rank, MPI_Send_t *send,
            MPIX_Tool_ready_function *ready)
{
    intercept(tool_id, MPI_COMM_RANK_T, comm_rank);
    intercept(tool_id, MPI_SEND_T, send);
    if (ready)
        need(MPIX_Register_tool_ready_function(tool_id, ready),
             "MPIX_Register_tool_ready_function");
}

template <int number>
struct StaticLayer {
    static inline Links links;

    static int comm_rank(MPI_Context context, int, MPI_Comm comm, int *rank)
    {
        return links.comm_rank.function(context, links.comm_rank.tool_id, comm, rank);
    }

    static int send(MPI_Context context, int, const void *buf, int count, MPI_Datatype datatype,
                    int dest, int tag, MPI_Comm comm)
    {
        return links.send.function(context, links.send.tool_id, buf, count, datatype, dest, tag,
                                   comm);
    }

    static void ready(int tool_id) { links.find(tool_id); }
    static void init(int tool_id) { set_up(tool_id, comm_rank, send, ready); }
};

struct InstanceLayer {
    static constexpr int most_tools = 64;
    // One array for each function, as in a tool that intercepts many functions: the index is a shift.
    static inline std::array<Link<MPI_Comm_rank_t>, most_tools> comm_rank_links;
    static inline std::array<Link<MPI_Send_t>, most_tools> send_links;

    static int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
    {
        const auto &next = comm_rank_links[static_cast<unsigned>(tool_id)];
        return next.function(context, next.tool_id, comm, rank);
    }

    static int send(MPI_Context context, int tool_id, const void *buf, int count,
                    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
    {
        const auto &next = send_links[static_cast<unsigned>(tool_id)];
        return next.function(context, next.tool_id, buf, count, datatype, dest, tag, comm);
    }

    static void ready(int tool_id)
    {
        comm_rank_links.at(tool_id).find(tool_id, MPI_COMM_RANK_T);
        send_links.at(tool_id).find(tool_id, MPI_SEND_T);
    }

    static void init(int tool_id) { set_up(tool_id, comm_rank, send, ready); }
};

struct LookupLayer {
    static int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
    {
        MPI_Comm_rank_t *next;
        int next_tool_id;
        MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T,
                                   reinterpret_cast<void (**)(void)>(&next), &next_tool_id);
        return next(context, next_tool_id, comm, rank);
    }

    static int send(MPI_Context context, int tool_id, const void *buf, int count,
                    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
    {
        MPI_Send_t *next;
        int next_tool_id;
        MPI_Get_next_tool_function(tool_id, MPI_SEND_T, reinterpret_cast<void (**)(void)>(&next),
                                   &next_tool_id);
        return next(context, next_tool_id, buf, count, datatype, dest, tag, comm);
    }

    static void init(int tool_id) { set_up(tool_id, comm_rank, send, nullptr); }
};

struct StorageLayer {
    static inline std::array<Links, InstanceLayer::most_tools> storages;

    static int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
    {
        Links *links;
        MPI_Get_tool_storage(context, tool_id, &links);
        return links->comm_rank.function(context, links->comm_rank.tool_id, comm, rank);
    }

    static int send(MPI_Context context, int tool_id, const void *buf, int count,
                    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
    {
        Links *links;
        MPI_Get_tool_storage(context, tool_id, &links);
        return links->send.function(context, links->send.tool_id, buf, count, datatype, dest, tag,
                                    comm);
    }

    static void ready(int tool_id) { storages.at(tool_id).find(tool_id); }

    static void init(int tool_id)
    {
        need(MPI_Register_tool_storage(tool_id, &storages.at(tool_id)),
             "MPI_Register_tool_storage");
        set_up(tool_id, comm_rank, send, ready);
    }
};

struct BothLayer {
    static inline std::array<long, InstanceLayer::most_tools> calls;

    static int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
    {
        long *calls_of_instance;
        MPI_Get_tool_storage(context, tool_id, &calls_of_instance);
        MPI_Comm_rank_t *next;
        int next_tool_id;
        MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T,
                                   reinterpret_cast<void (**)(void)>(&next), &next_tool_id);
        return next(context, next_tool_id, comm, rank);
    }

    static int send(MPI_Context context, int tool_id, const void *buf, int count,
                    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
    {
        long *calls_of_instance;
        MPI_Get_tool_storage(context, tool_id, &calls_of_instance);
        MPI_Send_t *next;
        int next_tool_id;
        MPI_Get_next_tool_function(tool_id, MPI_SEND_T, reinterpret_cast<void (**)(void)>(&next),
                                   &next_tool_id);
        return next(context, next_tool_id, buf, count, datatype, dest, tag, comm);
    }

    static void init(int tool_id)
    {
        need(MPI_Register_tool_storage(tool_id, &calls.at(tool_id)), "MPI_Register_tool_storage");
        set_up(tool_id, comm_rank, send, nullptr);
    }
};

struct Probe {
    static inline Links links;

    // The loops around a function and around its empty counterpart have the same instructions.
    template <typename Next>
    static void repeat_next(Next next, const char *name, int tool_id)
    {
        cost::count_phases(name, [=](long calls) {
            MPI_Send_t *function;
            int next_tool_id;
            for (long i = 0; i < calls; i++)
                next(tool_id, MPI_SEND_T, reinterpret_cast<void (**)(void)>(&function),
                     &next_tool_id);
        });
    }

    static void count_next(int tool_id)
    {
        repeat_next([](auto... arguments) { return MPI_Get_next_tool_function(arguments...); },
                    "MPI_Get_next_tool_function", tool_id);
        repeat_next([](auto... arguments) { return cost_nothing_next(arguments...); },
                    "nothing MPI_Get_next_tool_function", tool_id);
    }

    static void count_storage(MPI_Context context, int tool_id)
    {
        void *storage;
        cost::count_phases("MPI_Get_tool_storage", [&](long calls) {
            for (long i = 0; i < calls; i++)
                MPI_Get_tool_storage(context, tool_id, &storage);
        });
        cost::count_phases("nothing MPI_Get_tool_storage", [&](long calls) {
            for (long i = 0; i < calls; i++)
                cost_nothing_context(context, tool_id, &storage);
        });
    }

    static void count_address(MPI_Context context)
    {
        void *address;
        cost::count_phases("MPI_Get_calling_address", [&](long calls) {
            for (long i = 0; i < calls; i++)
                MPI_Get_calling_address(context, &address);
        });
        cost::count_phases("nothing MPI_Get_calling_address", [&](long calls) {
            for (long i = 0; i < calls; i++)
                cost_nothing_address(context, &address);
        });
    }

    static int comm_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
    {
        static bool counted = false;
        if (!counted) {
            counted = true;
            count_next(tool_id);
            count_storage(context, tool_id);
            count_address(context);
        }
        return links.comm_rank.function(context, links.comm_rank.tool_id, comm, rank);
    }

    static int send(MPI_Context context, int, const void *buf, int count, MPI_Datatype datatype,
                    int dest, int tag, MPI_Comm comm)
    {
        return links.send.function(context, links.send.tool_id, buf, count, datatype, dest, tag,
                                   comm);
    }

    static void ready(int tool_id) { links.find(tool_id); }

    static void init(int tool_id)
    {
        static int storage;
        need(MPI_Register_tool_storage(tool_id, &storage), "MPI_Register_tool_storage");
        set_up(tool_id, comm_rank, send, ready);
    }
};

void name_tool(const std::string &name, MPI_Tool_init_function *init)
{
    need(MPI_Register_tool_name(name.c_str(), init), "MPI_Register_tool_name");
}

template <int... numbers>
void name_static_layers(std::integer_sequence<int, numbers...>)
{
    (name_tool("static" + std::to_string(numbers + 1), StaticLayer<numbers>::init), ...);
}

__attribute__((constructor)) void name_tools()
{
    name_static_layers(std::make_integer_sequence<int, 16>());
    name_tool("instance", InstanceLayer::init);
    name_tool("lookup", LookupLayer::init);
    name_tool("storage", StorageLayer::init);
    name_tool("both", BothLayer::init);
    name_tool("probe", Probe::init);
}

}  // namespace
