/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#include <dlfcn.h>

/* Registered tools. The list only grows, at its end. */
static MPII_QMPI_Tool *registered = NULL;
static bool is_closed = false;
static int loading = 0;
static const MPII_QMPI_Tool *conflicting = NULL;

/* Protects the variables above. Never held while foreign code runs: a tool may register in the
 * constructor of a library that is loaded while the chain is built. */
static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;

/* ---- for the builder ---- */

const MPII_QMPI_Tool *MPII_QMPI_first_tool(void)
{
    const MPII_QMPI_Tool *tool;

    MPL_initlock_lock(&lock);
    tool = registered;
    MPL_initlock_unlock(&lock);
    return tool;
}

const MPII_QMPI_Tool *MPII_QMPI_next_tool(const MPII_QMPI_Tool * tool)
{
    const MPII_QMPI_Tool *next;

    MPL_initlock_lock(&lock);
    next = tool->next;
    MPL_initlock_unlock(&lock);
    return next;
}

static MPII_QMPI_Tool *find(const char *name)
{
    MPII_QMPI_Tool *tool = registered;

    while (tool && strcmp(tool->name, name))
        tool = tool->next;
    return tool;
}

const MPII_QMPI_Tool *MPII_QMPI_find_tool(const char *name)
{
    const MPII_QMPI_Tool *tool;

    MPL_initlock_lock(&lock);
    tool = find(name);
    MPL_initlock_unlock(&lock);
    return tool;
}

void MPII_QMPI_set_loading(int library)
{
    MPL_initlock_lock(&lock);
    loading = library;
    conflicting = NULL;
    MPL_initlock_unlock(&lock);
}

const MPII_QMPI_Tool *MPII_QMPI_conflicting_tool(void)
{
    const MPII_QMPI_Tool *tool;

    MPL_initlock_lock(&lock);
    tool = conflicting;
    MPL_initlock_unlock(&lock);
    return tool;
}

void MPII_QMPI_close_registration(void)
{
    MPL_initlock_lock(&lock);
    is_closed = true;
    MPL_initlock_unlock(&lock);
}

static int abi_of(int version)
{
    return version & MPIX_TOOL_INTERFACE_ABI;
}

/* Version 0 is that of callers that do not know the version. */
static bool is_foreign(int version)
{
    return (version != 0 || abi_of(MPIX_TOOL_INTERFACE_VERSION)) &&
        version != MPIX_TOOL_INTERFACE_VERSION;
}

static int number_of(int version)
{
    return version & ~MPIX_TOOL_INTERFACE_ABI;
}

static const char *abi_name(int version)
{
    return abi_of(version) ? "the MPI ABI (mpi_abi.h)" : "the ABI of MPICH (mpi.h)";
}

bool MPII_QMPI_is_unusable(const MPII_QMPI_Tool * tool, char *message, size_t size)
{
    char shown[MPII_QMPI_SHOWN];

    if (!is_foreign(tool->version))
        return false;
    MPII_QMPI_show(tool->name, strlen(tool->name), shown, sizeof(shown));
    if (abi_of(tool->version) != abi_of(MPIX_TOOL_INTERFACE_VERSION))
        snprintf(message, size, "the tool '%s' was compiled for %s; this library has %s", shown,
                 abi_name(tool->version), abi_name(MPIX_TOOL_INTERFACE_VERSION));
    else
        snprintf(message, size,
                 "the tool '%s' was compiled for version %d.%d of the tool interface; this "
                 "library has %d.%d", shown, number_of(tool->version), tool->subversion,
                 number_of(MPIX_TOOL_INTERFACE_VERSION), MPIX_TOOL_INTERFACE_SUBVERSION);
    return true;
}

/* ---- registration ---- */

/* File that contains a function, NULL if unknown. */
static char *file_of(MPI_Tool_init_function * fn)
{
    Dl_info info;

    if (!dladdr((void *) fn, &info) || !info.dli_fname)
        return NULL;
    return MPL_direct_strdup(info.dli_fname);
}

static bool is_late(void)
{
    return is_closed || MPIR_Errutil_is_initialized();
}

/* Registers unusable tools as well, so that the message about a list that names one says why. */
int MPIR_Register_tool_impl(const char *tool_name, MPI_Tool_init_function * init_fn_ptr,
                            int version, int subversion)
{
    int mpi_errno = MPI_SUCCESS;
    MPII_QMPI_Tool *tool, **end;
    char message[MPII_QMPI_MAX_MESSAGE];

    tool = MPL_direct_calloc(1, sizeof(*tool) + strlen(tool_name) + 1);
    MPIR_ERR_CHKANDJUMP(!tool, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    strcpy(tool->name, tool_name);
    tool->init_fn = init_fn_ptr;
    tool->version = version;
    tool->subversion = subversion;
    tool->file = file_of(init_fn_ptr);

    MPL_initlock_lock(&lock);
    if (is_late()) {
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_OTHER, "**other",
                      "the tool %s cannot be registered after MPI is initialized", tool_name);
    } else if (find(tool_name)) {
        conflicting = find(tool_name);
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_ARG, "**arg",
                      "a tool with the name %s is registered already", tool_name);
    } else {
        tool->library = loading;
        for (end = &registered; *end; end = &(*end)->next);
        *end = tool;
    }
    MPL_initlock_unlock(&lock);
    if (mpi_errno) {
        MPL_direct_free(tool->file);
        MPL_direct_free(tool);
        goto fn_fail;
    }
    MPIR_ERR_CHKANDJUMP1(MPII_QMPI_is_unusable(tool, message, sizeof(message)), mpi_errno,
                         MPI_ERR_OTHER, "**other", "%s", message);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- information about tools ---- */

int MPIR_Set_tool_info_impl(const char *tool_name, const char *version, const char *author,
                            const char *description)
{
    const char *given[MPII_QMPI_NUM_TOOL_INFOS] = { version, author, description };
    char *info[MPII_QMPI_NUM_TOOL_INFOS] = { NULL };
    int mpi_errno = MPI_SUCCESS;
    MPII_QMPI_Tool *tool = NULL;

    for (int i = 0; i < MPII_QMPI_NUM_TOOL_INFOS; i++) {
        info[i] = given[i] ? MPL_direct_strdup(given[i]) : NULL;
        MPIR_ERR_CHKANDJUMP(given[i] && !info[i], mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    }

    MPL_initlock_lock(&lock);
    if (is_late())
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_OTHER, "**other",
                      "the tool %s cannot be registered after MPI is initialized", tool_name);
    else if (!(tool = find(tool_name)))
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_ARG, "**arg", "no tool is registered under the name %s",
                      tool_name);
    for (int i = 0; tool && i < MPII_QMPI_NUM_TOOL_INFOS; i++) {
        char *old = tool->info[i];
        tool->info[i] = info[i];
        info[i] = old;
    }
    MPL_initlock_unlock(&lock);

  fn_exit:
    for (int i = 0; i < MPII_QMPI_NUM_TOOL_INFOS; i++)
        MPL_direct_free(info[i]);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* NULL where the caller does not want the text. */
static void give(const char **out, const char *text)
{
    if (out)
        *out = text ? text : "";
}

int MPIR_Get_tool_info_impl(int number, const char **tool_name, const char **version,
                            const char **author, const char **description, const char **file)
{
    const MPII_QMPI_Tool *tool;
    int mpi_errno = MPI_SUCCESS;

    MPL_initlock_lock(&lock);
    tool = number < 0 ? NULL : registered;
    for (int i = 0; tool && i < number; i++)
        tool = tool->next;
    if (tool) {
        give(tool_name, tool->name);
        give(version, tool->info[MPII_QMPI_TOOL_VERSION]);
        give(author, tool->info[MPII_QMPI_TOOL_AUTHOR]);
        give(description, tool->info[MPII_QMPI_TOOL_DESCRIPTION]);
        give(file, tool->file);
    }
    MPL_initlock_unlock(&lock);
    MPIR_ERR_CHKANDJUMP1(!tool, mpi_errno, MPI_ERR_ARG, "**arg",
                         "no registered tool has the index %d", number);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
