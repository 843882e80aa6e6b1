/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls of any function, for tools that need no types. */

#ifndef QMPI_ANY_CALL_HPP_INCLUDED
#define QMPI_ANY_CALL_HPP_INCLUDED

#include "call.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace qmpi {
inline namespace v1 {

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

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_ANY_CALL_HPP_INCLUDED */
