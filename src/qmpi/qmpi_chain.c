/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"
#include "mpii_qmpi_names.h"

#ifdef ENABLE_QMPI

/* What a tool asks for while its init callback runs, one for each instance. */
typedef struct {
    MPIX_Tool_ready_function *ready_fn;
    char *failure;              /* why the instance cannot work, NULL if it can */
} Wishes;

/* What a call finds in front of an instance: the next link of every function. While init callbacks
 * run it is the function that the instance asks for, NULL where it asks for none. */
typedef union {
    const MPIR_QMPI_Link *link;
    MPIR_QMPI_Any_function *wish;
} Place;
typedef Place Row[MPI_LAST_FUNC_T];

typedef enum {
    REGISTRATION,       /* tools register names; nothing was looked at */
    LOADING,            /* tools are looked for, and register while they are loaded */
    INITIALIZATION,     /* init callbacks run */
    INTERCEPTION,       /* the chain stands */
    TERMINATION         /* the process ends; memory is gone */
} Phase;

/* The order is that of the fast paths: what they read lies in one cache line. Instances are counted
 * from 0 here, tool ids from 1. */
static struct {
    unsigned num_linked;        /* number of instances once the chain stands, 0 before */
    unsigned num_instances;
    const Place **next;         /* [instance]: the row of what comes behind it */
    void **storage;             /* [instance] */

    Phase phase;
    MPII_QMPI_Instance *instances;      /* [instance] */
    Wishes *wishes;             /* [instance], while init callbacks run */
    Row *rows;                  /* row 0 is behind the application, row i behind tool id i */
    size_t num_wishes;          /* that were ever made: there are no more links */
    MPIR_QMPI_Link *links;      /* all links of all instances, in the order of the chain */
    MPIR_QMPI_Link *pcontrol;   /* links of MPI_Pcontrol, in the order of the chain */
    int num_pcontrol;
} chain;

unsigned MPII_QMPI_num_instances = 0;
unsigned MPII_QMPI_num_intercepted = 0;

/* Guards everything above until the chain stands; nothing is written afterwards. */
static MPL_initlock_t chain_lock = MPL_INITLOCK_INITIALIZER;

/* Set in the thread that builds: what tools call meanwhile goes to the library directly. */
static MPL_TLS int is_builder = 0;

/* ---- heads ---- */

static void publish_head(int function, const MPIR_QMPI_Link * link)
{
    MPIR_QMPI_Head *head = &MPIR_QMPI_head[function];
    const MPIR_QMPI_Ways *ways = &MPIR_QMPI_ways[function];
    const bool is_intercepted = link != &MPIR_QMPI_tail[function];

    MPL_atomic_release_store_ptr(&head->first.atomic, (void *) link);
    MPL_atomic_release_store_ptr(&head->entry.atomic,
                                 (void *) (is_intercepted ? ways->dispatch : ways->direct));
}

static void arm(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        publish_head(f, &MPIR_QMPI_bootstrap[f]);
}

static void disarm(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        publish_head(f, &MPIR_QMPI_tail[f]);
}

static void ATTRIBUTE((destructor)) release_chain(void)
{
    const int n = chain.num_instances;

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
    MPII_QMPI_free_instances(chain.instances, n);
    MPII_QMPI_release_services();
    MPII_QMPI_release_tools();
    MPII_QMPI_release_choice();
}

/* ---- building ---- */

/* MPI calls every instance that wants MPI_Pcontrol, so nobody has to call on: its links are a list of
 * their own, and in the rows is the end of the chain. */
static void link_pcontrol(void)
{
    const int n = chain.num_instances;
    MPIR_QMPI_Link *link;

    for (int i = 0; i < n; i++)
        chain.num_pcontrol += chain.rows[i][MPI_PCONTROL_T].wish != NULL;
    chain.pcontrol = MPII_QMPI_allocate(chain.num_pcontrol, sizeof(MPIR_QMPI_Link));
    link = chain.pcontrol;
    for (int i = 0; i < n; i++) {
        Place *place = &chain.rows[i][MPI_PCONTROL_T];
        if (place->wish) {
            link->fn = place->wish;
            link->tool_id = i + 1;
            link++;
            place->wish = NULL;
        }
    }
}

/* Turns the wishes of all instances into links and rows, from the library to the application. */
static void link_instances(void)
{
    const int n = chain.num_instances;
    MPIR_QMPI_Link *link;

    link_pcontrol();
    chain.links = MPII_QMPI_allocate(chain.num_wishes, sizeof(MPIR_QMPI_Link));
    chain.next = MPII_QMPI_allocate(n, sizeof(*chain.next));
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        chain.rows[n][f].link = &MPIR_QMPI_tail[f];
    link = chain.links + chain.num_wishes;
    for (int i = n - 1; i >= 0; i--) {
        chain.next[i] = chain.rows[i + 1];
        for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
            Place *place = &chain.rows[i][f];
            if (place->wish) {
                link--;
                link->fn = place->wish;
                link->tool_id = i + 1;
                place->link = link;
            } else {
                *place = chain.rows[i + 1][f];
            }
        }
    }
}

/* An instance that said that it cannot work keeps its id, as others may know theirs already. */
static void drop_if_failed(int tool_id)
{
    const char *name = chain.instances[tool_id - 1].name;
    Wishes *wishes = &chain.wishes[tool_id - 1];
    char shown[MPII_QMPI_SHOWN], reason[MPII_QMPI_MAX_MESSAGE / 2];

    if (!wishes->failure)
        return;
    MPII_QMPI_fault("the tool '%s', instance %d: %s",
                    MPII_QMPI_show(name, strlen(name), shown, sizeof(shown)), tool_id,
                    MPII_QMPI_show(wishes->failure, strlen(wishes->failure), reason,
                                   sizeof(reason)));
    MPL_direct_free(wishes->failure);
    memset(wishes, 0, sizeof(*wishes));
    memset(chain.rows[tool_id - 1], 0, sizeof(Row));
    MPII_QMPI_withdraw_services(tool_id);
}

static void publish_chain(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        const MPIR_QMPI_Link *first = chain.rows[0][f].link;
        if (f == MPI_PCONTROL_T && chain.num_pcontrol)
            first = chain.pcontrol;
        MPII_QMPI_num_intercepted += first->tool_id != 0;
        publish_head(f, first);
    }
    MPII_QMPI_num_instances = chain.num_instances;
}

static void init_instance(int tool_id)
{
    const MPII_QMPI_Instance *instance = &chain.instances[tool_id - 1];

    if (instance->member)
        MPII_QMPI_Pmpi_init(tool_id, instance->member);
    else
        instance->tool->init_fn(tool_id);
}

static void build(void)
{
    int n;

    MPII_QMPI_check_settings();
    chain.phase = LOADING;
    chain.instances = MPII_QMPI_load_list(MPII_QMPI_chosen(MPII_QMPI_LIST), &n);
    MPII_QMPI_close_registration();
    chain.num_instances = n;
    chain.storage = MPII_QMPI_allocate(n, sizeof(void *));
    chain.wishes = MPII_QMPI_allocate(n, sizeof(Wishes));
    chain.rows = MPII_QMPI_allocate(n + 1, sizeof(Row));

    chain.phase = INITIALIZATION;
    for (int i = 0; i < n; i++) {
        init_instance(i + 1);
        drop_if_failed(i + 1);
    }

    link_instances();
    chain.num_linked = n;
    chain.phase = INTERCEPTION;
    MPII_QMPI_report_chain(chain.instances, n);
    /* from the last: what an instance calls in its ready function finds all behind it ready */
    for (int i = n - 1; i >= 0; i--)
        if (chain.wishes[i].ready_fn)
            chain.wishes[i].ready_fn(i + 1);
    MPL_direct_free(chain.wishes);
    chain.wishes = NULL;
    publish_chain();
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
    build_once();
    return is_builder ? &MPIR_QMPI_tail[function] : MPIR_QMPI_first_link(function);
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

/* ---- choosing ---- */

bool MPII_QMPI_begin_choice(void)
{
    if (is_builder)
        return false;
    MPL_initlock_lock(&chain_lock);
    if (chain.phase == REGISTRATION && !MPIR_Errutil_is_initialized())
        return true;
    MPL_initlock_unlock(&chain_lock);
    return false;
}

void MPII_QMPI_end_choice(bool is_chosen)
{
    if (is_chosen)
        arm();
    else
        disarm();
    MPL_initlock_unlock(&chain_lock);
}

/* ---- init callbacks: what they ask for ---- */

static int refuse_function(const char *fcname, int function)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__, MPI_ERR_ARG,
                                "**qmpi_function", "**qmpi_function %d", function);
}

static bool is_instance(int tool_id)
{
    return tool_id >= 1 && (unsigned) tool_id <= chain.num_instances;
}

static bool is_function(int function)
{
    return function >= 0 && function < MPI_LAST_FUNC_T;
}

int MPII_QMPI_check_init(const char *fcname, int tool_id)
{
    if (!is_builder || chain.phase != INITIALIZATION)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__,
                                    MPI_ERR_OTHER, "**qmpi_not_in_init", 0);
    if (!is_instance(tool_id))
        return MPII_QMPI_refuse_tool_id(fcname, tool_id);
    return MPI_SUCCESS;
}

int PMPI_Register_tool_storage(int tool_id, void *tool_storage)
{
    int mpi_errno = MPII_QMPI_check_init(__func__, tool_id);
    if (mpi_errno)
        return mpi_errno;
    chain.storage[tool_id - 1] = tool_storage;
    return MPI_SUCCESS;
}

int PMPI_Register_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                                void (*function_ptr) (void))
{
    int mpi_errno = MPII_QMPI_check_init(__func__, tool_id);
    Place *place;

    if (mpi_errno)
        return mpi_errno;
    if (!is_function(function_enum))
        return refuse_function(__func__, function_enum);
    if (!function_ptr)
        return MPII_QMPI_refuse_null(__func__, "function_ptr");
    place = &chain.rows[tool_id - 1][function_enum];
    chain.num_wishes += !place->wish;
    place->wish = function_ptr;
    return MPI_SUCCESS;
}

int PMPIX_Register_tool_ready_function(int tool_id, MPIX_Tool_ready_function * ready_fn_ptr)
{
    int mpi_errno = MPII_QMPI_check_init(__func__, tool_id);
    if (mpi_errno)
        return mpi_errno;
    if (!ready_fn_ptr)
        return MPII_QMPI_refuse_null(__func__, "ready_fn_ptr");
    chain.wishes[tool_id - 1].ready_fn = ready_fn_ptr;
    return MPI_SUCCESS;
}

int PMPIX_Fail_tool(int tool_id, const char *reason)
{
    int mpi_errno = MPII_QMPI_check_init(__func__, tool_id);
    char *failure;

    if (mpi_errno)
        return mpi_errno;
    if (!reason)
        return MPII_QMPI_refuse_null(__func__, "reason");
    failure = MPL_direct_strdup(reason);
    if (!failure)
        return MPII_QMPI_refuse_no_memory(__func__);
    MPL_direct_free(chain.wishes[tool_id - 1].failure);
    chain.wishes[tool_id - 1].failure = failure;
    return MPI_SUCCESS;
}

/* ---- look-ups: what tools may do in every call ----
 *
 * Each has a fast path for valid arguments and leaves everything else to a function out of line,
 * which repeats the work with all checks and reports under the name that the tool called. */

static int MPIR_QMPI_COLD find_next_slow(int tool_id, enum MPI_Functions_enum function_enum,
                                         void (**function_ptr) (void), int *next_tool_id)
{
    static const char fcname[] = "PMPI_Get_next_tool_function";
    const MPIR_QMPI_Link *next;

    if (!function_ptr)
        return MPII_QMPI_refuse_null(fcname, "function_ptr");
    if (!next_tool_id)
        return MPII_QMPI_refuse_null(fcname, "next_tool_id");
    if (!is_instance(tool_id))
        return MPII_QMPI_refuse_tool_id(fcname, tool_id);
    if (!is_function(function_enum))
        return refuse_function(fcname, function_enum);
    if (chain.num_linked == 0)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__,
                                    MPI_ERR_OTHER, "**qmpi_early", 0);
    next = chain.next[tool_id - 1][function_enum].link;
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
               MPII_QMPI_both_set(function_ptr, next_tool_id))) {
        const MPIR_QMPI_Link *next = chain.next[instance][function].link;
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
        return MPII_QMPI_refuse_null(fcname, "storage");
    if (!is_instance(tool_id))
        return MPII_QMPI_refuse_tool_id(fcname, tool_id);
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

int PMPI_Get_calling_address(MPI_Context context, void *address)
{
    return MPIR_QMPI_get_call_site(context, address);
}

/* ---- what is known of instances ---- */

int PMPIX_Get_tool_arguments(int tool_id, const char **arguments)
{
    if (!arguments)
        return MPII_QMPI_refuse_null(__func__, "arguments");
    if (!is_instance(tool_id))
        return MPII_QMPI_refuse_tool_id(__func__, tool_id);
    *arguments = chain.instances[tool_id - 1].arguments;
    return MPI_SUCCESS;
}

int PMPIX_Get_tool_name(int tool_id, const char **tool_name)
{
    if (!tool_name)
        return MPII_QMPI_refuse_null(__func__, "tool_name");
    if (!is_instance(tool_id))
        return MPII_QMPI_refuse_tool_id(__func__, tool_id);
    *tool_name = chain.instances[tool_id - 1].name;
    return MPI_SUCCESS;
}

int MPII_QMPI_check_linked(const char *fcname, int tool_id)
{
    if (!is_instance(tool_id))
        return MPII_QMPI_refuse_tool_id(fcname, tool_id);
    if (chain.num_linked == 0)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, __LINE__,
                                    MPI_ERR_OTHER, "**qmpi_early", 0);
    return MPI_SUCCESS;
}

MPIR_QMPI_Any_function *MPII_QMPI_function_of(int tool_id, int function)
{
    const MPIR_QMPI_Link *link = chain.rows[tool_id - 1][function].link;

    if (function == MPI_PCONTROL_T) {
        for (int i = 0; i < chain.num_pcontrol; i++)
            if (chain.pcontrol[i].tool_id == tool_id)
                return chain.pcontrol[i].fn;
        return NULL;
    }
    return link->tool_id == tool_id ? link->fn : NULL;
}

int PMPIX_Get_tool_function(int tool_id, enum MPI_Functions_enum function_enum,
                            void (**function_ptr) (void))
{
    int mpi_errno = MPII_QMPI_check_linked(__func__, tool_id);
    if (mpi_errno)
        return mpi_errno;
    if (!is_function(function_enum))
        return refuse_function(__func__, function_enum);
    if (!function_ptr)
        return MPII_QMPI_refuse_null(__func__, "function_ptr");
    *function_ptr = MPII_QMPI_function_of(tool_id, function_enum);
    return MPI_SUCCESS;
}

/* ---- names ---- */

int PMPIX_Get_function_enum(const char *name, int *function_enum)
{
    if (!name)
        return MPII_QMPI_refuse_null(__func__, "name");
    if (!function_enum)
        return MPII_QMPI_refuse_null(__func__, "function_enum");
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
        return MPII_QMPI_refuse_null(__func__, "name");
    if (!is_function(function_enum))
        return refuse_function(__func__, function_enum);
    *name = MPIR_QMPI_function_name[function_enum];
    return MPI_SUCCESS;
}

#else /* ENABLE_QMPI */

UNSUPPORTED(_Register_tool_storage, (int tool_id, void *tool_storage))
UNSUPPORTED(_Register_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                      void (*function_ptr) (void)))
UNSUPPORTED(X_Register_tool_ready_function, (int tool_id, MPIX_Tool_ready_function * ready_fn_ptr))
UNSUPPORTED(X_Fail_tool, (int tool_id, const char *reason))
UNSUPPORTED(_Get_next_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                      void (**function_ptr) (void), int *next_tool_id))
UNSUPPORTED(_Get_tool_storage, (MPI_Context context, int tool_id, void *storage))
UNSUPPORTED(_Get_calling_address, (MPI_Context context, void *address))
UNSUPPORTED(X_Get_tool_arguments, (int tool_id, const char **arguments))
UNSUPPORTED(X_Get_tool_name, (int tool_id, const char **tool_name))
UNSUPPORTED(X_Get_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                  void (**function_ptr) (void)))
UNSUPPORTED(X_Get_function_enum, (const char *name, int *function_enum))
UNSUPPORTED(X_Get_function_name, (int function_enum, const char **name))

#endif /* ENABLE_QMPI */

INTERFACE(_Register_tool_storage, (int tool_id, void *tool_storage), (tool_id, tool_storage))
INTERFACE(_Register_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                    void (*function_ptr) (void)),
          (tool_id, function_enum, function_ptr))
INTERFACE(X_Register_tool_ready_function, (int tool_id, MPIX_Tool_ready_function * ready_fn_ptr),
          (tool_id, ready_fn_ptr))
INTERFACE(X_Fail_tool, (int tool_id, const char *reason), (tool_id, reason))
INTERFACE(_Get_next_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                    void (**function_ptr) (void), int *next_tool_id),
          (tool_id, function_enum, function_ptr, next_tool_id))
INTERFACE(_Get_tool_storage, (MPI_Context context, int tool_id, void *storage),
          (context, tool_id, storage))
INTERFACE(_Get_calling_address, (MPI_Context context, void *address), (context, address))
INTERFACE(X_Get_tool_arguments, (int tool_id, const char **arguments), (tool_id, arguments))
INTERFACE(X_Get_tool_name, (int tool_id, const char **tool_name), (tool_id, tool_name))
INTERFACE(X_Get_tool_function, (int tool_id, enum MPI_Functions_enum function_enum,
                                void (**function_ptr) (void)),
          (tool_id, function_enum, function_ptr))
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
