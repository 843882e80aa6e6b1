/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* In the chain foo,bar,foo every instance is initialized once, in the order of the list, with its
 * own id; calls are nested in that order and each instance gets its own storage, which the
 * recording tool checks in every call. Run with each name of the variable and with both
 * separators. */

#include "qmpi_test.h"

static char inits[64];

static void note_init(const char *name, int tool_id)
{
    size_t n = strlen(inits);

    snprintf(inits + n, sizeof(inits) - n, "%s=%d ", name, tool_id);
}

static void init_foo(int tool_id)
{
    note_init("foo", tool_id);
    qt_record_all(tool_id);
}

/* intercepts one function; all other calls skip the instance */
static void init_bar(int tool_id)
{
    note_init("bar", tool_id);
    qt_record_begin(tool_id);
    qt_record_function(tool_id, MPI_COMM_RANK_T);
}

static void init_unused(int tool_id)
{
    QT_CHECK(0, "a tool that is not in the list was initialized with id %d", tool_id);
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("unused", init_unused);
    qt_register("bar", init_bar);
    qt_register("foo", init_foo);
}

int main(int argc, char **argv)
{
    int rank = -1, size = -1;

    qt_begin();
    QT_CHECK(inits[0] == '\0', "tools were initialized before the first MPI call: %s", inits);
    MPI_Init(&argc, &argv);
    QT_CHECK(strcmp(inits, "foo=1 bar=2 foo=3 ") == 0, "wrong initialization: %s", inits);
    qt_expect_log("1>MPI_Init 3>MPI_Init 3<MPI_Init 1<MPI_Init", "MPI_Init");

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    QT_CHECK(rank == 0, "wrong rank %d", rank);
    qt_expect_log("1>MPI_Comm_rank 2>MPI_Comm_rank 3>MPI_Comm_rank "
                  "3<MPI_Comm_rank 2<MPI_Comm_rank 1<MPI_Comm_rank", "MPI_Comm_rank");

    MPI_Comm_size(MPI_COMM_SELF, &size);
    QT_CHECK(size == 1, "wrong size %d", size);
    qt_expect_log("1>MPI_Comm_size 3>MPI_Comm_size 3<MPI_Comm_size 1<MPI_Comm_size",
                  "MPI_Comm_size");

    MPI_Finalize();
    qt_expect_log("1>MPI_Finalize 3>MPI_Finalize 3<MPI_Finalize 1<MPI_Finalize", "MPI_Finalize");
    QT_CHECK(strcmp(inits, "foo=1 bar=2 foo=3 ") == 0, "initialized again: %s", inits);
    return qt_end();
}
