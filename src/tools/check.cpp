/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "check": finds errors in the use of MPI that cost days otherwise. What it finds, and where it is
 * silent, stands in the manual page qmpi-check(7).
 *
 * A process checks by itself what it can see alone: handles, memory of pending operations, epochs.
 * What concerns several processes it tells the analyser, a thread in the process of rank 0, before the
 * call goes on, so that a finding is printed even if the program does not survive the call. */

#include "check/analyser.hpp"
#include "check/connection.hpp"
#include "check/findings.hpp"
#include "check/resources.hpp"

#include "common/call_sites.hpp"
#include "common/communicators.hpp"
#include "common/report.hpp"
#include "common/requests.hpp"

#include <qmpi.hpp>

#include <sys/uio.h>

namespace {

using namespace check;
using qmpi::role;
using tools::Communicator;
using tools::Outcome;
using SharedCommunicator = std::shared_ptr<const Communicator>;

/* ---- what functions are ---- */

/* How data goes in a collective operation. */
enum class Shape { none, bcast, gather, scatter, exchange, reduce };

constexpr Shape shape_of(std::string_view name)
{
    auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
    if (has("eighbor") || has("Reduce_local") || has("arrier"))
        return Shape::none;
    if (has("llgather") || has("lltoall"))
        return Shape::exchange;
    if (has("educe_scatter") && !has("educe_scatter_block"))
        return Shape::none;
    if (has("educe") || has("_Scan") || has("_Iscan") || has("xscan"))
        return Shape::reduce;
    return has("cast") ? Shape::bcast : has("catter") ? Shape::scatter :
        has("ather") ? Shape::gather : Shape::none;
}

/* Functions that all processes of their communicator call, besides those that move data. */
constexpr qmpi::function_set makers(
    MPI_COMM_DUP_T, MPI_COMM_DUP_WITH_INFO_T, MPI_COMM_IDUP_T, MPI_COMM_IDUP_WITH_INFO_T, MPI_COMM_CREATE_T,
    MPI_COMM_SPLIT_T, MPI_COMM_SPLIT_TYPE_T, MPI_CART_CREATE_T, MPI_CART_SUB_T, MPI_GRAPH_CREATE_T,
    MPI_DIST_GRAPH_CREATE_T, MPI_DIST_GRAPH_CREATE_ADJACENT_T, MPI_INTERCOMM_CREATE_T, MPI_INTERCOMM_MERGE_T,
    MPI_WIN_CREATE_T, MPI_WIN_CREATE_C_T, MPI_WIN_ALLOCATE_T, MPI_WIN_ALLOCATE_C_T, MPI_WIN_ALLOCATE_SHARED_T,
    MPI_WIN_ALLOCATE_SHARED_C_T, MPI_WIN_CREATE_DYNAMIC_T, MPI_FILE_OPEN_T, MPI_COMM_SPAWN_T,
    MPI_COMM_SPAWN_MULTIPLE_T, MPI_COMM_ACCEPT_T, MPI_COMM_CONNECT_T, MPI_COMM_FREE_T, MPI_COMM_DISCONNECT_T);

/* Functions after which earlier accesses to a window do not matter any more. */
constexpr qmpi::function_set synchronizing(
    MPI_WIN_FENCE_T, MPI_WIN_COMPLETE_T, MPI_WIN_UNLOCK_T, MPI_WIN_UNLOCK_ALL_T, MPI_WIN_FLUSH_T,
    MPI_WIN_FLUSH_ALL_T, MPI_WIN_FLUSH_LOCAL_T, MPI_WIN_FLUSH_LOCAL_ALL_T, MPI_WIN_LOCK_T, MPI_WIN_LOCK_ALL_T,
    MPI_WIN_START_T, MPI_WIN_SYNC_T);

template <typename Call>
constexpr bool is_collective()
{
    return (Call::is_in(qmpi::set::collective) && Call::has(role::communicator)) || Call::is_in(makers);
}

template <typename Call>
constexpr bool has_request()
{
    constexpr std::size_t index = Call::index(role::request);
    if constexpr (index == qmpi::none)
        return false;
    else
        return Call::parameters[index].direction == qmpi::direction::out;
}

template <typename Call>
constexpr bool is_message()
{
    return Call::is_in(qmpi::set::point_to_point) && Call::has(role::communicator) &&
        (Call::has(role::destination) || Call::has(role::source));
}

template <typename Call>
constexpr bool is_kind_of_free()
{
    constexpr std::string_view name = Call::name;
    auto ends_in = [name](std::string_view end) {
        return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
    };
    return ends_in("_free") || ends_in("_disconnect") || ends_in("File_close") || ends_in("Session_finalize");
}

/* ---- values ---- */

/* A call that is being checked. */
struct Here {
    MPI_Context context;
    int function;
};

/* One end of a message, as a call describes it. */
struct Message {
    bool is_there = false;
    const void *address = nullptr;
    MPI_Count count = 0;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    int peer = MPI_PROC_NULL;
    int tag = 0;
};

/* An operation that has a request. */
struct Pending {
    Place place;
    PendingMemory::Key key = 0;
    std::vector<Range> ranges;
    SharedCommunicator communicator;
    Message send, receive;
    std::uint64_t number = 0;       /* of the receive, if it was told to the analyser */
    bool is_certain = false;        /* the analyser knows what it will get */
    bool is_cancelled = false;
    bool is_active = true;
    bool is_persistent = false;
    std::uint64_t checksum = 0;
    std::vector<Wait> waits;
};

std::uint64_t value_of(int handle)
{
    return static_cast<unsigned>(handle);
}

std::uint64_t value_of(MPI_File file)
{
    return reinterpret_cast<std::uintptr_t>(file);
}

/* MPICH's handles say in their first two bits whether they are predefined (1) or nothing (0). */
bool can_be_freed(const Types &types, const Handle &handle)
{
    if (handle.role == role::file)
        return handle.value != 0;
    if (handle.role == role::datatype && types.is_predefined(static_cast<int>(handle.value)))
        return false;
    return handle.value >> 30 >= 2;
}

/* Of memory that may be gone. */
std::uint64_t checksum_of(const std::vector<Range> &ranges)
{
    std::uint64_t sum = 0;
    std::vector<char> copy(1 << 16);
    for (const Range &range : ranges) {
        for (std::uintptr_t at = range.begin; at < range.end && !range.is_written; at += copy.size()) {
            iovec here{copy.data(), copy.size()};
            iovec there{reinterpret_cast<void *>(at), std::min<std::size_t>(copy.size(), range.end - at)};
            const ssize_t number = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
            for (ssize_t i = 0; i < number; i++)
                sum = (sum ^ static_cast<unsigned char>(copy[static_cast<std::size_t>(i)])) * 0x100000001b3u;
        }
    }
    return sum;
}

bool is_truncation(int error_code)
{
    int error_class = MPI_SUCCESS;
    return QMPI_Error_class(error_code, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_TRUNCATE;
}

/* Numbers for call sites. */
class Sites {
  public:
    /* on_new(number, text) is called for one that was not there before. */
    template <typename OnNew>
    std::uint32_t number_of(const void *address, OnNew on_new)
    {
        std::lock_guard<std::mutex> guard(lock_);
        const auto [found, is_new] = numbers_.insert({address, static_cast<std::uint32_t>(texts_.size())});
        if (is_new) {
            texts_.push_back({text_of(call_sites_.find(address)), 0});
            on_new(found->second, texts_.back().text);
        }
        return found->second;
    }

    std::string text(std::uint32_t number)
    {
        std::lock_guard<std::mutex> guard(lock_);
        return texts_[number].text;
    }

    /* How often it was asked for by this function before. */
    std::uint64_t times(std::uint32_t number)
    {
        std::lock_guard<std::mutex> guard(lock_);
        return texts_[number].times++;
    }

    template <typename Visit>
    void each(Visit visit)
    {
        std::lock_guard<std::mutex> guard(lock_);
        for (std::uint32_t i = 0; i < texts_.size(); i++)
            visit(i, texts_[i].text);
    }

  private:
    struct Site {
        std::string text;
        std::uint64_t times;
    };

    static std::string text_of(const tools::CallSite &site)
    {
        if (site.line <= 0)
            return tools::text_of(site);
        return site.file.substr(site.file.rfind('/') + 1) + ":" + std::to_string(site.line);
    }

    std::mutex lock_;
    tools::CallSites call_sites_;
    std::unordered_map<const void *, std::uint32_t> numbers_;
    std::vector<Site> texts_;
};

/* What the process is blocked in, for the thread that tells the analyser after a while. */
class Blocking {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto short_time = std::chrono::milliseconds(300);

    void begin(BlockedEvent event)
    {
        std::lock_guard<std::mutex> guard(lock_);
        event_ = std::move(event);
        since_ = Clock::now();
    }

    void end(Client &client)
    {
        std::lock_guard<std::mutex> guard(lock_);
        event_.reset();
        if (std::exchange(is_told_, false)) {
            client.tell(Event::unblocked, false);
            client.flush();
        }
    }

    void look(Client &client)
    {
        std::lock_guard<std::mutex> guard(lock_);
        if (event_ && !is_told_ && Clock::now() - since_ > short_time) {
            is_told_ = true;
            client.tell(Event::blocked, *event_, false);
        }
        client.flush();
    }

  private:
    std::mutex lock_;
    std::optional<BlockedEvent> event_;
    Clock::time_point since_;
    bool is_told_ = false;
};

/* Depth of calls in each other: callbacks of the program that call MPI. */
thread_local int depth = 0;

struct Nesting {
    Nesting() { depth++; }
    ~Nesting() { depth--; }
};

/* ---- the tool ---- */

class Check : public qmpi::tool<Check> {
  public:
    static constexpr const char *description =
        "finds errors: mismatches, overlaps, leaks, freed handles, deadlocks";
    static constexpr const char *argument_list =
        "out=NAME          file (.txt, .json), beginning of both files' names, or - (stderr)\n"
        "formats=A+B       which reports: text, json (default: both)\n"
        "timeout=SECONDS   without progress until a deadlock is reported (default: 30)\n"
        "deadlock=WHAT     report (default), abort (ends the job then), or no\n"
        "collectives=no    does not compare the order of collective operations, roots and operations\n"
        "signatures=no     does not compare types and lengths of what is sent and received\n"
        "unreceived=no     does not look for messages that nobody receives\n"
        "overlaps=no       does not look for pending operations on the same memory\n"
        "checksums         looks whether a buffer changes while it is being sent\n"
        "handles=no        does not look for handles that were freed\n"
        "leaks=no          does not look for what is not freed before MPI_Finalize\n"
        "requests=no       does not look for operations that nobody completes\n"
        "epochs=no         does not look for one-sided accesses outside of an epoch, or in conflict\n";

    static constexpr auto functions =
        (qmpi::set::all - qmpi::set::tool_information - qmpi::set::environment) |
        qmpi::function_set(MPI_INIT_T, MPI_INIT_THREAD_T, MPI_FINALIZE_T, MPI_ABORT_T, MPI_SESSION_INIT_T,
                           MPI_SESSION_FINALIZE_T);

    Check()
    {
        if (!(timeout_ > 0))
            throw qmpi::argument_error("argument timeout: must be above 0");
        const std::string deadlock = arguments().get("deadlock", "report");
        if (deadlock != "report" && deadlock != "abort" && deadlock != "no")
            throw qmpi::argument_error("argument deadlock: must be report, abort or no");
        finds_deadlocks_ = deadlock != "no";
        aborts_ = deadlock == "abort";
        for (std::size_t i = 0; i < number_of_kinds; i++) {
            const Kind kind = static_cast<Kind>(i);
            const char *argument = kind_names[i].argument;
            if (kind != Kind::deadlock)
                findings_.choose(kind, arguments().has(argument) ? arguments().flag(argument) :
                                 kind != Kind::changed);
        }
    }

    ~Check()
    {
        stop_telling();
        const bool is_alone = rank_ < 0;
        if (is_alone ? !has_sessions_ : server_ == nullptr)
            return;
        if (is_alone && !has_live_session())
            find_leaks();
        if (is_alone || is_reported_)
            find_leaks_of_process();
        if (is_alone || !is_reported_ || has_found_at_exit_)
            report(is_alone);
    }

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (!Call::returns_error_code)
            return call();
        else {
            const bool is_nested = depth > 0;
            const Nesting nesting;
            const Here here{call.context(), Call::id};
            if constexpr (Call::id == MPI_FINALIZE_T)
                return finalize(call, here);
            else {
                const Freed freed = handle_to_free(call);
                if (!is_nested)
                    check_handles(call, here);
                /* What callbacks of the program send is in no order that others could know. */
                else if constexpr (is_message<Call>() || is_collective<Call>())
                    distrust();
                const int error_code = is_nested ? go(call, here) : checked(call, here);
                if (error_code == MPI_SUCCESS)
                    follow_handles(call, here, freed);
                return error_code;
            }
        }
    }

  private:
    /* ---- the way of a call ---- */

    template <typename Call>
    int checked(Call &call, const Here &here)
    {
        if constexpr (Call::id == MPI_INIT_T || Call::id == MPI_INIT_THREAD_T) {
            const int error_code = go(call, here);
            if (error_code == MPI_SUCCESS)
                connect();
            return error_code;
        } else if constexpr (Call::id == MPI_ABORT_T) {
            distrust();
            return go(call, here);
        } else if constexpr (Call::id == MPI_CANCEL_T) {
            cancel(*qmpi::get<role::request>(call));
            return go(call, here);
        } else if constexpr (Call::is_in(qmpi::set::completion))
            return completion(call, here);
        else if constexpr (is_message<Call>())
            return message(call, here);
        else if constexpr (is_collective<Call>())
            return collective(call, here);
        else if constexpr (Call::is_in(qmpi::set::rma) && Call::has(role::window))
            return one_sided(call, here);
        else
            return go(call, here);
    }

    /* Makes the call, and has what it creates, frees, starts and completes followed. */
    template <typename Call>
    int go(Call &call, const Here &)
    {
        if constexpr (Call::is_in(qmpi::set::completion) || Call::id == MPI_START_T || Call::id == MPI_STARTALL_T)
            return tools::complete(call, requests_, [this](Pending &pending, const MPI_Status *status,
                                                           Outcome outcome) {
                if (outcome == Outcome::started)
                    start(pending);
                else
                    end(pending, status, outcome);
            });
        else
            return communicators_.watch(call);
    }

    Place place(const Here &here)
    {
        void *address = nullptr;
        if (MPI_Get_calling_address(here.context, &address) != MPI_SUCCESS)
            address = nullptr;
        const std::uint32_t site = sites_.number_of(address, [this](std::uint32_t number, const std::string &text) {
            client_.tell(Event::site, SiteEvent{number, text}, false);
        });
        return {here.function, site};
    }

    void found(Kind kind, const Place &place, const std::string &text)
    {
        if (!findings_.wants(kind))
            return;
        if (client_.is_up())
            client_.tell(Event::found, FoundEvent{static_cast<std::uint8_t>(kind), place, text}, true);
        else
            findings_.add({kind, rank_, function_name(place.function), sites_.text(place.site), text});
    }

    static std::string function_name(int function)
    {
        const char *name = "";
        return MPIX_Get_function_name(function, &name) == MPI_SUCCESS ? name : "?";
    }

    std::string text(const Place &place) { return function_name(place.function) + " at " + sites_.text(place.site); }

    /* The first calls of each call site wait for the analyser, so that its finding comes before the end
     * of the program; then the program need not wait any more. */
    bool waits_for_answer(const Place &place) { return sites_.times(place.site) < 50; }

    /* ---- beginning and end ---- */

    /* All processes of the world come here together, out of MPI_Init. */
    void connect()
    {
        int size = 0;
        QMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        QMPI_Comm_size(MPI_COMM_WORLD, &size);
        Address address, own;
        gethostname(own.host, sizeof own.host - 1);
        address = own;
        QMPI_Bcast(address.host, sizeof address.host, MPI_CHAR, 0, MPI_COMM_WORLD);
        int is_here = std::strcmp(address.host, own.host) == 0, are_all_here = 0;
        QMPI_Allreduce(&is_here, &are_all_here, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        if (rank_ == 0) {
            server_ = std::make_unique<Server>(size, std::chrono::duration<double>(timeout_), finds_deadlocks_,
                                               findings_, [this] { follow_deadlock(); });
            /* The job may end at any time, and with it what has not been written. */
            if (destination_.has_files())
                findings_.when_new([this] { write(false); });
            if (!server_->start(are_all_here, address))
                address.port = 0;
        }
        QMPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
        int is_up = address.port != 0 && client_.connect(address, rank_), are_all_up = 0;
        QMPI_Allreduce(&is_up, &are_all_up, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        if (!are_all_up) {
            if (rank_ == 0)
                tools::write_stderr("QMPI tool check: the processes cannot reach rank 0 by TCP; nothing is "
                                    "compared between them\n");
            is_distrusted_ = true;
        }
        sites_.each([this](std::uint32_t number, const std::string &text) {
            client_.tell(Event::site, SiteEvent{number, text}, false);
        });
        teller_ = quiet_thread([this] {
            std::unique_lock<std::mutex> guard(teller_lock_);
            while (!teller_wakes_.wait_for(guard, std::chrono::milliseconds(100), [this] { return is_ending_; }))
                blocking_.look(client_);
        });
    }

    template <typename Call>
    int finalize(Call &call, const Here &here)
    {
        const Place place = this->place(here);
        /* The library may not survive what was not freed. But callbacks that the program attached to
         * MPI_COMM_SELF run in the call, and may free it. */
        const bool has_callbacks = has_callbacks_;
        if (rank_ >= 0 && !has_callbacks)
            find_leaks();
        const int error_code = [&] {
            const SharedCommunicator world = rank_ >= 0 ? communicators_.of(MPI_COMM_WORLD) : nullptr;
            CollectiveEvent event;
            event.place = place;
            const Wait wait = tell_collective(world, event);
            const Blocked blocked(*this, {place, true, {wait}});
            return call();
        }();
        if (error_code != MPI_SUCCESS || rank_ < 0)
            return error_code;
        if (has_callbacks)
            find_leaks();
        client_.tell(Event::finalized, true);
        stop_telling();
        if (server_ != nullptr) {
            server_->finish(std::chrono::seconds(10));
            report(false);
        }
        is_reported_ = true;
        return error_code;
    }

    void stop_telling()
    {
        {
            std::lock_guard<std::mutex> guard(teller_lock_);
            is_ending_ = true;
        }
        teller_wakes_.notify_all();
        if (teller_.joinable())
            teller_.join();
    }

    void report(bool is_alone)
    {
        if (server_ != nullptr)
            server_->stop();
        is_reported_ = true;
        write(is_alone);
    }

    void write(bool is_alone)
    {
        std::lock_guard<std::mutex> guard(writing_lock_);
        destination_.write({instance_number(), instance_count(), is_alone}, [this](tools::Format format) {
            return format == tools::Format::json ? findings_.json() : findings_.text();
        });
    }

    void follow_deadlock()
    {
        if (aborts_) {
            tools::write_stderr("QMPI check: the job ends (deadlock=abort)\n");
            _exit(1);
        }
    }

    void find_leaks()
    {
        handles_.each_live([this](const Handle &handle, const Place &place) {
            if (!is_free_of_world(handle.role))
                found(Kind::leak, place, std::string("this ") + name_of(handle.role) + " was not freed");
        });
        std::vector<std::pair<Place, bool>> left;
        requests_.each([&](MPI_Request, Pending &pending, bool is_active) {
            left.push_back({pending.place, is_active});
        });
        for (const auto &[place, is_active] : left)
            found(is_active ? Kind::request : Kind::leak, place, is_active ?
                  "nobody has waited for this operation" : "this persistent request was not freed");
    }

    /* Objects that can be freed before MPI_Init and after MPI_Finalize (MPI 4.0, 11.4.1). */
    static bool is_free_of_world(qmpi::role role)
    {
        return role == role::info || role == role::errhandler || role == role::session;
    }

    /* At the exit of the process, of the first one only: the others cannot be compared any more. */
    void find_leaks_of_process()
    {
        handles_.each_live([this](const Handle &handle, const Place &place) {
            if (is_free_of_world(handle.role)) {
                has_found_at_exit_ = true;
                findings_.add({Kind::leak, rank_, function_name(place.function), sites_.text(place.site),
                               std::string("this ") + name_of(handle.role) + " was not freed"});
            }
        });
    }

    bool has_live_session() const
    {
        bool has = false;
        handles_.each_live([&](const Handle &handle, const Place &) { has = has || handle.role == role::session; });
        return has;
    }

    /* ---- handles ---- */

    /* What a function is about to free. */
    struct Freed {
        bool is_there = false;
        Handle handle{};
    };

    template <typename Call>
    Freed handle_to_free(Call &call)
    {
        Freed freed;
        (void) call;
        if constexpr (is_kind_of_free<Call>()) {
            call.each_argument([&](auto index, auto &value) {
                constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
                if constexpr (is_handle(parameter.role) && parameter.direction == qmpi::direction::inout)
                    freed = {value != nullptr, {parameter.role, value == nullptr ? 0 : value_of(*value)}};
            });
        }
        return freed;
    }

    template <typename Call>
    void check_handles(Call &call, const Here &here)
    {
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (is_handle(parameter.role) && parameter.direction != qmpi::direction::out) {
                using Value = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, MPI_File>)
                    check_handle({parameter.role, value_of(value)}, here);
                else if constexpr (!parameter.is_array) {
                    if (value != nullptr)
                        check_handle({parameter.role, value_of(*value)}, here);
                } else if constexpr (parameter.length != qmpi::none) {
                    for (MPI_Count i = 0; i < call.template argument<parameter.length>(); i++)
                        check_handle({parameter.role, value_of(value[i])}, here);
                }
            }
        });
    }

    void check_handle(const Handle &handle, const Here &here)
    {
        if (!can_be_freed(types_, handle))
            return;
        if (const auto end = handles_.end_of(handle))
            found(Kind::handle, place(here), std::string("this ") + name_of(handle.role) + " was freed (" +
                  text(*end) + ")");
    }

    template <typename Call>
    void follow_handles(Call &call, const Here &here, const Freed &freed)
    {
        if (freed.is_there && can_be_freed(types_, freed.handle))
            handles_.freed(freed.handle, place(here));
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (is_handle(parameter.role) && parameter.direction == qmpi::direction::out) {
                if constexpr (!parameter.is_array) {
                    const Handle handle{parameter.role, value_of(*value)};
                    follow_handle<Call>(handle, here);
                    if constexpr (parameter.role == role::datatype)
                        follow_type(call, *value);
                }
            }
        });
        if constexpr (Call::id == MPI_TYPE_GET_CONTENTS_T)
            follow_contents(call.template argument<0>(), call.template argument<6>(), here);
        if constexpr (Call::id == MPI_SESSION_INIT_T)
            has_sessions_ = true;
        if constexpr (Call::id == MPI_COMM_SET_ATTR_T || Call::id == MPI_ATTR_PUT_T) {
            if (qmpi::get<role::communicator>(call) == MPI_COMM_SELF)
                has_callbacks_ = true;
        }
    }

    template <typename Call>
    void follow_handle(const Handle &handle, const Here &here)
    {
        constexpr bool is_for_good = Call::id == MPI_COMM_GET_PARENT_T || Call::name.find("_f90_") != Call::name.npos;
        if (!can_be_freed(types_, handle))
            return;
        if constexpr (is_for_good)
            handles_.seen(handle);
        else
            handles_.made(handle, place(here));
    }

    /* The old types of a type are got anew, and are to be freed. */
    void follow_contents(MPI_Datatype datatype, const MPI_Datatype *types, const Here &here)
    {
        int integers = 0, addresses = 0, number = 0, combiner = 0;
        if (QMPI_Type_get_envelope(datatype, &integers, &addresses, &number, &combiner) != MPI_SUCCESS)
            return;
        for (int i = 0; i < number; i++) {
            const Handle handle{role::datatype, value_of(types[i])};
            if (!can_be_freed(types_, handle))
                continue;
            if (!handles_.is_live(handle))
                types_.forget(types[i]);
            handles_.made(handle, place(here));
        }
    }

    template <typename Call>
    void follow_type(Call &call, MPI_Datatype made)
    {
        constexpr std::size_t old = Call::index(role::datatype);
        if constexpr (Call::is_in(qmpi::set::datatypes) && Call::parameters[old].direction == qmpi::direction::in) {
            if constexpr (!Call::parameters[old].is_array)
                types_.made(made, qmpi::get<role::datatype>(call));
            else {
                std::vector<std::pair<MPI_Datatype, std::uint64_t>> parts;
                for (MPI_Count i = 0; i < call.template argument<0>(); i++)
                    parts.push_back({call.template argument<old>()[i],
                                     static_cast<std::uint64_t>(call.template argument<1>()[i])});
                types_.made(made, parts);
            }
        } else
            types_.forget(made);
    }

    /* ---- communicators ---- */

    /* Asked before the call, and therefore only for handles that are valid for certain. */
    SharedCommunicator communicator(MPI_Comm comm)
    {
        if (rank_ < 0)
            return nullptr;
        if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ||
            handles_.is_live({role::communicator, value_of(comm)}))
            return communicators_.of(comm);
        return nullptr;
    }

    /* Whether all its processes have the same analyser, and what this one tells is in order. */
    bool is_comparable(const SharedCommunicator &communicator)
    {
        note_thread();
        if (communicator == nullptr || is_distrusted_ || !client_.is_up())
            return false;
        for (const std::vector<int> *group : {&communicator->world, &communicator->remote}) {
            if (std::find(group->begin(), group->end(), tools::outside_world) != group->end())
                return false;
        }
        return true;
    }

    /* The order of calls of several threads is not known. */
    void note_thread()
    {
        static thread_local char own;
        char *first = nullptr;
        if (!first_thread_.compare_exchange_strong(first, &own) && first != &own)
            distrust();
    }

    /* From now on nobody compares anything with this process. */
    void distrust()
    {
        if (!is_distrusted_.exchange(true))
            client_.tell(Event::distrust, true);
    }

    /* ---- collective operations ---- */

    /* Completes and tells the event; gives what the call will wait for. */
    Wait tell_collective(const SharedCommunicator &communicator, CollectiveEvent &event)
    {
        Wait wait;
        if (!is_comparable(communicator))
            return wait;
        event.communicator = communicator->id;
        event.size = communicator->size + static_cast<int>(communicator->remote.size());
        event.rank = communicator->rank;
        {
            std::lock_guard<std::mutex> guard(numbers_lock_);
            event.number = collective_numbers_[communicator->id]++;
        }
        if (event.number == 0) {
            event.name = communicator->name();
            event.world = communicator->world;
            event.world.insert(event.world.end(), communicator->remote.begin(), communicator->remote.end());
        }
        wait.what = "begin of the same operation" + (communicator->name().empty() ? "" : " on " + communicator->name());
        wait.is_collective = true;
        wait.communicator = event.communicator;
        wait.number = event.number;
        if (event.size > 1)
            client_.tell(Event::collective, std::move(event), waits_for_answer(event.place));
        return wait;
    }

    template <typename Call>
    int collective(Call &call, const Here &here)
    {
        const SharedCommunicator communicator = this->communicator(communicator_of(call));
        CollectiveEvent event;
        event.place = place(here);
        std::vector<Range> ranges;
        if (communicator != nullptr && !communicator->is_inter) {
            event.root = qmpi::get_or<role::root>(call, MPI_UNDEFINED);
            const MPI_Op op = qmpi::get_or<role::operation>(call, MPI_OP_NULL);
            if ((static_cast<unsigned>(op) >> 30) == 1)
                event.operation = op;
            if constexpr (Call::is_in(qmpi::set::collective))
                describe_data(call, *communicator, event, ranges);
        }
        const Place place = event.place;
        check_overlaps(ranges, place);
        const Wait wait = tell_collective(communicator, event);
        int error_code;
        if constexpr (has_request<Call>()) {
            error_code = go(call, here);
            if (error_code == MPI_SUCCESS) {
                Pending pending;
                pending.place = place;
                pending.ranges = std::move(ranges);
                pending.communicator = communicator;
                if constexpr (!Call::is_in(qmpi::set::persistent))
                    pending.waits = {wait};
                remember<Call>(*qmpi::get<role::request>(call), std::move(pending));
            }
        } else {
            const Blocked blocked(*this, {place, true, {wait}});
            error_code = go(call, here);
        }
        if (error_code != MPI_SUCCESS)
            distrust();
        else
            follow_window(call);
        return error_code;
    }

    template <typename Call>
    static MPI_Comm communicator_of(Call &call)
    {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(qmpi::get<role::communicator>(call))>>)
            return *qmpi::get<role::communicator>(call);
        else
            return qmpi::get<role::communicator>(call);
    }

    template <typename Call>
    void describe_data(Call &call, const Communicator &communicator, CollectiveEvent &event,
                       std::vector<Range> &ranges)
    {
        constexpr Shape shape = shape_of(Call::name);
        if constexpr (shape != Shape::none) {
            int n = 0;
            call.each_buffer([&](const auto &buffer) {
                const bool is_first = n++ == 0;
                const bool is_root = event.root == MPI_UNDEFINED || event.root == communicator.rank;
                if (buffer.address == MPI_IN_PLACE)
                    return;
                if constexpr (shape == Shape::reduce) {
                    if (is_first || Call::name.find("llreduce") != Call::name.npos)
                        add_range(ranges, buffer.address, buffer.count, buffer.datatype, !is_first);
                    event.same = types_.signature(buffer.datatype, buffer.count);
                } else {
                    const bool gives = shape == Shape::bcast ? is_root : is_first;
                    const bool is_for_all = shape == Shape::exchange || (shape == Shape::gather) != gives;
                    if ((shape == Shape::gather && !gives && !is_root) ||
                        (shape == Shape::scatter && gives && !is_root))
                        return;
                    Side &side = gives ? event.gives : event.takes;
                    side.peer = is_for_all && (shape != Shape::bcast || gives) ? MPI_ANY_SOURCE : event.root;
                    fill(side, buffer, communicator.size);
                    if constexpr (!buffer.is_vector)
                        add_range(ranges, buffer.address, buffer.count, buffer.datatype, !gives);
                }
            });
            /* The other processes do not know that one works in place. */
            if constexpr (shape == Shape::reduce) {
                if (!event.same.is_known)
                    describe_in_place(call, event);
            }
        }
    }

    template <typename Call>
    void describe_in_place(Call &call, CollectiveEvent &event)
    {
        event.same = types_.signature(qmpi::get<role::datatype>(call), qmpi::get<role::count>(call));
    }

    template <typename Buffer>
    void fill(Side &side, const Buffer &buffer, int size)
    {
        if constexpr (!Buffer::is_vector)
            side.blocks = {types_.signature(buffer.datatype, buffer.count)};
        else {
            for (int i = 0; i < size; i++) {
                if constexpr (Buffer::is_typed)
                    side.blocks.push_back(types_.signature(buffer.datatype[i], buffer.count[i]));
                else
                    side.blocks.push_back(types_.signature(buffer.datatype, buffer.count[i]));
            }
        }
    }

    /* ---- messages ---- */

    /* What the two ends of a call are. */
    template <typename Call>
    static void describe(Call &call, Message &send, Message &receive)
    {
        call.each_buffer([&](const auto &buffer) {
            if (Call::has(role::destination) && buffer.direction != qmpi::direction::out)
                send = {true, buffer.address, static_cast<MPI_Count>(buffer.count), buffer.datatype,
                        qmpi::get_or<role::destination>(call, MPI_PROC_NULL), qmpi::get_or<role::tag>(call, 0)};
            if (Call::has(role::source) && buffer.direction != qmpi::direction::in)
                receive = {true, buffer.address, static_cast<MPI_Count>(buffer.count), buffer.datatype,
                           qmpi::get_or<role::source>(call, MPI_PROC_NULL),
                           Call::has(role::tag, 1) ? qmpi::get_or<role::tag, 1>(call, 0) :
                           qmpi::get_or<role::tag>(call, 0)};
        });
    }

    template <typename Call>
    int message(Call &call, const Here &here)
    {
        Pending pending;
        pending.place = place(here);
        pending.communicator = communicator(qmpi::get<role::communicator>(call));
        describe(call, pending.send, pending.receive);
        if constexpr (!Call::is_in(qmpi::set::partitioned)) {
            if (pending.send.peer != MPI_PROC_NULL)
                add_range(pending.ranges, pending.send.address, pending.send.count, pending.send.datatype, false);
            if (pending.receive.peer != MPI_PROC_NULL)
                add_range(pending.ranges, pending.receive.address, pending.receive.count,
                          pending.receive.datatype, true);
        }
        if constexpr (Call::is_in(qmpi::set::persistent)) {
            const int error_code = go(call, here);
            if (error_code == MPI_SUCCESS && !Call::is_in(qmpi::set::partitioned))
                remember<Call>(*qmpi::get<role::request>(call), std::move(pending));
            return error_code;
        } else if constexpr (Call::buffers.empty())
            return probe(call, here, pending);
        else if constexpr (has_request<Call>())
            return nonblocking(call, here, pending);
        else
            return blocking(call, here, pending);
    }

    template <typename Call>
    int nonblocking(Call &call, const Here &here, Pending &pending)
    {
        check_own_overlap<Call>(pending);
        check_overlaps(pending.ranges, pending.place);
        begin(pending);
        const int error_code = go(call, here);
        if (error_code == MPI_SUCCESS)
            remember<Call>(*qmpi::get<role::request>(call), std::move(pending));
        else
            distrust();
        return error_code;
    }

    template <typename Call>
    int blocking(Call &call, const Here &here, Pending &pending)
    {
        check_own_overlap<Call>(pending);
        check_overlaps(pending.ranges, pending.place);
        /* Nobody can cancel it. */
        pending.is_certain = pending.receive.peer != MPI_ANY_SOURCE && pending.receive.tag != MPI_ANY_TAG;
        begin(pending);
        MPI_Status own_status{};
        const MPI_Status *status = nullptr;
        if constexpr (Call::has(role::status)) {
            MPI_Status *&given = qmpi::get<role::status>(call);
            if (given == MPI_STATUS_IGNORE)
                given = &own_status;
            status = given;
        }
        int error_code;
        {
            const Blocked blocked(*this, {pending.place, true, pending.waits});
            error_code = go(call, here);
        }
        if (error_code == MPI_SUCCESS)
            received(pending, status);
        else
            failed(pending, error_code);
        return error_code;
    }

    template <typename Call>
    int probe(Call &call, const Here &here, Pending &pending)
    {
        if constexpr (!Call::has(role::source))
            return go(call, here);
        else {
            const int source = qmpi::get<role::source>(call), tag = qmpi::get<role::tag>(call);
            MPI_Status own_status{};
            MPI_Status *&status = qmpi::get<role::status>(call);
            if (status == MPI_STATUS_IGNORE)
                status = &own_status;
            BlockedEvent event{pending.place, true, {}};
            if (is_comparable(pending.communicator) && source != MPI_PROC_NULL)
                event.waits.push_back(wait_for_message(*pending.communicator, source, tag, 0));
            int error_code;
            if constexpr (Call::id == MPI_PROBE_T || Call::id == MPI_MPROBE_T) {
                const Blocked blocked(*this, std::move(event));
                error_code = go(call, here);
            } else
                error_code = go(call, here);
            if constexpr (Call::has(role::message)) {
                /* It takes the message away, like a receive. What that has room for is not known. */
                bool is_there = error_code == MPI_SUCCESS && source != MPI_PROC_NULL;
                if constexpr (Call::has(role::flag))
                    is_there = is_there && *qmpi::get<role::flag>(call);
                if (is_there && is_comparable(pending.communicator))
                    client_.tell(Event::receive,
                                 ReceiveEvent{pending.place, pending.communicator->id, ++number_of_receives_,
                                              pending.communicator->world_rank_of(status->MPI_SOURCE),
                                              status->MPI_TAG, true, {}}, false);
            }
            return error_code;
        }
    }

    Wait wait_for(const Communicator &communicator, int peer, int tag, const char *what)
    {
        Wait wait;
        wait.what = std::string(what) + (tag == MPI_ANY_TAG ? " with any tag" : " with tag " + std::to_string(tag));
        if (!communicator.name().empty())
            wait.what += " on " + communicator.name();
        if (peer == MPI_ANY_SOURCE) {
            wait.ranks = communicator.peers();
            if (!communicator.is_inter)
                wait.ranks.erase(wait.ranks.begin() + communicator.rank);
            if (wait.ranks.empty())
                wait.ranks = communicator.peers();
        } else
            wait.ranks = {communicator.world_rank_of(peer)};
        return wait;
    }

    Wait wait_for_message(const Communicator &communicator, int source, int tag, std::uint64_t number)
    {
        Wait wait = wait_for(communicator, source, tag, "a message");
        wait.is_message = true;
        wait.communicator = communicator.id;
        wait.number = number;
        wait.tag = tag;
        return wait;
    }

    /* The operation begins: tells the analyser, and says what there will be to wait for. */
    void begin(Pending &pending)
    {
        const Message &send = pending.send, &receive = pending.receive;
        pending.waits.clear();
        if (!is_comparable(pending.communicator)) {
            if (pending.communicator == nullptr || send.peer != MPI_PROC_NULL || receive.peer != MPI_PROC_NULL)
                pending.waits.emplace_back();       /* for who knows whom */
            return;
        }
        const Communicator &communicator = *pending.communicator;
        const bool wants_answer = waits_for_answer(pending.place);
        if (send.is_there && send.peer != MPI_PROC_NULL) {
            if (communicator.world_rank_of(send.peer) < 0)
                return distrust();
            client_.tell(Event::send,
                         SendEvent{pending.place, communicator.id, communicator.world_rank_of(send.peer), send.tag,
                                   types_.signature(send.datatype, send.count)}, wants_answer);
            pending.waits.push_back(wait_for(communicator, send.peer, send.tag, "the receive of a message"));
        }
        if (receive.is_there && receive.peer != MPI_PROC_NULL) {
            pending.number = ++number_of_receives_;
            const int source = receive.peer == MPI_ANY_SOURCE ? MPI_ANY_SOURCE :
                communicator.world_rank_of(receive.peer);
            if (source == tools::outside_world && receive.peer != MPI_ANY_SOURCE)
                return distrust();
            client_.tell(Event::receive,
                         ReceiveEvent{pending.place, communicator.id, pending.number, source, receive.tag,
                                      pending.is_certain, types_.signature(receive.datatype, receive.count)},
                         wants_answer);
            pending.waits.push_back(wait_for_message(communicator, receive.peer, receive.tag, pending.number));
        }
    }

    /* The receive has got a message, or nothing if it was cancelled. */
    void received(Pending &pending, const MPI_Status *status)
    {
        if (pending.number == 0 || is_distrusted_)
            return;
        int is_cancelled = 0;
        if (status == nullptr)
            return;
        QMPI_Test_cancelled(status, &is_cancelled);
        if (!pending.is_certain || is_cancelled)
            client_.tell(Event::received,
                         ReceivedEvent{pending.communicator->id, pending.number,
                                       is_cancelled ? 0 : pending.communicator->world_rank_of(status->MPI_SOURCE),
                                       is_cancelled ? 0 : status->MPI_TAG, is_cancelled != 0},
                         waits_for_answer(pending.place));
        pending.number = 0;
    }

    void failed(const Pending &pending, int error_code)
    {
        if (pending.receive.is_there && is_truncation(error_code) && !pending.is_certain)
            found(Kind::truncation, pending.place, "the message is longer than the buffer");
        distrust();
    }

    /* ---- requests ---- */

    template <typename Call>
    void remember(MPI_Request request, Pending pending)
    {
        pending.key = ++number_of_pending_;
        if constexpr (Call::is_in(qmpi::set::persistent)) {
            pending.is_persistent = true;
            pending.is_active = false;
            requests_.add_persistent(request, std::move(pending));
        } else {
            if (!shares_handle(request))
                use_memory(pending);
            else
                pending.ranges.clear();
            requests_.add(request, std::move(pending));
        }
    }

    /* The library has one request for all operations that are complete at once. Which of them the
     * program waits for is not known then, so that the memory of none can be said to be in use. */
    bool shares_handle(MPI_Request request)
    {
        return requests_.visit(request, [this](Pending &other) {
            memory_.remove(other.key, other.ranges);
            other.ranges.clear();
            other.checksum = 0;
        });
    }

    void use_memory(Pending &pending)
    {
        memory_.add(pending.key, pending.ranges, pending.place);
        if (findings_.wants(Kind::changed))
            pending.checksum = checksum_of(pending.ranges);
    }

    void start(Pending &pending)
    {
        pending.is_active = true;
        pending.is_certain = pending.is_cancelled = false;
        check_overlaps(pending.ranges, pending.place);
        use_memory(pending);
        if (pending.send.is_there || pending.receive.is_there)
            begin(pending);
    }

    void end(Pending &pending, const MPI_Status *status, Outcome outcome)
    {
        pending.is_active = false;
        memory_.remove(pending.key, pending.ranges);
        if (outcome == Outcome::completed && findings_.wants(Kind::changed) &&
            checksum_of(pending.ranges) != pending.checksum)
            found(Kind::changed, pending.place, "the buffer was changed before the operation was complete");
        if (outcome == Outcome::failed)
            failed(pending, status != nullptr ? status->MPI_ERROR : MPI_SUCCESS);
        else if (outcome == Outcome::freed) {
            if (pending.number != 0 && !pending.is_certain)
                distrust();
        } else
            received(pending, status);
    }

    void cancel(MPI_Request request)
    {
        bool is_send = false;
        requests_.visit(request, [&](Pending &pending) {
            pending.is_cancelled = true;
            is_send = pending.send.is_there;
        });
        /* Whether the message will be received is not known until both sides say so. */
        if (is_send)
            distrust();
    }

    template <typename Call>
    int completion(Call &call, const Here &here)
    {
        constexpr bool needs_all = Call::id == MPI_WAIT_T || Call::id == MPI_WAITALL_T;
        if constexpr (needs_all || Call::id == MPI_WAITANY_T || Call::id == MPI_WAITSOME_T) {
            BlockedEvent event{place(here), needs_all, {}};
            const MPI_Request *requests = qmpi::get<role::request>(call);
            const int number = qmpi::get_or<role::length>(call, 1);
            for (int i = 0; requests != nullptr && i < number; i++) {
                if (requests[i] == MPI_REQUEST_NULL)
                    continue;
                const bool is_known = requests_.visit(requests[i], [&](Pending &pending) {
                    if (needs_all)
                        expect(pending);
                    if (pending.is_active)
                        event.waits.insert(event.waits.end(), pending.waits.begin(), pending.waits.end());
                });
                if (!is_known)
                    event.waits.emplace_back();
            }
            const Blocked blocked(*this, std::move(event));
            return go(call, here);
        } else
            return go(call, here);
    }

    /* A receive that is waited for will get what it asked for. */
    void expect(Pending &pending)
    {
        if (pending.number == 0 || pending.is_certain || pending.is_cancelled || is_distrusted_ ||
            pending.receive.peer == MPI_ANY_SOURCE || pending.receive.tag == MPI_ANY_TAG)
            return;
        pending.is_certain = true;
        client_.tell(Event::received,
                     ReceivedEvent{pending.communicator->id, pending.number,
                                   pending.communicator->world_rank_of(pending.receive.peer),
                                   pending.receive.tag, false}, waits_for_answer(pending.place));
    }

    /* While it lives the process is blocked. */
    class Blocked {
      public:
        Blocked(Check &check, BlockedEvent event) : check_(check)
        {
            if (check_.client_.is_up() && check_.finds_deadlocks_ && !check_.is_distrusted_)
                check_.blocking_.begin(std::move(event));
        }
        ~Blocked() { check_.blocking_.end(check_.client_); }

      private:
        Check &check_;
    };

    /* ---- memory ---- */

    /* Of data with gaps nobody can say for certain that two of them meet. */
    void add_range(std::vector<Range> &ranges, const void *address, MPI_Count count, MPI_Datatype datatype,
                   bool is_written)
    {
        const Types::Shared type = count > 0 ? types_.of(datatype) : nullptr;
        if (type == nullptr || !type->is_contiguous || type->size == 0)
            return;
        const auto begin = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(type->first);
        ranges.push_back({begin, begin + static_cast<std::uintptr_t>(count) * type->size, is_written});
    }

    void check_overlaps(const std::vector<Range> &ranges, const Place &place)
    {
        if (!findings_.wants(Kind::overlap))
            return;
        for (const Range &range : ranges) {
            if (const auto other = memory_.conflict(range))
                found(Kind::overlap, place, std::string(range.is_written ? "writes" : "reads") +
                      " memory that a pending operation uses (" + text(*other) + ")");
        }
    }

    template <typename Call>
    void check_own_overlap(const Pending &pending)
    {
        if (pending.ranges.size() == 2 && Call::buffers.size() == 2 &&
            pending.ranges[0].begin < pending.ranges[1].end && pending.ranges[1].begin < pending.ranges[0].end)
            found(Kind::overlap, pending.place, "sends and receives in the same memory");
    }

    /* ---- one-sided communication ---- */

    template <typename Call>
    int one_sided(Call &call, const Here &here)
    {
        const MPI_Win window = [&] {
            if constexpr (std::is_pointer_v<std::decay_t<decltype(qmpi::get<role::window>(call))>>)
                return *qmpi::get<role::window>(call);
            else
                return qmpi::get<role::window>(call);
        }();
        const int target = qmpi::get_or<role::target>(call, qmpi::get_or<role::rank>(call, MPI_PROC_NULL));
        if constexpr (Call::has(role::target)) {
            if (target != MPI_PROC_NULL && !windows_.may_access(window, target))
                found(Kind::epoch, place(here), "no epoch for an access to rank " + std::to_string(target) +
                      " of the window");
            else if (target != MPI_PROC_NULL)
                check_conflict(call, here, window, target);
        } else if constexpr (Call::id == MPI_WIN_UNLOCK_T) {
            if (target != MPI_PROC_NULL && !windows_.may_unlock(window, target))
                found(Kind::epoch, place(here), "rank " + std::to_string(target) + " of the window is not locked");
        } else if constexpr (Call::id == MPI_WIN_FREE_T) {
            if (windows_.is_locked(window))
                found(Kind::epoch, place(here), "an access epoch of the window has not ended");
        }
        Pending pending;
        if constexpr (has_request<Call>()) {
            pending.place = place(here);
            pending.waits.emplace_back();
        }
        const int error_code = go(call, here);
        if (error_code != MPI_SUCCESS)
            return error_code;
        if constexpr (has_request<Call>())
            remember<Call>(*qmpi::get<role::request>(call), std::move(pending));
        if constexpr (Call::is_in(synchronizing))
            windows_.synchronized(window);
        if constexpr (Call::id == MPI_WIN_FREE_T)
            windows_.freed(window);
        else if constexpr (Call::id == MPI_WIN_FENCE_T)
            windows_.fenced(window, qmpi::get<role::assertion>(call));
        else if constexpr (Call::id == MPI_WIN_START_T || Call::id == MPI_WIN_COMPLETE_T)
            windows_.started(window, Call::id == MPI_WIN_START_T);
        else if constexpr (Call::id == MPI_WIN_LOCK_T || Call::id == MPI_WIN_UNLOCK_T)
            windows_.locked(window, target, Call::id == MPI_WIN_LOCK_T);
        else if constexpr (Call::id == MPI_WIN_LOCK_ALL_T || Call::id == MPI_WIN_UNLOCK_ALL_T)
            windows_.locked_all(window, Call::id == MPI_WIN_LOCK_ALL_T);
        return error_code;
    }

    template <typename Call>
    void check_conflict(Call &call, const Here &here, MPI_Win window, int target)
    {
        constexpr std::string_view name = Call::name;
        constexpr bool is_atomic = name.find("ccumulate") != name.npos || name.find("_op") != name.npos ||
            name.find("swap") != name.npos;
        constexpr bool is_get = name.find("et") != name.npos && !is_atomic;
        /* What a request completes is over before the epoch is. */
        if constexpr (!(is_get && has_request<Call>())) {
            /* Data with gaps may lie between that of the other. */
            constexpr std::size_t types = Call::has(role::datatype, 2) ? 2 : Call::has(role::datatype, 1) ? 1 : 0;
            const Types::Shared type = types_.of(qmpi::get<role::datatype, types>(call));
            if (type == nullptr || !type->is_contiguous || type->size == 0 || type->first != 0 ||
                qmpi::get_or<role::count>(call, MPI_Count{1}) == 0)
                return;
            constexpr auto kind = is_atomic ? Windows::Access::accumulate :
                is_get ? Windows::Access::get : Windows::Access::put;
            const Place place = this->place(here);
            if (const auto other = windows_.access(window, target, qmpi::get<role::displacement>(call), kind, place))
                found(Kind::conflict, place, "the same place of rank " + std::to_string(target) +
                      " is accessed in this epoch already (" + text(*other) + ")");
        }
    }

    template <typename Call>
    void follow_window(Call &call)
    {
        (void) call;
        if constexpr (Call::is_in(makers) && Call::has(role::window))
            windows_.made(*qmpi::get<role::window>(call));
    }

    /* ---- members ---- */

    tools::Destination destination_{*this, {tools::Format::text, tools::Format::json}};
    double timeout_ = arguments().get("timeout", 30.0);
    bool finds_deadlocks_ = true;
    bool aborts_ = false;

    Findings findings_;
    Sites sites_;
    Types types_;
    Handles handles_;
    PendingMemory memory_;
    Windows windows_;
    tools::Communicators communicators_;
    tools::Requests<Pending> requests_;

    int rank_ = -1;                             /* in MPI_COMM_WORLD, once there is one */
    bool has_sessions_ = false;
    std::atomic<bool> has_callbacks_{false};    /* in MPI_Finalize, by attributes of MPI_COMM_SELF */
    bool is_reported_ = false;
    bool has_found_at_exit_ = false;
    std::atomic<bool> is_distrusted_{false};
    std::atomic<char *> first_thread_{nullptr};
    std::atomic<std::uint64_t> number_of_receives_{0}, number_of_pending_{0};
    std::mutex numbers_lock_;
    std::unordered_map<std::uint64_t, std::uint64_t> collective_numbers_;   /* by communicator */

    std::unique_ptr<Server> server_;            /* in the process of rank 0 */
    Client client_;
    Blocking blocking_;
    std::mutex writing_lock_;
    std::mutex teller_lock_;
    std::condition_variable teller_wakes_;
    bool is_ending_ = false;
    std::thread teller_;
};

}  // namespace

QMPI_TOOL("check", Check)
