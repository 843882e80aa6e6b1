/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_WORDS_H_INCLUDED
#define MPII_QMPI_WORDS_H_INCLUDED

/* MPI_Pcontrol has optional arguments whose number and types only the application and its tools
 * know, yet every instance must get them as if it had been called directly. C offers no way to
 * hand on such a list as arguments, but calling conventions pass each argument either in the next
 * word of a sequence of integer registers and stack, or in the next of the floating-point
 * registers. Both sequences are read here as far as a tool could and passed on again: 16 words (an
 * integer or pointer each) and, where floating-point arguments travel apart from words, 8 doubles.
 * Words that the application did not pass are read but mean nothing to any tool. */

#include <stdarg.h>

#define MPII_QMPI_NUM_WORDS 16
#define MPII_QMPI_NUM_DOUBLES 8
#if defined(__x86_64__) || (defined(__aarch64__) && !defined(__APPLE__))
#define MPII_QMPI_DOUBLES_APART 1
#endif

typedef struct {
    void *w[MPII_QMPI_NUM_WORDS];
#ifdef MPII_QMPI_DOUBLES_APART
    double d[MPII_QMPI_NUM_DOUBLES];
#endif
} MPII_QMPI_Words;

static inline void MPII_QMPI_read_words(MPII_QMPI_Words * words, va_list varargs)
{
    va_list list;

    va_copy(list, varargs);
    for (int i = 0; i < MPII_QMPI_NUM_WORDS; i++)
        words->w[i] = va_arg(list, void *);
    va_end(list);
#ifdef MPII_QMPI_DOUBLES_APART
    va_copy(list, varargs);
    for (int i = 0; i < MPII_QMPI_NUM_DOUBLES; i++)
        words->d[i] = va_arg(list, double);
    va_end(list);
#endif
}

/* the optional arguments of a call */
#define MPII_QMPI_WORDS_ONLY(x_)                                                        \
    (x_).w[0], (x_).w[1], (x_).w[2], (x_).w[3], (x_).w[4], (x_).w[5], (x_).w[6],        \
    (x_).w[7], (x_).w[8], (x_).w[9], (x_).w[10], (x_).w[11], (x_).w[12], (x_).w[13],    \
    (x_).w[14], (x_).w[15]
#ifdef MPII_QMPI_DOUBLES_APART
#define MPII_QMPI_PASS_WORDS(x_)                                                        \
    MPII_QMPI_WORDS_ONLY(x_), (x_).d[0], (x_).d[1], (x_).d[2], (x_).d[3], (x_).d[4],    \
    (x_).d[5], (x_).d[6], (x_).d[7]
#else
#define MPII_QMPI_PASS_WORDS(x_) MPII_QMPI_WORDS_ONLY(x_)
#endif

#endif /* MPII_QMPI_WORDS_H_INCLUDED */
