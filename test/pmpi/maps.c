/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool that reads the files of all code in the process, as Vftrace does. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void need(const char *what, const char *file)
{
    if (*file && access(file, R_OK) != 0)
        printf("maps: %s has %s\n", what, file);
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    if (!strstr(info->dlpi_name, "vdso"))
        need("the list of libraries", info->dlpi_name);
    return 0;
}

int MPI_Finalize(void)
{
    char line[4096], rights[8], file[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    Dl_info info;

    while (fgets(line, sizeof(line), maps)) {
        *file = '\0';
        sscanf(line, "%*s %7s %*s %*s %*s %[^\n]", rights, file);
        if ((rights[2] == 'x' || strstr(file, "qmpi-")) && *file != '[')
            need("the address space", file);
    }
    fclose(maps);
    dl_iterate_phdr(visit, NULL);
    dladdr((void *) &MPI_Finalize, &info);
    need("the function", info.dli_fname);
    printf("maps: %s in %s\n", info.dli_sname, strrchr(info.dli_fname, '/') + 1);
    return PMPI_Finalize();
}
