/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles that were freed, where MPI ignores them in other processes, operations or buffers. Each process makes the
 * calls alone. ranks: 1 cases: 14 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const MPI_Comm comm = MPI_COMM_SELF;
    int value = 1, all[2] = {0}, counts[1] = {1}, places[1] = {0}, *memory;
    MPI_Aint bytes[1] = {0};
    MPI_Datatype type, gone;
    MPI_Comm copy, freed, made;
    MPI_Request request;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    gone = type;
    MPI_Type_free(&type);
    switch (atoi(argv[1])) {
        case 1:
            MPI_Gather(&value, 1, gone, all, 1, MPI_INT, 0, comm);  /* expect: freed handle */
            break;
        case 2:
            MPI_Gather(&value, 1, MPI_INT, all, 1, gone, 0, comm);  /* expect: freed handle */
            break;
        case 3:
            MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, all, 1, gone, 0, comm);    /* expect: freed handle */
            break;
        case 4:
            MPI_Scatterv(all, counts, places, gone, &value, 1, MPI_INT, 0, comm);   /* expect: freed handle */
            break;
        case 5:
            MPI_Iscatter(all, 1, gone, MPI_IN_PLACE, 1, MPI_INT, 0, comm, &request);        /* expect: freed handle */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 6:
            MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, all, 1, gone, comm);    /* expect: freed handle */
            break;
        case 7:
            MPI_Allreduce(MPI_IN_PLACE, all, 1, gone, MPI_SUM, comm);       /* expect: freed handle */
            break;
        case 8:
            MPI_Reduce(MPI_IN_PLACE, all, 1, gone, MPI_SUM, 0, comm);       /* expect: freed handle */
            break;
        case 9:
            MPI_Exscan(&value, all, 1, gone, MPI_SUM, comm);        /* expect: freed handle */
            break;
        case 10:
            MPI_Gather_init(&value, 1, MPI_INT, all, 1, gone, 0, comm, MPI_INFO_NULL, &request);    /* expect: freed handle */
            MPI_Request_free(&request);
            break;
        case 11:
            MPI_Type_create_struct(1, counts, bytes, &gone, &type); /* expect: freed handle */
            MPI_Type_free(&type);
            break;
        case 12:
            MPI_Comm_dup(comm, &copy);
            freed = copy;
            MPI_Comm_free(&copy);
            MPI_Intercomm_create(comm, 0, freed, 0, 0, &made);      /* expect: freed handle */
            break;
        case 13:
            MPI_Win_allocate(4, 4, MPI_INFO_NULL, comm, &memory, &window);
            MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            MPI_Get_accumulate(&value, 1, gone, all, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);        /* expect: freed handle */
            MPI_Win_unlock(0, window);
            MPI_Win_free(&window);
            break;
        case 14:
            MPI_Send(&value, 1, gone, MPI_PROC_NULL, 0, comm);      /* expect: freed handle */
            break;
    }
    MPI_Finalize();
    return 0;
}
