/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Texts for other processes: what cannot be sent is refused and changes nothing, and every process
 * gets what the others have put before they initialized MPI, by MPI_Init ("world") or by
 * MPI_Session_init ("session"). Among them are processes without texts. */

#include "qmpi_test.h"

#define LONGEST (MPIX_MAX_TOOL_TEXT_LENGTH - 1)

static void refuse_text(const char *key, const char *text, int error_class)
{
    QT_CLASS(MPIX_Put_tool_text(MPIX_TOOL_JOB, key, text), error_class);
    QT_CLASS(MPIX_Put_tool_text(MPIX_TOOL_SPAWNED, key, text), error_class);
}

static void refuse_texts(void)
{
    static const char *const bad[] = { "x\ncmd=abort exitcode=1", "two words", "a=b", "a;b", "\177",
        "\303\244", "end\n", "\t"
    };
    char key[34], text[LONGEST + 2], message[MPI_MAX_ERROR_STRING];
    int length, rc;

    for (int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        refuse_text("key", bad[i], MPI_ERR_ARG);
        refuse_text(bad[i], "text", MPI_ERR_ARG);
    }
    memset(text, 'x', sizeof(text));
    text[LONGEST + 1] = 0;
    refuse_text("key", text, MPI_ERR_ARG);
    memset(key, 'x', sizeof(key));
    key[33] = 0;
    refuse_text(key, "text", MPI_ERR_ARG);
    refuse_text("a:b", "text", MPI_ERR_ARG);
    refuse_text("", "text", MPI_ERR_ARG);
    refuse_text(NULL, "text", MPI_ERR_ARG);
    refuse_text("key", NULL, MPI_ERR_ARG);
    QT_CLASS(MPIX_Put_tool_text(7, "key", "text"), MPI_ERR_ARG);
    QT_CLASS(MPIX_Put_tool_text(-1, "key", "text"), MPI_ERR_ARG);
    rc = MPIX_Put_tool_text(MPIX_TOOL_JOB, "key", "two words");
    MPI_Error_string(rc, message, &length);
    QT_CHECK(strstr(message, "must have at most 511 printable ASCII characters"), "'%s'", message);
}

static void refuse_query(int rank, int error_class)
{
    char text[MPIX_MAX_TOOL_TEXT_LENGTH] = "untouched";

    QT_CLASS(MPIX_Get_tool_text(rank, "key", text), error_class);
    QT_CHECK(strcmp(text, "untouched") == 0, "a refused call changed its result");
}

static void check_text(int rank, const char *key, const char *expected)
{
    char text[MPIX_MAX_TOOL_TEXT_LENGTH] = "untouched";

    QT_SUCCESS(MPIX_Get_tool_text(rank, key, text));
    QT_CHECK(strcmp(text, expected) == 0, "text '%s' of rank %d is '%s' and not '%s'", key, rank,
             text, expected);
}

/* Ranks 1, 4, 7, ... put nothing. */
static void check_texts(int size, const char *model)
{
    for (int r = 0; r < size; r++) {
        const int has_texts = r % 3 != 1;
        char expected[32] = "", longest[LONGEST + 1] = "";

        if (has_texts) {
            snprintf(expected, sizeof(expected), "from-%d:%d", r, size);
            memset(longest, 'a' + r % 26, LONGEST);
            longest[LONGEST] = 0;
        }
        check_text(r, "key", expected);
        check_text(r, "k", longest);
        check_text(r, "removed", "");
        check_text(r, "ke", "");
        check_text(r, "key:from-0", "");
        check_text(r, "world;key", "");
        check_text(r, "", has_texts ? model : "");
    }
    refuse_query(size, MPI_ERR_RANK);
    refuse_query(-2, MPI_ERR_RANK);
    refuse_query(MPIX_TOOL_PARENT, MPI_ERR_RANK);
    refuse_text("key", "late text", MPI_ERR_ARG);
    QT_CLASS(MPIX_Put_tool_text(MPIX_TOOL_JOB, "key", "late"), MPI_ERR_OTHER);
    QT_CLASS(MPIX_Get_tool_text(0, NULL, NULL), MPI_ERR_ARG);
}

static void put_texts(int rank, int size)
{
    char text[LONGEST + 1];

    if (rank % 3 == 1)
        return;
    memset(text, 'a' + rank % 26, LONGEST);
    text[LONGEST] = 0;
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_JOB, "key", "replaced"));
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_JOB, "removed", "text"));
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_JOB, "k", text));
    snprintf(text, sizeof(text), "from-%d:%d", rank, size);
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_JOB, "key", text));
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_JOB, "removed", ""));
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_SPAWNED, "key", text));
    QT_SUCCESS(MPIX_Put_tool_text(MPIX_TOOL_SPAWNED, "key", ""));
}

static void check_job(const char *name, int rank, int size)
{
    const char *world = "";
    int own_rank = -1, own_size = -1;

    QT_SUCCESS(MPIX_Get_tool_job(&world, &own_rank, &own_size));
    QT_CHECK(own_rank == rank && own_size == size, "%d of %d, not %d of %d", own_rank, own_size,
             rank, size);
    QT_CHECK(strcmp(world, name) == 0, "the world is '%s' and not '%s'", world, name);
}

int main(int argc, char **argv)
{
    const char *model = argc > 1 ? argv[1] : "world", *world = "";
    const int is_world = strcmp(model, "world") == 0;
    char name[256];
    int rank = -1, size = -1, world_rank, own, total = 0;
    MPI_Session session;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Group group;

    refuse_texts();
    refuse_query(0, MPI_ERR_RANK);
    refuse_query(MPIX_TOOL_PARENT, MPI_ERR_RANK);
    QT_SUCCESS(MPIX_Get_tool_job(&world, &rank, &size));
    snprintf(name, sizeof(name), "%s", world);
    put_texts(rank, size);
    if (is_world) {
        MPI_Init(&argc, &argv);
        MPI_Comm_group(comm, &group);
    } else {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "texts", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    }
    QT_SUCCESS(MPIX_Get_process_world(group, rank, &world, &world_rank));
    QT_CHECK(world_rank == rank, "rank %d is %d", rank, world_rank);
    check_job(name, rank, size);
    check_job(world, rank, size);
    MPI_Barrier(comm);
    check_texts(size, model);
    MPI_Group_free(&group);
    own = qt_errs;
    MPI_Reduce(&own, &total, 1, MPI_INT, MPI_SUM, 0, comm);
    if (is_world) {
        MPI_Finalize();
    } else {
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
    refuse_query(0, MPI_ERR_RANK);
    refuse_query(MPIX_TOOL_PARENT, MPI_ERR_RANK);
    QT_CLASS(MPIX_Get_tool_job(&world, &rank, &size), MPI_ERR_OTHER);
    if (rank != 0)
        return 0;
    qt_errs += total - own;
    return qt_end();
}
