/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "trace": a timeline of MPI calls, messages and collective operations, for OTF2 and Perfetto.
 * Each thread writes a journal (trace/journal.hpp); in MPI_Finalize the processes merge the
 * journals (trace/finish.hpp). If the program ends before that, qmpi_report does it. See
 * qmpi-trace(7). */

#include "../common/bytes.hpp"
#include "../common/call_sites.hpp"
#include "../common/communicators.hpp"
#include "../common/operations.hpp"
#include "../common/patterns.hpp"
#include "../common/process.hpp"
#include "../common/record.hpp"
#include "../common/report.hpp"
#include "../common/report_options.hpp"
#include "../common/selection.hpp"
#include "clocks.hpp"
#include "definitions.hpp"
#include "finish.hpp"
#include "journal.hpp"
#include "otf2_output.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace qmpi::trace {
namespace {

/* A child of fork shares its parent's files and must not write. */
std::atomic<bool> is_child{false};

void note_forks()
{
    static const int registered = pthread_atfork(nullptr, nullptr, [] { is_child = true; });
    (void) registered;
}

/* ---- recording of a thread ---- */

/* Journal and the definitions already in it, of one thread or of several that do not overlap. */
class Recorder {
  public:
    Recorder(Store &store, int thread, bool has_sites)
        : has_sites_(has_sites), journal(store, thread)
    {
    }

    /* Number of the call site, defined on first use. */
    std::uint32_t number_of(MPI_Functions_enum function, const void *address)
    {
        const auto key = reinterpret_cast<std::uintptr_t>(has_sites_ ? address : nullptr);
        const auto [found, is_new] =
            sites_.try_emplace({key, function}, static_cast<std::uint32_t>(sites_.size()));
        if (is_new)
            define_site(found->second, function, reinterpret_cast<const void *>(key));
        return found->second;
    }

    /* Number of the communicator, defined on first use; or no_subject. */
    std::uint32_t number_of(const qmpi::Communicator *communicator)
    {
        if (communicator == nullptr)
            return no_subject;
        if (communicator->id == last_id_)
            return last_number_;
        const auto [found, is_new] = communicators_.try_emplace(
            communicator->id, static_cast<std::uint32_t>(communicators_.size()));
        if (is_new) {
            if (is_outside(communicator->world) || is_outside(communicator->remote))
                found->second = no_subject;
            else
                define(found->second, *communicator);
        }
        last_id_ = communicator->id;
        last_number_ = found->second;
        return found->second;
    }

    /* Its name has changed. */
    void define_again(const qmpi::Communicator *communicator)
    {
        const std::uint32_t number = number_of(communicator);
        if (number != no_subject)
            define(number, *communicator);
    }

    /* True for every nth call of the function. */
    bool is_sample(MPI_Functions_enum function, std::uint32_t distance)
    {
        if (distance <= 1)
            return true;
        calls_.resize(MPI_LAST_FUNC_T);
        return calls_[function]++ % distance == 0;
    }

  private:
    struct SiteKey {
        std::uintptr_t address;
        MPI_Functions_enum function;
        bool operator==(const SiteKey &other) const
        {
            return address == other.address && function == other.function;
        }
    };
    struct Hash {
        std::size_t operator()(const SiteKey &key) const
        {
            return key.address * 1024 + static_cast<std::size_t>(key.function);
        }
    };

    static bool is_outside(const std::vector<int> &group)
    {
        return std::find(group.begin(), group.end(), qmpi::outside_world) != group.end();
    }

    void define_site(std::uint32_t number, MPI_Functions_enum function, const void *address)
    {
        const qmpi::CodeLocation location =
            address == nullptr ? qmpi::CodeLocation{} : qmpi::locate(address);
        journal.define(
            Kind::site, number,
            describe_site(qmpi::function_name(function), location.module, location.offset));
    }

    void define(std::uint32_t number, const qmpi::Communicator &communicator)
    {
        journal.define(
            Kind::communicator, number,
            describe_communicator(communicator.id, communicator.name(), communicator.is_inter,
                                  communicator.world, communicator.remote));
    }

    bool has_sites_;
    std::unordered_map<SiteKey, std::uint32_t, Hash> sites_;
    std::unordered_map<std::uint64_t, std::uint32_t> communicators_;
    std::uint64_t last_id_ = 0;
    std::uint32_t last_number_ = no_subject;
    std::vector<std::uint32_t> calls_;

  public:
    Journal journal;
};

/* Of all threads of an instance. Never destroyed, since threads may end after the tool's object. */
struct Recorders {
    std::mutex lock;
    std::vector<std::unique_ptr<Recorder>> all;
    std::vector<Recorder *> unused; /* of threads that have ended; the next threads continue them */

    /* A thread that ends. Its journal stays open for the next one, unless many are. */
    void give_back(Recorder *recorder)
    {
        const std::lock_guard<std::mutex> guard(lock);
        if (unused.size() >= max_open)
            recorder->journal.close();
        unused.push_back(recorder);
    }

    void close_unused()
    {
        const std::lock_guard<std::mutex> guard(lock);
        for (Recorder *recorder : unused)
            recorder->journal.close();
    }

  private:
    static constexpr std::size_t max_open = 16;
};

struct ThreadRecorders {
    struct Own {
        Recorder *recorder = nullptr;
        Recorders *owner = nullptr;
    };
    std::vector<Own> by_instance;
    static thread_local bool is_over;

    ~ThreadRecorders()
    {
        is_over = true;
        if (is_child)
            return;
        for (const Own &own : by_instance) {
            if (own.recorder == nullptr)
                continue;
            own.owner->give_back(own.recorder);
        }
    }
};

thread_local bool ThreadRecorders::is_over = false;
thread_local ThreadRecorders own;

/* ---- communication ---- */

struct Operation {
    qmpi::Communicators::Shared communicator;
    MPI_Functions_enum function = MPI_LAST_FUNC_T;
    bool sends = false, receives = false, is_collective = false;
    int destination = MPI_PROC_NULL, send_tag = 0;
    movement::Received described; /* receive */
    int root = MPI_UNDEFINED;
    std::uint64_t sent = 0, received = 0;
    std::uint64_t send_request = 0, receive_request = 0;
    bool is_recorded = false; /* the last start; only then the end is recorded */
};

/* Communication of a function, known at compile time. */
template <typename Call>
struct Shape {
    static constexpr bool is_message = qmpi::movement::is_point_to_point(Call::operation);
    static constexpr bool sends = is_message && Call::operation != qmpi::operation::receive;
    static constexpr bool receives = is_message && Call::operation != qmpi::operation::send;
    static constexpr bool is_collective = Call::operation == qmpi::operation::barrier ||
        qmpi::movement::is_collective_data(Call::operation);
    static constexpr bool communicates = is_message || is_collective;
    /* Enqueued operations are recorded as blocking ones. */
    static constexpr bool has_request = qmpi::Operations<Operation>::template has_request<Call>();
    static constexpr bool is_persistent = qmpi::movement::is_persistent(Call::form);
};

Transfer send_of(const Operation &operation)
{
    return {operation.destination,  operation.send_tag,
            operation.sent,         0,
            operation.send_request, static_cast<std::uint64_t>(operation.function)};
}

Transfer receive_of(const Operation &operation, const movement::Received &received)
{
    return {received.source,
            received.tag,
            0,
            received.bytes,
            operation.receive_request,
            static_cast<std::uint64_t>(operation.function)};
}

Transfer collective_of(const Operation &operation)
{
    return {operation.root,         0,
            operation.sent,         operation.received,
            operation.send_request, static_cast<std::uint64_t>(operation.function)};
}

/* status: nullptr if there is none */
void record_blocking(Recorder &recorder, const Operation &operation, const MPI_Status *status,
                     std::uint64_t begin, std::uint64_t end)
{
    const std::uint32_t number = recorder.number_of(operation.communicator.get());
    if (operation.is_collective) {
        recorder.journal.transfer(Kind::collective_begin, number, begin, Transfer());
        recorder.journal.transfer(Kind::collective_end, number, end, collective_of(operation));
        return;
    }
    if (operation.sends)
        recorder.journal.transfer(Kind::send, number, begin, send_of(operation));
    if (!operation.receives)
        return;
    const movement::Received received = status == nullptr
        ? operation.described
        : movement::received_by(*status, operation.described);
    if (received.source >= 0)
        recorder.journal.transfer(Kind::receive, number, end, receive_of(operation, received));
}

/* Records the start of a nonblocking operation and numbers its request. */
void record_start(Recorder &recorder, Operation &operation, std::uint64_t time)
{
    const std::uint32_t number = recorder.number_of(operation.communicator.get());
    if (operation.is_collective) {
        operation.send_request = recorder.journal.new_request();
        operation.is_recorded = recorder.journal.transfer(Kind::icollective, number, time,
                                                          {0, 0, 0, 0, operation.send_request, 0});
        return;
    }
    if (operation.sends) {
        operation.send_request = recorder.journal.new_request();
        operation.is_recorded =
            recorder.journal.transfer(Kind::isend, number, time, send_of(operation));
    }
    if (operation.receives) {
        operation.receive_request = recorder.journal.new_request();
        operation.is_recorded = recorder.journal.transfer(
            Kind::irecv, number, time, {0, 0, 0, 0, operation.receive_request, 0});
    }
}

/* status: of a completed operation. The sender of a receive may stay unknown (MPI_Isendrecv from
 * MPI_ANY_SOURCE), as may all of it if the request is freed early; it is cancelled then. */
void record_end(Recorder &recorder, const Operation &operation, const MPI_Status *status,
                Outcome outcome, std::uint64_t time)
{
    const std::uint32_t number = recorder.number_of(operation.communicator.get());
    const bool is_complete = outcome == Outcome::completed;
    const Transfer end_of_send{0, 0, 0, 0, operation.send_request, 0};
    const Transfer abandoned_receive{0, 0, 0, 0, operation.receive_request, 0};

    if (operation.is_collective)
        recorder.journal.transfer(is_complete ? Kind::icollective_done : Kind::cancelled, number,
                                  time, is_complete ? collective_of(operation) : end_of_send);
    if (operation.sends)
        recorder.journal.transfer(
            is_complete || outcome == Outcome::freed ? Kind::isend_done : Kind::cancelled, number,
            time, end_of_send);
    if (operation.receives) {
        const movement::Received received = is_complete
            ? movement::received_by(*status, operation.described)
            : movement::Received();
        const bool is_known = received.source >= 0;
        recorder.journal.transfer(is_known ? Kind::irecv_done : Kind::cancelled, number, time,
                                  is_known ? receive_of(operation, received) : abandoned_receive);
    }
}

/* ---- the tool ---- */

constexpr std::uint32_t max_megabytes = 1u << 30;

enum class Clock { host, process };

struct Options : ReportOptions {
    explicit Options(const qmpi::arguments &given)
        : ReportOptions(given, known_formats(), "", standard_formats())
    {
    }

    static std::vector<Format> known_formats()
    {
        if (has_otf2)
            return {Format::otf2, Format::json, Format::html};
        return {Format::json, Format::html};
    }

    /* JSON can be larger than everything else. */
    static std::vector<Format> standard_formats()
    {
        if (has_otf2)
            return {Format::otf2, Format::html};
        return {};
    }

    function_set functions = option("functions", set::all)
                                 .help("only these functions or sets, as in collective+MPI_Send");
    std::uint32_t sample =
        option("sample", 1u).between(1, 1000000000).help("record every Nth call of a function");
    bool sites = flag("sites", true).help("do not record call sites");
    std::uint32_t buffer = option("buffer", 16u)
                               .value("MB")
                               .between(1, max_megabytes)
                               .help("mapped part of a thread's journal");
    std::uint32_t limit = option("limit", 1024u)
                              .value("MB")
                              .between(1, max_megabytes)
                              .help("journals on disk per rank; further records are lost");
    Clock clock = option("clock", Clock::host)
                      .one_of({{"host", Clock::host}, {"process", Clock::process}})
                      .help("measure the clock of each host or of each process");
};

class Trace : public qmpi::tool<Trace> {
  public:
    static constexpr const char *description =
        "timeline of calls and messages, in OTF2 and for Perfetto";
    static constexpr bool works_in_child = false;
    using Options = trace::Options;

    Trace()
    {
        store_.set_opener([this] { open_alone({}); });
        note_forks();
    }

    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    ~Trace()
    {
        is_recording_ = false;
        try {
            if (!is_child && (!is_world_ || is_first_))
                end_early("the program ended without MPI_Finalize");
        } catch (const std::exception &exception) {
            qmpi::complain(name(), std::string("no trace: ") + exception.what());
        }
    }

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (Call::id == MPI_PCONTROL_T) {
            const int level = call.template argument<0>();
            if (level == 0 || level == 1)
                is_paused_ = level == 0;
        }
        /* A persistent operation may start after recording has resumed. */
        const bool is_paused = this->is_paused();
        Recorder *const recorder =
            is_paused && !Shape<Call>::is_persistent ? nullptr : recorder_for(Call::id);
        if (recorder == nullptr)
            return call_next(call, 0, nullptr);

        const std::uint64_t begin = qmpi::now();
        /* Defines the function, which the messages of a persistent operation refer to. */
        const std::uint32_t site = recorder->number_of(Call::id, call.calling_address());
        if (is_paused)
            return call_next(call, begin, recorder);
        recorder->journal.mark(Kind::enter, site, begin);
        const Leaving leaving{*this, *recorder, site};
        const auto result = call_next(call, begin, recorder);
        if constexpr (Call::id == MPI_COMM_SET_NAME_T) {
            if (result == MPI_SUCCESS)
                recorder->define_again(
                    communicators_->of(qmpi::get<qmpi::role::communicator>(call)).get());
        }
        return result;
    }

    void at_world_begin(const qmpi::world &world)
    {
        reporter_.rank = world.program_rank();
        reporter_.is_spawned = qmpi::is_spawned();
        reporter_.is_variant = world.follows_variant();
        is_first_ = world.rank() == 0;
        if (is_child)
            return;
        try {
            stem_ = world.from_first([this] { return prepare_stem(); });
            is_world_ = true;
            store_.set_quiet(true);
            open_journals(world);
            note_clock(world);
            remove_own_folder();
        } catch (const qmpi::world_error &error) {
            store_.stop(error.what());
            is_finished_ = true;
        }
        report_stopped(world);
    }

    void at_world_end(const qmpi::world &world)
    {
        if (!is_world_ || is_finished_ || is_child)
            return;
        note_clock(world);
        finish(world.comm(), false);
        if (world.rank() == 0 && !world.is_complete())
            qmpi::complain(name(), "not in the trace: " + world.absent());
    }

    /* Until a world begins, the journals are in a folder of the process. */
    void at_session_begin()
    {
        if (is_world_ || is_child)
            return;
        if (!store_.is_open())
            open_alone(place_in_job());
        attach_all();
    }

    void at_abort()
    {
        end_early("the program called MPI_Abort");
        await_stderr();
    }

  private:
    /* ---- one call ---- */

    /* Records the end of a call, also if an exception of this tool leaves it. */
    struct Leaving {
        Trace &trace;
        Recorder &recorder;
        std::uint32_t site;

        ~Leaving()
        {
            if (trace.is_recording_.load(std::memory_order_relaxed))
                recorder.journal.mark(Kind::leave, site, qmpi::now());
        }
    };

    /* By MPI_Pcontrol, or for good when the store has stopped. */
    bool is_paused() const
    {
        return is_paused_.load(std::memory_order_relaxed) || store_.is_stopped();
    }

    /* Recorder of this thread, or nullptr if the call is not to be recorded. */
    Recorder *recorder_for(MPI_Functions_enum function)
    {
        if (!options_.functions.contains(function))
            return nullptr;
        Recorder *const recorder = recorder_of_thread();
        if (recorder == nullptr || !recorder->is_sample(function, options_.sample))
            return nullptr;
        return recorder;
    }

    /* nullptr when recording has ended, in a child of fork, and in a thread that is about to end. */
    Recorder *recorder_of_thread()
    {
        if (!is_recording_.load(std::memory_order_relaxed) ||
            is_child.load(std::memory_order_relaxed) || ThreadRecorders::is_over)
            return nullptr;
        const auto index = static_cast<std::size_t>(instance_number());
        if (index < own.by_instance.size() && own.by_instance[index].recorder != nullptr)
            return own.by_instance[index].recorder;
        return take_recorder(index);
    }

    Recorder *take_recorder(std::size_t index)
    {
        const std::lock_guard<std::mutex> guard(recorders_.lock);
        if (own.by_instance.size() <= index)
            own.by_instance.resize(index + 1);
        Recorder *recorder = nullptr;
        if (recorders_.unused.empty()) {
            recorders_.all.push_back(std::make_unique<Recorder>(
                store_, static_cast<int>(recorders_.all.size()), options_.sites));
            recorder = recorders_.all.back().get();
        } else {
            recorder = recorders_.unused.back();
            recorders_.unused.pop_back();
        }
        own.by_instance[index] = {recorder, &recorders_};
        return recorder;
    }

    /* Makes the call and records its communication. */
    template <typename Call>
    auto call_next(Call &call, std::uint64_t begin, Recorder *recorder)
    {
        if constexpr (uses_requests<Call>())
            return operations_.complete(
                call, [&](Operation &operation, const MPI_Status *status, Outcome outcome) {
                    note(operation, status, outcome, begin);
                });
        else if constexpr (Shape<Call>::communicates) {
            if (recorder == nullptr)
                return communicators_->watch(call);
            return communicate(call, *recorder, begin);
        } else
            return communicators_->watch(call);
    }

    template <typename Call>
    auto communicate(Call &call, Recorder &recorder, std::uint64_t begin)
    {
        using shape = Shape<Call>;
        qmpi::Communicators::Shared communicator = communicators_->used_by(call);
        const movement::Description description = qmpi::description_of(call);
        return operations_.begin(
            call, [&] { return communicators_->watch(call); },
            [&](const MPI_Status *status) -> std::optional<Operation> {
                const std::uint64_t end = shape::has_request ? begin : qmpi::now();
                Operation operation;
                operation.communicator = communicators_->used_by(call, std::move(communicator));
                describe(call, description, operation);
                if constexpr (!shape::has_request) {
                    record_blocking(recorder, operation, status, begin, end);
                    return std::nullopt;
                }
                if (!operation.sends && !operation.receives && !operation.is_collective)
                    return std::nullopt;
                if (!shape::is_persistent)
                    record_start(recorder, operation, begin);
                return operation;
            });
    }

    template <typename Call>
    static void describe(Call &call, const movement::Description &description, Operation &operation)
    {
        using qmpi::role;
        using shape = Shape<Call>;
        qmpi::Bytes bytes;
        if (operation.communicator != nullptr)
            bytes =
                qmpi::bytes_of_call(call, description, qmpi::KnownGroup(*operation.communicator));
        operation.function = Call::id;
        operation.sent = bytes.sent;
        operation.received = bytes.received;
        if constexpr (shape::is_collective) {
            operation.is_collective = true;
            operation.root = qmpi::get_or<role::root>(call, MPI_UNDEFINED);
        }
        if constexpr (shape::sends) {
            operation.destination = qmpi::get<role::destination>(call);
            operation.send_tag = qmpi::get_or<role::tag>(call, 0);
            operation.sends = operation.destination != MPI_PROC_NULL;
        }
        if constexpr (shape::receives) {
            operation.described = movement::described_receive(call);
            operation.receives = operation.described.source != MPI_PROC_NULL;
        }
    }

    /* A request is started or has ended. A recorded start gets its end even while recording is
     * paused. */
    void note(Operation &operation, const MPI_Status *status, Outcome outcome, std::uint64_t begin)
    {
        if (outcome == Outcome::starting) {
            operation.is_recorded = false; /* a start that fails is not recorded */
            return;
        }
        const bool starts = outcome == Outcome::started;
        if (starts ? is_paused() : !operation.is_recorded)
            return;
        Recorder *const recorder = recorder_of_thread();
        if (recorder == nullptr)
            return;
        const std::uint64_t time = qmpi::now();
        if (starts)
            record_start(*recorder, operation, begin != 0 ? begin : time);
        else
            record_end(*recorder, operation, status, outcome, time);
    }

    /* ---- begin and end ---- */

    qmpi::Reporter reporter(bool is_alone) const
    {
        qmpi::Reporter reporter = reporter_;
        reporter.instance = instance_number();
        reporter.instances = instance_count();
        reporter.is_alone = is_alone;
        return reporter;
    }

    /* File name without the ending; the same in all processes. */
    std::string stem(bool is_alone) const
    {
        return destination_.path(destination_.stem(reporter(is_alone)));
    }

    Formats formats() const
    {
        const auto &wanted = destination_.formats();
        auto has = [&wanted](qmpi::Format format) {
            return std::find(wanted.begin(), wanted.end(), format) != wanted.end();
        };
        return {has(qmpi::Format::otf2), has(qmpi::Format::json), has(qmpi::Format::html)};
    }

    void open(const std::string &folder, int rank, int size)
    {
        store_.open(folder, rank,
                    describe_process(rank, size, qmpi::host_name(), program_invocation_short_name));
    }

    void open_alone(const PlaceInJob &place)
    {
        const std::lock_guard<std::mutex> guard(opening_lock_);
        if (store_.is_open() || store_.is_stopped())
            return;
        stem_ = stem(true);
        try {
            folder_ = destination_.make_record_folder(reporter(true), folder_of(""));
            open(folder_, place.rank, place.size);
        } catch (const std::exception &exception) {
            store_.stop(exception.what());
        }
    }

    /* In rank 0 of the world only: returns the stem of the reports, whose folder it makes. */
    std::string prepare_stem() const
    {
        const std::string name = stem(false);
        std::error_code ignored; /* whatever writes there reports it */
        if (!qmpi::is_privileged())
            std::filesystem::create_directories(std::filesystem::path(name).parent_path(), ignored);
        return name;
    }

    /* Collective. Moves to files what was recorded so far. Throws a world_error if there is no
     * folder; a single process that cannot write stops recording. */
    void open_journals(const qmpi::world &world)
    {
        try {
            const std::string folder =
                destination_.make_record_folder(world, reporter(false), folder_of(""));
            {
                const std::lock_guard<std::mutex> guard(opening_lock_);
                open(folder, world.program_rank(), world.program_size());
                own_folder_ = std::exchange(folder_, folder);
            }
            attach_all();
            recorder_of_thread();
        } catch (const qmpi::world_error &) {
            throw;
        } catch (const std::exception &exception) {
            store_.stop(exception.what());
        }
        /* That of the folder. Collective: also in a process that has none. */
        stem_ = world.from_first([this] { return stem(false); });
    }

    /* Moves what is in memory to the folder, when it is known. A journal that has a file belongs to its thread. */
    void attach_all()
    {
        const std::lock_guard<std::mutex> guard(recorders_.lock);
        for (const auto &recorder : recorders_.all)
            recorder->journal.attach();
    }

    /* Collective. One process complains for all that have stopped so far. */
    void report_stopped(const qmpi::world &world)
    {
        try {
            world.agree([this] {
                if (const std::string reason = store_.reason(); !reason.empty())
                    throw std::runtime_error(reason);
            });
        } catch (const qmpi::world_error &error) {
            if (world.rank() == 0)
                qmpi::complain(name(), error.what());
        }
        store_.set_quiet(false);
    }

    /* Collective. The clock is measured whatever the tool records. */
    void note_clock(const qmpi::world &world)
    {
        const ClockPoint point = world.size() > 1 ? measure_clock(world.comm(), identity_)
                                                  : ClockPoint{qmpi::now(), 0, 0};
        Recorder *const recorder = recorder_of_thread();
        if (recorder != nullptr)
            recorder->journal.define(Kind::clock, 0, describe_clock(point));
    }

    void end_early(const std::string &why)
    {
        if (is_finished_)
            return;
        if (is_world_)
            qmpi::complain(name(), why + "; " + advice(folder_));
        else if (!is_child)
            finish_alone();
    }

    void finish_alone()
    {
        if (number_of_journals() == 0)
            return;
        if (!store_.is_open())
            open_alone({});
        finish(MPI_COMM_NULL, true);
    }

    /* Collective over comm, unless is_alone. */
    void finish(MPI_Comm comm, bool is_alone)
    {
        Recorder *const recorder = is_alone ? nullptr : recorder_of_thread();
        is_recording_ = false;
        is_finished_ = true;
        if (recorder != nullptr)
            recorder->journal.close();
        recorders_.close_unused();
        if (is_alone)
            attach_all();
        if (!remove_own_folder())
            qmpi::complain(name(),
                           "not in the trace: threads that made no call after MPI_Init; " +
                               advice(own_folder_));
        const std::string reason = trace::finish(comm, own_journals(), stem_, formats());
        int position = 0;
        if (comm != MPI_COMM_NULL)
            QMPI_Comm_rank(comm, &position);
        if (!reason.empty() && position == 0)
            qmpi::complain(name(), reason + "; " + advice(folder_));
        store_.stop("");
    }

    /* Each thread moves its journal from there. Returns false if some have not. */
    bool remove_own_folder()
    {
        if (!own_folder_.empty() && rmdir(own_folder_.c_str()) == 0)
            own_folder_.clear();
        return own_folder_.empty();
    }

    int number_of_journals()
    {
        const std::lock_guard<std::mutex> guard(recorders_.lock);
        return static_cast<int>(recorders_.all.size());
    }

    /* Journals of this process. Reading the folder of all processes takes too long in large jobs. */
    std::vector<std::string> own_journals()
    {
        std::vector<std::string> journals;
        for (int i = 0; i < number_of_journals(); i++) {
            std::string path = store_.place()->path_of(i);
            if (access(path.c_str(), F_OK) == 0)
                journals.push_back(std::move(path));
        }
        return journals;
    }

    static std::string advice(const std::string &folder)
    {
        return "records are in " + folder + "; \"qmpi_report otf2 " + folder + "\" makes a trace";
    }

    const Options options_{arguments()};
    const qmpi::Destination destination_{*this, options_, {folder_of("")}};
    const std::uint64_t identity_ = clock_identity() +
        (options_.clock == Clock::process ? static_cast<std::uint64_t>(getpid()) : 0);

    /* Never destroyed: other threads may be in a call when the process exits. */
    Store &store_ = *new Store(name(), static_cast<std::uint64_t>(options_.limit) << 20,
                               static_cast<std::uint64_t>(options_.buffer) << 20);
    qmpi::forever<qmpi::Communicators> communicators_;
    qmpi::Operations<Operation> operations_;
    std::mutex opening_lock_;
    Recorders &recorders_ = *new Recorders;
    std::atomic<bool> is_recording_{true};
    std::atomic<bool> is_paused_{false};

    qmpi::Reporter reporter_;
    std::string stem_, folder_;
    std::string own_folder_; /* of journals from before MPI_Init; empty: none */
    bool is_world_ = false;
    bool is_first_ = false; /* of the world */
    bool is_finished_ = false;
};

}  // namespace
}  // namespace qmpi::trace

QMPI_TOOL("trace", qmpi::trace::Trace)
