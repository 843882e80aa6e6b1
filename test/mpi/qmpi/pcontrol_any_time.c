/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_Pcontrol can be called at any time. Tools get the calls after MPI is initialized, those after
 * MPI_Finalize too. Run without a list, and with the list rec. */

#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static void control(int level, int has_tool)
{
    qt_log_clear();
    QT_SUCCESS(MPI_Pcontrol(level, "text"));
    qt_expect_log(has_tool ? "1>MPI_Pcontrol 1<MPI_Pcontrol" : "", "MPI_Pcontrol");
}

int main(int argc, char **argv)
{
    int has_tool;

    qt_begin();
    control(1, 0);
    MPI_Init(&argc, &argv);
    has_tool = qt_num_inits;
    control(1, has_tool);
    MPI_Finalize();
    control(1, has_tool);
    return qt_end();
}
