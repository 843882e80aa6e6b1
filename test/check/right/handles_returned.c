/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles that functions return without making an object, and those of predefined objects. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, number, value = 1, other, flag, *memory;
    MPI_Comm comm, parent;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Datatype type, matched, real, pair[2] = {MPI_FLOAT_INT, MPI_LONG_DOUBLE_INT};
    MPI_Win window;
    MPI_Request request;

    MPI_Info_create(&info);
    MPI_Init(&argc, &argv);
    MPI_Info_set(info, "key", "value");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_get_info(comm, &info);
    MPI_Info_get_nkeys(info, &number);
    MPI_Info_free(&info);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_group(comm, &group);
    MPI_Group_size(group, &number);
    MPI_Group_size(MPI_GROUP_EMPTY, &number);
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Type_create_f90_real(6, MPI_UNDEFINED, &real);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &matched);
    MPI_Type_contiguous(2, matched, &type);
    MPI_Type_free(&type);
    MPI_Type_contiguous(2, real, &type);
    MPI_Type_free(&type);
    for (int i = 0; i < 2; i++) {
        MPI_Type_contiguous(2, pair[i], &type);
        MPI_Type_free(&type);
    }
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Comm_idup(comm, &parent, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(parent);
    MPI_Comm_free(&parent);
    for (int i = 0; i < 20; i++) {      /* complete at once */
        MPI_Request both[2];
        MPI_Irecv(&other, 1, MPI_INT, 1 - rank, 0, comm, &both[0]);
        MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, comm, &both[1]);
        if (i % 2)
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        else
            for (int k = 0; k < 2; k++)
                do
                    MPI_Test(&both[k], &flag, MPI_STATUS_IGNORE);
                while (!flag);
        MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);      /* null */
    }
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
