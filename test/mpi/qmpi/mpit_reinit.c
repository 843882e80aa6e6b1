/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_T can be initialized again after MPI_T_finalize: the control variables exist and have their
 * values in every cycle. Upstream this test belongs in test/mpi/mpi_t. */

#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpitest.h"

#define NUM_CYCLES 3

static int errs = 0;
static int num_cvars = -1;

static void check_int(const char *name, int expected)
{
    int idx = -1, count, value = -1;
    MPI_T_cvar_handle handle;

    if (MPI_T_cvar_get_index(name, &idx) != MPI_SUCCESS) {
        errs++;
        fprintf(stderr, "no control variable %s\n", name);
        return;
    }
    MPI_T_cvar_handle_alloc(idx, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    if (value != expected) {
        errs++;
        fprintf(stderr, "%s is %d, expected %d\n", name, value, expected);
    }
}

static void run_cycle(void)
{
    int provided, num;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&num);
    if (num_cvars < 0)
        num_cvars = num;
    if (num == 0 || num != num_cvars) {
        errs++;
        fprintf(stderr, "%d control variables, %d in the first cycle\n", num, num_cvars);
    }
    check_int("MPIR_CVAR_BCAST_MIN_PROCS", 4711);
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    setenv("MPIR_CVAR_BCAST_MIN_PROCS", "4711", 1);
    for (int i = 0; i < NUM_CYCLES; i++)
        run_cycle();
    MTest_Init(&argc, &argv);
    run_cycle();
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
