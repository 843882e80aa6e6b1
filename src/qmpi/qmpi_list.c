/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

#ifdef ENABLE_QMPI

/* The list that the user writes:  list := name { (',' | ':') name }
 *
 * Names are those under which tools registered themselves. White space around them is not part of
 * them. All faults end here, with one message that shows the entry as the user wrote it. */

#define MAX_MESSAGE 4096
#define MAX_SHOWN 64    /* of a text that the user wrote; a fault in a long list stays readable */

void MPIR_QMPI_fatal(const char *format, ...)
{
    char message[MAX_MESSAGE];
    int used = snprintf(message, sizeof(message), "MPICH: tool list: ");
    va_list varargs;

    va_start(varargs, format);
    vsnprintf(message + used, sizeof(message) - used - 1, format, varargs);
    va_end(varargs);
    strcat(message, "\n");
    /* one write: the messages of several processes do not mix */
    fputs(message, stderr);
    fflush(stderr);
    exit(EXIT_FAILURE);
}

/* Writes text so that it can be read on any terminal: control characters escaped, the end of a long
 * one left out. Returns shown, of at least 4 * MAX_SHOWN + 4 bytes. */
static const char *show(const char *text, size_t length, char *shown)
{
    char *to = shown;

    for (size_t i = 0; i < length && i < MAX_SHOWN; i++) {
        unsigned char c = text[i];
        if (c < ' ' || c == 0x7f)
            to += sprintf(to, "\\x%02x", c);
        else
            *to++ = c;
    }
    strcpy(to, length > MAX_SHOWN ? "..." : "");
    return shown;
}

/* Names of the registered tools, as far as they fit into size bytes. */
static const char *show_registered(const MPIR_QMPI_Tool * registered, char *shown, size_t size)
{
    char name[4 * MAX_SHOWN + 4];
    size_t used = 0;

    if (!registered)
        return "none";
    for (const MPIR_QMPI_Tool * tool = registered; tool; tool = tool->next) {
        show(tool->name, strlen(tool->name), name);
        if (used + strlen(name) + 8 > size) {
            strcpy(shown + used, ", ...");
            break;
        }
        used += sprintf(shown + used, "%s%s", used ? ", " : "", name);
    }
    return shown;
}

static const MPIR_QMPI_Tool *find(const MPIR_QMPI_Tool * registered, const char *name,
                                  size_t length)
{
    char shown[4 * MAX_SHOWN + 4];
    char known[MAX_MESSAGE / 2];

    for (const MPIR_QMPI_Tool * tool = registered; tool; tool = tool->next)
        if (strlen(tool->name) == length && !memcmp(tool->name, name, length))
            return tool;
    MPIR_QMPI_fatal("no tool named '%s' is registered (registered: %s)",
                    show(name, length, shown), show_registered(registered, known, sizeof(known)));
}

void MPIR_QMPI_parse_list(const char *list, const MPIR_QMPI_Tool * registered,
                          const MPIR_QMPI_Tool *** instances, int *count)
{
    static const char white_space[] = " \t\r\n";
    char shown[4 * MAX_SHOWN + 4];
    const char *entry;
    int n = 1;

    for (const char *c = list; *c; c++)
        n += *c == ',' || *c == ':';
    if (n > MPIR_QMPI_MAX_INSTANCES)
        MPIR_QMPI_fatal("%d entries in '%s'; at most %d are supported", n,
                        show(list, strlen(list), shown), MPIR_QMPI_MAX_INSTANCES);
    *instances = MPL_direct_malloc(n * sizeof(**instances));
    if (!*instances)
        MPIR_QMPI_fatal("out of memory for %d entries", n);

    entry = list;
    for (int i = 0; i < n; i++) {
        const char *end = entry + strcspn(entry, ",:");
        const char *name = entry + strspn(entry, white_space);
        const char *name_end = end;

        while (name_end > name && strchr(white_space, name_end[-1]))
            name_end--;
        if (name >= name_end)
            MPIR_QMPI_fatal("entry %d of %d is empty in '%s'", i + 1, n,
                            show(list, strlen(list), shown));
        if (name_end - name >= MPIX_MAX_TOOL_NAME_LENGTH)
            MPIR_QMPI_fatal("the name '%s' has %td characters; at most %d are allowed",
                            show(name, name_end - name, shown), name_end - name,
                            MPIX_MAX_TOOL_NAME_LENGTH - 1);
        (*instances)[i] = find(registered, name, name_end - name);
        entry = end + 1;
    }
    *count = n;
}

#endif /* ENABLE_QMPI */
