/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "watch": keeps the call in progress and the last calls of each thread in a shared record, for
 * "qmpi_report where". It sends no message, follows no request and prints nothing; a call costs some
 * stores and two readings of a clock. */

#include "sentinel.hpp"
#include "state.hpp"

#include "../common/call_sites.hpp"
#include "../common/handles.hpp"
#include "../common/per_thread.hpp"
#include "../common/process.hpp"
#include "../common/record.hpp"
#include "../common/report.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* initial-exec: access needs no call. musl refuses to dlopen a library with such variables. */
#ifdef __GLIBC__
#define WATCH_TLS_MODEL [[gnu::tls_model("initial-exec")]]
#else
#define WATCH_TLS_MODEL
#endif

namespace qmpi::watch {
namespace {

/* Text that may be too long, into zeros. */
template <std::size_t size>
void copy_text(char (&place)[size], std::string_view text)
{
    place[text.copy(place, size - 1)] = '\0';
}

/* ---- functions ---- */

/* Functions that may wait for other processes or for files, that test whether something has happened,
 * and those that make, name or free communicators. Short queries cost nothing. */
constexpr bool is_watched(int id)
{
    switch (operation_of(id)) {
    case operation::none:
    case operation::pack:
    case operation::status:
        return false;
    case operation::query:
        return id == MPI_COMM_GET_PARENT_T;
    case operation::create:
        return is_collective(id) || id == MPI_COMM_CREATE_GROUP_T ||
            id == MPI_COMM_CREATE_FROM_GROUP_T || id == MPI_INTERCOMM_CREATE_FROM_GROUPS_T ||
            id == MPI_COMM_JOIN_T;
    case operation::change:
        return is_collective(id) || id == MPI_COMM_SET_NAME_T || id == MPI_BUFFER_DETACH_T ||
            id == MPI_BUFFER_DETACH_C_T;
    case operation::free:
        return is_collective(id);
    case operation::initialize:
    case operation::finalize:
        return id != MPI_T_INIT_THREAD_T && id != MPI_T_FINALIZE_T;
    default:
        return true;
    }
}

constexpr function_set watched_functions()
{
    function_set functions;
    for (int id = 0; id < MPI_LAST_FUNC_T; id++) {
        if (is_watched(id))
            functions.add(static_cast<MPI_Functions_enum>(id));
    }
    return functions;
}

template <typename Call>
constexpr bool begins_mpi()
{
    return Call::operation == operation::initialize;
}

template <typename Call>
constexpr bool has_requests()
{
    return Call::operation == operation::wait || Call::operation == operation::test ||
        Call::operation == operation::start;
}

/* ---- threads ---- */

/* A call on the stack of its thread. A longjmp may leave it: then the stack is not as deep any more, or
 * has other contents. */
class Frame {
  public:
    void enter(std::size_t depth)
    {
        self_ = this;
        depth_ = depth;
    }

    /* Calls around it */
    std::size_t depth() const { return depth_; }

    bool is_left(const Frame &later) const
    {
        return reinterpret_cast<std::uintptr_t>(this) <= reinterpret_cast<std::uintptr_t>(&later) ||
            self_ != this;
    }

  private:
    const Frame *volatile self_;
    std::size_t depth_;
};

/* The writer of a Thread; for the owning thread only. */
class Writing {
  public:
    Writing(Thread &thread, Counts &counts) : thread_(thread), counts_(counts) {}

    /* The slot for a call that begins. */
    Call &next(Frame &frame) noexcept
    {
        if (__builtin_expect(depth_ > 0, 0))
            return next_nested(frame);
        frame.enter(0);
        frames_[0] = &frame;
        depth_ = 1;
        return thread_.ring[thread_.calls.get() % last_calls];
    }

    /* Readers see the call from now on. */
    void begin() noexcept
    {
        if (__builtin_expect(depth_ == 1, 1))
            thread_.calls.publish(thread_.calls.get() + 1);
    }

    void end(Call &call, const Frame &frame, std::size_t function, std::uint64_t time) noexcept
    {
        call.end.publish(time);
        depth_ = frame.depth();
        if (__builtin_expect(depth_ > 0, 0))
            end_nested();
        std::atomic<std::uint32_t> &count = counts_[function];
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

  private:
    [[gnu::noinline]] Call &next_nested(Frame &frame) noexcept
    {
        while (depth_ > 0 && frames_[std::min(depth_, max_nested + 1) - 1]->is_left(frame))
            depth_--;
        for (std::size_t i = depth_; i <= max_nested; i++) {
            if (i > 0)
                thread_.nested[i - 1].function.set(0);
        }
        const std::size_t level = std::min(depth_, max_nested);
        frame.enter(depth_);
        frames_[level] = &frame;
        depth_++;
        return level == 0 ? thread_.ring[thread_.calls.get() % last_calls]
                          : thread_.nested[level - 1];
    }

    [[gnu::noinline]] void end_nested() noexcept
    {
        if (depth_ <= max_nested)
            thread_.nested[depth_ - 1].function.set(0);
    }

    Thread &thread_;
    Counts &counts_;
    std::size_t depth_ = 0;
    const Frame *frames_[max_nested + 1] = {};
};

/* ---- objects ---- */

/* The communicators of the record. The program makes and frees them rarely. */
class Communicators {
  public:
    explicit Communicators(State &state) : all_(state.communicators) {}

    /* A communicator of this process that is complete. Call before the program gets it. */
    void add(MPI_Comm comm)
    {
        if (comm == MPI_COMM_NULL)
            return;
        Communicator added;
        long long context = -1;
        if (QMPIX_Get_context_id(comm, &context) == MPI_SUCCESS)
            added.context = context;
        int is_inter = 0, rank = -1, size = 0, remote_size = 0, length = 0;
        QMPI_Comm_test_inter(comm, &is_inter);
        QMPI_Comm_rank(comm, &rank);
        QMPI_Comm_size(comm, &size);
        if (is_inter)
            QMPI_Comm_remote_size(comm, &remote_size);
        added.rank = rank;
        added.size = size;
        added.remote_size = remote_size;
        added.leader = leader_of(comm);
        char name[MPI_MAX_OBJECT_NAME] = "";
        QMPI_Comm_get_name(comm, name, &length);
        copy_text(added.name, name);
        put(comm, added);
    }

    /* A copy that is not complete yet. */
    void add_copy(MPI_Comm comm, MPI_Comm original)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const Communicator *known = find(handle_value(original));
        if (comm == MPI_COMM_NULL || known == nullptr)
            return;
        Communicator added = *known;
        added.context = -1;
        added.name[0] = '\0';
        put_locked(comm, added);
    }

    void rename(MPI_Comm comm, const char *name)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (Communicator *known = find(handle_value(comm))) {
            std::memset(known->name, 0, sizeof known->name);
            copy_text(known->name, name);
        }
    }

    /* Returns what is to be given to restore() if the communicator is not freed. */
    Communicator forget(MPI_Comm comm)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        Communicator *known = find(handle_value(comm));
        if (known == nullptr)
            return {};
        const Communicator copy = *known;
        *known = Communicator();
        return copy;
    }

    void restore(MPI_Comm comm, const Communicator &copy)
    {
        if (copy.size > 0)
            put(comm, copy);
    }

  private:
    static int leader_of(MPI_Comm comm)
    {
        MPI_Group group = MPI_GROUP_NULL;
        const char *world = "";
        int leader = -1;
        if (QMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
            if (QMPIX_Get_process_world(group, 0, &world, &leader) != MPI_SUCCESS)
                leader = -1;
            QMPI_Group_free(&group);
        }
        return leader;
    }

    Communicator *find(std::uint64_t handle)
    {
        const auto found = std::find_if(
            all_.begin(), all_.end(),
            [handle](const Communicator &one) { return one.size > 0 && one.handle == handle; });
        return found == all_.end() ? nullptr : &*found;
    }

    void put(MPI_Comm comm, const Communicator &added)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        put_locked(comm, added);
    }

    void put_locked(MPI_Comm comm, const Communicator &added)
    {
        Communicator *slot = find(handle_value(comm));
        if (slot == nullptr) {
            const auto unused = std::find_if(all_.begin(), all_.end(),
                                             [](const Communicator &one) { return one.size == 0; });
            slot = unused == all_.end() ? nullptr : &*unused;
        }
        if (slot == nullptr)
            return;
        *slot = added;
        slot->handle = handle_value(comm);
    }

    std::array<Communicator, max_communicators> &all_;
    std::mutex lock_;
};

/* Files with code that calls MPI. */
class Modules {
  public:
    explicit Modules(State &state) : all_(state.modules) {}

    QMPI_INLINE void note(std::uint64_t site)
    {
        const Module *last = last_.load(std::memory_order_relaxed);
        if (__builtin_expect(site - last->begin >= last->size, 0))
            search(site);
    }

  private:
    static bool has(const Module &module, std::uint64_t site)
    {
        return site - module.begin < module.size;
    }

    [[gnu::noinline, gnu::cold]] void search(std::uint64_t site) noexcept
    {
        if (site == 0)
            return;
        const std::size_t known = number_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < known; i++) {
            if (has(all_[i], site)) {
                last_.store(&all_[i], std::memory_order_relaxed);
                return;
            }
        }
        try {
            add(site);
        } catch (const std::exception &) { /* no memory: the call site stays unknown */
        }
    }

    void add(std::uint64_t site)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const std::size_t known = number_.load(std::memory_order_relaxed);
        const auto end = all_.begin() + static_cast<std::ptrdiff_t>(known);
        if (known == all_.size() ||
            std::any_of(all_.begin(), end, [site](const Module &one) { return has(one, site); }))
            return;
        Module found;
        found.begin = site;
        dl_iterate_phdr(visit, &found);
        if (found.size == 0)
            found.size = 1; /* generated code: not searched again */
        else {
            const std::string path = locate(reinterpret_cast<const void *>(site)).module;
            char full[PATH_MAX];
            const char *const name = realpath(path.c_str(), full) != nullptr ? full : path.c_str();
            if (std::strlen(name) < sizeof found.path)
                std::strcpy(found.path, name);
        }
        all_[known] = found;
        number_.store(known + 1, std::memory_order_release);
        last_.store(&all_[known], std::memory_order_relaxed);
    }

    /* Sets the range of the object's addresses; begin is a return address in it. */
    static int visit(dl_phdr_info *object, std::size_t, void *argument)
    {
        Module &module = *static_cast<Module *>(argument);
        std::uint64_t first = UINT64_MAX, last = 0;
        bool is_it = false;
        for (int i = 0; i < object->dlpi_phnum; i++) {
            const auto &segment = object->dlpi_phdr[i];
            const std::uint64_t begin = object->dlpi_addr + segment.p_vaddr;
            if (segment.p_type != PT_LOAD)
                continue;
            first = std::min(first, begin);
            last = std::max(last, begin + segment.p_memsz);
            is_it = is_it || module.begin - 1 - begin < segment.p_memsz;
        }
        if (!is_it)
            return 0;
        module = {first, last - first + 1, object->dlpi_addr, ""};
        return 1;
    }

    std::array<Module, max_modules> &all_;
    std::atomic<const Module *> last_{&all_[0]};
    std::atomic<std::size_t> number_{0};
    std::mutex lock_;
};

std::uint64_t size_of(MPI_Datatype datatype)
{
    int size = 0;
    return datatype != MPI_DATATYPE_NULL && QMPI_Type_size(datatype, &size) == MPI_SUCCESS &&
            size > 0
        ? static_cast<std::uint64_t>(size)
        : 0;
}

void note_datatypes(State &state)
{
    const auto predefined = predefined_datatypes();
    static_assert(predefined.size() <= max_datatypes);
    for (std::size_t i = 0; i < predefined.size(); i++)
        state.datatypes[i] = {handle_value(predefined[i]), size_of(predefined[i])};
}

/* ---- process ---- */

/* Of a variable that a launcher sets; -1: none. */
int number_in_environment(const char *const (&names)[4])
{
    for (const char *name : names) {
        const char *const text = std::getenv(name);
        if (text != nullptr && *text >= '0' && *text <= '9')
            return std::atoi(text);
    }
    return -1;
}

std::uint64_t wall_clock_at_zero()
{
    timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
        static_cast<std::uint64_t>(time.tv_nsec) - now();
}

void describe(Process &process, bool is_counter)
{
    process.is_counter = is_counter;
    process.any_source = MPI_ANY_SOURCE;
    process.any_tag = MPI_ANY_TAG;
    process.no_process = MPI_PROC_NULL;
    process.first = moment(is_counter);
    process.epoch = wall_clock_at_zero();
    process.id = static_cast<std::int32_t>(getpid());
    process.user = static_cast<std::int32_t>(geteuid());
    process.start = stat_field(getpid(), 22);
    pid_t parent = getppid();
    for (std::int32_t &ancestor : process.ancestors) {
        if (parent <= 1)
            break;
        ancestor = static_cast<std::int32_t>(parent);
        parent = static_cast<pid_t>(stat_field(parent, 4));
    }
    process.rank = number_in_environment({"PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "PMI_ID"});
    process.size = number_in_environment({"PMI_SIZE", "SLURM_NTASKS", "SLURM_NPROCS", "PMI_SIZE"});
    process.ranks_on_host = number_in_environment(
        {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MPI_LOCALNRANKS"});
}

/* ---- files ---- */

/* The folder of the user's records. Throws std::runtime_error. */
std::string own_folder(const std::string &parent)
{
    mkdir(parent.c_str(), 0777);
    return std::filesystem::absolute(private_folder(parent + "/" + folder_name(geteuid())));
}

bool is_writable_folder(const char *path)
{
    struct stat status {};
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, W_OK) == 0;
}

std::string default_parent()
{
    if (is_writable_folder("/dev/shm"))
        return "/dev/shm";
    const char *const temporary = std::getenv("TMPDIR");
    return temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
}

struct Options : options {
    using options::options;

    std::string records = option("records", "")
                              .value("FOLDER")
                              .help("folder of the records, on each host (default: /dev/shm)");
    HangOption hang = option("hang", HangOption{})
                          .help(
                              "print where the job hangs when no rank has gone on for that time, "
                              "and end it with :abort or :status=N (jobs on one host)");
};

/* ---- tool ---- */

class Watch : public tool<Watch> {
  public:
    static constexpr const char *description =
        "keeps calls in progress for \"qmpi_report where\", which says where a job hangs";
    using Options = watch::Options;
    static constexpr function_set functions = watched_functions();
    static constexpr bool works_in_child = false; /* it would write into its parent's record */

    /* The record of a process that ends without MPI_Finalize remains. */
    ~Watch()
    {
        if (state_.process.phase.get() == static_cast<std::uint64_t>(Phase::initialized))
            state_.process.phase.set(static_cast<std::uint64_t>(Phase::exited));
        else
            record_.remove();
    }

    /* noexcept: the compiler keeps the arguments in registers. */
    template <typename Call>
    QMPI_INLINE auto intercept(Call &call) noexcept
    {
        if constexpr (begins_mpi<Call>())
            guarded([this] { open_record(); });
        else if constexpr (Call::id == MPI_FINALIZE_T)
            sentinel_.reset(); /* what tools do at the end takes its time */
        Writing &writing = own_writing();
        Frame frame;
        watch::Call &slot = writing.next(frame);
        describe(slot, call);
        writing.begin();
        if constexpr (Call::id == MPI_COMM_FREE_T || Call::id == MPI_COMM_DISCONNECT_T) {
            const auto result = free(call);
            writing.end(slot, frame, Call::id, ticks());
            return result;
        } else {
            const auto result = call();
            if constexpr (makes_communicator<Call>() || begins_mpi<Call>() ||
                          Call::operation == operation::finalize ||
                          Call::id == MPI_COMM_SET_NAME_T) {
                if (result == MPI_SUCCESS)
                    guarded([&] { note(call); });
            }
            writing.end(slot, frame, Call::id, ticks());
            return result;
        }
    }

  private:
    template <typename Call>
    static constexpr bool makes_communicator()
    {
        return index_of_made<Call>(role::communicator) != none;
    }

    /* Without memory something is not recorded. */
    template <typename Work>
    static void guarded(Work work) noexcept
    {
        try {
            work();
        } catch (const std::exception &exception) {
            complain(name(), exception.what());
        }
    }

    std::uint64_t ticks() const
    {
        return __builtin_expect(is_counter_, 1) ? counter() : coarse_clock();
    }

    /* ---- a call ---- */

    template <typename Call>
    QMPI_INLINE void describe(watch::Call &slot, Call &call) noexcept
    {
        const auto site = reinterpret_cast<std::uintptr_t>(call.calling_address());
        modules_.note(site);
        slot.end.set(0);
        slot.site.set(site);
        slot.object.set(object_of(call));
        slot.peer.set(peer_of(call));
        slot.size.set(size_of(call));
        if constexpr (Call::has(role::datatype))
            slot.datatype.set(handle_value(get_or<role::datatype>(call, MPI_DATATYPE_NULL)));
        slot.function.set(Call::id + 1);
        slot.begin.set(ticks());
    }

    template <typename Call>
    QMPI_INLINE static std::uint64_t object_of(const Call &call) noexcept
    {
        if constexpr (Call::has(role::communicator) && !begins_mpi<Call>())
            return handle_value(get_or<role::communicator>(call, MPI_COMM_NULL));
        else if constexpr (Call::has(role::window))
            return handle_value(get_or<role::window>(call, MPI_WIN_NULL));
        else if constexpr (Call::has(role::file))
            return handle_value(get_or<role::file>(call, MPI_FILE_NULL));
        else
            return 0;
    }

    template <typename Call>
    QMPI_INLINE static std::uint64_t peer_of(const Call &call)
    {
        if constexpr (Call::operation == operation::sendrecv)
            return watch::Call::packed(get_or<role::source>(call, MPI_PROC_NULL),
                                       get_or<role::tag, 1>(call, MPI_ANY_TAG));
        else if constexpr (Call::has(role::destination))
            return watch::Call::packed(get_or<role::destination>(call, MPI_PROC_NULL),
                                       get_or<role::tag>(call, MPI_ANY_TAG));
        else if constexpr (Call::has(role::source))
            return watch::Call::packed(get_or<role::source>(call, MPI_PROC_NULL),
                                       get_or<role::tag>(call, MPI_ANY_TAG));
        else if constexpr (Call::has(role::target))
            return watch::Call::packed(get_or<role::target>(call, MPI_PROC_NULL), 0);
        else if constexpr (Call::has(role::root))
            return watch::Call::packed(get_or<role::root>(call, MPI_PROC_NULL), 0);
        else if constexpr (Call::operation == operation::lock ||
                           Call::operation == operation::unlock ||
                           Call::operation == operation::flush)
            return watch::Call::packed(get_or<role::rank>(call, MPI_PROC_NULL), 0);
        else
            return 0;
    }

    template <typename Call>
    QMPI_INLINE static std::uint64_t size_of(const Call &call)
    {
        if constexpr (Call::operation == operation::sendrecv)
            return watch::Call::packed(get_or<role::destination>(call, MPI_PROC_NULL),
                                       get_or<role::tag>(call, MPI_ANY_TAG));
        else if constexpr (has_requests<Call>()) {
            constexpr std::size_t request = Call::index(role::request);
            if constexpr (request == none || !Call::parameters[request].is_array)
                return 1;
            else
                return static_cast<std::uint64_t>(
                    call.template argument<Call::parameters[request].length>());
        } else
            return static_cast<std::uint64_t>(get_or<role::count>(call, MPI_Count{0}));
    }

    /* After the call. */
    template <typename Call>
    [[gnu::noinline]] void note(Call &call)
    {
        if constexpr (begins_mpi<Call>())
            begin_mpi(Call::id == MPI_SESSION_INIT_T);
        else if constexpr (Call::operation == operation::finalize)
            end_mpi(Call::id == MPI_SESSION_FINALIZE_T);
        else if constexpr (Call::id == MPI_COMM_SET_NAME_T)
            communicators_.rename(get<role::communicator>(call), call.template argument<1>());
        else {
            const MPI_Comm made =
                *call.template argument<index_of_made<Call>(role::communicator)>();
            if constexpr (Call::form == form::nonblocking)
                communicators_.add_copy(made, get<role::communicator>(call));
            else
                communicators_.add(made);
        }
    }

    /* Another thread may get the same handle at once. */
    template <typename Call>
    [[gnu::noinline]] int free(Call &call) noexcept
    {
        const MPI_Comm *const place = get<role::communicator>(call);
        const MPI_Comm comm = place == nullptr ? MPI_COMM_NULL : *place;
        const Communicator known = communicators_.forget(comm);
        const int result = call();
        if (result != MPI_SUCCESS)
            communicators_.restore(comm, known);
        return result;
    }

    /* ---- life ---- */

    void begin_mpi(bool is_session)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        users_ += is_session ? 1 : 0;
        is_world_ = is_world_ || !is_session;
        Process &process = state_.process;
        if (!has_begun_) {
            const char *world = "";
            int rank = -1, size = 0;
            if (QMPIX_Get_tool_job(&world, &rank, &size) == MPI_SUCCESS) {
                copy_text(process.world, world);
                process.rank = rank;
                process.size = size;
            }
            note_datatypes(state_);
            process.second = moment(is_counter_);
            has_begun_ = true;
        }
        if (!is_session) {
            communicators_.add(MPI_COMM_WORLD);
            communicators_.add(MPI_COMM_SELF);
        }
        process.phase.publish(static_cast<std::uint64_t>(Phase::initialized));
        if (!is_session && options_.hang.time.count() > 0)
            begin_sentinel(process);
    }

    /* In one process of the job. */
    void begin_sentinel(const Process &process)
    {
        if (process.rank != 0 || instance_number() > 1 || is_spawned())
            return;
        if (!record_.is_open() || process.world[0] == '\0')
            complain(name(), "hang: this job cannot be watched, as it has no record or no name");
        else if (process.ranks_on_host > 0 && process.ranks_on_host < process.size)
            complain(name(), "hang: this job cannot be watched, as it has several hosts");
        else
            sentinel_ = std::make_unique<Sentinel>(options_.hang, record_.path(), state_);
    }

    void end_mpi(bool is_session)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        users_ -= is_session ? 1 : 0;
        is_world_ = is_world_ && is_session;
        if (users_ == 0 && !is_world_)
            state_.process.phase.set(static_cast<std::uint64_t>(Phase::finalized));
    }

    /* Before MPI is initialized, so that processes that wait in MPI_Init are seen. Without a record file
     * the tool works in memory, unseen. */
    void open_record()
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (is_opened_)
            return;
        is_opened_ = true;
        if (is_privileged())
            return;
        watch::describe(state_.process, is_counter_);
        std::string reason;
        /* The last process of another job may remove the folder meanwhile. */
        for (int tries = 0; tries < 10 && !record_.is_open(); tries++) {
            try {
                const std::string folder =
                    own_folder(options_.records.empty() ? default_parent() : options_.records);
                if (tries == 0 && is_first_on_host())
                    remove_old(folder);
                open_in(folder);
            } catch (const std::exception &exception) {
                reason = exception.what();
            }
        }
        if (!record_.is_open() && is_first_on_host())
            complain(name(),
                     "no record, so \"qmpi_report where\" cannot see this process: " + reason);
    }

    static bool is_first_on_host()
    {
        return number_in_environment(
                   {"MPI_LOCALRANKID", "SLURM_LOCALID", "PMIX_RANK", "PMI_RANK"}) <= 0;
    }

    void open_in(const std::string &folder)
    {
        Introduction own = introduction_of_process();
        own.tool = name();
        own.folder = folder;
        own.instance = instance_number();
        own.instances = instance_count();
        own.tool_id = tool_id();
        own.rank = -1; /* state_ has it */
        own.begin = local_time();
        for (std::string *text :
             {&own.folder, &own.program, &own.command, &own.library, &own.host}) {
            if (text->size() > 500)
                text->resize(500);
        }
        std::string file = own.host + "-" + std::to_string(own.process);
        if (own.instance > 1)
            file += "." + std::to_string(own.instance);
        /* A file of that name is of a process that was killed, or of one in another container. */
        for (int number = 1; number < 10; number++) {
            const std::string path = folder + "/" + numbered(file, number) + record_ending;
            if (is_left_over(path))
                unlink(path.c_str());
            if (access(path.c_str(), F_OK) != 0)
                return record_.open(path, own);
        }
        throw std::runtime_error("too many files " + folder + "/" + file);
    }

    static bool is_left_over(const std::string &path)
    {
        try {
            const FileContent content(path);
            return RecordView::has_begun(content.content()) &&
                content.life(RecordView(content.content()).is_marked()) == Life::ended;
        } catch (const std::exception &) {
            return false;
        }
    }

    /* Records of killed processes; those of the last day may still be wanted. */
    static void remove_old(const std::string &folder)
    {
        const std::time_t yesterday = std::time(nullptr) - 24 * 60 * 60;
        for (const std::string &path : record_files_in(folder)) {
            struct stat status {};
            if (stat(path.c_str(), &status) == 0 && status.st_mtime < yesterday &&
                is_left_over(path))
                unlink(path.c_str());
        }
    }

    const Options options_{arguments()};
    const bool is_counter_ = has_counter();
    Record &record_ = *new Record(name(), record_size, record_size);
    State &state_ = record_.make<State>(Kind::state);
    Communicators &communicators_ = *new Communicators(state_);
    Modules &modules_ = *new Modules(state_);
    std::mutex lock_;
    bool is_opened_ = false, has_begun_ = false, is_world_ = false;
    int users_ = 0;
    std::unique_ptr<Sentinel> sentinel_;
    std::size_t number_of_threads_ = 0;
    /* Of the calling thread, by instance; those of index 0 are not kept. */
    WATCH_TLS_MODEL static inline thread_local std::array<Writing *, 4> written_{};
    const std::size_t instance_ =
        static_cast<std::size_t>(instance_number()) < written_.size() ? instance_number() : 0;
    PerThread<Writing> &threads_ = *new PerThread<Writing>([this] { return new_thread(); });

    /* Of the calling thread. */
    QMPI_INLINE Writing &own_writing() noexcept
    {
        Writing *const found = written_[instance_];
        return __builtin_expect(found != nullptr, 1) ? *found : find_writing();
    }

    [[gnu::noinline, gnu::cold]] Writing &find_writing() noexcept
    {
        try {
            Writing &own = threads_.own();
            /* Destroyed before the thread's objects go to another thread. */
            static thread_local struct End {
                ~End() { written_.fill(nullptr); }
            } end;
            (void) end;
            if (instance_ > 0)
                written_[instance_] = &own;
            return own;
        } catch (const std::exception &) { /* no memory */
            static Thread thread;
            static Counts counts;
            static Writing unrecorded(thread, counts);
            return unrecorded;
        }
    }

    std::unique_ptr<Writing> new_thread()
    {
        static Thread no_thread;
        static Counts no_counts;
        const std::size_t number = number_of_threads_++;
        Thread *thread = &no_thread;
        if (number < max_threads)
            thread = &state_.threads[number];
        else
            state_.process.threads_without_slot.set(state_.process.threads_without_slot.get() + 1);
        thread->thread.set(static_cast<std::uint64_t>(syscall(SYS_gettid)));
        return std::make_unique<Writing>(
            *thread, number < counted_threads ? state_.counts[number] : no_counts);
    }
};

}  // namespace
}  // namespace qmpi::watch

QMPI_TOOL("watch", qmpi::watch::Watch)
