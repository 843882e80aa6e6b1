/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Does MPI_Get_calling_address give the place in the application where the function was called, the
 * same in every instance, and the place in the wrapper if a PMPI wrapper lies in between? Run with
 * a list of two instances of "where". */

#define _GNU_SOURCE
#include "qmpi_test.h"
#include <stdint.h>

static void *seen[3];           /* by tool id */

static void note_address(MPI_Context context, int tool_id, int function)
{
    void *address = NULL, *again = NULL, *third = NULL;

    QT_SUCCESS(MPI_Get_calling_address(context, &address));
    QT_SUCCESS(QMPI_Get_calling_address(context, (void *) &again));
    QT_SUCCESS(QMPI_Context_get_calling_address(context, tool_id, (void *) &third));
    QT_CHECK(address == again && address == third, "three answers: %p %p %p", address, again,
             third);
    seen[tool_id] = address;
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("where", qt_record_all);
}

static volatile int sink;

/* Where the call of the wrapper returns to. */
static void *wrapper_called_from;

/* A PMPI wrapper in the program itself. Compilers must not put it into its caller: they may, since
 * a program's own function is what its calls reach. */
__attribute__ ((noinline))
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    int rc;

    wrapper_called_from = __builtin_return_address(0);
    rc = PMPI_Comm_size(comm, size);
    sink = rc;                  /* a call in tail position would not return here */
    return rc;
}

/* A function whose only call is the MPI call; 256 bytes are enough for either. */
#define NEAR(address, start) \
    ((uintptr_t) (address) > (uintptr_t) (start) && \
     (uintptr_t) (address) < (uintptr_t) (start) + 256)

__attribute__ ((noinline))
static void first_place(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    sink = rank;
}

__attribute__ ((noinline))
static void second_place(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    sink = rank + 1;
}

__attribute__ ((noinline))
static void direct_place(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_SELF, &rank);
    sink = rank + 2;
}

/* A stack argument and a result that is no int must not matter. */
__attribute__ ((noinline))
static void many_arguments_place(void)
{
    int in = 1, out = 0;

    MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    sink = out;
}

__attribute__ ((noinline))
static void time_place(void)
{
    double t = MPI_Wtime();

    sink = t > 0;
}

__attribute__ ((noinline))
static void pcontrol_place(void)
{
    MPI_Pcontrol(1, 2, 3.0);
    sink = 5;
}

static void *called_at(void (*place) (void), const char *what)
{
    memset(seen, 0, sizeof(seen));
    place();
    QT_CHECK(NEAR(seen[1], place), "%s: called at %p, which is not in the function at %p", what,
             seen[1], (void *) (uintptr_t) place);
    QT_CHECK(seen[2] == seen[1], "%s: the second instance was told %p, the first %p", what,
             seen[2], seen[1]);
    return seen[1];
}

static void check_wrapper(void)
{
    int size;

    memset(seen, 0, sizeof(seen));
    MPI_Comm_size(MPI_COMM_SELF, &size);
    QT_CHECK(seen[1] && seen[1] == seen[2], "wrapper: %p and %p", seen[1], seen[2]);
    QT_CHECK(seen[1] != wrapper_called_from, "the wrapper's own call site was given");
    QT_CHECK(NEAR(seen[1], MPI_Comm_size), "called at %p, not in the wrapper", seen[1]);
}

int main(int argc, char **argv)
{
    void *first, *second;

    qt_begin(argc, argv);
    qt_on_enter = note_address;
    MPI_Init(&argc, &argv);

    first = called_at(first_place, "first place");
    QT_CHECK(called_at(first_place, "first place") == first, "the same place changed");
    second = called_at(second_place, "second place");
    QT_CHECK(first != second, "two places have one address");
    called_at(direct_place, "PMPI call");
    called_at(many_arguments_place, "MPI_Sendrecv");
    called_at(time_place, "MPI_Wtime");
    called_at(pcontrol_place, "MPI_Pcontrol");
    check_wrapper();

    qt_on_enter = NULL;
    MPI_Finalize();
    return qt_end();
}
