/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_Pcontrol calls every instance that registered for it once, in the order of the chain, with
 * the level and the optional arguments. An instance that calls its next function reaches no other
 * instance. Run with the list shout,deaf,shout,relay,shout. */

#include "qmpi_test.h"
#include <stdarg.h>

static char heard[512];

/* Reads the arguments that main passes. */
static int shout(MPI_Context context, int tool_id, const int level, ...)
{
    size_t n = strlen(heard);
    va_list args;

    va_start(args, level);
    if (level == 1) {
        int i = va_arg(args, int);
        double d = va_arg(args, double);
        const char *s = va_arg(args, const char *);
        long l = va_arg(args, long);
        double e = va_arg(args, double);

        snprintf(heard + n, sizeof(heard) - n, "[%d: %d %g %s %ld %g]", tool_id, i, d, s, l, e);
    } else {
        snprintf(heard + n, sizeof(heard) - n, "[%d: level %d]", tool_id, level);
    }
    va_end(args);
    return MPI_SUCCESS;
}

/* Calls the next function, as for any other function. */
static int relay(MPI_Context context, int tool_id, const int level, ...)
{
    size_t n = strlen(heard);
    void (*fn) (void);
    int id;

    snprintf(heard + n, sizeof(heard) - n, "[%d: relay]", tool_id);
    QT_SUCCESS(MPI_Get_next_tool_function(tool_id, MPI_PCONTROL_T, &fn, &id));
    return ((MPI_Pcontrol_t *) fn) (context, id, level);
}

static void init_shout(int tool_id)
{
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_PCONTROL_T, (void (*)(void)) shout));
}

static void init_relay(int tool_id)
{
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_PCONTROL_T, (void (*)(void)) relay));
}

static void init_deaf(int tool_id)
{
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("shout", init_shout);
    qt_register("relay", init_relay);
    qt_register("deaf", init_deaf);
}

static void expect(const char *expected)
{
    QT_CHECK(strcmp(heard, expected) == 0, "expected %s, heard %s", expected, heard);
    heard[0] = '\0';
}

int main(int argc, char **argv)
{
    qt_begin();
    MPI_Init(&argc, &argv);
    expect("");
    QT_SUCCESS(MPI_Pcontrol(1, 7, 2.5, "text", 123456789012L, -0.25));
    expect("[1: 7 2.5 text 123456789012 -0.25][3: 7 2.5 text 123456789012 -0.25]"
           "[4: relay][5: 7 2.5 text 123456789012 -0.25]");
    QT_SUCCESS(PMPI_Pcontrol(0));
    expect("[1: level 0][3: level 0][4: relay][5: level 0]");
    QT_SUCCESS(MPI_Pcontrol(-3));
    expect("[1: level -3][3: level -3][4: relay][5: level -3]");
    QT_SUCCESS(QMPI_Pcontrol(1, 7, 2.5, "text", 1L, -0.25));
    expect("");
    MPI_Finalize();
    return qt_end();
}
