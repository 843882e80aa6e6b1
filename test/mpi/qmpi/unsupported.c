/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* In a library without QMPI every function of the interface returns MPI_ERR_UNSUPPORTED_OPERATION
 * and changes nothing; with QMPI none does. MPI_Get_library_version shows how the library was
 * configured. */

#include "qmpi_test.h"

static int name_result = -1;

static void init_tool(int tool_id)
{
    qt_errs++;
}

__attribute__ ((constructor))
static void load(void)
{
    name_result = MPI_Register_tool_name("tool", init_tool);
}

/* 1 with QMPI, 0 without, -1 if the text has no such option */
static int configured_with_qmpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;

    QT_SUCCESS(MPI_Get_library_version(text, &length));
    if (strstr(text, "--disable-qmpi") || strstr(text, "--enable-qmpi=no"))
        return 0;
    if (strstr(text, "--enable-qmpi"))
        return 1;
    return -1;
}

static void check_all_refuse(void)
{
    void (*fn) (void) = (void (*)(void)) init_tool;
    void *pointer = &fn;
    const char *name = "untouched";
    int id = 4711;

#define REFUSED(call) QT_CLASS(call, MPI_ERR_UNSUPPORTED_OPERATION)
#define ALL_REFUSED(name, ...) \
    do { \
        REFUSED(name(__VA_ARGS__)); \
        REFUSED(P##name(__VA_ARGS__)); \
        REFUSED(Q##name(__VA_ARGS__)); \
    } while (0)
    ALL_REFUSED(MPI_Register_tool_name, "other", init_tool);
    ALL_REFUSED(MPIX_Register_tool, "other", init_tool, 1, 0);
    ALL_REFUSED(MPIX_Set_tool_info, "other", NULL, NULL, NULL);
    ALL_REFUSED(MPIX_Get_tool_info, 0, &name, NULL, NULL, NULL, NULL);
    ALL_REFUSED(MPI_Register_tool_storage, 1, NULL);
    ALL_REFUSED(MPI_Register_tool_function, 1, MPI_SEND_T, fn);
    ALL_REFUSED(MPIX_Register_tool_ready_function, 1, init_tool);
    ALL_REFUSED(MPIX_Register_tool_world_functions, 1, NULL, NULL);
    ALL_REFUSED(MPIX_Register_tool_job_functions, 1, NULL, NULL);
    ALL_REFUSED(MPIX_Register_tool_spawn_functions, 1, NULL, NULL);
    ALL_REFUSED(MPIX_Get_process_world, MPI_GROUP_EMPTY, 0, &name, &id);
    ALL_REFUSED(MPIX_Fail_tool, 1, "reason");
    ALL_REFUSED(MPIX_Get_tool_arguments, 1, &name);
    ALL_REFUSED(MPIX_Get_tool_name, 1, &name);
    ALL_REFUSED(MPIX_Publish_tool_service, 1, "service", &fn);
    ALL_REFUSED(MPIX_Lookup_tool_service, 1, "service", &pointer);
    ALL_REFUSED(MPI_Get_next_tool_function, 1, MPI_SEND_T, &fn, &id);
    ALL_REFUSED(MPI_Get_tool_storage, NULL, 1, &pointer);
    ALL_REFUSED(MPI_Get_calling_address, NULL, &pointer);
    ALL_REFUSED(MPIX_Get_tool_function, 1, MPI_SEND_T, &fn);
    ALL_REFUSED(MPIX_Get_function_enum, "MPI_Send", &id);
    ALL_REFUSED(MPIX_Get_function_name, MPI_SEND_T, &name);
    REFUSED((MPI_Register_tool_name) ("other", init_tool));
    REFUSED((PMPI_Register_tool_name) ("other", init_tool));
    REFUSED((QMPI_Register_tool_name) ("other", init_tool));
    REFUSED(MPI_Register_function(1, MPI_SEND_T, fn));
    REFUSED(MPI_Get_function(1, MPI_SEND_T, &fn, &id));
    REFUSED(QMPI_Register_function(1, MPI_SEND_T, fn));
    REFUSED(QMPI_Get_function(1, MPI_SEND_T, &fn, &id));
    REFUSED(QMPI_Context_get_storage(NULL, 1, &pointer));
    REFUSED(QMPI_Context_get_calling_address(NULL, 1, (void *) &pointer));
    QT_CHECK(fn == (void (*)(void)) init_tool && pointer == &fn && id == 4711 &&
             strcmp(name, "untouched") == 0, "a refused call changed its results");
}

int main(int argc, char **argv)
{
    int unsupported = qt_class(name_result) == MPI_ERR_UNSUPPORTED_OPERATION;
    int configured;

    MPI_Init(&argc, &argv);
    configured = configured_with_qmpi();
    if (configured >= 0)
        QT_CHECK(unsupported == !configured, "registration gave class %d, configured %s QMPI",
                 qt_class(name_result), configured ? "with" : "without");
    if (unsupported)
        check_all_refuse();
    else
        QT_CHECK(name_result == MPI_SUCCESS, "error code %d", name_result);
    MPI_Finalize();
    return qt_end();
}
