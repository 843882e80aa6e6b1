/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <unistd.h>

/* The numbers for a pair of processes do not agree. ranks: 2 */
static void alltoallv_count(int rank, int size)
{
    int values[8] = {0}, all[8], one[2] = {1, 1}, two[2] = {1, 2}, displacements[2] = {0, 4};

    /* rank 0 sends two to rank 1, which expects one */
    MPI_Alltoallv(values, rank == 0 ? two : one, displacements, MPI_INT, all, one, displacements, MPI_INT,   /* expect: type mismatch */
                  MPI_COMM_WORLD);
}

/* A nonblocking operation does not match a blocking one. ranks: 2 tool: timeout=3,deadlock=abort */
static void collective_blocking(int rank, int size)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);     /* either: collective mismatch */
        MPI_Wait(&request, MPI_STATUS_IGNORE);      /* expect: deadlock */
    } else
        MPI_Barrier(MPI_COMM_WORLD);                /* either: collective mismatch */ /* expect: deadlock */
}

/* The root sends more than the others expect. ranks: 2 */
static void collective_count(int rank, int size)
{
    int values[10] = {0};

    MPI_Bcast(values, rank == 0 ? 10 : 5, MPI_INT, 0, MPI_COMM_WORLD);  /* expect: type mismatch */
}

/* A later broadcast of a loop is longer than the buffer, and its root makes no call for a while. ranks: 2 */
static void collective_late(int rank, int size)
{
    int values[10] = {0};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 10; i++)
        MPI_Bcast(values, i == 9 && rank == 0 ? 2 : 1, MPI_INT, 0, MPI_COMM_WORLD);   /* expect: type mismatch */
    if (rank == 0)
        usleep(50000);
}

/* One process is in another collective operation. ranks: 2 tool: timeout=3,deadlock=abort */
static void collective_order(int rank, int size)
{
    int value = 0;

    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);                            /* either: collective mismatch */ /* expect: deadlock */
    else
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);       /* either: collective mismatch */ /* expect: deadlock */
}

/* A duplicate here, a split there. ranks: 2 tool: timeout=3,deadlock=abort */
static void communicator_creation(int rank, int size)
{
    MPI_Comm comm;

    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);                    /* either: collective mismatch */ /* expect: deadlock */
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);            /* either: collective mismatch */ /* expect: deadlock */
    MPI_Comm_free(&comm);
}

/* Files that do not exist are no reason to compare no more. ranks: 2 */
static void file_missing(int rank, int size)
{
    float value;
    MPI_File file;

    if (MPI_File_open(MPI_COMM_WORLD, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
        MPI_File_close(&file);
    if (rank == 0 && MPI_File_open(MPI_COMM_SELF, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
        MPI_File_close(&file);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: type mismatch */
}

/* A write to a file is never completed, and a receive uses its memory. ranks: 2 */
static void file_unfinished(int rank, int size)
{
    int value = 1;
    MPI_File file;
    MPI_Request request;

    MPI_File_open(MPI_COMM_SELF, rank == 0 ? "unfinished.0" : "unfinished.1",
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_iwrite(file, &value, 1, MPI_INT, &request);                            /* expect: pending request */
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       /* expect: buffer overlap */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_close(&file);
}

/* The root takes less than the others give. ranks: 2 */
static void gather_count(int rank, int size)
{
    int values[3] = {0}, all[30];

    MPI_Gather(values, 3, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD); /* expect: type mismatch */
}

/* The members of a group make its communicator with different tags; rank 2 is not in it. ranks: 3 tool: timeout=2,deadlock=abort */
static void group_tag(int rank, int size)
{
    MPI_Group all, group;
    MPI_Comm comm;
    const int members[] = { 0, 1 };

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, members, &group);
    if (rank < 2)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, rank, &comm);      /* expect: deadlock */
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

/* The parts have other sizes in each process. */
static void reduce_scatter_count(int rank, int size)
{
    static int data[4], room[4];
    const int counts[2][2] = {{1, 2}, {2, 1}};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Reduce_scatter(data, room, counts[rank], MPI_INT, MPI_SUM, MPI_COMM_WORLD);  /* expect: type mismatch */
}

CASES(CASE(alltoallv_count), CASE(collective_blocking), CASE(collective_count),
      CASE(collective_late), CASE(collective_order), CASE(communicator_creation),
      CASE(file_missing), CASE(file_unfinished), CASE(gather_count), CASE(group_tag),
      CASE(reduce_scatter_count))
