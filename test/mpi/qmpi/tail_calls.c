/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A call from the end of the chain, or by a QMPI_ name, reaches the library and no tool. The very
 * next call of the application is intercepted again: after success, after an early error, inside a
 * callback, in another thread, after a jump out of the call. The argument names the part:
 *   calls    each function by both names; run with two instances of rec
 *   open     functions that no tool intercepts; run with two instances of few
 *   threads  four threads; run with two instances of rec */

#define _GNU_SOURCE
#include "qmpi_test.h"
#include <pthread.h>
#include <setjmp.h>

#define NUM_THREADS 4
#define NUM_ROUNDS 20000

static void init_few(int tool_id)
{
    qt_record_begin(tool_id);
    qt_record_function(tool_id, MPI_COMM_RANK_T);
    qt_record_function(tool_id, MPI_INITIALIZED_T);
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
    qt_register("few", init_few);
}

#define NESTED(name) "1>" name " 2>" name " 2<" name " 1<" name
#define AROUND(name, inner) "1>" name " 2>" name " " inner " 2<" name " 1<" name

/* Both instances see the next call. */
static void expect_seen(const char *after)
{
    int rank = -1, flag = -1;

    qt_log_clear();
    QT_SUCCESS(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    QT_CHECK(rank == 0, "rank %d after %s", rank, after);
    qt_expect_log(NESTED("MPI_Comm_rank"), after);
    QT_SUCCESS(MPI_Initialized(&flag));
    QT_CHECK(flag == 1, "initialized: %d after %s", flag, after);
    qt_expect_log(NESTED("MPI_Initialized"), after);
}

/* The function by its QMPI_ name, by its MPI_ name, and by its QMPI_ name again. */
#define BOTH(name, args)                                        \
    do {                                                        \
        qt_log_clear();                                         \
        (void) QMPI_##name args;                                \
        qt_expect_log("", "QMPI_" #name);                       \
        (void) MPI_##name args;                                 \
        qt_expect_log(NESTED("MPI_" #name), "MPI_" #name);      \
        (void) QMPI_##name args;                                \
        qt_expect_log("", "QMPI_" #name " again");              \
        expect_seen("QMPI_" #name);                             \
    } while (0)

/* ---- part calls ---- */

static void call_succeeding(void)
{
    int i, flag, keyval, *value, in = 1, out = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Aint lb, extent;
    MPI_Count n;
    MPI_Request request;
    MPI_Status status;
    MPI_Group group;
    MPI_Info info;

    BOTH(Comm_rank, (MPI_COMM_SELF, &i));
    BOTH(Comm_size, (MPI_COMM_SELF, &i));
    BOTH(Comm_test_inter, (MPI_COMM_SELF, &flag));
    BOTH(Wtime, ());
    BOTH(Wtick, ());
    BOTH(Aint_add, (40, 2));
    BOTH(Aint_diff, (44, 2));
    BOTH(Initialized, (&flag));
    BOTH(Finalized, (&flag));
    BOTH(Get_version, (&i, &flag));
    BOTH(Get_library_version, (text, &i));
    BOTH(Query_thread, (&i));
    BOTH(Is_thread_main, (&flag));
    BOTH(Error_class, (MPI_ERR_TAG, &i));
    BOTH(Type_size, (MPI_INT, &i));
    BOTH(Type_size_x, (MPI_INT, &n));
    BOTH(Type_size_c, (MPI_INT, &n));
    BOTH(Type_get_extent, (MPI_INT, &lb, &extent));
    BOTH(Type_extent, (MPI_INT, &extent));      /* deprecated: calls another function */
    BOTH(Get_address, (&in, &extent));
    BOTH(Address, (&in, &extent));
    BOTH(Send, (&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF));
    BOTH(Recv, (&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &status));
    BOTH(Sendrecv, (&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status));
    BOTH(Iprobe, (0, 0, MPI_COMM_SELF, &flag, &status));
    BOTH(Isend, (&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request));
    request = MPI_REQUEST_NULL;
    BOTH(Wait, (&request, &status));
    BOTH(Test, (&request, &flag, &status));
    BOTH(Waitall, (1, &request, &status));
    BOTH(Testsome, (1, &request, &i, &flag, &status));
    BOTH(Barrier, (MPI_COMM_SELF));
    BOTH(Bcast, (&in, 1, MPI_INT, 0, MPI_COMM_SELF));
    BOTH(Allreduce, (&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    BOTH(Allreduce_c, (&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    BOTH(Reduce_local, (&in, &out, 1, MPI_INT, MPI_SUM));
    BOTH(Comm_get_attr, (MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    BOTH(Attr_get, (MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    QMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    BOTH(Comm_set_attr, (MPI_COMM_SELF, keyval, &in));
    BOTH(Attr_put, (MPI_COMM_SELF, keyval, &in));
    QMPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
    QMPI_Comm_free_keyval(&keyval);
    QMPI_Comm_group(MPI_COMM_SELF, &group);
    BOTH(Group_size, (group, &i));
    QMPI_Group_free(&group);
    QMPI_Info_create(&info);
    BOTH(Info_get_nkeys, (info, &i));
    QMPI_Info_free(&info);
    BOTH(Status_set_elements, (&status, MPI_INT, 1));
    BOTH(Get_count, (&status, MPI_INT, &i));
    BOTH(Op_commutative, (MPI_SUM, &flag));
    BOTH(Error_string, (MPI_ERR_TAG, text, &i));
    BOTH(T_cvar_get_num, (&i));
    BOTH(T_pvar_get_num, (&i));
#ifdef ROMIO_VERSION
    BOTH(File_c2f, (MPI_FILE_NULL));
    BOTH(File_f2c, (0));
#endif
}

/* Every call here fails while its arguments are checked. */
static void call_failing(void)
{
    int i, flag, in = 1, out = 0;
    MPI_Count n;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    BOTH(Comm_rank, (MPI_COMM_NULL, &i));
    BOTH(Comm_rank, (MPI_COMM_SELF, NULL));
    BOTH(Comm_size, (MPI_COMM_SELF, NULL));
    BOTH(Initialized, (NULL));
    BOTH(Finalized, (NULL));
    BOTH(Get_version, (NULL, NULL));
    BOTH(Query_thread, (NULL));
    BOTH(Error_class, (MPI_ERR_TAG, NULL));
    BOTH(Type_size, (MPI_DATATYPE_NULL, &i));
    BOTH(Type_size_x, (MPI_DATATYPE_NULL, &n));
    BOTH(Type_extent, (MPI_DATATYPE_NULL, NULL));
    BOTH(Send, (&in, 1, MPI_INT, 17, 0, MPI_COMM_SELF));
    BOTH(Send, (&in, -1, MPI_INT, 0, 0, MPI_COMM_SELF));
    BOTH(Recv, (&in, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF, &status));
    BOTH(Isend, (&in, 1, MPI_INT, 0, -5, MPI_COMM_SELF, &request));
    BOTH(Bcast, (&in, 1, MPI_INT, 5, MPI_COMM_SELF));
    BOTH(Allreduce, (&in, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_SELF));
    BOTH(Reduce_local, (&in, &out, -1, MPI_INT, MPI_SUM));
    BOTH(Waitall, (-1, &request, &status));
    BOTH(Group_size, (MPI_GROUP_NULL, &i));
    BOTH(Info_get_nkeys, (MPI_INFO_NULL, &i));
    BOTH(Comm_get_attr, (MPI_COMM_SELF, MPI_KEYVAL_INVALID, &i, &flag));
    BOTH(Attr_get, (MPI_COMM_SELF, MPI_KEYVAL_INVALID, &i, &flag));
    BOTH(Op_commutative, (MPI_OP_NULL, &flag));
    BOTH(T_cvar_get_index, ("MPIR_CVAR_NO_SUCH_VARIABLE", &i));
    BOTH(T_cvar_get_num, (NULL));
#ifdef ROMIO_VERSION
    {
        MPI_Offset offset;

        BOTH(File_get_size, (MPI_FILE_NULL, &offset));
        BOTH(File_read, (MPI_FILE_NULL, &in, 1, MPI_INT, &status));
    }
#endif
}

/* The end of the chain without a call of the application. */
static void call_tail(void)
{
    void (*fn) (void);
    int id = -1, i = -1;

    QT_SUCCESS(MPI_Get_next_tool_function(2, MPI_COMM_SIZE_T, &fn, &id));
    qt_log_clear();
    QT_SUCCESS(((MPI_Comm_size_t *) fn) (NULL, id, MPI_COMM_SELF, &i));
    QT_CHECK(i == 1, "size %d", i);
    QT_CHECK(((MPI_Comm_size_t *) fn) (NULL, id, MPI_COMM_NULL, &i) != MPI_SUCCESS, "no error");
    qt_expect_log("", "end of the chain");
    BOTH(Comm_size, (MPI_COMM_SELF, &i));
}

/* Calls that each instance makes inside each call of the application. */
static void call_from_tool(MPI_Context context, int tool_id, int function)
{
    int i;

    QMPI_Comm_rank(MPI_COMM_SELF, &i);
    QMPI_Comm_rank(MPI_COMM_NULL, &i);
    QMPI_Initialized(&i);
    QMPI_Wtime();
    QMPI_Type_size(MPI_INT, &i);
    QMPI_Type_size(MPI_DATATYPE_NULL, &i);
    QMPI_T_cvar_get_num(&i);
}

static int keyval_of_copy;

/* Calls the function that called it; that communicator has no attribute. */
static int copy_attribute(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    QMPI_Comm_free(&copy);
    *(void **) out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void call_in_attributes(void)
{
    MPI_Comm comm, copy;
    int value;

    QMPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &keyval_of_copy, NULL);
    QMPI_Comm_dup(MPI_COMM_SELF, &comm);
    QMPI_Comm_set_attr(comm, keyval_of_copy, &value);
    qt_log_clear();
    MPI_Comm_dup(comm, &copy);
    qt_expect_log(AROUND("MPI_Comm_dup", NESTED("MPI_Comm_dup")), "copy function");
    QMPI_Comm_free(&copy);
    QMPI_Comm_dup(comm, &copy);
    qt_expect_log(NESTED("MPI_Comm_dup"), "copy function in QMPI_Comm_dup");
    expect_seen("QMPI_Comm_dup");
    QMPI_Comm_free(&copy);
    QMPI_Comm_free(&comm);
    QMPI_Comm_free_keyval(&keyval_of_copy);
}

static void add(void *in, void *inout, int *count, MPI_Datatype * type)
{
    QMPI_Reduce_local(in, inout, *count, *type, MPI_SUM);
    MPI_Reduce_local(in, inout, *count, *type, MPI_SUM);
}

static void call_in_operation(void)
{
    int in = 2, inout = 3;
    MPI_Op op;

    QMPI_Op_create(add, 1, &op);
    qt_log_clear();
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    QT_CHECK(inout == 7, "sum %d", inout);
    qt_expect_log(AROUND("MPI_Reduce_local", NESTED("MPI_Reduce_local")), "operation");
    QMPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    qt_expect_log(NESTED("MPI_Reduce_local"), "operation in QMPI_Reduce_local");
    expect_seen("QMPI_Reduce_local");
    QMPI_Op_free(&op);
}

static jmp_buf jump;

/* With jumping, the failing call never returns. */
static int jumping;

static void handle_error(MPI_Comm * comm, int *code, ...)
{
    int value = 0;

    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF);
    if (jumping)
        longjmp(jump, 1);
}

static void call_in_error_handler(void)
{
    MPI_Comm comm;              /* MPI_COMM_SELF's handler has the errors of null handles, too */
    MPI_Errhandler handler;
    int value = 0;

    QMPI_Comm_create_errhandler(handle_error, &handler);
    QMPI_Comm_dup(MPI_COMM_SELF, &comm);
    QMPI_Comm_set_errhandler(comm, handler);
    qt_log_clear();
    MPI_Send(&value, 1, MPI_INT, 17, 0, comm);
    qt_expect_log(AROUND("MPI_Send", NESTED("MPI_Send")), "error handler");
    QMPI_Send(&value, 1, MPI_INT, 17, 0, comm);
    qt_expect_log(NESTED("MPI_Send"), "error handler in QMPI_Send");

    jumping = 1;
    if (setjmp(jump) == 0) {
        MPI_Send(&value, 1, MPI_INT, 17, 0, comm);
        QT_CHECK(0, "the error handler was not called");
    }
    expect_seen("a jump out of MPI_Send");
    if (setjmp(jump) == 0) {
        QMPI_Send(&value, 1, MPI_INT, 17, 0, comm);
        QT_CHECK(0, "the error handler was not called");
    }
    expect_seen("a jump out of QMPI_Send");
    jumping = 0;
    QMPI_Comm_free(&comm);
    QMPI_Errhandler_free(&handler);
    BOTH(Send, (&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF));
}

static void test_calls(void)
{
    int provided;

    /* calls before the chain is built have no effect on later ones */
    QT_SUCCESS(QMPI_Finalized(&provided));
    QT_SUCCESS(MPI_Finalized(&provided));
    QT_SUCCESS(MPI_Initialized(&provided));
    QT_SUCCESS(QMPI_Initialized(&provided));
    qt_expect_log("", "calls before MPI_Init");
    MPI_Init(NULL, NULL);
    qt_expect_log(NESTED("MPI_Init"), "MPI_Init");
    QT_SUCCESS(MPI_Finalized(&provided));
    qt_expect_log(NESTED("MPI_Finalized"), "MPI_Finalized after MPI_Init");
    QT_SUCCESS(MPI_Initialized(&provided));
    qt_expect_log(NESTED("MPI_Initialized"), "MPI_Initialized after MPI_Init");

    QT_SUCCESS(QMPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    QMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    QMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int round = 0; round < 2; round++) {
        qt_on_enter = round ? call_from_tool : NULL;
        call_succeeding();
        call_failing();
        call_tail();
        call_in_attributes();
        call_in_operation();
        call_in_error_handler();
    }
    qt_on_enter = NULL;
    QT_SUCCESS(QMPI_T_finalize());
    MPI_Finalize();

    qt_log_clear();
    QT_SUCCESS(QMPI_Finalized(&provided));
    QT_CHECK(provided == 1, "finalized: %d", provided);
    qt_expect_log("", "QMPI_Finalized after MPI_Finalize");
    QT_SUCCESS(MPI_Finalized(&provided));
    QT_CHECK(provided == 1, "finalized: %d", provided);
    qt_expect_log(NESTED("MPI_Finalized"), "MPI_Finalized after MPI_Finalize");
    QMPI_Initialized(NULL);
    QT_SUCCESS(MPI_Initialized(&provided));
    QT_CHECK(provided == 1, "initialized: %d", provided);
    qt_expect_log(NESTED("MPI_Initialized"), "MPI_Initialized after MPI_Finalize");
}

/* ---- part open ---- */

/* By its QMPI_ name, by its MPI_ name and at the end of the chain: no tool intercepts
 * MPI_Type_size. */
static void test_open(void)
{
    MPI_Type_size_t *tail;
    void (*fn) (void);
    int id = -1, size = -1, flag;

    QMPI_Initialized(&flag);
    MPI_Init(NULL, NULL);
    expect_seen("MPI_Init");
    QMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    QMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    QT_SUCCESS(MPI_Get_next_tool_function(1, MPI_TYPE_SIZE_T, &fn, &id));
    tail = (MPI_Type_size_t *) fn;
    QT_CHECK(id == 0, "the next of 1 is %d", id);

    QT_SUCCESS(QMPI_Type_size(MPI_INT, &size));
    expect_seen("QMPI_Type_size");
    QT_SUCCESS(tail(NULL, id, MPI_INT, &size));
    expect_seen("the end of the chain");
    QT_SUCCESS(MPI_Type_size(MPI_INT, &size));
    expect_seen("MPI_Type_size");
    QT_CHECK(size == sizeof(int), "size %d", size);
    QT_CHECK(QMPI_Type_size(MPI_DATATYPE_NULL, &size) != MPI_SUCCESS, "no error");
    expect_seen("QMPI_Type_size with an error");
    QT_CHECK(tail(NULL, id, MPI_DATATYPE_NULL, &size) != MPI_SUCCESS, "no error");
    expect_seen("the end of the chain with an error");

    /* functions that do not test for initialization */
    QMPI_Wtime();
    expect_seen("QMPI_Wtime");
    QMPI_Finalized(&flag);
    expect_seen("QMPI_Finalized");
    QMPI_Aint_add(1, 2);
    expect_seen("QMPI_Aint_add");
    QMPI_Pcontrol(1);
    expect_seen("QMPI_Pcontrol");

    /* two calls past the tools in a row, then both functions that are intercepted */
    QMPI_Comm_rank(MPI_COMM_SELF, &flag);
    QMPI_Type_size(MPI_INT, &size);
    expect_seen("QMPI_Comm_rank and QMPI_Type_size");
    QMPI_Type_size(MPI_INT, &size);
    QMPI_Comm_rank(MPI_COMM_NULL, &flag);
    expect_seen("QMPI_Type_size and QMPI_Comm_rank with an error");
    qt_log_clear();
    MPI_Finalize();
    qt_expect_log("", "MPI_Finalize");
}

/* ---- part threads ---- */

static long num_seen[3];        /* by tool id */

static void count_call(MPI_Context context, int tool_id, int function)
{
    int flag;

    QMPI_Initialized(&flag);
    __atomic_fetch_add(&num_seen[tool_id], 1, __ATOMIC_RELAXED);
}

/* Six calls that the tools see in each round, six that they do not. Returns NULL if all is well.
 * Only one thread makes wrong calls: MPICH mixes up the error messages of several. */
static void *run_thread(void *is_first)
{
    const MPI_Datatype wrong_type = is_first ? MPI_DATATYPE_NULL : MPI_INT;
    const int is_error = is_first != NULL;
    long wrong = 0;

    for (int i = 0; i < NUM_ROUNDS; i++) {
        int rank = -1, size = -1, flag;

        wrong += QMPI_Comm_rank(MPI_COMM_SELF, &rank) != MPI_SUCCESS || rank != 0;
        wrong += MPI_Comm_rank(MPI_COMM_SELF, &rank) != MPI_SUCCESS || rank != 0;
        wrong += (QMPI_Type_size(wrong_type, &size) != MPI_SUCCESS) != is_error;
        wrong += MPI_Type_size(MPI_INT, &size) != MPI_SUCCESS || size != (int) sizeof(int);
        wrong += QMPI_Wtime() <= 0;
        wrong += MPI_Wtime() <= 0;
        wrong += QMPI_Initialized(&flag) != MPI_SUCCESS || flag != 1;
        wrong += MPI_Initialized(&flag) != MPI_SUCCESS || flag != 1;
        wrong += (MPI_Type_size(wrong_type, &size) != MPI_SUCCESS) != is_error;
        wrong += QMPI_Aint_add(40, 2) != 42;
        wrong += MPI_Aint_add(40, 2) != 42;
        wrong += QMPI_Finalized(&flag) != MPI_SUCCESS;
    }
    return wrong ? &num_seen : NULL;
}

/* A thread that an operation starts: its calls are not those of the thread in the operation. */
static void *run_inner_thread(void *arg)
{
    int rank = -1;

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    QT_CHECK(rank == 0, "rank %d", rank);
    return NULL;
}

static void start_thread(void *in, void *inout, int *count, MPI_Datatype * type)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_inner_thread, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
}

static void test_threads(void)
{
    pthread_t threads[NUM_THREADS];
    int provided, in = 1, inout = 1;
    MPI_Op op;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    QMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    QMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (provided == MPI_THREAD_MULTIPLE) {
        QMPI_Op_create(start_thread, 1, &op);
        qt_log_clear();
        MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
        qt_expect_log(AROUND("MPI_Reduce_local", NESTED("MPI_Comm_rank")), "thread");
        QMPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
        qt_expect_log(NESTED("MPI_Comm_rank"), "thread in QMPI_Reduce_local");
        QMPI_Op_free(&op);

        qt_on_enter = count_call;
        for (int i = 0; i < NUM_THREADS; i++) {
            if (pthread_create(&threads[i], NULL, run_thread, i == 0 ? &provided : NULL) != 0)
                abort();
        }
        for (int i = 0; i < NUM_THREADS; i++) {
            void *failed;

            pthread_join(threads[i], &failed);
            QT_CHECK(failed == NULL, "thread %d: wrong results", i);
        }
        qt_on_enter = NULL;
        for (int id = 1; id <= 2; id++)
            QT_CHECK(num_seen[id] == 6L * NUM_THREADS * NUM_ROUNDS,
                     "instance %d: %ld calls instead of %ld", id, num_seen[id],
                     6L * NUM_THREADS * NUM_ROUNDS);
    }
    qt_log_clear();
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    qt_begin();
    if (strcmp(part, "calls") == 0)
        test_calls();
    else if (strcmp(part, "open") == 0)
        test_open();
    else if (strcmp(part, "threads") == 0)
        test_threads();
    else
        qt_errs++;
    return qt_end();
}
