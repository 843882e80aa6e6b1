/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

#include <stdarg.h>

/* MPI_Pcontrol has optional arguments whose number and types only the application and its tools
 * know. C cannot pass such a list on as arguments, but a calling convention passes each argument
 * either in the next word of a sequence of integer registers and stack, or in the next floating-
 * point register. Both sequences are read as far as a tool could, and passed on: 16 words (an
 * integer or pointer each) and, where floating-point arguments have registers of their own,
 * doubles. What is read past the application's arguments has no meaning for any tool. */

#define NUM_WORDS 16

typedef struct {
    void *w[NUM_WORDS];
    double d[8];
} Arguments;

static void ATTRIBUTE((no_sanitize_address)) read_arguments(Arguments * arguments, va_list varargs)
{
    va_list list;

    va_copy(list, varargs);
    for (int i = 0; i < NUM_WORDS; i++)
        arguments->w[i] = va_arg(list, void *);
    va_end(list);
#if defined(__x86_64__) || (defined(__aarch64__) && !defined(__APPLE__))
    va_copy(list, varargs);
    for (int i = 0; i < 8; i++)
        arguments->d[i] = va_arg(list, double);
    va_end(list);
#define DOUBLES(d_) , d_[0], d_[1], d_[2], d_[3], d_[4], d_[5], d_[6], d_[7]
#elif defined(__s390x__)
    va_copy(list, varargs);
    for (int i = 0; i < 4; i++)
        arguments->d[i] = va_arg(list, double);
    va_end(list);
#define DOUBLES(d_) , d_[0], d_[1], d_[2], d_[3]
#else
#define DOUBLES(d_)
#endif
}

int MPIR_QMPI_pcontrol(const void *call_site, int level, va_list varargs)
{
    struct MPIR_QMPI_Context context;
    const MPIR_QMPI_Link *link;
    int mpi_errno = MPI_SUCCESS;
    Arguments arguments;

    read_arguments(&arguments, varargs);
    MPIR_QMPI_note_call_site(MPI_PCONTROL_T, call_site);
    MPIR_QMPI_TAKE_CONTEXT(context);
    link = MPIR_QMPI_first_link(MPI_PCONTROL_T);
    for (; link->tool_id; link++) {
        const void *const *w = (const void *const *) arguments.w;
        int err =
            ((MPI_Pcontrol_t *) link->fn) (&context, link->tool_id, level, w[0], w[1], w[2], w[3],
                                                 w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
                                                 w[12], w[13], w[14], w[15] DOUBLES(arguments.d));
        /* every instance is called, the first error is returned */
        if (mpi_errno == MPI_SUCCESS)
            mpi_errno = err;
    }
    return mpi_errno;
}
