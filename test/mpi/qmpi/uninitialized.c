/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A call before MPI_Init or after MPI_Finalize that is not allowed there ends the process with the
 * library's own message, with and without tools, by the MPI_ name and the QMPI_ name. After
 * MPI_Finalize tools see it. Each case is this program, started again. */

#define _GNU_SOURCE
#include "qmpi_test.h"

static void print_call(MPI_Context context, int tool_id, int function)
{
    printf("%d>%s ", tool_id, qt_function_name(function));
    fflush(stdout);
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static int be_child(const char *task)
{
    int rank;

    if (strstr(task, "after")) {
        MPI_Init(NULL, NULL);
        MPI_Finalize();
    }
    qt_on_enter = print_call;
    if (strstr(task, "QMPI"))
        QMPI_Comm_rank(MPI_COMM_SELF, &rank);
    else
        MPI_Comm_rank(MPI_COMM_SELF, &rank);
    printf("returned\n");
    return 0;
}

static void check(const char *task, const char *list, const char *expected)
{
    static const char message[] = "before initializing or after finalizing MPICH";
    struct qt_child child;
    char *setting = NULL;
    const char *env[2] = { NULL, NULL };

    if (asprintf(&setting, "MPIR_CVAR_QMPI_TOOL_LIST=%s", list) < 0)
        abort();
    env[0] = setting;
    qt_run_self(task, env, &child);
    QT_CHECK(!child.exited || child.status != 0, "%s, list '%s': the program went on", task, list);
    QT_CHECK(strcmp(child.out, expected) == 0, "%s, list '%s': '%s'", task, list, child.out);
    QT_CHECK(strstr(child.err, message) != NULL, "%s, list '%s': '%s'", task, list, child.err);
    QT_CHECK(strstr(child.err, "Comm_rank") != NULL, "%s, list '%s': '%s'", task, list, child.err);
    qt_child_free(&child);
    free(setting);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[0], "child") == 0)
        return be_child(argv[1]);
    qt_begin();
    check("before", "", "");
    check("before", "rec,rec", "");
    check("before QMPI", "", "");
    check("before QMPI", "rec,rec", "");
    check("after", "", "");
    check("after", "rec,rec", "1>MPI_Comm_rank 2>MPI_Comm_rank ");
    check("after QMPI", "rec,rec", "");
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return qt_end();
}
