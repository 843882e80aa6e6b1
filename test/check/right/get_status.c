/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_Request_get_status shows that an operation is complete. tool: checksums,timeout=5 ranks: 3 */
#include <mpi.h>

static void poll(MPI_Request request)
{
    int is_complete = 0;
    while (!is_complete)
        MPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, next, before, sent = 1, received, again, *memory, is_complete, both[2];
    MPI_Win window;
    MPI_Request request, requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    next = (rank + 1) % 3;
    before = (rank + 2) % 3;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);

    /* its memory may be used */
    MPI_Irecv(&received, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    poll(request);
    poll(request);
    received++;
    MPI_Sendrecv(&received, 1, MPI_INT, next, 1, &again, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* a persistent one: complete when inactive, too */
    MPI_Recv_init(&received, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &request);
    poll(request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        MPI_Send(&sent, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
        poll(request);
        MPI_Sendrecv(&received, 1, MPI_INT, next, 1, &again, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
#if MPICH_NUMVERSION < 50000000   /* later ones take the request for inactive */
    MPI_Start(&request);
    MPI_Send(&sent, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
    poll(request);
    MPI_Cancel(&request);   /* still active */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Request_free(&request);

    /* accesses are ordered */
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&sent, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    poll(request);
    if (rank == 1)
        MPI_Put(&sent, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);

    /* a send that is complete does not wait for its receive */
    for (int i = 0; i < 2; i++)
        MPI_Isend(&sent, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[i]);
    MPI_Request_get_status(requests[0], &is_complete, MPI_STATUS_IGNORE);
    if (is_complete)
        MPI_Request_get_status(requests[1], &is_complete, MPI_STATUS_IGNORE);
    if (is_complete)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Recv(&both[i], 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_complete)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION > 0)
    int index, indices[2], number, more[2];
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&both[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 2; i++)
            MPI_Send(&sent, 1, MPI_INT, next, i, MPI_COMM_WORLD);
        if (form == 0)
            for (is_complete = 0; !is_complete;)
                MPI_Request_get_status_all(2, requests, &is_complete, MPI_STATUSES_IGNORE);
        else if (form == 1)
            for (int i = 0; i < 2; i++)
                for (is_complete = 0; !is_complete;)
                    MPI_Request_get_status_any(1, &requests[i], &index, &is_complete, MPI_STATUS_IGNORE);
        else
            for (number = 0; number < 2;) {
                /* MPICH 5.0.1 makes no progress there while one of the requests is complete. */
                MPI_Iprobe(next, 5, MPI_COMM_WORLD, &is_complete, MPI_STATUS_IGNORE);
                MPI_Request_get_status_some(2, requests, &number, indices, MPI_STATUSES_IGNORE);
            }
        both[0]++;
        MPI_Sendrecv(both, 2, MPI_INT, next, 4, more, 2, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
#endif
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
