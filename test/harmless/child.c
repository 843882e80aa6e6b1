/* Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory */

/* Calls MPI_Get_version in the process, in a child, and in the process again. The tool "childless" returns the number of
 * its calls as version. */

#include <mpi.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int version, subversion;

    MPI_Init(&argc, &argv);
    MPI_Get_version(&version, &subversion);
    printf("parent %d\n", version);
    fflush(stdout);
    if (fork() == 0) {
        MPI_Get_version(&version, &subversion);
        printf("child %d\n", version == MPI_VERSION);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    MPI_Get_version(&version, &subversion);
    printf("parent %d\n", version);
    MPI_Finalize();
    return 0;
}
