/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

#ifdef ENABLE_QMPI

#ifdef MPL_HAVE_EXECINFO_H
#include <execinfo.h>
#endif

/* Where the application's call returns to. A call in C returns there from the entry, which notes it.
 * In another language the entry returns to a function of that language's interface; who called that
 * one is on the stack, and looked for only when a tool asks. */

static MPL_atomic_ptr_t bindings = MPL_ATOMIC_PTR_T_INITIALIZER(NULL);

/* Call sites that were found to lie in no binding, by a part of the address: asking the bindings takes
 * hundreds of instructions. A word is written when another call site takes the place, so in a loop
 * of calls nothing is. */
#define NUM_DIRECT 1024
static MPL_atomic_ptr_t direct[NUM_DIRECT];

static MPL_atomic_ptr_t *place_of(const void *site)
{
    return &direct[(uintptr_t) site % NUM_DIRECT];
}

/* The code at an address may be another one's from now on. */
static void forget_direct(void)
{
    for (int i = 0; i < NUM_DIRECT; i++)
        MPL_atomic_relaxed_store_ptr(&direct[i], NULL);
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

/* Two pointers whose common bits are not all zero are both set; the rare valid pair that fails this
 * goes the long way. */
#define both_set(a_, b_) (((uintptr_t) (a_) & (uintptr_t) (b_)) != 0)

static int MPIR_QMPI_COLD get_slow(MPI_Context context, void *address)
{
    static const char fcname[] = "PMPI_Get_calling_address";
    const void *site, *outer = NULL;

    if (!context)
        return MPII_QMPI_refuse_null(fcname, "context");
    if (!address)
        return MPII_QMPI_refuse_null(fcname, "address");
    site = context->call_site;
    if (is_in_binding(site))
        outer = find_outer(site);
    else
        MPL_atomic_relaxed_store_ptr(place_of(site), (void *) site);
    *(const void **) address = outer ? outer : site;
    return MPI_SUCCESS;
}

/* While only C can call. */
static int get_in_c(MPI_Context context, void *address)
{
    if (unlikely(!both_set(context, address)))
        return get_slow(context, address);
    *(const void **) address = context->call_site;
    return MPI_SUCCESS;
}

static int get_in_any(MPI_Context context, void *address)
{
    if (likely(both_set(context, address))) {
        const void *site = context->call_site;
        if (likely(MPL_atomic_relaxed_load_ptr(place_of(site)) == site)) {
            *(const void **) address = site;
            return MPI_SUCCESS;
        }
    }
    return get_slow(context, address);
}

int (*MPIR_QMPI_get_call_site) (MPI_Context context, void *address) = get_in_c;

void MPII_QMPI_add_binding(MPIR_QMPI_Binding * binding)
{
    /* libraries are loaded one at a time */
    binding->next = MPL_atomic_relaxed_load_ptr(&bindings);
    MPL_atomic_release_store_ptr(&bindings, binding);
    forget_direct();
    MPIR_QMPI_get_call_site = get_in_any;
}

void MPII_QMPI_remove_binding(MPIR_QMPI_Binding * binding)
{
    MPIR_QMPI_Binding *other = MPL_atomic_acquire_load_ptr(&bindings);

    forget_direct();
    if (other == binding) {
        MPL_atomic_release_store_ptr(&bindings, binding->next);
        return;
    }
    while (other && other->next != binding)
        other = other->next;
    if (other)
        other->next = binding->next;
}

#endif /* ENABLE_QMPI */
