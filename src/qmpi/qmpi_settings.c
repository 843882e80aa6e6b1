/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#ifdef __linux__
#include <sys/auxv.h>
#endif
#include <unistd.h>

/* The settings are read without MPI_T: its initialization fixes the values of all variables. */

typedef enum {
    LIST,
    PATH,
    ON_ERROR,
    VERBOSE,
    NUM_SETTINGS
} Setting;

static const char *const names[NUM_SETTINGS] = {
    [LIST] = "MPIR_CVAR_QMPI_TOOL_LIST",
    [PATH] = "MPIR_CVAR_QMPI_TOOL_PATH",
    [ON_ERROR] = "MPIR_CVAR_QMPI_ON_ERROR",
    [VERBOSE] = "MPIR_CVAR_QMPI_VERBOSE"
};

static const char *const descriptions[NUM_SETTINGS] = {
    [LIST] =
        "Tools that intercept the MPI calls, in this order, separated by commas or colons. Each "
        "is the name of a tool, the path of a library that contains one (with a slash), or "
        "NAME=PATH if the library contains several; pmpi(PATH) or pmpi=PATH is a library that "
        "wraps MPI functions through the profiling interface. Arguments for the tool can follow "
        "in parentheses. The same tool can be listed several times. Can be written until MPI is "
        "initialized. The environment variable QMPI_TOOL_LIST works as well.",
    [PATH] =
        "Directories, separated by colons, that are searched for tools that no library of the "
        "program has registered, in files libqmpi_NAME.so or libNAME.so. The directory mpich/tools "
        "beside the MPI library is searched last.",
    [ON_ERROR] =
        "Action for an entry of the tool list that cannot be used, besides a message:\n"
        "abort - end the job before MPI is initialized;\n" "warn  - continue without the entry",
    [VERBOSE] = "If true, the first process prints on standard error where each tool was found."
};

/* Text of what was written through MPI_T, which comes before the environment; NULL if nothing. */
static char *written[NUM_SETTINGS];

/* No variable can be written any more. */
static bool is_closed = false;

/* Protects these, and MPII_QMPI_settings while they change. */
static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;

MPII_QMPI_Settings MPII_QMPI_settings = { NULL, "" };

/* A process with more privileges than its user takes nothing from the environment. */
static bool is_privileged(void)
{
#ifdef __linux__
    return getauxval(AT_SECURE) != 0;
#else
    return getuid() != geteuid() || getgid() != getegid();
#endif
}

static const char *environment(Setting setting)
{
    const char *value = getenv(names[setting]);
    return !value && setting == LIST ? getenv("QMPI_TOOL_LIST") : value;
}

/* NULL if not set. */
static const char *value_of(Setting setting)
{
    const char *value = written[setting];

    if (!value && !is_privileged())
        value = environment(setting);
    return value && value[strspn(value, " \t\r\n")] ? value : NULL;
}

/* The words that MPICH accepts: the value is true at odd indexes. */
static const char *const booleans[] = {
    "false", "true", "no", "yes", "off", "on", "0", "1", "FALSE", "TRUE", "NO", "YES", "OFF", "ON",
    NULL
};
static const char *const actions[] = { "abort", "warn", NULL };

/* Index of the value in words, a list that NULL ends: the index of NULL for any other value; 0 for
 * none. */
static int index_in(const char *const words[], const char *value)
{
    int i = 0;

    while (value && words[i] && strcmp(words[i], value))
        i++;
    return i;
}

static bool is_true(Setting setting, const char *const words[], const char *expected)
{
    const char *value = value_of(setting);
    const int i = index_in(words, value);
    char shown[MPII_QMPI_SHOWN];

    if (!words[i]) {
        MPII_QMPI_show(value, strlen(value), shown, sizeof(shown));
        MPII_QMPI_fatal("invalid value '%s' of %s (expected %s)", shown, names[setting], expected);
    }
    return i % 2;
}

/* The texts belong to the environment or to written. */
static MPII_QMPI_Settings current_settings(void)
{
    const char *path = value_of(PATH);
    MPII_QMPI_Settings settings = {
        .list = value_of(LIST),
        .path = path ? path : "",
        .warns_only = is_true(ON_ERROR, actions, "abort or warn"),
        .is_verbose = is_true(VERBOSE, booleans, "true or false")
    };

    return settings;
}

/* ---- control variables ---- */

/* What MPI_T reads. The texts are not MPICH's: its memory tracing would miss their end. */
static char *shown_list, *shown_path;
static int shown_action, shown_verbosity;

static void *const variables[NUM_SETTINGS] = {
    [LIST] = &shown_list,
    [PATH] = &shown_path,
    [ON_ERROR] = &shown_action,
    [VERBOSE] = &shown_verbosity
};

static void show_text(char **variable, const char *text)
{
    MPL_direct_free(*variable);
    *variable = text && *text ? MPL_direct_strdup(text) : NULL;
}

static void show_settings(MPII_QMPI_Settings settings)
{
    show_text(&shown_list, settings.list);
    show_text(&shown_path, settings.path);
    shown_action = settings.warns_only;
    shown_verbosity = settings.is_verbose;
}

/* The settings that MPI_Init would read now. An invalid word is left to MPI_Init. */
static void show_current_settings(void)
{
    MPII_QMPI_Settings settings = {
        .list = value_of(LIST),
        .path = value_of(PATH),
        .warns_only = index_in(actions, value_of(ON_ERROR)) % 2,
        .is_verbose = index_in(booleans, value_of(VERBOSE)) % 2
    };

    show_settings(settings);
}

void MPII_QMPI_read_settings(void)
{
    MPII_QMPI_Settings settings;

#ifdef USE_CONFIGFILE
    MPIR_QMPI_read_config_file(USE_CONFIGFILE);
#endif
    MPL_initlock_lock(&lock);
    is_closed = true;
    MPL_initlock_unlock(&lock);
    settings = current_settings();
    if (settings.list)
        settings.list = MPII_QMPI_copy(settings.list);
    settings.path = MPII_QMPI_copy(settings.path);
    MPL_initlock_lock(&lock);
    MPII_QMPI_settings = settings;
    MPL_initlock_unlock(&lock);
    MPII_QMPI_set_reports(settings.warns_only, settings.is_verbose);
    MPIR_T_THREAD_CS_ENTER();
    if (MPIR_T_is_initialized())
        show_settings(settings);
    MPIR_T_THREAD_CS_EXIT();
    if (is_privileged() && environment(LIST) && index_in(booleans, environment(VERBOSE)) % 2) {
        MPII_QMPI_set_reports(false, true);
        MPII_QMPI_report("this process has more privileges than its user: "
                         "no tool is loaded from the environment");
    }
}

/* NUM_SETTINGS for any other variable. */
static Setting setting_at(const void *addr)
{
    int setting = 0;

    while (setting < NUM_SETTINGS && addr != variables[setting])
        setting++;
    return setting;
}

static bool settings_are_closed(void)
{
    return is_closed || MPIR_Errutil_is_initialized();
}

bool MPIR_QMPI_cvar_is_closed(const void *addr)
{
    bool closed;

    MPL_initlock_lock(&lock);
    closed = settings_are_closed();
    MPL_initlock_unlock(&lock);
    return closed && setting_at(addr) != NUM_SETTINGS;
}

bool MPIR_QMPI_writes_cvar(const void *addr, const void *value, int *mpi_errno)
{
    const Setting setting = setting_at(addr);
    const char *text = value;
    bool closed;
    char *copy;

    if (setting == NUM_SETTINGS)
        return false;
    if (setting == ON_ERROR)
        text = actions[*(const int *) value == 1];
    else if (setting == VERBOSE)
        text = booleans[*(const int *) value != 0];
    copy = MPL_direct_strdup(text);
    if (!copy) {
        *mpi_errno = MPI_T_ERR_MEMORY;
        return true;
    }
    MPL_initlock_lock(&lock);
    closed = settings_are_closed();
    if (!closed) {
        char *old = written[setting];
        written[setting] = copy;
        copy = old;
    }
    MPL_initlock_unlock(&lock);
    MPL_direct_free(copy);
    if (closed)
        *mpi_errno = MPI_T_ERR_CVAR_SET_NOT_NOW;
    else
        show_current_settings();
    return true;
}

static void add_control_variable(Setting setting)
{
    static const MPIR_T_cvar_value_t none;
    const bool is_text = setting == LIST || setting == PATH;

    MPIR_T_CVAR_REGISTER_impl(is_text ? MPI_CHAR : MPI_INT, names[setting], variables[setting],
                              is_text ? MPIR_CVAR_MAX_STRLEN : 1, MPI_T_ENUM_NULL,
                              MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT, MPI_T_SCOPE_ALL_EQ,
                              NULL, NULL, none, "TOOLS", descriptions[setting]);
}

static void add_performance_variable(const char *name, unsigned *value, const char *description)
{
    MPIR_T_PVAR_REGISTER_impl(MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED, name, value, 1, MPI_T_ENUM_NULL,
                              MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
                              MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, NULL, NULL,
                              "TOOLS", description);
}

void MPIR_QMPI_mpit_init(void)
{
    MPII_QMPI_Settings settings;
    bool closed;

    MPL_initlock_lock(&lock);
    closed = settings_are_closed();
    settings = MPII_QMPI_settings;
    MPL_initlock_unlock(&lock);
    if (closed)
        show_settings(settings);
    else
        show_current_settings();
    MPIR_T_cat_add_desc("TOOLS", "cvars that control tools connected to MPICH");
    for (int i = 0; i < NUM_SETTINGS; i++)
        add_control_variable(i);
    add_performance_variable("qmpi_num_instances", &MPIR_QMPI_chain.num_linked,
                             "Number of tool instances in the chain");
    add_performance_variable("qmpi_num_intercepted", &MPII_QMPI_num_intercepted,
                             "Number of functions that at least one tool intercepts");
}
