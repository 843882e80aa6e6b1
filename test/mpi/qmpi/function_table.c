/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Names and ids of all functions agree in both directions, ids are unique and below
 * MPI_LAST_FUNC_T, and every id has a name. Without a tool list. */

#include "qmpi_test.h"

static void init_tool(int tool_id)
{
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("tool", init_tool);
}

/* Compile-time check: the type MPI_X_t has the arguments of MPI_X after a context and a tool id. */
#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    static ret expected_##name tool_params { return (ret) 0; }                                  \
    static name##_t *const typed_##name = expected_##name;                                      \
    static Q##name##_t *const old_typed_##name = expected_##name;                               \
    static ret (*const direct_##name) params = Q##name;
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>

static const struct {
    int id;
    const char *name;
    const void *typed, *old_typed, *direct;
} functions[] = {
#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    { id, #name, &typed_##name, &old_typed_##name, &direct_##name },
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
};

#define NUM_FUNCTIONS ((int) (sizeof(functions) / sizeof(functions[0])))

static void check_function(int i)
{
    int id = -1;
    const char *name = NULL;

    QT_CHECK(functions[i].id >= 0 && functions[i].id < MPI_LAST_FUNC_T, "%s has the id %d",
             functions[i].name, functions[i].id);
    QT_SUCCESS(MPIX_Get_function_enum(functions[i].name, &id));
    QT_CHECK(id == functions[i].id, "%s: id %d by name, %d in the list", functions[i].name, id,
             functions[i].id);
    QT_SUCCESS(MPIX_Get_function_name(functions[i].id, &name));
    QT_CHECK(name && strcmp(name, functions[i].name) == 0, "id %d: name %s, %s in the list",
             functions[i].id, name ? name : "NULL", functions[i].name);
}

int main(int argc, char **argv)
{
    static int times[MPI_LAST_FUNC_T];

    qt_begin();
    for (int i = 0; i < NUM_FUNCTIONS; i++) {
        check_function(i);
        if (functions[i].id >= 0 && functions[i].id < MPI_LAST_FUNC_T)
            times[functions[i].id]++;
    }
    for (int id = 0; id < MPI_LAST_FUNC_T; id++) {
        const char *name = NULL;

        QT_CHECK(times[id] <= 1, "%d functions have the id %d", times[id], id);
        /* ids of functions that this library lacks have names, too */
        QT_SUCCESS(MPIX_Get_function_name(id, &name));
        QT_CHECK(name && (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "MPIX_", 5) == 0),
                 "id %d has the name %s", id, name ? name : "NULL");
    }
    /* 541 in the base, without MPI-IO, conversions and MPI_Type_create_f90_* */
    QT_CHECK(NUM_FUNCTIONS >= 541, "only %d functions", NUM_FUNCTIONS);
    return qt_end();
}
