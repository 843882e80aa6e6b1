/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Functions that have an id but are not in this library: they have a name, can be registered, and
 * their link is the library's, which returns MPI_ERR_UNSUPPORTED_OPERATION. Run with a list of two
 * instances of tool. */

#include "qmpi_test.h"


static int never_called(MPI_Context context, int tool_id)
{
    QT_CHECK(0, "a function that the library lacks was called");
    return MPI_SUCCESS;
}

static void init_tool(int tool_id)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        if (!qt_is_present(f))
            QT_SUCCESS(MPI_Register_tool_function(tool_id, f, (void (*)(void)) never_called));
    }
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("tool", init_tool);
}

static void check_function(int function)
{
    const char *name = NULL;
    void (*fn) (void) = NULL;
    int id = -1, found = -1;

    QT_SUCCESS(MPIX_Get_function_name(function, &name));
    QT_CHECK(name && strncmp(name, "MPI", 3) == 0, "function %d: name %s", function,
             name ? name : "NULL");
    QT_SUCCESS(MPIX_Get_function_enum(name, &found));
    QT_CHECK(found == function, "%s: function %d instead of %d", name, found, function);
    QT_SUCCESS(MPIX_Get_tool_function(1, function, &fn));
    QT_CHECK(fn == (void (*)(void)) never_called, "%s: not registered", name);
    QT_SUCCESS(MPI_Get_next_tool_function(2, function, &fn, &id));
    QT_CHECK(fn != NULL && id == 0, "%s: the next of 2 is %d", name, id);
    QT_CLASS(((int (*)(MPI_Context, int)) fn) (NULL, 0), MPI_ERR_UNSUPPORTED_OPERATION);
}

int main(int argc, char **argv)
{
    qt_begin();
    MPI_Init(&argc, &argv);
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        if (!qt_is_present(f))
            check_function(f);
    }
    MPI_Finalize();
    return qt_end();
}
