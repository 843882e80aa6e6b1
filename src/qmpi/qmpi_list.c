/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpii_qmpi_list.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of a text, without a terminating NUL. */
typedef struct {
    const char *begin;
    const char *end;
} Span;

#define MAX_FAULT 1024

static const char white_space[] = " \t\r\n";

static size_t length_of(Span span)
{
    return span.end - span.begin;
}

static bool is_empty(Span span)
{
    return span.begin == span.end;
}

static Span trim(Span span)
{
    while (span.begin < span.end && strchr(white_space, *span.begin))
        span.begin++;
    while (span.begin < span.end && strchr(white_space, span.end[-1]))
        span.end--;
    return span;
}

/* First c in the span, or its end. */
static const char *find(Span span, char c)
{
    const char *found = memchr(span.begin, c, length_of(span));
    return found ? found : span.end;
}

static bool is_same(Span span, const char *text)
{
    return length_of(span) == strlen(text) && !memcmp(span.begin, text, strlen(text));
}

static char *copy(Span span)
{
    char *text = malloc(length_of(span) + 1);

    if (text) {
        memcpy(text, span.begin, length_of(span));
        text[length_of(span)] = '\0';
    }
    return text;
}

const char *MPII_QMPI_show(const char *text, size_t length, char *shown, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        const unsigned char c = text[i];
        const unsigned char next = i + 1 < length ? text[i + 1] : 0;
        char form[8];

        /* besides those of ASCII, UTF-8 has 0xc2 0x80 to 0xc2 0x9f */
        if (c == 0xc2 && next >= 0x80 && next <= 0x9f) {
            snprintf(form, sizeof(form), "\\x%02x", next);
            i++;
        } else if (c < ' ' || c == 0x7f) {
            snprintf(form, sizeof(form), "\\x%02x", c);
        } else {
            form[0] = c;
            form[1] = '\0';
        }
        if (used + strlen(form) + (i + 1 < length ? strlen("...") : 0) >= size) {
            strcpy(shown + used, "...");
            return shown;
        }
        strcpy(shown + used, form);
        used += strlen(form);
    }
    shown[used] = '\0';
    return shown;
}

/* ---- from the list to an entry ---- */

/* End of the entry that begins at text: a separator outside parentheses, or the end of the list. */
static const char *end_of_entry(const char *text)
{
    int depth = 0;

    for (; *text; text++) {
        if (*text == '(')
            depth++;
        else if (*text == ')' && depth > 0)
            depth--;
        else if ((*text == ',' || *text == ':') && depth == 0)
            break;
    }
    return text;
}

static int count_entries(const char *list)
{
    int n = 1;

    for (list = end_of_entry(list); *list && n <= MPII_QMPI_MAX_ENTRIES;
         list = end_of_entry(list + 1))
        n++;
    return n;
}

/* The parenthesis that closes the one at which the span begins, or the span's end. */
static const char *closing_parenthesis(Span span)
{
    int depth = 0;

    for (const char *c = span.begin; c < span.end; c++) {
        if (*c == '(')
            depth++;
        else if (*c == ')' && --depth == 0)
            return c;
    }
    return span.end;
}

static void __attribute__ ((format(printf, 2, 3)))
set_fault(MPII_QMPI_Entry * entry, const char *format, ...)
{
    char text[MAX_FAULT];
    va_list varargs;

    va_start(varargs, format);
    vsnprintf(text, sizeof(text), format, varargs);
    va_end(varargs);
    entry->fault = strdup(text);
}

/* The span for a message; valid in the enclosing block. */
#define SHOWN(span_) \
    MPII_QMPI_show((span_).begin, length_of(span_), (char[MPII_QMPI_SHOWN]) { "" }, MPII_QMPI_SHOWN)

static bool is_too_long(MPII_QMPI_Entry * entry, const char *what, Span span, size_t longest)
{
    if (length_of(span) <= longest)
        return false;
    set_fault(entry, "the %s '%s' has %zu characters; at most %zu are allowed", what, SHOWN(span),
              length_of(span), longest);
    return true;
}

/* selector := name | path | name '=' path | 'pmpi=' path. Returns false if there is no memory. */
static bool read_selector(Span selector, MPII_QMPI_Entry * entry)
{
    const char *slash = find(selector, '/');
    const char *equals = find(selector, '=');
    const Span left = trim((Span) { selector.begin, equals });
    const Span right = trim((Span) { equals < selector.end ? equals + 1 : equals, selector.end });
    const Span none = { selector.end, selector.end };
    const bool is_pmpi = equals < selector.end && is_same(left, "pmpi");
    Span name = none, path = none;

    if (is_pmpi) {
        name = left;
        path = right;
    } else if (slash == selector.end) {
        name = selector;
    } else {
        name = equals < slash ? left : none;
        path = equals < slash ? right : selector;
    }

    if (is_too_long(entry, "name", name, MPII_QMPI_MAX_NAME) ||
        is_too_long(entry, "path", path, MPII_QMPI_MAX_PATH))
        return entry->fault != NULL;
    if (is_pmpi && is_empty(path))
        set_fault(entry, "'%s' has no path", SHOWN(selector));
    else if (is_pmpi && *entry->arguments)
        set_fault(entry, "'%s' is a PMPI tool and takes no arguments", SHOWN(path));
    else if (!is_empty(path) && equals < slash && is_empty(name))
        set_fault(entry, "'%s' has no name before the '='", SHOWN(selector));
    else if (is_pmpi) {
        free(entry->arguments);
        entry->name = copy(name);
        entry->arguments = copy(path);
        return entry->name && entry->arguments;
    } else {
        entry->name = is_empty(name) ? NULL : copy(name);
        entry->path = is_empty(path) ? NULL : copy(path);
        return (entry->name || is_empty(name)) && (entry->path || is_empty(path));
    }
    return entry->fault != NULL;
}

/* entry := selector [ '(' arguments ')' ]. Returns false if there is no memory. */
static bool read_entry(Span text, MPII_QMPI_Entry * entry)
{
    const Span rest = { find(text, '('), text.end };
    const Span selector = trim((Span) { text.begin, rest.begin });
    const char *close = closing_parenthesis(rest);

    if (find(selector, ')') < selector.end) {
        set_fault(entry, "a ')' without '(' in '%s'", SHOWN(text));
    } else if (!is_empty(rest) && close == text.end) {
        set_fault(entry, "a '(' without ')' in '%s'", SHOWN(text));
    } else if (!is_empty(rest) && close + 1 < text.end) {
        set_fault(entry, "text after the closing parenthesis in '%s'", SHOWN(text));
    } else if (is_empty(selector)) {
        set_fault(entry, "no tool before the parenthesis in '%s'", SHOWN(text));
    } else {
        const Span arguments = { is_empty(rest) ? rest.begin : rest.begin + 1, close };
        entry->arguments = copy(arguments);
        return entry->arguments && read_selector(selector, entry);
    }
    return entry->fault != NULL;
}

/* ---- the list ---- */

void MPII_QMPI_free_entries(MPII_QMPI_Entry * entries, int count)
{
    for (int i = 0; i < count; i++) {
        free(entries[i].fault);
        free(entries[i].name);
        free(entries[i].path);
        free(entries[i].arguments);
    }
    free(entries);
}

int MPII_QMPI_parse_list(const char *list, MPII_QMPI_Entry ** entries, int *count, char *message,
                         size_t size)
{
    const Span all = { list, list + strlen(list) };
    const int n = count_entries(list);
    const char *begin = list;

    *entries = NULL;
    *count = 0;
    if (n > MPII_QMPI_MAX_ENTRIES) {
        snprintf(message, size, "more than %d entries in '%s'", MPII_QMPI_MAX_ENTRIES, SHOWN(all));
        return -1;
    }
    *entries = calloc(n, sizeof(**entries));
    if (!*entries)
        goto out_of_memory;
    for (int i = 0; i < n; i++) {
        MPII_QMPI_Entry *entry = &(*entries)[i];
        const Span text = trim((Span) { begin, end_of_entry(begin) });

        if (is_empty(text))
            set_fault(entry, "entry %d of %d is empty in '%s'", i + 1, n, SHOWN(all));
        if (is_empty(text) ? !entry->fault : !read_entry(text, entry))
            goto out_of_memory;
        begin = end_of_entry(begin) + 1;
    }
    *count = n;
    return 0;

  out_of_memory:
    MPII_QMPI_free_entries(*entries, *entries ? n : 0);
    *entries = NULL;
    snprintf(message, size, "out of memory for '%s'", SHOWN(all));
    return -1;
}
