/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that MPI forbids, reported before the library sees them. The rules follow from the
 * description of the functions in qmpi.hpp: role, name, direction and length of each parameter, and
 * the buffers. Extensions (MPIX_) have no rules. */

#ifndef TOOLS_CHECK_ARGUMENTS_HPP_INCLUDED
#define TOOLS_CHECK_ARGUMENTS_HPP_INCLUDED

#include "functions.hpp"
#include "local_process.hpp"
#include "significance.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace qmpi::check {

/* Values that MPI allows for an argument by itself. */
enum class Rule : std::uint8_t {
    any,
    not_negative,
    positive,
    color,
    keyval,
    lock_type,
    order,
    distribution,
    distribution_argument,
    split_type,
    whence,
    type_class,
    access_mode,
    view_offset,
    assertion
};

/* The kind of communicator that a function takes. */
enum class Needed : std::uint8_t { any, intra, inter, cart, graph, dist_graph, topology };

template <typename Call>
constexpr Needed needed_communicator()
{
    constexpr qmpi::function_set inter(MPI_COMM_REMOTE_SIZE_T, MPI_COMM_REMOTE_GROUP_T,
                                       MPI_INTERCOMM_MERGE_T);
    constexpr qmpi::function_set cart(MPI_CART_COORDS_T, MPI_CART_GET_T, MPI_CART_RANK_T,
                                      MPI_CART_SHIFT_T, MPI_CART_SUB_T, MPI_CARTDIM_GET_T);
    constexpr qmpi::function_set graph(MPI_GRAPH_GET_T, MPI_GRAPH_NEIGHBORS_T,
                                       MPI_GRAPH_NEIGHBORS_COUNT_T, MPI_GRAPHDIMS_GET_T);
    constexpr qmpi::function_set dist_graph(MPI_DIST_GRAPH_NEIGHBORS_T,
                                            MPI_DIST_GRAPH_NEIGHBORS_COUNT_T);
    constexpr qmpi::function_set intra(MPI_CART_CREATE_T, MPI_GRAPH_CREATE_T,
                                       MPI_DIST_GRAPH_CREATE_T, MPI_DIST_GRAPH_CREATE_ADJACENT_T,
                                       MPI_COMM_CREATE_GROUP_T, MPI_INTERCOMM_CREATE_T,
                                       MPI_FILE_OPEN_T);
    constexpr bool makes_window =
        Call::is_in(qmpi::set::rma) && Call::operation == qmpi::operation::create;
    if constexpr (!Call::has(qmpi::role::communicator))
        return Needed::any;
    else if constexpr (inter.contains(Call::id))
        return Needed::inter;
    else if constexpr (cart.contains(Call::id))
        return Needed::cart;
    else if constexpr (graph.contains(Call::id))
        return Needed::graph;
    else if constexpr (dist_graph.contains(Call::id))
        return Needed::dist_graph;
    else if constexpr (Call::is_in(qmpi::set::neighbourhood))
        return Needed::topology;
    else if constexpr (makes_window || intra.contains(Call::id) ||
                       Call::operation == qmpi::operation::scan ||
                       Call::operation == qmpi::operation::exscan)
        return Needed::intra;
    else
        return Needed::any;
}

/* Rules of parameters whose role says too little. */
struct NamedRule {
    std::string_view name;
    Rule rule;
};

inline constexpr NamedRule named_rules[] = {{"amode", Rule::access_mode},
                                            {"array_of_blocklengths", Rule::not_negative},
                                            {"array_of_dargs", Rule::distribution_argument},
                                            {"array_of_distribs", Rule::distribution},
                                            {"array_of_gsizes", Rule::positive},
                                            {"array_of_psizes", Rule::positive},
                                            {"array_of_sizes", Rule::positive},
                                            {"array_of_starts", Rule::not_negative},
                                            {"array_of_subsizes", Rule::positive},
                                            {"blocklength", Rule::not_negative},
                                            {"color", Rule::color},
                                            {"degrees", Rule::not_negative},
                                            {"dims", Rule::not_negative},
                                            {"direction", Rule::not_negative},
                                            {"disp_unit", Rule::positive},
                                            {"incount", Rule::not_negative},
                                            {"indegree", Rule::not_negative},
                                            {"insize", Rule::not_negative},
                                            {"lock_type", Rule::lock_type},
                                            {"max_addresses", Rule::not_negative},
                                            {"max_datatypes", Rule::not_negative},
                                            {"max_integers", Rule::not_negative},
                                            {"n", Rule::not_negative},
                                            {"ndims", Rule::not_negative},
                                            {"nnodes", Rule::not_negative},
                                            {"order", Rule::order},
                                            {"outdegree", Rule::not_negative},
                                            {"outsize", Rule::not_negative},
                                            {"size", Rule::not_negative},
                                            {"split_type", Rule::split_type},
                                            {"typeclass", Rule::type_class},
                                            {"valuelen", Rule::not_negative},
                                            {"whence", Rule::whence}};

template <typename Call>
constexpr Rule rule_of(std::size_t index)
{
    const qmpi::parameter parameter = Call::parameters[index];
    const bool is_read = parameter.direction != qmpi::direction::out;
    switch (parameter.role) {
    case qmpi::role::count:
        /* Counts of data are significant with their buffer only. */
        if (!Call::buffers.empty() || !is_read)
            return Rule::any;
        /* A status can have an unknown count. */
        return Call::operation == qmpi::operation::change ? Rule::color : Rule::not_negative;
    case qmpi::role::length:
        return is_read ? Rule::not_negative : Rule::any;
    case qmpi::role::partition:
        return parameter.name == "partitions" ? Rule::positive : Rule::not_negative;
    case qmpi::role::keyval:
        return is_read ? Rule::keyval : Rule::any;
    case qmpi::role::assertion:
        return Rule::assertion;
    case qmpi::role::offset:
        if (parameter.name == "disp")
            return is_read ? Rule::view_offset : Rule::any;
        return is_read && Call::index("whence") == qmpi::none ? Rule::not_negative : Rule::any;
    case qmpi::role::index:
    case qmpi::role::other:
        for (const NamedRule &named : named_rules) {
            if (is_read && named.name == parameter.name)
                return named.rule;
        }
        return Rule::any;
    default:
        return Rule::any;
    }
}

/* Most values obey their rule by being small and positive. */
constexpr bool is_usual(Rule rule, std::int64_t value)
{
    switch (rule) {
    case Rule::any:
        return true;
    case Rule::not_negative:
    case Rule::color:
    case Rule::view_offset:
        return value >= 0;
    case Rule::positive:
        return value > 0;
    case Rule::assertion:
        return value == 0;
    case Rule::keyval:
        return value != MPI_KEYVAL_INVALID;
    default:
        return false;
    }
}

/* The function needs an object; other arguments may be null handles. */
template <typename Call>
constexpr bool needs_object(std::size_t index)
{
    namespace set = qmpi::set;
    const qmpi::parameter parameter = Call::parameters[index];
    /* A null handle has a name, too. */
    if (parameter.is_array || parameter.direction == qmpi::direction::out ||
        Call::index("resultlen") != qmpi::none || Call::operation == qmpi::operation::abort)
        return false;
    switch (parameter.role) {
    case qmpi::role::communicator:
    case qmpi::role::group:
        return !is_of_leader_only(parameter.name);
    case qmpi::role::datatype:
        /* Significant with data only */
        return Call::buffers.empty() && !Call::is_in(set::rma);
    case qmpi::role::operation:
    case qmpi::role::window:
    case qmpi::role::message:
        return true;
    case qmpi::role::file:
    case qmpi::role::session:
        return !Call::is_in(set::errors); /* MPI_FILE_NULL has an error handler */
    case qmpi::role::info:
        return Call::is_in(set::infos);
    case qmpi::role::errhandler:
        return Call::is_in(set::errors);
    case qmpi::role::request:
        return Call::operation == qmpi::operation::start ||
            Call::operation == qmpi::operation::free ||
            Call::operation == qmpi::operation::cancel ||
            Call::operation == qmpi::operation::ready ||
            Call::operation == qmpi::operation::complete;
    default:
        return false;
    }
}

/* The function writes to the address. */
template <typename Call>
constexpr bool needs_address(std::size_t index)
{
    const qmpi::parameter parameter = Call::parameters[index];
    return parameter.direction == qmpi::direction::out && !parameter.is_array &&
        parameter.role != qmpi::role::buffer && parameter.role != qmpi::role::text &&
        parameter.role != qmpi::role::status;
}

/* Names of the arguments of a buffer. */
struct BufferNames {
    std::string_view address, count, datatype, displacements;
};

/* By number of the buffer. */
template <typename Call>
inline constexpr auto buffer_names = [] {
    std::array<BufferNames, Call::buffers.size()> names{};
    const auto name = [](std::size_t index) {
        return index == qmpi::none ? std::string_view("count") : Call::parameters[index].name;
    };
    for (std::size_t i = 0; i < names.size(); i++) {
        const qmpi::buffer_parameters &buffer = Call::buffers[i];
        names[i] = {name(buffer.address), name(buffer.count), name(buffer.datatype),
                    name(buffer.displacements)};
    }
    return names;
}();

inline constexpr BufferNames target_names = {"", "target_count", "target_datatype", ""};

/* A buffer, with what is significant of it in this process. */
struct Data {
    const BufferNames &names;
    const void *address;
    MPI_Count count;
    MPI_Aint displacement; /* in bytes, or in extents of the type */
    MPI_Datatype datatype;
    bool is_displacement_in_bytes;
};

/* The buffer of packed data. */
struct Packed {
    std::string_view name;
    const void *address;
    std::string_view size_name;
    bool is_native; /* the data has the same size as in memory */
    MPI_Count size;
    MPI_Count position;
};

/* Thread-safe. */
class Arguments {
  public:
    explicit Arguments(LocalProcess &process) : process_(process) {}

    /* Reports forbidden arguments. Returns false if the call can have no effect but its error. */
    template <typename Call>
    bool check(Call &call, const Here &here)
    {
        if constexpr (is_extension<Call>() || Call::operation == qmpi::operation::initialize)
            return ((void) call, (void) here, true);
        else {
            bool is_usable = true;
            call.each_argument([&](auto index, auto &value) {
                if (!check_argument<Call, decltype(index)::value>(call, value, here))
                    is_usable = false;
            });
            if (!is_usable || !check_related(call, here))
                return false;
            if constexpr (uses_ranks<Call>() || !Call::buffers.empty() ||
                          needed_communicator<Call>() != Needed::any ||
                          Call::index("target_datatype") != qmpi::none)
                return check_together(call, here);
            return true;
        }
    }

    /* After a successful call: notes which datatypes are not committed, and the attached buffer. */
    template <typename Call>
    void follow(Call &call)
    {
        if constexpr (attaches_buffer<Call>())
            process_.attached = static_cast<std::int64_t>(call.template argument<1>());
        else if constexpr (Call::id == MPI_BUFFER_DETACH_T || Call::id == MPI_BUFFER_DETACH_C_T)
            process_.attached = LocalProcess::no_buffer;
        else if constexpr (Call::name.find("_attach_buffer") != std::string_view::npos)
            process_.attached = LocalProcess::unknown_buffer; /* of a communicator or session */
        else if constexpr (Call::id == MPI_TYPE_COMMIT_T)
            committed(*qmpi::get<qmpi::role::datatype>(call));
        else if constexpr (Call::id == MPI_TYPE_GET_CONTENTS_T) {
            const auto *types = call.template argument<6>();
            for (int i = 0; i < call.template argument<3>(); i++)
                committed(types[i]); /* or unknown */
        } else
            call.each_argument([&](auto index, auto &value) {
                constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
                if constexpr (parameter.role == qmpi::role::datatype &&
                              parameter.direction == qmpi::direction::out && !parameter.is_array)
                    made(call, *value);
                else
                    (void) value;
            });
    }

  private:
    template <typename Call>
    static constexpr bool is_extension()
    {
        return Call::name.substr(0, 5) == "MPIX_";
    }

    template <typename Call>
    static constexpr bool attaches_buffer()
    {
        return Call::id == MPI_BUFFER_ATTACH_T || Call::id == MPI_BUFFER_ATTACH_C_T;
    }

    template <typename Call>
    static constexpr bool uses_ranks()
    {
        using qmpi::role;
        for (const qmpi::parameter &parameter : Call::parameters) {
            const role own = parameter.role;
            if (parameter.direction == qmpi::direction::in &&
                (own == role::root || own == role::source || own == role::destination ||
                 own == role::target || own == role::tag || own == role::rank ||
                 parameter.name == "direction" || parameter.name == "dims"))
                return true;
        }
        return false;
    }

    template <typename Call>
    void made(Call &call, MPI_Datatype datatype)
    {
        (void) call;
        constexpr bool is_copy = Call::parameters.size() == 2; /* MPI_Type_dup keeps the state. */
        if constexpr (!Call::is_in(qmpi::set::datatypes) || !Call::has(qmpi::effect::creates))
            committed(datatype);
        else if constexpr (is_copy) {
            if (is_uncommitted(qmpi::get<qmpi::role::datatype>(call)))
                uncommitted(datatype);
            else
                committed(datatype);
        } else
            uncommitted(datatype);
    }

    /* ---- arguments by themselves ---- */

    template <typename Call, std::size_t i, typename Value>
    bool check_argument(Call &call, Value &value, const Here &here)
    {
        constexpr qmpi::parameter parameter = Call::parameters[i];
        constexpr Rule rule = rule_of<Call>(i);
        (void) call, (void) value, (void) here;
        if constexpr (is_of_root_only<Call>(parameter.role))
            return true;
        else if constexpr (parameter.is_array)
            return check_array<Call, i>(call, value, here);
        else if constexpr (needs_object<Call>(i)) {
            if constexpr (parameter.role == qmpi::role::operation) {
                if (!takes_part(call))
                    return true;
            }
            constexpr bool is_by_address = parameter.direction == qmpi::direction::inout ||
                Call::operation == qmpi::operation::cancel;
            if constexpr (is_by_address)
                return check_address(value, parameter.name, here) &&
                    check_object<parameter.role>(*value, parameter.name, here) &&
                    (parameter.effect != qmpi::effect::frees ||
                     check_freed<parameter.role>(*value, parameter.name, here));
            else
                return check_object<parameter.role>(value, parameter.name, here);
        } else if constexpr (std::is_pointer_v<Value> && needs_address<Call>(i))
            return check_address(value, parameter.name, here);
        else if constexpr (parameter.role == qmpi::role::status &&
                           parameter.direction == qmpi::direction::out) {
            if (value == nullptr && value != MPI_STATUS_IGNORE)
                return wrong(parameter.name, "is a null pointer", here);
            return true;
        } else if constexpr (parameter.role == qmpi::role::request &&
                             parameter.direction == qmpi::direction::inout)
            return check_address(value, parameter.name, here) &&
                check_request(*value, parameter.name, here);
        else if constexpr (parameter.role == qmpi::role::request &&
                           parameter.direction == qmpi::direction::in)
            return check_request(value, parameter.name, here);
        else if constexpr (rule != Rule::any && std::is_pointer_v<Value>)
            return check_address(value, parameter.name, here) &&
                check_value<rule, Call::operation>(*value, parameter.name, here);
        else if constexpr (rule != Rule::any)
            return check_value<rule, Call::operation>(value, parameter.name, here);
        else
            return true;
    }

    template <Rule rule, qmpi::operation operation, typename Value>
    bool check_value(Value value, std::string_view name, const Here &here)
    {
        const auto number = static_cast<std::int64_t>(value);
        return is_usual(rule, number) || check_unusual(rule, number, operation, name, here);
    }

    /* Arrays with a length; the others are as long as the communicator or another array says. */
    template <typename Call, std::size_t i, typename Value>
    bool check_array(Call &call, Value &value, const Here &here)
    {
        constexpr qmpi::parameter parameter = Call::parameters[i];
        constexpr Rule rule = rule_of<Call>(i);
        (void) call, (void) value, (void) here;
        if constexpr (parameter.role == qmpi::role::status &&
                      parameter.direction == qmpi::direction::out) {
            const bool is_missing = value == nullptr && value != MPI_STATUSES_IGNORE;
            return !is_missing || qmpi::get_or<qmpi::role::length>(call, 0) <= 0 ||
                wrong(parameter.name, "is a null pointer", here);
        } else if constexpr (parameter.length == qmpi::none ||
                             parameter.direction == qmpi::direction::out)
            return true;
        else {
            const auto length = static_cast<MPI_Count>(call.template argument<parameter.length>());
            if (length > 0 && value == nullptr)
                return wrong(parameter.name, "is a null pointer", here);
            if constexpr (rule != Rule::any) {
                for (MPI_Count k = 0; k < length; k++) {
                    const auto number = static_cast<std::int64_t>(value[k]);
                    if constexpr (rule == Rule::distribution_argument) {
                        const auto *distributions =
                            call.template argument<Call::index("array_of_distribs")>();
                        if (distributions != nullptr && distributions[k] == MPI_DISTRIBUTE_NONE)
                            continue; /* ignored (MPI 4.0, 5.1.4) */
                    }
                    if (!is_usual(rule, number) &&
                        !check_unusual(rule, number, Call::operation, parameter.name, here, k))
                        return false;
                }
            } else if constexpr (parameter.role == qmpi::role::request) {
                for (MPI_Count k = 0; k < length; k++) {
                    if (is_request(value[k]))
                        continue;
                    if (value[k] != MPI_REQUEST_NULL || Call::operation == qmpi::operation::start)
                        return check_object<qmpi::role::request>(value[k],
                                                                 element(parameter.name, k), here);
                }
            }
            return true;
        }
    }

    static bool is_request(MPI_Request request)
    {
        return request != MPI_REQUEST_NULL && has_type<qmpi::role::request>(request);
    }

    /* Also right: a null handle */
    bool check_request(MPI_Request request, std::string_view name, const Here &here)
    {
        return is_request(request) || request == MPI_REQUEST_NULL ||
            check_object<qmpi::role::request>(request, name, here);
    }

    template <qmpi::role role, typename Value>
    bool check_object(Value handle, std::string_view name, const Here &here)
    {
        if (handle == static_cast<Value>(null_handle<role>()))
            return wrong(name, "is a null handle", here);
        return has_type<role>(handle) || wrong(name, "is not a handle of its type", here);
    }

    /* Predefined groups and error handlers may be freed: functions return them. */
    template <qmpi::role role, typename Value>
    bool check_freed([[maybe_unused]] Value handle, [[maybe_unused]] std::string_view name,
                     [[maybe_unused]] const Here &here)
    {
        if constexpr (role == qmpi::role::datatype)
            return !process_.types.is_predefined(handle) || wrong(name, "is predefined", here);
        else if constexpr (role == qmpi::role::communicator || role == qmpi::role::operation)
            return origin_of(handle) != Origin::library || wrong(name, "is predefined", here);
        else
            return true;
    }

    template <typename Value>
    bool check_address(Value *value, std::string_view name, const Here &here)
    {
        return value != nullptr || wrong(name, "is a null pointer", here);
    }

    /* ---- arguments that depend on each other ---- */

    template <typename Call>
    bool check_related([[maybe_unused]] Call &call, [[maybe_unused]] const Here &here)
    {
        constexpr std::size_t lengths = Call::index("array_of_blocklengths"),
                              types = Call::index("array_of_types"), base = Call::index("base"),
                              size = Call::index("size");
        if constexpr (packs_or_unpacks<Call>())
            return check_packing(call, here);
        else if constexpr (lengths != qmpi::none && types != qmpi::none)
            return check_types<types>(call, here);
        else if constexpr (base != qmpi::none && size != qmpi::none)
            return call.template argument<size>() == 0 ||
                check_address(call.template argument<base>(), "base", here);
        else if constexpr (attaches_buffer<Call>())
            return process_.attached < 0 ||
                wrong("buffer", "is attached, but another one is already", here);
        else if constexpr (Call::index("array_of_subsizes") != qmpi::none)
            check_subarray(call.template argument<0>(), call.template argument<1>(),
                           call.template argument<2>(), call.template argument<3>(), here);
        return true;
    }

    template <typename Call>
    static constexpr bool packs_or_unpacks()
    {
        return Call::is_in(qmpi::set::datatypes) && Call::index("inbuf") != qmpi::none;
    }

    /* The types of a structure. */
    template <std::size_t parameter, typename Call>
    bool check_types(Call &call, const Here &here)
    {
        const MPI_Datatype *types = call.template argument<parameter>();
        const auto number = static_cast<MPI_Count>(qmpi::get<qmpi::role::count>(call));
        for (MPI_Count i = 0; i < number; i++) {
            const bool is_usual =
                has_type<qmpi::role::datatype>(types[i]) && types[i] != MPI_DATATYPE_NULL;
            if (!is_usual && is_significant_element<parameter>(call, i))
                return check_object<qmpi::role::datatype>(types[i], element("array_of_types", i),
                                                          here);
        }
        return true;
    }

    template <typename Call>
    bool check_packing(Call &call, const Here &here)
    {
        using qmpi::role;
        constexpr bool packs = Call::index("incount") != qmpi::none;
        static constexpr BufferNames names = packs
            ? BufferNames{"inbuf", "incount", "datatype", ""}
            : BufferNames{"outbuf", "outcount", "datatype", ""};
        constexpr std::size_t address = Call::index(names.address),
                              packed = Call::index(packs ? "outbuf" : "inbuf"),
                              size = Call::index(packs ? "outsize" : "insize"),
                              position = Call::index("position");
        const Data data{names,
                        call.template argument<address>(),
                        static_cast<MPI_Count>(qmpi::get<role::count>(call)),
                        0,
                        qmpi::get<role::datatype>(call),
                        true};
        if (!check_data(data, here) ||
            !check_address(call.template argument<position>(), "position", here))
            return false;
        /* The size of data in another representation is unknown. */
        constexpr bool is_native = Call::has(role::communicator);
        return check_packed(data,
                            {Call::parameters[packed].name, call.template argument<packed>(),
                             Call::parameters[size].name, is_native,
                             static_cast<MPI_Count>(call.template argument<size>()),
                             static_cast<MPI_Count>(*call.template argument<position>())},
                            here);
    }

    /* ---- arguments that depend on a communicator, window or group ---- */

    /* Processes that rank arguments refer to. */
    struct Scope {
        bool is_found = false;
        SharedCommunicator communicator; /* of a communicator or window; nullptr if unknown */
        int size = -1;                   /* -1: unknown */

        bool has_communicator() const { return communicator != nullptr; }
        bool is_inter() const { return communicator != nullptr && communicator->is_inter; }
    };

    template <typename Call>
    bool check_together(Call &call, const Here &here)
    {
        Scope scope;
        bool is_usable = true;
        if constexpr (needed_communicator<Call>() != Needed::any) {
            constexpr qmpi::parameter parameter =
                Call::parameters[Call::index(qmpi::role::communicator)];
            if (find(call, scope).has_communicator() &&
                !check_communicator(*scope.communicator, needed_communicator<Call>(),
                                    parameter.name, here))
                return false;
        }
        if constexpr (uses_ranks<Call>())
            is_usable = check_ranks(call, scope, here);
        else if constexpr (Call::id == MPI_CART_RANK_T) {
            if (scope.has_communicator())
                is_usable =
                    check_coordinates(*scope.communicator, call.template argument<1>(), here);
        }
        return is_usable && check_data(call, scope, here);
    }

    /* Looked up when the first rule needs it. */
    template <typename Call>
    const Scope &find(Call &call, Scope &scope)
    {
        using qmpi::role;
        if (scope.is_found)
            return scope;
        scope.is_found = true;
        if constexpr (reads<Call>(role::communicator))
            scope.communicator = process_.communicator(qmpi::get<role::communicator>(call));
        else if constexpr (reads<Call>(role::window))
            scope.communicator = process_.communicators.of_window(qmpi::get<role::window>(call));
        else if constexpr (reads<Call>(role::group))
            scope.size = size_of(qmpi::get<role::group>(call));
        if (scope.communicator != nullptr)
            scope.size = static_cast<int>(scope.communicator->peers().size());
        return scope;
    }

    template <typename Call>
    static constexpr bool reads(qmpi::role role)
    {
        return Call::has(role) &&
            Call::parameters[Call::index(role)].direction == qmpi::direction::in;
    }

    template <typename Call>
    bool check_ranks(Call &call, Scope &scope, const Here &here)
    {
        using qmpi::role;
        bool is_usable = true;
        call.each_argument([&](auto index, auto &value) {
            constexpr qmpi::parameter parameter = Call::parameters[decltype(index)::value];
            if constexpr (parameter.direction == qmpi::direction::in)
                is_usable =
                    check_rank<Call, decltype(index)::value>(call, value, scope, here) && is_usable;
        });
        if constexpr (Call::index("direction") != qmpi::none) {
            if (find(call, scope).has_communicator() && scope.communicator->topology == MPI_CART)
                is_usable = check_limit(call.template argument<Call::index("direction")>(),
                                        static_cast<int>(scope.communicator->sources.size() / 2),
                                        "direction", "the topology has", "dimensions", here) &&
                    is_usable;
        }
        if constexpr (Call::id == MPI_GRAPH_CREATE_T)
            is_usable = check_graph(call.template argument<1>(), call.template argument<2>(),
                                    call.template argument<3>(), find(call, scope).size, here) &&
                is_usable;
        if constexpr (Call::index("dims") != qmpi::none && Call::has(role::communicator))
            is_usable = check_grid(call.template argument<Call::index("ndims")>(),
                                   call.template argument<Call::index("dims")>(),
                                   find(call, scope).size, here) &&
                is_usable;
        return is_usable;
    }

    template <typename Call, std::size_t i, typename Value>
    bool check_rank([[maybe_unused]] Call &call, [[maybe_unused]] Value &value,
                    [[maybe_unused]] Scope &scope, [[maybe_unused]] const Here &here)
    {
        using qmpi::role;
        constexpr qmpi::parameter parameter = Call::parameters[i];
        constexpr bool is_partitioned = Call::is_in(qmpi::set::partitioned);
        if constexpr (parameter.is_array) {
            /* Ranks of a new group differ; others may repeat. */
            if constexpr (parameter.role == role::rank && parameter.length != qmpi::none &&
                          Call::has(role::group) && Call::has(qmpi::effect::creates))
                return check_members(value, call.template argument<parameter.length>(),
                                     find(call, scope).size, parameter.name, here);
            else if constexpr (parameter.name == "ranges")
                return check_ranges(value, qmpi::get<role::length>(call), find(call, scope).size,
                                    here);
            else if constexpr (parameter.role == role::rank && parameter.length != qmpi::none &&
                               (Call::has(role::communicator) || Call::has(role::group)))
                return check_nodes(value, call.template argument<parameter.length>(),
                                   find(call, scope).size, parameter.name, here);
            else
                return true;
        } else if constexpr (parameter.role == role::destination || parameter.role == role::target)
            return value == MPI_PROC_NULL ||
                check_rank(value, find(call, scope).size, parameter.name, here);
        else if constexpr (parameter.role == role::source)
            return value == MPI_PROC_NULL || (!is_partitioned && value == MPI_ANY_SOURCE) ||
                check_rank(value, find(call, scope).size, parameter.name, here);
        else if constexpr (parameter.role == role::root) {
            const bool may_be_inter = !find(call, scope).has_communicator() || scope.is_inter();
            return (may_be_inter && (value == MPI_ROOT || value == MPI_PROC_NULL)) ||
                check_rank(value, scope.size, parameter.name, here);
        } else if constexpr (parameter.role == role::rank &&
                             (reads<Call>(role::window) || Call::is_in(qmpi::set::topology)))
            return (Call::has(role::window) && value == MPI_PROC_NULL) ||
                check_rank(value, find(call, scope).size, parameter.name, here);
        else if constexpr (parameter.role == role::rank && Call::index("size") != qmpi::none)
            return check_limit(value, call.template argument<Call::index("size")>(), parameter.name,
                               "there are", "processes", here);
        else if constexpr (parameter.role == role::rank && parameter.name == "local_leader" &&
                           Call::has(role::communicator)) {
            return !find(call, scope).has_communicator() ||
                check_rank(value, scope.communicator->size, parameter.name, here);
        } else if constexpr (parameter.role == role::tag) {
            constexpr std::size_t second = Call::index(role::tag, 1);
            constexpr bool is_of_receive = second != qmpi::none
                ? i == second
                : Call::has(role::source) && !Call::has(role::destination);
            if constexpr (is_of_receive) {
                if (qmpi::get<role::source>(call) == MPI_PROC_NULL ||
                    (!is_partitioned && value == MPI_ANY_TAG))
                    return true;
            } else if (qmpi::get_or<role::destination>(call, 0) == MPI_PROC_NULL)
                return true;
            return check_tag(value, parameter.name, here);
        } else
            return true;
    }

    /* size: -1 if unknown */
    bool check_rank(int value, int size, std::string_view name, const Here &here)
    {
        return (value >= 0 && (value < size || size < 0)) || wrong_rank(value, size, name, here);
    }

    /* owner and what: "there are", "processes" */
    bool check_limit(int value, int size, std::string_view name, const char *owner,
                     const char *what, const Here &here)
    {
        return (value >= 0 && value < size) || wrong_limit(value, size, name, owner, what, here);
    }

    bool check_tag(int value, std::string_view name, const Here &here)
    {
        return (value >= 0 && value <= 32767) || check_high_tag(value, name, here);
    }

    /* ---- data ---- */

    template <typename Call>
    bool check_data(Call &call, Scope &scope, const Here &here)
    {
        using qmpi::role;
        constexpr bool is_one_sided = Call::has(role::target);
        bool is_usable = true;
        if constexpr (is_one_sided) {
            if (qmpi::get<role::target>(call) == MPI_PROC_NULL)
                return true;
        }
        std::size_t number = 0;
        call.each_buffer([&](const auto &buffer) {
            is_usable = check_buffer(call, buffer, number++, scope, here) && is_usable;
        });
        if constexpr (is_one_sided) {
            constexpr std::size_t type = Call::index("target_datatype"),
                                  count = Call::index("target_count"),
                                  displacement = Call::index("target_disp");
            if constexpr (type != qmpi::none)
                is_usable = check_data({target_names, &call,
                                        static_cast<MPI_Count>(call.template argument<count>()), 0,
                                        call.template argument<type>(), true},
                                       here) &&
                    is_usable;
            is_usable = check_value<Rule::not_negative, Call::operation>(
                            call.template argument<displacement>(), "target_disp", here) &&
                is_usable;
        }
        if constexpr (Call::has(role::operation)) {
            if (is_usable)
                check_reduction(call, here);
        }
        return is_usable;
    }

    template <typename Call>
    void check_reduction(Call &call, const Here &here)
    {
        using qmpi::role;
        constexpr bool is_one_sided = Call::has(role::target);
        const MPI_Op op = qmpi::get<role::operation>(call);
        MPI_Datatype type;
        if constexpr (Call::index("target_datatype") != qmpi::none)
            type = call.template argument<Call::index("target_datatype")>();
        else
            type = qmpi::get<role::datatype>(call);
        const bool is_empty = qmpi::get_or<role::count>(call, MPI_Count{1}) == 0;
        if (is_one_sided || (!is_empty && takes_part(call)))
            check_operation(op, type, is_one_sided, Call::operation == qmpi::operation::fetch,
                            here);
    }

    /* Buffers that can be those of an operation in place. */
    template <typename Call>
    static constexpr bool can_be_in_place(std::size_t buffer)
    {
        if (!Call::has(qmpi::role::communicator) || Call::is_in(qmpi::set::neighbourhood))
            return false;
        switch (Call::operation) {
        case qmpi::operation::gather:
        case qmpi::operation::reduce:
        case qmpi::operation::allgather:
        case qmpi::operation::alltoall:
        case qmpi::operation::allreduce:
        case qmpi::operation::reduce_scatter:
        case qmpi::operation::scan:
        case qmpi::operation::exscan:
            return buffer == 0;
        case qmpi::operation::scatter:
            return buffer == 1;
        default:
            return false;
        }
    }

    template <typename Call, typename Buffer>
    bool check_buffer(Call &call, const Buffer &buffer, std::size_t number, Scope &scope,
                      const Here &here)
    {
        using qmpi::role;
        const BufferNames &names = buffer_names<Call>[number];
        if constexpr (depends_on_process<Call>() || Call::is_in(qmpi::set::neighbourhood))
            find(call, scope);
        if (!uses_buffer(call, scope.communicator.get(), number) ||
            !has_peer(call, scope, buffer.direction))
            return true;
        if (buffer.address == MPI_IN_PLACE) {
            if (can_be_in_place<Call>(number) && !find(call, scope).is_inter()) {
                if constexpr (Call::has(role::root)) {
                    if (scope.has_communicator() &&
                        scope.communicator->rank != qmpi::get<role::root>(call))
                        return wrong(names.address,
                                     "is MPI_IN_PLACE in a process that is not the root", here);
                }
                return true;
            }
            return wrong(names.address, "must not be MPI_IN_PLACE", here);
        }
        Data data{names, buffer.address, 0, 0, MPI_DATATYPE_NULL, Buffer::is_typed};
        if constexpr (!Buffer::is_vector) {
            data.count = static_cast<MPI_Count>(buffer.count);
            data.datatype = buffer.datatype;
            return check_data(data, here);
        } else {
            const auto size = blocks_of<Call>(find(call, scope), buffer.direction);
            for (std::size_t i = 0; i < size; i++) {
                if constexpr (Call::is_in(qmpi::set::neighbourhood)) {
                    if (neighbours(scope, buffer.direction)[i] == MPI_PROC_NULL)
                        continue;
                }
                if (buffer.count == nullptr)
                    return wrong(names.count, "is a null pointer", here);
                data.count = static_cast<MPI_Count>(buffer.count[i]);
                if constexpr (!std::is_same_v<decltype(buffer.displacements), std::nullptr_t>) {
                    if (buffer.displacements == nullptr)
                        return wrong(names.displacements, "is a null pointer", here);
                    data.displacement = static_cast<MPI_Aint>(buffer.displacements[i]);
                }
                if constexpr (Buffer::is_typed) {
                    if (buffer.datatype == nullptr)
                        return wrong(names.datatype, "is a null pointer", here);
                    data.datatype = buffer.datatype[i];
                } else
                    data.datatype = buffer.datatype;
                if (!check_data(data, here))
                    return false;
            }
            return true;
        }
    }

    /* False for messages to or from MPI_PROC_NULL, which have no data. */
    template <typename Call>
    static bool has_peer(Call &call, const Scope &scope, qmpi::direction direction)
    {
        using qmpi::role;
        (void) call, (void) scope, (void) direction;
        if constexpr (Call::is_in(qmpi::set::neighbourhood)) {
            if (scope.communicator == nullptr)
                return false;
            const std::vector<int> &ranks = neighbours(scope, direction);
            return std::any_of(ranks.begin(), ranks.end(),
                               [](int rank) { return rank != MPI_PROC_NULL; });
        }
        if constexpr (Call::has(role::destination)) {
            if (direction != qmpi::direction::out &&
                qmpi::get<role::destination>(call) != MPI_PROC_NULL)
                return true;
        }
        if constexpr (Call::has(role::source)) {
            if (direction != qmpi::direction::in && qmpi::get<role::source>(call) != MPI_PROC_NULL)
                return true;
        }
        return !Call::has(role::destination) && !Call::has(role::source);
    }

    static const std::vector<int> &neighbours(const Scope &scope, qmpi::direction direction)
    {
        return direction == qmpi::direction::in ? scope.communicator->destinations
                                                : scope.communicator->sources;
    }

    /* Number of blocks of a buffer with a count for each process or neighbour. */
    template <typename Call>
    static std::size_t blocks_of(const Scope &scope, qmpi::direction direction)
    {
        if (scope.communicator == nullptr)
            return 0;
        const Communicator &communicator = *scope.communicator;
        if constexpr (Call::is_in(qmpi::set::neighbourhood))
            return neighbours(scope, direction).size();
        else if constexpr (Call::operation == qmpi::operation::reduce_scatter)
            return communicator.world.size();
        else
            return communicator.peers().size();
    }

    bool check_data(const Data &data, const Here &here)
    {
        if (data.count == 0)
            return true;
        return (data.count > 0 && data.address != nullptr &&
                origin_of(data.datatype) == Origin::library && data.datatype != MPI_DATATYPE_NULL &&
                has_type<qmpi::role::datatype>(data.datatype)) ||
            check_unusual(data, here);
    }

    /* ---- in the source file ---- */

    /* Reports; always false. */
    [[gnu::cold]] bool wrong(std::string_view name, std::string_view fault, const Here &here);
    bool check_communicator(const Communicator &communicator, Needed needed, std::string_view name,
                            const Here &here);
    [[gnu::cold]] bool wrong_rank(int value, int size, std::string_view name, const Here &here);
    [[gnu::cold]] bool wrong_limit(int value, int size, std::string_view name, const char *owner,
                                   const char *what, const Here &here);
    static std::string element(std::string_view name, MPI_Count index);

    /* index: of an array; negative: none */
    bool check_unusual(Rule rule, std::int64_t value, qmpi::operation operation,
                       std::string_view name, const Here &here, MPI_Count index = -1);
    bool check_unusual(const Data &data, const Here &here);
    bool check_high_tag(int value, std::string_view name, const Here &here);
    bool check_members(const int *ranks, int number, int size, std::string_view name,
                       const Here &here);
    bool check_nodes(const int *ranks, int number, int size, std::string_view name,
                     const Here &here);
    bool check_ranges(int (*ranges)[3], int number, int size, const Here &here);
    bool check_grid(int number, const int *dims, int size, const Here &here);
    bool check_graph(int number, const int *ends, const int *edges, int size, const Here &here);
    bool check_coordinates(const Communicator &communicator, const int *coordinates,
                           const Here &here);
    bool check_packed(const Data &data, const Packed &packed, const Here &here);
    template <typename Size>
    void check_subarray(int number, const Size *sizes, const Size *subsizes, const Size *starts,
                        const Here &here)
    {
        for (int i = 0; i < number; i++) {
            if (subsizes[i] > sizes[i] || starts[i] > sizes[i] - subsizes[i])
                wrong(element("array_of_subsizes", i),
                      "is " + std::to_string(subsizes[i]) + ", but from " +
                          std::to_string(starts[i]) + " on there are " +
                          std::to_string(sizes[i] - starts[i]),
                      here);
        }
    }
    void check_operation(MPI_Op op, MPI_Datatype datatype, bool is_one_sided, bool is_fetch,
                         const Here &here);
    int size_of(MPI_Group group) const;

    void committed(MPI_Datatype datatype);
    void uncommitted(MPI_Datatype datatype);
    bool is_uncommitted(MPI_Datatype datatype) const;

    LocalProcess &process_;
    std::atomic<int> highest_tag_{-1};
    mutable std::mutex lock_;
    std::unordered_set<MPI_Datatype> uncommitted_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_ARGUMENTS_HPP_INCLUDED */
