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
        The tools through which every MPI call runs, in this order, separated by commas or colons.
        Each is the name of a tool, the path of a library that holds one (with a slash), or NAME=PATH
        where a library holds several; pmpi=PATH is a library that wraps MPI functions in the
        manner of the profiling interface. Arguments for the tool can follow in brackets. The same tool
        can be listed several times. Can be written until the first MPI call that a tool could see,
        at the latest until MPI is initialized. Without the prefix MPIR_CVAR_, the environment
        variable works as well, as do those of the other settings of this category.

    - name        : MPIR_CVAR_QMPI_TOOL_PATH
      category    : TOOLS
      type        : string
      default     : NULL
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        Folders, separated by colons, in which a tool is looked for that no library of the program
        has registered: in a file libqmpi_NAME.so or libNAME.so. The folder mpich/tools beside the
        MPI library comes last.

    - name        : MPIR_CVAR_QMPI_ON_ERROR
      category    : TOOLS
      type        : string
      default     : abort
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        What to do about an entry of the tool list that cannot be used. abort ends the program
        before MPI starts; warn leaves the entry out and goes on. There is a message in both cases.

    - name        : MPIR_CVAR_QMPI_VERBOSE
      category    : TOOLS
      type        : string
      default     : 0
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        With 1, the first process says on standard error where each tool was found and what it
        intercepts.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* They are read without MPI_T: initializing its variables this early would freeze all the others
 * before main can set them. */
static struct {
    const char *const name;     /* behind MPIR_CVAR_ */
    const char **const variable;
    const char *const unset;    /* what the variable shows when nothing was chosen */
    char *chosen;
} settings[MPII_QMPI_NUM_SETTINGS] = {
    [MPII_QMPI_LIST] = {"QMPI_TOOL_LIST", &MPIR_CVAR_QMPI_TOOL_LIST, NULL},
    [MPII_QMPI_PATH] = {"QMPI_TOOL_PATH", &MPIR_CVAR_QMPI_TOOL_PATH, NULL},
    [MPII_QMPI_ON_ERROR] = {"QMPI_ON_ERROR", &MPIR_CVAR_QMPI_ON_ERROR, "abort"},
    [MPII_QMPI_VERBOSE] = {"QMPI_VERBOSE", &MPIR_CVAR_QMPI_VERBOSE, "0"},
};

static bool is_blank(const char *s)
{
    return !s || s[strspn(s, " \t\r\n")] == '\0';
}

const char *MPII_QMPI_chosen(MPII_QMPI_Setting setting)
{
    return settings[setting].chosen;
}

static bool is_word(MPII_QMPI_Setting setting, const char *word)
{
    return settings[setting].chosen && !strcmp(settings[setting].chosen, word);
}

bool MPII_QMPI_warns_only(void)
{
    return is_word(MPII_QMPI_ON_ERROR, "warn");
}

bool MPII_QMPI_is_verbose(void)
{
    return is_word(MPII_QMPI_VERBOSE, "1");
}

static void check_words(MPII_QMPI_Setting setting, const char *one, const char *other)
{
    const char *chosen = settings[setting].chosen;
    char shown[MPII_QMPI_SHOWN];

    if (!is_blank(chosen) && !is_word(setting, one) && !is_word(setting, other))
        MPII_QMPI_fatal("MPIR_CVAR_%s is '%s'; must be %s or %s", settings[setting].name,
                        MPII_QMPI_show(chosen, strlen(chosen), shown, sizeof(shown)), one, other);
}

void MPII_QMPI_check_settings(void)
{
    check_words(MPII_QMPI_ON_ERROR, "abort", "warn");
    check_words(MPII_QMPI_VERBOSE, "0", "1");
}

/* ---- the environment ---- */

static const char *find_in_environment(MPII_QMPI_Setting setting)
{
    static const char *const prefixes[] = { "MPIR_CVAR_", "MPIR_PARAM_", "MPICH_", "" };
    const char *value = NULL;
    char name[64];

    for (int i = 0; !value && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        snprintf(name, sizeof(name), "%s%s", prefixes[i], settings[setting].name);
        value = getenv(name);
    }
    return value;
}

/* A process whose privileges exceed those of its user takes nothing from the environment. */
static bool is_privileged(void)
{
#ifdef __linux__
    return getauxval(AT_SECURE) != 0;
#else
    return getuid() != geteuid() || getgid() != getegid();
#endif
}

/* Runs when libmpi is loaded. */
static void ATTRIBUTE((constructor)) choose_from_environment(void)
{
    if (is_privileged()) {
        const char *verbose = find_in_environment(MPII_QMPI_VERBOSE);
        if (verbose && !strcmp(verbose, "1") && find_in_environment(MPII_QMPI_LIST)) {
            settings[MPII_QMPI_VERBOSE].chosen = MPII_QMPI_copy(verbose);
            MPII_QMPI_report("this process has more rights than its user: "
                             "no tool is loaded from the environment");
        }
        return;
    }
    for (int i = 0; i < MPII_QMPI_NUM_SETTINGS; i++) {
        const char *value = find_in_environment(i);
        if (value)
            settings[i].chosen = MPII_QMPI_copy(value);
    }
    if (!is_blank(MPII_QMPI_chosen(MPII_QMPI_LIST)) && MPII_QMPI_begin_choice())
        MPII_QMPI_end_choice(true);
}

void MPII_QMPI_release_choice(void)
{
    for (int i = 0; i < MPII_QMPI_NUM_SETTINGS; i++) {
        MPL_direct_free(settings[i].chosen);
        settings[i].chosen = NULL;
    }
}

/* ---- the control variables ---- */

/* The setting whose variable is at addr, MPII_QMPI_NUM_SETTINGS if it is none. */
static MPII_QMPI_Setting setting_at(const void *addr)
{
    int i = 0;

    while (i < MPII_QMPI_NUM_SETTINGS && addr != settings[i].variable)
        i++;
    return i;
}

bool MPIR_QMPI_cvar_is_closed(const void *addr)
{
    if (setting_at(addr) == MPII_QMPI_NUM_SETTINGS)
        return false;
    if (!MPII_QMPI_begin_choice())
        return true;
    MPII_QMPI_end_choice(!is_blank(MPII_QMPI_chosen(MPII_QMPI_LIST)));
    return false;
}

int MPIR_QMPI_cvar_write(const void *addr, const void *value)
{
    const MPII_QMPI_Setting setting = setting_at(addr);
    char *text;

    if (setting == MPII_QMPI_NUM_SETTINGS)
        return MPI_SUCCESS;
    text = MPL_direct_strdup(value);
    if (!text)
        return MPI_T_ERR_MEMORY;
    if (!MPII_QMPI_begin_choice()) {
        MPL_direct_free(text);
        return MPI_T_ERR_CVAR_SET_NOT_NOW;
    }
    MPL_direct_free(settings[setting].chosen);
    settings[setting].chosen = text;
    MPII_QMPI_end_choice(!is_blank(MPII_QMPI_chosen(MPII_QMPI_LIST)));
    return MPI_SUCCESS;
}

static int show_chosen(void)
{
    for (int i = 0; i < MPII_QMPI_NUM_SETTINGS; i++) {
        const char *text = settings[i].chosen ? settings[i].chosen : settings[i].unset;
        char *copy = NULL;

        if (text && !(copy = MPL_strdup(text)))
            return MPI_ERR_NO_MEM;
        MPL_free((char *) *settings[i].variable);
        *settings[i].variable = copy;
    }
    return MPI_SUCCESS;
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
    add_performance_variable("qmpi_num_instances", &MPII_QMPI_num_instances,
                             "Number of tool instances in the chain");
    add_performance_variable("qmpi_num_intercepted", &MPII_QMPI_num_intercepted,
                             "Number of functions that at least one tool intercepts");
    return show_chosen();
}

#endif /* ENABLE_QMPI */
