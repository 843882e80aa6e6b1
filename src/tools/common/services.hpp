/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools that use each other. */

#ifndef QMPI_SERVICES_HPP_INCLUDED
#define QMPI_SERVICES_HPP_INCLUDED

#include <qmpi.hpp>

namespace qmpi {

/* Offers an object to the other tools of the chain; for the constructor of a tool. The tools have to
 * agree on its type: name it with a version ("halo.phase.v1"), and use a type that does not change
 * its layout, such as a class of virtual functions. It must exist as long as the process. */
template <typename Service, typename Tool>
void publish(const qmpi::tool<Tool> &tool, const char *name, Service &service)
{
    if (QMPIX_Publish_tool_service(tool.tool_id(), name, &service) != MPI_SUCCESS)
        throw std::runtime_error(std::string("cannot publish the service ") + name);
}

/* Finds the object of the nearest instance that follows in the chain, else of the nearest before;
 * nullptr if no tool publishes it. From ready() on, whatever the order of the list. */
template <typename Service, typename Tool>
Service *find_service(const qmpi::tool<Tool> &tool, const char *name)
{
    Service *service = nullptr;
    return QMPIX_Lookup_tool_service(tool.tool_id(), name, &service) == MPI_SUCCESS ? service
                                                                                    : nullptr;
}

}  // namespace qmpi

#endif /* QMPI_SERVICES_HPP_INCLUDED */
