/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool "replaces" gives replaced.F90 other objects and attributes than it asks for. It prints which
 * functions with callbacks it has seen, and whether attributes that it has set itself are right. */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int seen[MPI_LAST_FUNC_T], next_ids[MPI_LAST_FUNC_T];
static void (*next_functions[MPI_LAST_FUNC_T]) (void);

#define NEXT(id_, type_) ((type_ *) next_functions[id_])

static int wrong;

static void expect(int right, const char *what)
{
    if (!right) {
        wrong++;
        printf("not ok  tool: %s\n", what);
    }
}

/* every function */
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    static type pass_##name tool_params \
    { \
        int next_tool_id = next_ids[id]; \
        seen[id]++; \
        return NEXT(id, name##_t) next_args; \
    }
#include <mpi_qmpi_functions.h>

/* The first operation is as the program says. The others have its procedure, and commute otherwise. */
static int my_op_create(MPI_Context context, int tool_id, MPI_User_function * function, int commute,
                        MPI_Op * op)
{
    static MPI_User_function *first = NULL;

    if (first)
        commute = !commute;
    else
        first = function;
    return pass_MPI_Op_create(context, tool_id, first, commute, op);
}

/* Attributes of the program by their values: one that is replaced, and one that is not set. */
enum { REPLACED = 5, ABSENT = 6 };
static int replaced = MPI_KEYVAL_INVALID, absent = MPI_KEYVAL_INVALID;

/* Sets attributes of the tool with the context of the program's call. */
static void set_own(MPI_Context context, MPI_Comm comm, int keyval)
{
    MPI_Comm_set_attr_t *next = NEXT(MPI_COMM_SET_ATTR_T, MPI_Comm_set_attr_t);
    int next_id = next_ids[MPI_COMM_SET_ATTR_T], own, flag;
    static int record;
    void *value;

    QMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &own, NULL);
    next(context, next_id, comm, own, &record);
    QMPI_Comm_get_attr(comm, own, &value, &flag);
    expect(flag && value == &record, "own attribute");
    next(context, next_id, MPI_COMM_SELF, keyval, &record);
    QMPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &flag);
    expect(flag && value == &record, "attribute of another communicator");
    QMPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
}

static int my_comm_set_attr(MPI_Context context, int tool_id, MPI_Comm comm, int keyval, void *value)
{
    int code;

    if (value == (void *) ABSENT) {
        absent = keyval;
        return MPI_SUCCESS;
    }
    code = pass_MPI_Comm_set_attr(context, tool_id, comm, keyval, value);
    if (value == (void *) REPLACED) {
        replaced = keyval;
        set_own(context, comm, keyval);
    }
    return code;
}

static int get_attr(MPI_Comm_get_attr_t * pass, MPI_Context context, int tool_id, MPI_Comm comm,
                    int keyval, void *value, int *flag)
{
    static int tag_ub = 77;
    int code;

    if (keyval == absent) {
        *(void **) value = (void *) 34;
        *flag = 1;
        return MPI_SUCCESS;
    }
    code = pass(context, tool_id, comm, keyval, value, flag);
    if (keyval == replaced)
        *(void **) value = (void *) 12;
    if (keyval == MPI_TAG_UB) {
        expect(**(int **) value > tag_ub, "MPI_TAG_UB");
        *(int **) value = &tag_ub;
    }
    return code;
}

static int my_comm_get_attr(MPI_Context context, int tool_id, MPI_Comm comm, int keyval, void *value,
                            int *flag)
{
    return get_attr(pass_MPI_Comm_get_attr, context, tool_id, comm, keyval, value, flag);
}

static int my_attr_get(MPI_Context context, int tool_id, MPI_Comm comm, int keyval, void *value,
                       int *flag)
{
    return get_attr(pass_MPI_Attr_get, context, tool_id, comm, keyval, value, flag);
}

static int my_type_set_attr(MPI_Context context, int tool_id, MPI_Datatype datatype, int keyval,
                            void *value)
{
    if (value != (void *) ABSENT)
        return pass_MPI_Type_set_attr(context, tool_id, datatype, keyval, value);
    absent = keyval;
    return MPI_SUCCESS;
}

static int my_type_get_attr(MPI_Context context, int tool_id, MPI_Datatype datatype, int keyval,
                            void *value, int *flag)
{
    if (keyval != absent)
        return pass_MPI_Type_get_attr(context, tool_id, datatype, keyval, value, flag);
    *(void **) value = (void *) 34;
    *flag = 1;
    return MPI_SUCCESS;
}

static int my_win_get_attr(MPI_Context context, int tool_id, MPI_Win win, int keyval, void *value,
                           int *flag)
{
    static MPI_Aint size = (MPI_Aint) 1 << 40;
    static int unit = 99;
    int code = pass_MPI_Win_get_attr(context, tool_id, win, keyval, value, flag);

    switch (keyval) {
        case MPI_WIN_BASE:
            *(void **) value = (void *) 4096;
            break;
        case MPI_WIN_SIZE:
            expect(**(MPI_Aint **) value == 8, "MPI_WIN_SIZE");
            *(MPI_Aint **) value = &size;
            break;
        case MPI_WIN_DISP_UNIT:
            expect(**(int **) value == 4, "MPI_WIN_DISP_UNIT");
            *(int **) value = &unit;
            break;
    }
    return code;
}

static const char *const names[] = {
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    [id] = #name,
#include <mpi_qmpi_functions.h>
};

static int my_finalize(MPI_Context context, int tool_id)
{
    int rank;

    QMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int id = 0; id < sizeof(names) / sizeof(names[0]) && rank == 0; id++)
        if (seen[id] && (strstr(names[id], "Op_create") || strstr(names[id], "rrhandler_create") ||
                         strstr(names[id], "create_errhandler")))
            printf("saw %s %d\n", names[id], seen[id]);
    printf("tool: %d wrong\n", wrong);
    return pass_MPI_Finalize(context, tool_id);
}

static void ready(int tool_id)
{
    for (int id = 0; id < MPI_LAST_FUNC_T; id++)
        MPI_Get_next_tool_function(tool_id, id, &next_functions[id], &next_ids[id]);
}

static void init(int tool_id)
{
#define REGISTER(id_, function_) \
    MPI_Register_tool_function(tool_id, id_, (void (*)(void)) function_)
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    REGISTER(id, pass_##name);
#include <mpi_qmpi_functions.h>
    REGISTER(MPI_OP_CREATE_T, my_op_create);
    REGISTER(MPI_COMM_SET_ATTR_T, my_comm_set_attr);
    REGISTER(MPI_COMM_GET_ATTR_T, my_comm_get_attr);
    REGISTER(MPI_ATTR_GET_T, my_attr_get);
    REGISTER(MPI_TYPE_SET_ATTR_T, my_type_set_attr);
    REGISTER(MPI_TYPE_GET_ATTR_T, my_type_get_attr);
    REGISTER(MPI_WIN_GET_ATTR_T, my_win_get_attr);
    REGISTER(MPI_FINALIZE_T, my_finalize);
    MPIX_Register_tool_ready_function(tool_id, ready);
}

__attribute__((constructor)) static void load(void)
{
    MPI_Register_tool_name("replaces", init);
}
