/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_LIST_H_INCLUDED
#define MPII_QMPI_LIST_H_INCLUDED

#include <stddef.h>

/* Parser of the tool list. It does not use MPI, so that tests can be built with it alone.
 *
 *   list     := entry { (',' | ':') entry }
 *   entry    := selector [ '(' arguments ')' ]
 *   selector := name | path | name '=' path | 'pmpi=' path
 *
 * A name has no slash, a path has one; the path after pmpi= needs none, and pmpi=PATH means
 * pmpi(PATH). White space around entries, selectors and paths is ignored. Parentheses in arguments
 * nest; nothing else in them is parsed. A separator or parenthesis cannot be part of a name or
 * path. */

#define MPII_QMPI_MAX_NAME 255  /* characters */
#define MPII_QMPI_MAX_PATH 4095
#define MPII_QMPI_MAX_ENTRIES 10000     /* bounds the memory that a wrong list takes */

typedef struct {
    char *fault;                /* why the entry is invalid, as a sentence; NULL if it is valid */
    char *name;                 /* of the tool; NULL if only the path is given */
    char *path;                 /* NULL if only the name is given */
    char *arguments;            /* "" if there are none */
} MPII_QMPI_Entry;

/* Parses a list. Returns 0 with the entries, which MPII_QMPI_free_entries frees, and their number;
 * or -1 with a message if the list as a whole is refused. */
int MPII_QMPI_parse_list(const char *list, MPII_QMPI_Entry ** entries, int *count, char *message,
                         size_t size);
void MPII_QMPI_free_entries(MPII_QMPI_Entry * entries, int count);

/* Writes text for a terminal into the size (at least 8) bytes at shown: control characters are
 * escaped, and "..." replaces the end of a text that does not fit. Returns shown. */
const char *MPII_QMPI_show(const char *text, size_t length, char *shown, size_t size);

/* Size of a text of the user's in a message. */
#define MPII_QMPI_SHOWN 72

#endif /* MPII_QMPI_LIST_H_INCLUDED */
