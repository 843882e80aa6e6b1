/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "count": counts the calls of every function, and the bytes that their buffer arguments
 * describe, for each instance of the tool in the chain, and prints a table per instance at the end.
 * What a byte is, exactly, stands in the manual page qmpi-count(7); the code is measure() below. */

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>
#include <unistd.h>

namespace {

/* Threads count at the same time; nothing is ordered by a count, so relaxed will do. */
struct Counter {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};

    static void add(std::atomic<std::uint64_t> &counter, std::uint64_t number)
    {
        counter.fetch_add(number, std::memory_order_relaxed);
    }
};

using Counters = std::array<Counter, MPI_LAST_FUNC_T>;

/* ---- how often a function uses what a buffer argument describes ---- */

enum class Times {
    never,              /* not between processes: packing, local reduction */
    once,
    by_ranks,           /* once for each process; a vector has an entry for each */
    by_own_ranks,       /* the same, but between two groups it is the own one that counts */
    by_neighbours_in,   /* the same for each neighbour to receive from */
    by_neighbours_out,
    own_entry           /* the vector's entry for the calling process */
};

/* In an operation with a root, who uses the argument. */
enum class Who { everyone, root, others, others_and_root };

struct Use {
    Times times = Times::once;
    Who who = Who::everyone;
};

struct Pattern {
    Use send;
    Use receive;
};

/* MPI_Ialltoallv_c, MPI_Alltoallv_init: all are "alltoallv" in what they move. */
constexpr bool is_kind(std::string_view name, std::string_view kind)
{
    auto remove_end = [&name](std::string_view end) {
        if (name.size() > end.size() && name.substr(name.size() - end.size()) == end)
            name.remove_suffix(end.size());
    };

    name.remove_prefix(std::min(name.find('_') + 1, name.size()));
    remove_end("_c");
    remove_end("_init");
    if (name.size() == kind.size() + 1 && name[0] == 'I')
        name.remove_prefix(1);
    else if (name.size() == kind.size() && name[0] == kind[0] - 'a' + 'A') {
        name.remove_prefix(1);
        kind.remove_prefix(1);
    }
    return name == kind;
}

constexpr Pattern pattern_of(std::string_view name)
{
    const Use once{};
    const Use ranks{Times::by_ranks}, own_ranks{Times::by_own_ranks};
    const Use in{Times::by_neighbours_in}, out{Times::by_neighbours_out};
    const Use never{Times::never};
    auto is = [name](std::string_view kind) { return is_kind(name, kind); };

    if (is("bcast"))
        return {{Times::once, Who::root}, {Times::once, Who::others}};
    if (is("gather") || is("gatherv"))
        return {{Times::once, Who::others_and_root}, {Times::by_ranks, Who::root}};
    if (is("scatter") || is("scatterv"))
        return {{Times::by_ranks, Who::root}, {Times::once, Who::others_and_root}};
    if (is("reduce"))
        return {{Times::once, Who::others_and_root}, {Times::once, Who::root}};
    if (is("allgather") || is("allgatherv"))
        return {once, ranks};
    if (is("alltoall") || is("alltoallv") || is("alltoallw"))
        return {ranks, ranks};
    if (is("reduce_scatter_block"))
        return {own_ranks, once};
    if (is("reduce_scatter"))
        return {own_ranks, {Times::own_entry}};
    if (is("neighbor_allgather") || is("neighbor_allgatherv"))
        return {once, in};
    if (is("neighbor_alltoall") || is("neighbor_alltoallv") || is("neighbor_alltoallw"))
        return {out, in};
    if (is("reduce_local"))
        return {never, never};
    return {once, once};
}

/* ---- the bytes of one call ---- */

/* Arguments that say with whom a call exchanges data. */
struct Peers {
    MPI_Comm comm;
    int root;
    int dest;
    int source;
    int target_rank;
    MPI_Op op;
};

std::uint64_t size_of(MPI_Datatype datatype)
{
    MPI_Count size = 0;
    if (QMPI_Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return static_cast<std::uint64_t>(size);
}

int number_of_ranks(MPI_Comm comm, Times times)
{
    int between_groups = 0, size = 0;
    QMPI_Comm_test_inter(comm, &between_groups);
    if (between_groups && times == Times::by_ranks)
        QMPI_Comm_remote_size(comm, &size);
    else
        QMPI_Comm_size(comm, &size);
    return size;
}

int number_of_neighbours(MPI_Comm comm, bool in)
{
    int topology = MPI_UNDEFINED, rank = 0, number = 0, out = 0, weighted;

    QMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        QMPI_Cartdim_get(comm, &number);
        return 2 * number;
    }
    if (topology == MPI_GRAPH) {
        QMPI_Comm_rank(comm, &rank);
        QMPI_Graph_neighbors_count(comm, rank, &number);
        return number;
    }
    if (topology == MPI_DIST_GRAPH)
        QMPI_Dist_graph_neighbors_count(comm, &number, &out, &weighted);
    return in ? number : out;
}

bool takes_part(Who who, const Peers &peers)
{
    if (who == Who::everyone)
        return true;

    int between_groups = 0, rank = 0;
    QMPI_Comm_test_inter(peers.comm, &between_groups);
    if (between_groups) {
        if (peers.root == MPI_PROC_NULL)
            return false;
        return (peers.root == MPI_ROOT) == (who == Who::root);
    }
    QMPI_Comm_rank(peers.comm, &rank);
    return who == Who::others_and_root || (rank == peers.root) == (who == Who::root);
}

/* How many bytes one buffer argument describes, scalar or vector. */
template <typename Count>
std::uint64_t bytes_of(Count count, MPI_Datatype datatype, std::uint64_t times)
{
    /* Without elements the datatype need not be one. */
    if (count <= 0 || times == 0)
        return 0;
    return static_cast<std::uint64_t>(count) * times * size_of(datatype);
}

int number_of(const Use &use, const Peers &peers) noexcept
{
    switch (use.times) {
        case Times::by_ranks:
        case Times::by_own_ranks:
            return number_of_ranks(peers.comm, use.times);
        case Times::by_neighbours_in:
            return number_of_neighbours(peers.comm, true);
        case Times::by_neighbours_out:
            return number_of_neighbours(peers.comm, false);
        default:
            return 1;
    }
}

template <typename Buffer>
std::uint64_t bytes_of(const Buffer &buffer, const Use &use, const Peers &peers) noexcept
{
    int first = 0, last = number_of(use, peers);
    std::uint64_t bytes = 0;

    if constexpr (!Buffer::is_vector)
        bytes = bytes_of(buffer.count, buffer.datatype, static_cast<std::uint64_t>(last));
    else {
        if (use.times == Times::own_entry) {
            QMPI_Comm_rank(peers.comm, &first);
            last = first + 1;
        }
        for (int i = first; i < last; i++) {
            if constexpr (Buffer::is_typed)
                bytes += bytes_of(buffer.count[i], buffer.datatype[i], 1);
            else
                bytes += bytes_of(buffer.count[i], buffer.datatype, 1);
        }
    }
    return bytes;
}

bool sends(const void *address, const Use &use, const Peers &peers) noexcept
{
    /* MPI_NO_OP ignores what would be sent, down to the datatype. */
    return address != MPI_IN_PLACE && peers.op != MPI_NO_OP && peers.dest != MPI_PROC_NULL &&
        peers.target_rank != MPI_PROC_NULL && use.times != Times::never &&
        takes_part(use.who, peers);
}

bool receives(const void *address, const Use &use, const Peers &peers) noexcept
{
    return address != MPI_IN_PLACE && peers.source != MPI_PROC_NULL &&
        peers.target_rank != MPI_PROC_NULL && use.times != Times::never &&
        takes_part(use.who, peers);
}

/* Measures the buffers of one call after it succeeded: only then the library has checked the
 * arguments, and asking for the size of a datatype cannot go wrong on the tool's account. */
template <typename Call>
void measure(Call &call, Counter &counter) noexcept
{
    using qmpi::direction;
    using qmpi::get_or;
    using qmpi::role;
    constexpr Pattern pattern = pattern_of(Call::name);
    /* Values that change nothing stand for what the function does not have. */
    const Peers peers{get_or<role::communicator>(call, MPI_COMM_NULL), get_or<role::root>(call, 0),
                      get_or<role::destination>(call, 0), get_or<role::source>(call, 0),
                      get_or<role::target>(call, 0), get_or<role::operation>(call, MPI_OP_NULL)};

    call.each_buffer([&](const auto &buffer) {
        if (buffer.direction != direction::out && sends(buffer.address, pattern.send, peers))
            Counter::add(counter.sent, bytes_of(buffer, pattern.send, peers));
        if (buffer.direction != direction::in && receives(buffer.address, pattern.receive, peers))
            Counter::add(counter.received, bytes_of(buffer, pattern.receive, peers));
    });
}

/* A matched receive from MPI_PROC_NULL is known by its message, and before the call only. */
template <typename Call>
bool receives_from_nobody(const Call &call)
{
    if constexpr (is_kind(Call::name, "mrecv")) {
        const MPI_Message *message =
            qmpi::get_or<qmpi::role::message>(call, static_cast<MPI_Message *>(nullptr));
        return message != nullptr && *message == MPI_MESSAGE_NO_PROC;
    } else
        return false;
}

/* ---- the report ---- */

struct Line {
    const char *name;
    std::uint64_t calls, least, most, sent, received;
};

using Column = std::vector<std::uint64_t>;

struct Totals {
    Column calls = Column(MPI_LAST_FUNC_T), least = calls, most = calls;
    Column sent = calls, received = calls;
};

Totals totals_of_process(const Counters &counters)
{
    Totals totals;
    for (std::size_t i = 0; i < counters.size(); i++) {
        totals.calls[i] = counters[i].calls.load(std::memory_order_relaxed);
        totals.sent[i] = counters[i].sent.load(std::memory_order_relaxed);
        totals.received[i] = counters[i].received.load(std::memory_order_relaxed);
    }
    totals.least = totals.most = totals.calls;
    return totals;
}

bool merge_column(Column &column, MPI_Op op)
{
    Column merged(column.size());
    int error_code = QMPI_Reduce(column.data(), merged.data(), MPI_LAST_FUNC_T, MPI_UINT64_T, op, 0,
                                 MPI_COMM_WORLD);
    column.swap(merged);
    return error_code == MPI_SUCCESS;
}

/* Collective on MPI_COMM_WORLD; the result is meaningful on rank 0. Every process takes part in
 * every reduction, also after one that failed. */
bool merge(Totals &totals)
{
    bool merged = merge_column(totals.calls, MPI_SUM);
    merged &= merge_column(totals.least, MPI_MIN);
    merged &= merge_column(totals.most, MPI_MAX);
    merged &= merge_column(totals.sent, MPI_SUM);
    merged &= merge_column(totals.received, MPI_SUM);
    return merged;
}

/* A program with more rights than its user must not write where the user's environment says. */
const char *variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

bool sorts_by_bytes()
{
    const char *order = variable("QMPI_COUNT_SORT");
    if (order == nullptr || std::strcmp(order, "calls") == 0)
        return false;
    if (std::strcmp(order, "bytes") == 0)
        return true;

    static bool said = false;
    if (!said)
        std::fprintf(stderr, "QMPI tool count: QMPI_COUNT_SORT is \"%s\", must be calls or bytes; "
                     "sorted by calls\n", order);
    said = true;
    return false;
}

std::vector<Line> lines_of(const Totals &totals)
{
    std::vector<Line> lines;
    for (int i = 0; i < MPI_LAST_FUNC_T; i++) {
        const char *name = "";
        if (totals.calls[i] > 0 && MPIX_Get_function_name(i, &name) == MPI_SUCCESS)
            lines.push_back({name, totals.calls[i], totals.least[i], totals.most[i],
                             totals.sent[i], totals.received[i]});
    }

    const bool by_bytes = sorts_by_bytes();
    std::sort(lines.begin(), lines.end(), [by_bytes](const Line &a, const Line &b) {
        const std::uint64_t a_bytes = a.sent + a.received, b_bytes = b.sent + b.received;
        if (by_bytes && a_bytes != b_bytes)
            return a_bytes > b_bytes;
        if (a.calls != b.calls)
            return a.calls > b.calls;
        if (a_bytes != b_bytes)
            return a_bytes > b_bytes;
        return std::strcmp(a.name, b.name) < 0;
    });
    return lines;
}

template <typename... Values>
std::string print(const char *format, Values... values)
{
    std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, values...)), '\0');
    std::snprintf(text.data(), text.size() + 1, format, values...);
    return text;
}

std::string table(const std::string &heading, const Totals &totals)
{
    const std::vector<Line> lines = lines_of(totals);
    int width = 8;
    for (const Line &line : lines)
        width = std::max(width, static_cast<int>(std::strlen(line.name)));

    std::string text = heading + "\n";
    text += print("%-*s %12s %12s %12s %16s %16s\n", width, "Function", "Calls", "Min/process",
                  "Max/process", "Bytes sent", "Bytes total");
    std::uint64_t calls = 0, sent = 0, received = 0;
    for (const Line &line : lines) {
        text += print("%-*s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %16" PRIu64 " %16" PRIu64
                      "\n", width, line.name, line.calls, line.least, line.most, line.sent,
                      line.sent + line.received);
        calls += line.calls;
        sent += line.sent;
        received += line.received;
    }
    text += print("%-*s %12" PRIu64 " %12s %12s %16" PRIu64 " %16" PRIu64 "\n\n", width, "(all)",
                  calls, "", "", sent, sent + received);
    return text;
}

/* Rank 0 of one world is one writer, and then all of its instances' tables go to one file. */
bool append_to_file(const std::string &path, const std::string &text)
{
    static bool begun = false;
    std::FILE *file = std::fopen(path.c_str(), begun ? "a" : "w");
    bool written = false;

    if (file != nullptr) {
        begun = true;
        written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        const int reason = errno;
        if (std::fclose(file) != 0)
            written = false;
        else if (!written)
            errno = reason;
    }
    return written;
}

/* suffix tells apart the files of processes that report each on its own */
void write_report(const std::string &text, const std::string &suffix)
{
    static bool file_failed = false;
    const char *path = variable("QMPI_COUNT_OUTPUT");

    if (path != nullptr && !file_failed) {
        const std::string name = path + suffix;
        if (append_to_file(name, text))
            return;
        file_failed = true;
        std::fprintf(stderr, "QMPI tool count: cannot write %s (QMPI_COUNT_OUTPUT): %s; "
                     "the tables follow here\n", name.c_str(), std::strerror(errno));
    }
    /* In one piece, as other processes may write there as well. */
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

bool is_world_up()
{
    int initialized = 0, finalized = 0;
    QMPI_Initialized(&initialized);
    QMPI_Finalized(&finalized);
    return initialized && !finalized;
}

/* ---- the tool ---- */

class Count : public qmpi::tool<Count> {
  public:
    static constexpr const char *description = "counts calls and bytes of every function";

    /* Programs with sessions alone, and those that end without MPI_Finalize, come here with nothing
     * reported: there is no world to merge over, and no telling which MPI_Session_finalize is the
     * last before the process ends. */
    ~Count()
    {
        if (!reported)
            report_alone();
    }

    template <typename Call>
    auto intercept(Call &call)
    {
        Counter &counter = counters[Call::id];
        Counter::add(counter.calls, 1);
        if constexpr (Call::id == MPI_FINALIZE_T)
            report_world();
        if constexpr (Call::buffers.empty())
            return call();
        else {
            const bool moves_data = !receives_from_nobody(call);
            const auto result = call();
            if (moves_data && result == MPI_SUCCESS)
                measure(call, counter);
            return result;
        }
    }

  private:
    std::string position() const
    {
        return print("count: instance %d of %d (tool %d of the chain)", instance_number(),
                     instance_count(), tool_id());
    }

    void report_alone()
    {
        const int process = static_cast<int>(getpid());
        char host[256] = "";

        reported = true;
        gethostname(host, sizeof host - 1);
        write_report(table(position() + print(", process %d on %s alone", process, host),
                           totals_of_process(counters)), print(".%d", process));
    }

    /* Called before MPI_Finalize goes on to the next tool, so that the tables come in the order of
     * the chain and the library still works. The calls are the library's own: no tool counts them. */
    void report_world()
    {
        int rank, size;

        if (!is_world_up())
            return;
        Totals totals = totals_of_process(counters);
        if (QMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
            QMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || !merge(totals)) {
            std::fprintf(stderr, "QMPI tool count: the tables of the processes could not be merged\n");
            report_alone();
            return;
        }
        reported = true;
        if (rank == 0)
            write_report(table(position() + print(", %d process%s of MPI_COMM_WORLD", size,
                                                  size == 1 ? "" : "es"), totals), "");
    }

    Counters counters;
    bool reported = false;
};

}  // namespace

QMPI_TOOL("count", Count)
