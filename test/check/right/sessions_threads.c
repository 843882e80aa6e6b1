/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads, each with a session of its own, make communicators of the same processes, told apart by
 * their string tags, one after the other in an order that differs. The messages on one have other types
 * than those on the other. ranks: 2 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *use(void *is_second_)
{
    const int is_second = is_second_ != NULL;
    MPI_Session session;
    MPI_Group group;
    MPI_Info info;
    MPI_Comm comm;
    int rank, number = 1;
    double real = 1;

    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_rank(group, &rank);
    if (rank == is_second)
        usleep(200000);
    MPI_Comm_create_from_group(group, is_second ? "reals" : "numbers", MPI_INFO_NULL,
                               MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    if (is_second)
        MPI_Bcast(&real, 1, MPI_DOUBLE, 0, comm);
    else
        MPI_Bcast(&number, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, &thread);
    use(NULL);
    pthread_join(thread, NULL);
    return 0;
}
