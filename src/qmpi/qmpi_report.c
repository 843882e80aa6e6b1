/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#ifdef ENABLE_QMPI

#include <stdarg.h>

/* The chain is built before MPI is initialized, so what a process is in its job only the launcher's
 * variables tell. A process without any is a job of its own. */
static bool is_zero(const char *const names[])
{
    const char *number = NULL;

    for (int i = 0; !number && names[i]; i++)
        number = getenv(names[i]);
    return !number || atoi(number) == 0;
}

static bool is_first_of_job(void)
{
    static const char *const names[] = { "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL };
    return is_zero(names);
}

static bool is_first_of_host(void)
{
    static const char *const names[] = { "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_RANK",
        "PMIX_RANK", NULL
    };
    return is_zero(names);
}

/* One line in one write: those of several processes do not mix. */
static void print(const char *heading, const char *format, va_list varargs, const char *behind)
{
    char line[MPII_QMPI_MAX_MESSAGE];
    const int room = sizeof(line) - strlen(behind) - 2;
    int used = snprintf(line, room, "MPICH: %s: ", heading);

    vsnprintf(line + used, room - used, format, varargs);
    strcat(line, behind);
    strcat(line, "\n");
    fputs(line, stderr);
    fflush(stderr);
}

/* All processes have the same list: that each of them says what is wrong with it helps nobody. */
static void complain(const char *format, va_list varargs, const char *behind)
{
    if (is_first_of_host() || MPII_QMPI_is_verbose())
        print("tool list", format, varargs, behind);
}

void MPII_QMPI_fatal(const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    complain(format, varargs, "");
    va_end(varargs);
    exit(EXIT_FAILURE);
}

void MPII_QMPI_fault(const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    complain(format, varargs, MPII_QMPI_warns_only() ? "; left out" : "");
    va_end(varargs);
    if (!MPII_QMPI_warns_only())
        exit(EXIT_FAILURE);
}

void MPII_QMPI_report(const char *format, ...)
{
    va_list varargs;

    if (!MPII_QMPI_is_verbose() || !is_first_of_job())
        return;
    va_start(varargs, format);
    print("tools", format, varargs, "");
    va_end(varargs);
}

/* ---- the chain ---- */

/* Of more functions than this, not all are named. */
#define MAX_NAMED 40

static const char *list_functions(int tool_id, char *text, size_t size)
{
    size_t used = 0;
    int n = 0;

    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        n += MPII_QMPI_function_of(tool_id, f) != NULL;
    if (n == 0)
        return "nothing";
    if (n == MPI_LAST_FUNC_T)
        return "all functions";
    if (n > MAX_NAMED) {
        snprintf(text, size, "%d of %d functions", n, MPI_LAST_FUNC_T);
        return text;
    }
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        if (MPII_QMPI_function_of(tool_id, f))
            used += snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                             MPIR_QMPI_function_name[f]);
    return text;
}

void MPII_QMPI_report_chain(const MPII_QMPI_Instance * instances, int count)
{
    char functions[MPII_QMPI_MAX_MESSAGE / 2], file[MPII_QMPI_MAX_MESSAGE / 8];
    char name[MPII_QMPI_SHOWN], arguments[MPII_QMPI_SHOWN * 2];

    if (!MPII_QMPI_is_verbose() || !is_first_of_job())
        return;
    MPII_QMPI_report("%d instance%s in the chain", count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) {
        const MPII_QMPI_Instance *instance = &instances[i];
        const char *where = *instance->file ? instance->file : "an unknown file";

        MPII_QMPI_show(instance->name, strlen(instance->name), name, sizeof(name));
        MPII_QMPI_show(instance->arguments, strlen(instance->arguments), arguments,
                       sizeof(arguments));
        MPII_QMPI_report("%d: %s(%s) from %s intercepts %s", i + 1, name, arguments,
                         MPII_QMPI_show(where, strlen(where), file, sizeof(file)),
                         list_functions(i + 1, functions, sizeof(functions)));
    }
}

/* ---- memory, error codes ---- */

void *MPII_QMPI_allocate(size_t number, size_t size)
{
    void *memory = MPL_direct_calloc(number ? number : 1, size);

    if (!memory)
        MPII_QMPI_fatal("out of memory");
    return memory;
}

char *MPII_QMPI_copy(const char *text)
{
    return strcpy(MPII_QMPI_allocate(strlen(text) + 1, 1), text);
}

int MPII_QMPI_refuse_null(const char *fcname, const char *argument)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**nullptr", "**nullptr %s", argument);
}

int MPII_QMPI_refuse_no_memory(const char *fcname)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_NO_MEM,
                                "**nomem", 0);
}

int MPII_QMPI_check_name(const char *fcname, const char *argument, const char *name)
{
    if (!name)
        return MPII_QMPI_refuse_null(fcname, argument);
    if (*name && strnlen(name, MPIX_MAX_TOOL_NAME_LENGTH) < MPIX_MAX_TOOL_NAME_LENGTH)
        return MPI_SUCCESS;
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**qmpi_name_length", "**qmpi_name_length %d",
                                MPIX_MAX_TOOL_NAME_LENGTH - 1);
}

int MPII_QMPI_refuse_tool_id(const char *fcname, int tool_id)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**qmpi_tool_id", "**qmpi_tool_id %d", tool_id);
}

#endif /* ENABLE_QMPI */
