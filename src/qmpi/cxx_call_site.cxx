/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#define MPICH_SKIP_MPICXX 1     // the interface in C suffices
#include "mpi.h"
extern "C" {
#include "mpir_qmpi_call.h"
}

/* Tells libmpi which functions are those of the C++ interface, so that the call site that a tool
 * asks for is the application's. Most are inline functions of mpicxx.h: where the compiler made them
 * part of their caller nothing lies in between, elsewhere the application has a copy of its own,
 * which is known by its name. */

#if MPIR_EXT_QMPI && defined(__GNUC__)

#include <dlfcn.h>
#include <string.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

namespace {

bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

int contains(const void *address)
{
    Dl_info symbol;

#ifdef PIC
    if (static_cast<const char *>(address) >= __ehdr_start && static_cast<const char *>(address) < etext)
        return 1;
#endif
    // members of namespace MPI, const or not
    return dladdr(address, &symbol) != 0 && symbol.dli_sname != 0 &&
        (starts_with(symbol.dli_sname, "_ZN3MPI") || starts_with(symbol.dli_sname, "_ZNK3MPI"));
}

MPIR_QMPI_Binding binding = { 0, contains };

struct Registration {
    Registration() { MPII_QMPI_add_binding(&binding); }
    ~Registration() { MPII_QMPI_remove_binding(&binding); }
} registration;

}

#endif
