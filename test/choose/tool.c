/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool whose instances print each MPI_Comm_rank that they see: id, name, arguments.
 * Compiled into several libraries:
 *   NAME              the name, "witness" if not set
 *   SECOND_NAME       another name that the library registers
 *   DESCRIPTION       its description
 *   VERSION           of the interface, instead of that of mpi.h
 *   DEPENDENCY        needs a function that nobody has
 *   SILENT            registers nothing
 *   IDLE              the init callback registers nothing
 *   FAILING           the init callback declares the tool as failed
 *   CRASHING          the init callback crashes */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef NAME
#define NAME "witness"
#endif

static int see_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    const char *name = "?", *arguments = "?";
    const char *process = getenv("PMI_RANK");
    void (*next) (void);
    int next_id;

    MPIX_Get_tool_name(tool_id, &name);
    MPIX_Get_tool_arguments(tool_id, &arguments);
    printf("[%s] %d %s(%s)\n", process ? process : "0", tool_id, name, arguments);
    fflush(stdout);
    if (MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &next, &next_id) != MPI_SUCCESS)
        return MPI_ERR_INTERN;
    return ((MPI_Comm_rank_t *) next) (context, next_id, comm, rank);
}

#ifdef DEPENDENCY
extern void a_function_that_nobody_has(void);
#endif

static void init(int tool_id)
{
#ifdef FAILING
    MPIX_Fail_tool(tool_id, "the tool has\x1b no licence");
#endif
#ifdef CRASHING
    __builtin_trap();
#endif
#ifdef DEPENDENCY
    a_function_that_nobody_has();
#endif
#ifndef IDLE
    MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) see_rank);
#endif
}

__attribute__ ((constructor))
static void load(void)
{
#ifdef VERSION
    MPIX_Register_tool(NAME, init, VERSION, 0);
#elif !defined(SILENT)
    MPI_Register_tool_name(NAME, init);
#endif
#ifdef DESCRIPTION
    MPIX_Set_tool_info(NAME, NULL, NULL, DESCRIPTION);
#endif
#ifdef SECOND_NAME
    MPI_Register_tool_name(SECOND_NAME, init);
#endif
}
