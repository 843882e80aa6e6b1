/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Collective operations, blocking, nonblocking and persistent. */

#ifndef COLLECTIVES_HPP
#define COLLECTIVES_HPP

#include "script.hpp"

namespace collectives {

enum class Form { blocking, nonblocking, persistent };

/* One operation in one process; fill and check are repeated for each start of a persistent one. */
struct Operation {
    std::vector<Buffer> buffers;
    std::vector<Layout> layouts;
    std::vector<std::vector<int>> ints;
    std::vector<std::vector<MPI_Aint>> places;
    std::vector<std::vector<MPI_Datatype>> types;
    std::function<void(uint64_t)> fill, check;
    std::function<void(Form, MPI_Request *)> start;
    MPI_Request request = MPI_REQUEST_NULL;
    std::function<void()> end = [] {};
};

#define CALL(NAME, NONBLOCKING, ...)                                \
    (form == Form::blocking ? MPI_##NAME(__VA_ARGS__, comm->handle) \
         : form == Form::nonblocking                                \
         ? MPI_##NONBLOCKING(__VA_ARGS__, comm->handle, request)    \
         : MPI_##NAME##_init(__VA_ARGS__, comm->handle, MPI_INFO_NULL, request))

inline void run(Script &script, const std::shared_ptr<Operation> &operation, Form form, int rounds,
                int due, uint64_t key)
{
    if (form == Form::persistent)
        operation->start(form, &operation->request);
    for (int round = 0; round < rounds; round++) {
        const uint64_t now = key + static_cast<uint64_t>(round) * 7919;
        const bool is_last = round == rounds - 1;
        operation->fill(now);
        if (form == Form::blocking) {
            operation->start(form, nullptr);
            operation->check(now);
            continue;
        }
        if (form == Form::nonblocking)
            operation->start(form, &operation->request);
        else
            MPI_Start(&operation->request);
        script.add(
            operation->request, is_last ? due : script.step,
            [&script, operation, now, form, is_last](MPI_Status *) {
                operation->check(now);
                if (form == Form::persistent && is_last)
                    script.unused.push_back(&operation->request);
            },
            form == Form::persistent, true);
        if (!is_last)
            script.complete();
    }
    if (form == Form::blocking)
        operation->end();
}

/* Blocks of several processes in one buffer */
struct Blocks {
    Layout layout;
    std::vector<int> counts, places; /* in elements of the layout */
    Buffer buffer;
    char *at(size_t i) { return buffer.base() + places[i] * layout.extent; }
};

/* Disjoint blocks in drawn order; units are counts before the layout's multiple. */
inline std::shared_ptr<Blocks> blocks(Random &draw, const Part &part, const std::vector<int> &units,
                                      bool is_uniform = false)
{
    auto made = std::make_shared<Blocks>();
    made->layout = part.layout;
    made->places.resize(units.size());
    int end = 0;
    const std::vector<int> order = draw.permutation(static_cast<int>(units.size()));
    for (int unit : units)
        made->counts.push_back(unit * part.multiple);
    for (size_t i = 0; i < units.size(); i++) {
        const size_t k = is_uniform ? i : static_cast<size_t>(order[i]);
        const int gap = is_uniform ? 0 : draw.below(2);
        made->places[k] = end + gap;
        end += gap + made->counts[k];
    }
    made->buffer = Buffer(part.layout, end);
    return made;
}

/* A type of which any number of elements are disjoint */
inline Layout tame_layout(Random &draw)
{
    const Layout layout = any_layout(draw, true, 8);
    return layout.is_tame() ? layout : spread(draw, layout);
}

using Units = std::vector<std::vector<int>>; /* from a process to another one */

inline void expect_block(Script &script, Blocks &blocks, size_t i, const Layout &unit, int units,
                         uint64_t key, const char *what)
{
    /* MPICH misplaces data of some types with another lower bound. */
    script.expect(
        blocks.layout.lb != 0 ||
            packed(blocks.at(i), blocks.layout, blocks.counts[i]) == sent(unit, units, key),
        what);
}

/* MPICH hangs when most persistent operations start again. */
inline int drawn_rounds(Random &draw, Form form, bool starts_again)
{
    const int rounds = draw.between(1, 3);
    return form == Form::blocking || (form == Form::persistent && starts_again) ? rounds : 1;
}

/* MPICH releases the types of a persistent operation once for each start; those that start again have predefined ones. */
inline Layout drawn_layout(Random &draw, Form form, int rounds)
{
    return form == Form::persistent && rounds > 1 ? predefined(static_cast<Basic>(draw.below(9)))
                                                  : tame_layout(draw);
}

/* Some persistent operations hang in MPICH. */
inline Form drawn_form(Random &draw, bool can_persist)
{
    if (!can_persist)
        return draw.chance(40) ? Form::blocking : Form::nonblocking;
    return draw.of(std::vector<Form>{Form::blocking, Form::blocking, Form::nonblocking,
                                     Form::nonblocking, Form::persistent});
}

/* ---- data from all to all, to one, or from one ---- */

inline void exchange(Script &script)
{
    Random &draw = script.draw;
    const auto comm = script.any_comm();
    enum Function {
        bcast,
        gather,
        gatherv,
        scatter,
        scatterv,
        allgather,
        allgatherv,
        alltoall,
        alltoallv,
        alltoallw,
        barrier
    };
    const Function function = static_cast<Function>(draw.below(11));
    const Form form = drawn_form(draw, function == bcast || function == barrier);
    const int rounds = drawn_rounds(draw, form, function == barrier || function == bcast);
    const int due = script.step + draw.below(5);
    const uint64_t key = script.key();
    const bool varies = function == gatherv || function == scatterv || function == allgatherv ||
        function >= alltoallv;
    const bool has_root = function <= scatterv;
    const int root_side = comm->is_inter ? draw.below(2) : 0,
              root = draw.below(comm->size(root_side));
    const Layout unit = drawn_layout(draw, form, rounds);
    const int count = draw.chance(10) ? 0 : draw.chance(5) ? 400 : draw.between(1, 3);
    /* MPICH crashes in long ones in place with a root. */
    const bool in_place = !comm->is_inter && count < 100 && draw.chance(25);
    /* units[side][i][k]: from i of the side to k of the other one */
    Units units[2];
    const int sides = comm->is_inter ? 2 : 1;
    for (int side = 0; side < sides; side++) {
        const int there = comm->size(comm->far(side));
        for (int i = 0; i < comm->size(side); i++) {
            std::vector<int> row(static_cast<size_t>(there), count);
            const int own = draw.chance(20) ? 0 : draw.between(1, 4);
            for (int &one : row)
                one = !varies                                        ? count
                    : function == alltoallv || function == alltoallw ? draw.below(4)
                                                                     : own;
            units[side].push_back(row);
        }
    }
    if (in_place && (function == alltoallv || function == alltoallw))
        for (size_t i = 0; i < units[0].size(); i++)
            for (size_t k = 0; k < i; k++)
                units[0][i][k] = units[0][k][i];
    /* in intercommunicators one group may send nothing */
    std::vector<Part> parts[2];
    for (int side = 0; side < sides; side++)
        for (int i = 0; i < comm->size(side); i++)
            parts[side].push_back(in_place || (form == Form::persistent && rounds > 1)
                                      ? Part{unit, 1}
                                      : matching(draw, unit, 8, true));
    const uint64_t layout_seed = draw.next();
    comm->collectives_until =
        std::max(comm->collectives_until, form == Form::blocking ? script.step : due);
    const int side = comm->side(script.me), me = comm->rank(script.me);
    if (side < 0)
        return;
    Random local(layout_seed, static_cast<uint64_t>(script.me));
    const size_t my = static_cast<size_t>(me);
    const int far = comm->far(side), there = comm->size(far);
    const bool is_root = has_root && side == root_side && me == root;
    const bool is_idle = has_root && comm->is_inter && side == root_side && !is_root;
    const int root_argument = !comm->is_inter ? root
        : is_root                             ? MPI_ROOT
        : is_idle                             ? MPI_PROC_NULL
                                              : root;
    const auto operation = std::make_shared<Operation>();
    const auto key_of = [](uint64_t key, int from, int to) {
        return key + static_cast<uint64_t>(from) * 131 + static_cast<uint64_t>(to) * 100003;
    };
    script.say("collective %d, form %d, %d rounds, comm %d, root %d.%d%s, count %d, due %d",
               function, static_cast<int>(form), rounds, comm->number, root_side, root,
               in_place ? ", in place" : "", count, due);
    operation->fill = operation->check = [](uint64_t) {};

    if (function == barrier) {
        operation->start = [=](Form form, MPI_Request *request) {
            form == Form::blocking ? MPI_Barrier(comm->handle)
                : form == Form::nonblocking
                ? MPI_Ibarrier(comm->handle, request)
                : MPI_Barrier_init(comm->handle, MPI_INFO_NULL, request);
        };
        return run(script, operation, form, rounds, due, key);
    }
    const Part part = parts[side][my];
    if (function == bcast) {
        const bool has = is_root || !is_idle;
        const Layout layout = is_root ? unit : part.layout;
        const int n = is_root ? count : count * part.multiple;
        const auto buffer = std::make_shared<Buffer>(layout, n);
        operation->fill = [=](uint64_t key) {
            if (is_root)
                fill(buffer->base(), unit, count, key);
        };
        operation->check = [=, &script](uint64_t key) {
            if (has && form != Form::persistent)
                script.expect(packed(buffer->base(), layout, n) == sent(unit, count, key),
                              "wrong data of a broadcast");
        };
        /* MPICH looks at count and type in the processes that take no part. */
        void *const base = has ? buffer->base() : junk_pointer(script);
        const int elements = has ? n : 0;
        const MPI_Datatype type = has ? layout.handle() : MPI_INT;
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Bcast, Ibcast, base, elements, type, root_argument);
        };
        return run(script, operation, form, rounds, due, key);
    }
    /* what the process sends to each, and gets from each */
    const bool is_gather = function == gather || function == gatherv,
               is_scatter = function == scatter || function == scatterv;
    const bool is_allgather = function == allgather || function == allgatherv,
               is_all = function >= alltoall;
    std::vector<int> out, in;
    if (is_gather) {
        out = comm->is_inter
            ? side != root_side ? std::vector<int>{units[side][my][0]} : std::vector<int>{}
            : std::vector<int>{units[0][my][0]};
        if (is_root)
            for (int i = 0; i < there; i++)
                in.push_back(units[far][static_cast<size_t>(i)][0]);
    } else if (is_scatter) {
        /* the root sends to k what k's row says */
        if (is_root)
            for (int k = 0; k < there; k++)
                out.push_back(units[far][static_cast<size_t>(k)][0]);
        if (!comm->is_inter || side != root_side)
            in = {units[side][my][0]};
    } else if (is_allgather) {
        out = {units[side][my][0]};
        for (int i = 0; i < there; i++)
            in.push_back(units[far][static_cast<size_t>(i)][0]);
    } else {
        out = units[side][my];
        for (int i = 0; i < there; i++)
            in.push_back(units[far][static_cast<size_t>(i)][my]);
    }
    const bool in_place_here = in_place && (is_all || is_allgather || is_root);
    const auto sends = blocks(local, {unit, 1}, out, function != scatterv && function < alltoallv);
    const auto receives = blocks(local, part, in, !varies || is_scatter);
    struct Apart {
        std::vector<MPI_Datatype> out_types, in_types;
        std::vector<int> out_places, in_places;
    };
    operation->fill = [=](uint64_t key) {
        if (in_place_here) {
            /* the process's own contribution is where it receives */
            if (is_all)
                for (int k = 0; k < there; k++)
                    fill(receives->at(static_cast<size_t>(k)), unit, in[static_cast<size_t>(k)],
                         key_of(key, me, k));
            else if (!is_scatter)
                fill(receives->at(my), unit, in[my], key_of(key, me, 0));
        }
        if (in_place_here && !is_scatter)
            return;
        for (size_t k = 0; k < out.size(); k++)
            fill(sends->at(k), unit, out[k],
                 is_scatter   ? key_of(key, static_cast<int>(k), 0)
                     : is_all ? key_of(key, me, static_cast<int>(k))
                              : key_of(key, me, 0));
    };
    operation->check = [=, &script](uint64_t key) {
        /* MPICH copies data of persistent ones when it creates them */
        if ((in_place_here && is_scatter) || form == Form::persistent)
            return;
        for (size_t i = 0; i < in.size(); i++)
            expect_block(script, *receives, i, unit, in[i],
                         is_scatter   ? key_of(key, me, 0)
                             : is_all ? key_of(key, static_cast<int>(i), me)
                                      : key_of(key, static_cast<int>(i), 0),
                         "wrong data of a collective operation");
    };
    /* MPICH crashes in long ones if the types that do not count are wrong. */
    const bool sends_here = !out.empty() && !(in_place_here && !is_scatter);
    const bool receives_here = !in.empty() && !(in_place_here && is_scatter);
    void *const from = in_place_here && !is_scatter ? MPI_IN_PLACE
        : sends_here                                ? sends->buffer.base()
                                                    : junk_pointer(script);
    void *const to = in_place_here && is_scatter ? MPI_IN_PLACE
        : receives_here                          ? receives->buffer.base()
                                                 : junk_pointer(script);
    const MPI_Datatype send_type = sends_here || count > 100 ? unit.handle() : junk_type(script);
    const MPI_Datatype receive_type =
        receives_here || count > 100 ? part.layout.handle() : junk_type(script);
    const int send_count = sends_here ? sends->counts[0] : junk_count(script);
    const int receive_count = receives_here ? receives->counts[0] : junk_count(script);
    const int *const send_counts = sends_here ? sends->counts.data() : nullptr,
                     *const send_places = sends_here ? sends->places.data() : nullptr;
    const int *const receive_counts = receives_here ? receives->counts.data() : nullptr;
    const int *const receive_places = receives_here ? receives->places.data() : nullptr;
    const auto keep =
        std::make_shared<std::pair<decltype(sends), decltype(receives)>>(sends, receives);
    operation->end = [keep] {};
    switch (function) {
    case gather:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Gather, Igather, from, send_count, send_type, to, receive_count, receive_type,
                 root_argument);
        };
        break;
    case gatherv:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Gatherv, Igatherv, from, send_count, send_type, to, receive_counts, receive_places,
                 receive_type, root_argument);
        };
        break;
    case scatter:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Scatter, Iscatter, from, send_count, send_type, to, receive_count, receive_type,
                 root_argument);
        };
        break;
    case scatterv:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Scatterv, Iscatterv, from, send_counts, send_places, send_type, to, receive_count,
                 receive_type, root_argument);
        };
        break;
    case allgather:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Allgather, Iallgather, from, send_count, send_type, to, receive_count,
                 receive_type);
        };
        break;
    case allgatherv:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Allgatherv, Iallgatherv, from, send_count, send_type, to, receive_counts,
                 receive_places, receive_type);
        };
        break;
    case alltoall:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Alltoall, Ialltoall, from, send_count, send_type, to, receive_count, receive_type);
        };
        break;
    case alltoallv:
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Alltoallv, Ialltoallv, from, send_counts, send_places, send_type, to,
                 receive_counts, receive_places, receive_type);
        };
        break;
    default: {
        const auto w = std::make_shared<Apart>();
        for (size_t k = 0; k < out.size(); k++) {
            w->out_types.push_back(unit.handle());
            w->out_places.push_back(static_cast<int>(sends->places[k] * unit.extent));
        }
        for (size_t i = 0; i < in.size(); i++) {
            w->in_types.push_back(part.layout.handle());
            w->in_places.push_back(static_cast<int>(receives->places[i] * part.layout.extent));
        }
        const bool is_in_place = in_place_here;
        operation->start = [=](Form form, MPI_Request *request) {
            CALL(Alltoallw, Ialltoallw, from, is_in_place ? nullptr : sends->counts.data(),
                 is_in_place ? nullptr : w->out_places.data(),
                 is_in_place ? nullptr : w->out_types.data(), to, receives->counts.data(),
                 w->in_places.data(), w->in_types.data());
        };
    }
    }
    run(script, operation, form, rounds, due, key);
}

/* ---- reductions ---- */

inline void add_all(void *in, void *out, int *n, MPI_Datatype *type)
{
    /* of any type that is made of ints without gaps */
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n * size / 4; i++)
        static_cast<int *>(out)[i] += static_cast<int *>(in)[i];
}

/* Not commutative: the last operand */
inline void last(void *in, void *out, int *n, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    (void) in, (void) out, (void) n, (void) size;
}

inline void reduce(Script &script)
{
    Random &draw = script.draw;
    const auto comm = script.any_comm();
    enum Function { reduce, allreduce, reduce_scatter_block, reduce_scatter, scan, exscan };
    const Function function = static_cast<Function>(draw.below(comm->is_inter ? 4 : 6));
    const Form form = drawn_form(draw, function <= allreduce);
    const int rounds = drawn_rounds(draw, form, false), due = script.step + draw.below(5);
    const uint64_t key = script.key();
    const int root_side = comm->is_inter ? draw.below(2) : 0,
              root = draw.below(comm->size(root_side));
    bool in_place = !comm->is_inter && draw.chance(25);
    const Basic basic =
        draw.of(std::vector<Basic>{Basic::int32, Basic::int32, Basic::int16, Basic::uint32,
                                   Basic::int64, Basic::real, Basic::real8});
    enum Operator { sum, max, min, land, user, user_last };
    const Operator op =
        static_cast<Operator>(basic == Basic::int32 ? draw.below(6) : draw.below(3));
    const int per_type =
        op >= user && (form != Form::persistent || rounds == 1) ? draw.between(1, 3) : 1;
    /* a group of an intercommunicator has its own counts in reduce_scatter, and the same sum */
    std::vector<int> counts[2];
    int total = 0;
    const int sides = comm->is_inter ? 2 : 1;
    if (function == reduce_scatter_block) {
        const int each = draw.below(4) * (comm->is_inter ? comm->size(0) * comm->size(1) : 1);
        for (int side = 0; side < sides; side++)
            counts[side].assign(static_cast<size_t>(comm->size(side)),
                                each / (comm->is_inter ? comm->size(side) : 1));
        total = each * (comm->is_inter ? 1 : comm->size(0));
    } else if (function == reduce_scatter) {
        for (int i = 0; i < comm->size(0); i++) {
            counts[0].push_back(draw.below(4));
            total += counts[0].back();
        }
        if (comm->is_inter) {
            counts[1].assign(static_cast<size_t>(comm->size(1)), 0);
            for (int i = 0; i < total; i++)
                counts[1][static_cast<size_t>(draw.below(comm->size(1)))]++;
        }
    } else
        total = draw.chance(10) ? 0 : draw.chance(5) ? 2000 : draw.between(1, 9);
    in_place = in_place && total < 100;
    comm->collectives_until =
        std::max(comm->collectives_until, form == Form::blocking ? script.step : due);
    const int side = comm->side(script.me), me = comm->rank(script.me);
    if (side < 0)
        return;
    const int far = comm->far(side);
    const bool is_root = side == root_side && me == root;
    const bool is_idle = function == reduce && comm->is_inter && side == root_side && !is_root;
    const int root_argument = !comm->is_inter ? root
        : is_root                             ? MPI_ROOT
        : is_idle                             ? MPI_PROC_NULL
                                              : root;
    MPI_Op handle = op == sum ? MPI_SUM : op == max ? MPI_MAX : op == min ? MPI_MIN : MPI_LAND;
    if (op >= user)
        MPI_Op_create(op == user ? add_all : last, op == user, &handle);
    Layout layout = predefined(basic);
    if (per_type > 1) {
        MPI_Datatype made;
        std::vector<Item> items;
        MPI_Type_contiguous(per_type, MPI_INT, &made);
        detail::append(items, layout, per_type, 0);
        layout = Layout(made, std::move(items));
    }
    script.say(
        "reduction %d, form %d, %d rounds, comm %d, root %d.%d, count %d, operator %d%s, due %d",
        function, static_cast<int>(form), rounds, comm->number, root_side, root, total, op,
        in_place ? ", in place" : "", due);
    const int mine = function >= reduce_scatter_block && function <= reduce_scatter
        ? counts[side][static_cast<size_t>(me)]
        : total;
    int first = 0;
    if (function == reduce_scatter_block || function == reduce_scatter)
        for (int i = 0; i < me; i++)
            first += counts[side][static_cast<size_t>(i)];
    const bool sends = !is_idle && !(function == reduce && comm->is_inter && is_root);
    const bool receives = function == reduce ? is_root : !(function == exscan && me == 0);
    const bool in_place_here = in_place && (function == reduce ? is_root : true);
    const auto in = std::make_shared<Buffer>(layout, total),
               out = std::make_shared<Buffer>(layout, std::max(total, mine));
    const auto operation = std::make_shared<Operation>();
    operation->fill = [=](uint64_t key) {
        if (sends)
            fill(in_place_here ? out->base() : in->base(), layout, total,
                 key + static_cast<uint64_t>(me) * 131);
    };
    operation->check = [=, &script](uint64_t key) {
        if (!receives)
            return;
        const int from = 0,
                  to = function == scan ? me + 1
            : function == exscan        ? me
                                        : comm->size(far);
        for (int i = 0; i < mine * per_type; i++) {
            int value = 0;
            for (int r = from; r < to; r++) {
                const int next = value_of(key + static_cast<uint64_t>(r) * 131,
                                          static_cast<size_t>(first * per_type + i));
                value = r == from             ? (op == land ? next != 0 : next)
                    : op == sum || op == user ? value + next
                    : op == max               ? std::max(value, next)
                    : op == min               ? std::min(value, next)
                    : op == land              ? (value && next)
                                              : next;
            }
            if (op == land && to == 1)
                continue; /* a single operand is not changed */
            script.expect(load(out->base() + i * size_of(basic), basic) == value,
                          "wrong result of a reduction");
        }
    };
    const auto kept = std::make_shared<std::vector<int>>(counts[side]);
    const MPI_Op used = handle;
    const bool frees_late = op >= user && (form != Form::blocking);
    /* MPICH refuses a null pointer there, too. */
    const void *const from = in_place_here ? MPI_IN_PLACE : in->base();
    void *const to =
        receives || in_place_here || function != reduce ? out->base() : junk_pointer(script);
    const int elements = is_idle ? junk_count(script) : total;
    const MPI_Datatype type = is_idle ? junk_type(script) : layout.handle();
    operation->start = [=](Form form, MPI_Request *request) {
        switch (function) {
        case reduce:
            CALL(Reduce, Ireduce, from, to, elements, type, used, root_argument);
            break;
        case allreduce:
            CALL(Allreduce, Iallreduce, from, to, total, type, used);
            break;
        case reduce_scatter_block:
            CALL(Reduce_scatter_block, Ireduce_scatter_block, from, to, mine, type, used);
            break;
        case reduce_scatter:
            CALL(Reduce_scatter, Ireduce_scatter, from, to, kept->data(), type, used);
            break;
        case scan:
            CALL(Scan, Iscan, from, to, total, type, used);
            break;
        default:
            CALL(Exscan, Iexscan, from, to, total, type, used);
        }
    };
    run(script, operation, form, rounds, due, key);
    if (op >= user && !frees_late)
        MPI_Op_free(&handle);
    else if (op >= user)
        script.ops.push_back({handle, due});
}

/* ---- neighborhoods ---- */

inline void neighbors(Script &script)
{
    Random &draw = script.draw;
    const auto comm = script.comm([](const Comm &one) { return one.has_graph; });
    enum Function { allgather, allgatherv, alltoall, alltoallv, alltoallw };
    Function function = static_cast<Function>(draw.below(5));
    const Form form = drawn_form(draw, function < alltoall);
    const int rounds = drawn_rounds(draw, form, false), due = script.step + draw.below(5);
    const uint64_t key = script.key();
    const Layout unit = drawn_layout(draw, form, rounds);
    const int count = draw.chance(10) ? 0 : draw.between(1, 3);
    const uint64_t layout_seed = draw.next();
    if (!comm)
        return;
    /* MPICH takes the number of sources for that of targets. */
    for (size_t i = 0; i < comm->sources.size(); i++)
        if (function == alltoallw && comm->sources[i].size() != comm->targets[i].size())
            function = alltoallv;
    comm->collectives_until =
        std::max(comm->collectives_until, form == Form::blocking ? script.step : due);
    if (!comm->has(script.me))
        return;
    const int me = comm->rank(script.me);
    const size_t my = static_cast<size_t>(me);
    const std::vector<int> &sources = comm->sources[my], &targets = comm->targets[my];
    Random local(layout_seed, static_cast<uint64_t>(script.me));
    const Part part =
        form == Form::persistent && rounds > 1 ? Part{unit, 1} : matching(local, unit, 8, true);
    const bool is_all = function >= alltoall,
               varies = function == allgatherv || function >= alltoallv;
    /* The amount depends on both processes, so several edges between the same two have one. */
    const auto amount = [=](int from, int to) {
        return !varies
            ? count
            : static_cast<int>(Random::mixed(layout_seed + static_cast<uint64_t>(from) * 64 +
                                             static_cast<uint64_t>(is_all ? to : 0)) %
                               4);
    };
    const auto key_of = [=](uint64_t key, int from, int to) {
        return key + static_cast<uint64_t>(from) * 131 +
            static_cast<uint64_t>(is_all ? to : 0) * 100003;
    };
    std::vector<int> out, in;
    if (is_all)
        for (int one : targets)
            out.push_back(one < 0 ? count : amount(me, one));
    else
        out.push_back(amount(me, 0));
    for (int one : sources)
        in.push_back(one < 0 ? count : amount(one, me));
    const auto sends = blocks(local, {unit, 1}, out, function < alltoallv),
               receives = blocks(local, part, in, !varies);
    script.say("neighborhood %d, form %d, %d rounds, comm %d, %d sources, %d targets, due %d",
               function, static_cast<int>(form), rounds, comm->number, static_cast<int>(in.size()),
               static_cast<int>(targets.size()), due);
    const auto operation = std::make_shared<Operation>();
    operation->fill = [=](uint64_t key) {
        for (size_t k = 0; k < out.size(); k++)
            fill(sends->at(k), unit, out[k], key_of(key, me, is_all ? comm->targets[my][k] : 0));
    };
    operation->check = [=, &script](uint64_t key) {
        for (size_t i = 0; i < in.size(); i++)
            if (comm->sources[my][i] >= 0)
                expect_block(script, *receives, i, unit, in[i],
                             key_of(key, comm->sources[my][i], me), "wrong data of neighbors");
    };
    /* MPICH refuses null pointers without neighbors, too. */
    const void *const from = sends->buffer.base();
    void *const to = receives->buffer.base();
    const int send_count = out.empty() ? 0 : sends->counts[0],
              receive_count = in.empty() ? (is_all || !varies ? count * part.multiple : 0)
                                         : receives->counts[0];
    const MPI_Datatype send_type = unit.handle(), receive_type = part.layout.handle();
    struct W {
        std::vector<MPI_Aint> out, in;
        std::vector<MPI_Datatype> out_types, in_types;
    };
    const auto w = std::make_shared<W>();
    for (size_t k = 0; k < out.size(); k++) {
        w->out.push_back(sends->places[k] * unit.extent);
        w->out_types.push_back(send_type);
    }
    for (size_t i = 0; i < in.size(); i++) {
        w->in.push_back(receives->places[i] * part.layout.extent);
        w->in_types.push_back(receive_type);
    }
    /* MPICH reads as many elements as the communicator has processes. */
    const size_t most = std::max({out.size(), in.size(), static_cast<size_t>(comm->size())});
    for (const auto &one : {sends, receives}) {
        one->counts.resize(most, 0);
        one->places.resize(most, 0);
    }
    w->out.resize(most, 0);
    w->in.resize(most, 0);
    w->out_types.resize(most, MPI_INT);
    w->in_types.resize(most, MPI_INT);
    operation->start = [=](Form form, MPI_Request *request) {
        switch (function) {
        case allgather:
            CALL(Neighbor_allgather, Ineighbor_allgather, from, send_count, send_type, to,
                 receive_count, receive_type);
            break;
        case allgatherv:
            CALL(Neighbor_allgatherv, Ineighbor_allgatherv, from, send_count, send_type, to,
                 receives->counts.data(), receives->places.data(), receive_type);
            break;
        case alltoall:
            CALL(Neighbor_alltoall, Ineighbor_alltoall, from, send_count, send_type, to,
                 receive_count, receive_type);
            break;
        case alltoallv:
            CALL(Neighbor_alltoallv, Ineighbor_alltoallv, from, sends->counts.data(),
                 sends->places.data(), send_type, to, receives->counts.data(),
                 receives->places.data(), receive_type);
            break;
        default:
            CALL(Neighbor_alltoallw, Ineighbor_alltoallw, from, sends->counts.data(), w->out.data(),
                 w->out_types.data(), to, receives->counts.data(), w->in.data(),
                 w->in_types.data());
        }
    };
    run(script, operation, form, rounds, due, key);
}

}  // namespace collectives

#endif
