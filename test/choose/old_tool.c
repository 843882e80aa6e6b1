/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool compiled for MPICH's experimental interface: its prototypes, and an id that belongs to
 * another function today. */

int QMPI_Register_tool_name(const char *tool_name, void (*init_function_ptr) (int tool_id));
int QMPI_Register_function(int calling_tool_id, int function_enum, void (*function_ptr) (void));

#define OLD_MPI_SEND_T 247

static void must_not_be_called(void)
{
    __builtin_trap();
}

static void init(int tool_id)
{
    QMPI_Register_function(tool_id, OLD_MPI_SEND_T, must_not_be_called);
}

__attribute__ ((constructor))
static void load(void)
{
    QMPI_Register_tool_name("old", init);
}
