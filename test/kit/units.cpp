// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Parts of the kit that need no chain: arguments and options of an instance, sets of functions, roles of arguments.

#include <qmpi.hpp>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

namespace {

int passed = 0, failed = 0;

void check(const std::string &what, bool is_right)
{
    (is_right ? passed : failed)++;
    if (!is_right)
        std::printf("FAILED   %s\n", what.c_str());
}

void equal(const std::string &what, const std::string &found, const std::string &expected)
{
    check(what + ": \"" + found + "\" is not \"" + expected + "\"", found == expected);
}

std::string fault_of(const std::function<void()> &action)
{
    try {
        action();
    } catch (const qmpi::argument_error &error) {
        return error.what();
    }
    return "";
}

void refused(const std::string &text, const std::function<void(qmpi::arguments &)> &use,
             const std::string &expected)
{
    equal("'" + text + "'", fault_of([&] {
              qmpi::arguments arguments(text);
              use(arguments);
          }),
          expected);
}

void check_arguments()
{
    qmpi::arguments some(
        " out = a b.json ,verbose, "
        "depth=-3,ratio=0.5,list=(a,b),quiet=no,big=12345678901,equation=a=b,none=");
    equal("white space", some.get("out", ""), "a b.json");
    check("flag", some.flag("verbose") && !some.flag("quiet") && !some.flag("loud"));
    check("int", some.get("depth", 0) == -3);
    check("double", some.get("ratio", 0.0) == 0.5);
    check("long", some.get("big", 0L) == 12345678901L);
    equal("parentheses keep commas", some.get("list", ""), "(a,b)");
    equal("first = only", some.get("equation", ""), "a=b");
    equal("empty value", some.get("none", "x"), "");
    equal("fallback", some.get("absent", "x"), "x");
    check("fallback number", some.get("absent", 7) == 7);
    check("within limits",
          some.get("depth", 0, -3, 3) == -3 && some.get("ratio", 0.0, 0, 0.5) == 0.5);
    check("fallback outside of the limits", some.get("absent", 0, 1, 3) == 0);
    equal("a number with limits has been asked for", fault_of([] {
              qmpi::arguments one("n=2");
              one.get("n", 1L, 1, 3);
              one.check_all_known();
          }),
          "");
    check("has", some.has("out") && !some.has("absent"));
    equal("all asked for", fault_of([&] { some.check_all_known(); }), "");
    for (const char *text : {"", "  ", "\t\n"})
        equal("nothing", fault_of([&] { qmpi::arguments(text).check_all_known(); }), "");

    const auto use = [](qmpi::arguments &a) {
        a.get("depth", 0);
        a.get("byte", static_cast<unsigned char>(0));
        a.get("ratio", 0.0);
        a.get("name", "");
        a.flag("on");
        a.check_all_known();
    };
    refused("depth=abc", use, "argument depth=abc: must be a whole number");
    refused("depth=3x", use, "argument depth=3x: must be a whole number");
    refused("depth=1.5", use, "argument depth=1.5: must be a whole number");
    refused("depth=", use, "argument depth=: must be a whole number");
    refused("depth", use, "argument depth: needs a value");
    refused("name", use, "argument name: needs a value");
    refused("depth=99999999999", use, "argument depth=99999999999: out of range");
    refused("byte=256", use, "argument byte=256: out of range");
    refused("byte=-1", use, "argument byte=-1: must be a whole number");
    refused("ratio=half", use, "argument ratio=half: must be a number");
    refused("on=perhaps", use, "argument on=perhaps: must be yes or no");
    refused("deep=3", use, "unknown argument 'deep' (known: depth, byte, ratio, name, on)");
    const auto use_limits = [](qmpi::arguments &a) {
        a.get("depth", 1u, 1, 32);
        a.get("ratio", 0.5, 0, 1e9);
        a.check_all_known();
    };
    refused("depth=0", use_limits, "argument depth=0: must be from 1 to 32");
    refused("depth=33", use_limits, "argument depth=33: must be from 1 to 32");
    refused("depth=-1", use_limits, "argument depth=-1: must be a whole number");
    refused("depth=many", use_limits, "argument depth=many: must be a whole number");
    refused("depth", use_limits, "argument depth: needs a value");
    refused("ratio=-0.5", use_limits, "argument ratio=-0.5: must be from 0 to 1e+09");
    refused("ratio=nan", use_limits, "argument ratio=nan: must be from 0 to 1e+09");
    refused(
        "x", [](qmpi::arguments &a) { a.check_all_known(); }, "unknown argument 'x' (known: none)");
    refused("on,on", use, "argument on is given twice");
    refused("on,,on", use, "empty argument in 'on,,on'");
    refused("on,", use, "empty argument in 'on,'");
    refused("=3", use, "empty argument in '=3'");
    refused("name=(a", use, "unbalanced parentheses in 'name=(a'");
    refused("name=a)", use, "unbalanced parentheses in 'name=a)'");
    refused("name=)(", use, "unbalanced parentheses in 'name=)('");
}

// ---- options ----

enum class Sort { calls, bytes };

struct Options : qmpi::options {
    using options::options;
    using seconds = std::chrono::seconds;
    using milliseconds = std::chrono::milliseconds;

    std::string out = option("out", "").value("NAME").help("file");
    int depth = option("depth", 1).between(1, 32).help("return addresses");
    double share = option("share", 0.5).at_least(0).help("of the time");
    Sort sort = option("sort", Sort::calls)
                    .one_of({{"calls", Sort::calls}, {"bytes", Sort::bytes}})
                    .help("order");
    std::string level = option("level", "low")
                            .one_of({{"low", "low"}, {"mid", "mid"}, {"high", "high"}})
                            .help("of");
    std::vector<std::string> formats =
        option("formats", std::vector<std::string>{"text", "json"}).help("of the report");
    milliseconds every = option("every", milliseconds(1500)).help("interval");
    seconds flush = option("flush", seconds(0)).between(seconds(0), seconds(3600)).help("interval");
    qmpi::byte_count memory = option("memory", qmpi::byte_count{16u << 20})
                                  .at_least(qmpi::byte_count{4096})
                                  .help("of each thread");
    bool loud = flag("loud").help("says more");
    bool sites = flag("sites", true).help("without call sites");
};

Options read(const std::string &text)
{
    qmpi::arguments arguments(text);
    const Options options(arguments);
    arguments.check_all_known();
    return options;
}

void check_options()
{
    const Options unset = read("");
    check("defaults",
          unset.out.empty() && unset.depth == 1 && unset.share == 0.5 &&
              unset.sort == Sort::calls && unset.every.count() == 1500 &&
              unset.memory.value == 16777216 && !unset.loud && unset.sites);
    const Options set = read(
        "out=a b,depth=32,share=2.25,sort=bytes,level=high,formats=html+csv,"
        "every=2s,flush=90,memory=64k,loud,sites=no");
    check("values",
          set.out == "a b" && set.depth == 32 && set.share == 2.25 && set.sort == Sort::bytes &&
              set.level == "high" && set.loud && !set.sites);
    check("words", set.formats == std::vector<std::string>{"html", "csv"});
    check("units",
          set.every.count() == 2000 && set.flush.count() == 90 && set.memory.value == 65536);
    check("more units",
          read("every=1.5min").every.count() == 90000 && read("every=250").every.count() == 250 &&
              read("every=250us").every.count() == 0 && read("flush=1h").flush.count() == 3600 &&
              read("memory=1G").memory.value == 1073741824 &&
              read("memory=0.5M").memory.value == 524288);
    equal("help", unset.help(),
          "out=NAME          file\n"
          "depth=N           return addresses (from 1 to 32; default: 1)\n"
          "share=N           of the time (at least 0; default: 0.5)\n"
          "sort=calls|bytes  order (default: calls)\n"
          "level=low|mid|high  of (default: low)\n"
          "formats=A+B       of the report (default: text+json)\n"
          "every=TIME        interval (default: 1500ms)\n"
          "flush=TIME        interval (from 0 to 1h; default: 0)\n"
          "memory=BYTES      of each thread (at least 4k; default: 16M)\n"
          "loud              says more\n"
          "sites=no          without call sites\n");
    for (const auto &[text, expected] : {
             std::pair("depth=0", "argument depth=0: must be from 1 to 32"),
             std::pair("depth=few", "argument depth=few: must be a whole number"),
             std::pair("depth=99999999999", "argument depth=99999999999: out of range"),
             std::pair("depth", "argument depth: needs a value"),
             std::pair("share=-1", "argument share=-1: must be at least 0"),
             std::pair("share=nan", "argument share=nan: must be at least 0"),
             std::pair("sort=size", "argument sort=size: must be calls or bytes"),
             std::pair("level=no", "argument level=no: must be low, mid or high"),
             std::pair("every=2d", "argument every=2d: must be a time, as 500ms, 10s or 2min"),
             std::pair("every=-1s", "argument every=-1s: must be a time, as 500ms, 10s or 2min"),
             std::pair("flush=2h", "argument flush=2h: must be from 0 to 1h"),
             std::pair("memory=1", "argument memory=1: must be at least 4k"),
             std::pair("memory=nan",
                       "argument memory=nan: must be a number of bytes, as 4096, 64k, 16M or 1G"),
             std::pair("memory=99999999999G", "argument memory=99999999999G: out of range"),
             std::pair("loud=maybe", "argument loud=maybe: must be yes or no"),
         })
        equal(text, fault_of([text = text] { read(text); }), expected);
}

// ---- sets ----

using qmpi::direction;
using qmpi::none;
using qmpi::role;
namespace set = qmpi::set;

// Every function by hand that may be doubtful; a set's other members follow from where MPICH keeps them.
static_assert(set::point_to_point.contains(MPI_SEND_T) &&
              set::point_to_point.contains(MPI_MPROBE_T));
static_assert(!set::point_to_point.contains(MPI_BCAST_T) &&
              !set::point_to_point.contains(MPI_PSEND_INIT_T));
static_assert(set::collective.contains(MPI_BARRIER_T) &&
              set::collective.contains(MPI_IALLTOALLW_C_T));
static_assert(!set::collective.contains(MPI_REDUCE_LOCAL_T) &&
              set::operations.contains(MPI_REDUCE_LOCAL_T));
static_assert(set::neighbourhood.contains(MPI_INEIGHBOR_ALLTOALLV_T) &&
              !set::neighbourhood.contains(MPI_GRAPH_NEIGHBORS_T));
static_assert(set::nonblocking.contains(MPI_ISEND_T) && set::nonblocking.contains(MPI_RPUT_T));
static_assert(set::nonblocking.contains(MPI_COMM_IDUP_T) &&
              set::nonblocking.contains(MPI_FILE_IREAD_AT_T));
static_assert(set::nonblocking.contains(MPI_IPROBE_T) && set::nonblocking.contains(MPI_IMPROBE_T));
static_assert(!set::nonblocking.contains(MPI_PROBE_T) &&
              !set::nonblocking.contains(MPI_SEND_INIT_T));
static_assert(!set::nonblocking.contains(MPI_INIT_T) &&
              !set::nonblocking.contains(MPI_GREQUEST_START_T));
static_assert(!set::nonblocking.contains(MPI_WAIT_T) &&
              !set::nonblocking.contains(MPI_FILE_OPEN_T));
static_assert(set::persistent.contains(MPI_SEND_INIT_T) &&
              set::persistent.contains(MPI_BCAST_INIT_C_T));
static_assert(set::persistent.contains(MPI_START_T) &&
              !set::persistent.contains(MPI_SESSION_INIT_T));
static_assert(set::persistent.contains(MPI_PSEND_INIT_T) &&
              set::partitioned.contains(MPI_PSEND_INIT_T));
static_assert(set::completion.contains(MPI_WAITALL_T) &&
              set::completion.contains(MPI_STATUS_C2F_T));
static_assert(set::rma.contains(MPI_PUT_T) && set::rma.contains(MPI_WIN_FENCE_T));
static_assert(set::io.contains(MPI_FILE_WRITE_ALL_T) && set::io.contains(MPI_REGISTER_DATAREP_T) &&
              !set::io.contains(MPI_SEND_T));
static_assert(set::environment.contains(MPI_PCONTROL_T) && set::environment.contains(MPI_WTIME_T));
static_assert(set::large_count.contains(MPI_SEND_C_T) && !set::large_count.contains(MPI_SEND_T));
static_assert(set::datatypes.contains(MPI_TYPE_CREATE_F90_REAL_T) &&
              set::attributes.contains(MPI_TYPE_GET_ATTR_T));

constexpr auto mixed =
    (set::collective & set::large_count) | qmpi::function_set(MPI_SEND_T, MPI_RECV_T);
static_assert(mixed.contains(MPI_BCAST_C_T) && !mixed.contains(MPI_BCAST_T) &&
              mixed.contains(MPI_RECV_T));
static_assert(!(mixed - set::point_to_point).contains(MPI_RECV_T));

constexpr int size(const qmpi::function_set &functions)
{
    int count = 0;
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        count += functions.contains(id);
    return count;
}

static_assert(size(set::all) == static_cast<int>(qmpi::detail::function_ids::size()) &&
              size(set::all) > 600 && size(set::none) == 0);
static_assert(size(set::point_to_point | set::partitioned | set::collective | set::rma | set::io |
                   set::completion | set::communicators | set::groups | set::topology |
                   set::datatypes | set::operations | set::attributes | set::infos | set::errors |
                   set::processes | set::environment | set::tool_information) == size(set::all),
              "every function is in a set");

// ---- parameters ----

using Send = qmpi::call<MPI_SEND_T>;
static_assert(Send::name == "MPI_Send" && Send::id == MPI_SEND_T && Send::parameters.size() == 6);
static_assert(Send::parameters[0].role == role::buffer && Send::parameters[1].role == role::count);
static_assert(Send::parameters[2].role == role::datatype &&
              Send::parameters[3].role == role::destination);
static_assert(Send::parameters[4].role == role::tag &&
              Send::parameters[5].role == role::communicator);
static_assert(Send::parameters[0].direction == direction::in && !Send::is_large &&
              Send::returns_error_code);
static_assert(Send::is_in(set::point_to_point) && !Send::has(role::source) &&
              Send::index("tag") == 4 && Send::index("no") == none);

using Sendrecv = qmpi::call<MPI_SENDRECV_C_T>;
static_assert(Sendrecv::is_large && Sendrecv::index(role::count, 0) == 1 &&
              Sendrecv::index(role::count, 1) == 6);
static_assert(Sendrecv::index(role::count, 2) == none && Sendrecv::has(role::source) &&
              Sendrecv::has(role::destination));
static_assert(Sendrecv::buffers[0].direction == direction::in &&
              Sendrecv::buffers[1].direction == direction::out);

using Waitall = qmpi::call<MPI_WAITALL_T>;
static_assert(Waitall::parameters[1].role == role::request && Waitall::parameters[1].is_array);
static_assert(Waitall::parameters[1].length == 0 &&
              Waitall::parameters[1].direction == direction::inout);
static_assert(Waitall::parameters[2].role == role::status &&
              Waitall::parameters[2].direction == direction::out);

using Alltoallw = qmpi::call<MPI_ALLTOALLW_T>;
static_assert(Alltoallw::buffers[1].address == 4 && Alltoallw::buffers[1].count == 5 &&
              Alltoallw::buffers[1].displacements == 6 && Alltoallw::buffers[1].datatype == 7);
static_assert(Alltoallw::parameters[5].is_array && Alltoallw::parameters[7].is_array);

using Psend = qmpi::call<MPI_PSEND_INIT_T>;
static_assert(Psend::buffers[0].partitions == 1 && Psend::buffers[0].count == 2);
static_assert(qmpi::call<MPI_FETCH_AND_OP_T>::buffers[0].count == none);
static_assert(qmpi::call<MPI_PRECV_INIT_T>::has(role::source) &&
              !qmpi::call<MPI_PRECV_INIT_T>::has(role::destination));
static_assert(qmpi::call<MPI_PUT_T>::has(role::target) && qmpi::call<MPI_PUT_T>::has(role::window));
static_assert(qmpi::call<MPI_BCAST_T>::has(role::root) &&
              !qmpi::call<MPI_TYPE_GET_EXTENT_X_T>::has(role::count));
static_assert(qmpi::call<MPI_FILE_WRITE_AT_T>::has(role::file) &&
              qmpi::call<MPI_FILE_WRITE_AT_T>::has(role::offset));
static_assert(std::is_same_v<qmpi::call<MPI_WTIME_T>::result_type, double> &&
              !qmpi::call<MPI_WTIME_T>::returns_error_code);
static_assert(std::is_same_v<qmpi::call<MPI_FILE_F2C_T>::result_type, MPI_File>);
static_assert(std::is_same_v<qmpi::call<MPI_AINT_ADD_T>::result_type, MPI_Aint>);

// ---- operations ----

using qmpi::effect;
static_assert(!qmpi::set::all.contains(-1) && !qmpi::set::all.contains(MPI_LAST_FUNC_T) &&
              !qmpi::set::all.contains(1 << 20));

using qmpi::form;
using qmpi::layout;
using qmpi::operation;
using qmpi::scope;

static_assert(Send::operation == operation::send && Send::form == form::blocking &&
              !Send::is_collective);
static_assert(Psend::operation == operation::send && Psend::form == form::partitioned);
static_assert(qmpi::call<MPI_IBSEND_C_T>::operation == operation::send &&
              qmpi::call<MPI_IBSEND_C_T>::form == form::nonblocking);
static_assert(qmpi::call<MPI_SENDRECV_REPLACE_T>::operation == operation::sendrecv &&
              qmpi::call<MPI_MRECV_T>::operation == operation::receive);
static_assert(Alltoallw::operation == operation::alltoall && Alltoallw::layout == layout::typed &&
              Alltoallw::is_collective);
static_assert(qmpi::call<MPI_INEIGHBOR_ALLTOALLV_T>::layout == layout::vector &&
              qmpi::call<MPI_NEIGHBOR_ALLGATHER_INIT_T>::form == form::persistent);
static_assert(qmpi::call<MPI_REDUCE_SCATTER_T>::layout == layout::vector &&
              qmpi::call<MPI_REDUCE_SCATTER_BLOCK_T>::layout == layout::uniform);
static_assert(qmpi::call<MPI_REDUCE_LOCAL_T>::operation == operation::pack &&
              qmpi::call<MPI_UNPACK_T>::operation == operation::pack);
static_assert(qmpi::call<MPI_RGET_ACCUMULATE_T>::operation == operation::fetch &&
              qmpi::call<MPI_WIN_TEST_T>::operation == operation::end_exposure);
static_assert(qmpi::call<MPI_FILE_READ_ORDERED_BEGIN_T>::operation == operation::read &&
              qmpi::call<MPI_FILE_READ_ORDERED_BEGIN_T>::form == form::begin);
static_assert(qmpi::call<MPI_WIN_CREATE_T>::is_collective &&
              qmpi::call<MPI_FILE_CLOSE_T>::is_collective &&
              !qmpi::call<MPI_COMM_CREATE_GROUP_T>::is_collective);

static_assert(qmpi::operation_of(MPI_IBCAST_T) == operation::bcast &&
              qmpi::form_of(MPI_IBCAST_T) == form::nonblocking &&
              qmpi::is_collective(MPI_IBCAST_T));
static_assert(qmpi::operation_of(-1) == operation::none &&
              qmpi::operation_of(MPI_LAST_FUNC_T) == operation::none);

static_assert(Waitall::operation == operation::wait && Waitall::request_scope() == scope::all &&
              Waitall::parameters[1].effect == effect::completes);
static_assert(qmpi::call<MPI_TEST_T>::request_scope() == scope::one &&
              qmpi::call<MPI_WAITANY_T>::request_scope() == scope::any &&
              qmpi::call<MPI_TESTSOME_T>::request_scope() == scope::some &&
              Send::request_scope() == scope::none);
static_assert(qmpi::call<MPI_TESTSOME_T>::parameters[3].role == role::index);
static_assert(qmpi::call<MPI_STARTALL_T>::has(effect::starts) &&
              qmpi::call<MPI_ISEND_T>::has(effect::starts) &&
              !qmpi::call<MPI_SEND_INIT_T>::has(effect::starts) &&
              qmpi::call<MPI_SEND_INIT_T>::index(effect::creates) == 6);
static_assert(qmpi::call<MPI_COMM_IDUP_T>::index(effect::creates) == 1 &&
              qmpi::call<MPI_COMM_IDUP_T>::index(effect::starts) == 2);
static_assert(qmpi::call<MPI_MPROBE_T>::index(effect::creates) == 3 &&
              qmpi::call<MPI_MRECV_T>::index(effect::completes) == 3);
static_assert(qmpi::call<MPI_SESSION_FINALIZE_T>::has(effect::frees) &&
              qmpi::call<MPI_COMM_DISCONNECT_T>::has(effect::frees) &&
              qmpi::call<MPI_REQUEST_FREE_T>::has(effect::frees));
static_assert(!qmpi::call<MPI_COMM_GET_PARENT_T>::has(effect::creates) &&
              !qmpi::call<MPI_TYPE_CREATE_F90_REAL_T>::has(effect::creates) &&
              qmpi::call<MPI_COMM_GET_ERRHANDLER_T>::has(effect::creates));

void check_job()
{
    const qmpi::job other(1, 3, "", nullptr);
    check("only rank 0 knows who has the instance", !other.has(0) && !other.has(1));
    equal("absent processes", other.absent(), "");
    const int peers[] = {1, MPIX_TOOL_NONE, 1};
    const qmpi::job first(0, 3, "", peers);
    check("rank 0 knows", first.has(0) && !first.has(1) && first.has(2));
    equal("absent processes", first.absent(), "rank 1 (no tools)");
}

void check_characters()
{
    using qmpi::detail::whole_characters;
    const std::string text = "a\u00e9\u20ac"; /* 1, 2 and 3 bytes */
    const std::size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6};
    for (std::size_t limit = 0; limit < std::size(sizes); limit++)
        check("whole characters in " + std::to_string(limit) + " bytes",
              whole_characters(text, limit) == sizes[limit]);
}

}  // namespace

int main()
{
    check_job();
    check_characters();
    check_arguments();
    check_options();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
