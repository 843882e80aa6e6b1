/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef DEMAND_H_INCLUDED
#define DEMAND_H_INCLUDED

#include <stdio.h>
#include <stdlib.h>

/* Ends the process, whatever its threads do, with a message if the condition is false. */
#define DEMAND(condition)                                                             \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            _Exit(2);                                                                 \
        }                                                                             \
    } while (0)

#endif /* DEMAND_H_INCLUDED */
