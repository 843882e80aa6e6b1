/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* Builds the chain in the first call of MPI_Init, MPI_Init_thread or MPI_Session_init. No lock is
 * held meanwhile, since tools' code runs; concurrent calls of these functions wait, and all others
 * go to the library. */

typedef enum {
    UNBUILT,
    BUILDING,
    BUILT,
    NUM_PHASES
} Phase;

/* The phase; BUILDING plus NUM_PHASES times the id of the process whose thread builds: a child of
 * fork has no such thread. */
static MPL_atomic_int64_t state = MPL_ATOMIC_INT64_T_INITIALIZER(UNBUILT);

/* A failed instance keeps its id: tools may know the ids of others. */
static void drop_if_failed(int tool_id, MPII_QMPI_Registration * registration)
{
    const char *name = MPII_QMPI_instances[tool_id - 1].tool->name;
    char shown[MPII_QMPI_SHOWN], reason[MPII_QMPI_MAX_MESSAGE / 2];

    if (!registration->failure)
        return;
    MPII_QMPI_fault("the tool '%s', instance %d: %s",
                    MPII_QMPI_show(name, strlen(name), shown, sizeof(shown)), tool_id,
                    MPII_QMPI_show(registration->failure, strlen(registration->failure), reason,
                                   sizeof(reason)));
    MPL_direct_free(registration->failure);
    memset(registration, 0, sizeof(*registration));
    MPIR_Register_tool_storage_impl(tool_id, NULL);
}

static void call_tools(MPII_QMPI_Registration * registrations, int n, bool is_init)
{
    MPII_QMPI_may_call_mpi(__builtin_frame_address(0));
    for (int i = 0; i < n; i++) {
        /* ready functions from the last: the instances that follow are ready before */
        const int tool_id = is_init ? i + 1 : n - i;
        MPII_QMPI_Registration *registration = &registrations[tool_id - 1];

        if (is_init) {
            MPII_QMPI_enter_tool(tool_id, "init callback", registration);
            MPII_QMPI_instances[tool_id - 1].tool->init_fn(tool_id);
            drop_if_failed(tool_id, registration);
        } else if (registration->ready_fn) {
            MPII_QMPI_enter_tool(tool_id, "ready function", NULL);
            registration->ready_fn(tool_id);
        }
        MPII_QMPI_leave_tool();
    }
    MPII_QMPI_may_call_mpi(NULL);
}

static void report_chain(void)
{
    char file[MPII_QMPI_MAX_MESSAGE / 8], name[MPII_QMPI_SHOWN], arguments[MPII_QMPI_SHOWN * 2];

    for (unsigned i = 0; i < MPIR_QMPI_chain.num_instances; i++) {
        const MPII_QMPI_Instance *instance = &MPII_QMPI_instances[i];
        const MPII_QMPI_Tool *tool = instance->tool;
        const char *path = tool->file ? tool->file : "an unknown file";

        MPII_QMPI_report("instance %u: %s(%s) from %s", i + 1,
                         MPII_QMPI_show(tool->name, strlen(tool->name), name, sizeof(name)),
                         MPII_QMPI_show(instance->arguments, strlen(instance->arguments), arguments,
                                        sizeof(arguments)),
                         MPII_QMPI_show(path, strlen(path), file, sizeof(file)));
    }
}

static void build_chain(void)
{
    MPII_QMPI_Registration *registrations;
    int n = 0;

    if (MPII_QMPI_settings.list)
        MPII_QMPI_instances = MPII_QMPI_load_list(MPII_QMPI_settings.list, &n);
    MPII_QMPI_close_registration();
    registrations = MPII_QMPI_allocate(n, sizeof(*registrations));
    MPII_QMPI_allocate_chain(n);
    call_tools(registrations, n, true);
    MPII_QMPI_link(registrations, n);
    report_chain();
    call_tools(registrations, n, false);
    MPII_QMPI_set_world_functions(registrations, n);
    MPL_direct_free(registrations);
    MPII_QMPI_publish_chain();
}

/* Enters BUILDING from UNBUILT; returns false when the chain is built. */
static bool begin_building(void)
{
    const int64_t building = BUILDING + NUM_PHASES * (int64_t) getpid();
    const struct timespec moment = { 0, 100000 };

    for (;;) {
        const int64_t seen = MPL_atomic_cas_int64(&state, UNBUILT, building);

        if (seen == UNBUILT)
            return true;
        if (seen == BUILT)
            return false;
        if (seen != building)
            MPII_QMPI_fatal("this process was forked while another thread built the chain of "
                            "tools");
        nanosleep(&moment, NULL);
    }
}

static void build(void)
{
    MPII_QMPI_set_building(true);
    MPII_QMPI_read_settings();
    build_chain();
    MPL_initlock_lock(&MPIR_init_lock);
    MPIR_QMPI_set_initialized(MPIR_Errutil_is_initialized());
    MPL_initlock_unlock(&MPIR_init_lock);
    MPL_atomic_release_store_int64(&state, BUILT);
    MPII_QMPI_set_building(false);
}

void MPIR_QMPI_build(void)
{
    const MPIR_QMPI_Note note = MPIR_QMPI_note;
    int cancel_state;

    MPII_QMPI_check_tools();
    if (MPII_QMPI_is_building())
        return;
    /* dlopen and output are cancellation points; a canceled builder would leave others waiting */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (begin_building())
        build();
    pthread_setcancelstate(cancel_state, NULL);
    MPIR_QMPI_note = note;      /* init callbacks may have called MPI */
}

int MPIR_Load_tools_impl(void)
{
    MPIR_QMPI_build();
    return MPI_SUCCESS;
}
