/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "selection.hpp"

#include "text.hpp"

namespace qmpi {
inline namespace v1 {
namespace {

struct NamedSet {
    const char *name;
    const qmpi::function_set *set;
};

constexpr NamedSet named_sets[] = {{"all", &qmpi::set::all},
                                   {"point_to_point", &qmpi::set::point_to_point},
                                   {"partitioned", &qmpi::set::partitioned},
                                   {"collective", &qmpi::set::collective},
                                   {"neighbourhood", &qmpi::set::neighbourhood},
                                   {"nonblocking", &qmpi::set::nonblocking},
                                   {"persistent", &qmpi::set::persistent},
                                   {"completion", &qmpi::set::completion},
                                   {"rma", &qmpi::set::rma},
                                   {"io", &qmpi::set::io},
                                   {"datatypes", &qmpi::set::datatypes},
                                   {"attributes", &qmpi::set::attributes},
                                   {"communicators", &qmpi::set::communicators},
                                   {"groups", &qmpi::set::groups},
                                   {"topology", &qmpi::set::topology},
                                   {"operations", &qmpi::set::operations},
                                   {"infos", &qmpi::set::infos},
                                   {"errors", &qmpi::set::errors},
                                   {"processes", &qmpi::set::processes},
                                   {"environment", &qmpi::set::environment},
                                   {"tool_information", &qmpi::set::tool_information},
                                   {"large_count", &qmpi::set::large_count}};

qmpi::function_set set_of(const std::string &name)
{
    for (const NamedSet &named : named_sets) {
        if (name == named.name)
            return *named.set;
    }
    int id = 0;
    if (QMPIX_Get_function_enum(name.c_str(), &id) == MPI_SUCCESS)
        return qmpi::function_set(static_cast<MPI_Functions_enum>(id));
    throw argument_error("'" + name + "' is not a function or a set of functions");
}

}  // namespace

function_set option_type<function_set>::read(const std::string &text)
{
    function_set selection;
    for (const std::string &name : option_type<std::vector<std::string>>::read(text))
        selection = selection | set_of(name);
    return selection;
}

}  // namespace v1
}  // namespace qmpi
