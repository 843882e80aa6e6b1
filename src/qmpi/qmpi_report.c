/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#ifdef ENABLE_QMPI

#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* The chain is built before MPI is initialized: only the launcher's variables tell the rank. NULL
 * if there is no launcher. */
static const char *rank_in_job(void)
{
    static const char *const names[] = { "PMI_RANK", "PMIX_RANK", "SLURM_PROCID" };
    const char *rank = NULL;

    for (int i = 0; !rank && i < sizeof(names) / sizeof(names[0]); i++)
        rank = getenv(names[i]);
    return rank;
}

/* Writes the line at once, so that lines of several processes do not mix. */
static void print(const char *heading, const char *format, va_list varargs, const char *end)
{
    char line[MPII_QMPI_MAX_MESSAGE];
    const int size = sizeof(line) - strlen(end) - 1;
    int used = snprintf(line, size, "MPICH: %s: ", heading);

    vsnprintf(line + used, size - used, format, varargs);
    strcat(line, end);
    strcat(line, "\n");
    fputs(line, stderr);
    fflush(stderr);
}

/* Processes can have different lists and faults, so each prints its own. */
static void complain(const char *about, const char *format, va_list varargs, const char *end)
{
    const char *rank = rank_in_job();
    char heading[64];

    if (rank)
        snprintf(heading, sizeof(heading), "rank %.16s: %s", rank, about);
    print(rank ? heading : about, format, varargs, end);
}

/* The chain is built before MPI connects to the process manager. */
static bool is_connected(void)
{
    if (MPIR_Process.size || !MPII_QMPI_is_building())
        return true;
    return MPIR_T_env_init() == MPI_SUCCESS && MPIR_pmi_init() == MPI_SUCCESS;
}

/* Hydra drops what it has not read yet when a job is aborted. */
static void await_reader(void)
{
    const struct timespec moment = { 0, 1000000 };
    int unread = 0;

    for (int i = 0; i < 100 && !ioctl(STDERR_FILENO, FIONREAD, &unread) && unread; i++)
        nanosleep(&moment, NULL);
}

/* The others of a job would wait in MPI_Init for a process that just ends: Hydra does not notice
 * the end of processes that have not connected to it, or not for long. */
static void ATTRIBUTE((noreturn)) end_job(void)
{
    if (rank_in_job() && is_connected() && MPIR_Process.size > 1) {
        await_reader();
        MPIR_pmi_abort(EXIT_FAILURE, "tool list");
    }
    exit(EXIT_FAILURE);
}

void MPII_QMPI_fatal(const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    complain("tool list", format, varargs, "");
    va_end(varargs);
    end_job();
}

void MPII_QMPI_fault(const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    complain("tool list", format, varargs, MPII_QMPI_settings.warns_only ? "; left out" : "");
    va_end(varargs);
    if (!MPII_QMPI_settings.warns_only)
        end_job();
}

void MPII_QMPI_warn(const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    complain("tools", format, varargs, "");
    va_end(varargs);
}

static bool is_reporting(void)
{
    const char *rank = rank_in_job();

    return MPII_QMPI_settings.is_verbose && (!rank || atoi(rank) == 0);
}

void MPII_QMPI_report(const char *format, ...)
{
    va_list varargs;

    if (!is_reporting())
        return;
    va_start(varargs, format);
    print("tools", format, varargs, "");
    va_end(varargs);
}

/* ---- the chain ---- */

/* If there are more functions than this, only their number is printed. */
#define MAX_NAMED 40

static const char *list_functions(int tool_id, char *text, size_t size)
{
    size_t used = 0;
    int n = 0;

    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        n += MPII_QMPI_function_of(tool_id, f) != NULL;
    if (n == 0)
        return "nothing";
    if (n > MAX_NAMED) {
        snprintf(text, size, "%d functions", n);
        return text;
    }
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        if (MPII_QMPI_function_of(tool_id, f))
            used += snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                             MPIR_QMPI_function_name[f]);
    return text;
}

void MPII_QMPI_report_chain(void)
{
    const int n = MPIR_QMPI_chain.num_instances;
    char functions[MPII_QMPI_MAX_MESSAGE / 2], file[MPII_QMPI_MAX_MESSAGE / 8];
    char name[MPII_QMPI_SHOWN], arguments[MPII_QMPI_SHOWN * 2];

    if (n == 0 || !is_reporting())
        return;
    MPII_QMPI_report("%d instance%s in the chain", n, n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        const MPII_QMPI_Instance *instance = &MPII_QMPI_instances[i];
        const MPII_QMPI_Tool *tool = instance->tool;
        const char *path = tool->file ? tool->file : "an unknown file";

        MPII_QMPI_report("%d: %s(%s) from %s intercepts %s", i + 1,
                         MPII_QMPI_show(tool->name, strlen(tool->name), name, sizeof(name)),
                         MPII_QMPI_show(instance->arguments, strlen(instance->arguments), arguments,
                                        sizeof(arguments)),
                         MPII_QMPI_show(path, strlen(path), file, sizeof(file)),
                         list_functions(i + 1, functions, sizeof(functions)));
    }
}

/* ---- memory ---- */

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

#endif /* ENABLE_QMPI */
