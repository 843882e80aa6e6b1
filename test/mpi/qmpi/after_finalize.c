/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools see the calls that are allowed after MPI_Finalize; their storage and links stay valid. Run
 * with the list rec,rec. */

#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

#define NESTED(name) "1>" name " 2>" name " 2<" name " 1<" name

int main(int argc, char **argv)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int flag = -1, version = -1, subversion = -1, length;
    MPI_Info info;

    qt_begin();
    MPI_Init(&argc, &argv);
    MPI_Finalize();

    qt_log_clear();
    QT_SUCCESS(MPI_Finalized(&flag));
    QT_CHECK(flag == 1, "finalized: %d", flag);
    qt_expect_log(NESTED("MPI_Finalized"), "MPI_Finalized");
    QT_SUCCESS(MPI_Initialized(&flag));
    QT_CHECK(flag == 1, "initialized: %d", flag);
    qt_expect_log(NESTED("MPI_Initialized"), "MPI_Initialized");
    QT_SUCCESS(MPI_Get_version(&version, &subversion));
    QT_CHECK(version == MPI_VERSION, "version %d", version);
    qt_expect_log(NESTED("MPI_Get_version"), "MPI_Get_version");
    QT_SUCCESS(MPI_Get_library_version(text, &length));
    qt_expect_log(NESTED("MPI_Get_library_version"), "MPI_Get_library_version");
    QT_SUCCESS(MPI_Info_create(&info));
    QT_SUCCESS(MPI_Info_free(&info));
    qt_expect_log(NESTED("MPI_Info_create") " " NESTED("MPI_Info_free"), "info");
    QT_CHECK(qt_num_inits == 2, "%d instances instead of 2", qt_num_inits);
    return qt_end();
}
