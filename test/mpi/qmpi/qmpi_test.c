/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Shared by the tests of this directory; see qmpi_test.h. */

#define _GNU_SOURCE
#include "qmpi_test.h"
#include <stdarg.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int qt_errs = 0;
int qt_num_inits = 0;
void (*qt_on_enter) (MPI_Context context, int tool_id, int function) = NULL;

static int first_failure = MPI_SUCCESS;

static void die(const char *what)
{
    fprintf(stderr, "test program broken: %s\n", what);
    fflush(stderr);
    _exit(2);
}

int qt_class(int error_code)
{
    return error_code & 0x7f;
}

/* ---- the frame of a test ---- */

void qt_register(const char *name, MPI_Tool_init_function * init)
{
    int rc = MPI_Register_tool_name(name, init);

    if (rc != MPI_SUCCESS && first_failure == MPI_SUCCESS)
        first_failure = rc;
}

void qt_begin(void)
{
    QT_CHECK(first_failure == MPI_SUCCESS, "a tool could not be registered: error code %d",
             first_failure);
}

int qt_end(void)
{
    if (qt_errs)
        printf(" Found %d errors\n", qt_errs);
    else
        printf(" No Errors\n");
    fflush(stdout);
    return qt_errs != 0;
}

void qt_ensure_list(char **argv, const char *list)
{
    const char *current = getenv("MPIR_CVAR_QMPI_TOOL_LIST");

    if (current && strcmp(current, list) == 0)
        return;
    if (setenv("MPIR_CVAR_QMPI_TOOL_LIST", list, 1) != 0)
        die("setenv");
    execv("/proc/self/exe", argv);
    die("cannot start the program again");
}

static char *read_all(FILE * file)
{
    size_t size = 0, capacity = 4096, n;
    char *text = malloc(capacity);

    rewind(file);
    while (text && (n = fread(text + size, 1, capacity - size - 1, file)) > 0) {
        size += n;
        if (size + 1 == capacity) {
            capacity *= 2;
            text = realloc(text, capacity);
        }
    }
    if (text == NULL)
        die("out of memory");
    text[size] = '\0';
    fclose(file);
    return text;
}

static void become_child(const char *arg, const char *const env[], int out, int err)
{
    /* without these the child is a job of its own, not a member of this one */
    static const char *const remove[] = {
        "PMI_RANK", "PMI_SIZE", "PMI_FD", "PMI_PORT", "PMI_ID", "MPI_LOCALRANKID",
        "MPI_LOCALNRANKS", "MPIR_CVAR_QMPI_TOOL_LIST", "QMPI_TOOL_LIST"
    };

    for (size_t i = 0; i < sizeof(remove) / sizeof(remove[0]); i++)
        unsetenv(remove[i]);
    for (int i = 0; env[i]; i++) {
        char *copy = strdup(env[i]);
        if (copy == NULL || putenv(copy) != 0)
            die("putenv");
    }
    if (dup2(out, 1) < 0 || dup2(err, 2) < 0)
        die("dup2");
    alarm(60);
    execl("/proc/self/exe", "child", arg, (char *) NULL);
    die("cannot start the program again");
}

void qt_run_self(const char *arg, const char *const env[], struct qt_child *child)
{
    FILE *out = tmpfile(), *err = tmpfile();
    int status;
    pid_t pid;

    if (out == NULL || err == NULL)
        die("tmpfile");
    fflush(stdout);
    fflush(stderr);
    pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0)
        become_child(arg, env, fileno(out), fileno(err));
    if (waitpid(pid, &status, 0) != pid)
        die("waitpid");
    child->exited = WIFEXITED(status);
    child->status = child->exited ? WEXITSTATUS(status) : WTERMSIG(status);
    child->out = read_all(out);
    child->err = read_all(err);
}

void qt_child_free(struct qt_child *child)
{
    free(child->out);
    free(child->err);
}

/* ---- the log ---- */

struct event {
    int tool_id;                /* 0: an entry of the test */
    int function;
    int leaving;
    const char *text;
};

#define MAX_EVENTS 65536

static struct event events[MAX_EVENTS];
static int num_events = 0;

static void log_event(int tool_id, int function, int leaving, const char *text)
{
    int i = __atomic_fetch_add(&num_events, 1, __ATOMIC_RELAXED);

    /* a full log is an error only if the test reads it */
    if (i >= MAX_EVENTS)
        return;
    events[i].tool_id = tool_id;
    events[i].function = function;
    events[i].leaving = leaving;
    events[i].text = text;
}

void qt_log_text(const char *text)
{
    log_event(0, 0, 0, text);
}

void qt_log_clear(void)
{
    num_events = 0;
}

static void check_log_complete(void)
{
    if (num_events > MAX_EVENTS)
        die("too many events in the log");
}

int qt_count(int tool_id, int function)
{
    int n = 0;

    check_log_complete();
    for (int i = 0; i < num_events; i++) {
        const struct event *e = &events[i];
        if (e->text == NULL && !e->leaving && e->tool_id == tool_id && e->function == function)
            n++;
    }
    return n;
}

const char *qt_log(void)
{
    static char *text = NULL;
    size_t size = (size_t) num_events * (MPIX_MAX_TOOL_NAME_LENGTH + 16) + 1;
    char *p;

    check_log_complete();
    free(text);
    p = text = malloc(size);
    if (text == NULL)
        die("out of memory");
    *p = '\0';
    for (int i = 0; i < num_events; i++) {
        const struct event *e = &events[i];

        if (i > 0)
            *p++ = ' ';
        if (e->text)
            p += snprintf(p, size - (p - text), "%s", e->text);
        else
            p += snprintf(p, size - (p - text), "%d%c%s", e->tool_id, e->leaving ? '<' : '>',
                          qt_function_name(e->function));
    }
    return text;
}

void qt_expect_log(const char *expected, const char *what)
{
    const char *found = qt_log();

    if (strcmp(found, expected) != 0) {
        qt_errs++;
        fprintf(stderr, "%s: expected calls \"%s\", found \"%s\"\n", what, expected, found);
    }
    qt_log_clear();
}

/* ---- the recording tool ---- */

struct instance {
    int tool_id;
    struct instance *next;
};

/* A list, so that leak checkers report leaks of the library only. */
static struct instance *all_instances = NULL;

/* Logs the entry; the storage must belong to this instance. */
static void enter(MPI_Context context, int tool_id, int function)
{
    struct instance *instance = NULL;

    if (MPI_Get_tool_storage(context, tool_id, &instance) != MPI_SUCCESS)
        die("a tool has no access to its storage");
    if (instance == NULL || instance->tool_id != tool_id)
        die("a tool was given the storage of another instance");
    log_event(tool_id, function, 0, NULL);
    if (qt_on_enter)
        qt_on_enter(context, tool_id, function);
}

static void leave(int tool_id, int function)
{
    log_event(tool_id, function, 1, NULL);
}

static void look_up(int tool_id, int function, void (**next) (void), int *next_tool_id)
{
    if (MPI_Get_next_tool_function(tool_id, function, next, next_tool_id) != MPI_SUCCESS)
        die("a tool was not given the next function");
}

#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    static ret record_##name tool_params                                                \
    {                                                                                   \
        void (*qt_next_) (void);                                                        \
        int next_tool_id;                                                               \
        ret qt_result_;                                                                 \
        enter(context, tool_id, id);                                                    \
        look_up(tool_id, id, &qt_next_, &next_tool_id);                                 \
        qt_result_ = ((name##_t *) qt_next_) next_args;                                 \
        leave(tool_id, id);                                                             \
        return qt_result_;                                                              \
    }
#define MPIX_QMPI_FUNCTION_PCONTROL(id, ret, name, tool_params, next_args, params, args, buffers) \
    static ret record_##name tool_params                                                         \
    {                                                                                            \
        enter(context, tool_id, id);                                                             \
        leave(tool_id, id);                                                                      \
        return MPI_SUCCESS;                                                                      \
    }
#include <mpi_qmpi_functions.h>

static const struct {
    int id;
    const char *name;
    void (*fn) (void);
} wrappers[] = {
#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    { id, #name, (void (*)(void)) record_##name },
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
};

#define NUM_WRAPPERS (sizeof(wrappers) / sizeof(wrappers[0]))

/* Index of the wrapper of a function, -1 if the library lacks the function. */
static int find_wrapper(int function)
{
    for (size_t i = 0; i < NUM_WRAPPERS; i++) {
        if (wrappers[i].id == function)
            return (int) i;
    }
    return -1;
}

int qt_is_present(int function)
{
    return find_wrapper(function) >= 0;
}

const char *qt_function_name(int function)
{
    int i = find_wrapper(function);

    if (i < 0)
        die("unknown function id");
    return wrappers[i].name;
}

void qt_record_begin(int tool_id)
{
    struct instance *instance = malloc(sizeof(*instance));

    if (instance == NULL)
        die("out of memory");
    instance->tool_id = tool_id;
    instance->next = all_instances;
    all_instances = instance;
    qt_num_inits++;
    QT_SUCCESS(MPI_Register_tool_storage(tool_id, instance));
}

void qt_record_function(int tool_id, int function)
{
    int i = find_wrapper(function);

    if (i < 0)
        die("unknown function id");
    QT_SUCCESS(MPI_Register_tool_function(tool_id, function, wrappers[i].fn));
}

void qt_record_all(int tool_id)
{
    qt_record_begin(tool_id);
    for (size_t i = 0; i < NUM_WRAPPERS; i++)
        QT_SUCCESS(MPI_Register_tool_function(tool_id, wrappers[i].id, wrappers[i].fn));
}
