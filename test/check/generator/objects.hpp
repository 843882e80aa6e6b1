/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Communicators, groups, attributes, infos, error handlers, operators, generalized requests. */

#ifndef OBJECTS_HPP
#define OBJECTS_HPP

#include "script.hpp"

namespace objects {

inline std::shared_ptr<Comm> added(Script &script, std::vector<int> members)
{
    auto made = std::make_shared<Comm>();
    made->groups[0] = std::move(members);
    made->number = ++script.next_comm;
    return made;
}

inline void keep(Script &script, const std::shared_ptr<Comm> &comm)
{
    if (!comm->groups[0].empty())
        script.comms.push_back(comm);
}

inline MPI_Group group_of(Script &script, const Comm &comm, const std::vector<int> &ranks)
{
    MPI_Group all, made;
    MPI_Comm_group(comm.handle, &all);
    std::vector<int> others;
    for (int i = 0; i < comm.size(); i++)
        if (std::find(ranks.begin(), ranks.end(), i) == ranks.end())
            others.push_back(i);
    if (script.own.chance(60) || !std::is_sorted(ranks.begin(), ranks.end()))
        MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &made);
    else
        MPI_Group_excl(all, static_cast<int>(others.size()), others.data(), &made);
    MPI_Group_free(&all);
    return made;
}

inline std::vector<int> some_ranks(Random &draw, int size)
{
    std::vector<int> all = draw.permutation(size);
    all.resize(static_cast<size_t>(draw.between(1, size)));
    return all;
}

inline std::vector<int> processes_of(const Comm &comm, const std::vector<int> &ranks)
{
    std::vector<int> all;
    for (int one : ranks)
        all.push_back(comm.groups[0][static_cast<size_t>(one)]);
    return all;
}

/* A grid: neighbors in each dimension, -1 for none */
inline void set_grid(Comm &comm, const std::vector<int> &dims, const std::vector<int> &periods)
{
    comm.has_graph = true;
    for (int rank = 0; rank < comm.size(); rank++) {
        std::vector<int> around;
        int below = comm.size(), rest = rank;
        for (size_t d = 0; d < dims.size(); d++) {
            below /= dims[d];
            const int at = rest / below;
            rest %= below;
            for (int step : {-1, 1}) {
                const int next = at + step;
                const bool is_inside = next >= 0 && next < dims[d];
                around.push_back(is_inside || periods[d]
                                     ? rank + ((next + dims[d]) % dims[d] - at) * below
                                     : -1);
            }
        }
        comm.sources.push_back(around);
        comm.targets.push_back(around);
    }
}

inline void make_comm(Script &script)
{
    Random &draw = script.draw;
    const auto old = script.intra();
    const int size = old->size(), way = draw.below(13);
    const bool is_member = old->has(script.me);
    const int me = old->rank(script.me);
    std::vector<int> all;
    for (int i = 0; i < size; i++)
        all.push_back(i);
    MPI_Comm made = MPI_COMM_NULL;
    std::shared_ptr<Comm> next;
    script.say("communicator, way %d, of %d", way, old->number);
    switch (way) {
    case 0:
    case 1:
    case 2: {
        next = added(script, old->groups[0]);
        next->has_graph = old->has_graph;
        next->sources = old->sources;
        next->targets = old->targets;
        const int due = script.step;
        MPI_Request request;
        if (!is_member)
            break;
        if (way == 0)
            MPI_Comm_dup(old->handle, &next->handle);
        else if (way == 1) {
            MPI_Info info;
            MPI_Info_create(&info);
            MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
            MPI_Comm_dup_with_info(old->handle, info, &next->handle);
            MPI_Info_free(&info);
        } else {
            MPI_Comm_idup(old->handle, &next->handle, &request);
            script.add(
                request, due, [next](MPI_Status *) {}, true, true);
            script.complete();
        }
        break;
    }
    case 3:
    case 4: {
        const int colors = draw.between(1, 3);
        std::vector<int> color, key;
        for (int i = 0; i < size; i++) {
            color.push_back(draw.chance(15) ? MPI_UNDEFINED : draw.below(colors));
            key.push_back(draw.between(-3, 3));
        }
        if (is_member)
            MPI_Comm_split(old->handle, color[static_cast<size_t>(me)],
                           key[static_cast<size_t>(me)], &made);
        for (int c = 0; c < colors; c++) {
            std::vector<int> ranks;
            for (int i = 0; i < size; i++)
                if (color[static_cast<size_t>(i)] == c)
                    ranks.push_back(i);
            std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
                return key[static_cast<size_t>(a)] < key[static_cast<size_t>(b)];
            });
            next = added(script, processes_of(*old, ranks));
            if (next->has(script.me))
                next->handle = made;
            keep(script, next);
        }
        return;
    }
    case 5:
        next = added(script, old->groups[0]);
        if (is_member && Script::is_one_node)
            MPI_Comm_split_type(old->handle, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &next->handle);
        else if (is_member)
            MPI_Comm_split(old->handle, 0, 0, &next->handle);
        break;
    case 6:
    case 7: {
        const std::vector<int> ranks = some_ranks(draw, size);
        const int tag = script.tag();
        next = added(script, processes_of(*old, ranks));
        if (!is_member)
            break;
        MPI_Group group = group_of(script, *old, ranks);
        if (way == 6)
            MPI_Comm_create(old->handle, group, &made);
        else if (next->has(script.me))
            MPI_Comm_create_group(old->handle, group, tag, &made);
        MPI_Group_free(&group);
        next->handle = made;
        break;
    }
    case 8: {
        const int used = draw.between(1, size);
        std::vector<int> dims{used, 1}, periods{draw.below(2), draw.below(2)};
        if (used % 2 == 0 && draw.chance(50))
            dims = {2, used / 2};
        if (draw.chance(40)) {
            dims = {used};
            periods.resize(1);
        }
        next = added(script, processes_of(*old, std::vector<int>(all.begin(), all.begin() + used)));
        set_grid(*next, dims, periods);
        if (is_member)
            MPI_Cart_create(old->handle, static_cast<int>(dims.size()), dims.data(), periods.data(),
                            0, &next->handle);
        break;
    }
    case 9: {
        /* a graph of fewer nodes, each with neighbors on both sides: symmetric, with edges to itself */
        const int nodes = draw.between(1, size);
        std::vector<std::vector<int>> around(static_cast<size_t>(nodes));
        for (int i = draw.below(5); i > 0; i--) {
            const int a = draw.below(nodes), b = draw.below(nodes);
            around[static_cast<size_t>(a)].push_back(b);
            if (a != b)
                around[static_cast<size_t>(b)].push_back(a);
        }
        std::vector<int> index, edges;
        for (auto &one : around) {
            std::sort(one.begin(), one.end());
            one.erase(std::unique(one.begin(), one.end()), one.end());
            edges.insert(edges.end(), one.begin(), one.end());
            index.push_back(static_cast<int>(edges.size()));
        }
        next =
            added(script, processes_of(*old, std::vector<int>(all.begin(), all.begin() + nodes)));
        next->has_graph = true;
        next->sources = next->targets = around;
        edges.push_back(0);
        if (is_member)
            MPI_Graph_create(old->handle, nodes, index.data(), edges.data(), 0, &next->handle);
        break;
    }
    case 10:
    case 11: {
        next = added(script, old->groups[0]);
        next->has_graph = true;
        next->sources.resize(all.size());
        next->targets.resize(all.size());
        std::set<std::pair<int, int>> edges;
        for (int i = draw.below(2 * size + 1); i > 0; i--) {
            const int from = draw.below(size), to = draw.below(size);
            edges.insert({from, to});
        }
        std::vector<std::pair<int, int>> order(edges.begin(), edges.end());
        for (const auto &[from, to] : order) {
            next->targets[static_cast<size_t>(from)].push_back(to);
            next->sources[static_cast<size_t>(to)].push_back(from);
        }
        if (way == 11) {
            /* any process gives any edges; the order of neighbors is the library's */
            std::vector<std::vector<std::pair<int, int>>> given(all.size());
            for (const auto &one : order)
                given[static_cast<size_t>(draw.below(size))].push_back(one);
            if (!is_member)
                break;
            std::vector<int> from, degrees, to;
            for (const auto &one : given[static_cast<size_t>(me)]) {
                from.push_back(one.first);
                degrees.push_back(1);
                to.push_back(one.second);
            }
            MPI_Dist_graph_create(old->handle, static_cast<int>(from.size()), from.data(),
                                  degrees.data(), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                  &next->handle);
            std::vector<int> &in = next->sources[static_cast<size_t>(me)],
                             &out = next->targets[static_cast<size_t>(me)];
            MPI_Dist_graph_neighbors(next->handle, static_cast<int>(in.size()), in.data(),
                                     MPI_UNWEIGHTED, static_cast<int>(out.size()), out.data(),
                                     MPI_UNWEIGHTED);
            break;
        }
        const bool is_weighted = draw.chance(30);
        for (size_t i = 0; i < all.size(); i++) {
            draw.shuffle(next->sources[i]);
            draw.shuffle(next->targets[i]);
        }
        if (!is_member)
            break;
        const std::vector<int> in = next->sources[static_cast<size_t>(me)],
                               out = next->targets[static_cast<size_t>(me)];
        const std::vector<int> weights(in.size() + out.size() + 1, 1);
        const int *const in_weights = in.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
        const int *const out_weights = out.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
        MPI_Dist_graph_create_adjacent(
            old->handle, static_cast<int>(in.size()), in.data(),
            is_weighted ? in_weights : MPI_UNWEIGHTED, static_cast<int>(out.size()), out.data(),
            is_weighted ? out_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &next->handle);
        break;
    }
    default: {
        /* an intercommunicator of two parts; the leaders are any ranks of them */
        if (size < 2)
            return;
        const int cut = draw.between(1, size - 1);
        const std::vector<int> order = draw.permutation(size);
        std::vector<int> parts[2];
        for (int i = 0; i < size; i++)
            parts[i < cut ? 0 : 1].push_back(order[static_cast<size_t>(i)]);
        int leaders[2] = {draw.below(cut), draw.below(size - cut)};
        const int tag = script.tag();
        next = added(script, processes_of(*old, parts[0]));
        next->is_inter = true;
        next->groups[1] = processes_of(*old, parts[1]);
        if (!is_member)
            break;
        const int side = next->side(script.me), rank = next->rank(script.me);
        MPI_Comm half;
        MPI_Group group = group_of(script, *old, parts[side]);
        MPI_Comm_create_group(old->handle, group, tag, &half);
        MPI_Group_free(&group);
        const bool is_leader = rank == leaders[side];
        MPI_Intercomm_create(half, leaders[side], is_leader ? old->handle : MPI_COMM_NULL,
                             is_leader ? parts[1 - side][static_cast<size_t>(leaders[1 - side])]
                                       : script.own.between(-9, 9),
                             tag, &next->handle);
        MPI_Comm_free(&half);
    }
    }
    keep(script, next);
}

/* Of an intercommunicator */
inline void merge(Script &script)
{
    const auto old = script.comm([](const Comm &one) { return one.is_inter; });
    const int first = script.draw.below(2);
    if (!old)
        return;
    std::vector<int> members = old->groups[first];
    members.insert(members.end(), old->groups[1 - first].begin(), old->groups[1 - first].end());
    const auto next = added(script, members);
    if (old->has(script.me))
        MPI_Intercomm_merge(old->handle, old->side(script.me) != first, &next->handle);
    keep(script, next);
}

/* Free a communicator, maybe while operations on it pend. MPICH fails if persistent ones are left. */
inline void free_comm(Script &script)
{
    const bool is_pending = script.draw.chance(50),
               disconnects = !is_pending && script.draw.chance(30);
    const auto old = script.comm([&](const Comm &one) {
        return one.number > 0 &&
            (is_pending ||
             (one.messages_until < script.step && one.collectives_until < script.step));
    });
    if (!old)
        return;
    script.comms.erase(std::find(script.comms.begin(), script.comms.end(), old));
    if (!old->has(script.me))
        return;
    script.say("free comm %d", old->number);
    if (disconnects)
        MPI_Comm_disconnect(&old->handle);
    else
        MPI_Comm_free(&old->handle);
}

inline void limit(Script &script, size_t most)
{
    while (script.comms.size() > most) {
        const auto old = script.comms[1];
        script.comms.erase(script.comms.begin() + 1);
        if (old->has(script.me))
            MPI_Comm_free(&old->handle);
    }
}

inline int copy_value(MPI_Comm, int, void *, void *in, void *out, int *flag)
{
    *static_cast<void **>(out) = in;
    *flag = 1;
    return MPI_SUCCESS;
}

inline int free_inner(MPI_Comm, int, void *value, void *)
{
    MPI_Comm_free(static_cast<MPI_Comm *>(value));
    return MPI_SUCCESS;
}

inline int query(void *, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
inline int release(void *)
{
    return MPI_SUCCESS;
}
inline int cancel(void *, int)
{
    return MPI_SUCCESS;
}

inline void on_error(MPI_Comm *, int *, ...) {}

/* Objects of one process, which make no difference to others */
inline void local(Script &script)
{
    const auto comm = script.any_comm();
    const int way = script.draw.below(10), process = script.draw.below(script.processes),
              due = script.step + script.draw.below(4);
    if (process != script.me || !comm->has(script.me))
        return;
    script.say("objects, way %d, comm %d", way, comm->number);
    switch (way) {
    case 0: {
        int key, value = 7, flag;
        void *got;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
        MPI_Comm_set_attr(comm->handle, key, &value);
        int kept = key;
        if (script.own.chance(50))
            MPI_Comm_free_keyval(&kept);
        MPI_Comm_get_attr(comm->handle, key, &got, &flag);
        script.expect(flag && got == &value, "attribute");
        MPI_Comm_delete_attr(comm->handle, key);
        if (kept != MPI_KEYVAL_INVALID)
            MPI_Comm_free_keyval(&kept);
        break;
    }
    case 1: {
        MPI_Info info, copy;
        char value[20];
        int flag, length = sizeof value;
        MPI_Info_create(&info);
        MPI_Info_set(info, "a", "b");
        MPI_Info_dup(info, &copy);
        MPI_Info_free(&info);
        MPI_Info_get_string(copy, "a", &length, value, &flag);
        script.expect(flag && !strcmp(value, "b"), "info");
        MPI_Info_free(&copy);
        MPI_Comm_get_info(comm->handle, &info);
        MPI_Info_free(&info);
        break;
    }
    case 2: {
        MPI_Errhandler old, made;
        MPI_Comm_get_errhandler(comm->handle, &old);
        MPI_Comm_create_errhandler(on_error, &made);
        MPI_Comm_set_errhandler(comm->handle, made);
        MPI_Errhandler_free(&made);
        MPI_Comm_get_errhandler(comm->handle, &made);
        MPI_Errhandler_free(&made);
        MPI_Comm_set_errhandler(comm->handle,
                                script.own.chance(50) ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
        MPI_Comm_set_errhandler(comm->handle, old);
        if (old != MPI_ERRORS_ARE_FATAL && old != MPI_ERRORS_RETURN)
            MPI_Errhandler_free(&old);
        break;
    }
    case 3: {
        MPI_Group all, part, rest, both;
        int size, result, ranks[3] = {0, 0, 0}, others[3];
        int range[1][3] = {{0, 0, 1}};
        MPI_Comm_group(comm->handle, &all);
        MPI_Group_range_incl(all, 1, range, &part);
        MPI_Group_difference(all, part, &rest);
        MPI_Group_union(part, rest, &both);
        MPI_Group_size(both, &size);
        script.expect(size == comm->size(comm->side(script.me)), "union of groups");
        MPI_Group_compare(all, both, &result);
        MPI_Group_translate_ranks(all, 1, ranks, part, others);
        MPI_Group_free(&both);
        MPI_Group_intersection(part, rest, &both);
        script.expect(both == MPI_GROUP_EMPTY, "intersection of groups");
        if (both != MPI_GROUP_EMPTY)
            MPI_Group_free(&both);
        for (MPI_Group *one : {&all, &part, &rest})
            if (*one != MPI_GROUP_EMPTY)
                MPI_Group_free(one);
        break;
    }
    case 4: {
        MPI_Request request;
        MPI_Grequest_start(query, release, cancel, nullptr, &request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    }
    case 5: {
        char name[MPI_MAX_OBJECT_NAME];
        int length;
        MPI_Comm_set_name(comm->handle, "drawn");
        MPI_Comm_get_name(comm->handle, name, &length);
        script.expect(!strcmp(name, "drawn"), "name");
        break;
    }
    case 6: {
        /* a cached communicator, freed with the one that has it */
        static thread_local MPI_Comm inner, outer;
        int key;
        MPI_Comm_dup(MPI_COMM_SELF, &outer);
        MPI_Comm_dup(MPI_COMM_SELF, &inner);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, nullptr);
        MPI_Comm_set_attr(outer, key, &inner);
        MPI_Comm_free_keyval(&key);
        MPI_Comm_free(&outer);
        break;
    }
    case 7: {
        int key, value = 1;
        MPI_Datatype made, copy;
        MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
        MPI_Type_contiguous(2, MPI_INT, &made);
        MPI_Type_set_attr(made, key, &value);
        MPI_Type_dup(made, &copy);
        MPI_Type_free(&made);
        MPI_Type_delete_attr(copy, key);
        MPI_Type_free(&copy);
        MPI_Type_free_keyval(&key);
        break;
    }
    case 8: {
        /* messages to itself */
        int value = 3, got = 0;
        MPI_Request requests[2];
        MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        script.expect(got == 3, "message to itself");
        MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_SELF);
        MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        break;
    }
    default: {
        /* the old functions of attributes, and those of types */
        MPI_Errhandler old;
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
        script.expect(!script.is_main() || old == MPI_ERRORS_ARE_FATAL, "error handler");
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, old);
    }
    }
    (void) due;
}

}  // namespace objects

#endif
