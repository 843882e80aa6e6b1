/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Queries about tools and instances: names and arguments of the list, descriptions, intercepted
 * functions; wrong queries are refused and change nothing. Run with the list
 * "rec(_a_,(b:c)),quiet,rec". */

#include "qmpi_test.h"

static const char untouched[] = "untouched";

static void expect_text(const char *found, const char *expected, const char *what)
{
    QT_CHECK(strcmp(found, expected) == 0, "%s is '%s' instead of '%s'", what, found, expected);
}

static void expect_instance(int tool_id, const char *name, const char *arguments)
{
    const char *text = untouched;

    QT_SUCCESS(MPIX_Get_tool_name(tool_id, &text));
    expect_text(text, name, "the name");
    QT_SUCCESS(MPIX_Get_tool_arguments(tool_id, &text));
    expect_text(text, arguments, "the argument text");
}

static void expect_all(void)
{
    expect_instance(1, "rec", "_a_,(b:c)");
    expect_instance(2, "quiet", "");
    expect_instance(3, "rec", "");
}

static void refuse_unknown_ids(void)
{
    static const int ids[] = { 0, -1, 4, 1000000, -2147483647 - 1, 2147483647 };
    const char *text = untouched;
    void (*fn) (void) = (void (*)(void)) refuse_unknown_ids;

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        QT_CLASS(MPIX_Get_tool_name(ids[i], &text), MPI_ERR_ARG);
        QT_CLASS(MPIX_Get_tool_arguments(ids[i], &text), MPI_ERR_ARG);
        QT_CLASS(MPIX_Get_tool_function(ids[i], MPI_SEND_T, &fn), MPI_ERR_ARG);
    }
    QT_CLASS(MPIX_Get_tool_name(1, NULL), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_tool_arguments(1, NULL), MPI_ERR_ARG);
    QT_CHECK(text == untouched && fn == (void (*)(void)) refuse_unknown_ids,
             "a refused call changed its results");
}

static void quiet_init(int tool_id)
{
    void (*fn) (void) = NULL;

    /* all instances exist, but not yet the functions that they intercept */
    expect_all();
    refuse_unknown_ids();
    QT_CLASS(MPIX_Get_tool_function(1, MPI_SEND_T, &fn), MPI_ERR_OTHER);
    QT_CLASS(MPIX_Fail_tool(tool_id, NULL), MPI_ERR_ARG);
    QT_CLASS(MPIX_Fail_tool(7, "no"), MPI_ERR_ARG);
    QT_CLASS(MPIX_Set_tool_info("quiet", "late", "late", "late"), MPI_ERR_OTHER);
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_PCONTROL_T, (void (*)(void)) quiet_init));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_SEND_T, (void (*)(void)) quiet_init));
}

static int info_results[4];

__attribute__ ((constructor))
static void load(void)
{
    char version[] = "1.2";

    qt_register("rec", qt_record_all);
    qt_register("quiet", quiet_init);
    info_results[0] = MPIX_Set_tool_info("quiet", "old", "old", "old");
    info_results[1] = MPIX_Set_tool_info("quiet", version, NULL, "does little");
    info_results[2] = MPIX_Set_tool_info("nobody", "", "", "");
    info_results[3] = MPIX_Set_tool_info(NULL, "", "", "");
    strcpy(version, "---");     /* the text was copied */
}

static void expect_infos(void)
{
    const char *name, *version, *author, *description, *file;

    QT_CLASS(info_results[0], MPI_SUCCESS);
    QT_CLASS(info_results[1], MPI_SUCCESS);
    QT_CLASS(info_results[2], MPI_ERR_ARG);
    QT_CLASS(info_results[3], MPI_ERR_ARG);
    QT_SUCCESS(MPIX_Get_tool_info(0, &name, &version, &author, &description, &file));
    expect_text(name, "rec", "the name");
    expect_text(version, "", "the version");
    expect_text(description, "", "the description");
    QT_CHECK(strstr(file, "tool_queries") || strstr(file, "libqmpitest"), "the file is '%s'", file);
    QT_SUCCESS(MPIX_Get_tool_info(1, &name, &version, &author, &description, NULL));
    expect_text(name, "quiet", "the name");
    expect_text(version, "1.2", "the version");
    expect_text(author, "", "the author");
    expect_text(description, "does little", "the description");
    QT_SUCCESS(MPIX_Get_tool_info(1, NULL, NULL, NULL, NULL, NULL));
    name = untouched;
    QT_CLASS(MPIX_Get_tool_info(2, &name, NULL, NULL, NULL, NULL), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_tool_info(-1, &name, NULL, NULL, NULL, NULL), MPI_ERR_ARG);
    QT_CHECK(name == untouched, "a refused call changed its result");
}

static int is_intercepted(int tool_id, int function)
{
    void (*fn) (void) = (void (*)(void)) is_intercepted;

    QT_SUCCESS(MPIX_Get_tool_function(tool_id, function, &fn));
    return fn != NULL;
}

static void expect_functions(void)
{
    void (*fn) (void) = NULL;

    for (int f = 0; f < MPI_LAST_FUNC_T; f++) {
        if (!qt_is_present(f))
            continue;
        QT_CHECK(is_intercepted(1, f) && is_intercepted(3, f), "%s", qt_function_name(f));
        QT_CHECK(is_intercepted(2, f) == (f == MPI_SEND_T || f == MPI_PCONTROL_T), "%s",
                 qt_function_name(f));
    }
    QT_SUCCESS(MPIX_Get_tool_function(2, MPI_SEND_T, &fn));
    QT_CHECK(fn == (void (*)(void)) quiet_init, "not the registered function");
    QT_CLASS(MPIX_Get_tool_function(2, -1, &fn), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_tool_function(2, MPI_LAST_FUNC_T, &fn), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_tool_function(2, MPI_SEND_T, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    const char *text = untouched;

    qt_begin();
    QT_CLASS(MPIX_Get_tool_name(1, &text), MPI_ERR_ARG);
    QT_CLASS(MPIX_Get_tool_arguments(1, &text), MPI_ERR_ARG);
    QT_CLASS(MPIX_Fail_tool(1, "too early"), MPI_ERR_OTHER);
    QT_CHECK(text == untouched, "a refused call changed its result");
    expect_infos();
    MPI_Init(&argc, &argv);
    expect_infos();
    expect_all();
    expect_functions();
    refuse_unknown_ids();
    QT_CLASS(MPIX_Fail_tool(1, "too late"), MPI_ERR_OTHER);
    QT_CLASS(MPIX_Set_tool_info("rec", "late", "late", "late"), MPI_ERR_OTHER);
    MPI_Finalize();
    expect_all();
    return qt_end();
}
