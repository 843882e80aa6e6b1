/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

/* Bodies of the functions by which instances register and look things up; src/qmpi/qmpi_api.txt
 * describes them, and the generated code has checked the arguments. */

/* ---- inside the init callbacks ---- */

int MPIR_Register_tool_storage_impl(int tool_id, void *tool_storage)
{
    __atomic_store_n(&MPIR_QMPI_chain.storage[tool_id - 1], tool_storage, __ATOMIC_RELEASE);
    return MPI_SUCCESS;
}

int MPIR_Register_tool_function_impl(int tool_id, enum MPI_Functions_enum function_enum,
                                     void (*function_ptr) (void))
{
    MPII_QMPI_registration_of(tool_id)->functions[function_enum] = function_ptr;
    return MPI_SUCCESS;
}

int MPIR_Register_tool_ready_function_impl(int tool_id, MPIX_Tool_ready_function * ready_fn_ptr)
{
    MPII_QMPI_registration_of(tool_id)->ready_fn = ready_fn_ptr;
    return MPI_SUCCESS;
}

int MPIR_Register_tool_awake_function_impl(int tool_id, MPIX_Tool_awake_function * awake_fn_ptr)
{
    MPII_QMPI_registration_of(tool_id)->awake_fn = awake_fn_ptr;
    return MPI_SUCCESS;
}

int MPIR_Fail_tool_impl(int tool_id, const char *reason)
{
    MPII_QMPI_Registration *registration = MPII_QMPI_registration_of(tool_id);
    int mpi_errno = MPI_SUCCESS;
    char *failure;

    failure = MPL_direct_strdup(reason);
    MPIR_ERR_CHKANDJUMP(!failure, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    MPL_direct_free(registration->failure);
    registration->failure = failure;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- at any time ---- */

int MPIR_Get_tool_arguments_impl(int tool_id, const char **arguments)
{
    *arguments = MPII_QMPI_instances[tool_id - 1].arguments;
    return MPI_SUCCESS;
}

int MPIR_Get_tool_name_impl(int tool_id, const char **tool_name)
{
    *tool_name = MPII_QMPI_instances[tool_id - 1].tool->name;
    return MPI_SUCCESS;
}

int MPIR_Get_tool_function_impl(int tool_id, enum MPI_Functions_enum function_enum,
                                void (**function_ptr) (void))
{
    *function_ptr = MPII_QMPI_function_of(tool_id, function_enum);
    return MPI_SUCCESS;
}

int MPIR_Get_function_enum_impl(const char *name, int *function_enum)
{
    int mpi_errno = MPI_SUCCESS;
    int f = 0;

    while (f < MPI_LAST_FUNC_T && strcmp(MPIR_QMPI_function_name[f], name))
        f++;
    MPIR_ERR_CHKANDJUMP1(f == MPI_LAST_FUNC_T, mpi_errno, MPI_ERR_ARG, "**arg",
                         "no function has the name %s", name);
    *function_enum = f;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- call sites ---- */

MPL_atomic_ptr_t MPIR_QMPI_call_site_resolver = MPL_ATOMIC_PTR_T_INITIALIZER(NULL);

void MPII_QMPI_set_call_site_resolver(MPIR_QMPI_Call_site_resolver * fn)
{
    MPL_atomic_release_store_ptr(&MPIR_QMPI_call_site_resolver, (void *) fn);
}
