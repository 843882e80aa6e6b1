/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One-sided operations. Each process knows what the memory of all windows must have. */

#ifndef WINDOWS_HPP
#define WINDOWS_HPP

#include "script.hpp"

namespace windows {

enum class Flavor { allocate, create, dynamic, shared };

struct Window {
    MPI_Win handle = MPI_WIN_NULL;
    std::shared_ptr<Comm> comm;
    Flavor flavor;
    std::vector<std::vector<int>> model; /* content by rank, ints */
    std::vector<MPI_Aint> addresses;     /* of dynamic ones */
    std::vector<int> own;
    int *memory = nullptr;
    std::vector<int> units; /* displacement unit by rank */
    int size(int rank) const { return static_cast<int>(model[static_cast<size_t>(rank)].size()); }
    MPI_Aint place(int rank, int index) const
    {
        const size_t r = static_cast<size_t>(rank);
        return flavor == Flavor::dynamic ? addresses[r] + index * 4 : index * 4 / units[r];
    }
};

enum class Call { put, get, accumulate, get_accumulate, fetch, swap };

struct Access {
    Call call;
    int origin, target, first, count,
        stride; /* elements first, first + stride, ... of the target */
    int gap;    /* stride of the origin */
    bool has_request, is_large;
    uint64_t key;
    std::vector<int> places() const
    {
        std::vector<int> all;
        for (int i = 0; i < count; i++)
            all.push_back(first + i * stride);
        return all;
    }
};

struct Origin {
    std::vector<int> data, result;
    int compare = 0;
    std::vector<MPI_Datatype> types;
    std::vector<int> expected;
    Access access;
    ~Origin()
    {
        for (MPI_Datatype &one : types)
            MPI_Type_free(&one);
    }
};

inline MPI_Datatype strided(Origin &origin, int count, int stride)
{
    MPI_Datatype made;
    MPI_Type_vector(count, 1, stride, MPI_INT, &made);
    MPI_Type_commit(&made);
    origin.types.push_back(made);
    return made;
}

/* Accesses that do not conflict: a part of a target is of one access, or of accumulates with one operation. */
inline std::vector<Access> drawn(Script &script, const Window &window, bool can_request,
                                 const std::vector<int> &targets, const std::vector<int> &origins)
{
    Random &draw = script.draw;
    std::vector<Access> all;
    for (int target : targets) {
        int next = 0;
        const bool sums = draw.chance(30);
        while (next < window.size(target) && draw.chance(75)) {
            Access one;
            one.target = target;
            one.origin = draw.of(origins);
            one.first = next + draw.below(3);
            one.count = draw.chance(8) ? 0 : draw.between(1, 4);
            one.stride = draw.between(1, 3);
            one.gap = draw.between(1, 3);
            one.key = script.key();
            one.has_request = can_request && draw.chance(25);
            one.is_large = draw.chance(15);
            one.call = static_cast<Call>(draw.below(6));
            if (one.call >= Call::fetch)
                one.count = one.stride = one.gap = 1;
            if (one.call >= Call::fetch)
                one.has_request = false;
            const int end = one.first + std::max(one.count - 1, 0) * one.stride + 1;
            if (end > window.size(target))
                break;
            next = end;
            all.push_back(one);
            if (one.call == Call::get && draw.chance(50)) {
                one.origin = draw.of(origins);
                all.push_back(one);
            }
            if (one.call == Call::accumulate && sums)
                for (int i = draw.below(3); i > 0; i--) {
                    one.origin = draw.of(origins);
                    one.key = script.key();
                    all.push_back(one);
                }
        }
    }
    draw.shuffle(all);
    return all;
}

inline int value(const Access &access, int i)
{
    return value_of(access.key, static_cast<size_t>(i));
}

/* Makes the call; request: of those that have one. */
inline std::shared_ptr<Origin> make(Script &script, const Window &window, const Access &access,
                                    MPI_Request *request)
{
    auto origin = std::make_shared<Origin>();
    origin->access = access;
    const int n = access.count;
    origin->data.assign(static_cast<size_t>(n * access.gap) + 1, -1);
    origin->result.assign(static_cast<size_t>(n * access.gap) + 1, -1);
    for (int i = 0; i < n; i++)
        origin->data[static_cast<size_t>(i * access.gap)] = value(access, i);
    for (int at : access.places())
        origin->expected.push_back(
            window.model[static_cast<size_t>(access.target)][static_cast<size_t>(at)]);
    const bool is_plain = access.gap == 1 && access.stride == 1 && script.own.chance(70);
    const MPI_Datatype here = is_plain ? MPI_INT : strided(*origin, n, access.gap),
                       there = is_plain ? MPI_INT : strided(*origin, n, access.stride);
    const int count = is_plain ? n : 1;
    const MPI_Aint at = window.place(access.target, access.first);
    int *const data = origin->data.data(), *const result = origin->result.data();
    switch (access.call) {
    case Call::put:
        if (request)
            MPI_Rput(data, count, here, access.target, at, count, there, window.handle, request);
        else if (access.is_large)
            MPI_Put_c(data, count, here, access.target, at, count, there, window.handle);
        else
            MPI_Put(data, count, here, access.target, at, count, there, window.handle);
        break;
    case Call::get:
        if (request)
            MPI_Rget(result, count, here, access.target, at, count, there, window.handle, request);
        else
            MPI_Get(result, count, here, access.target, at, count, there, window.handle);
        break;
    case Call::accumulate:
        if (request)
            MPI_Raccumulate(data, count, here, access.target, at, count, there, MPI_SUM,
                            window.handle, request);
        else
            MPI_Accumulate(data, count, here, access.target, at, count, there, MPI_SUM,
                           window.handle);
        break;
    case Call::get_accumulate: {
        const bool only_gets = access.key % 3 == 0;
        void *const from = only_gets ? junk_pointer(script) : data;
        if (request)
            MPI_Rget_accumulate(only_gets ? data : from, count, here, result, count, here,
                                access.target, at, count, there, only_gets ? MPI_NO_OP : MPI_SUM,
                                window.handle, request);
        else
            MPI_Get_accumulate(only_gets ? data : from, count, here, result, count, here,
                               access.target, at, count, there, only_gets ? MPI_NO_OP : MPI_SUM,
                               window.handle);
        break;
    }
    case Call::fetch:
        MPI_Fetch_and_op(data, result, MPI_INT, access.target, at, MPI_REPLACE, window.handle);
        break;
    default:
        origin->compare = origin->expected[0];
        MPI_Compare_and_swap(data, &origin->compare, result, MPI_INT, access.target, at,
                             window.handle);
    }
    return origin;
}

inline void apply(Window &window, const Access &access)
{
    std::vector<int> &memory = window.model[static_cast<size_t>(access.target)];
    int i = 0;
    for (int at : access.places()) {
        int &old = memory[static_cast<size_t>(at)];
        const int next = value(access, i++);
        if (access.call == Call::put || access.call >= Call::fetch)
            old = next;
        else if (access.call == Call::accumulate ||
                 (access.call == Call::get_accumulate && access.key % 3 != 0))
            old += next;
    }
}

inline void check(Script &script, const Origin &origin)
{
    const Access &access = origin.access;
    if (access.call == Call::put || access.call == Call::accumulate)
        return;
    for (int i = 0; i < access.count; i++)
        script.expect(origin.result[static_cast<size_t>(i * access.gap)] ==
                          origin.expected[static_cast<size_t>(i)],
                      "wrong data from a window");
}

inline void check_memory(Script &script, const Window &window, int me)
{
    const std::vector<int> &model = window.model[static_cast<size_t>(me)];
    for (size_t i = 0; i < model.size(); i++)
        script.expect(window.memory[i] == model[i], "wrong data in a window");
}

inline std::shared_ptr<Window> create(Script &script, const std::shared_ptr<Comm> &comm)
{
    Random &draw = script.draw;
    auto window = std::make_shared<Window>();
    window->comm = comm;
    const bool has_info = draw.chance(20), has_name = draw.chance(10);
    window->flavor = static_cast<Flavor>(draw.below(4));
    if (window->flavor == Flavor::shared && !Script::is_one_node)
        window->flavor = Flavor::allocate;
    const int me = comm->rank(script.me);
    const uint64_t key = script.key();
    for (int i = 0; i < comm->size(); i++) {
        /* MPICH misplaces memory after that of a process with another size. */
        const int n = (draw.chance(15) ? 0 : draw.between(1, 20)) * 4;
        window->units.push_back(
            window->flavor == Flavor::shared ? 4 : draw.of(std::vector<int>{1, 2, 4, 4}));
        window->model.emplace_back();
        for (int k = 0; k < n; k++)
            window->model.back().push_back(
                value_of(key + static_cast<uint64_t>(i) * 64, static_cast<size_t>(k)));
    }
    if (me < 0)
        return window;
    const size_t my = static_cast<size_t>(me);
    const MPI_Aint bytes = window->size(me) * 4;
    MPI_Info info = MPI_INFO_NULL;
    if (has_info) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "same_disp_unit", "false");
    }
    window->own = window->model[my];
    window->own.push_back(0);
    switch (window->flavor) {
    case Flavor::allocate:
        MPI_Win_allocate(bytes, window->units[my], info, comm->handle, &window->memory,
                         &window->handle);
        break;
    case Flavor::shared:
        MPI_Win_allocate_shared(bytes, 4, info, comm->handle, &window->memory, &window->handle);
        break;
    case Flavor::create:
        window->memory = window->own.data();
        MPI_Win_create(window->memory, bytes, window->units[my], info, comm->handle,
                       &window->handle);
        break;
    default: {
        window->memory = window->own.data();
        MPI_Win_create_dynamic(info, comm->handle, &window->handle);
        if (bytes > 0)
            MPI_Win_attach(window->handle, window->memory, bytes);
        MPI_Aint address;
        MPI_Get_address(window->memory, &address);
        window->addresses.resize(window->model.size());
        MPI_Allgather(&address, 1, MPI_AINT, window->addresses.data(), 1, MPI_AINT, comm->handle);
    }
    }
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    for (size_t i = 0; i < window->model[my].size(); i++)
        window->memory[i] = window->model[my][i];
    if (has_name)
        MPI_Win_set_name(window->handle, "drawn");
    return window;
}

inline void free(Script &script, Window &window)
{
    if (!window.comm->has(script.me))
        return;
    if (window.flavor == Flavor::dynamic)
        MPI_Barrier(window.comm->handle);
    if (window.flavor == Flavor::dynamic && window.size(window.comm->rank(script.me)) > 0)
        MPI_Win_detach(window.handle, window.memory);
    MPI_Win_free(&window.handle);
}

/* The accesses of this process; those with a request are completed here or by the end of the epoch. */
inline std::vector<std::shared_ptr<Origin>> make_all(Script &script, const Window &window,
                                                     const std::vector<Access> &all)
{
    const int me = window.comm->rank(script.me);
    std::vector<std::shared_ptr<Origin>> made;
    for (const Access &one : all) {
        if (one.origin != me)
            continue;
        MPI_Request request;
        made.push_back(make(script, window, one, one.has_request ? &request : nullptr));
        if (one.has_request)
            script.add(request, script.step, [](MPI_Status *) {});
        if (script.own.chance(30))
            script.complete();
    }
    script.complete();
    return made;
}

inline void apply_all(Window &window, const std::vector<Access> &all)
{
    for (const Access &one : all)
        apply(window, one);
}

inline std::vector<int> all_ranks(const Comm &comm)
{
    std::vector<int> all;
    for (int i = 0; i < comm.size(); i++)
        all.push_back(i);
    return all;
}

inline void fences(Script &script, Window &window)
{
    Random &draw = script.draw;
    const int n = draw.between(1, 3);
    const std::vector<int> all = all_ranks(*window.comm);
    const int me = window.comm->rank(script.me);
    if (me >= 0)
        MPI_Win_fence(draw.chance(50) ? MPI_MODE_NOPRECEDE : 0, window.handle);
    else
        draw.next();
    for (int i = 0; i < n; i++) {
        const std::vector<Access> accesses = drawn(script, window, false, all, all);
        const bool is_last = i == n - 1;
        const int asserted = is_last ? (draw.chance(80) ? MPI_MODE_NOSUCCEED : 0) : 0;
        if (me >= 0) {
            const auto origins = make_all(script, window, accesses);
            MPI_Win_fence(asserted, window.handle);
            for (const auto &one : origins)
                check(script, *one);
        }
        apply_all(window, accesses);
        if (me >= 0 && is_last)
            check_memory(script, window, me);
    }
    if (me >= 0)
        MPI_Barrier(window.comm->handle);
}

inline void groups(Script &script, Window &window)
{
    Random &draw = script.draw;
    const Comm &comm = *window.comm;
    std::vector<int> order = draw.permutation(comm.size());
    const int cut = draw.between(1, comm.size());
    /* some expose, and some access: maybe the same */
    std::vector<int> targets(order.begin(), order.begin() + cut), origins;
    for (int i = 0; i < comm.size(); i++)
        if (draw.chance(60))
            origins.push_back(i);
    if (origins.empty())
        origins.push_back(order.back());
    const std::vector<Access> accesses = drawn(script, window, false, targets, origins);
    const bool is_empty = draw.chance(10);
    const int me = comm.rank(script.me);
    const auto has = [](const std::vector<int> &all, int one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    if (me >= 0) {
        MPI_Group all, group;
        MPI_Comm_group(comm.handle, &all);
        const bool exposes = has(targets, me), accesses_here = has(origins, me);
        if (exposes) {
            MPI_Group_incl(all, static_cast<int>(origins.size()), origins.data(), &group);
            MPI_Win_post(group, 0, window.handle);
            MPI_Group_free(&group);
        }
        if (accesses_here) {
            MPI_Group_incl(all, static_cast<int>(targets.size()), targets.data(), &group);
            MPI_Win_start(group, 0, window.handle);
            const auto made = is_empty ? std::vector<std::shared_ptr<Origin>>()
                                       : make_all(script, window, accesses);
            MPI_Win_complete(window.handle);
            for (const auto &one : made)
                check(script, *one);
            MPI_Group_free(&group);
        }
        if (exposes && script.own.chance(50))
            MPI_Win_wait(window.handle);
        else if (exposes)
            for (int flag = 0; !flag;)
                MPI_Win_test(window.handle, &flag);
        MPI_Group_free(&all);
    }
    if (!is_empty)
        apply_all(window, accesses);
    if (me >= 0)
        MPI_Barrier(comm.handle);
}

/* Locks: shared ones for accesses that do not conflict, exclusive ones, or one of all. */
inline void locks(Script &script, Window &window)
{
    Random &draw = script.draw;
    const Comm &comm = *window.comm;
    const int me = comm.rank(script.me), way = draw.below(4), asserted = 0;
    const std::vector<int> all = all_ranks(comm);
    if (way == 0) {
        /* each origin locks each of its targets */
        const std::vector<Access> accesses = drawn(script, window, true, all, all);
        const bool is_exclusive = draw.chance(40);
        if (me >= 0)
            for (int target : all) {
                std::vector<Access> some;
                for (const Access &one : accesses)
                    if (one.target == target && one.origin == me)
                        some.push_back(one);
                if (some.empty())
                    continue;
                MPI_Win_lock(is_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, asserted,
                             window.handle);
                const auto made = make_all(script, window, some);
                if (script.own.chance(30))
                    MPI_Win_flush_local(target, window.handle);
                MPI_Win_unlock(target, window.handle);
                for (const auto &one : made)
                    check(script, *one);
            }
        apply_all(window, accesses);
        if (me >= 0)
            MPI_Barrier(comm.handle);
        return;
    }
    const int rounds = draw.between(1, 3);
    if (me >= 0)
        MPI_Win_lock_all(draw.chance(30) ? MPI_MODE_NOCHECK : 0, window.handle);
    else
        draw.next();
    for (int i = 0; i < rounds; i++) {
        const std::vector<Access> accesses = drawn(script, window, true, all, all);
        const int order = draw.below(3), tag = script.tag();
        if (me >= 0) {
            const auto made = make_all(script, window, accesses);
            if (script.own.chance(50))
                MPI_Win_flush_all(window.handle);
            else
                for (int target : all)
                    MPI_Win_flush(target, window.handle);
            for (const auto &one : made)
                check(script, *one);
            /* what orders the next round */
            int sum = 0, one = 1;
            MPI_Request request;
            if (order == 0)
                MPI_Barrier(comm.handle);
            else if (order == 1)
                MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm.handle);
            else {
                /* messages through rank 0 */
                const int size = comm.size();
                for (int r = 1; r < size; r++)
                    if (me == 0)
                        MPI_Recv(&sum, 1, MPI_INT, r, tag, comm.handle, MPI_STATUS_IGNORE);
                    else if (me == r) {
                        MPI_Isend(&one, 1, MPI_INT, 0, tag, comm.handle, &request);
                        MPI_Wait(&request, MPI_STATUS_IGNORE);
                    }
                MPI_Bcast(&sum, 1, MPI_INT, 0, comm.handle);
            }
        }
        apply_all(window, accesses);
    }
    if (me >= 0) {
        MPI_Win_unlock_all(window.handle);
        MPI_Barrier(comm.handle);
    }
}

/* Loads and stores of each other's memory in a shared window */
inline void stores(Script &script, Window &window)
{
    Random &draw = script.draw;
    const Comm &comm = *window.comm;
    const int me = comm.rank(script.me);
    const int target = draw.below(comm.size()), writer = draw.below(comm.size()),
              reader = draw.below(comm.size());
    const uint64_t key = script.key();
    const size_t n = window.model[static_cast<size_t>(target)].size();
    for (size_t i = 0; i < n; i++)
        window.model[static_cast<size_t>(target)][i] = value_of(key, i);
    if (me < 0)
        return;
    MPI_Aint bytes;
    int unit, *there;
    MPI_Win_lock_all(0, window.handle);
    MPI_Win_shared_query(window.handle, target, &bytes, &unit, &there);
    script.expect(static_cast<size_t>(bytes) == n * 4, "size of a shared window");
    if (me == writer)
        for (size_t i = 0; i < n; i++)
            there[i] = value_of(key, i);
    MPI_Win_sync(window.handle);
    MPI_Barrier(comm.handle);
    MPI_Win_sync(window.handle);
    if (me == reader)
        for (size_t i = 0; i < n; i++)
            script.expect(there[i] == value_of(key, i), "wrong data in a shared window");
    MPI_Win_unlock_all(window.handle);
    MPI_Barrier(comm.handle);
}

inline void run(Script &script)
{
    const auto comm = script.intra();
    const auto window = create(script, comm);
    const int epochs = script.draw.between(1, 4);
    script.say("window, flavor %d, comm %d, %d epochs", static_cast<int>(window->flavor),
               comm->number, epochs);
    if (comm->has(script.me))
        MPI_Barrier(comm->handle);
    for (int i = 0; i < epochs; i++) {
        const int way = script.draw.below(window->flavor == Flavor::shared ? 4 : 3);
        script.say("  epoch, way %d", way);
        if (way == 0)
            fences(script, *window);
        else if (way == 1)
            groups(script, *window);
        else if (way == 2)
            locks(script, *window);
        else
            stores(script, *window);
    }
    if (comm->has(script.me)) {
        MPI_Win_lock(MPI_LOCK_SHARED, comm->rank(script.me), 0, window->handle);
        check_memory(script, *window, comm->rank(script.me));
        MPI_Win_unlock(comm->rank(script.me), window->handle);
        MPI_Barrier(comm->handle);
    }
    free(script, *window);
}

}  // namespace windows

#endif
