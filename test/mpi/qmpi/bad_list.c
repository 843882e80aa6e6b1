/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A faulty tool list ends the process with exit status 1, before MPI starts, with one line on
 * standard error that names the faulty entry. White space in lists is ignored. Each list is tried
 * in a child process. */

#define _GNU_SOURCE
#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("alpha", qt_record_all);
    qt_register("beta", qt_record_all);
}

/* ---- the child ---- */

#define MEBI (1 << 20)

static void fill(char *list, const char *entry)
{
    size_t length = strlen(entry);

    for (size_t i = 0; i < MEBI; i++)
        list[i] = entry[i % length];
    list[MEBI] = '\0';
}

static void write_list(const char *list)
{
    int provided, index, count;
    MPI_T_cvar_handle handle;

    if (QMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) ||
        QMPI_T_cvar_get_index("MPIR_CVAR_QMPI_TOOL_LIST", &index) ||
        QMPI_T_cvar_handle_alloc(index, NULL, &handle, &count))
        return;
    QMPI_T_cvar_write(handle, list);
}

static int be_child(const char *task)
{
    static char list[MEBI + 1];

    if (strncmp(task, "write ", 6) == 0)
        write_list(task + 6);
    if (strncmp(task, "fill ", 5) == 0) {
        /* longer than an environment may be */
        fill(list, task + 5);
        write_list(list);
    }
    if (strcmp(task, "init") == 0)
        MPI_Init(NULL, NULL);
    else
        MPIX_Load_tools();
    printf("reached %d\n", qt_num_inits);
    if (strcmp(task, "init") == 0)
        MPI_Finalize();
    return 0;
}

/* ---- checks of the parent ---- */

/* One line of printable characters. */
static void check_line(const char *list, const char *text)
{
    size_t length = strlen(text);

    QT_CHECK(length > 0 && text[length - 1] == '\n', "list '%.60s': no line", list);
    QT_CHECK(length < 8192, "list '%.60s': a message of %zu bytes", list, length);
    for (size_t i = 0; i + 1 < length; i++) {
        if ((unsigned char) text[i] < ' ' || text[i] == 0x7f) {
            QT_CHECK(0, "list '%.60s': control character %d in '%s'", list, text[i], text);
            break;
        }
    }
}

static void run(const char *name, const char *list, const char *task, struct qt_child *child)
{
    char *setting = NULL;
    const char *env[2] = { NULL, NULL };

    if (name) {
        if (asprintf(&setting, "%s=%s", name, list) < 0)
            abort();
        env[0] = setting;
    }
    qt_run_self(task, env, child);
    free(setting);
}

/* The program must end with a message that contains the words. */
static void refuse(const char *name, const char *list, const char *task, const char *const words[])
{
    struct qt_child child;

    run(name, list, task, &child);
    QT_CHECK(child.exited && child.status == 1, "list '%.60s', task '%s': %s %d", list, task,
             child.exited ? "exit status" : "signal", child.status);
    QT_CHECK(strstr(child.out, "reached") == NULL, "list '%.60s': the program continued", list);
    check_line(list, child.err);
    for (int i = 0; words[i]; i++)
        QT_CHECK(strstr(child.err, words[i]), "list '%.60s': no '%s' in '%s'", list, words[i],
                 child.err);
    qt_child_free(&child);
}

static void accept(const char *name, const char *list, const char *task, int instances)
{
    struct qt_child child;
    char expected[32];

    snprintf(expected, sizeof(expected), "reached %d\n", instances);
    run(name, list, task, &child);
    QT_CHECK(child.exited && child.status == 0, "list '%.60s', task '%s': %s %d", list, task,
             child.exited ? "exit status" : "signal", child.status);
    QT_CHECK(strcmp(child.out, expected) == 0, "list '%.60s': '%s' instead of '%s'", list,
             child.out, expected);
    QT_CHECK(child.err[0] == '\0', "list '%.60s': message '%s'", list, child.err);
    qt_child_free(&child);
}

#define VARIABLE "MPIR_CVAR_QMPI_TOOL_LIST"

/* Lists of any length give either all instances or a message. */
static void survive(const char *name, const char *list, const char *task)
{
    struct qt_child child;

    run(name, list, task, &child);
    QT_CHECK(child.exited && child.status <= 1, "task '%.60s': %s %d", task,
             child.exited ? "exit status" : "signal", child.status);
    if (child.exited && child.status == 1)
        check_line(task, child.err);
    else
        QT_CHECK(strncmp(child.out, "reached ", 8) == 0, "task '%.60s': '%s'", task, child.out);
    qt_child_free(&child);
}

static void unknown_names(void)
{
    static const char *const words[] = { "'nobody'", NULL };
    static const char *const upper[] = { "'ALPHA'", NULL };
    static const char *const shorter[] = { "'alph'", NULL };
    static const char *const longer[] = { "'alphaa'", NULL };
    static const char *const escaped[] = { "pha'", NULL };
    static const char *const names[] = { VARIABLE, "QMPI_TOOL_LIST" };

    for (int i = 0; i < 2; i++) {
        refuse(names[i], "nobody", "call", words);
        refuse(names[i], "nobody", "init", words);
    }
    refuse(NULL, "", "write nobody", words);
    refuse(VARIABLE, "alpha", "write alpha,nobody", words);
    refuse(VARIABLE, "alpha,nobody,alpha", "call", words);
    refuse(VARIABLE, "alpha:beta:nobody", "call", words);
    refuse(VARIABLE, "nobody,alpha", "call", words);
    refuse(VARIABLE, "  nobody ", "call", words);
    refuse(VARIABLE, "ALPHA", "call", upper);
    refuse(VARIABLE, "alph", "call", shorter);
    refuse(VARIABLE, "alphaa", "call", longer);
    refuse(VARIABLE, "a\001\033[2J\npha", "call", escaped);
    refuse(VARIABLE, "%s%s%n pha", "call", escaped);
}

static void empty_entries(void)
{
    static const char *const lists[] = { "alpha,,beta", ",alpha", "alpha,", "alpha, ,beta", ",",
        "alpha::beta", ":", "alpha:,beta"
    };
    static const char *const words[] = { "empty", NULL };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        refuse(VARIABLE, lists[i], "call", words);
}

static void long_lists(void)
{
    static const char *const words[] = { "xxxxxxxx", NULL };
    static char list[100 * 1024 + 1];

    memset(list, 'x', MPIX_MAX_TOOL_NAME_LENGTH);
    refuse(VARIABLE, list, "call", words);
    memset(list, 'x', sizeof(list) - 1);
    refuse(VARIABLE, list, "call", words);
    refuse(NULL, "", "fill x", words);
    survive(NULL, "", "fill alpha,");
    survive(NULL, "", "fill ,");
    survive(NULL, "", "fill nobody:");
    survive(NULL, "", "fill  ");
}

static void good_lists(void)
{
    accept(NULL, "", "call", 0);
    accept(VARIABLE, "", "call", 0);
    accept(VARIABLE, "alpha", "call", 1);
    accept(NULL, "", "write beta,alpha", 2);
    accept(VARIABLE, "nobody", "write alpha", 1);
    accept(VARIABLE, " alpha , beta ", "call", 2);
    accept(VARIABLE, "\talpha: beta,\talpha\n", "call", 3);
    /* these prefixes are not read */
    accept("MPICH_QMPI_TOOL_LIST", "nobody", "call", 0);
    accept("MPIR_PARAM_QMPI_TOOL_LIST", "nobody", "call", 0);
    accept("QMPI_TOOL_LIST", "beta,alpha,beta", "init", 3);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[0], "child") == 0)
        return be_child(argv[1]);
    qt_begin();
    unknown_names();
    empty_entries();
    long_lists();
    good_lists();
    /* after the children, which are separate jobs */
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return qt_end();
}
