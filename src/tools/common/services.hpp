/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools that use each other. The storage that MPI keeps for an instance (MPI_Register_tool_storage) is
 * the list of the objects that it offers; who knows the tool's name knows that. */

#ifndef QMPI_SERVICES_HPP_INCLUDED
#define QMPI_SERVICES_HPP_INCLUDED

#include <qmpi.hpp>

#include <cstring>
#include <stdexcept>
#include <string>

namespace qmpi {
inline namespace v1 {

namespace detail {

struct offered_service {
    const char *name;
    void *object;
    const offered_service *next;
};

/* Of an instance with that tool name; nullptr if it offers none. */
inline const offered_service *services_of(int tool_id, const char *tool_name)
{
    const char *name = "";
    const offered_service *first = nullptr;
    return QMPIX_Get_tool_name(tool_id, &name) == MPI_SUCCESS &&
            std::strcmp(name, tool_name) == 0 &&
            QMPI_Get_tool_storage(nullptr, tool_id, &first) == MPI_SUCCESS
        ? first
        : nullptr;
}

inline void *find_object(int tool_id, const char *tool_name, const char *name)
{
    for (const auto *service = services_of(tool_id, tool_name); service; service = service->next) {
        if (std::strcmp(service->name, name) == 0)
            return service->object;
    }
    return nullptr;
}

}  // namespace detail

/* Offers an object to the other tools of the chain; for the constructor of a tool. The tools have to
 * agree on its type: name it with a version ("halo.phase.v1"), and use a type that does not change
 * its layout, such as a class of virtual functions. Object and name must exist as long as the
 * process. */
template <typename Service, typename Tool>
void publish(const qmpi::tool<Tool> &tool, const char *name, Service &service)
{
    const auto *others = detail::services_of(tool.tool_id(), tool.name());
    auto *offered = new detail::offered_service{name, &service, others};
    if (QMPI_Register_tool_storage(tool.tool_id(), offered) != MPI_SUCCESS)
        throw std::runtime_error(std::string("cannot publish the service ") + name);
}

/* Finds the object of the nearest instance of a tool that follows in the chain, else of the nearest
 * before; nullptr if there is none. The tool must be made with this kit. From ready() on, whatever the
 * order of the list. */
template <typename Service, typename Tool>
Service *find_service(const qmpi::tool<Tool> &tool, const char *tool_name, const char *name)
{
    const char *unused = "";
    for (int id = tool.tool_id() + 1; QMPIX_Get_tool_name(id, &unused) == MPI_SUCCESS; id++) {
        if (void *object = detail::find_object(id, tool_name, name))
            return static_cast<Service *>(object);
    }
    for (int id = tool.tool_id() - 1; id > 0; id--) {
        if (void *object = detail::find_object(id, tool_name, name))
            return static_cast<Service *>(object);
    }
    return nullptr;
}

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_SERVICES_HPP_INCLUDED */
