/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"

#ifdef ENABLE_QMPI

#ifdef MPL_HAVE_EXECINFO_H
#include <execinfo.h>
#endif

/* Where the application's call returns to. A call in C returns there from the entry, which notes it.
 * In another language the entry returns to a function of that language's interface; who called that
 * one is on the stack, and looked for only when a tool asks. */

uintptr_t MPIR_QMPI_only_c = UINTPTR_MAX;

static MPL_atomic_ptr_t bindings = MPL_ATOMIC_PTR_T_INITIALIZER(NULL);

void MPII_QMPI_add_binding(MPIR_QMPI_Binding * binding)
{
    /* libraries are loaded one at a time */
    binding->next = MPL_atomic_relaxed_load_ptr(&bindings);
    MPL_atomic_release_store_ptr(&bindings, binding);
    MPIR_QMPI_only_c = 0;
}

void MPII_QMPI_remove_binding(MPIR_QMPI_Binding * binding)
{
    MPIR_QMPI_Binding *other = MPL_atomic_acquire_load_ptr(&bindings);

    if (other == binding) {
        MPL_atomic_release_store_ptr(&bindings, binding->next);
        return;
    }
    while (other && other->next != binding)
        other = other->next;
    if (other)
        other->next = binding->next;
}

static bool is_in_binding(const void *return_address)
{
    /* of the call instruction: behind a function's last one lies another function */
    const void *address = (const char *) return_address - 1;
    const MPIR_QMPI_Binding *binding = MPL_atomic_acquire_load_ptr(&bindings);

    while (binding && !binding->contains(address))
        binding = binding->next;
    return binding != NULL;
}

#ifdef MPL_HAVE_EXECINFO_H
/* Behind the frame that returns to inner, the first that does not return to a language's interface.
 * NULL if the frames cannot be told: code without unwind tables, or a thread other than the call's. */
static const void *find_in_frames(void *const *frames, int count, const void *inner)
{
    int i = 0;

    while (i < count && frames[i] != inner)
        i++;
    while (i < count && is_in_binding(frames[i]))
        i++;
    return i < count ? frames[i] : NULL;
}

static const void *find_outer(const void *inner)
{
    int size = 64, count;
    const void *outer;

    do {
        void **frames = MPL_direct_malloc(size * sizeof(*frames));
        if (!frames)
            return NULL;
        count = backtrace(frames, size);
        outer = find_in_frames(frames, count, inner);
        MPL_direct_free(frames);
        /* a long chain of tools lies between: once more with all of it */
        size *= 4;
    } while (!outer && count == size / 4);
    return outer;
}
#else
static const void *find_outer(const void *inner)
{
    return NULL;
}
#endif

const void *MPIR_QMPI_find_call_site(MPI_Context context)
{
    const void *outer = NULL;

    if (is_in_binding(context->call_site))
        outer = find_outer(context->call_site);
    return outer ? outer : context->call_site;
}

#endif /* ENABLE_QMPI */
