/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "profile": time, calls and bytes by MPI function and call site. See qmpi-profile(7). This
 * file handles calls and decides when to report; profile/tables.hpp holds the records,
 * profile/summary.hpp the sums. */

#include "options.hpp"
#include "reports.hpp"
#include "summary.hpp"
#include "tables.hpp"

#include "../common/bytes.hpp"
#include "../common/call_sites.hpp"
#include "../common/communicators.hpp"
#include "../common/process.hpp"
#include "../common/reporting_tool.hpp"
#include "../common/selection.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include <execinfo.h>
#include <unistd.h>

namespace qmpi::profile {
namespace {

/* Measures the application's time while the profile is on. Thread-safe. */
class Stopwatch {
  public:
    explicit Stopwatch(ProcessRecord &record) : record_(record) {}

    void start()
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (record_.runs.get() == 0)
            record_.begin.set(now());
        record_.runs.set(1);
    }

    void stop()
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (record_.runs.get() != 0)
            record_.sum.add(now() - record_.begin.get());
        record_.runs.set(0);
    }

    void reset()
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        record_.sum.set(0);
        record_.begin.set(now());
    }

  private:
    std::mutex mutex_;
    ProcessRecord &record_;
};

/* State that MPI_Pcontrol switches for all threads: recording on or off, and the generation of
 * records since the last reset. */
class Control {
  public:
    struct State {
        std::uint32_t bits;

        bool is_on() const { return bits & 1; }
        std::uint32_t generation() const { return bits >> 1; }
    };

    explicit Control(bool is_on) : bits_(is_on) {}

    State state() const { return {bits_.load(std::memory_order_relaxed)}; }
    void set_on() { bits_.fetch_or(1); }
    void set_off() { bits_.fetch_and(~1u); }
    void reset() { bits_.fetch_add(2); }

  private:
    std::atomic<std::uint32_t> bits_;
};

class Profile : public ReportingTool<Profile> {
  public:
    static constexpr const char *description = "time, calls and bytes of functions and call sites";
    using Options = profile::Options;
    static constexpr bool can_sleep = true;

    Profile()
    {
        for (int id = 0; id < MPI_LAST_FUNC_T; id++)
            is_wanted_[static_cast<std::size_t>(id)] = options_.functions.contains(id);
        if (depth_ > 1) {
            /* The first call of backtrace() loads a library. */
            void *address;
            backtrace(&address, 1);
        }
    }

    ~Profile() { report_at_end(); }

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (Call::id == MPI_FINALIZE_T || Call::id == MPI_ABORT_T) {
            /* The report is made inside the call. */
            Start started;
            start(started, Call::id, call.context());
            const Untimed untimed{started};
            return call();
        } else if constexpr (Call::id == MPI_INIT_T || Call::id == MPI_INIT_THREAD_T ||
                             Call::id == MPI_SESSION_INIT_T) {
            const auto result = record(call);
            begin_application();
            return result;
        } else
            return record(call);
    }

    /* As in other profilers: 0: off, 1: on, 2: reset. */
    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &call, int level, qmpi::varargs)
    {
        if (level == 0) {
            control_.set_off();
            application_.stop();
        } else if (level == 1) {
            control_.set_on();
            application_.start();
        } else if (level == 2) {
            application_.reset();
            control_.reset();
            tables_.process().generation.set(control_.state().generation());
        }
        return call();
    }

    void at_world_end(const qmpi::world &world)
    {
        application_.stop();
        if (report_world(world))
            control_.set_off();
    }

  private:
    friend class ReportingTool<Profile>;

    /* ---- a call ---- */

    struct Start {
        Frame frame;
        Table *table = nullptr; /* nullptr: not recorded */
        FunctionRecord *function = nullptr;
        SiteRecord *site = nullptr; /* nullptr: not timed */
        Time time = 0;
    };

    /* Origin of an operation whose bytes are counted later. */
    struct Origin {
        const SiteRecord *site;
        Communicators::Shared communicator;
    };
    using Traffic = qmpi::Traffic<Origin>;

    void start(Start &started, MPI_Functions_enum id, MPI_Context context)
    {
        const Control::State state = control_.state();
        if (!is_wanted_[id] || !state.is_on())
            return;
        Table &table = own_table(state);
        FunctionRecord &function = table.function(id);
        function.calls.add(1);
        started.function = &function;
        if (function.until_timed > 0) {
            function.until_timed--;
            table.enter(started.frame, CallKey(static_cast<std::uint32_t>(id), 0), 0);
            started.table = &table;
            return;
        }
        function.until_timed = sample_ - 1;
        const void *path[max_depth];
        started.site = &table.site(id, path, path_of(context, path));
        started.time = now();
        table.enter(started.frame, started.site->key, started.time);
        started.table = &table;
    }

    Table &own_table(const Control::State &state)
    {
        Table &table = tables_.own_table();
        if (__builtin_expect(table.generation() != state.generation(), 0))
            table.clear(state.generation());
        return table;
    }

    /* A call that is counted only, during its lifetime. */
    struct Untimed {
        const Start &started;

        ~Untimed()
        {
            if (started.table != nullptr)
                started.table->leave(started.frame);
        }
    };

    /* Ends a call, also if an exception of this tool leaves it. */
    class Ending {
      public:
        Ending(Profile &profile, const Start &started) : profile_(profile), started_(started) {}
        ~Ending()
        {
            if (!is_finished_)
                abandon(started_);
        }
        Ending(const Ending &) = delete;
        Ending &operator=(const Ending &) = delete;

        Time finish(const Bytes &bytes)
        {
            is_finished_ = true;
            return profile_.finish(started_, bytes);
        }

      private:
        Profile &profile_;
        const Start &started_;
        bool is_finished_ = false;
    };

    template <typename Call>
    auto record(Call &call)
    {
        const Communicators::Shared communicator = communicator_of(call);
        Start started;
        start(started, Call::id, call.context());
        if (started.table == nullptr)
            return pass(call);
        Ending ending(*this, started);
        Bytes bytes;
        const auto result = traffic_.follow(
            call, bytes,
            [&] {
                return Origin{started.site, communicator_of(call, communicator)};
            },
            [this](Traffic::Operation &operation, const Bytes &moved, bool has_started) {
                count_later(operation, moved, has_started);
            });
        const Time time = ending.finish(bytes);
        if constexpr (Call::returns_error_code) {
            if (__builtin_expect(options_.communicators, 0) && started.site != nullptr &&
                result == MPI_SUCCESS)
                add_to_communicator(*started.table, Call::id, communicator_of(call, communicator),
                                    time, bytes);
        }
        return result;
    }

    /* Compiled once, not into each function. Returns the time of the call, or 0 if it is not timed. */
    [[gnu::noinline]] Time finish(const Start &started, const Bytes &bytes)
    {
        const Time time = end(started, bytes);
        return started.site == nullptr ? 0 : time;
    }

    [[gnu::noinline, gnu::cold]] static void abandon(const Start &started)
    {
        end(started, Bytes());
    }

    static Time end(const Start &started, const Bytes &bytes)
    {
        const Time time = started.site != nullptr ? now() - started.time : 0;
        started.table->leave(started.frame);
        if (!bytes.is_zero())
            add_bytes(*started.function, bytes);
        if (started.site != nullptr)
            add_time(started, time, bytes);
        return time;
    }

    /* Makes a call that is not recorded. Operations that were recorded when they started are still
     * followed, and persistent ones may start while the profile is on. */
    template <typename Call>
    auto pass(Call &call)
    {
        constexpr bool is_persistent = movement::is_persistent(Call::form);
        if constexpr (Traffic::needs<Call>() || is_persistent) {
            if (is_persistent && !is_wanted_[Call::id])
                return communicators_->watch(call);
            const Communicators::Shared communicator = communicator_of(call);
            Bytes bytes;
            return traffic_.follow(
                call, bytes,
                [&] {
                    return Origin{&site_of(Call::id, call.context()),
                                  communicator_of(call, communicator)};
                },
                [this](Traffic::Operation &operation, const Bytes &moved, bool has_started) {
                    count_later(operation, moved, has_started);
                });
        } else
            return call();
    }

    [[gnu::noinline]] const SiteRecord &site_of(MPI_Functions_enum id, MPI_Context context)
    {
        const void *path[max_depth];
        const std::size_t depth = path_of(context, path);
        return own_table(control_.state()).site(id, path, depth);
    }

    /* Bytes of an operation that started, if persistent, or completed. The thread may be another one
     * than that of the call which described it. */
    void count_later(Traffic::Operation &operation, const Bytes &bytes, bool has_started)
    {
        const Control::State state = control_.state();
        if (has_started)
            operation.is_recorded = state.is_on();
        if (!operation.is_recorded)
            return;
        Table &table = own_table(state);
        add_bytes(table.function(operation.function), bytes);
        const Origin &origin = operation.tag;
        if (origin.site == nullptr)
            return;
        add_bytes(table.site(*origin.site), bytes);
        if (origin.communicator != nullptr)
            add_bytes(table.communicator(operation.function, origin.communicator), bytes);
    }

    static void add_bytes(FunctionRecord &function, const Bytes &bytes)
    {
        if (bytes.sent > 0) {
            function.sent.add(bytes.sent);
            function.sent_sizes[bin_of(bytes.sent)].add(1);
        }
        if (bytes.received > 0) {
            function.received.add(bytes.received);
            function.received_sizes[bin_of(bytes.received)].add(1);
        }
    }

    template <typename Record>
    static void add_bytes(Record &record, const Bytes &bytes)
    {
        record.sent.add(bytes.sent);
        record.received.add(bytes.received);
    }

    static void add_time(const Start &started, Time time, const Bytes &bytes)
    {
        started.table->note_time(started.time + time);
        started.function->timed_calls.add(1);
        if (!started.table->is_in_call())
            started.function->outer_time.add(time);
        SiteRecord &site = *started.site;
        site.calls.add(1);
        site.time.add(time);
        site.shortest.at_most(time);
        site.longest.at_least(time);
        add_bytes(site, bytes);
    }

    /* Call path, innermost first; returns its depth. */
    std::size_t path_of(MPI_Context context, const void **path) const
    {
        void *address = nullptr;
        QMPI_Get_calling_address(context, &address);
        path[0] = address;
        return depth_ == 1 ? 1 : callers_of(address, path);
    }

    [[gnu::noinline]] std::size_t callers_of(void *address, const void **path) const
    {
        /* Frames of the tools come before the application's. */
        void *frames[max_depth + 64];
        void **const end = frames + backtrace(frames, static_cast<int>(std::size(frames)));
        void **const found = std::find(frames, end, address);
        const std::size_t number = std::min(depth_, static_cast<std::size_t>(end - found));
        std::copy(found, found + number, path);
        return std::max<std::size_t>(number, 1);
    }

    /* Communicator on which a call communicates, or nullptr. Query before the call: another thread may
     * free it meanwhile. */
    template <typename Call>
    Communicators::Shared communicator_of([[maybe_unused]] Call &call)
    {
        if constexpr (Call::has(qmpi::role::communicator) || Call::has(qmpi::role::window)) {
            if (__builtin_expect(options_.communicators, 0))
                return communicators_->used_by(call);
        }
        return nullptr;
    }

    /* The same after the call; known: from before it. */
    template <typename Call>
    Communicators::Shared communicator_of(Call &call, const Communicators::Shared &known)
    {
        return options_.communicators ? communicators_->used_by(call, known) : nullptr;
    }

    [[gnu::noinline]] void add_to_communicator(Table &table, int id,
                                               const Communicators::Shared &communicator, Time time,
                                               const Bytes &bytes)
    {
        if (communicator == nullptr)
            return;
        CommunicatorRecord &record = table.communicator(id, communicator);
        record.calls.add(1);
        record.time.add(time);
        add_bytes(record, bytes);
    }

    /* ---- reports ---- */

    void begin_application()
    {
        if (control_.state().is_on())
            application_.start();
    }

    Summary state(bool)
    {
        tables_.update_names();
        Task task;
        task.rank = reporter(true).rank;
        task.process = static_cast<int>(getpid());
        task.host = host_name();
        return Summary::of(own_record().view(), std::move(task), {now(), Life::running, true});
    }

    bool write(const Summary &summary, const Reporter &reporter)
    {
        Run run;
        run.introduction = introduction();
        run.end = local_time();
        run.is_alone = reporter.is_alone;
        CallSites call_sites;
        const Reports reports(run, summary, call_sites);
        return destination_.write(reporter, [&](Format format) { return reports.make(format); });
    }

    const Options options_{arguments()};
    const Destination destination_{*this, options_};
    const std::size_t depth_ = options_.depth;
    const std::uint32_t sample_ = options_.sample;

    /* Rarely written, read in every call. */
    Control control_{!options_.off};
    std::array<bool, MPI_LAST_FUNC_T> is_wanted_{};
    Tables &tables_ = *new Tables(own_record(), sample_);
    forever<Communicators> communicators_{options_.communicators ? Detail::all : Detail::shape};
    Traffic traffic_{*communicators_};

    Stopwatch application_{tables_.process()};
};

}  // namespace
}  // namespace qmpi::profile

QMPI_TOOL("profile", qmpi::profile::Profile)
