// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Tools and programs that use them, in one file: behaviour CASE is the program, the tool list has its tools.
// Each event is a line on standard error; test_kit.py has the expected lines.

#include <qmpi.hpp>

#include <dlfcn.h>
#include <sys/wait.h>
#include <cstring>

namespace {

void say(const std::string &line)
{
    std::fputs((line + "\n").c_str(), stderr);
}

std::string number(double value)
{
    return std::to_string(static_cast<int>(value));
}

// ---- tools ----

// Throws before, after and in place of calls, and from other members.
struct Thrower : qmpi::tool<Thrower> {
    int MPI_Comm_rank(qmpi::call<MPI_COMM_RANK_T> &)
    {
        throw std::runtime_error("before the call");
    }

    int MPI_Comm_size(qmpi::call<MPI_COMM_SIZE_T> &call)
    {
        call();
        throw std::runtime_error("after the call");
    }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call, MPI_Comm comm)
    {
        int rank;
        call.next<MPI_COMM_RANK_T>(comm, &rank);
        throw std::runtime_error("in place of the call");
    }

    double MPI_Wtime(qmpi::call<MPI_WTIME_T> &) { throw 1; }

    double MPI_Wtick(qmpi::call<MPI_WTICK_T> &call)
    {
        call.next<MPI_WTIME_T>();
        throw std::runtime_error("in place of a value");
    }

    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &, int, qmpi::varargs)
    {
        throw std::runtime_error("no call");
    }

    void ready() { throw std::runtime_error("not ready"); }
};

// Calls other functions before there are links.
struct Early : qmpi::tool<Early> {
    Early()
    {
        int rank = 7;
        const int result = next<MPI_COMM_RANK_T>(MPI_COMM_WORLD, &rank);
        say("early: " + std::string(result == MPI_SUCCESS ? "success " : "an error ") +
            std::to_string(rank) + " " + number(next<MPI_WTIME_T>()));
    }

    void ready()
    {
        int is_initialized = 7;
        const int result = next<MPI_INITIALIZED_T>(&is_initialized);
        say("ready: " + std::string(result == MPI_SUCCESS ? "success " : "an error ") +
            std::to_string(is_initialized));
    }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }
};

struct Refuses : qmpi::tool<Refuses> {
    Refuses() { throw std::runtime_error("does not want to"); }
    int MPI_Init(qmpi::call<MPI_INIT_T> &call) { return call(); }
};

// Changes arguments of a generic call: sends go nowhere.
struct Nowhere : qmpi::tool<Nowhere> {
    static constexpr auto functions = qmpi::set::point_to_point - qmpi::set::nonblocking;

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (Call::has(qmpi::role::destination))
            qmpi::get<qmpi::role::destination>(call) = MPI_PROC_NULL;
        return call();
    }
};

// Calls other functions below itself.
struct Caller : qmpi::tool<Caller> {
    void ready()
    {
        int flag = 0;
        next<MPI_INITIALIZED_T>(&flag);
        say("caller is ready");
    }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call, MPI_Comm comm)
    {
        int rank;
        call.next<MPI_COMM_RANK_T>(comm, &rank);
        return call();
    }

    int MPI_Comm_rank(qmpi::call<MPI_COMM_RANK_T> &call)
    {
        say("caller sees " + std::string(call.name));
        return call();
    }
};

// Reports every call and how its result looks. With ALL_FUNCTIONS the generic member is instantiated for all of them, which
// takes the compiler a minute.
struct Teller : qmpi::tool<Teller> {
#ifdef ALL_FUNCTIONS
    static constexpr auto functions =
        qmpi::set::all - qmpi::function_set(MPI_INIT_T, MPI_FINALIZE_T);
#else
    static constexpr qmpi::function_set functions{
        MPI_INITIALIZED_T, MPI_COMM_RANK_T, MPI_COMM_SIZE_T, MPI_BARRIER_T,    MPI_SEND_T,
        MPI_WTIME_T,       MPI_AINT_ADD_T,  MPI_PCONTROL_T,  MPI_GET_VERSION_T};
#endif

    template <typename Call>
    auto intercept(Call &call)
    {
        std::string arguments;
        call.each_argument([&](auto index, auto &value) {
            using Value = std::remove_reference_t<decltype(value)>;
            arguments += (index == 0 ? "" : " ") + std::string(Call::parameters[index].name);
            if constexpr (std::is_integral_v<Value>)
                arguments += "=" + number(static_cast<double>(value));
        });
        const auto result = call();
        static_assert(std::is_same_v<decltype(result), const typename Call::result_type>);
        say(std::string(name()) + " " + std::to_string(instance_number()) + ": " +
            std::string(Call::name) + "(" + arguments + ")" +
            (Call::returns_error_code ? "" : " gives a value"));
        return result;
    }
};

struct Controlled : qmpi::tool<Controlled> {
    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &, int level, qmpi::varargs varargs)
    {
        const double first = varargs.next<double>();
        say("level " + std::to_string(level) + ": " + number(first) + " " +
            varargs.next<const char *>());
        return MPI_SUCCESS;
    }
};

// Reports the file of the call site.
struct Where : qmpi::tool<Where> {
    static constexpr qmpi::function_set functions{MPI_BARRIER_T, MPI_COMM_RANK_T};

    template <typename Call>
    auto intercept(Call &call)
    {
        Dl_info found{};
        const bool is_found =
            call.calling_address() != nullptr && dladdr(call.calling_address(), &found) != 0;
        say(std::string(Call::name) +
            (is_found && std::strstr(found.dli_fname, "behaviour") ? ": the program"
                                                                   : ": unknown"));
        return call();
    }
};

struct ToExit : qmpi::tool<ToExit> {
    int MPI_Get_version(qmpi::call<MPI_GET_VERSION_T> &call)
    {
        say("to_exit " + std::to_string(tool_id()) + " sees a call");
        return call();
    }
    ~ToExit() { say("to_exit " + std::to_string(tool_id()) + " ends"); }
};

struct ToFinalize : qmpi::tool<ToFinalize> {
    static constexpr auto lives_until = qmpi::until::finalize;

    int MPI_Get_version(qmpi::call<MPI_GET_VERSION_T> &call)
    {
        say("to_finalize sees a call");
        return call();
    }

    ~ToFinalize()
    {
        int major, minor;
        ::MPI_Get_version(&major, &minor);  // own call: skips the tools
        say("to_finalize ends");
    }
};

// ---- the same by any_call ----

struct AnyThrower : qmpi::tool<AnyThrower> {
    static constexpr qmpi::function_set functions{MPI_COMM_RANK_T, MPI_COMM_SIZE_T, MPI_BARRIER_T,
                                                  MPI_WTIME_T,     MPI_WTICK_T,     MPI_PCONTROL_T};

    int intercept(qmpi::any_call &call)
    {
        if (call.id() == MPI_COMM_RANK_T)
            throw std::runtime_error("before the call");
        if (call.id() == MPI_COMM_SIZE_T) {
            call();
            throw std::runtime_error("after the call");
        }
        if (call.id() == MPI_WTIME_T)
            throw 1;
        return MPI_ERR_OTHER;  // in place of the call
    }
};

struct AnyNowhere : qmpi::tool<AnyNowhere> {
    static constexpr auto functions = qmpi::set::point_to_point - qmpi::set::nonblocking;

    int intercept(qmpi::any_call &call)
    {
        if (int *peer = call.argument<int>(qmpi::role::destination))
            *peer = MPI_PROC_NULL;
        return call();
    }
};

// Integer arguments by role; has a member of its own too.
struct AnyTeller : qmpi::tool<AnyTeller> {
    static constexpr qmpi::function_set functions{MPI_COMM_SIZE_T, MPI_BARRIER_T, MPI_WTIME_T,
                                                  MPI_AINT_ADD_T, MPI_PCONTROL_T};

    int intercept(qmpi::any_call &call)
    {
        std::string text(call.name());
        for (const auto role : {qmpi::role::communicator, qmpi::role::other}) {
            if (const auto value = call.number(role))
                text += " " + std::to_string(*value);
        }
        const int result = call();
        say(text + (call.is_collective() ? " collective" : "") +
            (call.number(qmpi::role::tag) || call.argument<double>(qmpi::role::communicator)
                 ? " wrong"
                 : "") +
            " " + std::to_string(result));
        return result;
    }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call)
    {
        say("own member");
        return call();
    }
};

struct AnyToFinalize : qmpi::tool<AnyToFinalize> {
    static constexpr auto lives_until = qmpi::until::finalize;
    static constexpr qmpi::function_set functions{MPI_GET_VERSION_T, MPI_FINALIZE_T};

    int intercept(qmpi::any_call &call)
    {
        say("any_to_finalize sees " + std::string(call.name()));
        return call();
    }
    ~AnyToFinalize() { say("any_to_finalize ends"); }
};

// ---- programs ----

void exceptions()
{
    int rank = -1, size = -1, code;
    MPI_Init(nullptr, nullptr);
    code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    say("rank " + std::to_string(rank) + ", " + std::to_string(code));
    code = MPI_Comm_size(MPI_COMM_WORLD, &size);
    say("size " + std::to_string(size) + ", " + std::to_string(code));
    say(MPI_Barrier(MPI_COMM_WORLD) == MPI_ERR_OTHER ? "barrier: MPI_ERR_OTHER"
                                                     : "barrier: another code");
    say(MPI_Wtime() > 0 ? "time" : "no time");
    say(MPI_Wtick() > 0 ? "tick" : "no tick");
    say("pcontrol " + std::to_string(MPI_Pcontrol(1)));
    MPI_Finalize();
}

void sends()
{
    int data = 0;
    MPI_Init(nullptr, nullptr);
    // Without the tool the first would wait for ever.
    MPI_Ssend(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(&data, 1, MPI_INT, 0, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Finalize();
    say("came through");
}

void barrier()
{
    MPI_Init(nullptr, nullptr);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

void values()
{
    MPI_Aint address = 40;
    MPI_Init(nullptr, nullptr);
    say(MPI_Wtime() > 1 ? "time" : "no time");
    say("sum " + number(static_cast<double>(MPI_Aint_add(address, 2))));
    MPI_Finalize();
}

void pcontrol()
{
    MPI_Init(nullptr, nullptr);
    say("code " + std::to_string(MPI_Pcontrol(3, 15.5, "text")));
    MPI_Finalize();
}

void call_version()
{
    int version, subversion;
    if (MPI_Get_version(&version, &subversion) != MPI_SUCCESS || version != MPI_VERSION)
        say("no version");
}

void world()
{
    MPI_Init(nullptr, nullptr);
    call_version();
    MPI_Finalize();
    say("after MPI_Finalize");
    call_version();
}

void world_and_session()
{
    MPI_Session session;
    MPI_Init(nullptr, nullptr);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Finalize();
    say("after MPI_Finalize");
    call_version();
    MPI_Session_finalize(&session);
    say("after MPI_Session_finalize");
    call_version();
}

void sessions()
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_finalize(&session);
    say("after MPI_Session_finalize");
    call_version();
}

void child()
{
    MPIX_Load_tools();
    call_version();
    const pid_t process = fork();
    if (process == 0)
        std::exit(0);
    waitpid(process, nullptr, 0);
    say("the child has ended");
}

void exit_handler()
{
    std::atexit([] {
        say("exit handler");
        call_version();
    });
    MPI_Init(nullptr, nullptr);
    MPI_Finalize();
}

}  // namespace

QMPI_TOOL("thrower", Thrower)
QMPI_TOOL("early", Early)
QMPI_TOOL("refuses", Refuses)
QMPI_TOOL("nowhere", Nowhere)
QMPI_TOOL("caller", Caller)
QMPI_TOOL("teller", Teller)
QMPI_TOOL("controlled", Controlled)
QMPI_TOOL("where", Where)
QMPI_TOOL("to_exit", ToExit)
QMPI_TOOL("to_finalize", ToFinalize)
QMPI_TOOL("any_thrower", AnyThrower)
QMPI_TOOL("any_nowhere", AnyNowhere)
QMPI_TOOL("any_teller", AnyTeller)
QMPI_TOOL("any_to_finalize", AnyToFinalize)

int main(int, char **argv)
{
    const std::pair<const char *, void (*)()> programs[] = {
        {"exceptions", exceptions},
        {"sends", sends},
        {"barrier", barrier},
        {"values", values},
        {"pcontrol", pcontrol},
        {"world", world},
        {"world_and_session", world_and_session},
        {"sessions", sessions},
        {"child", child},
        {"exit_handler", exit_handler}};
    for (const auto &[name, program] : programs) {
        if (argv[1] != nullptr && std::string(argv[1]) == name) {
            program();
            return 0;
        }
    }
    say("behaviour: no such case");
    return 2;
}
