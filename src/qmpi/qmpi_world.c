/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#ifdef ENABLE_QMPI

#include <ctype.h>

#ifdef BUILD_MPI_ABI
#include "mpi_abi_util.h"
#else
#define ABI_Comm_from_mpi(comm_) (comm_)
#endif

/* Tells instances when MPI_COMM_WORLD begins and ends, or when the process begins with
 * MPI_Session_init, and which processes have the same instance.
 *
 * While MPI initializes, before it waits for other processes, a process publishes its instances in
 * the process manager's key-value space. One without tools publishes nothing, or with PMIx, that it
 * has none. One that begins with MPI_Session_init marks them: it may never call MPI_Init, where
 * others would wait for it. Then the first process with tools reads them all and sends the
 * table to the others with tools. Every process computes the same order of all instances of the job
 * and calls world functions in this order, so instances that communicate in them never wait for
 * each other, whatever the order of their lists.
 *
 * Processes that begin with sessions read what rank 0's instances offer, and rank 0 reads who has
 * them. Spawned processes read what those of the spawning process offer. */

/* Others know an instance by hexadecimal digits: its tool id and its signature. Instances with the
 * same signature are the same tool with the same arguments, and have the same number among such
 * instances of their process. The signature begins with what depends on the tool only. */
#define ID_DIGITS 8
#define TOOL_DIGITS 8
#define SIGNATURE_DIGITS 16
#define INSTANCE_DIGITS (ID_DIGITS + SIGNATURE_DIGITS)

/* Precedes the instances of a process that calls MPI_Session_init before MPI_Init. */
#define ALONE "~"

typedef struct {
    int num;
    bool is_alone;
    const char *instances;      /* digits, in the order of the list */
} Process;

typedef struct {
    int tool_id;
    MPII_QMPI_World_functions world;
    MPIR_Comm *comm;            /* shared by instances with the same processes */
    int *peers;                 /* [rank in MPI_COMM_WORLD] */
    char *offer;                /* for the job, in rank 0, or NULL */
} Member;

/* Instances of this process with world, job or spawn functions; first in the order of the list,
 * later in that of the job. */
static Member *members = NULL;
static int num_members = 0;

/* ---- text ---- */

typedef struct {
    size_t length, room;
    char *chars;                /* NULL at first */
} Text;

static void append(Text * text, const char *more, size_t length)
{
    if (text->length + length >= text->room) {
        const Text before = *text;
        text->room = 2 * (text->length + length) + 1;
        text->chars = MPII_QMPI_allocate(text->room, 1);
        if (before.chars)
            memcpy(text->chars, before.chars, before.length);
        MPL_direct_free(before.chars);
    }
    memcpy(text->chars + text->length, more, length);
    text->length += length;
    text->chars[text->length] = 0;
}

static bool is_same(const Text * a, const Text * b)
{
    return a->length == b->length && (!a->length || !memcmp(a->chars, b->chars, a->length));
}

/* ---- the instances of this process ---- */

static uint32_t hash(uint32_t so_far, const char *text)
{
    /* FNV-1a; the final zero separates texts */
    do {
        so_far = (so_far ^ (unsigned char) *text) * 16777619u;
    } while (*text++);
    return so_far;
}

static void append_instance(Text * text, int member)
{
    const int tool_id = members[member].tool_id;
    const MPII_QMPI_Instance *own = &MPII_QMPI_instances[tool_id - 1];
    const uint32_t start = 2166136261u;
    char number[16], digits[INSTANCE_DIGITS + 1];
    int n = 0;

    for (int i = 0; i < member; i++) {
        const MPII_QMPI_Instance *other = &MPII_QMPI_instances[members[i].tool_id - 1];
        n += other->tool == own->tool && !strcmp(other->arguments, own->arguments);
    }
    snprintf(number, sizeof(number), "%d", n);
    snprintf(digits, sizeof(digits), "%08x%08x%08x", (unsigned) tool_id,
             (unsigned) hash(start, own->tool->name),
             (unsigned) hash(hash(start, own->arguments), number));
    append(text, digits, INSTANCE_DIGITS);
}

static Text own_instances(void)
{
    Text text = { 0, 0, NULL };

    for (int i = 0; i < num_members; i++)
        append_instance(&text, i);
    return text;
}

/* By which other processes know the member. */
static Text signature_of(int member)
{
    Text text = { 0, 0, NULL };

    append_instance(&text, member);
    memmove(text.chars, text.chars + ID_DIGITS, SIGNATURE_DIGITS + 1);
    return text;
}

/* ---- the key-value space ---- */

/* A process has one key for as many instances as fit into a value. A value ends in '+' if another
 * key follows. Offers have a key each, with the signature of the instance. */

static bool is_published = false;

static void key_of(int rank, int number, char *key, size_t size)
{
    snprintf(key, size, "qmpi-%d-%d", rank, number);
}

#define KEY_SIZE 64

/* to: "job" or "spawned" */
static void key_of_offer(const char *to, int member, char key[KEY_SIZE])
{
    Text signature = signature_of(member);

    snprintf(key, KEY_SIZE, "qmpi-%s-%s", to, signature.chars);
    MPL_direct_free(signature.chars);
}

static bool publish(int number, const char *value)
{
    char key[KEY_SIZE];

    key_of(MPIR_Process.rank, number, key, sizeof(key));
    return MPIR_pmi_kvs_put(key, value) == MPI_SUCCESS;
}

/* MPI_Init or MPI_Session_init has been called; with sessions, MPI can be initialized again. */
static bool has_begun = false;

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
    const char *name = MPII_QMPI_instances[member->tool_id - 1].tool->name;
    char shown[MPII_QMPI_SHOWN];

    if (can_be_sent(text, max))
        return;
    text[0] = 0;
    MPII_QMPI_show(name, strlen(name), shown, sizeof(shown));
    MPII_QMPI_warn("the tool '%s', instance %d: its text for other processes has a blank, a "
                   "control character or '=', or %d characters or more; not sent", shown,
                   member->tool_id, max);
}

static void publish_offers(void)
{
    const int max = MPIR_pmi_max_val_size();
    char key[KEY_SIZE];

    for (int i = 0; i < num_members; i++) {
        Member *member = &members[i];

        if (!member->world.job_offer_fn)
            continue;
        member->offer = MPII_QMPI_allocate(max, 1);
        member->world.job_offer_fn(member->tool_id, MPIR_Process.size, member->offer, max);
        drop_if_invalid(member, member->offer, max);
        key_of_offer("job", i, key);
        if (MPIR_Process.size > 1 && MPIR_pmi_kvs_put(key, member->offer) != MPI_SUCCESS)
            member->offer[0] = 0;
    }
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

        if (members[i].world.spawn_offer_fn)
            members[i].world.spawn_offer_fn(members[i].tool_id, text, max);
        drop_if_invalid(&members[i], text, max);
        if (!*text)
            continue;
        key_of_offer("spawned", i, key);
        all[*num].key = key;
        all[*num].val = text;
        ++*num;
    }
    return all;
}

/* The text is kept in the process manager by the key of the instance. PMIx_Get waits for a key that
 * nobody has put. */
static void join_parents(void)
{
    const int max = MPIR_pmi_max_val_size() + 1;
    char key[KEY_SIZE], *text = MPII_QMPI_allocate(max, 1);

    for (int i = 0; i < num_members; i++) {
        if (!members[i].world.spawn_join_fn)
            continue;
        key_of_offer("spawned", i, key);
        if (getenv("PMIX_NAMESPACE") || MPIR_pmi_kvs_get(-1, key, text, max) != MPI_SUCCESS)
            text[0] = 0;
        members[i].world.spawn_join_fn(members[i].tool_id, MPIR_pmi_job_id(), MPIR_Process.size,
                                       text);
    }
    MPL_direct_free(text);
}

/* ---- begin ---- */

void MPIR_QMPI_publish_world(bool is_world_model)
{
    const int per_value = MPIR_pmi_max_val_size() - 2;
    char *value;
    Text own = { 0, 0, NULL }, instances;

    if (!is_world_model && MPIR_Process.rank == 0 && !has_begun)
        publish_offers();
    if (is_world_model && MPIR_Process.rank == 0 && MPIR_Process.has_parent)
        join_parents();
    if (MPIR_Process.size == 1 || per_value <= 0)
        return;
    if (num_members == 0) {
        /* PMIx_Get waits for a key that a process has not put. */
        if (getenv("PMIX_NAMESPACE"))
            publish(0, "");
        return;
    }
    if (!is_world_model)
        append(&own, ALONE, 1);
    instances = own_instances();
    append(&own, instances.chars, instances.length);
    value = MPII_QMPI_allocate(per_value + 2, 1);
    is_published = true;
    /* The first key is the last: without it the others are not looked at. */
    for (int number = (own.length - 1) / per_value; number >= 0 && is_published; number--) {
        const size_t at = (size_t) number * per_value;
        snprintf(value, per_value + 2, "%.*s%s", per_value, own.chars + at,
                 at + per_value < own.length ? "+" : "");
        is_published = publish(number, value);
    }
    is_published = is_published && is_world_model;
    MPL_direct_free(value);
    MPL_direct_free(own.chars);
    MPL_direct_free(instances.chars);
}

/* Empty if the process has no tools. */
static Text read_published(int rank)
{
    const int size = MPIR_pmi_max_val_size() + 1;
    char key[KEY_SIZE], *value = MPII_QMPI_allocate(size, 1);
    Text text = { 0, 0, NULL };
    bool is_more = true;

    for (int number = 0; is_more; number++) {
        size_t length;
        key_of(rank, number, key, sizeof(key));
        if (MPIR_pmi_kvs_get(rank, key, value, size) != MPI_SUCCESS)
            break;
        length = strcspn(value, "+");
        is_more = value[length];
        append(&text, value, length);
    }
    MPL_direct_free(value);
    return text;
}

/* Of a process for MPI_COMM_WORLD. */
static Text read_instances(int rank)
{
    Text text = read_published(rank);

    if (text.length > 1 && *text.chars == *ALONE)
        text.chars[text.length = 1] = 0;
    return text;
}

/* The first process with tools, at most this one. */
static int find_first(void)
{
    int rank = 0;
    bool is_found = false;

    for (; rank < MPIR_Process.comm_world->rank; rank++) {
        Text text = read_instances(rank);
        is_found = text.length >= INSTANCE_DIGITS;
        MPL_direct_free(text.chars);
        if (is_found)
            break;
    }
    return rank;
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

/* The table has a line for processes in turn that have the same instances: "number*instances".
 * Processes after the last line have none. */

static void append_line(Text * table, int number, const Text * instances)
{
    char count[16];

    if (number == 0)
        return;
    append(table, count, snprintf(count, sizeof(count), "%d*", number));
    if (instances->length > 0)
        append(table, instances->chars, instances->length);
    append(table, "\n", 1);
}

static Text read_table(void)
{
    Text table = { 0, 0, NULL }, instances = { 0, 0, NULL };
    int number = 0;

    for (int rank = 0; rank < MPIR_Process.comm_world->local_size; rank++) {
        Text next = rank == MPIR_Process.comm_world->rank ? own_instances() : read_instances(rank);
        if (!is_same(&next, &instances)) {
            append_line(&table, number, &instances);
            number = 0;
        }
        number++;
        MPL_direct_free(instances.chars);
        instances = next;
    }
    append_line(&table, number, &instances);
    MPL_direct_free(instances.chars);
    return table;
}

/* [rank in MPI_COMM_WORLD]; points into the table. */
static Process *processes_of(const Text * table)
{
    const int size = MPIR_Process.comm_world->local_size;
    Process *processes = MPII_QMPI_allocate(size, sizeof(*processes));
    int rank = 0;

    for (char *at = table->chars; *at;) {
        const int end = rank + strtol(at, &at, 10);
        const char *instances = ++at;
        at = strchr(at, '\n');
        for (; rank < end && rank < size; rank++) {
            processes[rank].num = (at - instances) / INSTANCE_DIGITS;
            processes[rank].is_alone = *instances == *ALONE;
            processes[rank].instances = instances;
        }
        at++;
    }
    return processes;
}

static MPI_Datatype byte_type(void)
{
    MPI_Datatype type = MPI_BYTE;

#ifdef MPIR_DATATYPE_REPLACE_BUILTIN
    MPIR_DATATYPE_REPLACE_BUILTIN(type);
#endif
    return type;
}

/* Messages of the application cannot come between these, as no process leaves MPI_Init before. */

static void send_table(const Text * table)
{
    Process *processes = processes_of(table);

    for (int r = MPIR_Process.comm_world->rank + 1; r < MPIR_Process.comm_world->local_size; r++) {
        MPIR_Request *request = NULL;
        if (processes[r].num > 0 &&
            MPID_Send(table->chars, table->length, byte_type(), r, 0, MPIR_Process.comm_world, 0,
                      &request) == MPI_SUCCESS)
            wait_for(request);
    }
    MPL_direct_free(processes);
}

/* Empty if the library fails. */
static Text receive_table(int first)
{
    MPIR_Comm *world = MPIR_Process.comm_world;
    MPIR_Request *request = NULL;
    MPI_Status status;
    Text table = { 0, 0, NULL };
    useconds_t pause = 1;
    int is_here = 0;

    while (!is_here) {
        if (MPID_Iprobe(first, 0, world, 0, &is_here, &status) != MPI_SUCCESS)
            return table;
        if (!is_here)
            rest(&pause);
    }
    table.room = MPIR_STATUS_GET_COUNT(status) + 1;
    table.chars = MPII_QMPI_allocate(table.room, 1);
    if (MPID_Recv(table.chars, table.room - 1, byte_type(), first, 0, world, 0, &status,
                  &request) == MPI_SUCCESS && wait_for(request) == MPI_SUCCESS)
        table.length = table.room - 1;
    return table;
}

/* Of a process that has not published its instances: it is expected by none and expects none. */
static Text table_of_one(void)
{
    const int own = MPIR_Process.comm_world->rank;
    const Text others = { sizeof(ALONE) - 1, 0, (char *) ALONE };
    Text table = { 0, 0, NULL }, instances = own_instances();

    append_line(&table, own, &others);
    append_line(&table, 1, &instances);
    append_line(&table, MPIR_Process.comm_world->local_size - own - 1, &others);
    MPL_direct_free(instances.chars);
    return table;
}

static Text exchange_table(void)
{
    const int own = MPIR_Process.comm_world->rank;
    Text table = { 0, 0, NULL };

    if (is_published) {
        const int first = find_first();
        MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        if (first == own) {
            table = read_table();
            send_table(&table);
        } else
            table = receive_table(first);
        MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
    if (table.length == 0) {
        MPL_direct_free(table.chars);
        table = table_of_one();
    }
    return table;
}

/* ---- the order of the job, and who has what ---- */

/* Position of a process's instance: the first process that has it, and its position there. */
typedef struct {
    int rank, position;
    Member member;
} Place;

/* The signature is that of the process's i-th instance as far as these digits. */
static bool has_instance(const Process * process, int i, const char *signature, int num_digits)
{
    return !strncmp(process->instances + i * INSTANCE_DIGITS + ID_DIGITS, signature, num_digits);
}

static int position_in(const Process * process, const char *signature)
{
    int i = 0;

    while (i < process->num && !has_instance(process, i, signature, SIGNATURE_DIGITS))
        i++;
    return i;
}

static int compare_places(const void *a_, const void *b_)
{
    const Place *a = a_, *b = b_;

    return a->rank != b->rank ? a->rank - b->rank : a->position - b->position;
}

static int peer_of(const Process * process, const char *signature)
{
    const int position = position_in(process, signature);
    unsigned tool_id;

    if (position < process->num) {
        sscanf(process->instances + position * INSTANCE_DIGITS, "%8x", &tool_id);
        return tool_id;
    }
    for (int i = 0; i < process->num; i++)
        if (has_instance(process, i, signature, TOOL_DIGITS))
            return MPIX_TOOL_VARIANT;
    return process->is_alone ? MPIX_TOOL_ALONE : process->num ? MPIX_TOOL_OTHER : MPIX_TOOL_NONE;
}

/* Sorts the members and fills in their peers. */
static void arrange_members(const Process * processes)
{
    const int size = MPIR_Process.comm_world->local_size;
    const Process *own = &processes[MPIR_Process.comm_world->rank];
    Place *places = MPII_QMPI_allocate(num_members, sizeof(*places));

    for (int i = 0; i < num_members; i++) {
        const char *signature = own->instances + i * INSTANCE_DIGITS + ID_DIGITS;
        Place *place = &places[i];

        place->member = members[i];
        place->member.peers = MPII_QMPI_allocate(size, sizeof(int));
        place->rank = -1;
        for (int r = 0; r < size; r++) {
            place->member.peers[r] = peer_of(&processes[r], signature);
            if (place->rank < 0 && place->member.peers[r] > 0) {
                place->rank = r;
                place->position = position_in(&processes[r], signature);
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
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    comm = num == size ? create_comm_of_all() : create_comm_of_some(ranks, num);
    if (comm) {
        MPIR_Errhandler_get_ptr(MPI_ERRORS_RETURN, returns_errors);
        MPIR_Comm_set_errhandler_impl(comm, returns_errors);
    }
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

/* ---- job functions ---- */

/* Empty unless the process has begun with MPI_Session_init. Points into the text. */
static Process session_process(const Text * published)
{
    const bool is_alone = published->length > 0 && *published->chars == *ALONE;
    Process process = { 0, !is_alone, "" };

    if (is_alone) {
        process.num = (published->length - 1) / INSTANCE_DIGITS;
        process.instances = published->chars + 1;
    }
    return process;
}

/* Of a member in another process, by what it has published. */
static int session_peer(int member, int rank)
{
    Text published = read_published(rank), signature = signature_of(member);
    Process process = session_process(&published);
    const int peer = published.length > 0 ? peer_of(&process, signature.chars) : MPIX_TOOL_NONE;

    MPL_direct_free(published.chars);
    MPL_direct_free(signature.chars);
    return peer;
}

static void join_in_first(const Member * member)
{
    int *peers = MPII_QMPI_allocate(MPIR_Process.size, sizeof(*peers));
    const char *offer = member->offer ? member->offer : "";

    peers[0] = member->tool_id;
    for (int r = 1; r < MPIR_Process.size; r++)
        peers[r] = *offer ? session_peer(member - members, r) : MPIX_TOOL_NONE;
    member->world.job_join_fn(member->tool_id, 0, MPIR_Process.size, offer, peers);
    MPL_direct_free(peers);
}

static void join_in_other(const Member * member)
{
    const int size = MPIR_pmi_max_val_size() + 1;
    char key[KEY_SIZE], *offer = MPII_QMPI_allocate(size, 1);

    key_of_offer("job", member - members, key);
    /* PMIx_Get waits for a key that a process has not put. */
    if (!member->world.job_offer_fn || session_peer(member - members, 0) <= 0 ||
        MPIR_pmi_kvs_get(0, key, offer, size) != MPI_SUCCESS)
        offer[0] = 0;
    member->world.job_join_fn(member->tool_id, MPIR_Process.rank, MPIR_Process.size, offer, NULL);
    MPL_direct_free(offer);
}

/* At the first MPI_Session_init, unless MPI_Init was called before. Other threads wait. */
static void begin_job(bool is_world_model)
{
    static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;

    MPL_initlock_lock(&lock);
    for (int i = 0; !has_begun && !is_world_model && i < num_members; i++) {
        if (members[i].world.job_join_fn && MPIR_Process.rank == 0)
            join_in_first(&members[i]);
        else if (members[i].world.job_join_fn)
            join_in_other(&members[i]);
    }
    has_begun = true;
    MPL_initlock_unlock(&lock);
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

void MPIR_QMPI_begin_world(bool is_world_model)
{
    Process *processes;
    Text table;

    begin_job(is_world_model);
    if (!is_world_model || num_members == 0)
        return;
    table = exchange_table();
    processes = processes_of(&table);
    arrange_members(processes);
    MPL_direct_free(processes);
    MPL_direct_free(table.chars);
    for (int i = 0; i < num_members; i++) {
        const int first = first_with_processes_of(i);
        Member *member = &members[i];
        MPI_Comm comm = MPI_COMM_NULL;

        member->comm = first == i ? create_comm(member) : members[first].comm;
        if (member->comm)
            comm = member->comm->handle;
        if (member->world.begin_fn)
            member->world.begin_fn(member->tool_id, ABI_Comm_from_mpi(comm), member->peers);
    }
}

void MPIR_QMPI_end_world(void)
{
    for (int i = 0; i < num_members; i++)
        if (members[i].peers && members[i].world.end_fn)
            members[i].world.end_fn(members[i].tool_id);
    for (int i = num_members - 1; i >= 0; i--)
        if (members[i].comm && first_with_processes_of(i) == i)
            free_comm(members[i].comm);
    for (int i = 0; i < num_members; i++)
        members[i].comm = NULL;
}

#endif /* ENABLE_QMPI */
