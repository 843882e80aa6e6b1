/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

/* The tool's function that the library is calling. An exception or a longjmp that leaves it leaves
 * the library as well, which notices it when the thread next initializes or finalizes MPI. */

MPII_QMPI_Instance *MPII_QMPI_instances = NULL;

/* The callback that this thread calls. */
static __thread struct {
    int tool_id;
    const char *what;           /* NULL if nothing */
    MPII_QMPI_Registration *registration;       /* for an init callback, else NULL */
    const char *frame;          /* what is called may call anything, and returns there; or NULL */
} call;

void MPII_QMPI_may_call_mpi(const void *frame)
{
    call.frame = frame;
}

void MPII_QMPI_enter_tool(int tool_id, const char *what, MPII_QMPI_Registration * registration)
{
    call.tool_id = tool_id;
    call.what = what;
    call.registration = registration;
}

void MPII_QMPI_leave_tool(void)
{
    call.what = NULL;
    call.registration = NULL;
}

void MPII_QMPI_check_tools(void)
{
    const char *name;
    char shown[MPII_QMPI_SHOWN];

    if (!call.what || (call.frame && (const char *) __builtin_frame_address(0) < call.frame))
        return;
    name = MPII_QMPI_instances[call.tool_id - 1].tool->name;
    MPII_QMPI_fatal("the tool '%s', instance %d: its %s %sdid not return (exception or longjmp)",
                    MPII_QMPI_show(name, strlen(name), shown, sizeof(shown)), call.tool_id,
                    call.what, call.frame ? "" : "initializes or finalizes MPI, or ");
}

bool MPIR_QMPI_is_initializing(void)
{
    return call.registration != NULL;
}

bool MPIR_QMPI_is_registering(int tool_id)
{
    return MPII_QMPI_registration_of(tool_id) != NULL;
}

MPII_QMPI_Registration *MPII_QMPI_registration_of(int tool_id)
{
    return tool_id == call.tool_id ? call.registration : NULL;
}
