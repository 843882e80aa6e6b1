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
    REFUSED(MPI_Register_tool_name("other", init_tool));
    REFUSED(MPI_Register_tool_storage(1, NULL));
    REFUSED(MPI_Register_tool_function(1, MPI_SEND_T, fn));
    REFUSED(MPIX_Register_tool_ready_function(1, init_tool));
    REFUSED(MPI_Get_next_tool_function(1, MPI_SEND_T, &fn, &id));
    REFUSED(MPI_Get_tool_storage(NULL, 1, &pointer));
    REFUSED(MPI_Get_calling_address(NULL, &pointer));
    REFUSED(MPIX_Get_function_enum("MPI_Send", &id));
    REFUSED(MPIX_Get_function_name(MPI_SEND_T, &name));
    REFUSED(PMPI_Register_tool_name("other", init_tool));
    REFUSED(PMPI_Register_tool_storage(1, NULL));
    REFUSED(PMPI_Register_tool_function(1, MPI_SEND_T, fn));
    REFUSED(PMPIX_Register_tool_ready_function(1, init_tool));
    REFUSED(PMPI_Get_next_tool_function(1, MPI_SEND_T, &fn, &id));
    REFUSED(PMPI_Get_tool_storage(NULL, 1, &pointer));
    REFUSED(PMPI_Get_calling_address(NULL, &pointer));
    REFUSED(PMPIX_Get_function_enum("MPI_Send", &id));
    REFUSED(PMPIX_Get_function_name(MPI_SEND_T, &name));
    REFUSED(QMPI_Register_tool_name("other", init_tool));
    REFUSED(QMPI_Register_tool_storage(1, NULL));
    REFUSED(QMPI_Register_tool_function(1, MPI_SEND_T, fn));
    REFUSED(QMPIX_Register_tool_ready_function(1, init_tool));
    REFUSED(QMPI_Get_next_tool_function(1, MPI_SEND_T, &fn, &id));
    REFUSED(QMPI_Get_tool_storage(NULL, 1, &pointer));
    REFUSED(QMPI_Get_calling_address(NULL, &pointer));
    REFUSED(QMPIX_Get_function_enum("MPI_Send", &id));
    REFUSED(QMPIX_Get_function_name(MPI_SEND_T, &name));
    REFUSED(MPIX_Register_tool("other", init_tool, 1, 0));
    REFUSED(MPIX_Set_tool_info("other", NULL, NULL, NULL));
    REFUSED(MPIX_Get_tool_info(0, &name, NULL, NULL, NULL, NULL));
    REFUSED(MPIX_Fail_tool(1, "reason"));
    REFUSED(MPIX_Get_tool_arguments(1, &name));
    REFUSED(MPIX_Get_tool_name(1, &name));
    REFUSED(MPIX_Publish_tool_service(1, "service", &fn));
    REFUSED(MPIX_Lookup_tool_service(1, "service", &pointer));
    REFUSED(MPIX_Get_tool_function(1, MPI_SEND_T, &fn));
    REFUSED(PMPIX_Register_tool("other", init_tool, 1, 0));
    REFUSED(PMPIX_Set_tool_info("other", NULL, NULL, NULL));
    REFUSED(PMPIX_Get_tool_info(0, &name, NULL, NULL, NULL, NULL));
    REFUSED(PMPIX_Fail_tool(1, "reason"));
    REFUSED(PMPIX_Get_tool_arguments(1, &name));
    REFUSED(PMPIX_Get_tool_name(1, &name));
    REFUSED(PMPIX_Publish_tool_service(1, "service", &fn));
    REFUSED(PMPIX_Lookup_tool_service(1, "service", &pointer));
    REFUSED(PMPIX_Get_tool_function(1, MPI_SEND_T, &fn));
    REFUSED(QMPIX_Register_tool("other", init_tool, 1, 0));
    REFUSED(QMPIX_Set_tool_info("other", NULL, NULL, NULL));
    REFUSED(QMPIX_Get_tool_info(0, &name, NULL, NULL, NULL, NULL));
    REFUSED(QMPIX_Fail_tool(1, "reason"));
    REFUSED(QMPIX_Get_tool_arguments(1, &name));
    REFUSED(QMPIX_Get_tool_name(1, &name));
    REFUSED(QMPIX_Publish_tool_service(1, "service", &fn));
    REFUSED(QMPIX_Lookup_tool_service(1, "service", &pointer));
    REFUSED(QMPIX_Get_tool_function(1, MPI_SEND_T, &fn));
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
