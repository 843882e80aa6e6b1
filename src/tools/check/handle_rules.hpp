/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles must be those of objects that exist, and must be freed before the end. */

#ifndef TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED
#define TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED

#include "functions.hpp"
#include "local_process.hpp"
#include "significance.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
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
                if constexpr (is_followed(parameter.role) &&
                              parameter.effect == qmpi::effect::frees) {
                    if (value == nullptr || !can_be_freed<parameter.role>(*value))
                        return;
                    const Handle own{parameter.role, qmpi::handle_value(*value)};
                    /* Operations that complete at once may have one request; another thread may get the handle
                     * before the call returns. */
                    if (parameter.role != qmpi::role::request ||
                        (process_.handles.is_live(own) && !process_.is_multiple()))
                        freed = own;
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
            constexpr std::size_t own = decltype(index)::value;
            constexpr qmpi::parameter parameter = Call::parameters[own];
            const auto is_significant = [&] { return check::is_significant<own>(call, process_); };
            if constexpr (is_followed(parameter.role) && parameter.role != qmpi::role::keyval &&
                          parameter.direction != qmpi::direction::out &&
                          Call::operation != qmpi::operation::complete) {
                if (parameter.role == qmpi::role::request && !has_freed_requests_)
                    return;
                constexpr Use use{parameter.name, may_be_unknown<Call, own>()};
                if constexpr (parameter.is_array) {
                    /* With a root, arrays are significant there only. */
                    if constexpr (parameter.length != qmpi::none && !Call::has(qmpi::role::root)) {
                        for (MPI_Count i = 0;
                             value != nullptr && i < call.template argument<parameter.length>();
                             i++)
                            check<parameter.role>(value[i], here, use, [&] {
                                return is_significant_element<own>(call, i);
                            });
                    }
                } else if constexpr (parameter.direction == qmpi::direction::in &&
                                     Call::operation != qmpi::operation::cancel)
                    check<parameter.role>(value, here, use, is_significant);
                else if (value != nullptr)
                    check<parameter.role>(*value, here, use, is_significant);
            }
        });
    }

    /* After a successful call: records created and freed handles. */
    template <typename Call>
    void follow(Call &call, const Here &here, const std::optional<Handle> &freed)
    {
        if constexpr (Call::has(qmpi::effect::frees)) {
            if (freed) {
                process_.handles.freed(*freed, process_.position(here));
                has_freed_requests_ = has_freed_requests_ || Call::id == MPI_REQUEST_FREE_T;
            }
        }
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (is_handle(parameter.role) &&
                          parameter.direction == qmpi::direction::out && !parameter.is_array) {
                made<parameter.role>(*value, here, parameter.effect != qmpi::effect::creates);
                if constexpr (parameter.role == qmpi::role::datatype)
                    follow_type(call, *value);
            } else if constexpr (parameter.role == qmpi::role::request &&
                                 parameter.direction == qmpi::direction::out && !parameter.is_array)
                /* A generalized request is never persistent. */
                made_request(*value,
                             parameter.effect == qmpi::effect::creates &&
                                 Call::operation != qmpi::operation::create);
        });
        if constexpr (Call::id == MPI_TYPE_GET_CONTENTS_T)
            follow_contents(call.template argument<0>(), call.template argument<6>(), here);
    }

    /* After a call that has failed: it may have made an object all the same. */
    template <typename Call>
    void follow_failure(Call &)
    {
        if constexpr (Call::has(qmpi::effect::creates))
            has_unknown_ = true;
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
    /* Of requests: persistent ones. Their leaks are those of operations. */
    static constexpr bool is_followed(qmpi::role role)
    {
        return is_handle(role) || role == qmpi::role::request;
    }

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

    /* A handle argument. */
    struct Use {
        std::string_view name;
        bool may_be_unknown; /* it can be that of an object which no call has returned */
    };

    /* The Fortran binding makes datatypes of strided sections, requests have a table of their own, and no
     * tool sees what a program makes before MPI_Init. */
    template <typename Call, std::size_t i>
    static constexpr bool may_be_unknown()
    {
        using qmpi::role;
        const role own = Call::parameters[i].role;
        return own == role::request || own == role::info || own == role::errhandler ||
            own == role::session || (own == role::datatype && !Call::is_in(qmpi::set::datatypes));
    }

    /* is_significant: called for handles that are not those of an object */
    template <qmpi::role role, typename Value, typename IsSignificant>
    void check(Value handle, const Here &here, const Use &use, IsSignificant is_significant)
    {
        if (!can_be_freed<role>(handle))
            return;
        const Handle own{role, qmpi::handle_value(handle)};
        const Handles::Known known = process_.handles.known_of(own);
        if (known.freed) {
            if (is_significant())
                report_freed(own, *known.freed, here);
        } else if (!known.is_any && !use.may_be_unknown && !has_unknown_ &&
                   has_type<role>(handle) && is_significant())
            report_unknown(use.name, here);
    }

    template <qmpi::role role, typename Value>
    void made(Value handle, const Here &here, bool is_permanent)
    {
        if (can_be_freed<role>(handle))
            made(Handle{role, qmpi::handle_value(handle)}, here, is_permanent);
    }

    /* The handle may be that of a request that was freed. */
    void made_request(MPI_Request request, bool is_persistent)
    {
        if (!is_persistent && !has_freed_requests_)
            return;
        const Handle handle{qmpi::role::request, qmpi::handle_value(request)};
        if (is_persistent)
            process_.handles.seen(handle);
        else
            process_.handles.forget(handle);
    }

    template <typename Call>
    void follow_type(Call &call, MPI_Datatype made)
    {
        constexpr std::size_t old = Call::index(qmpi::role::datatype);
        if constexpr (Call::is_in(qmpi::set::datatypes) &&
                      Call::parameters[old].direction == qmpi::direction::in) {
            std::function<Types::Blocks()> blocks;
            if constexpr (places_blocks<Call>())
                blocks = [&] { return blocks_of(call); };
            if constexpr (!Call::parameters[old].is_array)
                process_.types.made(made, qmpi::get<qmpi::role::datatype>(call), blocks);
            else {
                std::vector<std::pair<MPI_Datatype, std::uint64_t>> parts;
                for (MPI_Count i = 0; i < call.template argument<0>(); i++)
                    parts.push_back({call.template argument<old>()[i],
                                     static_cast<std::uint64_t>(call.template argument<1>()[i])});
                process_.types.made(made, parts, blocks);
            }
        } else
            process_.types.forget(made);
    }

    /* The constructor gets the place of each block of its type, which others may overlap. */
    template <typename Call>
    static constexpr bool places_blocks()
    {
        return Call::index("array_of_displacements") != qmpi::none ||
            Call::index("stride") != qmpi::none;
    }

    /* Blocks of a type whose old types are contiguous. */
    template <typename Call>
    Types::Blocks blocks_of(Call &call)
    {
        constexpr qmpi::function_set in_extents(
            MPI_TYPE_VECTOR_T, MPI_TYPE_VECTOR_C_T, MPI_TYPE_INDEXED_T, MPI_TYPE_INDEXED_C_T,
            MPI_TYPE_CREATE_INDEXED_BLOCK_T, MPI_TYPE_CREATE_INDEXED_BLOCK_C_T);
        constexpr std::size_t places = Call::index("array_of_displacements"),
                              stride = Call::index("stride"),
                              lengths = Call::index("array_of_blocklengths"),
                              old = Call::index(qmpi::role::datatype);
        /* Block i, of a type with that extent */
        const auto block = [&](MPI_Count i, MPI_Count extent) -> Types::Block {
            MPI_Count begin, number;
            if constexpr (places != qmpi::none)
                begin = static_cast<MPI_Count>(call.template argument<places>()[i]);
            else
                begin = i * static_cast<MPI_Count>(call.template argument<stride>());
            if constexpr (lengths != qmpi::none)
                number = static_cast<MPI_Count>(call.template argument<lengths>()[i]);
            else
                number =
                    static_cast<MPI_Count>(call.template argument<Call::index("blocklength")>());
            begin *= in_extents.contains(Call::id) ? extent : 1;
            return {begin, begin + number * extent};
        };
        auto count = static_cast<MPI_Count>(call.template argument<0>());
        if constexpr (stride != qmpi::none)
            count = std::min<MPI_Count>(count, 2); /* the others are as far from each other */
        Types::Blocks blocks;
        for (MPI_Count i = 0; i < count; i++) {
            MPI_Datatype datatype;
            if constexpr (Call::parameters[old].is_array)
                datatype = call.template argument<old>()[i];
            else
                datatype = call.template argument<old>();
            const Types::Shared type = process_.types.of(datatype);
            const Types::Block own = block(i, type != nullptr ? type->extent : 0);
            if (own.first != own.second)
                blocks.push_back(own);
        }
        return blocks;
    }

    void report_freed(const Handle &handle, const Position &end, const Here &here);
    void report_unknown(std::string_view name, const Here &here);
    void made(const Handle &handle, const Here &here, bool is_permanent);
    void follow_contents(MPI_Datatype datatype, const MPI_Datatype *types, const Here &here);

    LocalProcess &process_;
    std::atomic<bool> has_freed_requests_{false};
    std::atomic<bool> has_unknown_{false}; /* a call that failed may have made an object */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_HANDLE_RULES_HPP_INCLUDED */
