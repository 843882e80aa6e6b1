/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* An intercepted call and its arguments. */

#ifndef QMPI_CALL_HPP_INCLUDED
#define QMPI_CALL_HPP_INCLUDED

#include "instance.hpp"

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace qmpi {
inline namespace v1 {

namespace detail {

inline void *calling_address(MPI_Context context)
{
    void *address = nullptr;
    return QMPI_Get_calling_address(context, &address) == MPI_SUCCESS ? address : nullptr;
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

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_CALL_HPP_INCLUDED */
