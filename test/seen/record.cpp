/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool "record" and two PMPI wrappers in C, which record the calls of a program in any language.
 * The program queries them with saw() and wrapper_saw() after every call. A call whose call site is
 * neither in the program nor in these wrappers is recorded with the library that has it. */

#include <dlfcn.h>
#include <mpi.h>
#include <mpi_qmpi.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string tool_log, pmpi_log;
int asked, wrong;
bool answers;  // the tool does not pass calls on
bool told;
const char *latest = "nothing";

/* A program that ends before tell() prints its last call. */
void say_latest()
{
    if (!told)
        for (const char *text : {"record: the program ended after the call of ", latest, "\n"})
            if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
                return;
}

void die(int number)
{
    say_latest();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

Dl_info object_of(void *address)
{
    Dl_info found{};

    dladdr(address, &found);
    return found;
}

void record(MPI_Context context, const char *name)
{
    static void *const program = object_of(reinterpret_cast<void *>(getauxval(AT_PHDR))).dli_fbase;
    static void *const wrappers = object_of(&tool_log).dli_fbase;
    void *site = nullptr;

    tool_log += std::string(" ") + name;
    latest = name;
    MPI_Get_calling_address(context, &site);
    const Dl_info caller = object_of(site);
    if (caller.dli_fbase != program && caller.dli_fbase != wrappers)
        tool_log += std::string(" called by ") + (caller.dli_fname ? caller.dli_fname : "nothing");
}

struct Link {
    void (*function)();
    int tool_id;
};
Link next_link[MPI_LAST_FUNC_T];

template <typename F>
F *next(int id)
{
    return reinterpret_cast<F *>(next_link[id].function);
}

#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    type record_##name tool_params                                                        \
    {                                                                                     \
        record(context, #name);                                                           \
        if (answers)                                                                      \
            return {};                                                                    \
        const int next_tool_id = next_link[id].tool_id;                                   \
        static_cast<void>(tool_id);                                                       \
        return next<name##_t>(id) next_args;                                              \
    }
#define MPIX_QMPI_FUNCTION_PCONTROL(id, type, name, tool_params, next_args, params, args, buffers) \
    type record_##name tool_params                                                                 \
    {                                                                                              \
        record(context, #name);                                                                    \
        return MPI_SUCCESS;                                                                        \
    }
#include <mpi_qmpi_functions.h>

void ready(int tool_id)
{
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        MPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(id),
                                   &next_link[id].function, &next_link[id].tool_id);
}

void init(int tool_id)
{
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    MPI_Register_tool_function(tool_id, id, reinterpret_cast<void (*)()>(record_##name));
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
    MPIX_Register_tool_ready_function(tool_id, ready);
}

__attribute__((constructor)) void load()
{
    MPI_Register_tool_name("record", init);
    std::atexit(say_latest);
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT})
        std::signal(number, die);
}

bool equals(std::string &log, const char *function, int length, const char *who)
{
    const std::string expected = length > 0 ? " " + std::string(function, length) : "";
    const bool right = log == expected;

    asked++;
    if (!right) {
        wrong++;
        std::fprintf(stderr, "not ok %s: %s saw%s\n", expected.c_str(), who,
                     log.empty() ? " nothing" : log.c_str());
    }
    log.clear();
    return right;
}

}  // namespace

extern "C" {

/* Counts a check that the program made; what: text with its length. */
void check(int right, const char *what, int length)
{
    asked++;
    if (!right) {
        wrong++;
        std::fprintf(stderr, "not ok  %.*s\n", length, what);
    }
}

/* Has the tool seen exactly one call of the function (text with its length), and no other, since the
 * last query? An empty text means no call. Returns 1 for yes. */
int saw(const char *function, int length)
{
    return equals(tool_log, function, length, "the tool");
}

/* The same for the PMPI wrappers below. */
int wrapper_saw(const char *function, int length)
{
    return equals(pmpi_log, function, length, "the PMPI wrappers");
}

/* True while the tool answers calls itself, because they would do harm. */
void answer(int yes)
{
    answers = yes != 0;
}

/* Discards all recorded calls. */
void forget()
{
    tool_log.clear();
    pmpi_log.clear();
}

/* Prints the count, on rank 0 and where something is wrong. */
void tell(int rank)
{
    told = true;
    if (rank == 0 || wrong > 0)
        std::printf("%d passed, %d failed\n", asked - wrong, wrong);
    std::fflush(stdout);
}

int MPI_Barrier(MPI_Comm comm)
{
    pmpi_log += " MPI_Barrier";
    return PMPI_Barrier(comm);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    pmpi_log += " MPI_Send";
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

}  // extern "C"
