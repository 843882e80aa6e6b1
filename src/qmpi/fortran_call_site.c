/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpichconf.h"
#include "mpi.h"
#include <stddef.h>
#include "mpii_qmpi_fortran.h"

/* Tells libmpi which functions are those of the Fortran interfaces, so that the call site that a
 * tool asks for is the application's. */

#if MPIR_EXT_QMPI && defined(__GNUC__)

#ifdef PIC
/* In a shared library: all that it contains. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static int contains(const void *address)
{
    return (const char *) address >= __ehdr_start && (const char *) address < etext;
}

#else /* PIC */
/* In an archive they lie among the application's functions. */
#include <unwind.h>

#if defined(F77_NAME_UPPER)
#define FORTRAN_NAME(lower_, upper_) upper_
#elif defined(F77_NAME_LOWER)
#define FORTRAN_NAME(lower_, upper_) lower_
#elif defined(F77_NAME_LOWER_2USCORE)
#define FORTRAN_NAME(lower_, upper_) lower_ ## __
#else
#define FORTRAN_NAME(lower_, upper_) lower_ ## _
#endif

/* weak: a program has those that it was linked with */
#define MPIR_QMPI_C_FUNCTION(name_) void name_(void) __attribute__((weak));
#define MPIR_QMPI_FORTRAN_FUNCTION(lower_, upper_) MPIR_QMPI_C_FUNCTION(FORTRAN_NAME(lower_, upper_))
#include "fortran_functions.h"
#ifdef MPIR_QMPI_HAVE_F08
#include "f08/f08_functions.h"
#endif
#undef MPIR_QMPI_C_FUNCTION

#define MPIR_QMPI_C_FUNCTION(name_) name_,
static void (*const functions[]) (void) = {
#include "fortran_functions.h"
#ifdef MPIR_QMPI_HAVE_F08
#include "f08/f08_functions.h"
#endif
};

static int contains(const void *address)
{
    const void *start = _Unwind_FindEnclosingFunction((void *) address);

    for (size_t i = 0; start && i < sizeof(functions) / sizeof(functions[0]); i++)
        if (start == (const void *) functions[i])
            return 1;
    return 0;
}
#endif /* PIC */

static MPIR_QMPI_Binding binding = { NULL, contains };

extern const MPIR_QMPI_Binding *const MPIR_QMPI_fortran_binding;
const MPIR_QMPI_Binding *const MPIR_QMPI_fortran_binding = &binding;

__attribute__((constructor))
static void add(void)
{
    MPII_QMPI_add_binding(&binding);
}

__attribute__((destructor))
static void withdraw(void)
{
    MPII_QMPI_remove_binding(&binding);
}

#endif /* MPIR_EXT_QMPI && __GNUC__ */
