/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A library of some release ends the program in the call. ranks: 2 cases: 9 */
#include <mpi.h>
#include <stdlib.h>

static int lengths[2] = { 1, 1 }, value, sum, position;
static MPI_Aint places[2] = { 0, 4 }, end;
static char packed[8];

int main(int argc, char **argv)
{
    MPI_Datatype nothing[2] = { MPI_INT, (MPI_Datatype) 0 };
    MPI_Datatype communicator[2] = { MPI_INT, (MPI_Datatype) MPI_COMM_WORLD };
    MPI_Datatype made = MPI_DATATYPE_NULL;

    MPI_Init(&argc, &argv);
    switch (atoi(argv[1])) {
        case 1:
            MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);                       /* expect: invalid argument */
            break;
        case 2:
            MPI_Allreduce(&value, &sum, 1, (MPI_Datatype) 0, MPI_SUM, MPI_COMM_WORLD);      /* expect: invalid argument */
            break;
        case 3:
            MPI_Type_create_struct(2, lengths, places, nothing, &made);             /* expect: invalid argument */
            break;
        case 4:
            MPI_Type_create_struct(2, lengths, places, communicator, &made);        /* expect: invalid argument */
            break;
        case 5:
            MPI_Pack(NULL, 1, MPI_INT, packed, 8, &position, MPI_COMM_WORLD);       /* expect: invalid argument */
            break;
        case 6:
            MPI_Pack(&value, 1, MPI_INT, NULL, 8, &position, MPI_COMM_WORLD);       /* expect: invalid argument */
            break;
        case 7:
            MPI_Unpack(packed, 8, &position, NULL, 1, MPI_INT, MPI_COMM_WORLD);     /* expect: invalid argument */
            break;
        case 8:
            MPI_Pack_external("external32", NULL, 1, MPI_INT, packed, 8, &end);     /* expect: invalid argument */
            break;
        case 9:
            MPI_Unpack_external("external32", packed, 8, &end, NULL, 1, MPI_INT);   /* expect: invalid argument */
            break;
    }
    if (made != MPI_DATATYPE_NULL)
        MPI_Type_free(&made);   /* the library has made it */
    MPI_Finalize();
    return 0;
}
