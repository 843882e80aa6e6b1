/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A PMPI tool in C++ with common habits. Each wrapped function calls MPI by another method; the native
 * tools before and after it show the path of those calls. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>

#include <dlfcn.h>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

extern "C" void note(const char *text);

namespace {

using Barrier = int(MPI_Comm);

/* A constructor that looks functions up, as a library does that replaces MPI's. */
struct Lookup {
    Barrier *barrier;
    int constructed = 0;

    Lookup()
    {
        int is_initialized = 1;
        constructed++;
        barrier = reinterpret_cast<Barrier *>(dlsym(RTLD_NEXT, "MPI_Barrier"));
        PMPI_Initialized(&is_initialized);
    }
};

Lookup lookup;

/* addresses in data that the linker closes when it has written them */
double (*const clocks[])() = {PMPI_Wtime, MPI_Wtime};

/* Access rights of the memory at an address: "r--p". */
std::string rights(const void *address)
{
    unsigned long from, to, wanted = reinterpret_cast<unsigned long>(address);
    char line[4096], access[8] = "?", found[8] = "?";

    FILE *maps = std::fopen("/proc/self/maps", "r");
    while (maps != nullptr && std::fgets(line, sizeof(line), maps) != nullptr)
        if (std::sscanf(line, "%lx-%lx %7s", &from, &to, access) == 3 && wanted >= from &&
            wanted < to)
            std::strcpy(found, access);
    if (maps != nullptr)
        std::fclose(maps);
    return found;
}

}  // namespace

/* one that it wraps itself, one that it does not */
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    int rank;
    MPI_Group group;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_group(comm, &group);
    PMPI_Group_free(&group);
    return PMPI_Comm_size(comm, size);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    note("t>MPI_Comm_rank");
    int error_code = PMPI_Comm_rank(comm, rank);
    note("t<MPI_Comm_rank");
    return error_code;
}

/* by an address found in a constructor, before the chain was built */
int MPI_Barrier(MPI_Comm comm)
{
    note(("constructed " + std::to_string(lookup.constructed)).c_str());
    return lookup.barrier(comm);
}

/* by a table of addresses in data that is closed again */
double MPI_Wtime()
{
    note(
        (rights(clocks) + (clocks[1] == static_cast<double (*)()>(MPI_Wtime) ? " own" : " foreign"))
            .c_str());
    return clocks[0]();
}

/* by names, with all look-up functions */
double MPI_Wtick()
{
    auto *mine = dlsym(RTLD_DEFAULT, "MPI_Wtick");
    note(mine == reinterpret_cast<void *>(&MPI_Wtick) ? "own" : "foreign");
    note(dlsym(RTLD_NEXT, "strlen") != nullptr && dlsym(RTLD_DEFAULT, "strlen") != nullptr &&
                 dlsym(RTLD_DEFAULT, "MPI_Nonsense") == nullptr
             ? "others"
             : "others missing");
    return reinterpret_cast<double (*)()>(dlsym(RTLD_DEFAULT, "PMPI_Wtick"))();
}

int MPI_Get_version(int *version, int *subversion)
{
    Dl_info info;
    dladdr(reinterpret_cast<void *>(&QMPI_Get_version), &info);
    void *library = dlopen(info.dli_fname, RTLD_NOW);
    return reinterpret_cast<int (*)(int *, int *)>(dlsym(library, "MPI_Get_version"))(version,
                                                                                      subversion);
}

/* in a separate thread */
int MPI_Initialized(int *flag)
{
    int error_code = MPI_SUCCESS;
    std::thread helper([&] { error_code = PMPI_Initialized(flag); });
    helper.join();
    return error_code;
}

int MPI_Pcontrol(const int level, ...)
{
    char text[200];
    std::va_list varargs;

    va_start(varargs, level);
    int whole = va_arg(varargs, int);
    double broken = va_arg(varargs, double);
    const char *word = va_arg(varargs, const char *);
    std::snprintf(text, sizeof(text), "pcontrol %d %d %.1f %s", level, whole, broken, word);
    va_end(varargs);
    note(text);
    return PMPI_Pcontrol(level);
}
