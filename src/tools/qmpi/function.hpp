/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Facts about the MPI functions, known at compile time: arguments by role, what a function does, sets of
 * functions. qmpi_functions.hpp has them for each function. */

#ifndef QMPI_FUNCTION_HPP_INCLUDED
#define QMPI_FUNCTION_HPP_INCLUDED

#if __cplusplus < 201703L
#error "qmpi.hpp needs C++17 (-std=c++17)"
#endif

/* Tools use the C interface only; the old C++ binding would need its own library. */
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <mpi_qmpi.h>

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/* Code between MPI's call and the tool's member. Must be inlined: it is the cost of each call. */
#define QMPI_INLINE [[gnu::always_inline]] inline

/* Per-tool data. Hidden, since another library may have a tool of the same type name. */
#define QMPI_DETAIL_HIDDEN __attribute__((visibility("hidden")))

namespace qmpi {
/* Tools built with different versions of the kit can be in one process. */
inline namespace v1 {

/* ---- descriptions of functions (qmpi_functions.hpp has one for each) ---- */

/* Meaning of an argument. source, destination and target are ranks that exchange data with the
 * caller; all others are "rank". */
enum class role : std::uint8_t {
    other,
    buffer,
    count,
    datatype,
    displacement,
    offset,
    partition,
    rank,
    root,
    source,
    destination,
    target,
    tag,
    communicator,
    group,
    request,
    message,
    status,
    window,
    file,
    operation,
    info,
    errhandler,
    session,
    keyval,
    attribute,
    flag,
    assertion,
    text,
    error_code,
    callback,
    extra_state,
    length,
    index
};

enum class direction : std::uint8_t { in, out, inout };

/* Operation of a function; src/binding/qmpi_operations.txt has the functions of each. A function that a
 * library lacks has none. */
enum class operation : std::uint8_t {
    none,
    /* messages */
    send,
    receive,
    sendrecv,
    probe,
    /* collective operations, also along the edges of a topology (set::neighbourhood) */
    barrier,
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    exscan,
    /* one-sided; fetch: MPI_Get_accumulate, MPI_Fetch_and_op */
    put,
    get,
    accumulate,
    fetch,
    compare_and_swap,
    /* epochs of a window; sync: MPI_Win_sync */
    fence,
    lock,
    unlock,
    lock_all,
    unlock_all,
    start_access,
    end_access,
    start_exposure,
    end_exposure,
    flush,
    sync,
    /* files */
    read,
    write,
    /* requests; ready and arrived: partitions; complete: MPI_Grequest_complete */
    start,
    ready,
    arrived,
    wait,
    test,
    status,
    cancel,
    complete,
    /* data inside the process */
    pack,
    /* objects and settings */
    create,
    free,
    change,
    query,
    /* MPI, or a session */
    initialize,
    finalize,
    abort
};

/* When an operation runs. */
enum class form : std::uint8_t {
    blocking,
    nonblocking,
    persistent, /* the function initializes a request, MPI_Start starts it */
    partitioned,
    enqueued, /* later, in the order of a stream */
    begin,    /* split collective file access */
    end
};

/* Data of several processes: the same count for all, a count for each (MPI_Gatherv), or a count and
 * a datatype for each (MPI_Alltoallw). */
enum class layout : std::uint8_t { uniform, vector, typed };

/* Effect of a function on the object of a handle argument. */
enum class effect : std::uint8_t {
    none,
    creates, /* the caller owns the object; a request is inactive */
    starts,  /* a request */
    completes,
    frees
};

/* Requests of a function: one, or any, some or all of an array. */
enum class scope : std::uint8_t { none, one, any, some, all };

/* No such index. */
inline constexpr std::size_t none = static_cast<std::size_t>(-1);

struct parameter {
    std::string_view name;
    qmpi::role role;
    qmpi::direction direction;
    qmpi::effect effect = qmpi::effect::none;
    bool is_array = false;
    std::size_t length = none; /* index of the parameter that holds the array's length */
};

/* One data buffer of a function: indices of the parameters that describe it. */
struct buffer_parameters {
    qmpi::direction direction;
    std::size_t address;
    std::size_t count; /* none: one element */
    std::size_t datatype;
    std::size_t partitions = none;
    std::size_t displacements = none;
};

/* Optional arguments of MPI_Pcontrol: next<T>() returns them in order. It cannot tell how many the program
 * passes: agree on the level for which there are any. */
class varargs {
  public:
    explicit varargs(std::va_list *list) : list_(list) {}

    template <typename T>
    T next()
    {
        static_assert(!std::is_same_v<T, float> &&
                          (!std::is_integral_v<T> || sizeof(T) >= sizeof(int)) &&
                          std::is_trivially_copyable_v<T>,
                      "C passes an optional argument of that type as int or double");
        return va_arg(*list_, T);
    }

  private:
    std::va_list *list_;
};

namespace detail {

/* Values of several types. There are hundreds of instantiations; std::tuple takes four times as
 * long to compile. */
template <std::size_t index, typename Type>
struct leaf {
    Type value;
};

template <typename Indices, typename... Types>
struct leaves;

template <std::size_t... indices, typename... Types>
struct leaves<std::index_sequence<indices...>, Types...> : leaf<indices, Types>... {
    QMPI_INLINE explicit leaves(Types... values) : leaf<indices, Types>{values}... {}
};

template <std::size_t index, typename Type>
QMPI_INLINE Type &value(leaf<index, Type> &leaf)
{
    return leaf.value;
}

template <std::size_t index, typename Type>
QMPI_INLINE const Type &value(const leaf<index, Type> &leaf)
{
    return leaf.value;
}

/* Types of an entry function's result and arguments. */
template <typename Type>
struct signature;

template <typename Result, typename... Arguments>
struct signature<Result(MPI_Context, int, Arguments...)> {
    /* Entry functions are called from C, so they must not throw. */
    using pointer = Result (*)(MPI_Context, int, Arguments...) noexcept;
    using result = Result;
    using arguments = std::tuple<Arguments...>;
    using values = leaves<std::index_sequence_for<Arguments...>, Arguments...>;
};

template <typename Result, typename... Arguments>
struct signature<Result(MPI_Context, int, Arguments..., ...)> {
    using result = Result;
    using arguments = std::tuple<Arguments..., varargs>;
    using values = leaves<std::index_sequence_for<Arguments..., varargs>, Arguments..., varargs>;
};

enum membership : std::uint32_t {
    point_to_point = 1u << 0,
    partitioned = 1u << 1,
    collective = 1u << 2,
    neighbourhood = 1u << 3,
    nonblocking = 1u << 4,
    persistent = 1u << 5,
    completion = 1u << 6,
    rma = 1u << 7,
    io = 1u << 8,
    datatypes = 1u << 9,
    attributes = 1u << 10,
    communicators = 1u << 11,
    groups = 1u << 12,
    topology = 1u << 13,
    operations = 1u << 14,
    infos = 1u << 15,
    errors = 1u << 16,
    processes = 1u << 17,
    environment = 1u << 18,
    tool_information = 1u << 19,
    large_count = 1u << 20
};

struct facts {
    std::uint32_t sets = 0;
    qmpi::operation operation = qmpi::operation::none;
    qmpi::form form = qmpi::form::blocking;
    qmpi::layout layout = qmpi::layout::uniform;
    bool is_collective = false;
};

}  // namespace detail

/* Name, type, parameters, ... of a function; specialized in qmpi_functions.hpp. */
template <MPI_Functions_enum id>
struct function;

}  // namespace v1
}  // namespace qmpi

/* For qmpi_functions.hpp: finds, calls and type-checks the tool's member for one function. */
#define QMPI_DETAIL_MEMBER(name_, right_form_)                                               \
    QMPI_DETAIL_HIDDEN static constexpr std::string_view name = #name_;                      \
    template <typename Shadow>                                                               \
    static auto lacks(Shadow *)->decltype(&Shadow::name_);                                   \
    template <typename Tool, typename Call, typename... Arguments>                           \
    QMPI_INLINE static auto invoke(Tool &tool, Call &call, Arguments... arguments) noexcept( \
        noexcept(tool.name_(call, arguments...)))                                            \
        ->decltype(tool.name_(call, arguments...))                                           \
    {                                                                                        \
        return tool.name_(call, arguments...);                                               \
    }                                                                                        \
    template <bool is_right>                                                                 \
    static constexpr void check_member()                                                     \
    {                                                                                        \
        static_assert(is_right,                                                              \
                      #name_                                                                 \
                      ": this member of the tool must be public and have the form "          \
                      "  " right_form_ "  or take the call alone");                          \
    }                                                                                        \
    template <bool is_right>                                                                 \
    static constexpr void check_intercept()                                                  \
    {                                                                                        \
        static_assert(is_right,                                                              \
                      #name_                                                                 \
                      ": the tool's member template intercept must be public, take "         \
                      "(Call &call) and return what call() returns (auto)");                 \
    }

#include <qmpi_functions.hpp>

namespace qmpi {
inline namespace v1 {

/* ---- facts by id, for tools that have an id only; an unknown id has none ---- */

namespace detail {

constexpr facts find_facts(int id)
{
    return id >= 0 && id < MPI_LAST_FUNC_T ? facts_of[id] : facts();
}

}  // namespace detail

constexpr operation operation_of(int id)
{
    return detail::find_facts(id).operation;
}

constexpr form form_of(int id)
{
    return detail::find_facts(id).form;
}

constexpr layout layout_of(int id)
{
    return detail::find_facts(id).layout;
}

/* All processes of the communicator, window or file, or of MPI, call it in the same order. */
constexpr bool is_collective(int id)
{
    return detail::find_facts(id).is_collective;
}

/* ---- handles ---- */

/* A handle as a number, for tables and output. MPICH's handles are numbers; those of the MPI ABI, and
 * MPICH's MPI_File, are pointers. */
template <typename Handle>
std::uint64_t handle_value(Handle handle) noexcept
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<std::uintptr_t>(handle);
    else
        return static_cast<std::make_unsigned_t<Handle>>(handle);
}

/* ---- sets of functions ---- */

/* A set of functions, known at compile time. |: union, &: intersection, -: difference. */
class function_set {
  public:
    constexpr function_set() = default;

    template <typename... Ids>
    constexpr explicit function_set(MPI_Functions_enum first, Ids... others)
    {
        add(first);
        (add(others), ...);
    }

    constexpr bool contains(int id) const
    {
        const auto i = static_cast<std::size_t>(id);
        return i < MPI_LAST_FUNC_T && ((words_[i / 64] >> (i % 64)) & 1);
    }

    friend constexpr function_set operator|(function_set a, const function_set &b)
    {
        for (std::size_t i = 0; i < a.words_.size(); i++)
            a.words_[i] |= b.words_[i];
        return a;
    }

    friend constexpr function_set operator&(function_set a, const function_set &b)
    {
        for (std::size_t i = 0; i < a.words_.size(); i++)
            a.words_[i] &= b.words_[i];
        return a;
    }

    friend constexpr function_set operator-(function_set a, const function_set &b)
    {
        for (std::size_t i = 0; i < a.words_.size(); i++)
            a.words_[i] &= ~b.words_[i];
        return a;
    }

    constexpr function_set &add(MPI_Functions_enum id)
    {
        words_[id / 64] |= std::uint64_t{1} << (id % 64);
        return *this;
    }

    /* All functions with at least one of the properties. */
    static constexpr function_set of(std::uint32_t properties)
    {
        function_set set;
        for (int id = 0; id < MPI_LAST_FUNC_T; id++) {
            if (detail::facts_of[id].sets & properties)
                set.add(static_cast<MPI_Functions_enum>(id));
        }
        return set;
    }

  private:
    std::array<std::uint64_t, (MPI_LAST_FUNC_T + 63) / 64> words_{};
};

/* A function is in every set that fits: MPI_Ineighbor_alltoallv_c is in collective, neighbourhood,
 * nonblocking and large_count. */
namespace set {

QMPI_DETAIL_HIDDEN inline constexpr function_set none;
QMPI_DETAIL_HIDDEN inline constexpr function_set point_to_point =
    function_set::of(detail::point_to_point);
QMPI_DETAIL_HIDDEN inline constexpr function_set partitioned =
    function_set::of(detail::partitioned);
QMPI_DETAIL_HIDDEN inline constexpr function_set collective = function_set::of(detail::collective);
QMPI_DETAIL_HIDDEN inline constexpr function_set neighbourhood =
    function_set::of(detail::neighbourhood);
QMPI_DETAIL_HIDDEN inline constexpr function_set nonblocking =
    function_set::of(detail::nonblocking);
QMPI_DETAIL_HIDDEN inline constexpr function_set persistent = function_set::of(detail::persistent);
/* MPI_Wait, MPI_Test and the other functions on requests and statuses */
QMPI_DETAIL_HIDDEN inline constexpr function_set completion = function_set::of(detail::completion);
QMPI_DETAIL_HIDDEN inline constexpr function_set rma = function_set::of(detail::rma);
QMPI_DETAIL_HIDDEN inline constexpr function_set io = function_set::of(detail::io);
QMPI_DETAIL_HIDDEN inline constexpr function_set datatypes = function_set::of(detail::datatypes);
QMPI_DETAIL_HIDDEN inline constexpr function_set attributes = function_set::of(detail::attributes);
QMPI_DETAIL_HIDDEN inline constexpr function_set communicators =
    function_set::of(detail::communicators);
QMPI_DETAIL_HIDDEN inline constexpr function_set groups = function_set::of(detail::groups);
QMPI_DETAIL_HIDDEN inline constexpr function_set topology = function_set::of(detail::topology);
QMPI_DETAIL_HIDDEN inline constexpr function_set operations = function_set::of(detail::operations);
QMPI_DETAIL_HIDDEN inline constexpr function_set infos = function_set::of(detail::infos);
QMPI_DETAIL_HIDDEN inline constexpr function_set errors = function_set::of(detail::errors);
QMPI_DETAIL_HIDDEN inline constexpr function_set processes = function_set::of(detail::processes);
/* MPI_Init, MPI_Finalize, sessions, MPI_Wtime, MPI_Pcontrol, versions, ... */
QMPI_DETAIL_HIDDEN inline constexpr function_set environment =
    function_set::of(detail::environment);
QMPI_DETAIL_HIDDEN inline constexpr function_set tool_information =
    function_set::of(detail::tool_information);
QMPI_DETAIL_HIDDEN inline constexpr function_set large_count =
    function_set::of(detail::large_count);
QMPI_DETAIL_HIDDEN inline constexpr function_set all = function_set::of(~0u);

}  // namespace set

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_FUNCTION_HPP_INCLUDED */
