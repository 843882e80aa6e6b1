/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool in C++ on the interface of mpi.h, all wrappers from one template. Run with the list
 * cxx,cxx. */

#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <string>

static int errs = 0;

static void check(bool good, const char *what)
{
    if (!good) {
        errs++;
        std::fprintf(stderr, "cxx_tool: %s\n", what);
    }
}

struct Instance {
    long calls = 0;
};

static Instance instances[3];

/* The function type gives result and arguments. */
template < int id, typename Type > struct Wrapper;
template < int id, typename Result, typename ...Arguments >
struct Wrapper < id, Result(MPI_Context, int, Arguments...) > {
    static Result call(MPI_Context context, int tool_id, Arguments... arguments)
    {
        Instance *instance = nullptr;
        void (*next) (void) = nullptr;
        int next_tool_id = -1;

        check(MPI_Get_tool_storage(context, tool_id, &instance) == MPI_SUCCESS &&
              instance == &instances[tool_id], "wrong storage");
        instance->calls++;
        check(MPI_Get_next_tool_function(tool_id, MPI_Functions_enum(id), &next, &next_tool_id)
              == MPI_SUCCESS, "no next function");
        return reinterpret_cast < Result(*)(MPI_Context, int, Arguments...) > (next)
            (context, next_tool_id, arguments...);
    }
};

template < int id, typename Type > static void intercept(int tool_id)
{
    Type *wrapper = Wrapper < id, Type >::call;

    check(MPI_Register_tool_function(tool_id, MPI_Functions_enum(id),
                                     reinterpret_cast < void (*)(void) >(wrapper)) == MPI_SUCCESS,
          "cannot intercept");
}

static void init_cxx(int tool_id)
{
    check(MPI_Register_tool_storage(tool_id, &instances[tool_id]) == MPI_SUCCESS, "no storage");
#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    intercept < id, name##_t > (tool_id);
#include <mpi_qmpi_functions.h>
}

static int registered = MPI_Register_tool_name("cxx", init_cxx);

int main(int argc, char **argv)
{
    int rank = -1, in = 5, out = 0;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    check(registered == MPI_SUCCESS, "cannot register the tool");
    instances[1].calls = instances[2].calls = 0;
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status);
    check(rank == 0 && out == 5, "wrong results");
    check(MPI_Wtime() > 0, "wrong time");
    check(instances[1].calls == 3 && instances[2].calls == 3, "wrong number of calls");
    MPI_Finalize();
    check(instances[1].calls == 4 && instances[2].calls == 4, "wrong number of calls at the end");
    if (errs)
        std::printf(" Found %d errors\n", errs);
    else
        std::printf(" No Errors\n");
    return errs != 0;
}
