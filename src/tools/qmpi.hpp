/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* QMPI tools in C++17. A tool is a struct and a line that registers it:
 *
 *     struct Sends : qmpi::tool<Sends> {
 *         std::atomic<long> number{0};
 *         int MPI_Send(qmpi::call<MPI_SEND_T> &call) { number++; return call(); }
 *         ~Sends() { std::fprintf(stderr, "%ld sends\n", number.load()); }
 *     };
 *     QMPI_TOOL("sends", Sends)
 *
 * Each entry of the tool list with the tool's name gets its own object, an instance. A member named
 * like an MPI function intercepts that function; a member template "intercept" intercepts all
 * others, or those of the set "functions". Tutorial, with the rules for threads, exceptions and the
 * end of the process: doc/tool-kit.md. */

#ifndef QMPI_HPP_INCLUDED
#define QMPI_HPP_INCLUDED

#if __cplusplus < 201703L
#error "qmpi.hpp needs C++17 (-std=c++17)"
#endif

/* Tools use the C interface only; the old C++ binding would need its own library. */
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <mpi_qmpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

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

/* Optional arguments of MPI_Pcontrol: next<T>() returns them in order. */
class varargs {
  public:
    explicit varargs(std::va_list *list) : list_(list) {}

    template <typename T>
    T next()
    {
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
    static constexpr std::string_view name = #name_;                                         \
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
        return (words_[i / 64] >> (i % 64)) & 1;
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

inline constexpr function_set none;
inline constexpr function_set point_to_point = function_set::of(detail::point_to_point);
inline constexpr function_set partitioned = function_set::of(detail::partitioned);
inline constexpr function_set collective = function_set::of(detail::collective);
inline constexpr function_set neighbourhood = function_set::of(detail::neighbourhood);
inline constexpr function_set nonblocking = function_set::of(detail::nonblocking);
inline constexpr function_set persistent = function_set::of(detail::persistent);
/* MPI_Wait, MPI_Test and the other functions on requests and statuses */
inline constexpr function_set completion = function_set::of(detail::completion);
inline constexpr function_set rma = function_set::of(detail::rma);
inline constexpr function_set io = function_set::of(detail::io);
inline constexpr function_set datatypes = function_set::of(detail::datatypes);
inline constexpr function_set attributes = function_set::of(detail::attributes);
inline constexpr function_set communicators = function_set::of(detail::communicators);
inline constexpr function_set groups = function_set::of(detail::groups);
inline constexpr function_set topology = function_set::of(detail::topology);
inline constexpr function_set operations = function_set::of(detail::operations);
inline constexpr function_set infos = function_set::of(detail::infos);
inline constexpr function_set errors = function_set::of(detail::errors);
inline constexpr function_set processes = function_set::of(detail::processes);
/* MPI_Init, MPI_Finalize, sessions, MPI_Wtime, MPI_Pcontrol, versions, ... */
inline constexpr function_set environment = function_set::of(detail::environment);
inline constexpr function_set tool_information = function_set::of(detail::tool_information);
inline constexpr function_set large_count = function_set::of(detail::large_count);
inline constexpr function_set all = function_set::of(~0u);

}  // namespace set

/* ---- arguments of an instance ---- */

namespace detail {

template <typename Type>
struct identity {
    using type = Type;
};

/* Excludes a parameter from template argument deduction. */
template <typename Type>
using identity_t = typename identity<Type>::type;

}  // namespace detail

/* Error in the arguments, with a text for the user. A tool's constructor that throws it (or any
 * exception) refuses the instance: the program ends with that message before MPI is initialised. */
class argument_error : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/* Text between the parentheses of name(out=a.json,verbose): key=value arguments and flags (a key
 * alone), separated by commas outside parentheses; white space around keys and values is ignored. A
 * tool queries its arguments in its constructor; any that it did not query are errors. */
class arguments {
  public:
    /* Throws argument_error: empty argument or key, duplicate key, unbalanced parentheses. */
    explicit arguments(std::string_view text = {})
    {
        if (trim(text).empty())
            return;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = end_of_argument(text, begin);
            add(trim(text.substr(begin, end - begin)), text);
            begin = end + 1;
        }
    }

    /* Value of a flag: true if given alone; also accepts yes, true, on, 1 and no, false, off, 0. */
    bool flag(std::string_view key) const
    {
        const argument *found = find(key);
        if (found == nullptr)
            return false;
        if (!found->has_value)
            return true;
        for (const char *word : {"yes", "true", "on", "1"}) {
            if (found->value == word)
                return true;
        }
        for (const char *word : {"no", "false", "off", "0"}) {
            if (found->value == word)
                return false;
        }
        throw argument_error(found->text() + ": must be yes or no");
    }

    /* Value as text, or the fallback if it is not given. Throws argument_error for a key without a
     * value. */
    std::string get(std::string_view key, std::string_view fallback) const
    {
        const argument *found = find(key);
        return std::string(found == nullptr ? fallback : value_of(*found));
    }

    std::string get(std::string_view key, const char *fallback) const
    {
        return get(key, std::string_view(fallback));
    }

    /* Value as a number. Throws argument_error if it is not a number of that type. */
    template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
    Number get(std::string_view key, Number fallback) const
    {
        static_assert(!std::is_same_v<Number, bool>, "ask for a bool by flag()");
        const argument *found = find(key);
        if (found == nullptr)
            return fallback;
        const std::string_view value = value_of(*found);
        try {
            return number<Number>(value);
        } catch (const argument_error &error) {
            throw argument_error(found->text() + ": " + error.what());
        }
    }

    /* The same, and throws argument_error unless least <= value <= most. The fallback may be out of
     * range. */
    template <typename Number>
    Number get(std::string_view key, Number fallback, detail::identity_t<Number> lower,
               detail::identity_t<Number> upper) const
    {
        const argument *found = find(key);
        if (found == nullptr)
            return fallback;
        const Number number = get(key, fallback);
        if (!(number >= lower && number <= upper))
            throw argument_error(found->text() + ": must be from " + text_of(lower) + " to " +
                                 text_of(upper));
        return number;
    }

    bool has(std::string_view key) const { return find(key) != nullptr; }

    /* A text as a number. Throws argument_error with what it must be. */
    template <typename Number>
    static Number number(std::string_view text)
    {
        Number number{};
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (fault == std::errc::result_out_of_range)
            throw argument_error("out of range");
        if (fault != std::errc() || end != text.data() + text.size())
            throw argument_error(std::is_integral_v<Number> ? "must be a whole number"
                                                            : "must be a number");
        return number;
    }

    /* Shortest form. */
    template <typename Number>
    static std::string text_of(Number number)
    {
        char text[64];
        return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
    }

    /* Throws argument_error if the user gave an argument that was never queried. From then on
     * queries are thread-safe. */
    void check_all_known()
    {
        is_checked_ = true;
        for (const argument &given : given_) {
            if (given.is_known)
                continue;
            std::string known;
            for (const std::string &key : queried_)
                known += (known.empty() ? "" : ", ") + key;
            throw argument_error("unknown argument '" + given.key +
                                 "' (known: " + (known.empty() ? "none" : known) + ")");
        }
    }

  private:
    struct argument {
        std::string key;
        std::string value;
        bool has_value = false;
        mutable bool is_known = false;

        std::string text() const { return "argument " + key + (has_value ? "=" + value : ""); }
    };

    static std::string_view trim(std::string_view text)
    {
        const char *white_space = " \t\r\n";
        const std::size_t begin = text.find_first_not_of(white_space);
        if (begin == std::string_view::npos)
            return {};
        return text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
    }

    static std::size_t end_of_argument(std::string_view text, std::size_t begin)
    {
        int depth = 0;
        std::size_t i = begin;
        for (; i < text.size() && (text[i] != ',' || depth > 0); i++) {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
            if (depth < 0)
                break;
        }
        if (depth != 0)
            throw argument_error("unbalanced parentheses in '" + std::string(text) + "'");
        return i;
    }

    void add(std::string_view text, std::string_view all)
    {
        const std::size_t equals = text.find('=');
        argument given;
        given.key = trim(text.substr(0, equals));
        if (given.key.empty())
            throw argument_error("empty argument in '" + std::string(all) + "'");
        if (equals != std::string_view::npos) {
            given.has_value = true;
            given.value = trim(text.substr(equals + 1));
        }
        for (const argument &other : given_) {
            if (other.key == given.key)
                throw argument_error("argument " + given.key + " is given twice");
        }
        given_.push_back(std::move(given));
    }

    const argument *find(std::string_view key) const
    {
        const auto found = std::find_if(given_.begin(), given_.end(),
                                        [key](const argument &given) { return given.key == key; });
        const argument *given = found == given_.end() ? nullptr : &*found;
        if (!is_checked_) {
            if (std::find(queried_.begin(), queried_.end(), key) == queried_.end())
                queried_.emplace_back(key);
            if (given != nullptr)
                given->is_known = true;
        }
        return given;
    }

    static std::string_view value_of(const argument &found)
    {
        if (!found.has_value)
            throw argument_error(found.text() + ": needs a value");
        return found.value;
    }

    std::vector<argument> given_;
    mutable std::vector<std::string> queried_;
    bool is_checked_ = false;
};

/* ---- options ---- */

/* Number of bytes, as an option: 4096, 64k, 16M, 1G, in powers of 1024. */
struct byte_count {
    std::uint64_t value = 0;

    friend bool operator<=(byte_count a, byte_count b) { return a.value <= b.value; }
    friend bool operator==(byte_count a, byte_count b) { return a.value == b.value; }
};

/* How a type is read from an argument and shown in the help; specialize it for own types.
 *   placeholder   of the value in the help
 *   read          value of a text; throws argument_error with what a text must be
 *   text          of a value; empty if the help is not to show it as the default */
template <typename Type, typename = void>
struct option_type;

namespace detail {

template <typename Type, typename = void>
inline constexpr bool is_ordered = false;

template <typename Type>
inline constexpr bool
    is_ordered<Type, std::void_t<decltype(std::declval<Type>() <= std::declval<Type>())>> =
        !std::is_enum_v<Type>;

template <typename Type, typename = void>
inline constexpr bool is_comparable = false;

template <typename Type>
inline constexpr bool
    is_comparable<Type, std::void_t<decltype(std::declval<Type>() == std::declval<Type>())>> = true;

struct unit {
    std::string_view name;
    double factor;
};

/* A number that may be followed by a unit. Throws argument_error. */
inline double number_with_unit(std::string_view text, const unit *units,
                               std::size_t number_of_units, const char *wanted)
{
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    if (fault == std::errc() && number >= 0) {
        if (name.empty())
            return number;
        for (std::size_t i = 0; i < number_of_units; i++) {
            if (units[i].name == name)
                return number * units[i].factor;
        }
    }
    throw argument_error(std::string("must be ") + wanted);
}

/* The largest unit of which the value is a multiple. units: from the largest to the smallest. */
inline std::string text_with_unit(double value, const unit *units, std::size_t number_of_units)
{
    char text[64];
    const unit *used = units;
    while (used + 1 < units + number_of_units &&
           value / used->factor != std::floor(value / used->factor))
        used++;
    const auto end = std::to_chars(text, text + sizeof text, value / used->factor).ptr;
    return std::string(text, end) + (value == 0 ? "" : std::string(used->name));
}

inline constexpr unit byte_units[] = {
    {"T", 1099511627776.0}, {"G", 1073741824.0}, {"M", 1048576.0}, {"k", 1024.0}, {"", 1.0}};
inline constexpr unit time_units[] = {{"h", 3600.0}, {"min", 60.0}, {"s", 1.0},
                                      {"ms", 1e-3},  {"us", 1e-6},  {"ns", 1e-9}};

}  // namespace detail

template <typename Number>
struct option_type<Number, std::enable_if_t<std::is_arithmetic_v<Number>>> {
    static constexpr const char *placeholder = "N";
    static Number read(const std::string &text) { return arguments::number<Number>(text); }
    static std::string text(Number number) { return arguments::text_of(number); }
};

template <>
struct option_type<std::string> {
    static constexpr const char *placeholder = "TEXT";
    static std::string read(const std::string &text) { return text; }
    static std::string text(const std::string &value) { return value; }
};

/* Words separated by +, as in formats=text+json. */
template <>
struct option_type<std::vector<std::string>> {
    static constexpr const char *placeholder = "A+B";
    static std::vector<std::string> read(const std::string &text)
    {
        std::vector<std::string> words;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('+', begin), text.size());
            words.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        return words;
    }
    static std::string text(const std::vector<std::string> &words)
    {
        std::string all;
        for (const std::string &word : words)
            all += (all.empty() ? "" : "+") + word;
        return all;
    }
};

template <>
struct option_type<byte_count> {
    static constexpr const char *placeholder = "BYTES";
    static byte_count read(const std::string &text)
    {
        const double bytes =
            detail::number_with_unit(text, detail::byte_units, std::size(detail::byte_units),
                                     "a number of bytes, as 4096, 64k, 16M or 1G");
        if (bytes >= 18446744073709551616.0)
            throw argument_error("out of range");
        return {static_cast<std::uint64_t>(bytes)};
    }
    static std::string text(byte_count bytes)
    {
        return detail::text_with_unit(static_cast<double>(bytes.value), detail::byte_units,
                                      std::size(detail::byte_units));
    }
};

/* A time with a unit, as 500ms, 1.5s or 2min; without one it is in the type's own. */
template <typename Count, typename Period>
struct option_type<std::chrono::duration<Count, Period>> {
    using duration = std::chrono::duration<Count, Period>;
    static constexpr const char *placeholder = "TIME";
    static duration read(const std::string &text)
    {
        constexpr double seconds = static_cast<double>(Period::num) / Period::den;
        detail::unit units[std::size(detail::time_units)];
        for (std::size_t i = 0; i < std::size(units); i++)
            units[i] = {detail::time_units[i].name, detail::time_units[i].factor / seconds};
        const double number = detail::number_with_unit(text, units, std::size(units),
                                                       "a time, as 500ms, 10s or 2min");
        if (number >= static_cast<double>(std::numeric_limits<Count>::max()))
            throw argument_error("out of range");
        return duration(static_cast<Count>(number));
    }
    static std::string text(duration time)
    {
        return detail::text_with_unit(static_cast<double>(time.count()) * Period::num / Period::den,
                                      detail::time_units, std::size(detail::time_units));
    }
};

/* Options of a tool: the members of a class that inherits from this one. One declaration reads the
 * value, checks it, and writes the line of the help that qmpi_info shows:
 *
 *     struct Options : qmpi::options {
 *         using options::options;
 *         int times = option("times", 1).between(0, 1000).help("number of lines");
 *         bool loud = flag("loud").help("end with an exclamation mark");
 *     };
 *     const Options options{arguments()};
 *
 * The kit finds the type by the name Options. Whoever has the text of an instance's arguments, such as
 * a program that reads the tool's files, constructs it from qmpi::arguments(text). */
class options {
  public:
    /* Throws argument_error. The object does not keep the arguments. */
    explicit options(const qmpi::arguments &given) : given_(given) {}

    /* One line for each option. */
    const std::string &help() const { return help_; }

    template <typename Type>
    class declaration {
      public:
        using choice = std::pair<std::string_view, Type>;

        declaration(options &owner, std::string_view name, Type fallback)
            : owner_(owner), name_(name), value_(std::move(fallback))
        {
        }
        declaration(const declaration &) = delete;

        declaration &help(std::string_view text)
        {
            help_ = text;
            return *this;
        }

        /* Placeholder of the value in the help, as in out=NAME. */
        declaration &value(std::string_view placeholder)
        {
            placeholder_ = placeholder;
            return *this;
        }

        /* The default may be out of the range. */
        declaration &between(const Type &lower, const Type &upper)
        {
            lower_ = lower;
            upper_ = upper;
            return *this;
        }

        declaration &at_least(const Type &lower)
        {
            lower_ = lower;
            return *this;
        }

        /* One of these words. */
        declaration &one_of(std::initializer_list<choice> choices)
        {
            choices_.assign(choices.begin(), choices.end());
            return *this;
        }

        /* The value; the end of the declaration. */
        operator Type() const
        {
            owner_.describe(std::string(name_) + "=" + placeholder(), help_, details());
            if (!owner_.given_.has(name_))
                return value_;
            const std::string text = owner_.given_.get(name_, "");
            try {
                return check(read(text));
            } catch (const argument_error &error) {
                throw argument_error("argument " + std::string(name_) + "=" + text + ": " +
                                     error.what());
            }
        }

      private:
        Type read(const std::string &text) const
        {
            if (choices_.empty()) {
                if constexpr (!std::is_enum_v<Type>)
                    return option_type<Type>::read(text);
            }
            for (const auto &[word, value] : choices_) {
                if (word == text)
                    return value;
            }
            throw argument_error("must be " + words(", ", " or "));
        }

        Type check(Type value) const
        {
            if constexpr (detail::is_ordered<Type>) {
                /* NaN is out of every range. */
                if ((lower_ && !(*lower_ <= value)) || (upper_ && !(value <= *upper_)))
                    throw argument_error("must be " + range());
            }
            return value;
        }

        std::string words(const char *separator, const char *last_separator) const
        {
            std::string all;
            for (std::size_t i = 0; i < choices_.size(); i++) {
                all += i == 0 ? "" : i + 1 == choices_.size() ? last_separator : separator;
                all += choices_[i].first;
            }
            return all;
        }

        std::string range() const
        {
            if (!upper_)
                return "at least " + text_of(*lower_);
            return "from " + text_of(*lower_) + " to " + text_of(*upper_);
        }

        std::string placeholder() const
        {
            if (!placeholder_.empty())
                return placeholder_;
            if constexpr (!std::is_enum_v<Type>) {
                if (choices_.empty())
                    return option_type<Type>::placeholder;
            }
            return words("|", "|");
        }

        std::string details() const
        {
            const std::string limits = lower_ ? range() : "", fallback = text_of(value_);
            return limits + (limits.empty() || fallback.empty() ? "" : "; ") +
                (fallback.empty() ? "" : "default: " + fallback);
        }

        std::string text_of(const Type &value) const
        {
            if constexpr (detail::is_comparable<Type>) {
                for (const auto &[word, meaning] : choices_) {
                    if (meaning == value)
                        return std::string(word);
                }
            }
            if constexpr (!std::is_enum_v<Type>)
                return option_type<Type>::text(value);
            return "";
        }

        options &owner_;
        std::string_view name_;
        Type value_;
        std::string help_, placeholder_;
        std::optional<Type> lower_, upper_;
        std::vector<choice> choices_;
    };

    /* A flag is a name alone; it also takes yes, true, on, 1 and no, false, off, 0. */
    class flag_declaration {
      public:
        flag_declaration(options &owner, std::string_view name, bool fallback)
            : owner_(owner), name_(name), fallback_(fallback)
        {
        }
        flag_declaration(const flag_declaration &) = delete;

        flag_declaration &help(std::string_view text)
        {
            help_ = text;
            return *this;
        }

        operator bool() const
        {
            owner_.describe(fallback_ ? std::string(name_) + "=no" : std::string(name_), help_, "");
            return owner_.given_.has(name_) ? owner_.given_.flag(name_) : fallback_;
        }

      private:
        options &owner_;
        std::string_view name_;
        bool fallback_;
        std::string help_;
    };

    template <typename Type>
    declaration<Type> option(std::string_view name, Type fallback)
    {
        return {*this, name, std::move(fallback)};
    }

    declaration<std::string> option(std::string_view name, const char *fallback)
    {
        return {*this, name, std::string(fallback)};
    }

    flag_declaration flag(std::string_view name, bool fallback = false)
    {
        return {*this, name, fallback};
    }

  private:
    void describe(const std::string &form, const std::string &help, const std::string &details)
    {
        constexpr std::size_t width = 18;
        help_ += form + std::string(form.size() + 2 > width ? 2 : width - form.size(), ' ') + help +
            (details.empty() ? "" : " (" + details + ")") + "\n";
    }

    const qmpi::arguments &given_; /* of the constructor only */
    std::string help_;
};

/* Lifetime of a tool's objects. Later calls pass through. */
enum class until {
    exit,    /* until the process exits */
    finalize /* until MPI_Finalize has returned and no session is open */
};

/* ---- the world ---- */

/* Starts a nonblocking operation of a tool and waits for it, mostly asleep: processes that spin would
 * take the processor from those that they wait for, where these share one.
 *     qmpi::await([&](MPI_Request *request) { return QMPI_Ibarrier(comm, request); });
 * Returns the error code. */
template <typename Start>
int await(Start start)
{
    constexpr int busy_tests = 100;
    constexpr std::chrono::microseconds longest_pause(1000);
    MPI_Request request = MPI_REQUEST_NULL;
    int error_code = start(&request), is_complete = 0;
    std::chrono::microseconds pause(10);

    for (int tests = 0; error_code == MPI_SUCCESS; tests++) {
        error_code = QMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
        if (is_complete)
            break;
        if (tests < busy_tests) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_pause);
    }
    return error_code;
}

namespace detail {

/* "rank 0 (no tools), ranks 3-5 (other arguments)"
 *   begun_otherwise   text for MPIX_TOOL_ALONE */
template <typename Has>
std::string absent(int size, const int *peers, Has has, const char *begun_otherwise)
{
    std::string text;
    for (int i = 0; i < size;) {
        const int first = i;
        while (i < size && !has(i) && peers[i] == peers[first])
            i++;
        if (i == first) {
            i++;
            continue;
        }
        const int last = i - 1, peer = peers[first];
        text += (text.empty() ? "" : ", ") + std::string(first == last ? "rank " : "ranks ") +
            std::to_string(first) + (first == last ? "" : "-" + std::to_string(last)) + " (" +
            (peer == MPIX_TOOL_VARIANT     ? "other arguments"
                 : peer == MPIX_TOOL_ALONE ? begun_otherwise
                 : peer == MPIX_TOOL_NONE  ? "no tools"
                                           : "other tools") +
            ")";
    }
    return text;
}

}  // namespace detail

/* A step of the world that failed: the reason of the process that failed, the same in all. */
class world_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/* The processes of MPI_COMM_WORLD that have the same instance: the same tool with the same
 * arguments, the nth of them in the list. Other processes are never waited for. */
class world {
  public:
    /* This process alone, without MPI: for tests. */
    world() = default;

    /* Made by the kit; comm and peers as MPI passes them to a world begin function. */
    world(MPI_Comm comm, const int *peers) : comm_(comm), peers_(peers)
    {
        QMPI_Comm_rank(MPI_COMM_WORLD, &program_rank_);
        QMPI_Comm_size(MPI_COMM_WORLD, &program_size_);
        if (comm == MPI_COMM_NULL)
            return;
        QMPI_Comm_rank(comm, &rank_);
        QMPI_Comm_size(comm, &size_);
    }

    /* Private communicator that returns errors; use it in at_world_begin and at_world_end only.
     * MPI_COMM_NULL if the library could not make one: this process is alone. */
    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /* Rank and size of MPI_COMM_WORLD. */
    int program_rank() const { return program_rank_; }
    int program_size() const { return program_size_; }

    /* True if a process of MPI_COMM_WORLD has the instance. */
    bool has(int program_rank) const
    {
        return comm_ == MPI_COMM_NULL ? program_rank == program_rank_ : peers_[program_rank] > 0;
    }

    bool is_complete() const { return size_ == program_size_; }

    /* True if another process may have the same tool and is not in this world, and has a lower rank
     * than all processes of this world. */
    bool follows_variant() const
    {
        for (int i = 0; i < program_size_ && !has(i); i++) {
            if (peers_[i] == MPIX_TOOL_VARIANT || peers_[i] == MPIX_TOOL_ALONE)
                return true;
        }
        return false;
    }

    /* Processes that are not in this world: "rank 0 (no tools), ranks 3-5 (other arguments)". */
    std::string absent() const
    {
        return detail::absent(
            program_size_, peers_, [this](int rank) { return has(rank); },
            "a session before MPI_Init");
    }

    /* Collective: runs work, which may throw, in each process. If it threw in any process, all
     * throw a world_error with the text of the lowest rank. Returns what work returned. */
    template <typename Work>
    auto agree(Work work) const -> decltype(work())
    {
        std::string fault;
        auto guarded = [&](auto run) {
            try {
                run();
            } catch (const std::exception &exception) {
                fault = exception.what();
                if (fault.empty())
                    fault = "unknown exception";
            } catch (...) {
                fault = "not a std::exception";
            }
        };
        if constexpr (std::is_void_v<decltype(work())>) {
            guarded([&] { work(); });
            settle(fault);
        } else {
            std::optional<decltype(work())> result;
            guarded([&] { result.emplace(work()); });
            settle(fault);
            return std::move(*result);
        }
    }

    /* Collective: true if the value is true in all processes, false if an MPI call fails. */
    bool all(bool value) const
    {
        int own = value, lowest = own;
        const int error_code = size_ == 1 ? MPI_SUCCESS : await([&](MPI_Request *request) {
            return QMPI_Iallreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, comm_, request);
        });
        return error_code == MPI_SUCCESS && lowest != 0;
    }

    /* Collective: runs work in rank 0 only and returns its text in all. If it threw, all throw a
     * world_error. */
    template <typename Work>
    std::string from_first(Work work) const
    {
        struct {
            std::uint64_t size = 0;
            std::uint64_t is_fault = 0;
            char begin[1008] = "";
        } message;
        std::string text;
        if (rank_ == 0) {
            message.is_fault = 1;
            try {
                text = work();
                message.is_fault = 0;
            } catch (const std::exception &exception) {
                text = exception.what();
            } catch (...) {
                text = "not a std::exception";
            }
            message.size = text.size();
            text.copy(message.begin, sizeof message.begin);
        }
        broadcast(&message, sizeof message, 0);
        text.resize(static_cast<std::size_t>(message.size));
        std::memcpy(text.data(), message.begin, std::min(text.size(), sizeof message.begin));
        constexpr std::size_t piece = std::size_t{1} << 30;
        for (std::size_t done = sizeof message.begin; done < text.size(); done += piece)
            broadcast(text.data() + done, std::min(piece, text.size() - done), 0);
        if (message.is_fault)
            throw world_error(text);
        return text;
    }

    /* Collective: the text of rank 0. */
    std::string share(const std::string &text) const
    {
        return from_first([&text] { return text; });
    }

  private:
    void broadcast(void *data, std::size_t size, int root) const
    {
        const int error_code = size_ == 1 ? MPI_SUCCESS : await([&](MPI_Request *request) {
            return QMPI_Ibcast(data, static_cast<int>(size), MPI_BYTE, root, comm_, request);
        });
        if (error_code != MPI_SUCCESS)
            throw world_error("an MPI call of the tool failed");
    }

    /* Throws in all processes if one has a fault. */
    void settle(const std::string &fault) const
    {
        const int nobody = std::numeric_limits<int>::max();
        int own = fault.empty() ? nobody : rank_, lowest = own;
        const int error_code = size_ == 1 ? MPI_SUCCESS : await([&](MPI_Request *request) {
            return QMPI_Iallreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, comm_, request);
        });
        if (error_code != MPI_SUCCESS)
            throw world_error(fault.empty() ? "an MPI call of the tool failed" : fault);
        if (lowest == nobody)
            return;
        char text[512] = "";
        if (lowest == rank_)
            std::strncpy(text, fault.c_str(), sizeof text - 1);
        broadcast(text, sizeof text, lowest);
        throw world_error(text);
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    const int *peers_ = nullptr;
    int rank_ = 0, size_ = 1;
    int program_rank_ = 0, program_size_ = 1;
};

/* The processes that mpiexec has started together, as one that begins with MPI_Session_init knows them.
 * Ranks are those in the process set mpi://WORLD. */
class job {
  public:
    /* Made by the kit. peers: as MPI passes them to a world begin function, for rank 0 only */
    job(int rank, int size, const char *offer, const int *peers)
        : rank_(rank), size_(size), offer_(offer), peers_(peers)
    {
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    /* The text that the same instance in rank 0 has offered; empty if there is none. */
    const char *offer() const { return offer_; }

    /* In rank 0 only: true if a process begins with sessions, too, and has the same instance; perhaps
     * later, or never if it does not call MPI. */
    bool has(int rank) const { return peers_[rank] > 0; }

    /* In rank 0 only: processes that do not: "rank 1 (no tools), rank 2 (MPI_Init before a session)". */
    std::string absent() const
    {
        return detail::absent(
            size_, peers_, [this](int rank) { return has(rank); }, "MPI_Init before a session");
    }

  private:
    int rank_, size_;
    const char *offer_;
    const int *peers_;
};

/* The processes that a call of MPI_Comm_spawn has started, as their rank 0 knows them. */
class spawned {
  public:
    /* Made by the kit */
    spawned(const char *world, int size, const char *offer)
        : world_(world), offer_(offer), size_(size)
    {
    }

    /* Name of their world, as from MPIX_Get_process_world. */
    const char *world() const { return world_; }

    int size() const { return size_; }

    /* The text that the same instance in the root of the call has offered; empty if there is none. */
    const char *offer() const { return offer_; }

  private:
    const char *world_, *offer_;
    int size_;
};

/* ---- calls ---- */

class any_call;

namespace detail {

inline void *calling_address(MPI_Context context)
{
    void *address = nullptr;
    return QMPI_Get_calling_address(context, &address) == MPI_SUCCESS ? address : nullptr;
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

/* Link calls that a member has made: none, only of other functions, of this function. */
enum class call_state { nothing, other_calls, made };

}  // namespace detail

/* One intercepted call. Valid while the tool's member runs. */
template <MPI_Functions_enum function_id>
class call {
  public:
    using description = function<function_id>;
    using result_type = typename description::result;
    using arguments_type = typename description::arguments;

    static constexpr MPI_Functions_enum id = function_id;
    static constexpr std::string_view name = description::name;
    static constexpr const auto &parameters = description::parameters;
    static constexpr const auto &buffers = description::buffers;
    static constexpr qmpi::operation operation = operation_of(function_id);
    static constexpr qmpi::form form = form_of(function_id);
    static constexpr qmpi::layout layout = layout_of(function_id);
    static constexpr bool is_collective = qmpi::is_collective(function_id);
    static constexpr bool is_large = detail::facts_of[function_id].sets & detail::large_count;
    /* false for MPI_Wtime, MPI_Wtick, MPI_Aint_add, ..., which return a value */
    static constexpr bool returns_error_code = description::returns_error_code;

    static constexpr bool is_in(const function_set &set) { return set.contains(function_id); }

    /* Index of the nth parameter (from 0) with a role; or none. */
    static constexpr std::size_t index(role wanted, std::size_t nth = 0)
    {
        for (std::size_t i = 0; i < parameters.size(); i++) {
            if (parameters[i].role == wanted && nth-- == 0)
                return i;
        }
        return none;
    }

    /* Index of the parameter with a name; or none. */
    static constexpr std::size_t index(std::string_view wanted)
    {
        for (std::size_t i = 0; i < parameters.size(); i++) {
            if (parameters[i].name == wanted)
                return i;
        }
        return none;
    }

    static constexpr bool has(role wanted, std::size_t nth = 0)
    {
        return index(wanted, nth) != none;
    }

    /* Index of the first parameter whose object the function affects so; or none. */
    static constexpr std::size_t index(qmpi::effect wanted)
    {
        for (std::size_t i = 0; i < parameters.size(); i++) {
            if (parameters[i].effect == wanted)
                return i;
        }
        return none;
    }

    static constexpr bool has(qmpi::effect wanted) { return index(wanted) != none; }

    /* Requests that the function starts, completes or queries. */
    static constexpr scope request_scope()
    {
        const std::size_t request = index(role::request);
        if (request == none)
            return scope::none;
        if (!parameters[request].is_array)
            return scope::one;
        const std::size_t chosen = index(role::index);
        if (chosen == none)
            return scope::all;
        return parameters[chosen].is_array ? scope::some : scope::any;
    }

    /* Calls the next link with the current arguments. */
    QMPI_INLINE result_type operator()() noexcept
    {
        return call_all(std::make_index_sequence<parameters.size()>());
    }

    /* Calls the next link with other arguments. */
    template <typename First, typename... Others>
    QMPI_INLINE result_type operator()(First first, Others... others) noexcept
    {
        static_assert(1 + sizeof...(Others) == parameters.size(),
                      "call(...) takes all arguments of the function, or none");
        return call_link(first, others...);
    }

    /* Calls another function below this tool as part of this call. */
    template <MPI_Functions_enum other, typename... Arguments>
    QMPI_INLINE typename function<other>::result next(Arguments... arguments) noexcept
    {
        if (state_ == detail::call_state::nothing)
            state_ = detail::call_state::other_calls;
        return detail::call_next<other>(instance_, context_, arguments...);
    }

    /* Result of the last call(). */
    result_type result() const { return result_; }

    /* Return address of the application's call; nullptr if unknown. */
    void *calling_address() const { return detail::calling_address(context_); }

    MPI_Context context() const { return context_; }

    /* An argument by its index; call() passes on what is written to it. */
    template <std::size_t index>
    QMPI_INLINE auto &argument()
    {
        return detail::value<index>(values_);
    }

    template <std::size_t index>
    QMPI_INLINE const auto &argument() const
    {
        return detail::value<index>(values_);
    }

    QMPI_INLINE auto arguments() { return tie(std::make_index_sequence<parameters.size()>()); }

    /* Calls visit(index, value &) for each argument; index is a std::integral_constant. */
    template <typename Visit>
    QMPI_INLINE void each_argument(Visit visit)
    {
        each_argument(visit, std::make_index_sequence<parameters.size()>());
    }

    /* Calls visit(buffer) for each data buffer. buffer.address, .count and .datatype are the call's
     * arguments; they are arrays if is_vector (count) or is_typed (datatype). The count of a
     * partitioned buffer is the product; .displacements is nullptr if the function has none. */
    template <typename Visit>
    QMPI_INLINE void each_buffer(Visit visit)
    {
        each_buffer(visit, std::make_index_sequence<buffers.size()>());
    }

    /* Internal: constructor for the entry, and completion of the call after an exception. */
    template <typename... Arguments>
    QMPI_INLINE call(const detail::instance_base &instance, MPI_Context context,
                     Arguments... arguments)
        : values_(arguments...), instance_(instance), context_(context)
    {
    }

    call(const call &) = delete;
    call &operator=(const call &) = delete;

    result_type finish() noexcept
    {
        if (state_ == detail::call_state::nothing)
            return (*this)();
        if constexpr (returns_error_code) {
            if (state_ == detail::call_state::other_calls)
                return MPI_ERR_OTHER;
        } else if (state_ == detail::call_state::other_calls)
            return (*this)();
        return result_;
    }

  private:
    template <std::size_t... indices>
    QMPI_INLINE result_type call_all(std::index_sequence<indices...>) noexcept
    {
        return call_link(detail::value<indices>(values_)...);
    }

    template <typename... Arguments>
    QMPI_INLINE result_type call_link(const Arguments &...arguments) noexcept
    {
        state_ = detail::call_state::made;
        if constexpr (function_id == MPI_ABORT_T) {
            if (instance_.at_abort != nullptr)
                instance_.at_abort(instance_);
        }
        if constexpr (detail::initializes_world(function_id))
            detail::meet_parent(instance_);
        /* MPI_Pcontrol calls each instance by itself; there is no next link. */
        if constexpr (function_id == MPI_PCONTROL_T)
            result_ = ((void) arguments, ..., MPI_SUCCESS);
        else if constexpr (function_id == MPI_SESSION_INIT_T) {
            detail::session_begin session(instance_);
            pass_on(arguments...);
            session.end(result_);
            if (result_ == MPI_SUCCESS && instance_.at_session_begin != nullptr)
                instance_.at_session_begin(instance_);
        } else if constexpr (detail::spawns(function_id)) {
            const detail::spawn_offer offer(instance_);
            pass_on(arguments...);
        } else
            pass_on(arguments...);
        return result_;
    }

    template <typename... Arguments>
    QMPI_INLINE void pass_on(const Arguments &...arguments) noexcept
    {
        const detail::link &next = instance_.next[function_id];
        result_ = reinterpret_cast<typename description::pointer>(next.function)(
            context_, next.tool_id, arguments...);
    }

    template <std::size_t... indices>
    QMPI_INLINE auto tie(std::index_sequence<indices...>)
    {
        return std::tie(detail::value<indices>(values_)...);
    }

    template <typename Visit, std::size_t... indices>
    QMPI_INLINE void each_argument(Visit &visit, std::index_sequence<indices...>)
    {
        (visit(std::integral_constant<std::size_t, indices>(), detail::value<indices>(values_)),
         ...);
    }

    template <typename Visit, std::size_t... indices>
    QMPI_INLINE void each_buffer(Visit &visit, std::index_sequence<indices...>)
    {
        (visit(buffer<indices>()), ...);
    }

    template <typename Count, typename Datatype, typename Displacements>
    struct buffer_argument {
        qmpi::direction direction;
        const void *address;
        Count count;
        Datatype datatype;
        Displacements displacements;

        static constexpr bool is_vector = std::is_pointer_v<Count>;
        static constexpr bool is_typed = !std::is_same_v<Datatype, MPI_Datatype>;
    };

    template <std::size_t n>
    QMPI_INLINE auto buffer()
    {
        static constexpr buffer_parameters indices = buffers[n];
        const auto count = [this] {
            if constexpr (indices.count == none)
                return ((void) this, 1);
            else if constexpr (indices.partitions != none)
                return detail::value<indices.partitions>(values_) *
                    static_cast<MPI_Count>(detail::value<indices.count>(values_));
            else
                return detail::value<indices.count>(values_);
        }();
        const auto displacements = [this] {
            if constexpr (indices.displacements == none)
                return ((void) this, nullptr);
            else
                return detail::value<indices.displacements>(values_);
        }();
        const auto datatype = detail::value<indices.datatype>(values_);
        return buffer_argument<std::remove_const_t<decltype(count)>,
                               std::remove_const_t<decltype(datatype)>,
                               std::remove_const_t<decltype(displacements)>>{
            indices.direction, detail::value<indices.address>(values_), count, datatype,
            displacements};
    }

    typename description::values values_;
    const detail::instance_base &instance_;
    MPI_Context context_;
    detail::call_state state_ = detail::call_state::nothing;
    result_type result_{};
};

/* The nth argument (from 0) with a role; does not compile if the function has none. */
template <role wanted, std::size_t nth = 0, MPI_Functions_enum id>
QMPI_INLINE auto &get(call<id> &call)
{
    constexpr std::size_t index = qmpi::call<id>::index(wanted, nth);
    static_assert(index != none, "the function has no argument of that role");
    return call.template argument<index>();
}

namespace detail {

/* Integer constants of the MPI ABI, such as MPI_PROC_NULL, are enumerators. */
template <typename Fallback>
using type_of_fallback = std::conditional_t<std::is_enum_v<Fallback>, int, Fallback>;

}  // namespace detail

/* The same by value. Returns the fallback if the function has no such argument or the argument does
 * not convert to the fallback's type. Does not compile if the argument is a wider integer. */
template <role wanted, std::size_t nth = 0, MPI_Functions_enum id, typename Fallback>
QMPI_INLINE detail::type_of_fallback<Fallback> get_or(const call<id> &call, Fallback fallback)
{
    constexpr std::size_t index = qmpi::call<id>::index(wanted, nth);
    (void) call;
    if constexpr (index != none) {
        using argument = std::tuple_element_t<index, typename qmpi::call<id>::arguments_type>;
        using wanted_type = detail::type_of_fallback<Fallback>;
        static_assert(!std::is_integral_v<argument> || !std::is_integral_v<wanted_type> ||
                          sizeof(argument) <= sizeof(wanted_type),
                      "the argument is wider than the fallback: pass MPI_Count{} or MPI_Aint{}");
        if constexpr (std::is_convertible_v<argument, wanted_type>)
            return call.template argument<index>();
        else
            return fallback;
    } else
        return fallback;
}

/* ---- calls of any function ---- */

namespace detail {

/* Address that is different for each type, within a library. */
template <typename Type>
QMPI_DETAIL_HIDDEN inline const char type_tag = 0;

struct any_argument {
    qmpi::role role;
    const void *type;
    std::optional<MPI_Count> (*number)(const void *); /* nullptr: not an integer */
};

template <typename Type>
std::optional<MPI_Count> number_of(const void *argument)
{
    return static_cast<MPI_Count>(*static_cast<const Type *>(argument));
}

template <typename Type>
constexpr any_argument any_argument_of(qmpi::role role)
{
    any_argument argument{role, &type_tag<std::remove_cv_t<Type>>, nullptr};
    if constexpr (std::is_integral_v<Type>)
        argument.number = number_of<Type>;
    return argument;
}

}  // namespace detail

/* One intercepted call of any function. A tool with a member
 *
 *     int intercept(qmpi::any_call &call) { return call(); }
 *
 * in place of a member template compiles in the time of a tool with a few members, since the code
 * for each function is in the library (libqmpi.a, see qmpi.pc). It costs 60 to 80 instructions more
 * per call. The member's result is the result of the call; it is ignored for the functions that
 * return a value. */
class any_call {
  public:
    MPI_Functions_enum id() const { return id_; }
    std::string_view name() const { return name_; }
    qmpi::operation operation() const { return operation_of(id_); }
    qmpi::form form() const { return form_of(id_); }
    bool is_collective() const { return qmpi::is_collective(id_); }
    bool is_in(const function_set &set) const { return set.contains(id_); }

    /* Calls the next link with the current arguments. MPI_SUCCESS for the functions that return a
     * value. */
    int operator()() noexcept { return result_ = make_(typed_); }

    /* Result of the last call(). */
    int result() const { return result_; }

    /* The nth argument (from 0) with a role, to read and write; nullptr if the function has none, or
     * one of another type. */
    template <typename Type>
    Type *argument(role wanted, std::size_t nth = 0)
    {
        const std::size_t i = index(wanted, nth);
        return i == none || arguments_[i].type != &detail::type_tag<Type>
            ? nullptr
            : static_cast<Type *>(values_[i]);
    }

    /* The same of any integer type, by value. */
    std::optional<MPI_Count> number(role wanted, std::size_t nth = 0) const
    {
        const std::size_t i = index(wanted, nth);
        return i == none || arguments_[i].number == nullptr ? std::nullopt
                                                            : arguments_[i].number(values_[i]);
    }

    bool has(role wanted, std::size_t nth = 0) const { return index(wanted, nth) != none; }

    /* Return address of the application's call; nullptr if unknown. */
    void *calling_address() const { return detail::calling_address(context_); }

    MPI_Context context() const { return context_; }

    any_call(const any_call &) = delete;
    any_call &operator=(const any_call &) = delete;

  protected:
    any_call(MPI_Functions_enum id, std::string_view name, MPI_Context context, void *typed,
             int (*make)(void *), const detail::any_argument *arguments, void *const *values,
             std::size_t size)
        : id_(id), name_(name), context_(context), typed_(typed), make_(make),
          arguments_(arguments), values_(values), size_(size)
    {
    }

  private:
    std::size_t index(role wanted, std::size_t nth) const
    {
        for (std::size_t i = 0; i < size_; i++) {
            if (arguments_[i].role == wanted && nth-- == 0)
                return i;
        }
        return none;
    }

    const MPI_Functions_enum id_;
    const std::string_view name_;
    const MPI_Context context_;
    void *const typed_;
    int (*const make_)(void *);
    const detail::any_argument *const arguments_;
    void *const *const values_;
    const std::size_t size_;
    int result_ = MPI_SUCCESS;
};

namespace detail {

/* An any_call for a call of one function. */
template <MPI_Functions_enum function_id>
class any_call_of : public any_call {
  public:
    QMPI_INLINE explicit any_call_of(call<function_id> &typed)
        : any_call(function_id, function<function_id>::name, typed.context(), &typed, make,
                   facts.data(), values_.data(), size)
    {
        typed.each_argument(
            [this](auto index, auto &value) { values_[index] = address_of(value); });
    }

  private:
    static constexpr std::size_t size = call<function_id>::parameters.size();
    using types = typename call<function_id>::arguments_type;

    template <typename Type>
    QMPI_INLINE static void *address_of(Type &value)
    {
        return const_cast<void *>(static_cast<const void *>(&value));
    }

    template <std::size_t... indices>
    static constexpr std::array<any_argument, size + 1> all(std::index_sequence<indices...>)
    {
        return {any_argument_of<std::tuple_element_t<indices, types>>(
            call<function_id>::parameters[indices].role)...};
    }

    static int make(void *typed)
    {
        const auto result = (*static_cast<call<function_id> *>(typed))();
        (void) result;
        if constexpr (call<function_id>::returns_error_code)
            return result;
        else
            return MPI_SUCCESS;
    }

    static constexpr std::array<any_argument, size + 1> facts =
        all(std::make_index_sequence<size>());
    std::array<void *, size + 1> values_;
};

/* Passes a call to the instance's member. */
template <MPI_Functions_enum id>
QMPI_INLINE typename function<id>::result intercept_any(call<id> &typed,
                                                        const instance_base &self) noexcept
{
    any_call_of<id> any(typed);
    int code = MPI_SUCCESS;
    const bool has_result = self.intercept(self, any, code);
    if constexpr (call<id>::returns_error_code) {
        if (has_result)
            return code;
    }
    return typed.finish();
}

/* Entry for tools with a member intercept(any_call &), in libqmpi.a; nullptr if the library lacks the
 * function. It finds the instance by its tool id. */
void (*any_entry_of(MPI_Functions_enum id))();
void add_any_instance(const instance_base &instance);

}  // namespace detail

/* ---- tools ---- */

template <typename Tool>
class tool;

namespace detail {

/* Instance whose tool is being constructed. Init callbacks run one at a time. */
QMPI_DETAIL_HIDDEN inline instance_base *under_construction = nullptr;

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
        for (instance<Tool> *own : *all) {
            if (own->has_begun)
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

/* True if calls must test whether the tool's object still exists. */
template <typename Tool>
inline constexpr bool can_end = !std::is_trivially_destructible_v<Tool>;

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
        (declares_at_session_begin<Tool> && id == MPI_SESSION_INIT_T) ||
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
            if constexpr (declares_at_session_begin<Tool>)
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

#endif /* QMPI_HPP_INCLUDED */
