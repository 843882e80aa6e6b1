/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_QMPI_H_INCLUDED
#define MPIR_QMPI_H_INCLUDED

/* The part of the QMPI runtime that generated code and the rest of libmpi see.
 *
 * Every function has a gate, one byte. It is open (0) where a call needs neither MPICH's test for
 * initialization nor a tool: MPI_X tests the byte in place of that test and jumps to the function's
 * body. A closed gate sends the call to the chain of tools, whose end, like the QMPI_ functions,
 * calls the body. The chain is built when MPI is initialized for the first time and never
 * changes. */

#include "mpir_qmpi_call.h"

#if MPIR_EXT_QMPI

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "mpl.h"
#include "mpir_attr_generic.h"

#if !defined(MPL_HAVE_GCC_ATTRIBUTE)
#error "QMPI needs thread-local variables and __builtin_return_address as gcc and clang have them"
#endif

/* Without weak symbols libmpi and libpmpi share these objects, so they cannot be hidden. */
#if defined(USE_WEAK_SYMBOLS) && defined(HAVE_VISIBILITY)
#define MPIR_QMPI_HIDDEN __attribute__((visibility("hidden")))
#else
#define MPIR_QMPI_HIDDEN
#endif

/* What MPI_X does, under a name that nothing can interpose. It begins a cache line, as the entry
 * does. */
#ifdef MPICH_MPI_FROM_PMPI
#define MPIR_QMPI_BODY static
#else
#define MPIR_QMPI_BODY MPIR_QMPI_HIDDEN __attribute__((noinline, aligned(64), used))
#endif

/* Code that runs only with tools is kept apart from the library's own text. */
#ifdef __ELF__
#define MPIR_QMPI_DISPATCH MPIR_QMPI_HIDDEN __attribute__((noinline, used, section(".text.qmpi")))
#else
#define MPIR_QMPI_DISPATCH MPIR_QMPI_HIDDEN __attribute__((noinline, used))
#endif

/* ---- links ---- */

typedef void (MPIR_QMPI_Any_function) (void);

/* A function of an instance, or the library's own (tool id 0). */
typedef struct {
    MPIR_QMPI_Any_function *fn;
    int tool_id;
} MPIR_QMPI_Link;

typedef const MPIR_QMPI_Link *MPIR_QMPI_Row[MPI_LAST_FUNC_T];

/* The chain as tools read it. The numbers are published after what they count. */
typedef struct {
    unsigned num_instances;
    unsigned num_linked;        /* num_instances when all init callbacks have returned, before 0 */
    void **storage;             /* [instance - 1] */
    const MPIR_QMPI_Row *next;  /* [instance - 1]: the links that follow the instance */
} MPIR_QMPI_Chain;

extern MPIR_QMPI_Chain MPIR_QMPI_chain MPIR_QMPI_HIDDEN;

/* First link of every function: the tail if no instance intercepts it, or no chain is built. */
extern MPL_atomic_ptr_t MPIR_QMPI_first[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;

/* Generated: the ends of all chains and the functions' names. */
extern const MPIR_QMPI_Link MPIR_QMPI_tail[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;
extern const char *const MPIR_QMPI_function_name[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;

/* Tail of the functions that this library lacks. */
int MPIR_QMPI_tail_missing(void) MPIR_QMPI_HIDDEN;

/* Builds the chain if this is the first call. */
void MPIR_QMPI_build(void) MPIR_QMPI_HIDDEN;

/* MPI_Context points to one of these on the stack of the dispatch. */
struct MPIR_QMPI_Context {
    const void *call_site;      /* return address of the application's call */
    /* of a call in Fortran that differs from one in C, else zeros, which one instruction sets */
    uint16_t fortran_function;  /* enum MPI_Functions_enum */
    uint16_t fortran_type;      /* an attribute's MPIR_Attr_type, or MPIR_QMPI_CALLBACK */
    /* set for these calls only */
    union {
        struct {
            int object, keyval;
            bool is_known;      /* the library has returned value */
            const void *value;
        } attr;
        struct {                /* of the proxies by which the library calls procedures */
            MPIR_QMPI_Any_function *proxy;
            void (*destructor) (void *state);
        } callback;
    } fortran;
};

#define MPIR_QMPI_CALLBACK 0x100

/* ---- for the generated code of the interface's own functions (src/qmpi/qmpi_api.txt) ---- */

/* True in the thread that runs init callbacks. */
bool MPIR_QMPI_is_initializing(void) MPIR_QMPI_HIDDEN;

/* True in the thread that runs the init callback of the instance. */
bool MPIR_QMPI_is_registering(int tool_id) MPIR_QMPI_HIDDEN;

/* Unwinds calls of the C++ interface's own functions; NULL without that interface. */
extern MPL_atomic_ptr_t MPIR_QMPI_call_site_resolver MPIR_QMPI_HIDDEN;

MPL_STATIC_INLINE_PREFIX const void *MPIR_QMPI_call_site(MPI_Context context)
{
    MPIR_QMPI_Call_site_resolver *resolve =
        MPL_atomic_acquire_load_ptr(&MPIR_QMPI_call_site_resolver);

    return unlikely(resolve) ? resolve(context->call_site) : context->call_site;
}

/* True if value is below a published number: then, and only then, what the number counts may be
 * loaded. x86-64 keeps the order of loads, so it is enough to hold back the compiler, which does
 * not fold an atomic load into the compare. */
MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_below(unsigned value, const unsigned *number)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    if (value >= *number)
        return false;
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    return true;
#else
    return value < __atomic_load_n(number, __ATOMIC_ACQUIRE);
#endif
}

MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_linked(void)
{
    return MPIR_QMPI_is_below(0, &MPIR_QMPI_chain.num_linked);
}

MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_instance(int tool_id)
{
    return MPIR_QMPI_is_below((unsigned) tool_id - 1, &MPIR_QMPI_chain.num_instances);
}

MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_linked_instance(int tool_id)
{
    return MPIR_QMPI_is_below((unsigned) tool_id - 1, &MPIR_QMPI_chain.num_linked);
}

/* Next link after an instance of the linked chain. */
MPL_STATIC_INLINE_PREFIX const MPIR_QMPI_Link *MPIR_QMPI_next_link(int tool_id, int function)
{
    return MPIR_QMPI_chain.next[(unsigned) tool_id - 1][(unsigned) function];
}

MPL_STATIC_INLINE_PREFIX void *MPIR_QMPI_storage(int tool_id)
{
    return __atomic_load_n(&MPIR_QMPI_chain.storage[(unsigned) tool_id - 1], __ATOMIC_ACQUIRE);
}

/* ---- gates ---- */

#define MPIR_QMPI_GATE_OPEN 0
#define MPIR_QMPI_GATE_INTERCEPTED 1    /* closed, MPI is initialized */
#define MPIR_QMPI_GATE_CLOSED 2 /* MPI is not initialized */
extern unsigned char MPIR_QMPI_gate[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;

/* Gates without tools while MPI is not initialized: open for functions that can be called then. */
extern const unsigned char MPIR_QMPI_first_gate[MPI_LAST_FUNC_T] MPIR_QMPI_HIDDEN;

#define MPIR_QMPI_CALL_SITE __builtin_return_address(0)

#ifdef MPIIMPL_H_INCLUDED
/* With a gate, gcc takes error paths for as likely as the others unless it is told. */
int MPIR_Err_return_comm(struct MPIR_Comm *, const char[], int) __attribute__((cold));
int MPIR_Err_return_win(struct MPIR_Win *, const char[], int) __attribute__((cold));
int MPIR_Err_create_code(int, int, const char[], int, int, const char[], const char[], ...)
    __attribute__((cold));
#endif

MPL_STATIC_INLINE_PREFIX int MPIR_QMPI_gate_is_closed(enum MPI_Functions_enum function)
{
    return MPIR_QMPI_LOAD_GATE(MPIR_QMPI_gate[function]);
}

MPL_STATIC_INLINE_PREFIX void MPIR_QMPI_note_call_site(enum MPI_Functions_enum function,
                                                       const void *call_site)
{
    if (MPIR_QMPI_note.function != (int) function)
        MPIR_QMPI_note.site = call_site;
    else
        MPIR_QMPI_note.function = -1;
}

/* In MPI_X before the jump to the body: the chain if a tool may want the call. */
#define MPIR_QMPI_GATE(function_, dispatch_) \
    do { \
        if (unlikely(MPIR_QMPI_gate_is_closed(function_))) { \
            MPIR_QMPI_note_call_site(function_, MPIR_QMPI_CALL_SITE); \
            return dispatch_; \
        } \
    } while (0)

/* MPICH's test, before calls of the body that do not come through an open gate. It does not return
 * where it fails: arguments need not be saved. */
#ifdef HAVE_ERROR_CHECKING
#define MPIR_QMPI_TEST_INITIALIZED(function_) \
    do { \
        if (unlikely(MPIR_QMPI_LOAD_GATE(MPIR_QMPI_gate[function_]) == MPIR_QMPI_GATE_CLOSED)) \
            MPIR_QMPI_uninitialized(function_); \
    } while (0)
#else
#define MPIR_QMPI_TEST_INITIALIZED(function_) (void) 0
#endif
#define MPIR_QMPI_ERRTEST_INITIALIZED_ORDIE() (void) 0
void MPIR_QMPI_uninitialized(enum MPI_Functions_enum function)
    MPIR_QMPI_HIDDEN __attribute__((cold, noreturn));

/* Entry of a function that has arguments on the stack: compilers would copy them for a jump. The
 * dispatch notes the call site there. What only these jumps mention is "used", for link-time
 * optimization. */
#if defined(__x86_64__) && defined(__ELF__) && defined(__LP64__) && defined(HAVE_VISIBILITY) && \
    defined(USE_WEAK_SYMBOLS) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define MPIR_QMPI_JUMP_ENTRY __attribute__((naked, aligned(64), no_instrument_function))
#define MPIR_QMPI_JUMP(number_, dispatch_, body_) \
    __asm__("cmpb $0, MPIR_QMPI_gate+" #number_ "(%rip)\n\tjne " #dispatch_ "\n\tjmp " #body_);
#define MPIR_QMPI_TAKE_NOTE(function_) MPIR_QMPI_note_call_site(function_, MPIR_QMPI_CALL_SITE)
#else
#define MPIR_QMPI_TAKE_NOTE(function_) (void) 0
#endif

/* The head of a function that the generator does not write, with parameters and arguments in
 * parentheses. */
#define MPIR_QMPI_FUNCTION(FUNCTION_, function_, params_, args_) \
    MPIR_QMPI_BODY int MPIR_QMPI_body_MPI_ ## function_ params_; \
    int MPI_ ## function_ params_ \
    { \
        MPIR_QMPI_GATE(MPI_ ## FUNCTION_ ## _T, MPIR_QMPI_dispatch_MPI_ ## function_ args_); \
        return MPIR_QMPI_body_MPI_ ## function_ args_; \
    } \
    MPIR_QMPI_BODY int MPIR_QMPI_body_MPI_ ## function_ params_
#include "mpir_qmpi_dispatch.h"

/* Called just before MPI is reported to be initialized or not, with MPIR_init_lock held: sets the
 * gates. */
void MPIR_QMPI_set_initialized(bool is_initialized) MPIR_QMPI_HIDDEN;

/* ---- the world ---- */

/* Called while MPI initializes, before it waits for other processes: publishes that this process
 * has tools, and their texts. */
void MPIR_QMPI_publish_world(bool is_world_model) MPIR_QMPI_HIDDEN;

/* In releases of MPICH that can skip the barrier of MPI_Init: keeps it where the process manager
 * shows what processes publish only after a barrier. */
bool MPIR_QMPI_needs_barrier(void) MPIR_QMPI_HIDDEN;
#define MPIR_QMPI_KEEP_BARRIER(skips_) \
    do { \
        if (MPIR_QMPI_needs_barrier()) \
            (skips_) = false; \
    } while (0)

/* Called in MPI_Init when MPI can communicate, before it is reported to be initialized: exchanges
 * the instances of all processes. */
void MPIR_QMPI_connect_world(void) MPIR_QMPI_HIDDEN;

/* Called at the end of MPI_Init and at the start of MPI_Finalize: call the world functions. */
void MPIR_QMPI_begin_world(bool is_world_model) MPIR_QMPI_HIDDEN;
void MPIR_QMPI_end_world(bool is_world_model) MPIR_QMPI_HIDDEN;

/* In MPIR_pmi_init: true if a tool's call has connected to the process manager before. */
bool MPIR_QMPI_take_connection(void) MPIR_QMPI_HIDDEN;
#define MPIR_QMPI_RETURN_IF_CONNECTED() \
    do { \
        if (MPIR_QMPI_take_connection()) \
            return MPI_SUCCESS; \
    } while (0)

struct MPIR_Group;
struct MPIR_PMI_KEYVAL;

/* Called in the root of MPI_Comm_spawn, before the processes start. Returns the pairs that they
 * get: the given ones, and the texts that tools have put in this thread. Valid until the next
 * call in this thread. */
struct MPIR_PMI_KEYVAL *MPIR_QMPI_add_texts(int *num, struct MPIR_PMI_KEYVAL *pairs)
    MPIR_QMPI_HIDDEN;
#define MPIR_QMPI_ADD_TEXTS(num_, pairs_) (pairs_) = MPIR_QMPI_add_texts(&(num_), pairs_)

/* Name of the world that has the process, and its rank there; NULL if the device does not know. The
 * name lasts. */
const char *MPIR_QMPI_world_of(struct MPIR_Group *group, int rank, int *world_rank)
    MPIR_QMPI_HIDDEN;

/* ---- contexts ---- */

/* The context of the call whose call site was noted. */
#define MPIR_QMPI_TAKE_CONTEXT(context_) \
    do { \
        (context_).call_site = MPIR_QMPI_note.site; \
        (context_).fortran_function = 0; \
        (context_).fortran_type = 0; \
    } while (0)

/* For a call at a closed gate: links are published before gates. */
MPL_STATIC_INLINE_PREFIX const MPIR_QMPI_Link *MPIR_QMPI_first_link(int function)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return MPL_atomic_acquire_load_ptr(&MPIR_QMPI_first[function]);
}

/* True if the context is that of a call of the function in Fortran, false for calls in C and for
 * those of other functions that a tool makes meanwhile. */
MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_fortran(MPI_Context context,
                                                   enum MPI_Functions_enum function)
{
    return context && context->fortran_type && context->fortran_function == function;
}

/* ---- attributes in Fortran ---- */

/* The keyval that C has for a predefined attribute of Fortran; others are the same in both. */
int MPIR_QMPI_c_keyval(int keyval) MPIR_QMPI_HIDDEN;

MPL_STATIC_INLINE_PREFIX void MPIR_QMPI_set_attr(MPI_Context context,
                                                 enum MPI_Functions_enum function,
                                                 MPIR_Attr_type type, int object, int keyval)
{
    context->fortran_function = function;
    context->fortran_type = type;
    context->fortran.attr.object = object;
    context->fortran.attr.keyval = keyval;
    context->fortran.attr.is_known = false;
}

/* True at the end of the chain if Fortran has made this call. Tools may use the context for
 * calls about attributes of their own. */
MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_attr(MPI_Context context,
                                                enum MPI_Functions_enum function, int object,
                                                int keyval)
{
    return MPIR_QMPI_is_fortran(context, function) && context->fortran.attr.object == object &&
        context->fortran.attr.keyval == keyval;
}

/* Notes the value that the library returns for C. */
MPL_STATIC_INLINE_PREFIX void MPIR_QMPI_note_attr(MPI_Context context, int mpi_errno,
                                                  const void *attribute_val, const int *flag)
{
    context->fortran.attr.is_known = !mpi_errno && *flag;
    if (context->fortran.attr.is_known)
        context->fortran.attr.value = *(void *const *) attribute_val;
}

/* Stores the integer that Fortran gets for the value that the chain has returned. Returns false
 * if the value is the library's, which alone knows the language that stored it. */
bool MPIR_QMPI_convert_attr(MPI_Context context, const void *value, void *attribute_val)
    MPIR_QMPI_HIDDEN;

/* ---- callbacks in Fortran ---- */

/* In releases whose Fortran library creates objects by functions such as MPIX_Op_create_x, with
 * a proxy that calls the procedure: tools see MPI_Op_create with the procedure. The gates of the
 * functions of a pair are closed together. The note for MPI_Op_create remains for
 * MPIX_Op_create_x. */
typedef struct {
    int function;               /* MPI_OP_CREATE_T */
    int extended;               /* MPIX_OP_CREATE_X_T */
} MPIR_QMPI_Pair;
extern const MPIR_QMPI_Pair MPIR_QMPI_pairs[] MPIR_QMPI_HIDDEN; /* ends with function -1 */

MPL_STATIC_INLINE_PREFIX bool MPIR_QMPI_is_noted(enum MPI_Functions_enum function)
{
    return MPIR_QMPI_note.function == (int) function;
}

#define MPIR_QMPI_SET_CALLBACK(context_, function_, proxy_, destructor_) \
    do { \
        (context_).fortran_function = function_; \
        (context_).fortran_type = MPIR_QMPI_CALLBACK; \
        (context_).fortran.callback.proxy = (MPIR_QMPI_Any_function *) (proxy_); \
        (context_).fortran.callback.destructor = destructor_; \
    } while (0)

/* The state of a proxy is the procedure, allocated by malloc. */
#define MPIR_QMPI_PROCEDURE(state_) (*(MPIR_QMPI_Any_function **) (state_))
void *MPIR_QMPI_proxy_state(MPIR_QMPI_Any_function * procedure) MPIR_QMPI_HIDDEN;

/* Calls every instance that registered for MPI_Pcontrol. */
int MPIR_QMPI_pcontrol(const void *call_site, int level, va_list varargs) MPIR_QMPI_HIDDEN;

/* ---- control variables ---- */

/* True for the variables that choose tools, which the runtime writes itself. It does so before
 * MPI_T would, or sets the error code MPI_T_ERR_CVAR_SET_NOT_NOW if the settings have been read. */
bool MPIR_QMPI_writes_cvar(const void *addr, const void *value, int *mpi_errno) MPIR_QMPI_HIDDEN;
#define MPIR_QMPI_WRITE_CVAR(addr_, value_) \
    do { \
        if (MPIR_QMPI_writes_cvar(addr_, value_, &mpi_errno)) \
            goto fn_exit; \
    } while (0)

/* True if such a write would fail for that reason: MPI_T reports the variable as read-only. */
bool MPIR_QMPI_cvar_is_closed(const void *addr) MPIR_QMPI_HIDDEN;
#define MPIR_QMPI_SET_SCOPE(addr_, scope_) \
    do { \
        if ((scope_) && MPIR_QMPI_cvar_is_closed(addr_)) \
            *(scope_) = MPI_T_SCOPE_READONLY; \
    } while (0)

/* Called when MPI_T has set up its own variables: adds those of the runtime. */
void MPIR_QMPI_mpit_init(void) MPIR_QMPI_HIDDEN;

/* For the runtime, in releases that have a global configuration file: sets the variables of the
 * environment that it names. */
int MPIR_QMPI_read_config_file(const char *path) MPIR_QMPI_HIDDEN;
#define MPIR_QMPI_DEFINE_READ_CONFIG_FILE \
    int MPIR_QMPI_read_config_file(const char *path) \
    { \
        return read_config_files(path); \
    }

#else /* MPIR_EXT_QMPI */

#define MPIR_QMPI_ERRTEST_INITIALIZED_ORDIE() MPIR_ERRTEST_INITIALIZED_ORDIE()
#define MPIR_QMPI_FUNCTION(FUNCTION_, function_, params_, args_) int MPI_ ## function_ params_
#define MPIR_QMPI_set_initialized(is_initialized_)
#define MPIR_QMPI_publish_world(is_world_model_)
#define MPIR_QMPI_KEEP_BARRIER(skips_)
#define MPIR_QMPI_connect_world()
#define MPIR_QMPI_begin_world(is_world_model_)
#define MPIR_QMPI_end_world(is_world_model_)
#define MPIR_QMPI_RETURN_IF_CONNECTED()
#define MPIR_QMPI_ADD_TEXTS(num_, pairs_)
#define MPIR_QMPI_WRITE_CVAR(addr_, value_)
#define MPIR_QMPI_SET_SCOPE(addr_, scope_)
#define MPIR_QMPI_mpit_init()
#define MPIR_QMPI_DEFINE_READ_CONFIG_FILE

#endif /* MPIR_EXT_QMPI */

#endif /* MPIR_QMPI_H_INCLUDED */
