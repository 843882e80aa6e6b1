/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool "plain": intercepts all functions of the mpi.h that it is compiled with, prints their names, and what the
 * status of a receive and the type of its elements say. */

#include <mpi.h>
#include <stdio.h>

struct link {
    void (*function) (void);
    int tool_id;
};

static struct link next_link[MPI_LAST_FUNC_T];

#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers)   \
    static type plain_##name tool_params                                                    \
    {                                                                                       \
        const int next_tool_id = next_link[id].tool_id;                                     \
                                                                                            \
        printf("%s\n", #name);                                                              \
        return ((name##_t *) next_link[id].function) next_args;                             \
    }
#include <mpi_qmpi_functions.h>

static int see_recv(MPI_Context context, int tool_id, void *buf, int count, MPI_Datatype datatype, int source,
                    int tag, MPI_Comm comm, MPI_Status * status)
{
    int ret, elements = -1, size = -1;

    ret = plain_MPI_Recv(context, tool_id, buf, count, datatype, source, tag, comm, status);
    QMPI_Get_count(status, datatype, &elements);
    QMPI_Type_size(datatype, &size);
    printf("source %d tag %d, %d of %d bytes\n", status->MPI_SOURCE, status->MPI_TAG, elements, size);
    return ret;
}

static void ready(int tool_id)
{
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        MPI_Get_next_tool_function(tool_id, id, &next_link[id].function, &next_link[id].tool_id);
}

static void init(int tool_id)
{
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    MPI_Register_tool_function(tool_id, id, (void (*)(void)) plain_##name);
#include <mpi_qmpi_functions.h>
    MPI_Register_tool_function(tool_id, MPI_RECV_T, (void (*)(void)) see_recv);
    MPIX_Register_tool_ready_function(tool_id, ready);
}

__attribute__ ((constructor))
static void load(void)
{
    MPI_Register_tool_name("plain", init);
}
