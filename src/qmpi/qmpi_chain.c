/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

/* The chain: links, and the gates that lead to it. */

__thread MPIR_QMPI_Note MPIR_QMPI_note MPIR_QMPI_TLS_MODEL = { NULL, -1 };

MPIR_QMPI_Chain MPIR_QMPI_chain;

/* Row 0: the first links; row i: the links that follow instance i. */
static const MPIR_QMPI_Row *rows = NULL;

/* Links of MPI_Pcontrol in the order of the chain; the tail ends them. */
static const MPIR_QMPI_Link *pcontrol_links = NULL;

unsigned MPII_QMPI_num_intercepted = 0;

/* ---- gates ---- */

/* Protects the gates and what they depend on. Never held while foreign code runs. */
static MPL_initlock_t gate_lock = MPL_INITLOCK_INITIALIZER;
static bool mpi_is_initialized = false;
static struct {
    MPIX_Tool_awake_function *fn;       /* NULL if the instance is always awake */
    bool is_asleep;
} *sleepers = NULL;             /* [instance - 1] */

static bool initializes(int function)
{
    return function == MPI_INIT_T || function == MPI_INIT_THREAD_T ||
        function == MPI_SESSION_INIT_T;
}

/* Instances get these calls while they sleep, too. */
static bool is_for_sleeping(int function)
{
    return initializes(function) || function == MPI_FINALIZE_T || function == MPI_PCONTROL_T ||
        function == MPI_SESSION_FINALIZE_T || function == MPI_ABORT_T;
}

static bool has_link(int function)
{
    const MPIR_QMPI_Link *link = MPIR_QMPI_first_link(function);

    while (link->tool_id && sleepers[link->tool_id - 1].is_asleep && !is_for_sleeping(function))
        link = rows[link->tool_id][function];
    return link->tool_id != 0;
}

static bool is_intercepted(int function)
{
    bool intercepted = has_link(function);

    for (const MPIR_QMPI_Pair * pair = MPIR_QMPI_pairs; pair->function >= 0; pair++) {
        if (pair->function == function)
            intercepted |= has_link(pair->extended);
        else if (pair->extended == function)
            intercepted |= has_link(pair->function);
    }
    return intercepted;
}

static unsigned char gate_of(int function)
{
    if (is_intercepted(function))
        return mpi_is_initialized ? MPIR_QMPI_GATE_INTERCEPTED : MPIR_QMPI_GATE_CLOSED;
    /* if QMPI_Init has initialized MPI, the chain is still to be built */
    if (mpi_is_initialized && !initializes(function))
        return MPIR_QMPI_GATE_OPEN;
    return MPIR_QMPI_first_gate[function];
}

/* The caller holds gate_lock. */
static void set_gates(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        __atomic_store_n(&MPIR_QMPI_gate[f], gate_of(f), __ATOMIC_RELEASE);
}

void MPIR_QMPI_set_initialized(bool is_initialized)
{
    MPL_initlock_lock(&gate_lock);
    mpi_is_initialized = is_initialized;
    set_gates();
    MPL_initlock_unlock(&gate_lock);
}

/* The awake function runs without the lock. If two threads change the state, each of its calls
 * finds a state that is not older than the caller's. */
int MPIR_Set_tool_awake_impl(int tool_id, int is_awake)
{
    int mpi_errno = MPI_SUCCESS;
    MPIX_Tool_awake_function *fn = sleepers[tool_id - 1].fn;
    bool has_changed;

    MPIR_ERR_CHKANDJUMP1(!fn, mpi_errno, MPI_ERR_UNSUPPORTED_OPERATION, "**other", "%s",
                         "the instance has no awake function");
    MPL_initlock_lock(&gate_lock);
    has_changed = sleepers[tool_id - 1].is_asleep == (is_awake != 0);
    sleepers[tool_id - 1].is_asleep = !is_awake;
    if (has_changed)
        set_gates();
    MPL_initlock_unlock(&gate_lock);
    if (has_changed)
        fn(tool_id);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIR_Get_tool_awake_impl(int tool_id, int *is_awake)
{
    MPL_initlock_lock(&gate_lock);
    *is_awake = !sleepers[tool_id - 1].is_asleep;
    MPL_initlock_unlock(&gate_lock);
    return MPI_SUCCESS;
}

/* The message has the function's name, as that of the base. */
void MPIR_QMPI_uninitialized(enum MPI_Functions_enum function)
{
    MPIR_Err_Uninitialized(MPIR_QMPI_function_name[function]);
    abort();
}

/* Destructors that run after those of the tools may still call MPI_Finalized and the like. Nothing
 * is freed: other threads may still be inside tools. */
static void __attribute__((destructor)) unlink_tools(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        MPL_atomic_release_store_ptr(&MPIR_QMPI_first[f], (void *) &MPIR_QMPI_tail[f]);
}

/* ---- links ---- */

/* MPI calls every instance that registered for MPI_Pcontrol, so its rows hold the tail only. */
static const MPIR_QMPI_Link *link_pcontrol(MPII_QMPI_Registration * registrations, int n)
{
    MPIR_QMPI_Link *links = MPII_QMPI_allocate(n + 1, sizeof(*links));
    int num = 0;

    for (int i = 0; i < n; i++) {
        MPIR_QMPI_Any_function **fn = &registrations[i].functions[MPI_PCONTROL_T];
        if (*fn) {
            links[num].fn = *fn;
            links[num++].tool_id = i + 1;
            *fn = NULL;
        }
    }
    links[num] = MPIR_QMPI_tail[MPI_PCONTROL_T];
    return links;
}

/* Fills the rows from the library to the application. */
static MPIR_QMPI_Row *link_rows(const MPII_QMPI_Registration * registrations, int n)
{
    MPIR_QMPI_Row *row = MPII_QMPI_allocate(n + 1, sizeof(*row));
    MPIR_QMPI_Link *link;
    size_t num_links = 0;

    for (int i = 0; i < n; i++)
        for (int f = 0; f < MPI_LAST_FUNC_T; f++)
            num_links += registrations[i].functions[f] != NULL;
    link = num_links ? MPII_QMPI_allocate(num_links, sizeof(*link)) : NULL;
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        row[n][f] = &MPIR_QMPI_tail[f];
    for (int i = n - 1; i >= 0; i--) {
        for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
            row[i][f] = row[i + 1][f];
            if (registrations[i].functions[f]) {
                link->fn = registrations[i].functions[f];
                link->tool_id = i + 1;
                row[i][f] = link++;
            }
        }
    }
    return row;
}

void MPII_QMPI_allocate_chain(int n)
{
    MPIR_QMPI_chain.storage = MPII_QMPI_allocate(n, sizeof(*MPIR_QMPI_chain.storage));
    sleepers = MPII_QMPI_allocate(n, sizeof(*sleepers));
    __atomic_store_n(&MPIR_QMPI_chain.num_instances, n, __ATOMIC_RELEASE);
}

void MPII_QMPI_link(MPII_QMPI_Registration * registrations, int n)
{
    pcontrol_links = link_pcontrol(registrations, n);
    rows = (const MPIR_QMPI_Row *) link_rows(registrations, n);
    for (int i = 0; i < n; i++)
        sleepers[i].fn = registrations[i].awake_fn;
    MPIR_QMPI_chain.next = rows + 1;
    __atomic_store_n(&MPIR_QMPI_chain.num_linked, n, __ATOMIC_RELEASE);
}

void MPII_QMPI_publish_chain(void)
{
    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        const MPIR_QMPI_Link *first = f == MPI_PCONTROL_T ? pcontrol_links : rows[0][f];
        MPII_QMPI_num_intercepted += first->tool_id != 0;
        MPL_atomic_release_store_ptr(&MPIR_QMPI_first[f], (void *) first);
    }
}

int MPIR_QMPI_tail_missing(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

MPIR_QMPI_Any_function *MPII_QMPI_function_of(int tool_id, int function)
{
    const MPIR_QMPI_Link *link = rows[tool_id - 1][function];

    if (function == MPI_PCONTROL_T)
        for (link = pcontrol_links; link->tool_id && link->tool_id != tool_id; link++);
    return link->tool_id == tool_id ? link->fn : NULL;
}
