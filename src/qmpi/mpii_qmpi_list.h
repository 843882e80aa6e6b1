/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPII_QMPI_LIST_H_INCLUDED
#define MPII_QMPI_LIST_H_INCLUDED

#include <stddef.h>

/* The tool list as text. This unit knows nothing of MPI, so that tests can be built with it alone.
 *
 *   list     := entry { (',' | ':') entry }
 *   entry    := selector [ '(' arguments ')' ]
 *   selector := name | path | name '=' path | 'pmpi=' path
 *
 * A name has no slash, a path has one (behind pmpi= it need not). White space around entries,
 * selectors and paths is not part of them. Brackets in arguments nest, and what is inside is not
 * looked at any further. Names and paths with a separator or a bracket cannot be written. */

#define MPII_QMPI_MAX_NAME 255  /* characters */
#define MPII_QMPI_MAX_PATH 4095
#define MPII_QMPI_MAX_ENTRIES 10000     /* so that a wrong list does not take all memory */

typedef enum {
    MPII_QMPI_ENTRY_NAME,
    MPII_QMPI_ENTRY_FILE,
    MPII_QMPI_ENTRY_PMPI
} MPII_QMPI_Entry_kind;

typedef struct {
    char *fault;                /* why the entry means nothing, as a sentence; NULL if it is good */
    MPII_QMPI_Entry_kind kind;  /* this and what follows: of good entries only */
    char *selector;             /* as the user wrote it */
    char *name;                 /* of the tool; NULL where the path has to do */
    char *path;                 /* NULL where there is a name only */
    char *arguments;            /* "" if there are none */
} MPII_QMPI_Entry;

/* Reads a list. Gives its entries and their number; MPII_QMPI_free_entries frees them. Returns 0, or
 * -1 where the list as a whole cannot be taken: then there are none, and message says why. */
int MPII_QMPI_parse_list(const char *list, MPII_QMPI_Entry ** entries, int *count, char *message,
                         size_t size);
void MPII_QMPI_free_entries(MPII_QMPI_Entry * entries, int count);

/* Writes text into the size bytes at shown so that it can be read on any terminal: control
 * characters escaped, and "..." for what does not fit. Returns shown. size is at least 8. */
const char *MPII_QMPI_show(const char *text, size_t length, char *shown, size_t size);

/* Room for a text of the user's in a message: long ones stay readable. */
#define MPII_QMPI_SHOWN 72

#endif /* MPII_QMPI_LIST_H_INCLUDED */
