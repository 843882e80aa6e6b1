/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#include <ctype.h>

#ifdef BUILD_MPI_ABI
#include "mpi_abi_util.h"
#else
#define ABI_Comm_from_mpi(comm_) (comm_)
#endif

/* Tells instances when MPI_COMM_WORLD begins and ends, or when the process begins with
 * MPI_Session_init, and which processes have the same instance.
 *
 * A process without tools neither sends anything nor waits for others. One with tools says so in
 * the process manager's key-value space before MPI, while it initializes, waits for all processes.
 * Then, before any thread can know that MPI is initialized, the processes with tools collect and
 * distribute the table of their instances along a binary tree of the ranks. All compute the same
 * order of the job's instances from it and call world functions in this order, so instances that
 * communicate in them never wait for each other, whatever the order of their lists.
 *
 * One that begins with MPI_Session_init may never call MPI_Init, so others do not wait for it
 * there. Such processes read what rank 0's instances offer, and rank 0 reads who has them. Spawned
 * processes read what those of the spawning process offer. */

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
    MPII_QMPI_World_functions world;
    int first;                  /* in the table: the first instance that is the same */
    MPIR_Comm *comm;            /* shared by instances with the same processes */
    int *peers;                 /* [rank in MPI_COMM_WORLD] */
    char *offer;                /* for the job, in rank 0, or NULL */
} Member;

/* Instances of this process with world, job or spawn functions; first in the order of the list,
 * later in that of the job. */
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

static const char *name_of(const Member * member)
{
    return MPII_QMPI_instances[member->tool_id - 1].tool->name;
}

/* ---- the key-value space ---- */

/* A process with tools has one key. Its value is the word "world", or for one that begins with
 * MPI_Session_init "session" and the instances with job functions, in rank 0 those with an offer,
 * as far as there is room. Offers have a key each. */

#define WORLD "world"
#define SESSION "session"
#define INSTANCE_FORMAT "%08x%08x%08x"
#define INSTANCE_DIGITS 24
#define KEY_SIZE 64

/* The key of this process is there, and says "world". */
static bool is_published = false;

/* MPI_Init or MPI_Session_init has been called; with sessions, MPI can be initialized again. */
static bool has_begun = false;

/* PMIx_Get waits for a key that its process has not put. */
static bool waits_for_keys(void)
{
    return getenv("PMIX_NAMESPACE") != NULL;
}

static void key_of(int rank, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "qmpi-%d", rank);
}

/* to: "job" or "spawned" */
static void key_of_offer(const char *to, const Member * member, char key[KEY_SIZE])
{
    const Instance instance = instance_of(member);

    snprintf(key, KEY_SIZE, "qmpi-%s-%08x%08x", to, (unsigned) instance.tool,
             (unsigned) instance.variant);
}

/* What the process has published, "" if nothing. The caller frees it. */
static char *read_published(int rank)
{
    const int size = MPIR_pmi_max_val_size() + 1;
    char key[KEY_SIZE], *value = MPII_QMPI_allocate(size, 1);

    key_of(rank, key);
    if (MPIR_pmi_kvs_get(rank, key, value, size) != MPI_SUCCESS)
        value[0] = 0;
    return value;
}

/* The process manager's protocol has lines of words key=value, and no way to quote. */
static bool can_be_sent(const char *text, int max)
{
    int i = 0;

    while (i < max && isgraph((unsigned char) text[i]) && text[i] != '=')
        i++;
    return i < max && text[i] == 0;
}

/* text has room for max characters. An offer function may have written anything. */
static void drop_if_invalid(const Member * member, char *text, int max)
{
    char shown[MPII_QMPI_SHOWN];

    if (can_be_sent(text, max))
        return;
    text[0] = 0;
    MPII_QMPI_show(name_of(member), strlen(name_of(member)), shown, sizeof(shown));
    MPII_QMPI_warn("the tool '%s', instance %d: its text for other processes has a blank, a "
                   "control character or '=', or %d characters or more; not sent", shown,
                   member->tool_id, max);
}

static void publish_offers(void)
{
    const int max = MPIR_pmi_max_val_size();
    char key[KEY_SIZE];

    for (Member * member = members; member < members + num_members; member++) {
        if (!member->world.job_offer_fn)
            continue;
        member->offer = MPII_QMPI_allocate(max, 1);
        MPII_QMPI_enter_tool(member->tool_id, "job offer function", NULL);
        member->world.job_offer_fn(member->tool_id, MPIR_Process.size, member->offer, max);
        MPII_QMPI_leave_tool();
        drop_if_invalid(member, member->offer, max);
        key_of_offer("job", member, key);
        if (*member->offer && MPIR_Process.size > 1 &&
            MPIR_pmi_kvs_put(key, member->offer) != MPI_SUCCESS)
            member->offer[0] = 0;
    }
}

static bool takes_part_in_job(const Member * member)
{
    return MPIR_Process.rank == 0 ? member->offer && *member->offer : member->world.job_join_fn !=
        NULL;
}

static bool publish(bool is_world_model)
{
    const int size = MPIR_pmi_max_val_size();
    char key[KEY_SIZE], *value = MPII_QMPI_allocate(size, 1);
    const char *model = is_world_model ? WORLD : SESSION;
    int used = snprintf(value, size, "%s", num_members ? model : "");
    bool is_put;

    for (int i = 0; !is_world_model && i < num_members; i++) {
        const Instance instance = instance_of(&members[i]);
        if (takes_part_in_job(&members[i]) && used + INSTANCE_DIGITS < size)
            used += snprintf(value + used, size - used, INSTANCE_FORMAT, (unsigned) instance.tool,
                             (unsigned) instance.variant, (unsigned) instance.tool_id);
    }
    key_of(MPIR_Process.rank, key);
    is_put = MPIR_pmi_kvs_put(key, value) == MPI_SUCCESS;
    MPL_direct_free(value);
    return is_put;
}

/* ---- spawn functions ---- */

struct MPIR_PMI_KEYVAL *MPIR_QMPI_offer_to_spawned(int *num, struct MPIR_PMI_KEYVAL *pairs)
{
    static MPL_TLS struct MPIR_PMI_KEYVAL *all = NULL;
    static MPL_TLS char *texts = NULL;
    const int max = MPIR_pmi_max_val_size(), own = *num;

    if (num_members == 0 || max <= 0)
        return pairs;
    MPL_direct_free(all);
    MPL_direct_free(texts);
    all = MPII_QMPI_allocate(own + num_members, sizeof(*all));
    texts = MPII_QMPI_allocate(num_members, KEY_SIZE + max);
    for (int i = 0; i < own; i++)
        all[i] = pairs[i];
    for (int i = 0; i < num_members; i++) {
        char *key = texts + (size_t) i * (KEY_SIZE + max), *text = key + KEY_SIZE;

        if (members[i].world.spawn_offer_fn) {
            MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
            members[i].world.spawn_offer_fn(members[i].tool_id, text, max);
            MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        }
        drop_if_invalid(&members[i], text, max);
        if (!*text)
            continue;
        key_of_offer("spawned", &members[i], key);
        all[*num].key = key;
        all[*num].val = text;
        ++*num;
    }
    return all;
}

static void join_parents(void)
{
    const int max = MPIR_pmi_max_val_size() + 1;
    char key[KEY_SIZE], *text = MPII_QMPI_allocate(max, 1);

    for (int i = 0; i < num_members; i++) {
        if (!members[i].world.spawn_join_fn)
            continue;
        key_of_offer("spawned", &members[i], key);
        if (waits_for_keys() || MPIR_pmi_kvs_get(-1, key, text, max) != MPI_SUCCESS)
            text[0] = 0;
        MPII_QMPI_enter_tool(members[i].tool_id, "spawn join function", NULL);
        members[i].world.spawn_join_fn(members[i].tool_id, MPIR_pmi_job_id(), MPIR_Process.size,
                                       text);
        MPII_QMPI_leave_tool();
    }
    MPL_direct_free(text);
}

/* ---- before MPI waits for other processes ---- */

void MPIR_QMPI_publish_world(bool is_world_model)
{
    if (!is_world_model && MPIR_Process.rank == 0 && !has_begun)
        publish_offers();
    if (is_world_model && MPIR_Process.rank == 0 && MPIR_Process.has_parent)
        join_parents();
    if (MPIR_Process.size > 1 && (num_members > 0 || waits_for_keys()))
        is_published = publish(is_world_model) && is_world_model;
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
        char *value = read_published(rank);
        const bool is_world = !strcmp(value, WORLD), is_session = *value && !is_world;

        MPL_direct_free(value);
        if (is_world)
            return rank;
        if (is_session)
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

/* ---- job functions ---- */

/* By what another process has published. */
static int session_peer(const Instance * own, const char *published)
{
    int peer = MPIX_TOOL_OTHER;
    unsigned tool, variant, tool_id;

    if (!*published)
        return MPIX_TOOL_NONE;
    if (!strcmp(published, WORLD))
        return MPIX_TOOL_ALONE;
    for (const char *at = published + strlen(SESSION);
         sscanf(at, "%8x%8x%8x", &tool, &variant, &tool_id) == 3; at += INSTANCE_DIGITS) {
        const Instance other = { 0, tool_id, tool, variant };
        if (is_same(&other, own))
            return tool_id;
        if (tool == own->tool)
            peer = MPIX_TOOL_VARIANT;
    }
    return peer;
}

static int session_peer_in(int rank, const Member * member)
{
    const Instance own = instance_of(member);
    char *published = read_published(rank);
    const int peer = session_peer(&own, published);

    MPL_direct_free(published);
    return peer;
}

static void join(const Member * member, const char *offer, const int *peers)
{
    MPII_QMPI_enter_tool(member->tool_id, "job join function", NULL);
    member->world.job_join_fn(member->tool_id, MPIR_Process.rank, MPIR_Process.size, offer, peers);
    MPII_QMPI_leave_tool();
}

static void join_in_first(const Member * member)
{
    int *peers = MPII_QMPI_allocate(MPIR_Process.size, sizeof(*peers));
    const char *offer = member->offer ? member->offer : "";

    peers[0] = member->tool_id;
    for (int r = 1; *offer && r < MPIR_Process.size; r++)
        peers[r] = session_peer_in(r, member);
    join(member, offer, peers);
    MPL_direct_free(peers);
}

static void join_in_other(const Member * member)
{
    const int size = MPIR_pmi_max_val_size() + 1;
    char key[KEY_SIZE], *offer = MPII_QMPI_allocate(size, 1);

    key_of_offer("job", member, key);
    if (session_peer_in(0, member) <= 0 || MPIR_pmi_kvs_get(0, key, offer, size) != MPI_SUCCESS)
        offer[0] = 0;
    join(member, offer, NULL);
    MPL_direct_free(offer);
}

/* At the first MPI_Session_init, unless MPI_Init was called before. Other threads wait. */
static void begin_job(bool is_world_model)
{
    enum { NOT_BEGUN, BEGINNING, BEGUN };
    static MPL_atomic_int_t state = MPL_ATOMIC_INT_T_INITIALIZER(NOT_BEGUN);
    const int seen = MPL_atomic_cas_int(&state, NOT_BEGUN, is_world_model ? BEGUN : BEGINNING);

    has_begun = true;
    if (seen == NOT_BEGUN && !is_world_model) {
        for (int i = 0; i < num_members; i++) {
            if (members[i].world.job_join_fn && MPIR_Process.rank == 0)
                join_in_first(&members[i]);
            else if (members[i].world.job_join_fn)
                join_in_other(&members[i]);
        }
        MPL_atomic_release_store_int(&state, BEGUN);
    }
    while (MPL_atomic_acquire_load_int(&state) != BEGUN)
        usleep(100);
}

/* ---- world functions ---- */

int MPIR_Register_tool_world_functions_impl(int tool_id, MPIX_Tool_world_begin_function * begin_fn,
                                            MPIX_Tool_world_end_function * end_fn)
{
    MPII_QMPI_Registration *registration = MPII_QMPI_registration_of(tool_id);

    registration->world.begin_fn = begin_fn;
    registration->world.end_fn = end_fn;
    return MPI_SUCCESS;
}

int MPIR_Register_tool_job_functions_impl(int tool_id, MPIX_Tool_job_offer_function * offer_fn,
                                          MPIX_Tool_job_join_function * join_fn)
{
    MPII_QMPI_Registration *registration = MPII_QMPI_registration_of(tool_id);

    registration->world.job_offer_fn = offer_fn;
    registration->world.job_join_fn = join_fn;
    return MPI_SUCCESS;
}

int MPIR_Register_tool_spawn_functions_impl(int tool_id, MPIX_Tool_spawn_offer_function * offer_fn,
                                            MPIX_Tool_spawn_join_function * join_fn)
{
    MPII_QMPI_Registration *registration = MPII_QMPI_registration_of(tool_id);

    registration->world.spawn_offer_fn = offer_fn;
    registration->world.spawn_join_fn = join_fn;
    return MPI_SUCCESS;
}

void MPII_QMPI_set_world_functions(const MPII_QMPI_Registration * registrations, int n)
{
    const MPII_QMPI_World_functions none = { NULL };

    members = n ? MPII_QMPI_allocate(n, sizeof(*members)) : NULL;
    for (int i = 0; i < n; i++) {
        if (memcmp(&registrations[i].world, &none, sizeof(none)) == 0)
            continue;
        members[num_members].tool_id = i + 1;
        members[num_members].world = registrations[i].world;
        num_members++;
    }
}

void MPIR_QMPI_connect_world(void)
{
    Table table = { 0, NULL };

    if (num_members == 0)
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
    begin_job(is_world_model);
    for (int i = 0; is_world_model && i < num_members; i++) {
        const MPI_Comm comm = members[i].comm ? members[i].comm->handle : MPI_COMM_NULL;

        if (!members[i].world.begin_fn)
            continue;
        MPII_QMPI_enter_tool(members[i].tool_id, "world begin function", NULL);
        members[i].world.begin_fn(members[i].tool_id, ABI_Comm_from_mpi(comm), members[i].peers);
        MPII_QMPI_leave_tool();
    }
}

void MPIR_QMPI_end_world(bool is_world_model)
{
    if (!is_world_model)
        return;
    MPII_QMPI_check_tools();
    for (int i = 0; i < num_members; i++) {
        if (!members[i].peers || !members[i].world.end_fn)
            continue;
        MPII_QMPI_enter_tool(members[i].tool_id, "world end function", NULL);
        members[i].world.end_fn(members[i].tool_id);
        MPII_QMPI_leave_tool();
    }
    for (int i = num_members - 1; i >= 0; i--)
        if (members[i].comm && first_with_processes_of(i) == i)
            free_comm(members[i].comm);
    for (int i = 0; i < num_members; i++)
        members[i].comm = NULL;
}
