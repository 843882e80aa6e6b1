/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool in a preloaded library is found. The library is passall.so, in the same directory as this
 * program. */

#define _GNU_SOURCE
#include "qmpi_test.h"
#include <unistd.h>

/* A statically linked program cannot use preloaded tools. */
static int has_shared_library(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;

    while (maps && !found && fgets(line, sizeof(line), maps))
        found = strstr(line, "/libmpi") != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static void preload(char **argv)
{
    const char *preloaded = getenv("LD_PRELOAD");
    char *libraries;

    if (preloaded && strstr(preloaded, "passall.so"))
        return;
    if (access("passall.so", R_OK) != 0) {
        fprintf(stderr, "preloaded: no passall.so in the current directory\n");
        exit(1);
    }
    if (asprintf(&libraries, "./passall.so%s%s", preloaded ? ":" : "", preloaded ? preloaded : "")
        < 0)
        abort();
    setenv("LD_PRELOAD", libraries, 1);
    setenv("MPIR_CVAR_QMPI_TOOL_LIST", "passall,passall", 1);
    execv("/proc/self/exe", argv);
    perror("preloaded: cannot start the program again");
    exit(1);
}

int main(int argc, char **argv)
{
    int rank = -1, in = 21, out = -1, id = -1;
    void (*fn) (void) = NULL;

    if (!has_shared_library()) {
        MPI_Init(&argc, &argv);
        MPI_Finalize();
        return qt_end();
    }
    preload(argv);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    QT_CHECK(rank == 0 && out == 21, "rank %d, sum %d", rank, out);
    /* both instances are in the chain */
    QT_SUCCESS(MPI_Get_next_tool_function(1, MPI_ALLREDUCE_T, &fn, &id));
    QT_CHECK(fn != NULL && id == 2, "the next of 1 is %d", id);
    QT_SUCCESS(MPI_Get_next_tool_function(2, MPI_ALLREDUCE_T, &fn, &id));
    QT_CHECK(fn != NULL && id == 0, "the next of 2 is %d", id);
    MPI_Finalize();
    return qt_end();
}
