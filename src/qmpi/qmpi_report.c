/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool warns_only;            /* leave out an unusable entry instead of ending the process */
    bool is_verbose;
} reports;

void MPII_QMPI_set_reports(bool warns_only, bool is_verbose)
{
    reports.warns_only = warns_only;
    reports.is_verbose = is_verbose;
}

static __thread bool is_building = false;

void MPII_QMPI_set_building(bool is_begin)
{
    is_building = is_begin;
}

bool MPII_QMPI_is_building(void)
{
    return is_building;
}

/* The chain is built before MPI is initialized: only the launcher's variables tell the rank. NULL
 * if there is no launcher. */
static const char *rank_in_job(void)
{
    static const char *const names[] = { "PMI_RANK", "PMI_ID", "PMIX_RANK", "SLURM_PROCID" };
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
    if (MPIR_Process.size || !is_building)
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
    complain("tool list", format, varargs, reports.warns_only ? "; left out" : "");
    va_end(varargs);
    if (!reports.warns_only)
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

    return reports.is_verbose && (!rank || atoi(rank) == 0);
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
