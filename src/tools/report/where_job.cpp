/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "where_job.hpp"

#include "../common/process.hpp"
#include "../common/record.hpp"
#include "../common/text.hpp"
#include "../watch/state.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qmpi::report {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds observation(300);

/* ---- processes of this host ---- */

struct SystemProcess {
    int id = 0, parent = 0;
    char state = '?';
    std::uint64_t ticks = 0; /* of processor time */
    std::uint64_t start = 0;
};

std::string content_of(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string folder_of(int process)
{
    return "/proc/" + std::to_string(process);
}

std::optional<SystemProcess> system_process(int id)
{
    const std::string text = stat_text(folder_of(id));
    if (text.empty())
        return std::nullopt;
    return SystemProcess{id, static_cast<int>(stat_field(text, 4)), text.front(),
                         stat_field(text, 14) + stat_field(text, 15), stat_field(text, 22)};
}

/* Of its program; empty if it has ended. */
std::string name_of_process(int id)
{
    const std::string line = content_of(folder_of(id) + "/comm");
    return line.substr(0, line.find('\n'));
}

/* In bytes, of a line such as "VmRSS:   123 kB". */
std::int64_t memory_in(const std::string &status, const char *name)
{
    const std::size_t at = status.find(name);
    return at == std::string::npos
        ? 0
        : std::strtoll(status.c_str() + at + std::strlen(name), nullptr, 10) * 1024;
}

std::map<int, SystemProcess> all_processes()
{
    std::map<int, SystemProcess> all;
    std::error_code fault;
    for (const auto &entry : fs::directory_iterator("/proc", fault)) {
        const std::string name = entry.path().filename();
        if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            if (const auto process = system_process(std::atoi(name.c_str())))
                all[process->id] = *process;
        }
    }
    return all;
}

bool starts_with(std::string_view text, std::string_view begin)
{
    return text.substr(0, begin.size()) == begin;
}

/* Programs that start ranks on a host. */
bool is_launcher(const std::string &name)
{
    for (const char *known : {"mpiexec", "mpirun", "hydra_", "srun", "slurmstepd", "orted", "prted",
                              "orterun", "prterun", "palsd", "aprun"}) {
        if (starts_with(name, known))
            return true;
    }
    return false;
}

/* The process and those that it has started. A rank gives those of its launcher on this host. */
std::set<int> processes_of_job(int id)
{
    const std::map<int, SystemProcess> all = all_processes();
    for (auto one = all.find(id); one != all.end();) {
        const auto parent = all.find(one->second.parent);
        if (parent == all.end() || !is_launcher(name_of_process(parent->first)))
            break;
        id = parent->first;
        one = parent;
    }
    std::multimap<int, int> children;
    for (const auto &[child, process] : all)
        children.emplace(process.parent, child);
    std::set<int> found{id};
    std::vector<int> next{id};
    while (!next.empty()) {
        const auto [begin, end] = children.equal_range(next.back());
        next.pop_back();
        for (auto child = begin; child != end; ++child) {
            if (found.insert(child->second).second)
                next.push_back(child->second);
        }
    }
    return found;
}

/* ---- records ---- */

constexpr const char *folder_begin = "/qmpi-watch-";

/* Records that a process has mapped. A child of fork has its parent's: the caller compares the number
 * of the process. */
std::set<std::string> records_mapped_by(int process)
{
    std::set<std::string> found;
    std::istringstream lines(content_of(folder_of(process) + "/maps"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t path = line.find('/');
        if (path != std::string::npos && line.find(folder_begin) != std::string::npos &&
            ends_in(line, record_ending))
            found.insert(line.substr(path));
    }
    return found;
}

/* Folders in which records of this user's processes are by default. */
std::vector<std::string> default_folders()
{
    std::vector<std::string> folders;
    const char *const temporary = std::getenv("TMPDIR");
    for (const char *parent : {"/dev/shm", temporary, "/tmp"}) {
        if (parent != nullptr)
            folders.push_back(std::string(parent) + "/" + watch::folder_name(geteuid()));
    }
    return folders;
}

/* A record at one moment. */
class Snapshot {
  public:
    /* Throws std::runtime_error. */
    explicit Snapshot(const std::string &path)
        : file_(path), view_(file_.content()), introduction_(view_.introduction())
    {
        if (introduction_.tool != "watch")
            throw std::runtime_error("the record is of the tool " + introduction_.tool + ": \"" +
                                     "qmpi_report show\" reports it");
        state_ = watch::state_in(view_);
        require_undamaged(state_ != nullptr);
    }

    const watch::State &state() const { return *state_; }

    /* In the file. */
    off_t position_of(const void *part) const
    {
        return static_cast<const char *>(part) - file_.content().data();
    }

    const watch::Process &process() const { return state_->process; }
    const Introduction &introduction() const { return introduction_; }
    Life life() const { return file_.life(view_.is_marked()); }
    watch::Phase phase() const { return static_cast<watch::Phase>(process().phase.get()); }

    std::string world() const { return text_in(process().world); }

    std::uint64_t calls() const
    {
        std::uint64_t calls = 0;
        for (const watch::Thread &thread : state_->threads)
            calls += thread.calls.get();
        return calls;
    }

    template <std::size_t size>
    static std::string text_in(const char (&text)[size])
    {
        return {text, strnlen(text, size)};
    }

  private:
    const FileContent file_;
    const RecordView view_;
    const Introduction introduction_;
    const watch::State *state_ = nullptr;
};

/* Wall-clock time of the ticks in a record. */
class Clock {
  public:
    Clock(const Snapshot &record, bool is_here)
    {
        const watch::Process &process = record.process();
        epoch_ = static_cast<double>(process.epoch) * 1e-9;
        first_ = process.first;
        const watch::Moment later =
            is_here && process.is_counter ? watch::moment(true) : process.second;
        if (!process.is_counter)
            rate_ = 1;
        else if (later.time > first_.time && later.ticks > first_.ticks)
            rate_ = static_cast<double>(later.ticks - first_.ticks) /
                static_cast<double>(later.time - first_.time);
    }

    /* In seconds; 0: unknown. */
    double time(std::uint64_t ticks) const
    {
        if (ticks == 0 || rate_ == 0)
            return 0;
        const double elapsed =
            (static_cast<double>(ticks) - static_cast<double>(first_.ticks)) / rate_;
        return epoch_ + (static_cast<double>(first_.time) + elapsed) * 1e-9;
    }

  private:
    double epoch_ = 0, rate_ = 0;
    watch::Moment first_;
};

/* Call sites of records; one reader of debugging information for all. */
class Sites {
  public:
    CallSite find(const watch::State &state, std::uint64_t site)
    {
        for (const watch::Module &module : state.modules) {
            if (site - module.begin >= module.size)
                continue;
            const std::string path = Snapshot::text_in(module.path);
            if (path.empty())
                break;
            const auto key = std::make_pair(path, site - module.load_address);
            const auto known = known_.find(key);
            return known != known_.end()
                ? known->second
                : known_.emplace(key, sites_.find(CodeLocation{path, key.second})).first->second;
        }
        return {};
    }

  private:
    CallSites sites_;
    std::map<std::pair<std::string, std::uint64_t>, CallSite> known_;
};

CommunicatorFacts communicator_in(const watch::State &state, std::uint64_t handle)
{
    for (const watch::Communicator &one : state.communicators) {
        if (one.size > 0 && one.handle == handle)
            return {Snapshot::text_in(one.name),
                    one.context,
                    one.leader,
                    one.rank,
                    one.size,
                    one.remote_size};
    }
    return {};
}

std::int64_t element_size(const watch::State &state, std::uint64_t datatype)
{
    for (const watch::Datatype &one : state.datatypes) {
        if (one.handle == datatype && one.size > 0)
            return static_cast<std::int64_t>(one.size);
    }
    return 0;
}

/* With the constants of this library. */
int rank_in(const watch::State &state, std::uint64_t packed)
{
    const int rank = watch::Call::rank_in(packed);
    return rank == state.process.any_source ? MPI_ANY_SOURCE
        : rank == state.process.no_process  ? MPI_PROC_NULL
                                            : rank;
}

/* Functions with a communicator that the call uses. */
bool uses_communicator(int function)
{
    constexpr function_set others = set::rma | set::io | set::completion | set::environment;
    return !others.contains(function);
}

std::optional<CallFacts> call_in(const watch::State &state, const watch::Call &call,
                                 const Clock &clock, Sites &sites)
{
    const std::uint64_t function = call.function.get();
    if (function == 0 || function > MPI_LAST_FUNC_T)
        return std::nullopt;
    CallFacts facts;
    facts.function = static_cast<int>(function) - 1;
    facts.site = sites.find(state, call.site.get());
    facts.begin = clock.time(call.begin.get());
    facts.end = clock.time(call.end.get());
    facts.has_communicator = uses_communicator(facts.function) && call.object.get() != 0;
    if (facts.has_communicator)
        facts.communicator = communicator_in(state, call.object.get());
    facts.peer = rank_in(state, call.peer.get());
    facts.tag = watch::Call::tag_in(call.peer.get());
    if (facts.tag == state.process.any_tag)
        facts.tag = MPI_ANY_TAG;
    if (operation_of(facts.function) == operation::sendrecv)
        facts.destination = rank_in(state, call.size.get());
    else
        facts.size = static_cast<std::int64_t>(call.size.get());
    facts.element = element_size(state, call.datatype.get());
    return facts;
}

ThreadFacts thread_in(const watch::State &state, const watch::Thread &thread, const Clock &clock,
                      Sites &sites)
{
    ThreadFacts facts;
    facts.thread = static_cast<int>(thread.thread.get());
    facts.calls = thread.calls.get();
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(facts.calls, watch::last_calls); i++) {
        const watch::Call &call = thread.ring[(facts.calls - 1 - i) % watch::last_calls];
        if (const auto found = call_in(state, call, clock, sites))
            facts.last.push_back(*found);
    }
    const watch::Call &newest = thread.ring[(facts.calls - 1) % watch::last_calls];
    facts.is_in_call = !facts.last.empty() && newest.end.get() == 0;
    for (const watch::Call &nested : thread.nested) {
        const auto inner = call_in(state, nested, clock, sites);
        if (facts.is_in_call && inner && nested.end.get() == 0)
            facts.last.insert(facts.last.begin(), *inner);
    }
    return facts;
}

double wall_clock()
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/* The same process, and not a later one of the same number. */
std::optional<SystemProcess> process_of(const Snapshot &record)
{
    auto process = system_process(record.process().id);
    if (process && record.process().start != 0 && process->start != record.process().start)
        process.reset();
    return process;
}

bool has_ended(const Snapshot &record, const std::optional<SystemProcess> &process)
{
    return !process || process->state == 'Z' || process->state == 'X' ||
        record.life() == Life::ended;
}

/* Of a process on this host, whose record is still there. */
Condition condition_of(const Snapshot &record, const std::optional<SystemProcess> &process)
{
    const watch::Phase phase = record.phase();
    if (phase == watch::Phase::exited)
        return Condition::exited;
    if (has_ended(record, process))
        return phase == watch::Phase::finalized ? Condition::finished : Condition::dead;
    switch (process->state) {
    case 'T':
        return Condition::stopped;
    case 't':
        return Condition::traced;
    case 'D':
        return Condition::in_system;
    default:
        break;
    }
    if (phase == watch::Phase::finalized)
        return Condition::finished;
    return process->state == 'R' ? Condition::running : Condition::sleeping;
}

/* ---- time in MPI ---- */

/* The time in which a thread of a process is in MPI. A record has the last calls only: if there have been
 * more since the last look, these stand for all. */
class TimeInMpi {
  public:
    explicit TimeInMpi(std::uint64_t now) : last_(now) {}

    /* Threads at some moment after now. */
    void look(const watch::Thread *threads, std::size_t number, std::uint64_t now)
    {
        std::uint64_t begin = last_;
        calls_.clear();
        for (std::size_t i = 0; i < number; i++)
            begin = std::max(begin, add_calls(threads[i], now));
        if (begin < now) {
            const auto elapsed = static_cast<double>(now - last_);
            total_ += elapsed;
            in_mpi_ +=
                elapsed * static_cast<double>(covered(begin)) / static_cast<double>(now - begin);
            is_sampled_ = is_sampled_ || begin > last_;
        }
        last_ = std::max(last_, now);
    }

    /* Puts the result into facts, and begins anew. */
    void take(RankFacts &facts)
    {
        if (total_ > 0)
            facts.time_in_mpi = 100 * in_mpi_ / total_;
        facts.is_sampled = is_sampled_;
        total_ = in_mpi_ = 0;
        is_sampled_ = false;
    }

  private:
    struct Interval {
        std::uint64_t begin, end;

        bool operator<(const Interval &other) const { return begin < other.begin; }
    };

    /* Returns the moment since when all calls of the thread are there. If the ring is full this is the
     * middle of the oldest call, so that a program that repeats itself gets the true share on average. */
    std::uint64_t add_calls(const watch::Thread &thread, std::uint64_t now)
    {
        const std::uint64_t number = thread.calls.get();
        /* The thread may be writing the next call over the oldest. */
        const std::uint64_t kept = std::min<std::uint64_t>(number, watch::last_calls - 1);
        std::uint64_t next = now, since = now;
        for (std::uint64_t i = 0; i < kept; i++) {
            const watch::Call &call = thread.ring[(number - 1 - i) % watch::last_calls];
            const std::uint64_t begin = call.begin.get();
            std::uint64_t end = call.end.get();
            if (i == 0 && end == 0)
                end = UINT64_MAX; /* in progress */
            if (begin >= now)
                continue;
            end = std::min(end, next);
            if (begin >= next || end < begin) /* written while it was read */
                return since;
            calls_.push_back({begin, end});
            since = begin + (end - begin) / 2;
            next = begin;
        }
        return kept == number ? 0 : since;
    }

    /* Ticks after begin that are in a call. */
    std::uint64_t covered(std::uint64_t begin)
    {
        std::sort(calls_.begin(), calls_.end());
        std::uint64_t sum = 0;
        for (const Interval &call : calls_) {
            begin = std::max(begin, call.begin);
            if (call.end > begin) {
                sum += call.end - begin;
                begin = call.end;
            }
        }
        return sum;
    }

    std::uint64_t last_;
    std::vector<Interval> calls_;
    double in_mpi_ = 0, total_ = 0; /* in ticks */
    bool is_sampled_ = false;
};

/* Work that may take a quarter of a percent of a processor: it is left out while it would be more. */
class Rationed {
  public:
    template <typename Work>
    void run(Work work)
    {
        const std::uint64_t time = now();
        if (time < next_)
            return;
        const std::uint64_t before = processor_time();
        work();
        next_ = time + 400 * (processor_time() - before);
    }

  private:
    static std::uint64_t processor_time()
    {
        timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
            static_cast<std::uint64_t>(time.tv_nsec);
    }

    std::uint64_t next_ = 0; /* by now() */
};

/* ---- facts ---- */

/* A process of which there is a record. */
class Observed {
  public:
    Observed(std::string path, std::unique_ptr<Snapshot> record)
        : path_(std::move(path)), record_(std::move(record)),
          is_here_(record_->introduction().host == host_name()), last_(moment(process())),
          time_in_mpi_(ticks())
    {
    }

    const Snapshot &record() const { return *record_; }

    /* Reads the threads alone, since a sample must be cheap. */
    void sample()
    {
        const auto &threads = record_->state().threads;
        const std::uint64_t now = ticks();
        const int file = is_here_ ? open(path_.c_str(), O_RDONLY | O_CLOEXEC) : -1;
        if (file < 0)
            return;
        const auto number = static_cast<std::size_t>(
            std::count_if(threads.begin(), threads.end(),
                          [](const watch::Thread &one) { return one.thread.get() != 0; }));
        std::vector<watch::Thread> copy(number);
        const std::size_t size = number * sizeof(watch::Thread);
        const bool is_read =
            pread(file, static_cast<void *>(copy.data()), size,
                  record_->position_of(threads.data())) == static_cast<ssize_t>(size);
        close(file);
        if (is_read)
            time_in_mpi_.look(copy.data(), number, now);
    }

    RankFacts read(Sites &sites)
    {
        const std::uint64_t now = ticks();
        bool is_removed = false;
        try {
            record_ = std::make_unique<Snapshot>(path_);
        } catch (const std::exception &) { /* the process removes its record at a good end */
            is_removed = access(path_.c_str(), F_OK) != 0;
        }
        RankFacts facts;
        facts.rank = record_->process().rank;
        facts.process = record_->process().id;
        facts.host = record_->introduction().host;
        facts.is_initialized = record_->phase() != watch::Phase::begun;
        facts.threads_without_slot = record_->process().threads_without_slot.get();
        const auto process = this->process();
        if (is_here_)
            facts.condition = condition_of(*record_, process);
        else if (record_->phase() == watch::Phase::exited)
            facts.condition = Condition::exited;
        if (is_removed)
            facts.condition = Condition::finished;
        facts.has_ended = is_here_ ? has_ended(*record_, process) : is_removed;
        add_rates(facts, process);
        if (process) {
            time_in_mpi_.look(record_->state().threads.data(), watch::max_threads, now);
            time_in_mpi_.take(facts);
        }
        add_calls(facts, sites);
        return facts;
    }

  private:
    struct Moment {
        std::uint64_t calls = 0, ticks = 0; /* ticks of processor time */
        std::chrono::steady_clock::time_point time;
    };

    std::optional<SystemProcess> process() const
    {
        return is_here_ ? process_of(*record_) : std::nullopt;
    }

    Moment moment(const std::optional<SystemProcess> &process) const
    {
        return {record_->calls(), process ? process->ticks : 0, std::chrono::steady_clock::now()};
    }

    /* Of the record's clock. */
    std::uint64_t ticks() const { return watch::moment(record_->process().is_counter).ticks; }

    void add_rates(RankFacts &facts, const std::optional<SystemProcess> &process)
    {
        const Moment last = std::exchange(last_, moment(process));
        const double seconds = std::chrono::duration<double>(last_.time - last.time).count();
        if (process && seconds > 0) {
            facts.cpu = 100 * static_cast<double>(last_.ticks - std::min(last_.ticks, last.ticks)) /
                static_cast<double>(sysconf(_SC_CLK_TCK)) / seconds;
            const std::string status = content_of(folder_of(facts.process) + "/status");
            facts.memory = memory_in(status, "VmRSS:");
            facts.swapped = memory_in(status, "VmSwap:");
        }
        if (seconds > 0)
            facts.calls_per_second =
                static_cast<double>(last_.calls - std::min(last_.calls, last.calls)) / seconds;
    }

    void add_calls(RankFacts &facts, Sites &sites) const
    {
        const Clock clock(*record_, is_here_);
        for (const watch::Thread &thread : record_->state().threads) {
            if (thread.calls.get() > 0)
                facts.threads.push_back(thread_in(record_->state(), thread, clock, sites));
        }
        for (int id = 0; id < MPI_LAST_FUNC_T; id++) {
            std::uint64_t count = 0;
            for (const watch::Counts &counts : record_->state().counts)
                count += counts[static_cast<std::size_t>(id)].load(std::memory_order_relaxed);
            if (count > 0)
                facts.counts.emplace_back(id, count);
        }
    }

    const std::string path_;
    std::unique_ptr<Snapshot> record_;
    const bool is_here_;
    Moment last_;
    TimeInMpi time_in_mpi_;
};

/* ---- stacks ---- */

/* Of a variable in the environment of another process; -1: none. */
int number_in_environment(const std::string &environment, const char *name)
{
    const std::string wanted = std::string(1, '\0') + name + "=";
    const std::size_t at = (std::string(1, '\0') + environment).find(wanted);
    return at == std::string::npos ? -1 : std::atoi(environment.c_str() + at + wanted.size() - 1);
}

/* A rank of a job without records; nullopt for processes without MPI. */
std::optional<RankFacts> facts_from_stack(int id, WorldFacts &world)
{
    const std::optional<SystemProcess> before = system_process(id);
    if (!before || before->state == 'Z' || is_launcher(name_of_process(id)))
        return std::nullopt;
    RankFacts facts;
    facts.stack = stack_of(id);
    if (!facts.stack->has_mpi)
        return std::nullopt;
    facts.process = id;
    facts.host = host_name();
    facts.condition = before->state == 'T' ? Condition::stopped
        : before->state == 't'             ? Condition::traced
        : before->state == 'D'             ? Condition::in_system
        : before->state == 'R'             ? Condition::running
                                           : Condition::sleeping;
    const std::string environment = content_of(folder_of(id) + "/environ");
    for (const char *name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        if (facts.rank < 0)
            facts.rank = number_in_environment(environment, name);
    }
    for (const char *name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"})
        world.size = std::max(world.size, number_in_environment(environment, name));
    world.ranks_on_host =
        std::max(world.ranks_on_host, number_in_environment(environment, "MPI_LOCALNRANKS"));
    world.program = name_of_process(id);
    return facts;
}

/* Processor time of processes, in percent, during the observation. */
void measure_processor(std::vector<RankFacts> &ranks)
{
    std::map<int, std::uint64_t> before;
    for (const RankFacts &rank : ranks) {
        if (const auto process = system_process(rank.process))
            before[rank.process] = process->ticks;
    }
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(observation);
    const double ticks =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() *
        static_cast<double>(sysconf(_SC_CLK_TCK));
    for (RankFacts &rank : ranks) {
        if (const auto process = system_process(rank.process))
            rank.cpu = 100 * static_cast<double>(process->ticks - before[rank.process]) / ticks;
    }
}

JobFacts facts_from_stacks(const std::vector<std::string> &jobs)
{
    JobFacts facts;
    facts.has_records = false;
    WorldFacts world;
    for (const std::string &job : jobs) {
        for (const int id : processes_of_job(std::atoi(job.c_str()))) {
            try {
                if (const auto rank = facts_from_stack(id, world))
                    world.ranks.push_back(*rank);
            } catch (const std::exception &exception) {
                facts.warnings.push_back(exception.what());
            }
        }
    }
    if (world.ranks.empty())
        throw std::runtime_error(facts.warnings.empty() ? "no process of the job has loaded MPI"
                                                        : facts.warnings.front());
    measure_processor(world.ranks);
    std::stable_sort(world.ranks.begin(), world.ranks.end(),
                     [](const RankFacts &a, const RankFacts &b) { return a.rank < b.rank; });
    facts.worlds.push_back(std::move(world));
    facts.now = wall_clock();
    return facts;
}

/* Where ranks outside MPI are. */
void add_stacks(JobFacts &facts)
{
    for (WorldFacts &world : facts.worlds) {
        for (RankFacts &rank : world.ranks) {
            const bool is_in_call =
                std::any_of(rank.threads.begin(), rank.threads.end(),
                            [](const ThreadFacts &thread) { return thread.is_in_call; });
            if (is_in_call || rank.host != host_name() || rank.condition == Condition::dead ||
                rank.condition == Condition::exited)
                continue;
            try {
                const StackFacts stack = stack_of(rank.process);
                if (!stack.site.module.empty())
                    rank.stack = stack;
            } catch (const std::exception &exception) {
                facts.warnings.push_back(exception.what());
            }
        }
    }
}

/* ---- search ---- */

/* The records that the arguments name, by their files. */
class Search {
  public:
    void add(const std::string &job)
    {
        int process = 0;
        const auto [end, fault] = std::from_chars(job.data(), job.data() + job.size(), process);
        std::error_code error;
        if (fault == std::errc() && end == job.data() + job.size() && !fs::exists(job, error))
            add_process(process);
        else
            add_path(job);
    }

    std::map<std::string, std::unique_ptr<Snapshot>> &found() { return found_; }
    const std::vector<std::string> &warnings() const { return warnings_; }

  private:
    void add_path(const std::string &path)
    {
        std::error_code fault;
        if (!fs::exists(path, fault))
            throw std::runtime_error(path +
                                     " does not exist: a job is the number of a process, or a "
                                     "folder of records");
        std::vector<std::string> files = record_files_in(path);
        if (files.empty() && fs::is_directory(path, fault)) { /* records=FOLDER */
            for (const auto &entry : fs::directory_iterator(path, fault)) {
                if (starts_with("/" + entry.path().filename().string(), folder_begin)) {
                    const auto more = record_files_in(entry.path());
                    files.insert(files.end(), more.begin(), more.end());
                }
            }
        }
        if (files.empty())
            throw std::runtime_error(path + " has no records");
        for (const std::string &file : files)
            read(file, true);
    }

    void add_process(int process)
    {
        if (process <= 0) /* the parent of all */
            fail(process, 0);
        std::set<std::string> folders;
        const std::vector<std::string> defaults = default_folders();
        folders.insert(defaults.begin(), defaults.end());
        std::set<std::string> worlds;
        std::set<int> launchers; /* of the records found */
        std::size_t unreadable = 0;
        for (const int member : processes_of_job(process)) {
            unreadable += access((folder_of(member) + "/maps").c_str(), R_OK) != 0 ? 1 : 0;
            for (const std::string &path : records_mapped_by(member)) {
                folders.insert(fs::path(path).parent_path());
                const Snapshot *record = read(path, false);
                if (record == nullptr)
                    continue;
                if (record->process().id == member)
                    note(*record, worlds, launchers);
                else
                    found_.erase(path);
            }
        }
        add_others(process, folders, worlds, launchers);
        if (worlds.empty()) { /* of a job that has ended: the other ranks */
            for (const auto &[path, record] : found_)
                note(*record, worlds, launchers);
            add_others(process, folders, worlds, launchers);
        }
        if (found_.empty())
            fail(process, unreadable);
    }

    static void note(const Snapshot &record, std::set<std::string> &worlds,
                     std::set<int> &launchers)
    {
        worlds.insert(record.world());
        for (const int ancestor : {record.process().ancestors[0], record.process().ancestors[1]}) {
            if (ancestor > 0)
                launchers.insert(ancestor);
        }
    }

    /* Records of processes that have died: of the same worlds, or of a job that has ended. */
    void add_others(int process, const std::set<std::string> &folders,
                    const std::set<std::string> &worlds, const std::set<int> &launchers)
    {
        for (const std::string &folder : folders) {
            std::error_code fault;
            if (!fs::is_directory(folder, fault))
                continue;
            for (const std::string &path : record_files_in(folder)) {
                if (found_.count(path) > 0)
                    continue;
                const Snapshot *record = read(path, false);
                if (record != nullptr && !is_of(*record, process, worlds, launchers))
                    found_.erase(path);
            }
        }
    }

    static bool is_of(const Snapshot &record, int process, const std::set<std::string> &worlds,
                      const std::set<int> &launchers)
    {
        const watch::Process &own = record.process();
        if (worlds.count(record.world()) > 0 &&
            (launchers.count(own.ancestors[0]) > 0 || launchers.count(own.ancestors[1]) > 0))
            return true;
        return worlds.empty() && record.introduction().host == host_name() &&
            (own.id == process ||
             std::find(std::begin(own.ancestors), std::end(own.ancestors), process) !=
                 std::end(own.ancestors));
    }

    [[noreturn]] static void fail(int process, std::size_t unreadable)
    {
        const std::string name = std::to_string(process);
        if (!system_process(process))
            throw std::runtime_error("no process " + name + " on this host, and no record of one");
        if (unreadable > 0)
            throw std::runtime_error(
                "process " + name +
                " belongs to another user; only its user and root can look at it");
        throw NoRecords(
            "process " + name +
            " and those that it has started have no records: start the job with the tool "
            "watch (MPIR_CVAR_QMPI_TOOL_LIST=watch)");
    }

    const Snapshot *read(const std::string &path, bool is_named)
    {
        try {
            auto &slot = found_[path];
            slot = std::make_unique<Snapshot>(path);
            return slot.get();
        } catch (const std::exception &exception) {
            found_.erase(path);
            if (is_named)
                warnings_.push_back(path + ": " + exception.what());
            return nullptr;
        }
    }

    std::map<std::string, std::unique_ptr<Snapshot>> found_;
    std::vector<std::string> warnings_;
};

}  // namespace

std::string RankFacts::name() const
{
    return rank >= 0 ? "rank " + std::to_string(rank) : "process " + std::to_string(process);
}

class Observer::Data {
  public:
    explicit Data(std::vector<std::string> jobs) : jobs_(std::move(jobs))
    {
        search();
        if (processes_.empty())
            throw std::runtime_error(warnings_.empty() ? "no records" : warnings_.front());
    }

    void search_again()
    {
        search_.run([this] {
            try {
                search();
            } catch (const std::exception &) { /* the job has ended */
            }
        });
    }

    void sample()
    {
        sample_.run([this] {
            for (const auto &[path, process] : processes_)
                process->sample();
        });
    }

    JobFacts read()
    {
        JobFacts facts;
        facts.warnings = warnings_;
        facts.now = wall_clock();
        std::map<std::string, WorldFacts> worlds;
        std::set<std::pair<std::string, int>> seen; /* a process can have several instances */
        for (const auto &[path, process] : processes_) {
            const RankFacts rank = process->read(sites_);
            if (!seen.insert({rank.host, rank.process}).second)
                continue;
            /* Those in MPI_Init do not know their world; they have its size from the launcher. */
            const Snapshot &record = process->record();
            WorldFacts &world = worlds[record.world()];
            world.name = record.world();
            world.program = record.introduction().program;
            world.size = std::max(world.size, static_cast<int>(record.process().size));
            world.ranks_on_host =
                std::max(world.ranks_on_host, static_cast<int>(record.process().ranks_on_host));
            world.ranks.push_back(rank);
        }
        /* Without a name: ranks of the only world, if they fit. */
        const auto nameless = worlds.find("");
        if (nameless != worlds.end() && worlds.size() == 2) {
            WorldFacts &other = worlds.rbegin()->second;
            auto &ranks = nameless->second.ranks;
            if (nameless->second.size <= other.size) {
                other.ranks.insert(other.ranks.end(), ranks.begin(), ranks.end());
                worlds.erase("");
            }
        }
        for (auto &[name, world] : worlds) {
            std::stable_sort(
                world.ranks.begin(), world.ranks.end(),
                [](const RankFacts &a, const RankFacts &b) { return a.rank < b.rank; });
            facts.worlds.push_back(std::move(world));
        }
        return facts;
    }

  private:
    void search()
    {
        Search search;
        for (const std::string &job : jobs_)
            search.add(job);
        warnings_ = search.warnings();
        for (auto &[path, record] : search.found()) {
            if (processes_.count(path) == 0)
                processes_.emplace(path, std::make_unique<Observed>(path, std::move(record)));
        }
    }

    const std::vector<std::string> jobs_;
    std::vector<std::string> warnings_;                          /* of the search */
    std::map<std::string, std::unique_ptr<Observed>> processes_; /* by the path of the record */
    Sites sites_;
    Rationed search_, sample_;
};

Observer::Observer(std::vector<std::string> jobs) : data_(std::make_unique<Data>(std::move(jobs)))
{
}

Observer::~Observer() = default;

JobFacts Observer::read()
{
    return data_->read();
}

void Observer::sample()
{
    data_->sample();
}

std::chrono::milliseconds Observer::pause(std::chrono::duration<double> between_readings)
{
    static std::minstd_rand random;
    std::uniform_real_distribution<double> factor(0.5, 1.5);
    constexpr std::chrono::duration<double> longest(1);
    return std::chrono::ceil<std::chrono::milliseconds>(std::min(between_readings, longest) / 20 *
                                                        factor(random));
}

void Observer::search()
{
    data_->search_again();
}

JobFacts facts_of_job(const std::vector<std::string> &jobs, bool wants_stacks)
{
    try {
        Observer observer(jobs);
        std::this_thread::sleep_for(observation);
        JobFacts facts = observer.read();
        if (wants_stacks)
            add_stacks(facts);
        return facts;
    } catch (const NoRecords &exception) {
        if (wants_stacks)
            return facts_from_stacks(jobs);
        throw std::runtime_error(std::string(exception.what()) + ", or read its stacks (--stack)");
    }
}

}  // namespace qmpi::report
