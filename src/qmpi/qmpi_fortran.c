/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

/* Differences between a call in Fortran and the one that tools see, for generated code. */

int MPIR_QMPI_c_keyval(int keyval)
{
    const bool is_fortran = HANDLE_IS_BUILTIN(keyval) && (keyval & 0xf) && !(keyval & 1);

    return is_fortran ? keyval - 1 : keyval;
}

bool MPIR_QMPI_convert_attr(MPI_Context context, const void *value, void *attribute_val)
{
    intptr_t *const integer = attribute_val;
    const int keyval = context->fortran.attr.keyval;

    if (keyval == MPI_WIN_SIZE)
        *integer = *(const MPI_Aint *) value;
    else if (HANDLE_IS_BUILTIN(keyval) && keyval != MPI_WIN_BASE)
        *integer = *(const int *) value;
    else if (context->fortran.attr.is_known && value == context->fortran.attr.value)
        return false;
    else
        *integer = (intptr_t) value;
    return true;
}

void *MPIR_QMPI_proxy_state(MPIR_QMPI_Any_function * procedure)
{
    MPIR_QMPI_Any_function **const state = MPII_QMPI_allocate(1, sizeof(*state));

    *state = procedure;
    return state;
}
