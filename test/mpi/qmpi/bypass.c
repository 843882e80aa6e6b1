/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* QMPI functions have the arguments of their MPI functions, do the same work, and reach no tool.
 * Run with the list rec,rec on two processes. */

#include "qmpi_test.h"

__attribute__ ((constructor))
static void load(void)
{
    qt_register("rec", qt_record_all);
}

static void exchange(int rank)
{
    int other = 1 - rank, sent = 100 + rank, received = -1, sum = -1;
    MPI_Request request;
    MPI_Status status;

    QT_SUCCESS(QMPI_Irecv(&received, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &request));
    QT_SUCCESS(QMPI_Send(&sent, 1, MPI_INT, other, 5, MPI_COMM_WORLD));
    QT_SUCCESS(QMPI_Wait(&request, &status));
    QT_CHECK(received == 100 + other, "received %d", received);
    QT_CHECK(status.MPI_SOURCE == other && status.MPI_TAG == 5, "wrong status");
    QT_SUCCESS(QMPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    QT_CHECK(sum == 201, "sum %d", sum);
    qt_expect_log("", "communication");
}

static void query(int rank)
{
    int r = -1, n = -1, flag = -1;
    double before, after;

    QT_SUCCESS(QMPI_Comm_rank(MPI_COMM_WORLD, &r));
    QT_SUCCESS(QMPI_Comm_size(MPI_COMM_WORLD, &n));
    QT_SUCCESS(QMPI_Initialized(&flag));
    QT_CHECK(r == rank && n == 2 && flag == 1, "rank %d of %d, initialized %d", r, n, flag);
    before = QMPI_Wtime();
    after = QMPI_Wtime();
    QT_CHECK(before > 0 && after >= before && QMPI_Wtick() > 0, "time %g, %g", before, after);
    QT_CHECK(QMPI_Aint_add(40, 2) == 42 && QMPI_Aint_diff(44, 2) == 42, "wrong addresses");
    QT_SUCCESS(QMPI_Pcontrol(1, 2, 3.0, "x"));
    qt_expect_log("", "queries");
}

/* weak, as in qmpi_test.h */
#define OPTIONAL(name, type)                                                    \
    extern MPI_Fint QMPI_##name##_c2f(type handle) __attribute__ ((weak));      \
    extern type QMPI_##name##_f2c(MPI_Fint handle) __attribute__ ((weak));
OPTIONAL(Comm, MPI_Comm)
OPTIONAL(Type, MPI_Datatype)
OPTIONAL(Group, MPI_Group)
OPTIONAL(Info, MPI_Info)
OPTIONAL(Request, MPI_Request)
OPTIONAL(Op, MPI_Op)
OPTIONAL(Errhandler, MPI_Errhandler)
OPTIONAL(Win, MPI_Win)
OPTIONAL(Message, MPI_Message)
OPTIONAL(Session, MPI_Session)

/* The MPI_ names are macros in MPICH; the functions must give the same values. */
#define CONVERSION(name, type, handle)                                          \
    do {                                                                        \
        MPI_Fint f = MPI_##name##_c2f(handle);                                  \
        type h = MPI_##name##_f2c(f);                                           \
        QT_CHECK(QMPI_##name##_c2f(handle) == f, "wrong QMPI_" #name "_c2f");   \
        QT_CHECK(QMPI_##name##_f2c(f) == h, "wrong QMPI_" #name "_f2c");        \
        QT_CHECK(h == (handle), "wrong MPI_" #name "_f2c");                     \
    } while (0)

static void convert_handles(void)
{
    MPI_Group group;
    MPI_Info info;
    MPI_Win win;
    MPI_Session session;
    MPI_Request request;
    int window[1], number = 0;

    QMPI_Comm_group(MPI_COMM_WORLD, &group);
    QMPI_Info_create(&info);
    QMPI_Win_create(window, sizeof(window), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    QMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    QMPI_Send_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    CONVERSION(Comm, MPI_Comm, MPI_COMM_WORLD);
    CONVERSION(Comm, MPI_Comm, MPI_COMM_NULL);
    CONVERSION(Type, MPI_Datatype, MPI_DOUBLE);
    CONVERSION(Group, MPI_Group, group);
    CONVERSION(Info, MPI_Info, info);
    CONVERSION(Request, MPI_Request, request);
    CONVERSION(Op, MPI_Op, MPI_SUM);
    CONVERSION(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN);
    CONVERSION(Win, MPI_Win, win);
    CONVERSION(Message, MPI_Message, MPI_MESSAGE_NO_PROC);
    CONVERSION(Session, MPI_Session, session);
    QMPI_Request_free(&request);
    QMPI_Session_finalize(&session);
    QMPI_Win_free(&win);
    QMPI_Info_free(&info);
    QMPI_Group_free(&group);
    qt_expect_log("", "handles");
}

static void convert_status(void)
{
    MPI_Fint expected[MPI_F_STATUS_SIZE], found[MPI_F_STATUS_SIZE];
    MPI_Status status, back;

    if (!MPI_Status_c2f)
        return;                 /* built without Fortran */
    memset(&status, 0, sizeof(status));
    memset(&back, 0xff, sizeof(back));
    memset(expected, 0x55, sizeof(expected));
    memset(found, 0xaa, sizeof(found));
    status.MPI_SOURCE = 7;
    status.MPI_TAG = 9;
    status.MPI_ERROR = MPI_ERR_TRUNCATE;
    QMPI_Status_set_elements(&status, MPI_INT, 11);
    QT_SUCCESS(MPI_Status_c2f(&status, expected));
    qt_log_clear();
    QT_SUCCESS(QMPI_Status_c2f(&status, found));
    QT_CHECK(memcmp(expected, found, sizeof(found)) == 0, "another status");
    QT_SUCCESS(QMPI_Status_f2c(found, &back));
    QT_CHECK(back.MPI_SOURCE == 7 && back.MPI_TAG == 9 && back.MPI_ERROR == MPI_ERR_TRUNCATE,
             "status did not survive");
    qt_expect_log("", "status");
}

int main(int argc, char **argv)
{
    int rank, total;

    qt_begin();
    QT_SUCCESS(MPIX_Load_tools());
    QT_SUCCESS(QMPI_Init(&argc, &argv));
    qt_expect_log("", "QMPI_Init");
    QMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank);
    query(rank);
    convert_handles();
    convert_status();

    /* the same call by its MPI_ name reaches the tools */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    qt_expect_log("1>MPI_Comm_rank 2>MPI_Comm_rank 2<MPI_Comm_rank 1<MPI_Comm_rank",
                  "MPI_Comm_rank");

    QMPI_Reduce(&qt_errs, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    QT_SUCCESS(QMPI_Finalize());
    qt_expect_log("", "QMPI_Finalize");
    if (rank != 0)
        return 0;
    qt_errs = qt_errs > total ? qt_errs : total;
    return qt_end();
}
