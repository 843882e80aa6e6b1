/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI can be initialized again after the last session was finalized: string control variables,
 * context ids and address tables start afresh. Without tools; session_cycles.c has them. Upstream
 * this test belongs in test/mpi/init.
 *
 * The connection to the process manager does not survive the last session, so the cycles run in a
 * child process outside of the job. Devices other than ch4 are not tested. */

#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpitest.h"

#define NUM_CYCLES 3

static int run_cycle(int cycle)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, copy;
    int in = cycle + 1, out = -1;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "cycle", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_dup(comm, &copy);
    MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return out != in;
}

static int run_cycles(void)
{
    int errs = 0;

    for (int i = 0; i < NUM_CYCLES; i++)
        errs += run_cycle(i);
    return errs != 0;
}

static int is_ch4(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int len;

    MPI_Get_library_version(version, &len);
    return strstr(version, "ch4:") != NULL;
}

static int run_child(char *program)
{
    static const char *const pmi[] = { "PMI_RANK", "PMI_SIZE", "PMI_FD", "PMI_PORT", "PMI_ID" };
    char *args[] = { program, "cycles", NULL };
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        for (int i = 0; i < (int) (sizeof(pmi) / sizeof(pmi[0])); i++)
            unsetenv(pmi[i]);
        alarm(60);
        execv("/proc/self/exe", args);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "the process with %d cycles ended with status 0x%x\n", NUM_CYCLES, status);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int errs = 0;

    if (argc == 2 && strcmp(argv[1], "cycles") == 0)
        return run_cycles();
    if (is_ch4())
        errs = run_child(argv[0]);
    MTest_Init(&argc, &argv);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
