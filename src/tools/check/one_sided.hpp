/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One-sided communication: accesses need an epoch and must not conflict within it. */

#ifndef TOOLS_CHECK_ONE_SIDED_HPP_INCLUDED
#define TOOLS_CHECK_ONE_SIDED_HPP_INCLUDED

#include "agreement.hpp"
#include "functions.hpp"
#include "local_process.hpp"
#include "operations.hpp"
#include "waiting.hpp"
#include "window_events.hpp"

#include "../common/process.hpp"

#include <qmpi.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi::check {

/* Memory at the origin of operations without a request that are not complete there. Thread-safe. */
class Origins {
  public:
    explicit Origins(LocalProcess &process) : process_(process) {}

    void add(MPI_Win window, int target, Pending &pending, Operations &operations);

    /* A synchronization with a target, or MPI_ANY_SOURCE for all. Includes operations with a
     * request. */
    void end(MPI_Win window, int target, Operations &operations);

  private:
    static constexpr std::size_t limit = 4096; /* of a window; later ones are not checked */

    LocalProcess &process_;
    std::mutex lock_;
    std::unordered_map<MPI_Win, std::vector<std::pair<int, Pending>>> uses_; /* by target */
};

/* Thread-safe. */
class OneSided {
  public:
    OneSided(LocalProcess &process, Operations &operations, Waiting &waiting)
        : process_(process), operations_(operations), waiting_(waiting)
    {
    }

    template <typename Call>
    int intercept(Call &call, const Here &here)
    {
        const MPI_Win window = handle_of<qmpi::role::window>(call);
        const int target = qmpi::get_or<qmpi::role::target>(
            call, qmpi::get_or<qmpi::role::rank>(call, MPI_PROC_NULL));
        if (process_.is_multiple())
            use(call, window, target, here);
        if constexpr (Call::has(qmpi::role::target)) {
            if (target != MPI_PROC_NULL) {
                compare_types(call, here);
                if (has_epoch(window, target, here)) {
                    if constexpr (has_request<Call>())
                        check_request(window, target, here);
                    windows_.accessed(window);
                    check_conflict(call, here, window, target);
                }
            }
        } else if constexpr (uses_epoch(Call::id)) {
            if (!Call::has(qmpi::role::rank) || target != MPI_PROC_NULL)
                check_epoch(window, target, here);
            if constexpr (Call::id == MPI_WIN_FENCE_T)
                check_fence(window, qmpi::get<qmpi::role::assertion>(call), here);
        }
        if constexpr (may_order(Call::operation)) /* its own access has the old order */
            process_.lose_order(function_name(Call::id));
        if constexpr (Call::id == MPI_WIN_SHARED_QUERY_T)
            lose_order_of_stores(window);
        if constexpr (ends_accesses(Call::operation) || Call::operation == qmpi::operation::free)
            origins_.end(window, Call::has(qmpi::role::rank) ? target : MPI_ANY_SOURCE,
                         operations_);
        const int error_code = [&] {
            if constexpr (may_block(Call::id)) {
                const Position position = process_.position(here);
                const Blocked blocked(waiting_,
                                      {position, false, expected_by(call, window, position)});
                return operations_.go(call);
            } else
                return go(call, here, window, target);
        }();
        if (error_code == MPI_SUCCESS) {
            follow_epochs(call, window, target);
            follow_locks(call, here, window, target);
        }
        return error_code;
    }

    template <typename Call>
    void follow_window(Call &call)
    {
        if constexpr (Call::has(qmpi::role::window) && Call::has(qmpi::effect::creates) &&
                      Call::is_collective)
            made(*qmpi::get<qmpi::role::window>(call), qmpi::get<qmpi::role::communicator>(call),
                 Call::id == MPI_WIN_CREATE_DYNAMIC_T,
                 qmpi::get<qmpi::role::info>(call) != MPI_INFO_NULL);
        else
            (void) call;
    }

  private:
    /* A flush begins and ends no epoch. */
    template <typename Call>
    void use(Call &, MPI_Win window, int target, const Here &here)
    {
        (void) window, (void) target, (void) here;
        if constexpr (Call::has(qmpi::role::target))
            events_.use(window, Use::Kind::access, target, process_.position(here));
        else if constexpr (ends_accesses(Call::operation) &&
                           Call::operation != qmpi::operation::flush &&
                           Call::operation != qmpi::operation::sync)
            events_.use(window, Use::Kind::synchronization,
                        Call::has(qmpi::role::rank) ? target : MPI_ANY_SOURCE,
                        process_.position(here));
    }

    /* The origin is in use until the next synchronization with the target, or until the program
     * knows by the request that the operation is complete. */
    template <typename Call>
    int go(Call &call, const Here &here, MPI_Win window, int target)
    {
        (void) here, (void) window;
        if constexpr (!Call::has(qmpi::role::target))
            return operations_.go(call);
        else {
            if (target == MPI_PROC_NULL) {
                if constexpr (has_request<Call>()) {
                    Pending pending;
                    pending.position = process_.position(here);
                    return operations_.start(call, pending);
                } else
                    return operations_.go(call);
            }
            Pending pending = operations_.describe(call, here);
            if constexpr (has_request<Call>()) {
                pending.window = window;
                pending.target = target;
                if constexpr (Call::operation == qmpi::operation::get)
                    pending.reads = events_.reads(window, target);
                return operations_.start(call, pending);
            } else {
                const int error_code = operations_.go(call);
                if (error_code == MPI_SUCCESS)
                    origins_.add(window, target, pending, operations_);
                return error_code;
            }
        }
    }

    /* Number of the parameter of the target: of origin, result and target. */
    template <typename Call>
    static constexpr std::size_t of_target(qmpi::role role)
    {
        return Call::has(role, 2) ? 2 : Call::has(role, 1) ? 1 : 0;
    }

    template <typename Call>
    static AccessEvent::Kind kind_of(Call &call)
    {
        if constexpr (Call::operation == qmpi::operation::get)
            return AccessEvent::Kind::get;
        else if constexpr (Call::operation == qmpi::operation::put)
            return AccessEvent::Kind::put;
        else if constexpr (Call::operation == qmpi::operation::fetch)
            return qmpi::get<qmpi::role::operation>(call) == MPI_NO_OP
                ? AccessEvent::Kind::fetch
                : AccessEvent::Kind::accumulate;
        else
            return AccessEvent::Kind::accumulate;
    }

    template <typename Call>
    void check_conflict(Call &call, const Here &here, MPI_Win window, int target)
    {
        using qmpi::role;
        AccessEvent event;
        event.position = process_.position(here);
        event.kind = kind_of(call);
        event.displacement = qmpi::get<role::displacement>(call);
        const MPI_Datatype datatype =
            qmpi::get<role::datatype, of_target<Call>(role::datatype)>(call);
        MPI_Count count = 1;
        if constexpr (Call::has(role::count))
            count =
                static_cast<MPI_Count>(qmpi::get<role::count, of_target<Call>(role::count)>(call));
        if constexpr (Call::has(role::operation)) {
            if (event.kind == AccessEvent::Kind::accumulate)
                event.operation = qmpi::handle_value(qmpi::get<role::operation>(call));
        }
        /* A request may complete before the epoch does. */
        if constexpr (!(Call::operation == qmpi::operation::get && has_request<Call>())) {
            if (count != 0)
                note_access({window, target, qmpi::get<role::displacement>(call), event.kind},
                            datatype, event.position);
        }
        events_.access(window, target, std::move(event), count, datatype);
    }

    struct Part {
        const char *name;
        MPI_Count count;
        MPI_Datatype datatype;
    };

    template <std::size_t number, typename Call>
    static Part part(const char *name, Call &call)
    {
        return {name, static_cast<MPI_Count>(qmpi::get<qmpi::role::count, number>(call)),
                qmpi::get<qmpi::role::datatype, number>(call)};
    }

    /* The data of one side must fit in the other side, as that of a message (MPI 4.0, 12.3). */
    template <typename Call>
    void compare_types(Call &call, const Here &here)
    {
        if constexpr (Call::has(qmpi::role::count, 1)) {
            constexpr std::size_t last = of_target<Call>(qmpi::role::count);
            const Part origin = part<0>("the origin", call),
                       target = part<last>("the target", call);
            if constexpr (Call::operation == qmpi::operation::get)
                compare(target, origin, here);
            else if (kind_of(call) != AccessEvent::Kind::fetch)
                compare(origin, target, here);
            if constexpr (last == 2)
                compare(target, part<1>("the result", call), here);
        }
    }

    /* Begins or ends an epoch, or needs one. */
    static constexpr bool uses_epoch(int function)
    {
        constexpr qmpi::function_set functions(
            MPI_WIN_FENCE_T, MPI_WIN_FREE_T, MPI_WIN_LOCK_T, MPI_WIN_UNLOCK_T, MPI_WIN_LOCK_ALL_T,
            MPI_WIN_UNLOCK_ALL_T, MPI_WIN_FLUSH_T, MPI_WIN_FLUSH_ALL_T, MPI_WIN_FLUSH_LOCAL_T,
            MPI_WIN_FLUSH_LOCAL_ALL_T, MPI_WIN_START_T, MPI_WIN_COMPLETE_T, MPI_WIN_POST_T,
            MPI_WIN_WAIT_T, MPI_WIN_TEST_T);
        return functions.contains(function);
    }

    /* The process may learn from it that another one has completed an access. */
    static constexpr bool may_order(qmpi::operation operation)
    {
        switch (operation) {
        case qmpi::operation::fetch:
        case qmpi::operation::compare_and_swap:
        case qmpi::operation::sync:
        case qmpi::operation::start_access:
        case qmpi::operation::start_exposure:
        case qmpi::operation::end_exposure:
            return true;
        default:
            return false;
        }
    }

    /* Until another process makes a call for the window. */
    static constexpr bool may_block(int function)
    {
        constexpr qmpi::function_set functions(MPI_WIN_FENCE_T, MPI_WIN_FREE_T, MPI_WIN_LOCK_T,
                                               MPI_WIN_LOCK_ALL_T, MPI_WIN_START_T,
                                               MPI_WIN_COMPLETE_T, MPI_WIN_WAIT_T);
        return functions.contains(function);
    }

    template <typename Call>
    Expectations expected_by(Call &call, MPI_Win window, const Position &position)
    {
        if constexpr (Call::id == MPI_WIN_FENCE_T)
            return events_.fence(window, qmpi::get<qmpi::role::assertion>(call), position,
                                 agreed_by(call));
        else if constexpr (Call::id == MPI_WIN_FREE_T)
            return events_.free(window, position);
        else if constexpr (Call::id == MPI_WIN_START_T)
            return events_.start(window, qmpi::get<qmpi::role::group>(call));
        else if constexpr (Call::id == MPI_WIN_COMPLETE_T)
            return events_.complete(window);
        else if constexpr (Call::id == MPI_WIN_WAIT_T)
            return events_.wait(window);
        else
            return events_.lock(window);
    }

    /* After they were made. */
    template <typename Call>
    void follow_locks(Call &call, const Here &here, MPI_Win window, int target)
    {
        constexpr auto id = Call::id;
        (void) call, (void) here, (void) window, (void) target;
        if constexpr (id == MPI_WIN_LOCK_T)
            events_.locked(window, target, call.template argument<0>() == MPI_LOCK_EXCLUSIVE);
        else if constexpr (id == MPI_WIN_LOCK_ALL_T)
            events_.locked(window, -1, false);
        else if constexpr (id == MPI_WIN_UNLOCK_T)
            events_.unlocked(window, target);
        else if constexpr (id == MPI_WIN_UNLOCK_ALL_T)
            events_.unlocked(window, -1);
        else if constexpr (id == MPI_WIN_FLUSH_T)
            events_.flushed(window, target, false);
        else if constexpr (id == MPI_WIN_FLUSH_ALL_T)
            events_.flushed(window, -1, false);
        else if constexpr (id == MPI_WIN_FLUSH_LOCAL_T)
            events_.flushed(window, target, true);
        else if constexpr (id == MPI_WIN_FLUSH_LOCAL_ALL_T)
            events_.flushed(window, -1, true);
        else if constexpr (id == MPI_WIN_START_T)
            events_.started(window, qmpi::get<qmpi::role::group>(call));
        else if constexpr (id == MPI_WIN_COMPLETE_T)
            events_.completed(window);
        else if constexpr (id == MPI_WIN_POST_T)
            events_.exposed(window, qmpi::get<qmpi::role::group>(call),
                            qmpi::get<qmpi::role::assertion>(call), process_.position(here));
    }

    template <typename Call>
    void follow_epochs(Call &call, MPI_Win window, int target)
    {
        constexpr auto id = Call::id;
        (void) call, (void) window, (void) target;
        if constexpr (ends_accesses(Call::operation))
            windows_.synchronized(window, Call::has(qmpi::role::rank) ? target : MPI_ANY_SOURCE,
                                  id != MPI_WIN_FLUSH_LOCAL_T && id != MPI_WIN_FLUSH_LOCAL_ALL_T);
        if constexpr (id == MPI_WIN_FREE_T)
            windows_.freed(window);
        else if constexpr (id == MPI_WIN_FENCE_T)
            windows_.fenced(window, qmpi::get<qmpi::role::assertion>(call));
        else if constexpr (id == MPI_WIN_START_T)
            windows_.started(window, ranks_in(window, qmpi::get<qmpi::role::group>(call)));
        else if constexpr (id == MPI_WIN_COMPLETE_T)
            windows_.completed(window);
        else if constexpr (id == MPI_WIN_POST_T || id == MPI_WIN_WAIT_T)
            windows_.exposed(window, id == MPI_WIN_POST_T);
        else if constexpr (id == MPI_WIN_TEST_T) {
            if (*qmpi::get<qmpi::role::flag>(call))
                windows_.exposed(window, false);
        } else if constexpr (id == MPI_WIN_LOCK_T || id == MPI_WIN_UNLOCK_T) {
            if (target != MPI_PROC_NULL)
                windows_.locked(window, target, id == MPI_WIN_LOCK_T);
        } else if constexpr (id == MPI_WIN_LOCK_ALL_T || id == MPI_WIN_UNLOCK_ALL_T)
            windows_.locked_all(window, id == MPI_WIN_LOCK_ALL_T);
        else if constexpr (id == MPI_WIN_SET_INFO_T)
            events_.changed_info(window);
    }

    struct Access {
        MPI_Win window;
        int target;
        MPI_Aint displacement;
        AccessEvent::Kind kind;
    };

    void made(MPI_Win window, MPI_Comm comm, bool is_dynamic, bool has_info);
    void lose_order_of_stores(MPI_Win window);
    std::string rank_of(MPI_Win window, int target) const;
    static std::vector<int> ranks_in(MPI_Win window, MPI_Group group);
    bool has_epoch(MPI_Win window, int target, const Here &here);
    void check_request(MPI_Win window, int target, const Here &here);
    void check_epoch(MPI_Win window, int target, const Here &here);
    void check_fence(MPI_Win window, int assertion, const Here &here);
    void compare(const Part &sent, const Part &received, const Here &here);
    void note_access(const Access &access, MPI_Datatype datatype, const Position &position);

    LocalProcess &process_;
    Operations &operations_;
    Waiting &waiting_;
    Windows windows_;
    Origins origins_{process_};
    WindowEvents events_{process_};
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_ONE_SIDED_HPP_INCLUDED */
