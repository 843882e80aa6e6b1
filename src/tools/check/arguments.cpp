/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "arguments.hpp"

#include "../common/process.hpp"
#include "../common/text.hpp"

#include <set>
#include <unordered_map>

namespace qmpi::check {
namespace {

std::string is(std::int64_t value)
{
    return "is " + std::to_string(value);
}

/* Values that MPI gives a name, with the names for the user. */
template <typename... Values>
std::string unless_one_of(std::int64_t value, const char *names, Values... allowed)
{
    return ((value == static_cast<std::int64_t>(allowed)) || ...)
        ? ""
        : is(value) + ", which is none of " + names;
}

bool is_split_type(std::int64_t value)
{
    switch (value) {
    case MPI_UNDEFINED:
    case MPI_COMM_TYPE_SHARED:
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_HW_UNGUIDED:
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION > 0)
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
#endif
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
    case MPIX_COMM_TYPE_NEIGHBORHOOD:
#endif
        return true;
    default:
        return false;
    }
}

#ifdef MPI_DISPLACEMENT_CURRENT /* MPICH may have been configured without MPI-IO */
std::string fault_of_mode(std::int64_t mode)
{
    int ways = 0;
    for (const int way : {int{MPI_MODE_RDONLY}, int{MPI_MODE_WRONLY}, int{MPI_MODE_RDWR}})
        ways += (mode & way) != 0;
    if (ways != 1)
        return "must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR";
    if ((mode & MPI_MODE_RDONLY) && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
        return "has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL";
    if ((mode & MPI_MODE_RDWR) && (mode & MPI_MODE_SEQUENTIAL))
        return "has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL";
    return "";
}
#endif

std::string fault_of_assertion(std::int64_t assertion, qmpi::operation operation)
{
    std::int64_t allowed = MPI_MODE_NOCHECK;
    if (operation == qmpi::operation::fence)
        allowed = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    else if (operation == qmpi::operation::start_exposure)
        allowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
    return (assertion & ~allowed) == 0
        ? ""
        : is(assertion) + ", which has an assertion of another function";
}

/* ---- predefined operations and datatypes (MPI 4.0, 6.9.2 and 6.9.4) ----
 *
 * Tables are never destroyed: threads may be in a call while the process exits. */

enum class OperationClass { other, arithmetic, order, logical, bits, location, replace, nothing };
enum class TypeClass { other, floating, complex, logical, byte, pair, undefined };

OperationClass class_of(MPI_Op op)
{
    static const auto &classes = *new const std::unordered_map<MPI_Op, OperationClass>{
        {MPI_SUM, OperationClass::arithmetic},  {MPI_PROD, OperationClass::arithmetic},
        {MPI_MAX, OperationClass::order},       {MPI_MIN, OperationClass::order},
        {MPI_LAND, OperationClass::logical},    {MPI_LOR, OperationClass::logical},
        {MPI_LXOR, OperationClass::logical},    {MPI_BAND, OperationClass::bits},
        {MPI_BOR, OperationClass::bits},        {MPI_BXOR, OperationClass::bits},
        {MPI_MAXLOC, OperationClass::location}, {MPI_MINLOC, OperationClass::location},
        {MPI_REPLACE, OperationClass::replace}, {MPI_NO_OP, OperationClass::nothing}};
    const auto found = classes.find(op);
    return found == classes.end() ? OperationClass::other : found->second;
}

TypeClass class_of_type(MPI_Datatype datatype)
{
    static const auto &classes = *[] {
        auto *const made = new std::unordered_map<MPI_Datatype, TypeClass>;
        auto &all = *made;
        for (MPI_Datatype type : floating_types())
            all[type] = TypeClass::floating;
        for (MPI_Datatype type : complex_types())
            all[type] = TypeClass::complex;
        for (MPI_Datatype type : {MPI_LOGICAL, MPI_C_BOOL, MPI_CXX_BOOL})
            all[type] = TypeClass::logical;
        for (MPI_Datatype type :
             {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT,
              MPI_2INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION})
            all[type] = TypeClass::pair;
        all[MPI_BYTE] = TypeClass::byte;
        for (MPI_Datatype type : {MPI_WCHAR, MPI_PACKED})
            all[type] = TypeClass::undefined;
        /* Types that the library lacks */
        all[MPI_DATATYPE_NULL] = TypeClass::other;
        return made;
    }();
    const auto found = classes.find(datatype);
    return found == classes.end() ? TypeClass::other : found->second;
}

bool is_defined(OperationClass op, TypeClass type)
{
    switch (op) {
    case OperationClass::arithmetic:
        return type == TypeClass::other || type == TypeClass::floating ||
            type == TypeClass::complex;
    case OperationClass::order:
        return type == TypeClass::other || type == TypeClass::floating;
    case OperationClass::logical:
        return type == TypeClass::other || type == TypeClass::logical;
    case OperationClass::bits:
        return type == TypeClass::other || type == TypeClass::byte;
    case OperationClass::location:
        return type == TypeClass::pair;
    default:
        return true;
    }
}

/* Built by a constructor of the program. Types for a precision are predefined. */
bool is_derived(MPI_Datatype datatype)
{
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    if (QMPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
        return false;
    switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
        return false;
    default:
        return true;
    }
}

/* Text of what is wrong with a value; empty if it obeys the rule. operation: for assertions. */
std::string fault_of(Rule rule, std::int64_t value, qmpi::operation operation)
{
    switch (rule) {
    case Rule::not_negative:
        return value >= 0 ? "" : is(value);
    case Rule::positive:
        return value > 0 ? "" : is(value);
    case Rule::color:
        return value >= 0 || value == MPI_UNDEFINED ? "" : is(value);
    case Rule::keyval:
        return value != MPI_KEYVAL_INVALID ? "" : "is MPI_KEYVAL_INVALID";
    case Rule::lock_type:
        return unless_one_of(value, "MPI_LOCK_EXCLUSIVE and MPI_LOCK_SHARED", MPI_LOCK_EXCLUSIVE,
                             MPI_LOCK_SHARED);
    case Rule::order:
        return unless_one_of(value, "MPI_ORDER_C and MPI_ORDER_FORTRAN", MPI_ORDER_C,
                             MPI_ORDER_FORTRAN);
    case Rule::distribution:
        return unless_one_of(value, "MPI_DISTRIBUTE_BLOCK, _CYCLIC and _NONE", MPI_DISTRIBUTE_BLOCK,
                             MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE);
    case Rule::distribution_argument:
        return value > 0 || value == MPI_DISTRIBUTE_DFLT_DARG ? "" : is(value);
    case Rule::split_type:
        return is_split_type(value) ? "" : is(value) + ", which is no split type";
    case Rule::type_class:
        return unless_one_of(value, "MPI_TYPECLASS_INTEGER, _REAL and _COMPLEX",
                             MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL, MPI_TYPECLASS_COMPLEX);
#ifdef MPI_DISPLACEMENT_CURRENT
    case Rule::whence:
        return unless_one_of(value, "MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END", MPI_SEEK_SET,
                             MPI_SEEK_CUR, MPI_SEEK_END);
    case Rule::access_mode:
        return fault_of_mode(value);
    case Rule::view_offset:
        return value >= 0 || value == MPI_DISPLACEMENT_CURRENT ? "" : is(value);
#endif
    case Rule::assertion:
        return fault_of_assertion(value, operation);
    default:
        return "";
    }
}

}  // namespace

bool Arguments::wrong(std::string_view name, std::string_view fault, const Here &here)
{
    process_.found(Kind::argument, process_.position(here),
                   std::string(name).append(" ").append(fault));
    return false;
}

std::string Arguments::element(std::string_view name, MPI_Count index)
{
    return std::string(name) + "[" + std::to_string(index) + "]";
}

bool Arguments::check_unusual(Rule rule, std::int64_t value, qmpi::operation operation,
                              std::string_view name, const Here &here, MPI_Count index)
{
    const std::string fault = fault_of(rule, value, operation);
    return fault.empty() ||
        wrong(index < 0 ? std::string(name) : element(name, index), fault, here);
}

bool Arguments::wrong_limit(int value, int size, std::string_view name, const char *owner,
                            const char *what, const Here &here)
{
    return wrong(name, is(value) + ", but " + owner + " " + std::to_string(size) + " " + what,
                 here);
}

bool Arguments::check_communicator(const Communicator &communicator, Needed needed,
                                   std::string_view name, const Here &here)
{
    const int topology = communicator.topology;
    const auto check = [&](bool is_right, const char *fault) {
        return is_right || wrong(name, fault, here);
    };
    switch (needed) {
    case Needed::intra:
        return check(!communicator.is_inter, "is an intercommunicator");
    case Needed::inter:
        return check(communicator.is_inter, "is not an intercommunicator");
    case Needed::cart:
        return check(topology == MPI_CART, "has no Cartesian topology");
    case Needed::graph:
        return check(topology == MPI_GRAPH, "has no graph topology");
    case Needed::dist_graph:
        return check(topology == MPI_DIST_GRAPH, "has no distributed graph topology");
    case Needed::topology:
        return check(topology == MPI_CART || topology == MPI_GRAPH || topology == MPI_DIST_GRAPH,
                     "has no topology");
    case Needed::any:
        break;
    }
    return true;
}

bool Arguments::wrong_rank(int value, int size, std::string_view name, const Here &here)
{
    const char *there = size == 1 ? ", but there is " : ", but there are ";
    return wrong(name, is(value) + (size < 0 ? "" : there + number_of(size, "process", "es")),
                 here);
}

/* The limit is unknown before MPI_Init, and may be after MPI_Finalize. */
bool Arguments::check_high_tag(int value, std::string_view name, const Here &here)
{
    int highest = highest_tag_;
    if (highest < 0) {
        int *limit = nullptr, is_set = 0;
        if (!is_world_up() ||
            QMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &is_set) != MPI_SUCCESS ||
            !is_set)
            return value >= 0 || wrong(name, is(value), here);
        highest_tag_ = highest = *limit;
    }
    if (value < 0)
        return wrong(name, is(value), here);
    return value <= highest ||
        wrong(name, is(value) + ", but MPI_TAG_UB is " + std::to_string(highest), here);
}

/* Ranks that form a group. */
bool Arguments::check_members(const int *ranks, int number, int size, std::string_view name,
                              const Here &here)
{
    std::set<int> seen;
    for (int i = 0; i < number; i++) {
        if (!check_rank(ranks[i], size, element(name, i), here))
            return false;
        if (!seen.insert(ranks[i]).second)
            return wrong(element(name, i), is(ranks[i]) + " again", here);
    }
    return true;
}

/* The same by first rank, last rank and stride. MPI does not define a stride that leads away from the
 * last rank. */
bool Arguments::check_ranges(int (*ranges)[3], int number, int size, const Here &here)
{
    if (number > 0 && ranges == nullptr)
        return wrong("ranges", "is a null pointer", here);
    std::set<int> seen;
    for (int i = 0; i < number; i++) {
        const std::string name = element("ranges", i);
        const std::int64_t first = ranges[i][0], stride = ranges[i][2],
                           distance = ranges[i][1] - first;
        if (stride == 0)
            return wrong(name, "has a stride of 0", here);
        if (size < 0 || (distance != 0 && (distance < 0) != (stride < 0)))
            continue;
        const std::int64_t last = first + distance / stride * stride;
        for (const std::int64_t end : {first, last}) {
            if (end < 0 || end >= size)
                return wrong_rank(static_cast<int>(end), size, name + " has a rank that", here);
        }
        for (std::int64_t rank = first; rank != last + stride; rank += stride) {
            if (!seen.insert(static_cast<int>(rank)).second)
                return wrong(name, "has rank " + std::to_string(rank) + " again", here);
        }
    }
    return true;
}

/* Ranks that may repeat. */
bool Arguments::check_nodes(const int *ranks, int number, int size, std::string_view name,
                            const Here &here)
{
    for (int i = 0; i < number; i++) {
        if (ranks[i] != MPI_PROC_NULL && !check_rank(ranks[i], size, element(name, i), here))
            return false;
    }
    return true;
}

bool Arguments::check_grid(int number, const int *dims, int size, const Here &here)
{
    std::int64_t nodes = 1;
    for (int i = 0; i < number && size >= 0; i++) {
        nodes *= dims[i];
        if (nodes > size)
            return wrong("dims",
                         "need " + std::to_string(nodes) + " processes or more, but there are " +
                             std::to_string(size),
                         here);
    }
    return true;
}

/* ends: for each node, the number of edges of all nodes up to it */
bool Arguments::check_graph(int number, const int *ends, const int *edges, int size,
                            const Here &here)
{
    if (size >= 0 && number > size)
        return wrong_limit(number, size, "nnodes", "there are", "processes", here);
    int last = 0;
    for (int i = 0; i < number; i++) {
        if (ends[i] < last)
            return wrong(element("index", i), is(ends[i]) + ", but must not decrease", here);
        last = ends[i];
    }
    if (last > 0 && edges == nullptr)
        return wrong("edges", "is a null pointer", here);
    for (int i = 0; i < last; i++) {
        if (!check_limit(edges[i], number, element("edges", i), "there are", "nodes", here))
            return false;
    }
    return true;
}

bool Arguments::check_coordinates(const Communicator &communicator, const int *coordinates,
                                  const Here &here)
{
    constexpr std::size_t most = 32;
    int dims[most], periods[most], own[most];
    const std::size_t number = communicator.sources.size() / 2;
    if (number > most || coordinates == nullptr ||
        QMPI_Cart_get(communicator.handle, static_cast<int>(number), dims, periods, own) !=
            MPI_SUCCESS)
        return true;
    for (std::size_t i = 0; i < number; i++) {
        if (!periods[i] &&
            !check_limit(coordinates[i], dims[i], element("coords", static_cast<MPI_Count>(i)),
                         "the dimension has", "coordinates", here))
            return false;
    }
    return true;
}

bool Arguments::check_packed(const Data &data, const Packed &packed, const Here &here)
{
    const Types::Shared type = data.count > 0 ? process_.types.of(data.datatype) : nullptr;
    if (type == nullptr || type->size == 0)
        return true;
    if (packed.address == nullptr)
        return wrong(packed.name, "is a null pointer", here);
    const MPI_Count end = packed.position + data.count * static_cast<MPI_Count>(type->size);
    return !packed.is_native || end <= packed.size ||
        wrong(packed.size_name, is(packed.size) + ", but the data ends at " + std::to_string(end),
              here);
}

/* A null pointer is MPI_BOTTOM: right if the type has absolute addresses, which are not in the first
 * page. */
bool Arguments::check_unusual(const Data &data, const Here &here)
{
    if (data.count < 0)
        return wrong(data.names.count, is(data.count), here);
    if (!check_object<qmpi::role::datatype>(data.datatype, data.names.datatype, here))
        return false;
    if (!process_.types.is_predefined(data.datatype) && is_uncommitted(data.datatype))
        return wrong(data.names.datatype, "is not committed", here);
    if (data.address != nullptr)
        return true;
    const Types::Shared type = process_.types.of(data.datatype);
    if (type == nullptr || type->size == 0)
        return true;
    MPI_Count begin = type->first;
    if (data.displacement != 0) {
        MPI_Count bound = 0, extent = 1;
        if (!data.is_displacement_in_bytes &&
            QMPI_Type_get_extent_x(data.datatype, &bound, &extent) != MPI_SUCCESS)
            return true;
        begin += data.displacement * extent;
    }
    return begin < 0 || begin >= 4096 || wrong(data.names.address, "is a null pointer", here);
}

void Arguments::check_operation(MPI_Op op, MPI_Datatype datatype, bool is_one_sided, bool is_fetch,
                                const Here &here)
{
    if (origin_of(op) != Origin::library) {
        if (is_one_sided && origin_of(op) == Origin::program)
            wrong("op", "must be predefined", here);
        return;
    }
    const OperationClass own = class_of(op);
    if (own == OperationClass::replace || own == OperationClass::nothing) {
        if (!is_one_sided || (own == OperationClass::nothing && !is_fetch))
            wrong("op", own == OperationClass::replace ? "is MPI_REPLACE" : "is MPI_NO_OP", here);
        return;
    }
    if (own == OperationClass::other || datatype == MPI_DATATYPE_NULL)
        return;
    if (!process_.types.is_predefined(datatype)) {
        /* One-sided operations take types that consist of one predefined type. */
        if (!is_one_sided &&
            process_.handles.is_live({qmpi::role::datatype, qmpi::handle_value(datatype)}) &&
            is_derived(datatype))
            wrong("op", "is predefined, but the datatype is not", here);
        return;
    }
    if (!is_defined(own, class_of_type(datatype)))
        wrong("op", "is not defined for this datatype", here);
}

int Arguments::size_of(MPI_Group group) const
{
    int size = -1;
    const bool is_known = origin_of(group) == Origin::library ||
        process_.handles.is_live({qmpi::role::group, qmpi::handle_value(group)});
    return is_known && QMPI_Group_size(group, &size) == MPI_SUCCESS ? size : -1;
}

void Arguments::committed(MPI_Datatype datatype)
{
    const std::lock_guard<std::mutex> guard(lock_);
    uncommitted_.erase(datatype);
}

void Arguments::uncommitted(MPI_Datatype datatype)
{
    const std::lock_guard<std::mutex> guard(lock_);
    uncommitted_.insert(datatype);
}

bool Arguments::is_uncommitted(MPI_Datatype datatype) const
{
    const std::lock_guard<std::mutex> guard(lock_);
    return uncommitted_.count(datatype) > 0;
}

}  // namespace qmpi::check
