/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi_attr.h"

#ifdef ENABLE_QMPI

/* The context carries the width of the integer to the end of the chain, where MPIR_QMPI_attr_type
 * asks for it. */
#define SETTER(name_, direct_, handle_type_, id_)                                               \
int MPII_QMPI_##name_(handle_type_ handle, int keyval, void *attribute_val,                     \
                      MPIR_Attr_type attr_type)                                                 \
{                                                                                               \
    const MPIR_QMPI_Link *link = MPIR_QMPI_first_link(id_);                                     \
    struct MPIR_QMPI_Context context = { MPIR_QMPI_CALL_SITE, id_, attr_type };                 \
                                                                                                \
    if (likely(link == &MPIR_QMPI_tail[id_]))                                                   \
        return MPII_##direct_(handle, keyval, attribute_val, attr_type);                        \
    return ((MPI_##name_##_t *) link->fn) (&context, link->tool_id, handle, keyval,             \
                                           attribute_val);                                      \
}

/* Tools and what they call get what a C program would, the value's address in the library or the
 * pointer that C stored. What Fortran gets depends on the language that stored it, which only the
 * library knows, so it is asked once more. */
#define GETTER(name_, direct_, handle_type_, id_)                                               \
int MPII_QMPI_##name_(handle_type_ handle, int keyval, void *attribute_val, int *flag,          \
                      MPIR_Attr_type attr_type)                                                 \
{                                                                                               \
    const MPIR_QMPI_Link *link = MPIR_QMPI_first_link(id_);                                     \
    struct MPIR_QMPI_Context context = { MPIR_QMPI_CALL_SITE, id_, MPIR_ATTR_PTR };             \
    void *value;                                                                                \
    int mpi_errno;                                                                              \
                                                                                                \
    if (likely(link == &MPIR_QMPI_tail[id_]))                                                   \
        return MPII_##direct_(handle, keyval, attribute_val, flag, attr_type);                  \
    mpi_errno = ((MPI_##name_##_t *) link->fn) (&context, link->tool_id, handle, keyval,        \
                                                &value, flag);                                  \
    if (mpi_errno || !*flag)                                                                    \
        return mpi_errno;                                                                       \
    return MPII_##direct_(handle, keyval, attribute_val, flag, attr_type);                      \
}

SETTER(Attr_put, Comm_set_attr, MPI_Comm, MPI_ATTR_PUT_T)
SETTER(Comm_set_attr, Comm_set_attr, MPI_Comm, MPI_COMM_SET_ATTR_T)
SETTER(Type_set_attr, Type_set_attr, MPI_Datatype, MPI_TYPE_SET_ATTR_T)
SETTER(Win_set_attr, Win_set_attr, MPI_Win, MPI_WIN_SET_ATTR_T)
GETTER(Attr_get, Comm_get_attr, MPI_Comm, MPI_ATTR_GET_T)
GETTER(Comm_get_attr, Comm_get_attr, MPI_Comm, MPI_COMM_GET_ATTR_T)
GETTER(Type_get_attr, Type_get_attr, MPI_Datatype, MPI_TYPE_GET_ATTR_T)
GETTER(Win_get_attr, Win_get_attr, MPI_Win, MPI_WIN_GET_ATTR_T)

#endif /* ENABLE_QMPI */
