/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Both directions of each function of MPI, see pmpi.hpp. */

#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <utility>

#include "pmpi.hpp"

/* This library need not have all functions that mpi.h declares. */
extern "C" {
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    type Q##name params __attribute__((weak));
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
}

namespace pmpi {

instance **instances = nullptr;

namespace {

/* In the C library's block of static thread-local storage, at the same offset in each thread. */
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
thread_local instance *calling INITIAL_EXEC;

/* The context of a call that the tool makes itself; checked before use by is_context_known. */
struct new_context {
    const void *call_site;
    std::uint64_t function;
};

/* A context is the library's own structure. If it does not begin with the call site any more, the
 * tool's own calls have no call site. */
const bool is_context_known = [] {
    new_context context{&instances, MPI_SEND_T};
    const void *call_site = nullptr;
    return QMPI_Get_calling_address(reinterpret_cast<MPI_Context>(&context), &call_site) ==
        MPI_SUCCESS &&
        call_site == &instances;
}();

/* A call that a tool is serving, on the stack of from_chain. */
struct served_call {
    served_call(const instance &a_server, MPI_Functions_enum a_function, MPI_Context a_context);
    ~served_call();
    served_call(const served_call &) = delete;
    served_call &operator=(const served_call &) = delete;

    served_call *const volatile self;
    served_call *const outer;
    const instance *const server;
    const MPI_Context context;
    const MPI_Functions_enum function;
    bool is_passed_on = false; /* now, by an outgoing_call */
};

thread_local served_call *innermost INITIAL_EXEC = nullptr;

served_call::served_call(const instance &a_server, MPI_Functions_enum a_function,
                         MPI_Context a_context)
    : self(this), outer(innermost), server(&a_server), context(a_context), function(a_function)
{
    innermost = this;
}

served_call::~served_call()
{
    innermost = outer;
}

/* A call that a tool makes, on the stack of to_chain. Where it passes on the call that the tool serves,
 * the next link gets the context that came with that one, and so the application's call site and all
 * else that a context carries.
 * A longjmp leaves innermost unchanged, but a longjmp out of MPI, from an error handler for example,
 * also leaves is_passed_on set. In addition, stack that is deeper than this object, or has other
 * contents, is no call any more. */
class outgoing_call {
  public:
    outgoing_call(const instance &caller, MPI_Functions_enum function, const void *call_site)
        : own_{call_site, function}, served_(innermost)
    {
        const bool is_passed_on =
            reinterpret_cast<std::uintptr_t>(served_) > reinterpret_cast<std::uintptr_t>(this) &&
            served_->self == served_ && served_->server == &caller &&
            served_->function == function && !served_->is_passed_on;
        if (is_passed_on)
            served_->is_passed_on = true;
        else
            served_ = nullptr;
    }
    ~outgoing_call()
    {
        if (served_ != nullptr)
            served_->is_passed_on = false;
    }
    outgoing_call(const outgoing_call &) = delete;
    outgoing_call &operator=(const outgoing_call &) = delete;

    MPI_Context context()
    {
        if (served_ != nullptr)
            return served_->context;
        return is_context_known ? reinterpret_cast<MPI_Context>(&own_) : nullptr;
    }

  private:
    new_context own_;
    served_call *served_;
};

/* params and args have their own parentheses. */
// NOLINTBEGIN(bugprone-macro-parentheses)
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    type from_chain_##name tool_params                                                    \
    {                                                                                     \
        const instance &server = *instances[tool_id];                                     \
        const served_call call(server, id, context);                                      \
        return reinterpret_cast<type(*) params>(server.own[id]) args;                     \
    }                                                                                     \
    type to_chain_##name params                                                           \
    {                                                                                     \
        const instance &caller = *calling;                                                \
        const link *const links = caller.links.load(std::memory_order_acquire);           \
        if (links == nullptr)                                                             \
            return Q##name args;                                                          \
        outgoing_call call(caller, id, __builtin_return_address(0));                      \
        const MPI_Context context = call.context();                                       \
        const int next_tool_id = links[id].tool_id;                                       \
        return reinterpret_cast<name##_t *>(links[id].function) next_args;                \
    }
#include <mpi_qmpi_functions.h>
// NOLINTEND(bugprone-macro-parentheses)

/* The optional arguments of MPI_Pcontrol have unknown types. The calling conventions pass integers and
 * pointers in one sequence of registers and stack, doubles in another: as many of each as a tool
 * could expect are passed on. What the application did not pass is read too, but no tool uses it. */
template <std::size_t... words, std::size_t... doubles>
int call_pcontrol(any_function function, int level, std::va_list list,
                  std::index_sequence<words...>, std::index_sequence<doubles...>)
{
    void *word[sizeof...(words)];
    double number[sizeof...(doubles)];
    std::va_list again;

    va_copy(again, list);
    for (void *&w : word)
        w = va_arg(list, void *);
    for (double &d : number)
        d = va_arg(again, double);
    va_end(again);
    return reinterpret_cast<int (*)(int, ...)>(function)(level, word[words]..., number[doubles]...);
}

int from_chain_pcontrol(MPI_Context context, int tool_id, const int level, ...)
{
    const instance &server = *instances[tool_id];
    const served_call call(server, MPI_PCONTROL_T, context);
    std::va_list list;

    va_start(list, level);
    const int error_code =
        call_pcontrol(server.own[MPI_PCONTROL_T], level, list, std::make_index_sequence<16>(),
                      std::make_index_sequence<8>());
    va_end(list);
    return error_code;
}

}  // namespace

function functions[num_functions];

void fill_functions()
{
#define ANY(function_) reinterpret_cast<any_function>(function_)
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    functions[id] = {#name, ANY(from_chain_##name), ANY(to_chain_##name), ANY(Q##name)};
#include <mpi_qmpi_functions.h>
    /* MPI calls MPI_Pcontrol of each instance itself: the library is next. */
    functions[MPI_PCONTROL_T] = {"MPI_Pcontrol", ANY(from_chain_pcontrol), ANY(QMPI_Pcontrol),
                                 ANY(QMPI_Pcontrol)};
}

instance &calling_instance()
{
    return *calling;
}

void fail_missing_function()
{
    const auto &missing = reinterpret_cast<const missing_function &>(calling_instance());
    const std::string message = "MPICH: the PMPI tool '" + missing.tool + "' calls " +
        missing.name + ", which this MPI library does not have\n";

    if (write(STDERR_FILENO, message.data(), message.size()) < 0) {
    }
    _exit(127); /* the linker's status for a missing symbol */
}

std::intptr_t calling_instance_offset()
{
    std::intptr_t thread_pointer;

#ifdef __x86_64__
    __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(thread_pointer));
#endif
    return reinterpret_cast<std::intptr_t>(&calling) - thread_pointer;
}

}  // namespace pmpi
