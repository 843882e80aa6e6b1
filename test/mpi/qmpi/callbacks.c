/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools see the MPI calls of the application's callbacks, inside the call that led to the callback.
 * Run with the list rec. */

#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static int copy_attribute(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    *(void **) out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *state)
{
    int size;

    MPI_Comm_size(comm, &size);
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int keyval, value = 0;
    MPI_Comm comm, copy;

    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_attr(comm, keyval, &value);
    qt_log_clear();
    MPI_Comm_dup(comm, &copy);
    qt_expect_log("1>MPI_Comm_dup 1>MPI_Comm_rank 1<MPI_Comm_rank 1<MPI_Comm_dup", "copy function");
    MPI_Comm_delete_attr(comm, keyval);
    qt_expect_log("1>MPI_Comm_delete_attr 1>MPI_Comm_size 1<MPI_Comm_size 1<MPI_Comm_delete_attr",
                  "delete function");
    MPI_Comm_free(&copy);
    qt_expect_log("1>MPI_Comm_free 1>MPI_Comm_size 1<MPI_Comm_size 1<MPI_Comm_free",
                  "delete function of a freed communicator");
    MPI_Comm_free(&comm);
    /* MPI_Finalize deletes the attributes of MPI_COMM_SELF */
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &value);
    MPI_Comm_free_keyval(&keyval);
}

static void add(void *in, void *inout, int *count, MPI_Datatype * type)
{
    int size;

    MPI_Type_size(*type, &size);
    for (int i = 0; i < *count; i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static void operations(void)
{
    int in = 2, inout = 3;
    MPI_Op op;

    MPI_Op_create(add, 1, &op);
    qt_log_clear();
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    QT_CHECK(inout == 5, "sum %d", inout);
    qt_expect_log("1>MPI_Reduce_local 1>MPI_Type_size 1<MPI_Type_size 1<MPI_Reduce_local",
                  "operation");
    MPI_Op_free(&op);
}

static void handle_error(MPI_Comm * comm, int *code, ...)
{
    int error_class;

    MPI_Error_class(*code, &error_class);
}

static void error_handlers(void)
{
    int in = 0;
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(handle_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    qt_log_clear();
    MPI_Send(&in, 1, MPI_INT, 17, 0, MPI_COMM_SELF);
    qt_expect_log("1>MPI_Send 1>MPI_Error_class 1<MPI_Error_class 1<MPI_Send",
                  "handler of an error");
    MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    qt_expect_log("1>MPI_Comm_call_errhandler 1>MPI_Error_class 1<MPI_Error_class "
                  "1<MPI_Comm_call_errhandler", "called handler");
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static int query_request(void *state, MPI_Status * status)
{
    MPI_Status_set_elements(status, MPI_INT, 1);
    status->MPI_SOURCE = 0;
    status->MPI_TAG = 0;
    return MPI_SUCCESS;
}

static int free_request(void *state)
{
    int flag;

    MPI_Initialized(&flag);
    return MPI_SUCCESS;
}

static int cancel_request(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void generalized_requests(void)
{
    MPI_Request request;
    MPI_Status status;

    MPI_Grequest_start(query_request, free_request, cancel_request, NULL, &request);
    MPI_Grequest_complete(request);
    qt_log_clear();
    MPI_Wait(&request, &status);
    qt_expect_log("1>MPI_Wait 1>MPI_Status_set_elements 1<MPI_Status_set_elements "
                  "1>MPI_Initialized 1<MPI_Initialized 1<MPI_Wait", "generalized request");
}

int main(int argc, char **argv)
{
    qt_begin();
    MPI_Init(&argc, &argv);
    attributes();
    operations();
    error_handlers();
    generalized_requests();
    qt_log_clear();
    MPI_Finalize();
    qt_expect_log("1>MPI_Finalize 1>MPI_Comm_size 1<MPI_Comm_size 1<MPI_Finalize",
                  "delete function at the end");
    return qt_end();
}
