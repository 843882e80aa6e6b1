/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The call that initializes MPI is the first that tools see. The argument names a function that MPI
 * or MPICH allows before: tools see its call only when MPI is initialized. Run with the list
 * rec,rec. */

#include "qmpi_test.h"
#include <sys/wait.h>
#include <unistd.h>

static int world = 0;           /* MPI_Finalize must be called */
static int mpi_t = 0;           /* MPI_T_finalize must be called */
static MPI_Session session = MPI_SESSION_NULL;

static MPI_Info info = MPI_INFO_NULL;

/* QMPI functions, so that the call under test is the first that tools can see. */
static void make_info(void)
{
    QT_SUCCESS(QMPI_Info_create(&info));
    QT_SUCCESS(QMPI_Info_set(info, "key", "value"));
}

static void call_init(void)
{
    QT_SUCCESS(MPI_Init(NULL, NULL));
    world = 1;
}

static void call_init_thread(void)
{
    int provided = -1;

    QT_SUCCESS(MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided));
    QT_CHECK(provided >= MPI_THREAD_SINGLE, "thread level %d", provided);
    world = 1;
}

static void call_session_init(void)
{
    QT_SUCCESS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    QT_CHECK(session != MPI_SESSION_NULL, "no session");
}

static void call_initialized(void)
{
    int flag = -1;

    QT_SUCCESS(MPI_Initialized(&flag));
    QT_CHECK(flag == world, "initialized: %d", flag);
}

static void call_finalized(void)
{
    int flag = -1;

    QT_SUCCESS(MPI_Finalized(&flag));
    QT_CHECK(flag == 0, "finalized: %d", flag);
}

static void call_get_version(void)
{
    int version = -1, subversion = -1;

    QT_SUCCESS(MPI_Get_version(&version, &subversion));
    QT_CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION, "version %d.%d", version,
             subversion);
}

static void call_get_library_version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;

    QT_SUCCESS(MPI_Get_library_version(text, &length));
    QT_CHECK(strncmp(text, "MPICH", 5) == 0 && length > 5, "library version '%s'", text);
}

static void call_error_class(void)
{
    int error_class = -1;

    QT_SUCCESS(MPI_Error_class(MPI_ERR_TAG, &error_class));
    QT_CHECK(error_class == MPI_ERR_TAG, "class %d", error_class);
}

static void call_error_string(void)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;

    QT_SUCCESS(MPI_Error_string(MPI_ERR_TAG, text, &length));
    QT_CHECK(length > 0 && text[0], "no text");
}

static void call_t_init_thread(void)
{
    int provided = -1;

    QT_SUCCESS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    mpi_t = 1;
}

static void call_info_create(void)
{
    QT_SUCCESS(MPI_Info_create(&info));
    QT_CHECK(info != MPI_INFO_NULL, "no info");
}

static void call_info_create_env(void)
{
    QT_SUCCESS(MPI_Info_create_env(0, NULL, &info));
    QT_CHECK(info != MPI_INFO_NULL, "no info");
}

static void call_info_delete(void)
{
    int keys = -1;

    QT_SUCCESS(MPI_Info_delete(info, "key"));
    QT_SUCCESS(QMPI_Info_get_nkeys(info, &keys));
    QT_CHECK(keys == 0, "%d keys left", keys);
}

static void call_info_dup(void)
{
    MPI_Info copy = MPI_INFO_NULL;

    QT_SUCCESS(MPI_Info_dup(info, &copy));
    QT_CHECK(copy != MPI_INFO_NULL, "no info");
    QT_SUCCESS(QMPI_Info_free(&copy));
}

static void call_info_free(void)
{
    QT_SUCCESS(MPI_Info_free(&info));
    QT_CHECK(info == MPI_INFO_NULL, "handle not reset");
}

static void call_info_get(void)
{
    char value[16] = "";
    int flag = 0;

    QT_SUCCESS(MPI_Info_get(info, "key", 15, value, &flag));
    QT_CHECK(flag && strcmp(value, "value") == 0, "value '%s'", value);
}

static void call_info_get_nkeys(void)
{
    int keys = -1;

    QT_SUCCESS(MPI_Info_get_nkeys(info, &keys));
    QT_CHECK(keys == 1, "%d keys", keys);
}

static void call_info_get_nthkey(void)
{
    char key[MPI_MAX_INFO_KEY + 1] = "";

    QT_SUCCESS(MPI_Info_get_nthkey(info, 0, key));
    QT_CHECK(strcmp(key, "key") == 0, "key '%s'", key);
}

static void call_info_get_string(void)
{
    char value[16] = "";
    int length = sizeof(value), flag = 0;

    QT_SUCCESS(MPI_Info_get_string(info, "key", &length, value, &flag));
    QT_CHECK(flag && strcmp(value, "value") == 0, "value '%s'", value);
}

static void call_info_get_valuelen(void)
{
    int length = -1, flag = 0;

    QT_SUCCESS(MPI_Info_get_valuelen(info, "key", &length, &flag));
    QT_CHECK(flag && length == 5, "length %d", length);
}

static void call_info_set(void)
{
    int keys = -1;

    QT_SUCCESS(MPI_Info_set(info, "other", "value"));
    QT_SUCCESS(QMPI_Info_get_nkeys(info, &keys));
    QT_CHECK(keys == 2, "%d keys", keys);
}

/* MPICH 4.0 allows the functions with an MPI_Count before MPI_Init; later releases end the process.
 * Tries it in another process, by the function's QMPI_ name. */
static void end_if_refused(int (*call) (void))
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        _exit(call() != MPI_SUCCESS);
    }
    QT_CHECK(child > 0 && waitpid(child, &status, 0) == child, "no other process");
    if (status != 0)
        exit(qt_end());
}

static int qmpi_type_size_x(void)
{
    MPI_Count size;

    return QMPI_Type_size_x(MPI_INT, &size);
}

static int qmpi_type_get_extent_x(void)
{
    MPI_Count lb, extent;

    return QMPI_Type_get_extent_x(MPI_INT, &lb, &extent);
}

static int qmpi_type_get_true_extent_x(void)
{
    MPI_Count lb, extent;

    return QMPI_Type_get_true_extent_x(MPI_INT, &lb, &extent);
}

static int qmpi_status_set_elements_x(void)
{
    MPI_Status status;

    memset(&status, 0, sizeof(status));
    return QMPI_Status_set_elements_x(&status, MPI_INT, 3);
}

static void call_type_size_x(void)
{
    MPI_Count size = -1;

    end_if_refused(qmpi_type_size_x);
    QT_SUCCESS(MPI_Type_size_x(MPI_INT, &size));
    QT_CHECK(size == sizeof(int), "size %ld", (long) size);
}

static void call_type_get_extent_x(void)
{
    MPI_Count lb = -1, extent = -1;

    end_if_refused(qmpi_type_get_extent_x);
    QT_SUCCESS(MPI_Type_get_extent_x(MPI_INT, &lb, &extent));
    QT_CHECK(lb == 0 && extent == sizeof(int), "extent %ld", (long) extent);
}

static void call_type_get_true_extent_x(void)
{
    MPI_Count lb = -1, extent = -1;

    end_if_refused(qmpi_type_get_true_extent_x);
    QT_SUCCESS(MPI_Type_get_true_extent_x(MPI_INT, &lb, &extent));
    QT_CHECK(lb == 0 && extent == sizeof(int), "extent %ld", (long) extent);
}

static void call_status_set_elements_x(void)
{
    MPI_Status status;

    memset(&status, 0, sizeof(status));
    end_if_refused(qmpi_status_set_elements_x);
    QT_SUCCESS(MPI_Status_set_elements_x(&status, MPI_INT, 3));
}

static const struct {
    const char *name;
    void (*prepare) (void);
    void (*call) (void);
} cases[] = {
    {"MPI_Error_class", NULL, call_error_class},
    {"MPI_Error_string", NULL, call_error_string},
    {"MPI_Finalized", NULL, call_finalized},
    {"MPI_Get_library_version", NULL, call_get_library_version},
    {"MPI_Get_version", NULL, call_get_version},
    {"MPI_Info_create", NULL, call_info_create},
    {"MPI_Info_create_env", NULL, call_info_create_env},
    {"MPI_Info_delete", make_info, call_info_delete},
    {"MPI_Info_dup", make_info, call_info_dup},
    {"MPI_Info_free", make_info, call_info_free},
    {"MPI_Info_get", make_info, call_info_get},
    {"MPI_Info_get_nkeys", make_info, call_info_get_nkeys},
    {"MPI_Info_get_nthkey", make_info, call_info_get_nthkey},
    {"MPI_Info_get_string", make_info, call_info_get_string},
    {"MPI_Info_get_valuelen", make_info, call_info_get_valuelen},
    {"MPI_Info_set", make_info, call_info_set},
    {"MPI_Init", NULL, call_init},
    {"MPI_Init_thread", NULL, call_init_thread},
    {"MPI_Initialized", NULL, call_initialized},
    {"MPI_Session_init", NULL, call_session_init},
    {"MPI_Status_set_elements_x", NULL, call_status_set_elements_x},
    {"MPI_T_init_thread", NULL, call_t_init_thread},
    {"MPI_Type_get_extent_x", NULL, call_type_get_extent_x},
    {"MPI_Type_get_true_extent_x", NULL, call_type_get_true_extent_x},
    {"MPI_Type_size_x", NULL, call_type_size_x},
};

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static void call(size_t i)
{
    if (cases[i].prepare)
        cases[i].prepare();
    cases[i].call();
}

static void expect_nested(const char *name)
{
    char expected[512];

    snprintf(expected, sizeof(expected), "1>%s 2>%s 2<%s 1<%s", name, name, name, name);
    qt_expect_log(expected, name);
}

static void clean_up(void)
{
    if (world)
        MPI_Finalize();
    if (session != MPI_SESSION_NULL)
        MPI_Session_finalize(&session);
    if (mpi_t)
        MPI_T_finalize();
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    qt_begin();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc != 2 || strcmp(argv[1], cases[i].name) != 0)
            continue;
        call(i);
        if (!world && session == MPI_SESSION_NULL) {
            QT_CHECK(qt_num_inits == 0, "%d instances before MPI is initialized", qt_num_inits);
            qt_expect_log("", "call before MPI is initialized");
            call_init();
            expect_nested("MPI_Init");
            qt_log_clear();
            call(i);
        }
        QT_CHECK(qt_num_inits == 2, "%d instances instead of 2", qt_num_inits);
        expect_nested(cases[i].name);
        clean_up();
        return qt_end();
    }
    fprintf(stderr, "usage: first_call FUNCTION\n");
    return 2;
}
