/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools find the services of other tools, whatever their order in the list. Instances of "give"
 * publish their id under "number"; instances of "ask" look it up in their ready function, and
 * those of "give", too, which must not find themselves. The argument has one digit for each
 * instance: the id that it must find, of the nearest publisher that follows, else of the nearest
 * before it; 0 for none. */

#include "qmpi_test.h"

#define MAX_IDS 8

static int numbers[MAX_IDS + 1];        /* [id]: published by the instance */
static int found[MAX_IDS + 1];  /* [id]: found by the instance, 0 for none */
static int asked[MAX_IDS + 1];

static void ask_ready(int tool_id)
{
    int *number = NULL;
    int rc = MPIX_Lookup_tool_service(tool_id, "number", &number);

    asked[tool_id] = 1;
    if (rc == MPI_SUCCESS)
        found[tool_id] = *number;
    else
        QT_CHECK(qt_class(rc) == MPI_ERR_NAME && number == NULL, "class %d", qt_class(rc));
}

static void ask_init(int tool_id)
{
    int *number = NULL;

    QT_CLASS(MPIX_Lookup_tool_service(tool_id, "number", &number), MPI_ERR_OTHER);
    QT_SUCCESS(MPIX_Register_tool_ready_function(tool_id, ask_ready));
}

static void give_init(int tool_id)
{
    static int wrong = -1;
    char name[MPIX_MAX_TOOL_NAME_LENGTH + 1] = "number";

    numbers[tool_id] = tool_id;
    /* the last one counts; the name is copied */
    QT_SUCCESS(MPIX_Publish_tool_service(tool_id, name, &wrong));
    QT_SUCCESS(MPIX_Publish_tool_service(tool_id, name, &numbers[tool_id]));
    strcpy(name, "other");
    QT_SUCCESS(MPIX_Publish_tool_service(tool_id, name, &wrong));

    memset(name, 'x', MPIX_MAX_TOOL_NAME_LENGTH);
    QT_CLASS(MPIX_Publish_tool_service(tool_id, name, &wrong), MPI_ERR_ARG);
    QT_CLASS(MPIX_Publish_tool_service(tool_id, "", &wrong), MPI_ERR_ARG);
    QT_CLASS(MPIX_Publish_tool_service(tool_id, NULL, &wrong), MPI_ERR_ARG);
    QT_CLASS(MPIX_Publish_tool_service(tool_id, "number", NULL), MPI_ERR_ARG);
    QT_CLASS(MPIX_Publish_tool_service(0, "number", &wrong), MPI_ERR_ARG);
    QT_SUCCESS(MPIX_Register_tool_ready_function(tool_id, ask_ready));
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("give", give_init);
    qt_register("ask", ask_init);
}

int main(int argc, char **argv)
{
    const char *expected = argc > 1 ? argv[1] : "";
    void *address = &numbers;
    int n = 0;

    qt_begin();
    QT_CLASS(MPIX_Publish_tool_service(1, "number", &numbers), MPI_ERR_OTHER);
    MPI_Init(&argc, &argv);
    for (int id = 1; id <= MAX_IDS; id++) {
        if (asked[id]) {
            QT_CHECK(expected[n] - '0' == found[id], "instance %d found %d, expected %s", id,
                     found[id], expected);
            n++;
        }
    }
    QT_CHECK(n == (int) strlen(expected), "%d instances asked", n);

    QT_CLASS(MPIX_Publish_tool_service(1, "number", &numbers), MPI_ERR_OTHER);
    QT_CLASS(MPIX_Lookup_tool_service(1, "nothing", &address), MPI_ERR_NAME);
    QT_CLASS(MPIX_Lookup_tool_service(1, NULL, &address), MPI_ERR_ARG);
    QT_CLASS(MPIX_Lookup_tool_service(1, "number", NULL), MPI_ERR_ARG);
    QT_CLASS(MPIX_Lookup_tool_service(0, "number", &address), MPI_ERR_ARG);
    QT_CHECK(address == &numbers, "a refused call changed its result");
    MPI_Finalize();
    return qt_end();
}
