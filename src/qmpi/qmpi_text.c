/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

/* Texts in the process manager's key-value space, by which processes without a common communicator
 * find each other.
 *
 * A process with tools puts one value, "qmpi-RANK", while MPI initializes: "world" or "session", by
 * the function that initializes MPI, then ";KEY:TEXT" for each text of the job. Texts for spawned
 * processes are sent with the request to start them, and put in their space as
 * "qmpi-spawned-KEY". */

#define MAX_KEY 32
#define NAME_SIZE 64
#define SPAWNED "qmpi-spawned-"

typedef struct {
    int num;
    struct MPIR_PMI_KEYVAL *pairs;
} Texts;

/* Protected by MPIR_init_lock. */
static Texts job_texts = { 0, NULL };

static MPL_TLS Texts spawn_texts = { 0, NULL };

/* ---- connection ---- */

/* A tool's call has connected to the process manager, and MPI has not begun to initialize. */
static bool is_connected_early = false;

bool MPIR_QMPI_take_connection(void)
{
    const bool is_connected = is_connected_early;

    is_connected_early = false;
    return is_connected;
}

/* The caller holds MPIR_init_lock. False after MPI is finalized. */
static bool connect_early(void)
{
    if (MPIR_Errutil_is_initialized() || is_connected_early)
        return true;
    if (MPIR_Process.size == 0)
        is_connected_early = MPIR_T_env_init() == MPI_SUCCESS && MPIR_pmi_init() == MPI_SUCCESS;
    return is_connected_early;
}

/* Early connections fix MPICH's control variables, so only spawned processes make one. */
static bool may_have_parent(void)
{
    return MPIR_Process.size || getenv("PMI_SPAWNED") || getenv("PMI_PORT");
}

/* PMIx_Get waits for a key that its process has not put. */
bool MPII_QMPI_waits_for_keys(void)
{
    return getenv("PMIX_NAMESPACE") != NULL;
}

/* Hydra, which sets PMI_HOSTNAME, shows a value at once, and PMIx waits for it. Slurm shows it
 * after the next barrier. */
bool MPIR_QMPI_needs_barrier(void)
{
    return MPIR_Process.size > 1 && !getenv("PMI_HOSTNAME") && !MPII_QMPI_waits_for_keys();
}

/* ---- values of the processes ---- */

static const char *const models[] = { "", "world", "session" };

/* Of this process, when it has put it. */
static char *own_value = NULL;

static void name_of(int rank, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "qmpi-%d", rank);
}

bool MPII_QMPI_publish(MPII_QMPI_Model model)
{
    const bool is_shared = MPIR_Process.size > 1;
    size_t size = NAME_SIZE, used;
    char name[NAME_SIZE];

    for (int i = 0; i < job_texts.num; i++)
        size += strlen(job_texts.pairs[i].key) + strlen(job_texts.pairs[i].val) + 2;
    if (is_shared)
        size = MPL_MIN(size, MPIR_pmi_max_val_size());
    MPL_direct_free(own_value);
    own_value = MPII_QMPI_allocate(size, 1);
    used = snprintf(own_value, size, "%s", models[model]);
    for (int i = 0; i < job_texts.num; i++) {
        const struct MPIR_PMI_KEYVAL *pair = &job_texts.pairs[i];

        if (used + strlen(pair->key) + strlen(pair->val) + 2 < size)
            used += snprintf(own_value + used, size - used, ";%s:%s", pair->key, pair->val);
        else
            MPII_QMPI_warn("the text '%s' of a tool is not put: the process manager takes %d "
                           "characters of each process", pair->key, (int) size - 1);
    }
    name_of(MPIR_Process.rank, name);
    return is_shared && MPIR_pmi_kvs_put(name, own_value) == MPI_SUCCESS;
}

bool MPII_QMPI_has_texts(void)
{
    return job_texts.num > 0;
}

/* "" if the process has put nothing. The caller frees it. A process that mpiexec has not started
 * would start one by a query. */
static char *value_of(int rank)
{
    const int size = MPIR_pmi_max_val_size() + 1;
    char name[NAME_SIZE], *value;

    if (rank == MPIR_Process.rank)
        return MPII_QMPI_copy(own_value ? own_value : "");
    value = MPII_QMPI_allocate(size, 1);
    name_of(rank, name);
    if (MPIR_pmi_kvs_get(rank, name, value, size) != MPI_SUCCESS)
        value[0] = 0;
    return value;
}

MPII_QMPI_Model MPII_QMPI_model_of(int rank)
{
    char *value = value_of(rank);
    MPII_QMPI_Model model = MPII_QMPI_NO_MODEL;

    if (*value)
        model = *value == 'w' ? MPII_QMPI_WORLD_MODEL : MPII_QMPI_SESSION_MODEL;
    MPL_direct_free(value);
    return model;
}

/* Copies the part of a process's value that has the key; the model for key "". */
static void copy_part(const char *value, const char *key, char *text)
{
    const size_t length = strlen(key);
    const char *part = strpbrk(key, ":;") ? NULL : value;

    while (part) {
        const char *end = strchr(part, ';'), *begin = length ? part + length + 1 : part;

        if (!length || (!strncmp(part, key, length) && part[length] == ':')) {
            snprintf(text, MPIX_MAX_TOOL_TEXT_LENGTH, "%.*s", (int) strcspn(begin, ";"), begin);
            return;
        }
        part = end ? end + 1 : NULL;
    }
}

/* ---- texts that tools put ---- */

/* Puts the text in place of that with the same key. */
static void set_text(Texts * texts, const char *prefix, const char *key, const char *text)
{
    char name[NAME_SIZE];
    int i = 0;

    snprintf(name, sizeof(name), "%s%s", prefix, key);
    while (i < texts->num && strcmp(texts->pairs[i].key, name))
        i++;
    if (i == texts->num) {
        struct MPIR_PMI_KEYVAL *pairs = MPII_QMPI_allocate(i + 1, sizeof(*pairs));

        if (i > 0)
            memcpy(pairs, texts->pairs, i * sizeof(*pairs));
        MPL_direct_free(texts->pairs);
        texts->pairs = pairs;
        pairs[texts->num++].key = MPII_QMPI_copy(name);
    }
    MPL_direct_free(texts->pairs[i].val);
    texts->pairs[i].val = MPII_QMPI_copy(text);
    if (!*text) {
        MPL_direct_free((char *) texts->pairs[i].key);
        MPL_direct_free(texts->pairs[i].val);
        texts->pairs[i] = texts->pairs[--texts->num];
    }
}

/* The process manager's protocol has lines of words key=value, and no quotes. */
static bool can_be_sent(const char *text, int max)
{
    int i = 0;

    while (i <= max && text[i] > ' ' && text[i] <= '~' && text[i] != '=' && text[i] != ';')
        i++;
    return i <= max && text[i] == 0;
}

int MPIR_Put_tool_text_impl(int receivers, const char *key, const char *text)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_late = false;

    MPIR_ERR_CHKANDJUMP1(receivers != MPIX_TOOL_JOB && receivers != MPIX_TOOL_SPAWNED, mpi_errno,
                         MPI_ERR_ARG, "**arg", "no processes have the number %d", receivers);
    MPIR_ERR_CHKANDJUMP1(!*key || !can_be_sent(key, MAX_KEY) || strchr(key, ':'), mpi_errno,
                         MPI_ERR_ARG, "**arg",
                         "a key must have 1 to %d printable ASCII characters, "
                         "without spaces, '=', ':' and ';'", MAX_KEY);
    MPIR_ERR_CHKANDJUMP1(!can_be_sent(text, MPIX_MAX_TOOL_TEXT_LENGTH - 1), mpi_errno, MPI_ERR_ARG,
                         "**arg", "a text for other processes must have at most %d printable ASCII "
                         "characters, without spaces, '=' and ';'", MPIX_MAX_TOOL_TEXT_LENGTH - 1);
    if (receivers == MPIX_TOOL_SPAWNED) {
        set_text(&spawn_texts, SPAWNED, key, text);
        goto fn_exit;
    }
    MPL_initlock_lock(&MPIR_init_lock);
    is_late = MPIR_Errutil_is_initialized();
    if (!is_late)
        set_text(&job_texts, "", key, text);
    MPL_initlock_unlock(&MPIR_init_lock);
    MPIR_ERR_CHKANDJUMP1(is_late, mpi_errno, MPI_ERR_OTHER, "**other", "%s",
                         "MPI is initialized: other processes have read the texts of this one");

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

struct MPIR_PMI_KEYVAL *MPIR_QMPI_add_texts(int *num, struct MPIR_PMI_KEYVAL *pairs)
{
    static MPL_TLS struct MPIR_PMI_KEYVAL *all = NULL;
    const int own = *num;

    if (spawn_texts.num == 0)
        return pairs;
    *num += spawn_texts.num;
    MPL_direct_free(all);
    all = MPII_QMPI_allocate(*num, sizeof(*all));
    for (int i = 0; i < *num; i++)
        all[i] = i < own ? pairs[i] : spawn_texts.pairs[i - own];
    return all;
}

/* ---- queries of tools ---- */

static void get_text(int rank, const char *key, char *text)
{
    const int size = MPIR_pmi_max_val_size() + 1;
    char name[NAME_SIZE], *value;

    text[0] = 0;
    if (rank >= 0) {
        value = value_of(rank);
        copy_part(value, key, text);
    } else {
        value = MPII_QMPI_allocate(size, 1);
        snprintf(name, sizeof(name), SPAWNED "%.*s", MAX_KEY, key);
        if (!MPII_QMPI_waits_for_keys() && MPIR_pmi_kvs_get(-1, name, value, size) == MPI_SUCCESS)
            snprintf(text, MPIX_MAX_TOOL_TEXT_LENGTH, "%s", value);
    }
    MPL_direct_free(value);
}

int MPIR_Get_tool_text_impl(int rank, const char *key, char *text)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_initialized, has_process;

    MPL_initlock_lock(&MPIR_init_lock);
    is_initialized = MPIR_Errutil_is_initialized();
    if (rank == MPIX_TOOL_PARENT)
        has_process = may_have_parent() && connect_early() && MPIR_Process.has_parent;
    else
        has_process = is_initialized && rank >= 0 && rank < MPIR_Process.size;
    if (has_process && is_initialized) {
        /* other threads use the process manager, too */
        MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        get_text(rank, key, text);
        MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    } else if (has_process) {
        get_text(rank, key, text);
    }
    MPL_initlock_unlock(&MPIR_init_lock);
    MPIR_ERR_CHKANDJUMP1(!has_process, mpi_errno, MPI_ERR_RANK, "**rank",
                         "no process has the rank %d, or MPI is not initialized", rank);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIR_Get_tool_job_impl(const char **world, int *rank, int *size)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_connected;

    MPL_initlock_lock(&MPIR_init_lock);
    is_connected = connect_early();
    MPL_initlock_unlock(&MPIR_init_lock);
    MPIR_ERR_CHKANDJUMP1(!is_connected, mpi_errno, MPI_ERR_OTHER, "**other", "%s",
                         "no connection to the process manager");
    *world = MPIR_pmi_job_id();
    *rank = MPIR_Process.rank;
    *size = MPIR_Process.size;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
