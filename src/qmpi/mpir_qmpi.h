/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_H_INCLUDED
#define MPIR_QMPI_H_INCLUDED

/* What the generated entries need of the QMPI runtime, and what its files share.
 *
 * The chain of tools is built once, at the first MPI call of the process, and never changes: a
 * reader needs no lock. For every function the head table holds where its entry jumps to, which is
 * all that a call costs while no tool is chosen: the library's own implementation, or the dispatch
 * to the first link that intercepts it. Until the chain stands the head table of a process with
 * tools holds bootstrap links: whichever is called first builds. */

#include "mpir_qmpi_call.h"

#ifdef ENABLE_QMPI

#include "mpir_qmpi_link.h"

/* Without weak symbols libmpi and libpmpi share these tables, so they cannot be hidden. */
#if defined(USE_WEAK_SYMBOLS) && defined(HAVE_VISIBILITY)
#define MPIR_QMPI_HIDDEN __attribute__((visibility("hidden")))
#else
#define MPIR_QMPI_HIDDEN
#endif

#if defined(MPL_HAVE_GCC_ATTRIBUTE) && !defined(__APPLE__)
#define MPIR_QMPI_HAVE_ALIAS 1
#define MPIR_QMPI_ALIAS(name_) __attribute__((alias(#name_)))
#endif

/* An entry jumps through the head table, so its own call is the application's: the dispatch sees
 * where that returns to. A compiler that does not optimize makes no such jumps, and libmpi's half of
 * a pair of libraries has no table of its own: there an entry asks whether the function is
 * intercepted and has the dispatch as a part of it. */
#if defined(MPIR_QMPI_HAVE_ALIAS) && defined(__OPTIMIZE__) && !defined(MPICH_MPI_FROM_PMPI)
#define MPIR_QMPI_HAVE_JUMPS 1
#endif

/* The way through tools stays apart from the library's own text, all of it together. */
#if defined(MPIR_QMPI_HAVE_JUMPS) && defined(__ELF__)
#define MPIR_QMPI_DISPATCH MPIR_QMPI_HIDDEN __attribute__((noinline, section(".text.qmpi")))
#elif defined(MPIR_QMPI_HAVE_JUMPS)
#define MPIR_QMPI_DISPATCH MPIR_QMPI_HIDDEN __attribute__((noinline))
#elif defined(MPL_HAVE_GCC_ATTRIBUTE) && !defined(__OPTIMIZE__)
#define MPIR_QMPI_DISPATCH static inline __attribute__((always_inline))
#else
#define MPIR_QMPI_DISPATCH static ATTRIBUTE((noinline))
#endif
#define MPIR_QMPI_COLD ATTRIBUTE((noinline, cold))
#define MPIR_QMPI_CALL_SITE __builtin_return_address(0)

/* Both words are valid at any time, whatever a reader on another processor sees of a change: at
 * worst it enters a call as if it had come a little earlier. They are read plainly where compilers
 * do not fold an atomic load into the instruction that uses it. */
typedef struct {
    union {
        MPIR_QMPI_Any_function *fn;     /* of the type of the function itself */
        MPL_atomic_ptr_t atomic;
    } entry;
    union {
        const MPIR_QMPI_Link *link;     /* the first; the tail if no tool wants the function */
        MPL_atomic_ptr_t atomic;
    } first;
} MPIR_QMPI_Head;

/* Where an entry may jump to; NULL where the function's entry asks instead. */
typedef struct {
    MPIR_QMPI_Any_function *direct;     /* the library's own implementation */
    MPIR_QMPI_Any_function *dispatch;   /* the way through tools */
} MPIR_QMPI_Ways;

/* generated: the heads, the ways from them, the ends of all chains, the links before there is one,
 * and the functions' names */
extern MPIR_QMPI_Head MPIR_QMPI_head[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;
extern const MPIR_QMPI_Ways MPIR_QMPI_ways[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;
extern const MPIR_QMPI_Link MPIR_QMPI_tail[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;
extern const MPIR_QMPI_Link MPIR_QMPI_bootstrap[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;
extern const char *const MPIR_QMPI_function_name[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;

/* Tail of functions that this configuration of the library lacks. */
int MPIR_QMPI_tail_missing(void) MPIR_QMPI_HIDDEN;

/* Builds the chain unless it stands, and gives the function's first link or its tail. In a tool
 * that MPI calls while building it is the tail: there is no chain yet. */
const MPIR_QMPI_Link *MPIR_QMPI_build(enum MPI_Functions_enum function) MPIR_QMPI_HIDDEN;

#ifdef __SANITIZE_THREAD__
#define MPIR_QMPI_entry(function_) \
    MPL_atomic_relaxed_load_ptr(&MPIR_QMPI_head[function_].entry.atomic)
#else
#define MPIR_QMPI_entry(function_) (MPIR_QMPI_head[function_].entry.fn)
#endif

/* The function's first link, or its tail when no tool wants it: another thread may have built the
 * chain since the entry was called. */
MPL_STATIC_INLINE_PREFIX const MPIR_QMPI_Link *MPIR_QMPI_first_link(enum MPI_Functions_enum function)
{
    return MPL_atomic_acquire_load_ptr(&MPIR_QMPI_head[function].first.atomic);
}

MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_intercepted(enum MPI_Functions_enum function)
{
    return MPIR_QMPI_first_link(function) != &MPIR_QMPI_tail[function];
}

/* All that the entry of a function does: the call of what its head names. args_ has its brackets. */
#ifdef MPIR_QMPI_HAVE_JUMPS
#define MPIR_QMPI_ENTER(function_, dispatch_, direct_, args_) \
    (((__typeof__(direct_) *) MPIR_QMPI_entry(function_)) args_)
#else
#define MPIR_QMPI_ENTER(function_, dispatch_, direct_, args_) \
    (unlikely(MPIR_QMPI_is_intercepted(function_)) ? dispatch_ args_ : direct_ args_)
#endif

/* How wide the integer is that the application's call of this attribute function gives as value;
 * MPIR_ATTR_PTR when the call comes from C. Asked at the end of the chain. A tool that calls an
 * attribute function inside another function calls as C does. */
MPL_STATIC_INLINE_PREFIX MPIR_Attr_type MPIR_QMPI_attr_type(MPI_Context context,
                                                            enum MPI_Functions_enum function)
{
    return context && context->function == function ? context->attr_type : MPIR_ATTR_PTR;
}

/* Calls every instance that registered for MPI_Pcontrol. */
int MPIR_QMPI_pcontrol(const void *call_site, int level, va_list varargs) MPIR_QMPI_HIDDEN;

/* Links of MPI_Pcontrol in the order of the chain; *count of them. */
const MPIR_QMPI_Link *MPIR_QMPI_pcontrol_links(int *count) MPIR_QMPI_HIDDEN;

/* Called when MPI_T is about to write the control variable at addr. Does nothing for variables that
 * do not choose tools; for these, keeps the text and arms the chain if there is a list now.
 * MPI_T_ERR_CVAR_SET_NOT_NOW once the chain stands or MPI is initialised. */
int MPIR_QMPI_cvar_write(const void *addr, const void *value) MPIR_QMPI_HIDDEN;

/* Whether the control variable at addr chooses tools and can no longer be written: MPI_T shows it as
 * read-only then. */
bool MPIR_QMPI_cvar_is_closed(const void *addr) MPIR_QMPI_HIDDEN;

/* Called when MPI_T has set up its tables: shows in the control variables what is in force, whatever
 * its source, and adds the performance variables. */
int MPIR_QMPI_mpit_init(void) MPIR_QMPI_HIDDEN;

#endif /* ENABLE_QMPI */

#endif /* MPIR_QMPI_H_INCLUDED */
