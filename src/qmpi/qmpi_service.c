/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_names.h"

#ifdef ENABLE_QMPI

/* What instances offer to each other. Init callbacks, all in one thread, add to it; once the chain
 * stands it is only read. */
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

/* Of two publishers, is the first nearer to the asking instance? Those behind it come first. */
static bool is_nearer(int first, int second, int asking)
{
    if ((first > asking) != (second > asking))
        return first > asking;
    return first > asking ? first < second : first > second;
}

int PMPIX_Publish_tool_service(int tool_id, const char *service_name, void *service)
{
    int mpi_errno = MPII_QMPI_check_init(__func__, tool_id);
    Service *published;

    if (!mpi_errno)
        mpi_errno = MPII_QMPI_check_name(__func__, "service_name", service_name);
    if (mpi_errno)
        return mpi_errno;
    if (!service)
        return MPII_QMPI_refuse_null(__func__, "service");
    published = find(tool_id, service_name);
    if (!published) {
        published = MPL_direct_calloc(1, sizeof(*published) + strlen(service_name) + 1);
        if (!published)
            return MPII_QMPI_refuse_no_memory(__func__);
        published->tool_id = tool_id;
        strcpy(published->name, service_name);
        published->next = services;
        services = published;
    }
    published->address = service;
    return MPI_SUCCESS;
}

int PMPIX_Lookup_tool_service(int tool_id, const char *service_name, void *service)
{
    int mpi_errno = MPII_QMPI_check_linked(__func__, tool_id);
    const Service *nearest = NULL;

    if (mpi_errno)
        return mpi_errno;
    if (!service_name)
        return MPII_QMPI_refuse_null(__func__, "service_name");
    if (!service)
        return MPII_QMPI_refuse_null(__func__, "service");
    for (const Service * other = services; other; other = other->next)
        if (other->tool_id != tool_id && !strcmp(other->name, service_name) &&
            (!nearest || is_nearer(other->tool_id, nearest->tool_id, tool_id)))
            nearest = other;
    if (!nearest)
        return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                    MPI_ERR_NAME, "**qmpi_service", "**qmpi_service %s",
                                    service_name);
    *(void **) service = nearest->address;
    return MPI_SUCCESS;
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

void MPII_QMPI_release_services(void)
{
    while (services)
        MPII_QMPI_withdraw_services(services->tool_id);
}

#else /* ENABLE_QMPI */

UNSUPPORTED(X_Publish_tool_service, (int tool_id, const char *service_name, void *service))
UNSUPPORTED(X_Lookup_tool_service, (int tool_id, const char *service_name, void *service))

#endif /* ENABLE_QMPI */

INTERFACE(X_Publish_tool_service, (int tool_id, const char *service_name, void *service),
          (tool_id, service_name, service))
INTERFACE(X_Lookup_tool_service, (int tool_id, const char *service_name, void *service),
          (tool_id, service_name, service))
