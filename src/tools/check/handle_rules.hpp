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
#include <type_traits>
#include <utility>
#include <vector>

namespace tools::check {

/* Thread-safe. */
class HandleRules {
  public:
    explicit HandleRules(LocalProcess &process) : process_(process) {}

    struct Freed {
        bool exists = false;
        Handle handle{};
    };

    template <typename Call>
    Freed freed_by(Call &call)
    {
        Freed freed;
        if constexpr (Call::has(qmpi::effect::frees)) {
            call.each_argument([&](auto index, auto &value) {
                constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
                if constexpr (is_handle(parameter.role) &&
                              parameter.effect == qmpi::effect::frees)
                    freed = {value != nullptr,
                             {parameter.role, value == nullptr ? 0 : value_of(*value)}};
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
                using Value = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, MPI_File>)
                    check({parameter.role, value_of(value)}, here);
                else if constexpr (!parameter.is_array) {
                    if (value != nullptr)
                        check({parameter.role, value_of(*value)}, here);
                } else if constexpr (parameter.length != qmpi::none) {
                    for (MPI_Count i = 0; i < call.template argument<parameter.length>(); i++)
                        check({parameter.role, value_of(value[i])}, here);
                }
            }
        });
    }

    /* After a successful call: records created and freed handles. */
    template <typename Call>
    void follow(Call &call, const Here &here, const Freed &freed)
    {
        if (freed.exists && can_be_freed(freed.handle))
            process_.handles.freed(freed.handle, process_.position(here));
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (is_handle(parameter.role) &&
                          parameter.direction == qmpi::direction::out && !parameter.is_array) {
                made({parameter.role, value_of(*value)}, here,
                     parameter.effect != qmpi::effect::creates);
                if constexpr (parameter.role == qmpi::role::datatype)
                    follow_type(call, *value);
            }
        });
        if constexpr (Call::id == MPI_TYPE_GET_CONTENTS_T)
            follow_contents(call.template argument<0>(), call.template argument<6>(), here);
    }

    /* At MPI_Finalize: reports leaks. */
    void find_leaks();

    /* At process exit, for objects that may be freed outside MPI_Init and MPI_Finalize (MPI 4.0,
     * 11.4.1). True if there are any. Without comparison of processes. */
    bool find_leaks_of_process();

    bool has_live_session() const;

  private:
    static std::uint64_t value_of(int handle) { return static_cast<unsigned>(handle); }
    static std::uint64_t value_of(MPI_File file) { return reinterpret_cast<std::uintptr_t>(file); }

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

    bool can_be_freed(const Handle &handle) const;
    void check(const Handle &handle, const Here &here);
    void made(const Handle &handle, const Here &here, bool is_permanent);
    void follow_contents(MPI_Datatype datatype, const MPI_Datatype *types, const Here &here);

    LocalProcess &process_;
};

}  // namespace tools::check

#endif /* TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED */
