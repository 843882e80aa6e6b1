/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_Get_calling_address gives the application's call site, the same in every instance; for a call
 * that a PMPI wrapper passes on it is the call site in the wrapper. Run with the list
 * where,where. */

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
    QT_CHECK(address == again && address == third, "three addresses: %p %p %p", address, again,
             third);
    seen[tool_id] = address;
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("where", qt_record_all);
}

static volatile int sink;

/* Return address of the call of the wrapper. */
static void *wrapper_return_address;

/* A PMPI wrapper in the program. Compilers may inline it into its callers otherwise. */
__attribute__ ((noinline))
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    int rc;

    wrapper_return_address = __builtin_return_address(0);
    rc = PMPI_Comm_size(comm, size);
    sink = rc;                  /* prevents a tail call */
    return rc;
}

/* True for a call site in the function that begins at start; these functions have up to 256
 * bytes. */
#define NEAR(address, start) \
    ((uintptr_t) (address) > (uintptr_t) (start) && \
     (uintptr_t) (address) < (uintptr_t) (start) + 256)

__attribute__ ((noinline))
static void first_site(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    sink = rank;
}

__attribute__ ((noinline))
static void second_site(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    sink = rank + 1;
}

__attribute__ ((noinline))
static void pmpi_site(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_SELF, &rank);
    sink = rank + 2;
}

/* has arguments on the stack */
__attribute__ ((noinline))
static void sendrecv_site(void)
{
    int in = 1, out = 0;

    MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    sink = out;
}

__attribute__ ((noinline))
static void wtime_site(void)
{
    double t = MPI_Wtime();

    sink = t > 0;
}

__attribute__ ((noinline))
static void pcontrol_site(void)
{
    MPI_Pcontrol(1, 2, 3.0);
    sink = 5;
}

static void *called_at(void (*site) (void), const char *what)
{
    memset(seen, 0, sizeof(seen));
    site();
    QT_CHECK(NEAR(seen[1], site), "%s: called at %p, which is not in the function at %p", what,
             seen[1], (void *) (uintptr_t) site);
    QT_CHECK(seen[2] == seen[1], "%s: the second instance got %p, the first %p", what,
             seen[2], seen[1]);
    return seen[1];
}

static void check_wrapper(void)
{
    int size;

    memset(seen, 0, sizeof(seen));
    MPI_Comm_size(MPI_COMM_SELF, &size);
    QT_CHECK(seen[1] && seen[1] == seen[2], "wrapper: %p and %p", seen[1], seen[2]);
    QT_CHECK(seen[1] != wrapper_return_address, "call site of the wrapper's caller");
    QT_CHECK(NEAR(seen[1], MPI_Comm_size), "called at %p, not in the wrapper", seen[1]);
}

int main(int argc, char **argv)
{
    void *first, *second;

    qt_begin();
    qt_on_enter = note_address;
    MPI_Init(&argc, &argv);

    first = called_at(first_site, "first call site");
    QT_CHECK(called_at(first_site, "first call site") == first, "the call site changed");
    second = called_at(second_site, "second call site");
    QT_CHECK(first != second, "two call sites have one address");
    called_at(pmpi_site, "PMPI call");
    called_at(sendrecv_site, "MPI_Sendrecv");
    called_at(wtime_site, "MPI_Wtime");
    called_at(pcontrol_site, "MPI_Pcontrol");
    check_wrapper();

    qt_on_enter = NULL;
    MPI_Finalize();
    return qt_end();
}
