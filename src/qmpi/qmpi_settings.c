/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#ifdef ENABLE_QMPI

#ifdef __linux__
#include <sys/auxv.h>
#endif
#include <unistd.h>

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

categories:
    - name        : TOOLS
      description : cvars that control tools connected to MPICH

cvars:
    - name        : MPIR_CVAR_QMPI_TOOL_LIST
      category    : TOOLS
      type        : string
      default     : NULL
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        Tools that intercept the MPI calls, in this order, separated by commas or colons. Each is
        the name of a tool, the path of a library that contains one (with a slash), or NAME=PATH if
        the library contains several; pmpi(PATH) or pmpi=PATH is a library that wraps MPI functions
        through the profiling interface. Arguments for the tool can follow in parentheses. The same
        tool can be listed several times. Can be written until MPI is initialized. The environment
        variable QMPI_TOOL_LIST works as well.

    - name        : MPIR_CVAR_QMPI_TOOL_PATH
      category    : TOOLS
      type        : string
      default     : NULL
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        Directories, separated by colons, that are searched for tools that no library of the
        program has registered, in files libqmpi_NAME.so or libNAME.so. The directory mpich/tools
        beside the MPI library is searched last.

    - name        : MPIR_CVAR_QMPI_ON_ERROR
      category    : TOOLS
      type        : enum
      default     : abort
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : |-
        Action for an entry of the tool list that cannot be used, besides a message:
        abort - end the job before MPI is initialized;
        warn  - continue without the entry

    - name        : MPIR_CVAR_QMPI_VERBOSE
      category    : TOOLS
      type        : boolean
      default     : false
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        If true, the first process prints on standard error where each tool was found.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

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
        unsetenv(names[setting]);       /* else MPI_T refuses it, and the job cannot be ended */
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

/* The variable owns its text. */
static void show_text(const char **variable, const char *text)
{
    MPL_free((char *) *variable);
    *variable = text && *text ? MPL_strdup(text) : NULL;
}

static void show_settings(MPII_QMPI_Settings settings)
{
    show_text(&MPIR_CVAR_QMPI_TOOL_LIST, settings.list);
    show_text(&MPIR_CVAR_QMPI_TOOL_PATH, settings.path);
    MPIR_CVAR_QMPI_ON_ERROR = settings.warns_only ? MPIR_CVAR_QMPI_ON_ERROR_warn
        : MPIR_CVAR_QMPI_ON_ERROR_abort;
    MPIR_CVAR_QMPI_VERBOSE = settings.is_verbose;
}

void MPII_QMPI_read_settings(void)
{
    MPII_QMPI_Settings settings;

#ifdef USE_CONFIGFILE
    MPIR_T_read_config_file(USE_CONFIGFILE);
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

/* ---- control variables ---- */

static const void *const variables[NUM_SETTINGS] = {
    [LIST] = &MPIR_CVAR_QMPI_TOOL_LIST,
    [PATH] = &MPIR_CVAR_QMPI_TOOL_PATH,
    [ON_ERROR] = &MPIR_CVAR_QMPI_ON_ERROR,
    [VERBOSE] = &MPIR_CVAR_QMPI_VERBOSE
};

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

int MPIR_QMPI_cvar_write(const void *addr, const void *value)
{
    const Setting setting = setting_at(addr);
    const char *text = value;
    bool closed;
    char *copy;

    if (setting == NUM_SETTINGS)
        return MPI_SUCCESS;
    if (setting == ON_ERROR)
        text = *(const int *) value == MPIR_CVAR_QMPI_ON_ERROR_warn ? "warn" : "abort";
    else if (setting == VERBOSE)
        text = *(const int *) value ? "true" : "false";
    copy = MPL_direct_strdup(text);
    if (!copy)
        return MPI_T_ERR_MEMORY;
    MPL_initlock_lock(&lock);
    closed = settings_are_closed();
    if (!closed) {
        char *old = written[setting];
        written[setting] = copy;
        copy = old;
    }
    MPL_initlock_unlock(&lock);
    MPL_direct_free(copy);
    return closed ? MPI_T_ERR_CVAR_SET_NOT_NOW : MPI_SUCCESS;
}

static void add_performance_variable(const char *name, unsigned *value, const char *description)
{
    MPIR_T_PVAR_REGISTER_impl(MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED, name, value, 1, MPI_T_ENUM_NULL,
                              MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT,
                              MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS, NULL, NULL,
                              "TOOLS", description);
}

int MPIR_QMPI_mpit_init(void)
{
    MPII_QMPI_Settings settings;
    bool closed;

    MPL_initlock_lock(&lock);
    closed = settings_are_closed();
    settings = MPII_QMPI_settings;
    MPL_initlock_unlock(&lock);
    show_settings(closed ? settings : current_settings());
    add_performance_variable("qmpi_num_instances", &MPIR_QMPI_chain.num_linked,
                             "Number of tool instances in the chain");
    add_performance_variable("qmpi_num_intercepted", &MPII_QMPI_num_intercepted,
                             "Number of functions that at least one tool intercepts");
    return MPI_SUCCESS;
}

#endif /* ENABLE_QMPI */
