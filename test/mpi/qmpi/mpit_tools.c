/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The category TOOLS of MPI_T has the settings and the performance variables, with the values of
 * the list rec,rank,rec: rec intercepts all functions, rank one. A child process writes the
 * settings before MPI_Init: a list with an unknown tool, which is left out. */

#include "qmpi_test.h"

/* values of MPIR_CVAR_QMPI_ON_ERROR */
enum { ON_ERROR_ABORT = 0, ON_ERROR_WARN = 1 };

static void init_rank(int tool_id)
{
    qt_record_begin(tool_id);
    qt_record_function(tool_id, MPI_COMM_RANK_T);
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
    qt_register("rank", init_rank);
}

static int category(void)
{
    int index = -1;

    QT_SUCCESS(QMPI_T_category_get_index("TOOLS", &index));
    return index;
}

static int has_control_variable(const char *name)
{
    int num_cvars = 0, index = -1, found = 0;
    int cvars[64];

    QT_SUCCESS(QMPI_T_cvar_get_index(name, &index));
    QT_SUCCESS(QMPI_T_category_get_info(category(), NULL, NULL, NULL, NULL, &num_cvars, NULL,
                                        NULL));
    QT_CHECK(num_cvars == 4, "%d control variables", num_cvars);
    QT_SUCCESS(QMPI_T_category_get_cvars(category(), 64, cvars));
    for (int i = 0; i < num_cvars; i++)
        found += cvars[i] == index;
    return found;
}

static int value_of(const char *name)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int num_pvars = 0, index = -1, count = 0, found = 0;
    int pvars[64];
    unsigned value = 4711;

    QT_SUCCESS(QMPI_T_category_get_info(category(), NULL, NULL, NULL, NULL, NULL, &num_pvars,
                                        NULL));
    QT_CHECK(num_pvars == 2, "%d performance variables", num_pvars);
    QT_SUCCESS(QMPI_T_category_get_pvars(category(), 64, pvars));
    QT_SUCCESS(QMPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index));
    for (int i = 0; i < num_pvars; i++)
        found += pvars[i] == index;
    QT_CHECK(found == 1, "%s is not in the category", name);
    QT_SUCCESS(QMPI_T_pvar_session_create(&session));
    QT_SUCCESS(QMPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    QT_CHECK(count == 1, "%d values", count);
    QT_SUCCESS(QMPI_T_pvar_read(session, handle, &value));
    QT_SUCCESS(QMPI_T_pvar_handle_free(session, &handle));
    QT_SUCCESS(QMPI_T_pvar_session_free(&session));
    return value;
}

static void open_variable(const char *name, MPI_Datatype expected, MPI_T_cvar_handle * handle)
{
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    int index = -1, count;

    QT_SUCCESS(MPI_T_cvar_get_index(name, &index));
    QT_SUCCESS(MPI_T_cvar_get_info(index, NULL, NULL, NULL, &datatype, NULL, NULL, NULL, NULL,
                                    NULL));
    QT_CHECK(datatype == expected, "type of %s", name);
    QT_SUCCESS(MPI_T_cvar_handle_alloc(index, NULL, handle, &count));
}

static void write_text(const char *name, const char *value, int error_class)
{
    MPI_T_cvar_handle handle;

    open_variable(name, MPI_CHAR, &handle);
    QT_CLASS(MPI_T_cvar_write(handle, value), error_class);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
}

static void expect_text(const char *name, const char *expected)
{
    char value[4096] = "";
    MPI_T_cvar_handle handle;

    open_variable(name, MPI_CHAR, &handle);
    QT_SUCCESS(MPI_T_cvar_read(handle, value));
    QT_CHECK(strcmp(value, expected) == 0, "%s is '%s' instead of '%s'", name, value, expected);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
}

/* Booleans and enumerations are integers in MPI_T. */
static void write_number(const char *name, int value, int error_class)
{
    MPI_T_cvar_handle handle;

    open_variable(name, MPI_INT, &handle);
    QT_CLASS(MPI_T_cvar_write(handle, &value), error_class);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
}

static void expect_number(const char *name, int expected)
{
    MPI_T_cvar_handle handle;
    int value = -1;

    open_variable(name, MPI_INT, &handle);
    QT_SUCCESS(MPI_T_cvar_read(handle, &value));
    QT_CHECK(value == expected, "%s is %d instead of %d", name, value, expected);
    QT_SUCCESS(MPI_T_cvar_handle_free(&handle));
}

static int num_present(void)
{
    int n = 0;

    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        n += qt_is_present(f);
    return n;
}

static void test_variables(void)
{
    QT_CHECK(has_control_variable("MPIR_CVAR_QMPI_TOOL_LIST"), "no list");
    QT_CHECK(has_control_variable("MPIR_CVAR_QMPI_TOOL_PATH"), "no path");
    QT_CHECK(has_control_variable("MPIR_CVAR_QMPI_ON_ERROR"), "no policy");
    QT_CHECK(has_control_variable("MPIR_CVAR_QMPI_VERBOSE"), "no verbosity");
    QT_CHECK(value_of("qmpi_num_instances") == 0, "instances before there is a chain");
    MPI_Init(NULL, NULL);
    QT_CHECK(value_of("qmpi_num_instances") == 3, "%d instances", value_of("qmpi_num_instances"));
    QT_CHECK(value_of("qmpi_num_intercepted") == num_present(), "%d intercepted functions",
             value_of("qmpi_num_intercepted"));
}

static int be_child(void)
{
    int provided;

    QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    expect_number("MPIR_CVAR_QMPI_ON_ERROR", ON_ERROR_ABORT);
    expect_number("MPIR_CVAR_QMPI_VERBOSE", 0);
    expect_text("MPIR_CVAR_QMPI_TOOL_PATH", "/in/the/environment");
    write_number("MPIR_CVAR_QMPI_ON_ERROR", ON_ERROR_WARN, MPI_SUCCESS);
    QT_SUCCESS(MPI_T_finalize());
    QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    expect_number("MPIR_CVAR_QMPI_ON_ERROR", ON_ERROR_WARN);
    write_text("MPIR_CVAR_QMPI_TOOL_LIST", "rank,nobody,rank", MPI_SUCCESS);
    write_text("MPIR_CVAR_QMPI_TOOL_PATH", "/nowhere", MPI_SUCCESS);
    MPI_Init(NULL, NULL);
    QT_CHECK(qt_num_inits == 2, "%d instances", qt_num_inits);
    QT_CHECK(value_of("qmpi_num_intercepted") == 1, "%d intercepted functions",
             value_of("qmpi_num_intercepted"));
    write_number("MPIR_CVAR_QMPI_ON_ERROR", ON_ERROR_ABORT, MPI_T_ERR_CVAR_SET_NOT_NOW);
    write_number("MPIR_CVAR_QMPI_VERBOSE", 1, MPI_T_ERR_CVAR_SET_NOT_NOW);
    expect_number("MPIR_CVAR_QMPI_ON_ERROR", ON_ERROR_WARN);
    expect_text("MPIR_CVAR_QMPI_TOOL_PATH", "/nowhere");
    QT_SUCCESS(MPI_T_finalize());
    MPI_Finalize();
    return qt_errs != 0;
}

static void test_settings(void)
{
    static const char *const env[] = { "MPIR_CVAR_QMPI_TOOL_PATH=/in/the/environment",
        NULL
    };
    struct qt_child child;

    qt_run_self("settings", env, &child);
    QT_CHECK(child.exited && child.status == 0 && strstr(child.err, "'nobody'") &&
             strstr(child.err, "; left out\n") == strchr(child.err, '\n') - strlen("; left out"),
             "status %d: %s", child.status, child.err);
    qt_child_free(&child);
}

int main(int argc, char **argv)
{
    int provided;

    if (argc == 2 && strcmp(argv[0], "child") == 0)
        return be_child();
    qt_begin();
    test_settings();
    QT_SUCCESS(QMPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    test_variables();
    /* before MPI_Finalize: debugging builds report the memory that MPI_T still uses */
    QT_SUCCESS(QMPI_T_finalize());
    MPI_Finalize();
    return qt_end();
}
