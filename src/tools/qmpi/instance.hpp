/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Part of an instance outside the tool's object: its links, its messages to the user, and texts by which
 * it finds the same instance in processes without a common communicator. */

#ifndef QMPI_INSTANCE_HPP_INCLUDED
#define QMPI_INSTANCE_HPP_INCLUDED

#include "function.hpp"
#include "options.hpp"
#include "world.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace qmpi {
inline namespace v1 {

class any_call;

namespace detail {

inline void complain(const char *tool_name, const std::string &what)
{
    /* One write, so that lines of several processes do not mix. */
    const std::string line = std::string("QMPI tool ") + tool_name + ": " + what + "\n";
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

inline void complain(const char *tool_name, const char *doing, int error_code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;

    QMPI_Error_string(error_code, text, &length);
    complain(tool_name, std::string(doing) + ": " + text);
}

/* A tool may throw in every call. */
constexpr unsigned most_exceptions = 100;
QMPI_DETAIL_HIDDEN inline std::atomic<unsigned> exceptions{0};

inline void complain_of_exception(const char *tool_name, std::string_view where,
                                  const char *what) noexcept
{
    try {
        const unsigned number = exceptions.fetch_add(1, std::memory_order_relaxed);
        if (number == most_exceptions)
            complain(tool_name, "further exceptions are not printed");
        if (number >= most_exceptions)
            return;
        complain(tool_name, "exception in " + std::string(where) + ": " + what);
    } catch (...) {
    }
}

/* Next function in an instance's chain, and the tool id to pass to it. */
struct link {
    void (*function)() = nullptr;
    int tool_id = 0;
};

struct instance_base;

/* Members of a tool by which processes without a common world find each other. */
struct meeting {
    std::string (*offer_to_job)(const instance_base &, int size) noexcept;
    void (*at_job_begin)(const instance_base &, const qmpi::job &) noexcept;
    std::string (*offer_to_spawned)(const instance_base &) noexcept;
    void (*at_spawned)(const instance_base &, const qmpi::spawned &) noexcept;
};

/* Of the first MPI_Session_init of a process that has not called MPI_Init. */
enum class job_phase { not_begun, offering, initializing, begun };

/* Sleeping instances get these calls. */
constexpr bool is_for_sleeping(MPI_Functions_enum id)
{
    return id == MPI_INIT_T || id == MPI_INIT_THREAD_T || id == MPI_SESSION_INIT_T ||
        id == MPI_FINALIZE_T || id == MPI_SESSION_FINALIZE_T || id == MPI_ABORT_T ||
        id == MPI_PCONTROL_T;
}

/* Part of an instance that outlives the tool's object. */
struct instance_base {
    link next[MPI_LAST_FUNC_T];
    std::atomic<bool> is_alive{false};
    std::atomic<bool> takes_calls{false}; /* alive and awake */
    std::mutex awake_lock;                /* for changes of takes_calls */
    std::atomic<bool> has_begun{false};   /* MPI: a world or a session */
    std::atomic<int> sessions{0};
    std::atomic<bool> is_finalized{false};
    void (*at_abort)(const instance_base &) noexcept = nullptr;
    void (*at_session_begin)(const instance_base &) noexcept = nullptr;
    const detail::meeting *meeting = nullptr; /* nullptr if the tool declares none of them */
    mutable std::atomic<detail::job_phase> job_phase{detail::job_phase::not_begun};
    /* The member intercept(any_call &); false: it threw, there is no result. */
    bool (*intercept)(const instance_base &, any_call &, int &result) noexcept = nullptr;
    std::optional<qmpi::world> world;
    int tool_id = 0;
    int number = 0;
    qmpi::arguments arguments;

    bool takes(MPI_Functions_enum id) const noexcept
    {
        return __builtin_expect(takes_calls.load(std::memory_order_acquire), 1) ||
            (is_for_sleeping(id) && is_alive);
    }
};

template <MPI_Functions_enum id, typename... Arguments>
QMPI_INLINE typename function<id>::result call_next(const instance_base &instance,
                                                    MPI_Context context,
                                                    Arguments... arguments) noexcept
{
    static_assert(id != MPI_PCONTROL_T, "no next link: MPI calls MPI_Pcontrol of every instance");
    const link &next = instance.next[id];
    /* Before ready(), or a function that the library lacks. */
    if (__builtin_expect(next.function == nullptr, 0)) {
        if constexpr (function<id>::returns_error_code)
            return MPI_ERR_UNSUPPORTED_OPERATION;
        else
            return {};
    }
    return reinterpret_cast<typename function<id>::pointer>(next.function)(context, next.tool_id,
                                                                           arguments...);
}

inline void complain(const char *tool_name, const char *doing, int error_code);

/* ---- processes without a common communicator ---- */

/* Keys of an instance's texts for other processes: of its tool, and of the tool with these arguments,
 * the nth such instance of its process. */
struct text_keys {
    std::string tool, instance;
};

inline std::string hash_of(std::string_view text)
{
    std::uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char character : text)
        hash = (hash ^ static_cast<unsigned char>(character)) * 16777619u;
    char digits[16];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(hash));
    return digits;
}

inline text_keys text_keys_of(const instance_base &instance)
{
    std::string name, arguments;
    int number = 0;
    for (int id = instance.tool_id; id > 0; id--) {
        const char *other_name = "", *other_arguments = "";
        QMPIX_Get_tool_name(id, &other_name);
        QMPIX_Get_tool_arguments(id, &other_arguments);
        if (id == instance.tool_id) {
            name = other_name;
            arguments = other_arguments;
        } else if (name == other_name && arguments == other_arguments)
            number++;
    }
    const std::string tool = hash_of(name);
    return {tool, tool + hash_of(arguments + '\n' + std::to_string(number))};
}

/* False if the library refuses the text. */
inline bool put_text(const instance_base &instance, int receivers, const std::string &key,
                     const std::string &text)
{
    const int error_code = QMPIX_Put_tool_text(receivers, key.c_str(), text.c_str());
    const char *name = "";
    if (error_code == MPI_SUCCESS)
        return true;
    QMPIX_Get_tool_name(instance.tool_id, &name);
    complain(name, "cannot put a text for other processes", error_code);
    return false;
}

inline std::string get_text(int rank, const std::string &key)
{
    char text[MPIX_MAX_TOOL_TEXT_LENGTH] = "";
    return QMPIX_Get_tool_text(rank, key.c_str(), text) == MPI_SUCCESS ? text : "";
}

/* Without memory there are no texts. */
template <typename Work>
void if_there_is_memory(Work work) noexcept
{
    try {
        work();
    } catch (const std::bad_alloc &) {
    }
}

/* As in the peers of a world begin function */
inline int peer_in(int rank, const text_keys &keys)
{
    const std::string tool_id = get_text(rank, keys.instance);
    if (!tool_id.empty())
        return std::atoi(tool_id.c_str());
    if (!get_text(rank, keys.tool).empty())
        return MPIX_TOOL_VARIANT;
    const std::string begin = get_text(rank, "");
    return begin.empty() ? MPIX_TOOL_NONE : begin == "world" ? MPIX_TOOL_ALONE : MPIX_TOOL_OTHER;
}

/* Around a call of MPI_Session_init. The first one puts the instance's texts before it passes the call
 * on, and gets those of the others after it. Other threads wait for both. */
class session_begin {
  public:
    explicit session_begin(const instance_base &instance) noexcept : instance_(instance)
    {
        int is_world = 0;
        QMPI_Initialized(&is_world);
        if (instance.meeting == nullptr || is_world)
            return;
        job_phase phase = job_phase::not_begun;
        is_first_ = instance.job_phase.compare_exchange_strong(phase, job_phase::offering);
        if (is_first_) {
            is_first_ = QMPIX_Get_tool_job(&world_, &rank_, &size_) == MPI_SUCCESS;
            if (is_first_)
                if_there_is_memory([this] { offer(); });
            instance.job_phase = is_first_ ? job_phase::initializing : job_phase::begun;
        } else
            wait_for(job_phase::offering);
    }

    void end(int error_code) noexcept
    {
        if (is_first_) {
            if (error_code == MPI_SUCCESS)
                if_there_is_memory([this] { join(); });
            instance_.job_phase =
                error_code == MPI_SUCCESS ? job_phase::begun : job_phase::not_begun;
        } else
            wait_for(job_phase::initializing);
    }

  private:
    void wait_for(job_phase phase) const noexcept
    {
        while (instance_.job_phase == phase)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

    void offer()
    {
        keys_ = text_keys_of(instance_);
        if (rank_ == 0)
            offer_ = instance_.meeting->offer_to_job(instance_, size_);
        const std::string text = rank_ == 0 ? offer_ : std::to_string(instance_.tool_id);
        if (text.empty() || !put_text(instance_, MPIX_TOOL_JOB, keys_.instance, text))
            offer_.clear();
        else
            put_text(instance_, MPIX_TOOL_JOB, keys_.tool, "1");
    }

    void join()
    {
        std::vector<int> peers(static_cast<std::size_t>(size_), MPIX_TOOL_NONE);
        if (rank_ != 0)
            offer_ = get_text(0, keys_.instance);
        else {
            peers[0] = instance_.tool_id;
            for (int i = 1; !offer_.empty() && i < size_; i++)
                peers[static_cast<std::size_t>(i)] = peer_in(i, keys_);
        }
        instance_.meeting->at_job_begin(
            instance_, {rank_, size_, offer_.c_str(), rank_ == 0 ? peers.data() : nullptr});
    }

    const instance_base &instance_;
    bool is_first_ = false;
    const char *world_ = "";
    int rank_ = 0, size_ = 1;
    text_keys keys_;
    std::string offer_;
};

/* Before MPI_Init of a spawned process is passed on: the parents' MPI_Comm_spawn returns later. */
inline void meet_parent(const instance_base &instance) noexcept
{
    int is_world = 0;
    QMPI_Initialized(&is_world);
    if (instance.meeting == nullptr || is_world || instance.job_phase != job_phase::not_begun)
        return;
    if_there_is_memory([&instance] {
        char text[MPIX_MAX_TOOL_TEXT_LENGTH] = "";
        const std::string key = text_keys_of(instance).instance;
        const char *world = "";
        int rank = 0, size = 1;
        if (QMPIX_Get_tool_text(MPIX_TOOL_PARENT, key.c_str(), text) == MPI_SUCCESS &&
            QMPIX_Get_tool_job(&world, &rank, &size) == MPI_SUCCESS && rank == 0)
            instance.meeting->at_spawned(instance, {world, size, text});
    });
}

/* While a call of MPI_Comm_spawn is passed on; only the root's text is used. */
class spawn_offer {
  public:
    explicit spawn_offer(const instance_base &instance) noexcept
    {
        if (instance.meeting == nullptr)
            return;
        if_there_is_memory([this, &instance] {
            const std::string text = instance.meeting->offer_to_spawned(instance);
            if (text.empty())
                return;
            key_ = text_keys_of(instance).instance;
            put_text(instance, MPIX_TOOL_SPAWNED, key_, text);
        });
    }

    ~spawn_offer()
    {
        if (!key_.empty())
            QMPIX_Put_tool_text(MPIX_TOOL_SPAWNED, key_.c_str(), "");
    }

    spawn_offer(const spawn_offer &) = delete;
    spawn_offer &operator=(const spawn_offer &) = delete;

  private:
    std::string key_;
};

constexpr bool initializes_world(MPI_Functions_enum id)
{
    return id == MPI_INIT_T || id == MPI_INIT_THREAD_T;
}

constexpr bool spawns(MPI_Functions_enum id)
{
    return id == MPI_COMM_SPAWN_T || id == MPI_COMM_SPAWN_MULTIPLE_T;
}

}  // namespace detail

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_INSTANCE_HPP_INCLUDED */
