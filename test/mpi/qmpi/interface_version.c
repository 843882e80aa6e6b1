/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools of another version of the interface are refused, all others are accepted. Each case is a
 * child process; its argument says how the tool "probe" registers:
 *   name         by each of the three forms of MPI_Register_tool_name
 *   version      for the version of this library
 *   subversion   compiled for a later subversion; uses an id that this library does not have
 *   later        compiled for a later version */

#define _GNU_SOURCE
#include "qmpi_test.h"

static int num_calls = 0;
static int num_results = 0;
static int results[3];
static const char *how = "";

static int my_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    void (*next) (void);
    int next_id;

    num_calls++;
    MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &next, &next_id);
    return ((MPI_Comm_rank_t *) next) (context, next_id, comm, rank);
}

static void init_probe(int tool_id)
{
    int id = MPI_LAST_FUNC_T + 5;

    QT_CLASS(MPI_Register_tool_function(tool_id, id, (void (*)(void)) my_rank), MPI_ERR_ARG);
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) my_rank));
}

static void register_probe(void)
{
    int version = MPIX_TOOL_INTERFACE_VERSION, subversion = MPIX_TOOL_INTERFACE_SUBVERSION;

    if (strcmp(how, "name") == 0) {
        results[num_results++] = MPI_Register_tool_name("probe", init_probe);
        results[num_results++] = PMPI_Register_tool_name("probe2", init_probe);
        results[num_results++] = QMPI_Register_tool_name("probe3", init_probe);
    } else if (strcmp(how, "version") == 0) {
        results[num_results++] = MPIX_Register_tool("probe", init_probe, version, subversion);
    } else if (strcmp(how, "subversion") == 0) {
        results[num_results++] = MPIX_Register_tool("probe", init_probe, version, 99);
    } else if (strcmp(how, "later") == 0) {
        results[num_results++] = MPIX_Register_tool("probe", init_probe, version + 1, 0);
    }
}

static int be_child(void)
{
    int rank;

    register_probe();
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Finalize();
    for (int i = 0; i < num_results; i++)
        printf("%d ", qt_class(results[i]));
    printf("calls %d errors %d\n", num_calls, qt_errs);
    return 0;
}

static void expect(const char *task, const char *list, int status, const char *out,
                   const char *message)
{
    struct qt_child child;
    char *setting = NULL;
    const char *env[2] = { NULL, NULL };

    if (asprintf(&setting, "MPIR_CVAR_QMPI_TOOL_LIST=%s", list) < 0)
        abort();
    env[0] = setting;
    qt_run_self(task, env, &child);
    QT_CHECK(child.exited && child.status == status, "%s, list %s: %s %d", task, list,
             child.exited ? "exit status" : "signal", child.status);
    QT_CHECK(strcmp(child.out, out) == 0, "%s, list %s: '%s'", task, list, child.out);
    QT_CHECK(message ? strstr(child.err, message) != NULL : child.err[0] == '\0',
             "%s, list %s: '%s'", task, list, child.err);
    qt_child_free(&child);
    free(setting);
}

int main(int argc, char **argv)
{
    char refused[32];

    if (argc == 2 && strcmp(argv[0], "child") == 0) {
        how = argv[1];
        return be_child();
    }
    expect("name", "probe,probe2,probe3", 0, "0 0 0 calls 3 errors 0\n", NULL);
    expect("version", "probe", 0, "0 calls 1 errors 0\n", NULL);
    expect("subversion", "probe", 0, "0 calls 1 errors 0\n", NULL);
    expect("later", "probe", 1, "", "'probe' was compiled for version 2.0");
    /* no message for tools that are not in the list */
    snprintf(refused, sizeof(refused), "%d calls 0 errors 0\n", MPI_ERR_OTHER);
    expect("later", "", 0, refused, NULL);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return qt_end();
}
