/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_MEMBER_H_INCLUDED
#define MPII_QMPI_MEMBER_H_INCLUDED

/* An unmodified PMPI tool as a member of the chain: what libmpi (qmpi_pmpi.c) and the library that
 * stands between chain and tool (qmpi_member.c) share. That library is loaded once for each member,
 * from copies of its file, so that each has the static data of one. */

#include <mpi.h>
#include <stdlib.h>     /* __GLIBC__ */
#include "mpir_qmpi_link.h"

#if defined(__linux__) && defined(__GLIBC__) && defined(__LP64__) && \
    (defined(__x86_64__) || defined(__aarch64__))
#define MPII_QMPI_HAVE_MEMBERS 1
#endif

/* The two ends of one function. Toward the chain it has an intercept, toward the tool what the tool
 * calls as PMPI_X; between them lies the tool's own MPI_X. */
typedef struct {
    MPIR_QMPI_Any_function *enter;      /* MPI_X_t: calls the tool */
    MPIR_QMPI_Any_function *onward;     /* of MPI_X's type: calls the next link */
} MPII_QMPI_Ends;

typedef struct MPII_QMPI_Member {
    /* given by the library in between */
    int num_functions;
    const MPII_QMPI_Ends *ends; /* [function] */
    MPIR_QMPI_Any_function *dlsym;      /* what the tool calls as dlsym */

    /* given by libmpi */
    MPIR_QMPI_Any_function *own[MPI_LAST_FUNC_T];       /* the tool's MPI_X, NULL where it has none */
    const MPIR_QMPI_Link *next; /* [function]: the library's own until the chain stands */
    MPIR_QMPI_Link links[MPI_LAST_FUNC_T];      /* where next points to then */
    /* What the tool's dlsym(handle, name) gives for a function of MPI; NULL for other names. */
    void *(*find) (struct MPII_QMPI_Member * member, void *handle, const char *name);
} MPII_QMPI_Member;

/* The constructor of the library in between calls it: the tool is loaded and bound, and none of its
 * constructors has run. */
MPICH_API_PUBLIC void MPII_QMPI_Pmpi_attach(MPII_QMPI_Member * member);

#endif /* MPII_QMPI_MEMBER_H_INCLUDED */
