/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles must not be used after they were freed, and must be freed before the end. */

#ifndef TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED
#define TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED

#include "functions.hpp"
#include "local_process.hpp"

#include <qmpi.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace qmpi::check {

/* Thread-safe. */
class HandleRules {
  public:
    explicit HandleRules(LocalProcess &process) : process_(process) {}

    /* Handle that a call frees, or nothing. */
    template <typename Call>
    std::optional<Handle> freed_by(Call &call)
    {
        std::optional<Handle> freed;
        if constexpr (Call::has(qmpi::effect::frees)) {
            call.each_argument([&](auto index, auto &value) {
                constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
                if constexpr (is_handle(parameter.role) &&
                              parameter.effect == qmpi::effect::frees) {
                    if (value != nullptr && can_be_freed<parameter.role>(*value))
                        freed = Handle{parameter.role, qmpi::handle_value(*value)};
                }
            });
        } else
            (void) call;
        return freed;
    }

    /* Before a call: checks all handle arguments. */
    template <typename Call>
    void check(Call &call, const Here &here)
    {
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (is_handle(parameter.role) &&
                          parameter.direction != qmpi::direction::out) {
                if constexpr (parameter.is_array) {
                    /* With a root, arrays are significant there only. */
                    if constexpr (parameter.length != qmpi::none && !Call::has(qmpi::role::root)) {
                        for (MPI_Count i = 0;
                             value != nullptr && i < call.template argument<parameter.length>();
                             i++)
                            check<parameter.role>(value[i], here);
                    }
                } else if constexpr (parameter.direction == qmpi::direction::in)
                    check<parameter.role>(value, here);
                else if (value != nullptr)
                    check<parameter.role>(*value, here);
            }
        });
    }

    /* After a successful call: records created and freed handles. */
    template <typename Call>
    void follow(Call &call, const Here &here, const std::optional<Handle> &freed)
    {
        if constexpr (Call::has(qmpi::effect::frees)) {
            if (freed)
                process_.handles.freed(*freed, process_.position(here));
        }
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (is_handle(parameter.role) &&
                          parameter.direction == qmpi::direction::out && !parameter.is_array) {
                made<parameter.role>(*value, here, parameter.effect != qmpi::effect::creates);
                if constexpr (parameter.role == qmpi::role::datatype)
                    follow_type(call, *value);
            }
        });
        if constexpr (Call::id == MPI_TYPE_GET_CONTENTS_T)
            follow_contents(call.template argument<0>(), call.template argument<6>(), here);
    }

    /* At MPI_Finalize: reports leaks. */
    void find_leaks();

    /* Before the last MPI_Session_finalize, after which the program may not free them (MPI 4.0, 11.3.1). */
    void find_leaks_of_session(const Here &here);

    /* At process exit, for objects that may be freed outside MPI_Init and MPI_Finalize (MPI 4.0,
     * 11.4.1). True if there are any. */
    bool find_leaks_of_process();

    int live_sessions() const;

  private:
    template <qmpi::role role, typename Value>
    bool can_be_freed(Value handle) const
    {
        if constexpr (role == qmpi::role::datatype) {
            if (process_.types.is_predefined(handle))
                return false;
        }
        /* MPICH 5 has handles of its own for the groups of its own communicators. */
        if constexpr (role == qmpi::role::group) {
            if (origin_of(handle) == Origin::library)
                return handle != MPI_GROUP_EMPTY;
        }
        return origin_of(handle) == Origin::program;
    }

    template <qmpi::role role, typename Value>
    void check(Value handle, const Here &here)
    {
        if (can_be_freed<role>(handle))
            check(Handle{role, qmpi::handle_value(handle)}, here);
    }

    template <qmpi::role role, typename Value>
    void made(Value handle, const Here &here, bool is_permanent)
    {
        if (can_be_freed<role>(handle))
            made(Handle{role, qmpi::handle_value(handle)}, here, is_permanent);
    }

    template <typename Call>
    void follow_type(Call &call, MPI_Datatype made)
    {
        constexpr std::size_t old = Call::index(qmpi::role::datatype);
        if constexpr (Call::is_in(qmpi::set::datatypes) &&
                      Call::parameters[old].direction == qmpi::direction::in) {
            if constexpr (!Call::parameters[old].is_array)
                process_.types.made(made, qmpi::get<qmpi::role::datatype>(call));
            else {
                std::vector<std::pair<MPI_Datatype, std::uint64_t>> parts;
                for (MPI_Count i = 0; i < call.template argument<0>(); i++)
                    parts.push_back({call.template argument<old>()[i],
                                     static_cast<std::uint64_t>(call.template argument<1>()[i])});
                process_.types.made(made, parts);
            }
        } else
            process_.types.forget(made);
    }

    void check(const Handle &handle, const Here &here);
    void made(const Handle &handle, const Here &here, bool is_permanent);
    void follow_contents(MPI_Datatype datatype, const MPI_Datatype *types, const Here &here);

    LocalProcess &process_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED */
