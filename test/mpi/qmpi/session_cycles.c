/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools are initialized once and see every call in three cycles of MPI_Session_init and
 * MPI_Session_finalize. With the argument "before", "after" or "around" the world model is also
 * used: finalized before the sessions, initialized after them, or initialized all the time.
 *
 * MPICH under mpiexec cannot be initialized again after the last session, because the connection
 * to the process manager is closed. The cycles therefore run in a child process without mpiexec.
 * Devices other than ch4 may fail even there; if they do so without tools, the test passes. */

#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

#define NESTED(name) "1>" name " 2>" name " 2<" name " 1<" name

static void one_cycle(int cycle)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    int in = cycle + 1, out = -1;

    qt_log_clear();
    QT_SUCCESS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    qt_expect_log(NESTED("MPI_Session_init"), "session init");
    QT_SUCCESS(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    qt_expect_log(NESTED("MPI_Group_from_session_pset"), "group");
    QT_SUCCESS(MPI_Comm_create_from_group(group, "cycle", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    qt_expect_log(NESTED("MPI_Comm_create_from_group"), "communicator");
    QT_SUCCESS(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm));
    QT_CHECK(out == cycle + 1, "wrong result %d", out);
    qt_expect_log(NESTED("MPI_Allreduce"), "allreduce");
    QT_SUCCESS(MPI_Comm_free(&comm));
    QT_SUCCESS(MPI_Group_free(&group));
    qt_log_clear();
    QT_SUCCESS(MPI_Session_finalize(&session));
    qt_expect_log(NESTED("MPI_Session_finalize"), "session finalize");
    QT_CHECK(qt_num_inits == 2, "%d instances instead of 2", qt_num_inits);
}

static void begin_world(void)
{
    qt_log_clear();
    QT_SUCCESS(MPI_Init(NULL, NULL));
    qt_expect_log(NESTED("MPI_Init"), "init");
}

static void end_world(void)
{
    qt_log_clear();
    QT_SUCCESS(MPI_Finalize());
    qt_expect_log(NESTED("MPI_Finalize"), "finalize");
}

static void use_mpi(const char *world)
{
    int before = strcmp(world, "before") == 0;
    int after = strcmp(world, "after") == 0;
    int around = strcmp(world, "around") == 0;

    if (before || around)
        begin_world();
    if (before)
        end_world();
    for (int cycle = 0; cycle < 3; cycle++)
        one_cycle(cycle);
    if (after)
        begin_world();
    if (after || around)
        end_world();
    QT_CHECK(qt_num_inits == 2, "%d instances instead of 2", qt_num_inits);
}

static void begin_again_without_tools(void)
{
    MPI_Session session;

    for (int i = 0; i < 2; i++) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Session_finalize(&session);
    }
}

static int can_begin_again(void)
{
    static const char *const no_tools[] = { NULL };
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    struct qt_child child;
    int length, can;

    MPI_Get_library_version(version, &length);
    if (strstr(version, "ch4:"))
        return 1;
    qt_run_self("plain", no_tools, &child);
    can = child.exited && child.status == 0;
    qt_child_free(&child);
    return can;
}

int main(int argc, char **argv)
{
    static const char *const env[] = { "MPIR_CVAR_QMPI_TOOL_LIST=rec,rec", NULL };
    struct qt_child child;

    if (argc == 2 && strcmp(argv[0], "child") == 0 && strcmp(argv[1], "plain") == 0) {
        begin_again_without_tools();
        return 0;
    }
    if (argc == 2 && strcmp(argv[0], "child") == 0) {
        use_mpi(argv[1]);
        return qt_end();
    }
    qt_begin();
    if (!can_begin_again()) {
        MPI_Init(&argc, &argv);
        MPI_Finalize();
        return qt_end();
    }
    qt_run_self(argc > 1 ? argv[1] : "", env, &child);
    QT_CHECK(child.exited && child.status == 0, "%s %d", child.exited ? "exit status" : "signal",
             child.status);
    QT_CHECK(strcmp(child.out, " No Errors\n") == 0 && child.err[0] == '\0', "output: %s%s",
             child.out, child.err);
    qt_child_free(&child);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return qt_end();
}
