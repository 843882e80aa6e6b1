/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

#ifdef ENABLE_QMPI

/* MPI_Pcontrol has optional arguments whose number and types only the application and its tools
 * know, yet every instance must get them as if it had been called directly. C offers no way to
 * hand on such a list as arguments, but calling conventions pass each argument either in the next
 * word of a sequence of integer registers and stack, or in the next of the floating-point
 * registers. Both sequences are read here as far as a tool could and passed on again: 16 words (an
 * integer or pointer each) and, where floating-point arguments travel apart from words, 8 doubles.
 * Words that the application did not pass are read but mean nothing to any tool. */

#define WORDS 16
#if defined(__x86_64__) || (defined(__aarch64__) && !defined(__APPLE__))
#define DOUBLES_APART 1
#endif

int MPIR_QMPI_pcontrol(const void *call_site, int level, va_list varargs)
{
    struct MPIR_QMPI_Context context = { call_site, MPI_PCONTROL_T };
    int mpi_errno = MPI_SUCCESS;
    const MPIR_QMPI_Link *link;
    int num_links;
    void *w[WORDS];
    va_list words;

    va_copy(words, varargs);
    for (int i = 0; i < WORDS; i++)
        w[i] = va_arg(words, void *);
    va_end(words);
#ifdef DOUBLES_APART
    double d[8];
    va_list doubles;
    va_copy(doubles, varargs);
    for (int i = 0; i < 8; i++)
        d[i] = va_arg(doubles, double);
    va_end(doubles);
#endif

    link = MPIR_QMPI_pcontrol_links(&num_links);
    for (int i = 0; i < num_links; i++, link++) {
        MPI_Pcontrol_t *fn = (MPI_Pcontrol_t *) link->fn;
        int err = fn(&context, link->tool_id, level,
                     w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7],
                     w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]
#ifdef DOUBLES_APART
                     , d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]
#endif
            );
        /* every instance is called, the first error is reported */
        if (mpi_errno == MPI_SUCCESS)
            mpi_errno = err;
    }
    return mpi_errno;
}

#endif /* ENABLE_QMPI */
