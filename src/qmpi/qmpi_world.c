/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

#ifdef BUILD_MPI_ABI
#include "mpi_abi_util.h"
#else
#define ABI_Comm_from_mpi(comm_) (comm_)
#endif

/* Tells instances when MPI_COMM_WORLD begins and ends, and which processes have the same instance.
 *
 * A process without tools neither sends anything nor waits for others. One with tools says so in
 * the process manager's key-value space before MPI, while it initializes, waits for all processes.
 * Then, before any thread can know that MPI is initialized, the processes with tools collect and
 * distribute the table of their instances along a binary tree of the ranks. All compute the same
 * order of the job's instances from it and call world functions in this order, so instances that
 * communicate in them never wait for each other, whatever the order of their lists.
 *
 * One that begins with MPI_Session_init may never call MPI_Init, so others do not wait for it. */

/* An instance as other processes know it. Those with the same tool and variant are the same tool
 * with the same arguments, and have the same number among such instances of their process. */
typedef struct {
    int rank;                   /* in MPI_COMM_WORLD */
    int tool_id;                /* MPIX_TOOL_ALONE: the process began with MPI_Session_init */
    uint32_t tool, variant;
} Instance;

/* In the order of ranks, those of a process in the order of its list. */
typedef struct {
    int num;
    Instance *instances;
} Table;

typedef struct {
    int tool_id;
    MPIX_Tool_world_begin_function *begin_fn;
    MPIX_Tool_world_end_function *end_fn;
    int first;                  /* in the table: the first instance that is the same */
    MPIR_Comm *comm;            /* shared by instances with the same processes */
    int *peers;                 /* [rank in MPI_COMM_WORLD] */
} Member;

/* Instances of this process with world functions; first in the order of the list, later in that of
 * the job. */
static Member *members = NULL;
static int num_members = 0;

/* ---- the instances of this process ---- */

static uint32_t hash(uint32_t so_far, const char *text)
{
    /* FNV-1a; the final zero separates texts */
    do {
        so_far = (so_far ^ (unsigned char) *text) * 16777619u;
    } while (*text++);
    return so_far;
}

static Instance instance_of(const Member * member)
{
    const MPII_QMPI_Instance *own = &MPII_QMPI_instances[member->tool_id - 1];
    const uint32_t start = 2166136261u;
    char number[16];
    int n = 0;

    for (int i = 0; i < member->tool_id - 1; i++)
        n += MPII_QMPI_instances[i].tool == own->tool &&
            !strcmp(MPII_QMPI_instances[i].arguments, own->arguments);
    snprintf(number, sizeof(number), "%d", n);
    return (Instance) {
        MPIR_Process.rank, member->tool_id, hash(start, own->tool->name),
            hash(hash(start, own->arguments), number)};
}

static bool is_same(const Instance * a, const Instance * b)
{
    return a->tool == b->tool && a->variant == b->variant;
}

/* ---- what other processes know ---- */

/* They know that this process has tools and begins with MPI_Init, and expect its table. */
static bool is_published = false;

void MPIR_QMPI_publish_world(bool is_world_model)
{
    const MPII_QMPI_Model model = is_world_model ? MPII_QMPI_WORLD_MODEL : MPII_QMPI_SESSION_MODEL;
    const bool has_tools = num_members > 0 || MPII_QMPI_has_texts();

    if (has_tools || MPII_QMPI_waits_for_keys())
        is_published = MPII_QMPI_publish(has_tools ? model : MPII_QMPI_NO_MODEL) &&
            has_tools && is_world_model;
}

/* ---- waiting ---- */

/* Processes may share a processor with those that they wait for, and other threads the lock. */
static void rest(useconds_t * pause)
{
    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    usleep(*pause);
    if (*pause < 1000)
        *pause *= 2;
}

static int wait_for(MPIR_Request * request)
{
    int mpi_errno = MPI_SUCCESS;
    useconds_t pause = 1;

    if (!request)
        return MPI_SUCCESS;
    while (!MPIR_Request_is_complete(request) && mpi_errno == MPI_SUCCESS) {
        mpi_errno = MPID_Progress_test(NULL);
        rest(&pause);
    }
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = request->status.MPI_ERROR;
    MPIR_Request_free(request);
    return mpi_errno;
}

/* ---- the table of all processes ---- */

static void append(Table * table, const Instance * instances, int num)
{
    Instance *all = MPII_QMPI_allocate(table->num + num, sizeof(*all));

    if (table->num)
        memcpy(all, table->instances, table->num * sizeof(*all));
    memcpy(all + table->num, instances, num * sizeof(*all));
    MPL_direct_free(table->instances);
    table->instances = all;
    table->num += num;
}

/* No tag of MPICH's collective operations, in whose context the table travels. */
#define TABLE_TAG 0
#ifdef MPIR_CONTEXT_COLL_OFFSET
#define TABLE_CONTEXT MPIR_CONTEXT_COLL_OFFSET
#else
#define TABLE_CONTEXT MPIR_CONTEXT_INTRA_COLL
#endif

static MPI_Datatype byte_type(void)
{
    MPI_Datatype type = MPI_BYTE;

#ifdef MPIR_DATATYPE_REPLACE_BUILTIN
    MPIR_DATATYPE_REPLACE_BUILTIN(type);
#endif
    return type;
}

static void send_table(const Table * table, int rank)
{
    MPIR_Request *request = NULL;

    if (MPID_Send(table->instances, table->num * sizeof(Instance), byte_type(), rank, TABLE_TAG,
                  MPIR_Process.comm_world, TABLE_CONTEXT, &request) == MPI_SUCCESS)
        wait_for(request);
}

/* Empty if the library fails. */
static Table receive_table(int rank)
{
    MPIR_Comm *world = MPIR_Process.comm_world;
    MPIR_Request *request = NULL;
    MPI_Status status;
    Table table = { 0, NULL };
    useconds_t pause = 1;
    MPI_Aint size;
    int is_here = 0;

    while (!is_here) {
        if (MPID_Iprobe(rank, TABLE_TAG, world, TABLE_CONTEXT, &is_here, &status) != MPI_SUCCESS)
            return table;
        if (!is_here)
            rest(&pause);
    }
    size = MPIR_STATUS_GET_COUNT(status);
    table.instances = MPII_QMPI_allocate(size, 1);
    if (MPID_Recv(table.instances, size, byte_type(), rank, TABLE_TAG, world, TABLE_CONTEXT,
                  &status, &request) == MPI_SUCCESS && wait_for(request) == MPI_SUCCESS)
        table.num = size / sizeof(Instance);
    return table;
}

/* The first of these ranks that has tools and has called MPI_Init; -1 if there is none. Notes those
 * before it that have begun with MPI_Session_init. */
static int find_first(int64_t begin, int64_t end, Table * table)
{
    for (int64_t rank = begin; rank < end; rank++) {
        const Instance alone = { (int) rank, MPIX_TOOL_ALONE, 0, 0 };
        const MPII_QMPI_Model model = MPII_QMPI_model_of(rank);

        if (model == MPII_QMPI_WORLD_MODEL)
            return rank;
        if (model == MPII_QMPI_SESSION_MODEL)
            append(table, &alone, 1);
    }
    return -1;
}

/* In each round a process that is the first with tools among its block of ranks sends its table to
 * the first of the block beside, or receives that one's, and the blocks become one. Then the table
 * of all goes back the same way. */
static void exchange(Table * table)
{
    const int rank = MPIR_Process.comm_world->rank, size = MPIR_Process.comm_world->local_size;
    int sources[8 * sizeof(int)], num_sources = 0, first = rank;

    for (int64_t block = 1; block < size && first == rank; block *= 2) {
        const int64_t begin = (rank / block ^ 1) * block, end = MPL_MIN(begin + block, size);
        const int other = find_first(begin, end, table);

        if (other > rank) {
            Table received = receive_table(other);
            append(table, received.instances, received.num);
            MPL_direct_free(received.instances);
            sources[num_sources++] = other;
        } else if (other >= 0) {
            first = other;
        }
    }
    if (first != rank) {
        send_table(table, first);
        MPL_direct_free(table->instances);
        *table = receive_table(first);
    }
    while (num_sources > 0)
        send_table(table, sources[--num_sources]);
}

/* ---- the order of the job, and who has what ---- */

static int compare_members(const void *a, const void *b)
{
    return ((const Member *) a)->first - ((const Member *) b)->first;
}

/* Sorts the members and fills in their peers. Processes that are not in the table have no tools, or
 * it is this one's alone. */
static void arrange_members(const Table * table)
{
    const int size = MPIR_Process.comm_world->local_size;

    for (Member * member = members; member < members + num_members; member++) {
        const Instance own = instance_of(member);

        member->peers = MPII_QMPI_allocate(size, sizeof(int));
        for (int r = 0; r < size; r++)
            member->peers[r] = is_published ? MPIX_TOOL_NONE : MPIX_TOOL_ALONE;
        for (int i = table->num - 1; i >= 0; i--) {
            const Instance *other = &table->instances[i];
            int *peer = &member->peers[other->rank];

            if (other->tool_id == MPIX_TOOL_ALONE) {
                *peer = MPIX_TOOL_ALONE;
            } else if (is_same(other, &own)) {
                *peer = other->tool_id;
                member->first = i;
            } else if (*peer <= 0 && other->tool == own.tool) {
                *peer = MPIX_TOOL_VARIANT;
            } else if (*peer == MPIX_TOOL_NONE) {
                *peer = MPIX_TOOL_OTHER;
            }
        }
    }
    qsort(members, num_members, sizeof(*members), compare_members);
}

/* ---- communicators ---- */

static bool has_same_processes(const Member * a, const Member * b)
{
    for (int r = 0; r < MPIR_Process.comm_world->local_size; r++)
        if ((a->peers[r] > 0) != (b->peers[r] > 0))
            return false;
    return true;
}

static MPIR_Comm *create_comm_of_all(void)
{
    MPIR_Request *request = NULL;
    MPIR_Comm *comm = NULL;

    if (MPIR_Comm_idup_impl(MPIR_Process.comm_world, &comm, &request) != MPI_SUCCESS ||
        wait_for(request) != MPI_SUCCESS)
        return NULL;
    return comm;
}

static MPIR_Comm *create_comm_of_some(const int ranks[], int num)
{
    MPIR_Group *world = NULL, *group = NULL;
    MPIR_Comm *comm = NULL;

    if (MPIR_Comm_group_impl(MPIR_Process.comm_world, &world) == MPI_SUCCESS &&
        MPIR_Group_incl_impl(world, num, ranks, &group) == MPI_SUCCESS &&
        MPIR_Comm_create_group_impl(MPIR_Process.comm_world, group, 0, &comm) != MPI_SUCCESS)
        comm = NULL;
    if (group)
        MPIR_Group_free_impl(group);
    if (world)
        MPIR_Group_free_impl(world);
    return comm;
}

/* NULL if the library refuses. Never calls an error handler. */
static MPIR_Comm *create_comm(const Member * member)
{
    const int size = MPIR_Process.comm_world->local_size;
    int *ranks = MPII_QMPI_allocate(size, sizeof(*ranks)), num = 0;
    MPIR_Comm *comm;
    MPIR_Errhandler *returns_errors;

    for (int r = 0; r < size; r++)
        if (member->peers[r] > 0)
            ranks[num++] = r;
    comm = num == size ? create_comm_of_all() : create_comm_of_some(ranks, num);
    if (comm) {
        MPIR_Errhandler_get_ptr(MPI_ERRORS_RETURN, returns_errors);
        MPIR_Comm_set_errhandler_impl(comm, returns_errors);
    }
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

    registration->world_begin_fn = begin_fn;
    registration->world_end_fn = end_fn;
    return MPI_SUCCESS;
}

void MPII_QMPI_set_world_functions(const MPII_QMPI_Registration * registrations, int n)
{
    members = n ? MPII_QMPI_allocate(n, sizeof(*members)) : NULL;
    for (int i = 0; i < n; i++) {
        if (!registrations[i].world_begin_fn && !registrations[i].world_end_fn)
            continue;
        members[num_members].tool_id = i + 1;
        members[num_members].begin_fn = registrations[i].world_begin_fn;
        members[num_members].end_fn = registrations[i].world_end_fn;
        num_members++;
    }
}

void MPIR_QMPI_connect_world(void)
{
    Table table = { 0, NULL };

    if (num_members == 0 && !is_published)
        return;
    for (int i = 0; i < num_members; i++) {
        const Instance own = instance_of(&members[i]);
        append(&table, &own, 1);
    }
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    if (is_published)
        exchange(&table);
    arrange_members(&table);
    for (int i = 0; i < num_members; i++) {
        const int first = first_with_processes_of(i);
        members[i].comm = first == i ? create_comm(&members[i]) : members[first].comm;
    }
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    MPL_direct_free(table.instances);
}

void MPIR_QMPI_begin_world(bool is_world_model)
{
    for (int i = 0; is_world_model && i < num_members; i++) {
        const MPI_Comm comm = members[i].comm ? members[i].comm->handle : MPI_COMM_NULL;

        if (!members[i].begin_fn)
            continue;
        MPII_QMPI_enter_tool(members[i].tool_id, "world begin function", NULL);
        members[i].begin_fn(members[i].tool_id, ABI_Comm_from_mpi(comm), members[i].peers);
        MPII_QMPI_leave_tool();
    }
}

void MPIR_QMPI_end_world(bool is_world_model)
{
    if (!is_world_model)
        return;
    MPII_QMPI_check_tools();
    for (int i = 0; i < num_members; i++) {
        if (!members[i].peers || !members[i].end_fn)
            continue;
        MPII_QMPI_enter_tool(members[i].tool_id, "world end function", NULL);
        members[i].end_fn(members[i].tool_id);
        MPII_QMPI_leave_tool();
    }
    for (int i = num_members - 1; i >= 0; i--)
        if (members[i].comm && first_with_processes_of(i) == i)
            free_comm(members[i].comm);
    for (int i = 0; i < num_members; i++)
        members[i].comm = NULL;
}
