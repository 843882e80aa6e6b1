/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool replaces MPI_Bcast by calls of the next tool's MPI_Comm_rank, MPI_Comm_size, MPI_Send and
 * MPI_Recv. Tools that follow it see these calls only, tools before it the MPI_Bcast only. Run
 * with the list rec,tree,rec on two processes. */

#include "qmpi_test.h"

#define TAG 77

static void next(int tool_id, int function, void (**fn) (void), int *next_tool_id)
{
    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, function, fn, next_tool_id));
}

static int my_bcast(MPI_Context context, int tool_id, void *buffer, int count,
                    MPI_Datatype datatype, int root, MPI_Comm comm)
{
    void (*fn) (void);
    int id, rank, size, rc;

    next(tool_id, MPI_COMM_RANK_T, &fn, &id);
    rc = ((MPI_Comm_rank_t *) fn) (context, id, comm, &rank);
    if (rc)
        return rc;
    next(tool_id, MPI_COMM_SIZE_T, &fn, &id);
    rc = ((MPI_Comm_size_t *) fn) (context, id, comm, &size);
    if (rc)
        return rc;
    if (rank != root) {
        next(tool_id, MPI_RECV_T, &fn, &id);
        return ((MPI_Recv_t *) fn) (context, id, buffer, count, datatype, root, TAG, comm,
                                    MPI_STATUS_IGNORE);
    }
    next(tool_id, MPI_SEND_T, &fn, &id);
    for (int to = 0; to < size && !rc; to++) {
        if (to != root)
            rc = ((MPI_Send_t *) fn) (context, id, buffer, count, datatype, to, TAG, comm);
    }
    return rc;
}

static void init_tree(int tool_id)
{
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_BCAST_T, (void (*)(void)) my_bcast));
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("tree", init_tree);
    qt_register("rec", qt_record_all);
}

int main(int argc, char **argv)
{
    int rank = -1, data[3] = { 0, 0, 0 }, all;

    qt_begin();
    MPI_Init(&argc, &argv);
    QMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        data[0] = 4;
        data[1] = 5;
        data[2] = 6;
    }
    qt_log_clear();
    QT_SUCCESS(MPI_Bcast(data, 3, MPI_INT, 1, MPI_COMM_WORLD));
    QT_CHECK(data[0] == 4 && data[1] == 5 && data[2] == 6, "wrong data");
    if (rank == 1)
        qt_expect_log("1>MPI_Bcast 3>MPI_Comm_rank 3<MPI_Comm_rank 3>MPI_Comm_size 3<MPI_Comm_size "
                      "3>MPI_Send 3<MPI_Send 1<MPI_Bcast", "root");
    else
        qt_expect_log("1>MPI_Bcast 3>MPI_Comm_rank 3<MPI_Comm_rank 3>MPI_Comm_size 3<MPI_Comm_size "
                      "3>MPI_Recv 3<MPI_Recv 1<MPI_Bcast", "receiver");

    QMPI_Allreduce(&qt_errs, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    qt_errs = all;
    MPI_Finalize();
    return rank == 0 ? qt_end() : 0;
}
