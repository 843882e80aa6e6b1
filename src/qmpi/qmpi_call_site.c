/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

#ifdef ENABLE_QMPI

#ifdef __GNUC__
#include <unwind.h>
#endif

/* Where the application's call returns to. A call in C returns there from the entry, which notes it.
 * In another language the entry returns to a function of that language's interface; who called that
 * one is on the stack, and looked for only when a tool asks: the first time by unwinding the stack,
 * which takes thousands of instructions, then where it was found. */

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

/* Guards what is learned of call sites, not its use. */
static MPL_initlock_t learning_lock = MPL_INITLOCK_INITIALIZER;

static bool is_in_binding(const void *return_address)
{
    /* of the call instruction: behind a function's last one lies another function */
    const void *address = (const char *) return_address - 1;
    const MPIR_QMPI_Binding *binding = MPL_atomic_acquire_load_ptr(&bindings);

    while (binding && !binding->contains(address))
        binding = binding->next;
    return binding != NULL;
}

/* ---- calls that were found before ---- */

/* A call of an entry in a language's interface. The function that holds it has a frame of one size,
 * so the word that says where the application's call returns to lies as far from the entry's context
 * every time. It is believed only where it names a call site that unwinding found there before. */
#define NUM_CALL_SITES 64
typedef struct {
    MPL_atomic_ptr_t inner;     /* where the entry returns to; set when all else is */
    MPL_atomic_int64_t distance;        /* from the context to that word, in bytes; 0 if it varies */
    MPL_atomic_ptr_t outer[NUM_CALL_SITES];     /* call sites, by a part of the address */
} Interface_call;

/* Each has one of a few places. What finds none is unwound every time. */
#define NUM_INTERFACE_CALLS 256
#define NUM_PLACES 8
static Interface_call interface_calls[NUM_INTERFACE_CALLS];

static Interface_call *place_of_call(const void *inner, int i)
{
    return &interface_calls[((uintptr_t) inner + i) % NUM_INTERFACE_CALLS];
}

static Interface_call *find_call(const void *inner)
{
    for (int i = 0; i < NUM_PLACES; i++) {
        Interface_call *call = place_of_call(inner, i);
        if (MPL_atomic_acquire_load_ptr(&call->inner) == inner)
            return call;
    }
    return NULL;
}

static MPL_atomic_ptr_t *place_of_outer(Interface_call * call, const void *outer)
{
    return &call->outer[(uintptr_t) outer % NUM_CALL_SITES];
}

#ifdef MPL_HAVE_GCC_ATTRIBUTE
__attribute__((no_sanitize_address))    /* the word belongs to another function's frame */
#endif
static const void *read_outer(MPI_Context context, ptrdiff_t distance)
{
    return *(const void *const *) ((const char *) context + distance);
}

/* NULL unless that call site was found before. */
static const void *recall_outer(MPI_Context context)
{
    Interface_call *call = find_call(context->call_site);
    const ptrdiff_t distance = call ? MPL_atomic_relaxed_load_int64(&call->distance) : 0;
    const void *outer;

    if (distance == 0)
        return NULL;
    outer = read_outer(context, distance);
    return MPL_atomic_relaxed_load_ptr(place_of_outer(call, outer)) == outer ? outer : NULL;
}

/* The code at an address may be another one's from now on. */
static void forget_call_sites(void)
{
    MPL_initlock_lock(&learning_lock);
    for (int i = 0; i < NUM_DIRECT; i++)
        MPL_atomic_relaxed_store_ptr(&direct[i], NULL);
    for (int i = 0; i < NUM_INTERFACE_CALLS; i++) {
        Interface_call *call = &interface_calls[i];
        if (!MPL_atomic_relaxed_load_ptr(&call->inner))
            continue;
        MPL_atomic_relaxed_store_ptr(&call->inner, NULL);
        for (int j = 0; j < NUM_CALL_SITES; j++)
            MPL_atomic_relaxed_store_ptr(&call->outer[j], NULL);
    }
    MPL_initlock_unlock(&learning_lock);
}

/* ---- unwinding ---- */

#ifdef __GNUC__
typedef struct {
    const void *inner;
    bool is_inside;             /* the frames seen last are of the interface */
    bool is_steady;             /* and all of them of one size */
    uintptr_t frame_pointer;    /* of the one seen last */
    uintptr_t stack_pointer;    /* of the application's function at its call */
    const void *outer;          /* NULL until it is found */
} Search;

#ifdef __x86_64__
/* A call leaves the return address below what was the top of the stack. A function whose frame may
 * grow finds its caller by the frame pointer, as others do where the compiler was told so. */
#define FRAME_POINTER 6
#define RETURN_ADDRESS_OFFSET (-8)
#define CALLER_OF_FRAME_POINTER(frame_pointer_) ((frame_pointer_) + 16)
#endif

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *state)
{
    Search *search = state;
    const void *address = (const void *) (uintptr_t) _Unwind_GetIP(frame);

    search->is_inside = search->is_inside || address == search->inner;
    if (!search->is_inside)
        return _URC_NO_REASON;
#ifdef FRAME_POINTER
    search->stack_pointer = _Unwind_GetCFA(frame);
    if (CALLER_OF_FRAME_POINTER(search->frame_pointer) == search->stack_pointer)
        search->is_steady = false;
    search->frame_pointer = _Unwind_GetGR(frame, FRAME_POINTER);
#else
    search->is_steady = false;
#endif
    if (is_in_binding(address))
        return _URC_NO_REASON;
    search->outer = address;
    return _URC_NORMAL_STOP;
}

#ifdef FRAME_POINTER
static void learn_outer(MPI_Context context, const Search * search)
{
    const ptrdiff_t distance =
        (ptrdiff_t) (search->stack_pointer + RETURN_ADDRESS_OFFSET - (uintptr_t) context);
    Interface_call *call;

    if (!search->is_steady || read_outer(context, distance) != search->outer)
        return;
    MPL_initlock_lock(&learning_lock);
    call = find_call(search->inner);
    for (int i = 0; !call && i < NUM_PLACES; i++) {
        Interface_call *place = place_of_call(search->inner, i);
        if (!MPL_atomic_relaxed_load_ptr(&place->inner)) {
            call = place;
            MPL_atomic_relaxed_store_int64(&call->distance, distance);
            MPL_atomic_release_store_ptr(&call->inner, (void *) search->inner);
        }
    }
    if (call && MPL_atomic_relaxed_load_int64(&call->distance) == distance)
        MPL_atomic_relaxed_store_ptr(place_of_outer(call, search->outer), (void *) search->outer);
    else if (call)
        MPL_atomic_relaxed_store_int64(&call->distance, 0);
    MPL_initlock_unlock(&learning_lock);
}
#else
static void learn_outer(MPI_Context context, const Search * search)
{
}
#endif

/* Behind the frame that the entry returns to, the first that does not return to a language's
 * interface. NULL if the frames cannot be told: code without unwind tables, or a thread other than
 * the call's. */
static const void *find_outer(MPI_Context context)
{
    Search search = {.inner = context->call_site,.is_steady = true };

    _Unwind_Backtrace(visit_frame, &search);
    if (search.outer)
        learn_outer(context, &search);
    return search.outer;
}
#else
static const void *find_outer(MPI_Context context)
{
    return NULL;
}
#endif

/* ---- asking ---- */

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
        outer = find_outer(context);
    else
        MPL_atomic_relaxed_store_ptr(place_of(site), (void *) site);
    *(const void **) address = outer ? outer : site;
    return MPI_SUCCESS;
}

/* While only C can call. */
static int get_in_c(MPI_Context context, void *address)
{
    if (unlikely(!MPII_QMPI_both_set(context, address)))
        return get_slow(context, address);
    *(const void **) address = context->call_site;
    return MPI_SUCCESS;
}

static int get_in_any(MPI_Context context, void *address)
{
    if (likely(MPII_QMPI_both_set(context, address))) {
        const void *site = context->call_site;
        if (likely(MPL_atomic_relaxed_load_ptr(place_of(site)) == site)) {
            *(const void **) address = site;
            return MPI_SUCCESS;
        }
        site = recall_outer(context);
        if (likely(site)) {
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
    forget_call_sites();
    MPIR_QMPI_get_call_site = get_in_any;
}

void MPII_QMPI_remove_binding(MPIR_QMPI_Binding * binding)
{
    MPIR_QMPI_Binding *other = MPL_atomic_acquire_load_ptr(&bindings);

    forget_call_sites();
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
