/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI wrapper in the program comes before the chain. Its PMPI calls, and those of the program,
 * enter the chain once. Run with the list rec,rec. */

#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    int rc;

    qt_log_text("wrapper>");
    rc = PMPI_Comm_rank(comm, rank);
    qt_log_text("wrapper<");
    return rc;
}

/* replaces the function by others */
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    MPI_Group group;

    qt_log_text("wrapper>");
    PMPI_Comm_group(comm, &group);
    PMPI_Group_size(group, size);
    PMPI_Group_free(&group);
    qt_log_text("wrapper<");
    return MPI_SUCCESS;
}

#define NESTED(name) "1>" name " 2>" name " 2<" name " 1<" name

int main(int argc, char **argv)
{
    int rank = -1, size = -1;

    qt_begin();
    PMPI_Init(&argc, &argv);
    qt_expect_log(NESTED("MPI_Init"), "PMPI_Init as the first call");

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    QT_CHECK(rank == 0, "rank %d", rank);
    qt_expect_log("wrapper> " NESTED("MPI_Comm_rank") " wrapper<", "wrapped function");

    MPI_Comm_size(MPI_COMM_SELF, &size);
    QT_CHECK(size == 1, "size %d", size);
    qt_expect_log("wrapper> " NESTED("MPI_Comm_group") " " NESTED("MPI_Group_size") " "
                  NESTED("MPI_Group_free") " wrapper<", "replaced function");

    PMPI_Comm_rank(MPI_COMM_SELF, &rank);
    qt_expect_log(NESTED("MPI_Comm_rank"), "PMPI call of the program");

    QMPI_Comm_rank(MPI_COMM_SELF, &rank);
    qt_expect_log("", "QMPI call of the program");

    MPI_Finalize();
    return qt_end();
}
