/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools do not see the calls that the library makes itself: each function here is one call,
 * although MPICH implements it with other functions. Run with the list rec. */

#define _GNU_SOURCE
#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

/* The call succeeds and the tool sees this function alone. */
#define ALONE(name, ...)                                        \
    do {                                                        \
        qt_log_clear();                                         \
        QT_SUCCESS(name(__VA_ARGS__));                          \
        qt_expect_log("1>" #name " 1<" #name, #name);           \
    } while (0)

static int copy_attribute(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    *(void **) out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *state)
{
    return MPI_SUCCESS;
}

static void ignore_error(MPI_Comm * comm, int *code, ...)
{
}

/* Deprecated and removed functions call their replacements. */
static void deprecated_functions(void)
{
    int keyval, flag, lengths[1] = { 2 }, value = 0, *found;
    MPI_Aint places[1] = { 0 }, address;
    MPI_Datatype types[1] = { MPI_INT }, type;
    MPI_Errhandler handler;

    ALONE(MPI_Keyval_create, copy_attribute, delete_attribute, &keyval, NULL);
    ALONE(MPI_Attr_put, MPI_COMM_SELF, keyval, &value);
    ALONE(MPI_Attr_get, MPI_COMM_SELF, keyval, &found, &flag);
    QT_CHECK(flag && found == &value, "wrong attribute");
    ALONE(MPI_Attr_delete, MPI_COMM_SELF, keyval);
    ALONE(MPI_Keyval_free, &keyval);
    ALONE(MPI_Address, &value, &address);
    ALONE(MPI_Type_extent, MPI_INT, &address);
    ALONE(MPI_Type_lb, MPI_INT, &address);
    ALONE(MPI_Type_ub, MPI_INT, &address);
    ALONE(MPI_Type_hindexed, 1, lengths, places, MPI_INT, &type);
    MPI_Type_free(&type);
    ALONE(MPI_Type_hvector, 1, 2, 4, MPI_INT, &type);
    MPI_Type_free(&type);
    ALONE(MPI_Type_struct, 1, lengths, places, types, &type);
    MPI_Type_free(&type);
    ALONE(MPI_Errhandler_create, ignore_error, &handler);
    ALONE(MPI_Errhandler_set, MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
    ALONE(MPI_Errhandler_get, MPI_COMM_SELF, &handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static void completion(void)
{
    int in = 1, out[2] = { 0, 0 }, flag, index, count, indices[2];
    MPI_Request requests[2];
    MPI_Status statuses[2], status;

    for (int round = 0; round < 4; round++) {
        MPI_Irecv(&out[0], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Irecv(&out[1], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &requests[1]);
        MPI_Send(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Send(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
        if (round == 0) {
            ALONE(MPI_Waitall, 2, requests, statuses);
        } else if (round == 1) {
            ALONE(MPI_Waitany, 2, requests, &index, &status);
            ALONE(MPI_Waitany, 2, requests, &index, &status);
        } else if (round == 2) {
            ALONE(MPI_Waitsome, 2, requests, &count, indices, statuses);
            ALONE(MPI_Testall, 2, requests, &flag, statuses);
        } else {
            ALONE(MPI_Testsome, 2, requests, &count, indices, statuses);
            ALONE(MPI_Testany, 2, requests, &index, &flag, &status);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    ALONE(MPI_Sendrecv, &in, 1, MPI_INT, 0, 0, out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status);
    ALONE(MPI_Sendrecv_replace, &in, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, &status);
}

static void collectives(void)
{
    int in = 3, out = 0;
    MPI_Request request;

    ALONE(MPI_Barrier, MPI_COMM_SELF);
    ALONE(MPI_Bcast, &in, 1, MPI_INT, 0, MPI_COMM_SELF);
    ALONE(MPI_Reduce, &in, &out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF);
    ALONE(MPI_Allreduce, &in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    ALONE(MPI_Alltoall, &in, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_SELF);
    ALONE(MPI_Iallreduce, &in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
    ALONE(MPI_Wait, &request, MPI_STATUS_IGNORE);
    QT_CHECK(out == 3, "result %d", out);
}

static void objects(void)
{
    int dims[1] = { 1 }, periods[1] = { 0 }, keyval, value;
    MPI_Comm comm, copy;
    MPI_Group group;
    MPI_Info info;
    MPI_Win win;
    MPI_Datatype type;
    int *memory;

    ALONE(MPI_Comm_create_keyval, copy_attribute, delete_attribute, &keyval, NULL);
    ALONE(MPI_Comm_dup, MPI_COMM_SELF, &comm);
    ALONE(MPI_Comm_set_attr, comm, keyval, &value);
    ALONE(MPI_Comm_dup, comm, &copy);
    ALONE(MPI_Comm_free, &copy);
    ALONE(MPI_Comm_delete_attr, comm, keyval);
    ALONE(MPI_Comm_free_keyval, &keyval);
    ALONE(MPI_Comm_free, &comm);
    ALONE(MPI_Comm_split, MPI_COMM_SELF, 0, 0, &comm);
    MPI_Comm_free(&comm);
    ALONE(MPI_Comm_split_type, MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_free(&comm);
    ALONE(MPI_Cart_create, MPI_COMM_SELF, 1, dims, periods, 0, &comm);
    MPI_Comm_free(&comm);
    ALONE(MPI_Comm_group, MPI_COMM_SELF, &group);
    ALONE(MPI_Comm_create_group, MPI_COMM_SELF, group, 0, &comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    ALONE(MPI_Info_create_env, 0, NULL, &info);
    MPI_Info_free(&info);
    ALONE(MPI_Win_allocate, 4, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    ALONE(MPI_Win_fence, 0, win);
    ALONE(MPI_Win_free, &win);
    if (MPI_Type_create_f90_real) {
        ALONE(MPI_Type_create_f90_real, 6, 30, &type);
        ALONE(MPI_Type_create_f90_complex, 6, 30, &type);
        ALONE(MPI_Type_create_f90_integer, 6, &type);
    }
}

/* the library's error handling */
static void errors(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, rc, in = 0;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    qt_log_clear();
    rc = MPI_Send(&in, 1, MPI_INT, 17, 0, MPI_COMM_SELF);
    QT_CHECK(qt_class(rc) == MPI_ERR_RANK, "class %d", qt_class(rc));
    qt_expect_log("1>MPI_Send 1<MPI_Send", "wrong rank");
    ALONE(MPI_Error_string, rc, text, &length);
}

#ifdef ROMIO_VERSION
static void input_and_output(void)
{
    char name[] = "qmpi_internal_calls.tmp";
    int numbers[4] = { 1, 2, 3, 4 }, back[4] = { 0, 0, 0, 0 };
    MPI_File file = MPI_FILE_NULL;
    MPI_Request request;
    MPI_Status status;
    MPI_Info info;

    ALONE(MPI_File_open, MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
          &file);
    ALONE(MPI_File_set_view, file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    ALONE(MPI_File_write_all, file, numbers, 4, MPI_INT, &status);
    ALONE(MPI_File_write_at_c, file, 4, numbers, 4, MPI_INT, &status);
    ALONE(MPI_File_iwrite_at, file, 4, numbers, 4, MPI_INT, &request);
    ALONE(MPI_Wait, &request, &status);
    ALONE(MPI_File_seek, file, 0, MPI_SEEK_SET);
    ALONE(MPI_File_read_all_begin, file, back, 4, MPI_INT);
    ALONE(MPI_File_read_all_end, file, back, &status);
    ALONE(MPI_File_read_shared, file, back, 4, MPI_INT, &status);
    QT_CHECK(memcmp(numbers, back, sizeof(back)) == 0, "read %d %d %d %d", back[0], back[1],
             back[2], back[3]);
    ALONE(MPI_File_get_info, file, &info);
    MPI_Info_free(&info);
    ALONE(MPI_File_sync, file);
    /* functions that return no error code */
    qt_log_clear();
    QT_CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file, "another file");
    qt_expect_log("1>MPI_File_c2f 1<MPI_File_c2f 1>MPI_File_f2c 1<MPI_File_f2c", "conversions");
    ALONE(MPI_File_close, &file);
    ALONE(MPI_File_delete, name, MPI_INFO_NULL);
    qt_log_clear();
    QT_CHECK(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)
             != MPI_SUCCESS, "a file that does not exist was opened");
    qt_expect_log("1>MPI_File_open 1<MPI_File_open", "failing open");
}
#endif

int main(int argc, char **argv)
{
    qt_begin();
    ALONE(MPI_Init, &argc, &argv);
    deprecated_functions();
    completion();
    collectives();
    objects();
    errors();
#ifdef ROMIO_VERSION
    input_and_output();
#endif
    qt_log_clear();
    MPI_Finalize();
    qt_expect_log("1>MPI_Finalize 1<MPI_Finalize", "MPI_Finalize");
    return qt_end();
}
