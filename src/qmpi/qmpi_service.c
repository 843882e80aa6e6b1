/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

/* Services that instances publish. The init callbacks, all in one thread, add to the list; after
 * that it is only read. */
typedef struct Service {
    struct Service *next;
    int tool_id;
    void *address;
    char name[];
} Service;

static Service *services = NULL;

static Service *find(int tool_id, const char *name)
{
    Service *service = services;

    while (service && (service->tool_id != tool_id || strcmp(service->name, name)))
        service = service->next;
    return service;
}

/* Of two publishers, is the first nearer to the asking instance? Later instances come first. */
static bool is_nearer(int first, int second, int asking)
{
    if ((first > asking) != (second > asking))
        return first > asking;
    return first > asking ? first < second : first > second;
}

int MPIR_Publish_tool_service_impl(int tool_id, const char *service_name, void *service)
{
    Service *published;
    int mpi_errno = MPI_SUCCESS;

    published = find(tool_id, service_name);
    if (!published) {
        published = MPL_direct_calloc(1, sizeof(*published) + strlen(service_name) + 1);
        MPIR_ERR_CHKANDJUMP(!published, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
        published->tool_id = tool_id;
        strcpy(published->name, service_name);
        published->next = services;
        services = published;
    }
    published->address = service;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIR_Lookup_tool_service_impl(int tool_id, const char *service_name, void *service)
{
    const Service *nearest = NULL;
    int mpi_errno = MPI_SUCCESS;

    for (const Service * other = services; other; other = other->next)
        if (other->tool_id != tool_id && !strcmp(other->name, service_name) &&
            (!nearest || is_nearer(other->tool_id, nearest->tool_id, tool_id)))
            nearest = other;
    MPIR_ERR_CHKANDJUMP1(!nearest, mpi_errno, MPI_ERR_NAME, "**namepubnotfound",
                         "no other tool has published a service with the name %s", service_name);
    *(void **) service = nearest->address;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

void MPII_QMPI_withdraw_services(int tool_id)
{
    for (Service ** place = &services; *place;) {
        Service *service = *place;
        if (service->tool_id == tool_id) {
            *place = service->next;
            MPL_direct_free(service);
        } else {
            place = &service->next;
        }
    }
}
