/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

/* Functions under the names of MPICH's experimental interface. mpi.h defines these names as
 * macros, so they are called by binaries only, of two kinds:
 * - Compiled for the experimental interface, whose function ids mean other functions now. They
 *   register by the function QMPI_Register_tool_name and intercept by QMPI_Register_function. No
 *   other binary uses both, and this pair is refused with a message.
 * - Compiled with an earlier mpi_qmpi.h, whose names for the functions these were. They register by
 *   MPIX_Register_tool and are served.
 * QMPI_Register_tool_name alone registers for version 1.0, for callers that find functions by
 * name. */

#undef QMPI_Register_function
#undef QMPI_Get_function
#undef QMPI_Context_get_storage

int QMPI_Register_function(int tool_id, enum MPI_Functions_enum function_enum,
                           MPIX_Tool_function function_ptr) MPICH_API_PUBLIC;
int QMPI_Get_function(int tool_id, enum MPI_Functions_enum function_enum,
                      MPIX_Tool_function * function_ptr, int *next_tool_id) MPICH_API_PUBLIC;
int QMPI_Context_get_storage(MPI_Context context, int tool_id, void *storage) MPICH_API_PUBLIC;

int QMPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function * init_fn_ptr)
{
    return PMPIX_Register_tool(tool_name, init_fn_ptr, 0, 0);
}

int QMPI_Register_function(int tool_id, enum MPI_Functions_enum function_enum,
                           MPIX_Tool_function function_ptr)
{
#ifdef ENABLE_QMPI
    if (MPIR_QMPI_is_instance(tool_id) && MPIR_QMPI_tool_version(tool_id) == 0) {
        int mpi_errno = PMPIX_Fail_tool(tool_id, "compiled for MPICH's experimental interface; "
                                        "compile it again");
        return mpi_errno ? mpi_errno : MPI_ERR_OTHER;
    }
#endif
    return PMPI_Register_tool_function(tool_id, function_enum, function_ptr);
}

int QMPI_Get_function(int tool_id, enum MPI_Functions_enum function_enum,
                      MPIX_Tool_function * function_ptr, int *next_tool_id)
{
    return PMPI_Get_next_tool_function(tool_id, function_enum, function_ptr, next_tool_id);
}

int QMPI_Context_get_storage(MPI_Context context, int tool_id, void *storage)
{
    return PMPI_Get_tool_storage(context, tool_id, storage);
}

int QMPI_Context_get_calling_address(MPI_Context context, int tool_id, void *calling_address)
{
    return PMPI_Get_calling_address(context, calling_address);
}
