/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

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
        Names of the tools through which every MPI call runs, in this order, separated by commas
        or colons. The same tool can be named several times. The environment variable
        QMPI_TOOL_LIST works as well. Can be written until the first MPI call that a tool could
        see, at the latest until MPI is initialized.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

MPIR_QMPI_Head MPIR_QMPI_head[MPI_LAST_FUNC_T];

/* What a tool asks for while its init callback runs, one for each instance. */
typedef struct {
    MPIR_QMPI_Any_function *function[MPI_LAST_FUNC_T];
    MPIX_Tool_ready_function *ready_fn;
} Wishes;

/* What a call finds behind an instance: the next link of every function. */
typedef const MPIR_QMPI_Link *Row[MPI_LAST_FUNC_T];

typedef enum {
    REGISTRATION,       /* tools register names; no list was read */
    INITIALIZATION,     /* init callbacks run */
    INTERCEPTION,       /* the chain stands */
    TERMINATION         /* the process ends; memory is gone */
} Phase;

/* The order is that of the fast paths: what they read lies in one cache line. Instances are counted
 * from 0 here, tool ids from 1. */
static struct {
    unsigned num_linked;        /* number of instances once the chain stands, 0 before */
    unsigned num_instances;
    const MPIR_QMPI_Link *const **next; /* [instance]: its row, what comes behind it */
    void **storage;             /* [instance] */

    Phase phase;
    MPIR_QMPI_Tool *registered; /* in the order of registration */
    char *list;                 /* what was chosen, NULL if nothing was */
    Wishes *wishes;             /* [instance], while init callbacks run */
    Row *rows;                  /* row 0 is behind the application, row i behind tool id i */
    MPIR_QMPI_Link *links;      /* all links of all instances, in the order of the chain */
    MPIR_QMPI_Link *pcontrol;   /* links of MPI_Pcontrol, in the order of the chain */
    int num_pcontrol;
} chain;

/* Guards everything above until the chain stands; nothing is written afterwards. */
static MPL_initlock_t chain_lock = MPL_INITLOCK_INITIALIZER;

/* Set in the thread that builds: what tools call meanwhile goes to the library directly. */
static MPL_TLS int is_builder = 0;

/* ---- heads ---- */

static void publish_head(int function, const MPIR_QMPI_Link * link)
{
    MPL_atomic_release_store_ptr(&MPIR_QMPI_head[function].atomic, (void *) link);
}

static void arm(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        publish_head(f, &MPIR_QMPI_bootstrap[f]);
}

static void disarm(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        publish_head(f, NULL);
}

static bool is_blank(const char *s)
{
    return s[strspn(s, " \t\r\n")] == '\0';
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

/* Runs when libmpi is loaded. Reads the list itself: initializing MPI_T's variables this early
 * would freeze all the others before main can set them. */
static void ATTRIBUTE((constructor)) choose_from_environment(void)
{
    static const char *const names[] = {
        "MPIR_CVAR_QMPI_TOOL_LIST", "MPIR_PARAM_QMPI_TOOL_LIST", "MPICH_QMPI_TOOL_LIST",
        "QMPI_TOOL_LIST"
    };

    if (is_privileged())
        return;
    for (int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *list = getenv(names[i]);
        if (list) {
            if (!is_blank(list)) {
                chain.list = MPL_direct_strdup(list);
                if (!chain.list)
                    MPIR_QMPI_fatal("out of memory");
                arm();
            }
            return;
        }
    }
}

static void ATTRIBUTE((destructor)) release_chain(void)
{
    MPIR_QMPI_Tool *tool, *next;

    /* destructors that run after this one may still ask MPI_Finalized and its like */
    disarm();
    chain.phase = TERMINATION;
    chain.num_linked = 0;
    chain.num_instances = 0;
    chain.num_pcontrol = 0;

    MPL_direct_free((void *) chain.next);
    MPL_direct_free(chain.rows);
    MPL_direct_free(chain.links);
    MPL_direct_free(chain.pcontrol);
    MPL_direct_free(chain.storage);
    MPL_direct_free(chain.list);
    for (tool = chain.registered; tool; tool = next) {
        next = tool->next;
        MPL_direct_free(tool);
    }
    chain.registered = NULL;
}

/* ---- building ---- */

static void *allocate(size_t number, size_t size)
{
    /* MPL_malloc's account is closed in MPI_Finalize; the chain lives longer */
    void *memory = MPL_direct_calloc(number ? number : 1, size);
    if (!memory)
        MPIR_QMPI_fatal("out of memory for a chain of %u tools", chain.num_instances);
    return memory;
}

/* Turns the wishes of all instances into links and rows, from the library to the application. */
static void link_instances(void)
{
    const int n = chain.num_instances;
    size_t num_links = 0;
    MPIR_QMPI_Link *link, *pcontrol;

    for (int i = 0; i < n; i++) {
        for (int f = 0; f < MPI_LAST_FUNC_T; f++)
            num_links += chain.wishes[i].function[f] != NULL;
        chain.num_pcontrol += chain.wishes[i].function[MPI_PCONTROL_T] != NULL;
    }
    chain.links = allocate(num_links, sizeof(MPIR_QMPI_Link));
    chain.pcontrol = allocate(chain.num_pcontrol, sizeof(MPIR_QMPI_Link));
    chain.rows = allocate(n + 1, sizeof(Row));
    chain.next = allocate(n, sizeof(*chain.next));

    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        chain.rows[n][f] = &MPIR_QMPI_tail[f];

    link = chain.links + num_links;
    pcontrol = chain.pcontrol + chain.num_pcontrol;
    for (int i = n - 1; i >= 0; i--) {
        chain.next[i] = chain.rows[i + 1];
        memcpy(chain.rows[i], chain.rows[i + 1], sizeof(Row));
        for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
            if (chain.wishes[i].function[f]) {
                link--;
                link->fn = chain.wishes[i].function[f];
                link->tool_id = i + 1;
                /* MPI calls every instance that wants Pcontrol: nobody has to call on */
                if (f == MPI_PCONTROL_T)
                    *--pcontrol = *link;
                else
                    chain.rows[i][f] = link;
            }
        }
    }
}

static void build(void)
{
    const MPIR_QMPI_Tool **tool;
    int n;

    MPIR_QMPI_parse_list(chain.list, chain.registered, &tool, &n);
    chain.num_instances = n;
    chain.storage = allocate(n, sizeof(void *));
    chain.wishes = allocate(n, sizeof(Wishes));

    chain.phase = INITIALIZATION;
    for (int i = 0; i < n; i++)
        tool[i]->init_fn(i + 1);

    link_instances();
    chain.num_linked = n;
    chain.phase = INTERCEPTION;
    /* from the last: what an instance calls in its ready function finds all behind it ready */
    for (int i = n - 1; i >= 0; i--)
        if (chain.wishes[i].ready_fn)
            chain.wishes[i].ready_fn(i + 1);
    MPL_direct_free(chain.wishes);
    chain.wishes = NULL;
    MPL_direct_free(tool);

    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        const MPIR_QMPI_Link *first = chain.rows[0][f];
        if (f == MPI_PCONTROL_T && chain.num_pcontrol)
            first = chain.pcontrol;
        publish_head(f, first->tool_id ? first : NULL);
    }
}

/* Builds the chain in the first thread that comes, while others wait. In the thread that builds
 * there is no chain yet. */
static void build_once(void)
{
    if (is_builder)
        return;
    MPL_initlock_lock(&chain_lock);
    if (chain.phase == REGISTRATION) {
        is_builder = 1;
        build();
        is_builder = 0;
    }
    MPL_initlock_unlock(&chain_lock);
}

const MPIR_QMPI_Link *MPIR_QMPI_build(enum MPI_Functions_enum function)
{
    const MPIR_QMPI_Link *link = NULL;

    build_once();
    if (!is_builder)
        link = MPIR_QMPI_first_link(function);
    return link ? link : &MPIR_QMPI_tail[function];
}

int MPIR_QMPI_tail_missing(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

const MPIR_QMPI_Link *MPIR_QMPI_pcontrol_links(int *count)
{
    build_once();
    *count = is_builder ? 0 : chain.num_pcontrol;
    return chain.pcontrol;
}

/* ---- the list as a control variable ---- */

/* Names and the list are settled once the chain is being built, and when MPI is initialized. */
static bool is_closed(void)
{
    return chain.phase != REGISTRATION || MPIR_Errutil_is_initialized();
}

bool MPIR_QMPI_cvar_is_closed(const void *addr)
{
    return addr == &MPIR_CVAR_QMPI_TOOL_LIST && is_closed();
}

int MPIR_QMPI_cvar_write(const void *addr, const char *value)
{
    int mpi_errno = MPI_SUCCESS;
    char *list;

    if (addr != &MPIR_CVAR_QMPI_TOOL_LIST)
        return MPI_SUCCESS;

    MPL_initlock_lock(&chain_lock);
    if (is_closed()) {
        mpi_errno = MPI_T_ERR_CVAR_SET_NOT_NOW;
        goto fn_exit;
    }
    list = MPL_direct_strdup(value);
    if (!list) {
        mpi_errno = MPI_T_ERR_MEMORY;
        goto fn_exit;
    }
    MPL_direct_free(chain.list);
    chain.list = list;
    if (is_blank(list))
        disarm();
    else
        arm();

  fn_exit:
    MPL_initlock_unlock(&chain_lock);
    return mpi_errno;
}

int MPIR_QMPI_cvar_sync(void)
{
    char *list;

    if (!chain.list)
        return MPI_SUCCESS;
    list = MPL_strdup(chain.list);
    if (!list)
        return MPI_ERR_NO_MEM;
    MPL_free((char *) MPIR_CVAR_QMPI_TOOL_LIST);
    MPIR_CVAR_QMPI_TOOL_LIST = list;
    return MPI_SUCCESS;
}

/* ---- registration ---- */

/* Error codes that tell what was refused, for the function fcname. */

static int refuse_null(const char *fcname, const char *argument)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**nullptr", "**nullptr %s", argument);
}

static int refuse_tool_id(const char *fcname, int tool_id)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**qmpi_tool_id", "**qmpi_tool_id %d", tool_id);
}

static int refuse_function(const char *fcname, int function)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**qmpi_function", "**qmpi_function %d", function);
}

static int refuse_late_name(const char *fcname, const char *name)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_OTHER,
                                "**qmpi_late", "**qmpi_late %s", name);
}

static bool is_instance(int tool_id)
{
    return tool_id >= 1 && (unsigned) tool_id <= chain.num_instances;
}

static bool is_function(int function)
{
    return function >= 0 && function < MPI_LAST_FUNC_T;
}

static const MPIR_QMPI_Tool *find_tool(const char *name)
{
    const MPIR_QMPI_Tool *tool;
    for (tool = chain.registered; tool; tool = tool->next)
        if (!strcmp(tool->name, name))
            break;
    return tool;
}

int PMPI_Register_tool_name(const char *tool_name, MPI_Tool_init_function * init_fn_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_QMPI_Tool *tool, **end;
    size_t length;

    if (!tool_name)
        return refuse_null(__func__, "tool_name");
    if (!init_fn_ptr)
        return refuse_null(__func__, "init_fn_ptr");
    length = strnlen(tool_name, MPIX_MAX_TOOL_NAME_LENGTH);
    if (length == 0 || length == MPIX_MAX_TOOL_NAME_LENGTH)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                    MPI_ERR_ARG, "**qmpi_name_length", "**qmpi_name_length %d",
                                    MPIX_MAX_TOOL_NAME_LENGTH - 1);
    /* a tool may be loaded by another one's init callback: too late, and the lock is ours */
    if (is_builder)
        return refuse_late_name(__func__, tool_name);

    MPL_initlock_lock(&chain_lock);
    if (is_closed()) {
        mpi_errno = refuse_late_name(__func__, tool_name);
        goto fn_exit;
    }
    if (find_tool(tool_name)) {
        mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                         MPI_ERR_ARG, "**qmpi_name_taken", "**qmpi_name_taken %s",
                                         tool_name);
        goto fn_exit;
    }
    tool = MPL_direct_malloc(sizeof(*tool) + length + 1);
    if (!tool) {
        mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                         MPI_ERR_NO_MEM, "**nomem", 0);
        goto fn_exit;
    }
    tool->next = NULL;
    tool->init_fn = init_fn_ptr;
    memcpy(tool->name, tool_name, length + 1);
    for (end = &chain.registered; *end; end = &(*end)->next);
    *end = tool;

  fn_exit:
    MPL_initlock_unlock(&chain_lock);
    return mpi_errno;
}

/* Common to what only an init callback may do. */
static int check_wish(const char *fcname, int tool_id)
{
    if (!is_builder || chain.phase != INITIALIZATION)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__,
                                    MPI_ERR_OTHER, "**qmpi_not_in_init", 0);
    if (!is_instance(tool_id))
        return refuse_tool_id(fcname, tool_id);
    return MPI_SUCCESS;
}

int PMPI_Register_tool_storage(int tool_id, void *tool_storage)
{
    int mpi_errno = check_wish(__func__, tool_id);
    if (mpi_errno)
        return mpi_errno;
    chain.storage[tool_id - 1] = tool_storage;
    return MPI_SUCCESS;
}

int PMPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (*function_ptr) (void))
{
    int mpi_errno = check_wish(__func__, tool_id);
    if (mpi_errno)
        return mpi_errno;
    if (!is_function(function_enum))
        return refuse_function(__func__, function_enum);
    if (!function_ptr)
        return refuse_null(__func__, "function_ptr");
    chain.wishes[tool_id - 1].function[function_enum] = function_ptr;
    return MPI_SUCCESS;
}

int PMPIX_Register_tool_ready_function(int tool_id, MPIX_Tool_ready_function * ready_fn_ptr)
{
    int mpi_errno = check_wish(__func__, tool_id);
    if (mpi_errno)
        return mpi_errno;
    if (!ready_fn_ptr)
        return refuse_null(__func__, "ready_fn_ptr");
    chain.wishes[tool_id - 1].ready_fn = ready_fn_ptr;
    return MPI_SUCCESS;
}

/* ---- look-ups: what tools may do in every call ----
 *
 * Each has a fast path for valid arguments and leaves everything else to a function out of line,
 * which repeats the work with all checks and reports under the name that the tool called. Two
 * pointers whose common bits are not all zero are both set: one test serves for two, and the rare
 * valid pair that fails it is answered out of line. */

#define both_set(a_, b_) (((uintptr_t) (a_) & (uintptr_t) (b_)) != 0)

static int MPIR_QMPI_COLD find_next_slow(int tool_id, enum MPI_Functions_enum function_enum,
                                         void (**function_ptr) (void), int *next_tool_id)
{
    static const char fcname[] = "PMPI_Get_next_tool_function";
    const MPIR_QMPI_Link *next;

    if (!function_ptr)
        return refuse_null(fcname, "function_ptr");
    if (!next_tool_id)
        return refuse_null(fcname, "next_tool_id");
    if (!is_instance(tool_id))
        return refuse_tool_id(fcname, tool_id);
    if (!is_function(function_enum))
        return refuse_function(fcname, function_enum);
    if (chain.num_linked == 0)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__,
                                    MPI_ERR_OTHER, "**qmpi_early", 0);
    next = chain.next[tool_id - 1][function_enum];
    *function_ptr = next->fn;
    *next_tool_id = next->tool_id;
    return MPI_SUCCESS;
}

int PMPI_Get_next_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (**function_ptr) (void), int *next_tool_id)
{
    const unsigned instance = (unsigned) tool_id - 1;
    const unsigned function = function_enum;

    if (likely(instance < chain.num_linked && function < MPI_LAST_FUNC_T &&
               both_set(function_ptr, next_tool_id))) {
        const MPIR_QMPI_Link *next = chain.next[instance][function];
        *function_ptr = next->fn;
        *next_tool_id = next->tool_id;
        return MPI_SUCCESS;
    }
    return find_next_slow(tool_id, function_enum, function_ptr, next_tool_id);
}

/* Takes what its caller got, so that nothing has to be moved for it; not static, or the compiler
 * would take the unused argument away. */
MPIR_QMPI_HIDDEN MPIR_QMPI_COLD
int MPIR_QMPI_find_storage_slow(MPI_Context context, int tool_id, void *storage);
int MPIR_QMPI_find_storage_slow(MPI_Context context, int tool_id, void *storage)
{
    static const char fcname[] = "PMPI_Get_tool_storage";

    if (!storage)
        return refuse_null(fcname, "storage");
    if (!is_instance(tool_id))
        return refuse_tool_id(fcname, tool_id);
    *(void **) storage = chain.storage[tool_id - 1];
    return MPI_SUCCESS;
}

int PMPI_Get_tool_storage(MPI_Context context, int tool_id, void *storage)
{
    const unsigned instance = (unsigned) tool_id - 1;

    if (likely(instance < chain.num_linked && storage)) {
        *(void **) storage = chain.storage[instance];
        return MPI_SUCCESS;
    }
    return MPIR_QMPI_find_storage_slow(context, tool_id, storage);
}

static int MPIR_QMPI_COLD find_call_site_slow(MPI_Context context, void *address)
{
    static const char fcname[] = "PMPI_Get_calling_address";

    if (!context)
        return refuse_null(fcname, "context");
    if (!address)
        return refuse_null(fcname, "address");
    *(const void **) address = MPIR_QMPI_find_call_site(context);
    return MPI_SUCCESS;
}

int PMPI_Get_calling_address(MPI_Context context, void *address)
{
    if (likely((uintptr_t) context & (uintptr_t) address & MPIR_QMPI_only_c)) {
        *(const void **) address = context->call_site;
        return MPI_SUCCESS;
    }
    return find_call_site_slow(context, address);
}

/* ---- names ---- */

int PMPIX_Get_function_enum(const char *name, int *function_enum)
{
    if (!name)
        return refuse_null(__func__, "name");
    if (!function_enum)
        return refuse_null(__func__, "function_enum");
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        if (!strcmp(MPIR_QMPI_function_name[f], name)) {
            *function_enum = f;
            return MPI_SUCCESS;
        }
    }
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_ARG,
                                "**qmpi_function_name", "**qmpi_function_name %s", name);
}

int PMPIX_Get_function_name(int function_enum, const char **name)
{
    if (!name)
        return refuse_null(__func__, "name");
    if (!is_function(function_enum))
        return refuse_function(__func__, function_enum);
    *name = MPIR_QMPI_function_name[function_enum];
    return MPI_SUCCESS;
}

#else /* ENABLE_QMPI */

/* A library without QMPI has the functions too, so that tools link, and says so when called. */
#define UNSUPPORTED(name_, params_) \
    int PMPI ## name_ params_ { return MPI_ERR_UNSUPPORTED_OPERATION; }

UNSUPPORTED(_Register_tool_name, (const char *tool_name, MPI_Tool_init_function * init_fn_ptr))
UNSUPPORTED(_Register_tool_storage, (int tool_id, void *tool_storage))
UNSUPPORTED(_Register_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                      void (*function_ptr) (void)))
UNSUPPORTED(X_Register_tool_ready_function, (int tool_id, MPIX_Tool_ready_function * ready_fn_ptr))
UNSUPPORTED(_Get_next_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                      void (**function_ptr) (void), int *next_tool_id))
UNSUPPORTED(_Get_tool_storage, (MPI_Context context, int tool_id, void *storage))
UNSUPPORTED(_Get_calling_address, (MPI_Context context, void *address))
UNSUPPORTED(X_Get_function_enum, (const char *name, int *function_enum))
UNSUPPORTED(X_Get_function_name, (int function_enum, const char **name))

#endif /* ENABLE_QMPI */

/* ---- all names of the interface's own functions ----
 *
 * MPI_ names are weak, as everywhere in MPICH, so that a PMPI tool can define them. */

#if defined(MPL_HAVE_GCC_ATTRIBUTE) && !defined(__APPLE__)
#define NAMED(symbol_, target_, params_, args_) \
    int symbol_ params_ __attribute__((alias(#target_)));
#define NAMED_WEAK(symbol_, target_, params_, args_) \
    int symbol_ params_ __attribute__((weak, alias(#target_)));
#else
#define NAMED(symbol_, target_, params_, args_) int symbol_ params_ { return target_ args_; }
#define NAMED_WEAK NAMED
#endif

#define INTERFACE(name_, params_, args_) \
    NAMED_WEAK(MPI ## name_, PMPI ## name_, params_, args_) \
    NAMED(QMPI ## name_, PMPI ## name_, params_, args_)

INTERFACE(_Register_tool_name, (const char *tool_name, MPI_Tool_init_function * init_fn_ptr),
          (tool_name, init_fn_ptr))
INTERFACE(_Register_tool_storage, (int tool_id, void *tool_storage), (tool_id, tool_storage))
INTERFACE(_Register_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                    void (*function_ptr) (void)),
          (tool_id, function_enum, function_ptr))
INTERFACE(X_Register_tool_ready_function, (int tool_id, MPIX_Tool_ready_function * ready_fn_ptr),
          (tool_id, ready_fn_ptr))
INTERFACE(_Get_next_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                    void (**function_ptr) (void), int *next_tool_id),
          (tool_id, function_enum, function_ptr, next_tool_id))
INTERFACE(_Get_tool_storage, (MPI_Context context, int tool_id, void *storage),
          (context, tool_id, storage))
INTERFACE(_Get_calling_address, (MPI_Context context, void *address), (context, address))
INTERFACE(X_Get_function_enum, (const char *name, int *function_enum), (name, function_enum))
INTERFACE(X_Get_function_name, (int function_enum, const char **name), (function_enum, name))

/* names of the experimental interface and of its first description */
NAMED(QMPI_Register_function, PMPI_Register_tool_function,
      (int tool_id, enum MPI_Functions_enum function_enum, void (*function_ptr) (void)),
      (tool_id, function_enum, function_ptr))
NAMED(QMPI_Get_function, PMPI_Get_next_tool_function,
      (int tool_id, enum MPI_Functions_enum function_enum, void (**function_ptr) (void),
       int *next_tool_id), (tool_id, function_enum, function_ptr, next_tool_id))
NAMED(QMPI_Context_get_storage, PMPI_Get_tool_storage,
      (QMPI_Context context, int tool_id, void *storage), (context, tool_id, storage))

int QMPI_Context_get_calling_address(QMPI_Context context, int tool_id, void *calling_address)
{
    return PMPI_Get_calling_address(context, calling_address);
}
