/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes ROUNDS messages to itself and barriers with a session, without MPI_COMM_WORLD, and ends as the
 * argument says:
 *
 *     finalize   by MPI_Session_finalize
 *     open       by exit(), with an open session
 *     abort, kill, leave (by _exit)
 *     world      by MPI_Init, one more message and barrier, and SIGKILL */

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 40, NUMBERS = 10 };

static void go(MPI_Comm comm)
{
    int out[NUMBERS] = { 0 }, in[NUMBERS], rank;

    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(out, NUMBERS, MPI_INT, rank, 0, in, NUMBERS, MPI_INT, rank, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "finalize";
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "ends", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    for (int i = 0; i < ROUNDS; i++)
        go(comm);
    if (strcmp(end, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(end, "leave") == 0)
        _exit(0);
    else if (strcmp(end, "abort") == 0)
        MPI_Abort(comm, 3);
    else if (strcmp(end, "open") == 0)
        return 0;
    else if (strcmp(end, "world") == 0) {
        MPI_Init(&argc, &argv);
        go(MPI_COMM_WORLD);
        raise(SIGKILL);
    }
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
