/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"
#include "mpii_qmpi_names.h"

/* here the functions themselves are meant, not the macros of mpi.h */
#undef MPI_Register_tool_name
#undef PMPI_Register_tool_name
#undef QMPI_Register_tool_name

#ifdef ENABLE_QMPI

#include <dlfcn.h>

/* Tools that registered a name. The list only grows, at its end. */
static MPII_QMPI_Tool *registered = NULL;
static bool is_closed = false;
static int loading = 0;
static const MPII_QMPI_Tool *in_the_way = NULL;

/* Guards what is above. It is held for moments only, never while somebody else's code runs: a tool
 * may register in the constructor of a library that is loaded while the chain is built. */
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

void MPII_QMPI_set_loading(int number)
{
    MPL_initlock_lock(&lock);
    loading = number;
    in_the_way = NULL;
    MPL_initlock_unlock(&lock);
}

const MPII_QMPI_Tool *MPII_QMPI_tool_in_the_way(void)
{
    const MPII_QMPI_Tool *tool;

    MPL_initlock_lock(&lock);
    tool = in_the_way;
    MPL_initlock_unlock(&lock);
    return tool;
}

void MPII_QMPI_close_registration(void)
{
    MPL_initlock_lock(&lock);
    is_closed = true;
    MPL_initlock_unlock(&lock);
}

bool MPII_QMPI_is_unusable(const MPII_QMPI_Tool * tool, char *message, size_t size)
{
    char shown[MPII_QMPI_SHOWN];

    if (tool->version == MPIX_TOOL_INTERFACE_VERSION)
        return false;
    MPII_QMPI_show(tool->name, strlen(tool->name), shown, sizeof(shown));
    if (tool->version == 0)
        snprintf(message, size, "the tool '%s' was compiled for MPICH's experimental interface and "
                 "must be compiled again", shown);
    else
        snprintf(message, size, "the tool '%s' was compiled for version %d.%d of the tool "
                 "interface; this library has %d.%d", shown, tool->version, tool->subversion,
                 MPIX_TOOL_INTERFACE_VERSION, MPIX_TOOL_INTERFACE_SUBVERSION);
    return true;
}

static void release_tool(MPII_QMPI_Tool * tool)
{
    for (int i = 0; i < MPII_QMPI_NUM_TOOL_INFOS; i++)
        MPL_direct_free(tool->info[i]);
    MPL_direct_free(tool->file);
    MPL_direct_free(tool);
}

void MPII_QMPI_release_tools(void)
{
    MPII_QMPI_Tool *tool, *next;

    MPL_initlock_lock(&lock);
    is_closed = true;
    for (tool = registered; tool; tool = next) {
        next = tool->next;
        release_tool(tool);
    }
    registered = NULL;
    MPL_initlock_unlock(&lock);
}

/* ---- registration ---- */

static int refuse_late_name(const char *fcname, const char *name)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_OTHER,
                                "**qmpi_late", "**qmpi_late %s", name);
}

static int refuse_version(const char *fcname, const char *name)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_OTHER,
                                "**qmpi_version", "**qmpi_version %s %d", name,
                                MPIX_TOOL_INTERFACE_VERSION);
}

/* The file in which a function lies, NULL if it is not known. */
static char *file_of(MPI_Tool_init_function * fn)
{
    Dl_info info;

    if (!dladdr((void *) fn, &info) || !info.dli_fname)
        return NULL;
    return MPL_direct_strdup(info.dli_fname);
}

/* Also keeps the names of tools that cannot be used, so that a list that names one can be answered. */
static int register_tool(const char *fcname, const char *tool_name,
                         MPI_Tool_init_function * init_fn_ptr, int version, int subversion)
{
    int mpi_errno = MPII_QMPI_check_name(fcname, "tool_name", tool_name);
    MPII_QMPI_Tool *tool, *other, **end;

    if (mpi_errno)
        return mpi_errno;
    if (!init_fn_ptr)
        return MPII_QMPI_refuse_null(fcname, "init_fn_ptr");
    tool = MPL_direct_calloc(1, sizeof(*tool) + strlen(tool_name) + 1);
    if (!tool)
        return MPII_QMPI_refuse_no_memory(fcname);
    strcpy(tool->name, tool_name);
    tool->init_fn = init_fn_ptr;
    tool->version = version;
    tool->subversion = subversion;
    tool->file = file_of(init_fn_ptr);

    MPL_initlock_lock(&lock);
    if (is_closed || MPIR_Errutil_is_initialized()) {
        mpi_errno = refuse_late_name(fcname, tool_name);
    } else if ((other = find(tool_name)) != NULL) {
        in_the_way = other;
        mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__,
                                         MPI_ERR_ARG, "**qmpi_name_taken", "**qmpi_name_taken %s",
                                         tool_name);
    } else {
        tool->loading = loading;
        for (end = &registered; *end; end = &(*end)->next);
        *end = tool;
    }
    MPL_initlock_unlock(&lock);
    if (mpi_errno) {
        release_tool(tool);
        return mpi_errno;
    }
    return version == MPIX_TOOL_INTERFACE_VERSION ? MPI_SUCCESS : refuse_version(fcname, tool_name);
}

int PMPIX_Register_tool(const char *tool_name, MPI_Tool_init_function * init_fn_ptr, int version,
                        int subversion)
{
    return register_tool(__func__, tool_name, init_fn_ptr, version, subversion);
}

/* Version 1.0 for ever: for those who do not compile against mpi.h. */
int PMPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function * init_fn_ptr)
{
    return register_tool(__func__, tool_name, init_fn_ptr, 1, 0);
}

/* Called by binaries from the time of the experimental interface alone, whose function ids mean other
 * functions now. */
int QMPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function * init_fn_ptr)
{
    return register_tool(__func__, tool_name, init_fn_ptr, 0, 0);
}

/* ---- what a tool says of itself ---- */

int PMPIX_Set_tool_info(const char *tool_name, const char *version, const char *author,
                        const char *description)
{
    const char *given[MPII_QMPI_NUM_TOOL_INFOS] = { version, author, description };
    char *info[MPII_QMPI_NUM_TOOL_INFOS] = { NULL };
    int mpi_errno = MPI_SUCCESS;
    MPII_QMPI_Tool *tool = NULL;

    if (!tool_name)
        return MPII_QMPI_refuse_null(__func__, "tool_name");
    for (int i = 0; i < MPII_QMPI_NUM_TOOL_INFOS; i++) {
        if (given[i] && !(info[i] = MPL_direct_strdup(given[i]))) {
            mpi_errno = MPII_QMPI_refuse_no_memory(__func__);
            goto fn_exit;
        }
    }

    MPL_initlock_lock(&lock);
    if (is_closed || MPIR_Errutil_is_initialized())
        mpi_errno = refuse_late_name(__func__, tool_name);
    else if (!(tool = find(tool_name)))
        mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                         MPI_ERR_ARG, "**qmpi_tool_name", "**qmpi_tool_name %s",
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
}

static void give(const char **out, const char *text)
{
    if (out)
        *out = text ? text : "";
}

int PMPIX_Get_tool_info(int number, const char **tool_name, const char **version,
                        const char **author, const char **description, const char **file)
{
    const MPII_QMPI_Tool *tool = number < 0 ? NULL : MPII_QMPI_first_tool();

    for (int i = 0; tool && i < number; i++)
        tool = MPII_QMPI_next_tool(tool);
    if (!tool)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                    MPI_ERR_ARG, "**qmpi_tool_number", "**qmpi_tool_number %d",
                                    number);
    give(tool_name, tool->name);
    give(version, tool->info[MPII_QMPI_TOOL_VERSION]);
    give(author, tool->info[MPII_QMPI_TOOL_AUTHOR]);
    give(description, tool->info[MPII_QMPI_TOOL_DESCRIPTION]);
    give(file, tool->file);
    return MPI_SUCCESS;
}

#else /* ENABLE_QMPI */

UNSUPPORTED(_Register_tool_name, (const char *tool_name, MPI_Tool_init_function * init_fn_ptr))
int QMPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function * init_fn_ptr)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
UNSUPPORTED(X_Register_tool, (const char *tool_name, MPI_Tool_init_function * init_fn_ptr,
                              int version, int subversion))
UNSUPPORTED(X_Set_tool_info, (const char *tool_name, const char *version, const char *author,
                              const char *description))
UNSUPPORTED(X_Get_tool_info, (int number, const char **tool_name, const char **version,
                              const char **author, const char **description, const char **file))

#endif /* ENABLE_QMPI */

NAMED_WEAK(MPI_Register_tool_name, PMPI_Register_tool_name,
           (const char *tool_name, MPI_Tool_init_function * init_fn_ptr), (tool_name, init_fn_ptr))
INTERFACE(X_Register_tool, (const char *tool_name, MPI_Tool_init_function * init_fn_ptr,
                            int version, int subversion),
          (tool_name, init_fn_ptr, version, subversion))
INTERFACE(X_Set_tool_info, (const char *tool_name, const char *version, const char *author,
                            const char *description), (tool_name, version, author, description))
INTERFACE(X_Get_tool_info, (int number, const char **tool_name, const char **version,
                            const char **author, const char **description, const char **file),
          (number, tool_name, version, author, description, file))
