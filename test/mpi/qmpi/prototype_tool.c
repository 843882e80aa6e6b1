/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool written for MPICH's experimental interface works unchanged. It also uses the two
 * functions of the first proposal that the experimental interface lacked. Run with the list
 * old_tool:old_tool on two processes. */

#include "qmpi_test.h"

#define MAX_INSTANCES 2

struct old_tool {
    int id;
    int calls;
    QMPI_Send_t *send;
    int send_id;
    QMPI_Recv_t *recv;
    int recv_id;
    QMPI_Finalize_t *finalize;
    int finalize_id;
};

static struct old_tool tools[MAX_INSTANCES];

static void old_init(int tool_id);

__attribute__ ((constructor))
static void old_register(void)
{
    char name[QMPI_MAX_TOOL_NAME_LENGTH] = "old_tool";

    if (QMPI_Register_tool_name(name, &old_init) != MPI_SUCCESS) {
        /* qt_begin reports the error */
        qt_register("old_tool", old_init);
    }
}

static void old_look_up(int tool_id, enum QMPI_Functions_enum function, void (**fn) (void), int *id)
{
    QT_SUCCESS(QMPI_Get_function(tool_id, function, fn, id));
}

static int old_Init_thread(QMPI_Context context, int tool_id, int *argc, char ***argv, int required,
                           int *provided)
{
    QMPI_Init_thread_t *next;
    int next_id;
    struct old_tool *tool;

    QT_SUCCESS(QMPI_Get_tool_storage(context, tool_id, (void *) &tool));
    old_look_up(tool_id, MPI_INIT_THREAD_T, (void (**)(void)) &next, &next_id);
    old_look_up(tool_id, MPI_SEND_T, (void (**)(void)) &tool->send, &tool->send_id);
    old_look_up(tool_id, MPI_RECV_T, (void (**)(void)) &tool->recv, &tool->recv_id);
    old_look_up(tool_id, MPI_FINALIZE_T, (void (**)(void)) &tool->finalize, &tool->finalize_id);
    return (*next) (context, next_id, argc, argv, required, provided);
}

static int old_Send(QMPI_Context context, int tool_id, const void *buf, int count,
                    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct old_tool *tool;
    void *address = NULL, *first_address = NULL, *first_storage = NULL;

    QMPI_Get_tool_storage(context, tool_id, (void *) &tool);
    tool->calls++;
    QT_CHECK(tool->id == tool_id, "storage of another instance");
    QT_SUCCESS(QMPI_Get_calling_address(context, (void *) &address));
    QT_SUCCESS(QMPI_Context_get_calling_address(context, tool_id, (void *) &first_address));
    QT_SUCCESS(QMPI_Context_get_storage(context, tool_id, &first_storage));
    QT_CHECK(address && address == first_address, "calling addresses %p and %p", address,
             first_address);
    QT_CHECK(first_storage == tool, "another storage");
    return (*tool->send) (context, tool->send_id, buf, count, datatype, dest, tag, comm);
}

static int old_Recv(QMPI_Context context, int tool_id, void *buf, int count, MPI_Datatype datatype,
                    int source, int tag, MPI_Comm comm, MPI_Status * status)
{
    struct old_tool *tool;

    QMPI_Get_tool_storage(context, tool_id, (void *) &tool);
    tool->calls++;
    return (*tool->recv) (context, tool->recv_id, buf, count, datatype, source, tag, comm, status);
}

static int old_Finalize(QMPI_Context context, int tool_id)
{
    struct old_tool *tool;

    QMPI_Get_tool_storage(context, tool_id, (void *) &tool);
    tool->calls++;
    return (*tool->finalize) (context, tool->finalize_id);
}

static void old_init(int tool_id)
{
    struct old_tool *tool = &tools[tool_id - 1];

    tool->id = tool_id;
    QMPI_Register_tool_storage(tool_id, tool);
    QMPI_Register_function(tool_id, MPI_INIT_THREAD_T, (void (*)(void)) &old_Init_thread);
    QMPI_Register_function(tool_id, MPI_SEND_T, (void (*)(void)) &old_Send);
    QMPI_Register_function(tool_id, MPI_RECV_T, (void (*)(void)) &old_Recv);
    QMPI_Register_function(tool_id, MPI_FINALIZE_T, (void (*)(void)) &old_Finalize);
}

int main(int argc, char **argv)
{
    int rank, provided, other, sent, received = -1, total = 0;

    qt_begin();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    sent = 1337 + rank;
    if (rank == 0) {
        MPI_Send(&sent, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        MPI_Recv(&received, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&received, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&sent, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    }
    QT_CHECK(received == 1337 + other, "received %d", received);
    for (int i = 0; i < MAX_INSTANCES; i++)
        QT_CHECK(tools[i].calls == 2, "instance %d: %d calls", i + 1, tools[i].calls);
    MPI_Allreduce(&qt_errs, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    for (int i = 0; i < MAX_INSTANCES; i++)
        QT_CHECK(tools[i].calls == 3, "instance %d: %d calls after MPI_Finalize", i + 1,
                 tools[i].calls);
    if (rank == 0) {
        qt_errs += total > qt_errs ? total - qt_errs : 0;
        return qt_end();
    }
    return qt_errs != 0;
}
