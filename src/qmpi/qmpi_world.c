/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

#ifdef ENABLE_QMPI

#ifdef BUILD_MPI_ABI
#include "mpi_abi_util.h"
#else
#define ABI_Comm_from_mpi(comm_) (comm_)
#endif

/* Tells instances when MPI_COMM_WORLD begins and ends, and which processes have the same instance.
 *
 * While MPI initializes, a process publishes the signatures of its instances in the process
 * manager's key-value space; a process without tools publishes nothing. After the barrier that MPI
 * makes anyway, each process with tools reads them all. Every process computes the same order of
 * all instances of the job and calls world functions in this order, so instances that communicate
 * in them never wait for each other, whatever the order of their lists. */

/* Same tool, same arguments, and the same number among such instances of its process. */
typedef struct {
    uint32_t tool, rest;        /* hashes */
} Signature;

#define SIGNATURE_DIGITS 16

/* Signatures of a process in the order of its list. */
typedef struct {
    int num;
    int *tool_ids;
    Signature *signatures;
} Process;

typedef struct {
    int tool_id;
    MPIX_Tool_world_begin_function *begin_fn;
    MPIX_Tool_world_end_function *end_fn;
    MPIR_Comm *comm;            /* shared by instances with the same processes */
    int *peers;                 /* [rank in MPI_COMM_WORLD] */
} Member;

/* Instances of this process with world functions; first in the order of the list, later in that of
 * the job. */
static Member *members = NULL;
static int num_members = 0;

/* ---- signatures ---- */

static uint32_t hash(uint32_t so_far, const char *text)
{
    /* FNV-1a; the final zero separates texts */
    do {
        so_far = (so_far ^ (unsigned char) *text) * 16777619u;
    } while (*text++);
    return so_far;
}

static bool is_same(Signature a, Signature b)
{
    return a.tool == b.tool && a.rest == b.rest;
}

static Signature signature_of(int tool_id)
{
    const MPII_QMPI_Instance *own = &MPII_QMPI_instances[tool_id - 1];
    Signature signature;
    char number[16];
    int n = 0;

    for (int i = 0; members[i].tool_id != tool_id; i++) {
        const MPII_QMPI_Instance *other = &MPII_QMPI_instances[members[i].tool_id - 1];
        n += other->tool == own->tool && !strcmp(other->arguments, own->arguments);
    }
    snprintf(number, sizeof(number), "%d", n);
    signature.tool = hash(2166136261u, own->tool->name);
    signature.rest = hash(hash(2166136261u, own->arguments), number);
    return signature;
}

static Process this_process(void)
{
    Process process;

    process.num = num_members;
    process.tool_ids = MPII_QMPI_allocate(num_members, sizeof(*process.tool_ids));
    process.signatures = MPII_QMPI_allocate(num_members, sizeof(*process.signatures));
    for (int i = 0; i < num_members; i++) {
        process.tool_ids[i] = members[i].tool_id;
        process.signatures[i] = signature_of(members[i].tool_id);
    }
    return process;
}

static void free_process(Process * process)
{
    MPL_direct_free(process->tool_ids);
    MPL_direct_free(process->signatures);
}

/* ---- the key-value space ---- */

/* A process has one key for as many instances as fit into a value. A value is a list of tool id and
 * signature, in hexadecimal digits, and ends in '+' if another key follows. */
#define ENTRY_DIGITS (8 + SIGNATURE_DIGITS)

static void key_of(int rank, int number, char *key, size_t size)
{
    snprintf(key, size, "qmpi-%d-%d", rank, number);
}

void MPIR_QMPI_publish_world(void)
{
    char key[64], *value;
    Process process;
    int per_value;

    if (num_members == 0 || MPIR_Process.size == 1)
        return;
    per_value = (MPIR_pmi_max_val_size() - 2) / ENTRY_DIGITS;
    if (per_value < 1)
        return;
    process = this_process();
    value = MPII_QMPI_allocate(per_value, ENTRY_DIGITS + 2);
    for (int i = 0, number = 0; i < process.num; number++) {
        int used = 0;
        for (int n = 0; n < per_value && i < process.num; n++, i++)
            used += sprintf(value + used, "%08x%08x%08x", (unsigned) process.tool_ids[i],
                            (unsigned) process.signatures[i].tool,
                            (unsigned) process.signatures[i].rest);
        if (i < process.num)
            strcpy(value + used, "+");
        key_of(MPIR_Process.rank, number, key, sizeof(key));
        /* if it fails, the others do not wait for this process */
        if (MPIR_pmi_kvs_put(key, value) != MPI_SUCCESS)
            break;
    }
    MPL_direct_free(value);
    free_process(&process);
}

/* Adds the entries of a value to the process. Returns true if another key follows. */
static bool add_entries(Process * process, const char *value)
{
    const int num = strlen(value) / ENTRY_DIGITS;
    const Process before = *process;
    unsigned id, tool, rest;

    process->tool_ids = MPII_QMPI_allocate(before.num + num, sizeof(*process->tool_ids));
    process->signatures = MPII_QMPI_allocate(before.num + num, sizeof(*process->signatures));
    if (before.num > 0) {
        memcpy(process->tool_ids, before.tool_ids, before.num * sizeof(*before.tool_ids));
        memcpy(process->signatures, before.signatures, before.num * sizeof(*before.signatures));
    }
    MPL_direct_free(before.tool_ids);
    MPL_direct_free(before.signatures);
    for (int i = 0; i < num && sscanf(value, "%8x%8x%8x", &id, &tool, &rest) == 3; i++) {
        process->tool_ids[process->num] = id;
        process->signatures[process->num].tool = tool;
        process->signatures[process->num].rest = rest;
        process->num++;
        value += ENTRY_DIGITS;
    }
    return *value == '+';
}

static Process read_process(int rank, char *value, int size)
{
    Process process = { 0, NULL, NULL };
    char key[64];
    bool is_more = true;

    for (int number = 0; is_more; number++) {
        key_of(rank, number, key, sizeof(key));
        if (MPIR_pmi_kvs_get(rank, key, value, size) != MPI_SUCCESS)
            break;
        is_more = add_entries(&process, value);
    }
    return process;
}

/* [rank in MPI_COMM_WORLD] */
static Process *read_processes(void)
{
    const int size = MPIR_Process.comm_world->local_size;
    Process *processes = MPII_QMPI_allocate(size, sizeof(*processes));
    const int value_size = MPIR_pmi_max_val_size() + 1;
    char *value = MPII_QMPI_allocate(value_size, 1);

    for (int i = 0; i < size; i++)
        processes[i] = i == MPIR_Process.comm_world->rank ?
            this_process() : read_process(i, value, value_size);
    MPL_direct_free(value);
    return processes;
}

static void free_processes(Process * processes)
{
    for (int i = 0; i < MPIR_Process.comm_world->local_size; i++)
        free_process(&processes[i]);
    MPL_direct_free(processes);
}

/* ---- the order of the job, and who has what ---- */

/* Position of a process's instance: the first process that has it, and its position there. */
typedef struct {
    int rank, position;
    Member member;
} Place;

static int position_in(const Process * process, Signature signature)
{
    int i = 0;

    while (i < process->num && !is_same(process->signatures[i], signature))
        i++;
    return i;
}

static int compare_places(const void *a_, const void *b_)
{
    const Place *a = a_, *b = b_;

    return a->rank != b->rank ? a->rank - b->rank : a->position - b->position;
}

static int peer_of(const Process * process, Signature signature)
{
    const int position = position_in(process, signature);

    if (position < process->num)
        return process->tool_ids[position];
    for (int i = 0; i < process->num; i++)
        if (process->signatures[i].tool == signature.tool)
            return MPIX_TOOL_VARIANT;
    return process->num ? MPIX_TOOL_OTHER : MPIX_TOOL_NONE;
}

/* Sorts the members and fills in their peers. */
static void arrange_members(const Process * processes)
{
    const int size = MPIR_Process.comm_world->local_size;
    const Process *own = &processes[MPIR_Process.comm_world->rank];
    Place *places = MPII_QMPI_allocate(num_members, sizeof(*places));

    for (int i = 0; i < num_members; i++) {
        Place *place = &places[i];

        place->member = members[i];
        place->member.peers = MPII_QMPI_allocate(size, sizeof(int));
        place->rank = -1;
        for (int r = 0; r < size; r++) {
            place->member.peers[r] = peer_of(&processes[r], own->signatures[i]);
            if (place->rank < 0 && place->member.peers[r] > 0) {
                place->rank = r;
                place->position = position_in(&processes[r], own->signatures[i]);
            }
        }
    }
    qsort(places, num_members, sizeof(*places), compare_places);
    for (int i = 0; i < num_members; i++)
        members[i] = places[i].member;
    MPL_direct_free(places);
}

/* ---- communicators ---- */

static bool has_same_processes(const Member * a, const Member * b)
{
    for (int r = 0; r < MPIR_Process.comm_world->local_size; r++)
        if ((a->peers[r] > 0) != (b->peers[r] > 0))
            return false;
    return true;
}

/* NULL if the library refuses. Never calls an error handler. */
static MPIR_Comm *create_comm(const Member * member)
{
    const int size = MPIR_Process.comm_world->local_size;
    int *ranks = MPII_QMPI_allocate(size, sizeof(*ranks)), num = 0;
    MPIR_Group *world = NULL, *group = NULL;
    MPIR_Comm *comm = NULL;
    MPIR_Errhandler *returns_errors;

    for (int r = 0; r < size; r++)
        if (member->peers[r] > 0)
            ranks[num++] = r;
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    if (MPIR_Comm_group_impl(MPIR_Process.comm_world, &world) == MPI_SUCCESS &&
        MPIR_Group_incl_impl(world, num, ranks, &group) == MPI_SUCCESS &&
        MPIR_Comm_create_group_impl(MPIR_Process.comm_world, group, 0, &comm) == MPI_SUCCESS) {
        MPIR_Errhandler_get_ptr(MPI_ERRORS_RETURN, returns_errors);
        MPIR_Comm_set_errhandler_impl(comm, returns_errors);
    }
    if (group)
        MPIR_Group_free_impl(group);
    if (world)
        MPIR_Group_free_impl(world);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    MPL_direct_free(ranks);
    return comm;
}

static void free_comm(MPIR_Comm * comm)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    MPIR_Comm_free_impl(comm);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

/* The member whose communicator this one shares: itself if it is the first with its processes. */
static int first_with_processes_of(int member)
{
    int i = 0;

    while (i < member && !has_same_processes(&members[i], &members[member]))
        i++;
    return i;
}

/* ---- world functions ---- */

int MPIR_Register_tool_world_functions_impl(int tool_id, MPIX_Tool_world_begin_function * begin_fn,
                                            MPIX_Tool_world_end_function * end_fn)
{
    MPII_QMPI_Registration *registration = MPII_QMPI_registration_of(tool_id);
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_CHKANDJUMP1(!registration, mpi_errno, MPI_ERR_ARG, "**qmpi_tool_id",
                         "**qmpi_tool_id %d", tool_id);
    registration->world_begin_fn = begin_fn;
    registration->world_end_fn = end_fn;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

void MPII_QMPI_set_world_functions(const MPII_QMPI_Registration * registrations, int n)
{
    members = n ? MPII_QMPI_allocate(n, sizeof(*members)) : NULL;
    for (int i = 0; i < n; i++) {
        Member *member = &members[num_members];

        if (!registrations[i].world_begin_fn && !registrations[i].world_end_fn)
            continue;
        member->tool_id = i + 1;
        member->begin_fn = registrations[i].world_begin_fn;
        member->end_fn = registrations[i].world_end_fn;
        num_members++;
    }
}

void MPIR_QMPI_begin_world(void)
{
    Process *processes;

    if (num_members == 0)
        return;
    processes = read_processes();
    arrange_members(processes);
    free_processes(processes);
    for (int i = 0; i < num_members; i++) {
        const int first = first_with_processes_of(i);
        Member *member = &members[i];
        MPI_Comm comm = MPI_COMM_NULL;

        member->comm = first == i ? create_comm(member) : members[first].comm;
        if (member->comm)
            comm = member->comm->handle;
        if (member->begin_fn)
            member->begin_fn(member->tool_id, ABI_Comm_from_mpi(comm), member->peers);
    }
}

void MPIR_QMPI_end_world(void)
{
    for (int i = 0; i < num_members; i++)
        if (members[i].peers && members[i].end_fn)
            members[i].end_fn(members[i].tool_id);
    for (int i = num_members - 1; i >= 0; i--)
        if (members[i].comm && first_with_processes_of(i) == i)
            free_comm(members[i].comm);
    for (int i = 0; i < num_members; i++)
        members[i].comm = NULL;
}

#endif /* ENABLE_QMPI */
