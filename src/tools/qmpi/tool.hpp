/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The base class of all tools, and the entries through which MPI calls their members. */

#ifndef QMPI_TOOL_HPP_INCLUDED
#define QMPI_TOOL_HPP_INCLUDED

#include "any_call.hpp"
#include "call.hpp"
#include "instance.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace qmpi {
inline namespace v1 {

/* Lifetime of a tool's objects. Later calls pass through. */
enum class until {
    exit,    /* until the process exits */
    finalize /* until MPI_Finalize has returned and no session is open */
};

template <typename Tool>
class tool;

namespace detail {

/* Instance whose tool is being constructed. Init callbacks run one at a time. */
QMPI_DETAIL_HIDDEN inline instance_base *under_construction = nullptr;

/* Declares a member for every MPI function. Deriving from both makes any name the tool also
 * declares ambiguous, which is how has_member detects it. */
template <typename Tool>
struct shadow : Tool, every_name {
};

template <typename Tool, MPI_Functions_enum id, typename = void>
struct has_member : std::true_type {
};

template <typename Tool, MPI_Functions_enum id>
struct has_member<Tool, id,
                  std::void_t<decltype(function<id>::lacks(static_cast<shadow<Tool> *>(nullptr)))>>
    : std::false_type {
};

struct intercept_name {
    int intercept;
};

template <typename Tool>
struct intercept_shadow : Tool, intercept_name {
};

template <typename Tool, typename = void>
struct has_intercept : std::true_type {
};

template <typename Tool>
struct has_intercept<Tool, std::void_t<decltype(&intercept_shadow<Tool>::intercept)>>
    : std::false_type {
};

/* True if the member is no template: intercept(any_call &). */
template <typename Tool, typename = void>
inline constexpr bool takes_any = false;

template <typename Tool>
inline constexpr bool takes_any<Tool, std::void_t<decltype(&Tool::intercept)>> = true;

/* Result of the tool's member for a function; void if it cannot be called with these arguments. */
template <typename Tool, MPI_Functions_enum id, typename Arguments, typename = void>
struct member_result {
    using type = void;
};

template <typename Tool, MPI_Functions_enum id, typename... Arguments>
struct member_result<
    Tool, id, std::tuple<Arguments...>,
    std::void_t<decltype(function<id>::invoke(std::declval<Tool &>(), std::declval<call<id> &>(),
                                              std::declval<Arguments>()...))>> {
    using type = decltype(function<id>::invoke(std::declval<Tool &>(), std::declval<call<id> &>(),
                                               std::declval<Arguments>()...));
};

template <typename Tool>
struct QMPI_DETAIL_HIDDEN instance : instance_base {
    alignas(Tool) unsigned char storage[sizeof(Tool)];

    Tool &tool() { return *std::launder(reinterpret_cast<Tool *>(storage)); }

    /* Destroys the tool's object. Later calls pass through, including those its destructor
     * makes. */
    void end()
    {
        {
            const std::lock_guard<std::mutex> guard(awake_lock);
            takes_calls = false;
            if (!is_alive.exchange(false))
                return;
        }
        tool().~Tool();
    }
};

/* All instances of a tool. They are never freed, since exit handlers may still call MPI; only the
 * tool's objects in them are destroyed. */
template <typename Tool>
struct QMPI_DETAIL_HIDDEN instances {
    static inline std::vector<instance<Tool> *> *all = nullptr;
    static inline instance<Tool> **by_id = nullptr; /* written before the first call */
    static inline std::vector<instance<Tool> *> *ids = nullptr;
    static inline pid_t process = 0;

    static instance<Tool> &add(int tool_id)
    {
        if (all == nullptr) {
            all = new std::vector<instance<Tool> *>;
            ids = new std::vector<instance<Tool> *>;
            process = getpid();
            std::atexit(end_all);
            if constexpr (!Tool::works_in_child)
                pthread_atfork(nullptr, nullptr, leave_child);
        }
        const auto index = static_cast<std::size_t>(tool_id);
        if (ids->size() <= index) {
            ids->resize(index + 1);
            by_id = ids->data();
        }
        all->reserve(all->size() + 1);
        auto *added = new instance<Tool>;
        added->tool_id = tool_id;
        added->number = static_cast<int>(all->size()) + 1;
        all->push_back(added);
        (*ids)[index] = added;
        return *added;
    }

    /* In a child of fork. Its copies of the objects are not used again: other threads may have held their
     * locks. */
    static void leave_child()
    {
        int is_world = 0;
        QMPI_Initialized(&is_world);
        for (instance<Tool> *own : *all) {
            if (is_world || own->has_begun)
                own->is_alive = own->takes_calls = false;
        }
    }

    static void end_all()
    {
        /* After fork the child has copies of the objects; only the parent ends them. */
        if (getpid() != process)
            return;
        for (instance<Tool> *ending : *all)
            ending->end();
    }
};

constexpr bool begins_or_ends_mpi(MPI_Functions_enum id)
{
    return id == MPI_SESSION_INIT_T || id == MPI_SESSION_FINALIZE_T || id == MPI_FINALIZE_T;
}

/* True if calls must test whether they pass through the tool's object. */
template <typename Tool>
inline constexpr bool can_end = !std::is_trivially_destructible_v<Tool> || !Tool::works_in_child;

/* True if the tool declares the member, which qmpi::tool declares too. */
#define QMPI_DETAIL_DECLARES(name_)          \
    template <typename Tool>                 \
    inline constexpr bool declares_##name_ = \
        !std::is_same_v<decltype(&Tool::name_), decltype(&qmpi::tool<Tool>::name_)>;
QMPI_DETAIL_DECLARES(at_world_begin)
QMPI_DETAIL_DECLARES(at_world_end)
QMPI_DETAIL_DECLARES(at_abort)
QMPI_DETAIL_DECLARES(at_session_begin)
QMPI_DETAIL_DECLARES(offer_to_job)
QMPI_DETAIL_DECLARES(at_job_begin)
QMPI_DETAIL_DECLARES(offer_to_spawned)
QMPI_DETAIL_DECLARES(at_spawned)
#undef QMPI_DETAIL_DECLARES

/* True if the kit needs to know when a session begins. */
template <typename Tool>
inline constexpr bool notes_sessions = declares_at_session_begin<Tool> || !Tool::works_in_child;

template <typename Tool>
inline constexpr bool ends_with_mpi = can_end<Tool> &&Tool::lives_until == until::finalize;

template <typename Tool, MPI_Functions_enum id>
constexpr bool is_generic()
{
    if constexpr (has_intercept<Tool>::value)
        return Tool::functions.contains(id);
    else
        return false;
}

template <typename Tool, MPI_Functions_enum id>
__attribute__((visibility("hidden"), cold, noinline)) typename function<id>::result after_exception(
    call<id> &call, const char *what) noexcept;

template <typename Tool, MPI_Functions_enum id,
          typename Arguments = typename function<id>::arguments>
struct entry;

/* C function that is the tool's link for one MPI function. */
template <typename Tool, MPI_Functions_enum id, typename... Arguments>
struct QMPI_DETAIL_HIDDEN entry<Tool, id, std::tuple<Arguments...>> {
    using result = typename function<id>::result;

    static result run(MPI_Context context, int tool_id, Arguments... arguments) noexcept
    {
        return run_inline(context, tool_id, arguments...);
    }

    QMPI_INLINE static result run_inline(MPI_Context context, int tool_id,
                                         Arguments... arguments) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[tool_id];
        call<id> call(self, context, arguments...);
        if constexpr (can_end<Tool> || Tool::can_sleep) {
            if (!self.takes(id))
                return call();
        }
        if constexpr (ends_with_mpi<Tool> && begins_or_ends_mpi(id)) {
            const result code = guarded(self, call, arguments...);
            if (code == MPI_SUCCESS)
                count_users(self);
            return code;
        } else
            return guarded(self, call, arguments...);
    }

  private:
    QMPI_INLINE static result guarded(instance<Tool> &self, call<id> &call,
                                      Arguments... arguments) noexcept
    {
        [[maybe_unused]] Tool &tool = self.tool();
        ((void) arguments, ...);
        try {
            if constexpr (has_member<Tool, id>::value) {
                using full = typename member_result<Tool, id, std::tuple<Arguments...>>::type;
                using brief = typename member_result<Tool, id, std::tuple<>>::type;
                constexpr bool is_full = std::is_same_v<full, result>;
                constexpr bool is_right = is_full || std::is_same_v<brief, result>;
                function<id>::template check_member<is_right>();
                if constexpr (is_full)
                    return function<id>::invoke(tool, call, arguments...);
                else if constexpr (is_right)
                    return function<id>::invoke(tool, call);
                else
                    return result{};
            } else if constexpr (is_generic<Tool, id>() && takes_any<Tool>)
                return intercept_any(call, self);
            else if constexpr (is_generic<Tool, id>()) {
                constexpr bool is_right = std::is_same_v<decltype(tool.intercept(call)), result>;
                function<id>::template check_intercept<is_right>();
                if constexpr (is_right)
                    return tool.intercept(call);
                else
                    return result{};
            } else
                return call();
        } catch (const std::exception &exception) {
            return after_exception<Tool>(call, exception.what());
        } catch (...) {
            return after_exception<Tool>(call, "not a std::exception");
        }
    }

    static void count_users(instance<Tool> &self)
    {
        if constexpr (id == MPI_SESSION_INIT_T)
            self.sessions++;
        else if constexpr (id == MPI_SESSION_FINALIZE_T)
            self.sessions--;
        else
            self.is_finalized = true;
        if (self.is_finalized && self.sessions == 0)
            self.end();
    }
};

template <typename Tool>
struct QMPI_DETAIL_HIDDEN pcontrol_entry {
    static int run(MPI_Context context, int tool_id, int level, ...) noexcept
    {
        std::va_list list;
        va_start(list, level);
        const int result =
            entry<Tool, MPI_PCONTROL_T>::run_inline(context, tool_id, level, varargs(&list));
        va_end(list);
        return result;
    }
};

template <typename Tool, MPI_Functions_enum id>
constexpr bool intercepts()
{
    return has_member<Tool, id>::value || is_generic<Tool, id>() ||
        (ends_with_mpi<Tool> && begins_or_ends_mpi(id)) ||
        (declares_at_abort<Tool> && id == MPI_ABORT_T) ||
        (notes_sessions<Tool> && id == MPI_SESSION_INIT_T) ||
        ((declares_offer_to_job<Tool> || declares_at_job_begin<Tool>) &&id == MPI_SESSION_INIT_T) ||
        (declares_at_spawned<Tool> && initializes_world(id)) ||
        (declares_offer_to_spawned<Tool> && spawns(id));
}

/* The entry of the function is in libqmpi.a. */
template <typename Tool, MPI_Functions_enum id>
constexpr bool is_in_library()
{
    return takes_any<Tool> && is_generic<Tool, id>() && !has_member<Tool, id>::value &&
        !(ends_with_mpi<Tool> && begins_or_ends_mpi(id));
}

template <typename Tool, MPI_Functions_enum id>
QMPI_INLINE void (*address_of_entry())()
{
    if constexpr (!intercepts<Tool, id>() || is_in_library<Tool, id>())
        return nullptr;
    else if constexpr (id == MPI_PCONTROL_T)
        return reinterpret_cast<void (*)()>(pcontrol_entry<Tool>::run);
    else
        return reinterpret_cast<void (*)()>(entry<Tool, id>::run);
}

/* Number of functions of the library at hand: one that is older than this header lacks the last. */
inline int num_functions()
{
    const char *name = nullptr;
    int number = MPI_LAST_FUNC_T;
    while (number > 0 &&
           QMPIX_Get_function_name(static_cast<MPI_Functions_enum>(number - 1), &name) !=
               MPI_SUCCESS)
        number--;
    return number;
}

template <typename Tool, std::size_t... ids>
constexpr bool intercepts_any(std::index_sequence<ids...>)
{
    const bool each[] = {intercepts<Tool, static_cast<MPI_Functions_enum>(ids)>()...};
    for (bool one : each) {
        if (one)
            return true;
    }
    return false;
}

/* True if the tool has exactly the members that it declares in a set "intercepts". */
template <typename Tool, typename = void>
inline constexpr bool declares_members = false;

template <typename Tool>
inline constexpr bool declares_members<Tool, std::void_t<decltype(Tool::intercepts)>> =
    std::is_same_v<decltype(Tool::intercepts), const function_set>;

template <typename Tool, std::size_t... ids>
constexpr bool has_declared_members(std::index_sequence<ids...>)
{
    if constexpr (declares_members<Tool>) {
        const bool are_right[] = {has_member<Tool, static_cast<MPI_Functions_enum>(ids)>::value ==
                                  Tool::intercepts.contains(static_cast<int>(ids))...};
        for (bool is_right : are_right) {
            if (!is_right)
                return false;
        }
    }
    return true;
}

/* Registration of a tool with MPI: its name and its callbacks. */
template <typename Tool>
struct QMPI_DETAIL_HIDDEN registration {
    static inline const char *name = nullptr;

    static bool register_tool(const char *tool_name)
    {
        static_assert(std::is_base_of_v<qmpi::tool<Tool>, Tool>,
                      "declare a tool as  struct Name : qmpi::tool<Name>");
        static_assert(!std::is_final_v<Tool>, "a tool must not be final");
        static_assert(intercepts_any<Tool>(detail::function_ids()) ||
                          declares_at_world_begin<Tool> || declares_at_world_end<Tool>,
                      "the tool intercepts nothing: no member has the name of an MPI function, and "
                      "there is no member template intercept, or its set of functions is empty");
        static_assert(has_declared_members<Tool>(detail::function_ids()),
                      "the tool's members with names of MPI functions are not those of its set "
                      "intercepts: a name is misspelt, or missing in the set");
        name = tool_name;
        const int error_code = QMPIX_Register_tool(tool_name, init, MPIX_TOOL_INTERFACE_VERSION,
                                                   MPIX_TOOL_INTERFACE_SUBVERSION);
        if (error_code != MPI_SUCCESS) {
            complain(tool_name, "cannot register the name", error_code);
            return false;
        }
        set_info(tool_name);
        return true;
    }

    static void set_info(const char *tool_name) noexcept
    {
        try {
            std::string description = Tool::description;
            if (*Tool::argument_list)
                description += std::string("\n") + Tool::argument_list;
            const typename Tool::Options options{qmpi::arguments("")};
            if (!options.help().empty())
                description += "\n" + options.help();
            QMPIX_Set_tool_info(tool_name, Tool::version, Tool::author, description.c_str());
        } catch (...) {
            /* no memory: no description */
        }
    }

    static void init(int tool_id) noexcept
    {
        try {
            instance<Tool> &self = instances<Tool>::add(tool_id);
            construct(self, argument_text(tool_id));
            need(QMPIX_Register_tool_ready_function(tool_id, ready), "cannot register an instance");
            if constexpr (declares_at_world_begin<Tool> || declares_at_world_end<Tool>)
                need(QMPIX_Register_tool_world_functions(tool_id, world_begin, world_end),
                     "cannot register an instance");
            if constexpr (declares_offer_to_job<Tool> || declares_at_job_begin<Tool> ||
                          declares_offer_to_spawned<Tool> || declares_at_spawned<Tool>)
                self.meeting = &meeting;
            if constexpr (Tool::can_sleep)
                need(QMPIX_Register_tool_awake_function(tool_id, awake),
                     "cannot register an instance");
            if constexpr (declares_at_abort<Tool>)
                self.at_abort = abort;
            if constexpr (notes_sessions<Tool>)
                self.at_session_begin = session_begin;
            intercept_all(tool_id, detail::function_ids());
        } catch (const std::exception &exception) {
            QMPIX_Fail_tool(tool_id, exception.what());
        } catch (...) {
            QMPIX_Fail_tool(tool_id, "an exception that is not a std::exception");
        }
    }

    static void construct(instance<Tool> &self, std::string_view arguments)
    {
        struct End {
            ~End() { under_construction = nullptr; }
        } end;
        if constexpr (takes_any<Tool>)
            intercept_any_call(self);
        self.arguments = qmpi::arguments(arguments);
        under_construction = &self;
        new (self.storage) Tool();
        self.is_alive = self.takes_calls = true;
        try {
            self.arguments.check_all_known();
        } catch (...) {
            self.end();
            throw;
        }
    }

    static const char *argument_text(int tool_id)
    {
        const char *text = "";
        need(QMPIX_Get_tool_arguments(tool_id, &text), "cannot get the arguments");
        return text;
    }

    template <std::size_t... ids>
    static void intercept_all(int tool_id, std::index_sequence<ids...>)
    {
        constexpr MPI_Functions_enum functions[] = {static_cast<MPI_Functions_enum>(ids)...};
        void (*entries[])() = {address_of_entry<Tool, static_cast<MPI_Functions_enum>(ids)>()...};
        if constexpr (takes_any<Tool>) {
            constexpr bool are_in_library[] = {
                is_in_library<Tool, static_cast<MPI_Functions_enum>(ids)>()...};
            for (std::size_t i = 0; i < sizeof...(ids); i++) {
                if (are_in_library[i])
                    entries[i] = any_entry_of(functions[i]);
            }
        }
        const int number = num_functions();
        for (std::size_t i = 0; i < sizeof...(ids); i++) {
            if (entries[i] != nullptr && functions[i] < number)
                need(QMPI_Register_tool_function(tool_id, functions[i], entries[i]),
                     "cannot intercept a function");
        }
    }

    static void intercept_any_call(instance<Tool> &self)
    {
        static_assert(std::is_same_v<decltype(&Tool::intercept), int (Tool::*)(any_call &)>,
                      "the member intercept must be  int intercept(qmpi::any_call &call)  or a "
                      "template");
        self.intercept = [](const instance_base &base, any_call &call, int &result) noexcept {
            instance<Tool> &own = *instances<Tool>::by_id[base.tool_id];
            try {
                result = own.takes(call.id()) ? own.tool().intercept(call) : call();
                return true;
            } catch (const std::exception &exception) {
                complain_of_exception(name, call.name(), exception.what());
            } catch (...) {
                complain_of_exception(name, call.name(), "not a std::exception");
            }
            return false;
        };
        add_any_instance(self);
    }

    /* Looks up all links; next<>() may call any function. */
    static void ready(int tool_id) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[tool_id];
        const int number = num_functions();
        for (int id = 0; id < number; id++) {
            link &next = self.next[id];
            need(QMPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(id),
                                             &next.function, &next.tool_id),
                 "cannot look up the next link");
        }
        guarded("ready", [&self] { self.tool().ready(); });
    }

    static void world_begin(int tool_id, MPI_Comm comm, const int peers[]) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[tool_id];
        self.world.emplace(comm, peers);
        self.has_begun = true;
        if (self.is_alive)
            guarded("at_world_begin", [&self] { self.tool().at_world_begin(*self.world); });
    }

    static void world_end(int tool_id) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[tool_id];
        /* Where MPI_Finalize comes after the end of the object, nobody may wait for this process. */
        if (self.world->all(self.is_alive))
            guarded("at_world_end", [&self] { self.tool().at_world_end(*self.world); });
    }

    /* Two threads may change the state at once: the last to come here finds the last state. */
    static void awake(int tool_id) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[tool_id];
        const std::lock_guard<std::mutex> guard(self.awake_lock);
        int is_awake = 1;
        QMPIX_Get_tool_awake(tool_id, &is_awake);
        self.takes_calls = self.is_alive && is_awake != 0;
    }

    static std::string offer_to_job(const instance_base &base, int size) noexcept
    {
        return offer("offer_to_job", base, [size](Tool &tool) { return tool.offer_to_job(size); });
    }

    static void at_job_begin(const instance_base &base, const qmpi::job &job) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[base.tool_id];
        if (self.is_alive)
            guarded("at_job_begin", [&] { self.tool().at_job_begin(job); });
    }

    static std::string offer_to_spawned(const instance_base &base) noexcept
    {
        return offer("offer_to_spawned", base, [](Tool &tool) { return tool.offer_to_spawned(); });
    }

    static void at_spawned(const instance_base &base, const qmpi::spawned &processes) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[base.tool_id];
        if (self.is_alive)
            guarded("at_spawned", [&] { self.tool().at_spawned(processes); });
    }

    static constexpr detail::meeting meeting{offer_to_job, at_job_begin, offer_to_spawned,
                                             at_spawned};

    template <typename Offer>
    static std::string offer(const char *member, const instance_base &base, Offer offer_of) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[base.tool_id];
        std::string offer;
        if (self.is_alive)
            guarded(member, [&] { offer = offer_of(self.tool()); });
        return offer;
    }

    static void abort(const instance_base &base) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[base.tool_id];
        if (self.is_alive)
            guarded("at_abort", [&self] { self.tool().at_abort(); });
    }

    static void session_begin(const instance_base &base) noexcept
    {
        instance<Tool> &self = *instances<Tool>::by_id[base.tool_id];
        self.has_begun = true;
        if (self.is_alive)
            guarded("at_session_begin", [&self] { self.tool().at_session_begin(); });
    }

    template <typename Work>
    static void guarded(const char *where, Work work) noexcept
    {
        try {
            work();
        } catch (const std::exception &exception) {
            complain_of_exception(name, where, exception.what());
        } catch (...) {
            complain_of_exception(name, where, "not a std::exception");
        }
    }

    static void need(int error_code, const char *doing)
    {
        if (error_code != MPI_SUCCESS)
            complain(name, doing, error_code);
    }
};

/* Exceptions never reach the application. */
template <typename Tool, MPI_Functions_enum id>
typename function<id>::result after_exception(call<id> &call, const char *what) noexcept
{
    complain_of_exception(registration<Tool>::name, function<id>::name, what);
    return call.finish();
}

}  // namespace detail

/* Base class of all tools; the argument is the tool itself. */
template <typename Tool>
class tool {
  public:
    tool(const tool &) = delete;
    tool &operator=(const tool &) = delete;

    /* Description of the tool for users; override what applies. argument_list has one line per
     * argument. */
    static constexpr const char *version = "";
    static constexpr const char *author = "";
    static constexpr const char *description = "";
    static constexpr const char *argument_list = "";

    /* Options of the tool, which qmpi_info explains. */
    using Options = qmpi::options;

    /* Functions that call the member template "intercept", unless the tool has a member of their
     * name. */
    static constexpr function_set functions = set::all;

    static constexpr until lives_until = until::exit;

    /* False: calls of a child that the program makes by fork after MPI has begun do not pass through the
     * tool. For tools with files or locks, which the child would share with its parent or find locked. */
    static constexpr bool works_in_child = true;

    /* True: the instance can sleep. Then only functions that initialize or finalize MPI, MPI_Abort and
     * MPI_Pcontrol reach the tool, and if all instances that intercept a function sleep, its calls
     * cost what they cost without tools. What begins meanwhile is unknown to the tool. */
    static constexpr bool can_sleep = false;

    /* Called when the chain is built, before the first call. From here on next<>() works. */
    void ready() {}

    /* Called at the end of MPI_Init and at the start of MPI_Finalize, when the tools have passed it
     * on, whatever functions the tool intercepts; collective over the world. Instances that
     * communicate here never wait for each other, even if the tool lists differ. Not called in
     * programs that use sessions only; at_world_end not if a process calls MPI_Finalize when its
     * object has ended. */
    void at_world_begin(const world &) {}
    void at_world_end(const world &) {}

    /* Called at the end of each MPI_Session_init that succeeds; several threads may be in it. */
    void at_session_begin() {}

    /* For processes that begin with MPI_Session_init, where there is no call that all take part in:
     * offer_to_job is called in rank 0 of the job, before its first MPI_Session_init is passed on, and must
     * not call MPI. What it returns, some hundred printable ASCII characters at most without spaces, '='
     * and ';', the same instance in each process gets in at_job_begin, when its first
     * MPI_Session_init has been passed on. */
    std::string offer_to_job([[maybe_unused]] int size) { return ""; }
    void at_job_begin(const job &) {}

    /* For processes that MPI_Comm_spawn starts: offer_to_spawned is called before a call is passed on.
     * What it returns in the root, a text as above, the same instance in rank 0 of the new processes
     * gets in at_spawned, before its MPI_Init is passed on and the root's call returns. at_spawned must
     * not call MPI. */
    std::string offer_to_spawned() { return ""; }
    void at_spawned(const spawned &) {}

    /* Called in MPI_Abort, before the next link. */
    void at_abort() {}

    /* Calls a function below this tool, outside any call of the application. From ready() on;
     * thread-safe. */
    template <MPI_Functions_enum id, typename... Arguments>
    QMPI_INLINE typename function<id>::result next(Arguments... arguments) noexcept
    {
        return detail::call_next<id>(self_, nullptr, arguments...);
    }

    /* Lets this instance sleep, or wakes it. From ready() on; thread-safe. Others can do so by
     * MPIX_Set_tool_awake. */
    void set_awake(bool is_awake) noexcept
    {
        static_assert(Tool::can_sleep, "a tool that can sleep declares can_sleep");
        QMPIX_Set_tool_awake(tool_id(), is_awake);
    }

    /* Arguments of this instance. Query all of them in the constructor: any that remain unknown are
     * refused when it returns. */
    const qmpi::arguments &arguments() const { return self_.arguments; }

    /* Position in the chain, from 1. */
    int tool_id() const { return self_.tool_id; }

    /* Position among the instances of this tool, from 1, and their number, which is final from
     * ready() on. */
    int instance_number() const { return self_.number; }
    static int instance_count() { return static_cast<int>(detail::instances<Tool>::all->size()); }

    /* Name under which the tool is registered. */
    static const char *name() { return detail::registration<Tool>::name; }

  protected:
    tool() : self_(own_instance()) {}
    ~tool() = default;

  private:
    static const detail::instance_base &own_instance()
    {
        if (detail::under_construction == nullptr)
            throw std::logic_error("only MPI creates objects of a tool");
        return *detail::under_construction;
    }

    const detail::instance_base &self_;
};

}  // namespace v1
}  // namespace qmpi

/* Registers a tool when its library is loaded. At namespace scope; one name per type, any number of
 * tools per library. */
#define QMPI_TOOL(name_, ...)                                                         \
    [[maybe_unused]] static const bool QMPI_DETAIL_JOIN(qmpi_registered_, __LINE__) = \
        ::qmpi::detail::registration<__VA_ARGS__>::register_tool(name_);
#define QMPI_DETAIL_JOIN(a_, b_) QMPI_DETAIL_JOIN_NOW(a_, b_)
#define QMPI_DETAIL_JOIN_NOW(a_, b_) a_##b_

#endif /* QMPI_TOOL_HPP_INCLUDED */
