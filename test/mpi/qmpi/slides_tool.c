/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The example tool of the MPI Forum's slides of 2021, with their names MPI_Register_function and
 * MPI_Get_function and their untyped context, compiles and works. Run with the list
 * example,example. */

#include "qmpi_test.h"

struct tool_struct {
    int my_tool_id;
    int sends;
};

static struct tool_struct *tools[3];

static int Example_Send(void *context, int tool_id, const void *buf, int count,
                        MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct tool_struct *my_tool_struct = NULL;
    MPI_Send_t *next_fn;
    int next_tool_id;

    QT_SUCCESS(MPI_Get_tool_storage(context, tool_id, &my_tool_struct));
    QT_CHECK(my_tool_struct->my_tool_id == tool_id, "storage of another instance");
    my_tool_struct->sends++;
    QT_SUCCESS(MPI_Get_function(tool_id, MPI_SEND_T, (void (**)(void)) &next_fn, &next_tool_id));
    return (*next_fn) (context, next_tool_id, buf, count, datatype, dest, tag, comm);
}

static void example_init_function_pointer(int tool_id)
{
    struct tool_struct *my_tool_struct = calloc(1, sizeof(struct tool_struct));

    if (my_tool_struct == NULL || tool_id > 2)
        abort();
    my_tool_struct->my_tool_id = tool_id;
    tools[tool_id] = my_tool_struct;
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, my_tool_struct));
    QT_SUCCESS(MPI_Register_function(tool_id, MPI_SEND_T, (void (*)(void)) &Example_Send));
}

__attribute__ ((constructor))
static void register_my_tool(void)
{
    qt_register("example", &example_init_function_pointer);
}

int main(int argc, char **argv)
{
    int value = 0;

    qt_begin();
    MPI_Init(&argc, &argv);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    for (int id = 1; id <= 2; id++) {
        QT_CHECK(tools[id] && tools[id]->sends == 2, "instance %d: %d sends", id,
                 tools[id] ? tools[id]->sends : -1);
        free(tools[id]);
    }
    MPI_Finalize();
    return qt_end();
}
