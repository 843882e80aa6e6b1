/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A library of the application whose constructor calls MPI. It runs with the loader's lock held,
 * while a thread that builds the chain waits for that lock. */

#include <mpi.h>

void start_builder(void);
void wait_until_builder_sleeps(void);

__attribute__ ((constructor))
static void load(void)
{
    int flag;

    start_builder();
    wait_until_builder_sleeps();
    MPI_Initialized(&flag);
}
