/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_TEST_H_INCLUDED
#define QMPI_TEST_H_INCLUDED

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A library without QMPI has no QMPI_ functions, one without Fortran lacks those that make Fortran
 * types and statuses. The programs that call them must be linked all the same and ask at run time. */
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    extern type Q ## name params __attribute__ ((weak));
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
extern int MPI_Status_c2f(const MPI_Status * status, MPI_Fint * found) __attribute__ ((weak));
extern int MPI_Status_f2c(const MPI_Fint * found, MPI_Status * status) __attribute__ ((weak));
extern int MPI_Type_create_f90_real(int p, int r, MPI_Datatype * type) __attribute__ ((weak));
extern int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype * type) __attribute__ ((weak));
extern int MPI_Type_create_f90_integer(int r, MPI_Datatype * type) __attribute__ ((weak));

/* ---- checks ---- */

extern int qt_errs;

/* One line on standard error for a failed check; the test goes on. */
#define QT_CHECK(cond, ...)                                             \
    do {                                                                \
        if (!(cond)) {                                                  \
            qt_errs++;                                                  \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);             \
            fprintf(stderr, __VA_ARGS__);                               \
            fprintf(stderr, " [%s]\n", #cond);                          \
        }                                                               \
    } while (0)

#define QT_SUCCESS(call)                                                \
    do {                                                                \
        int qt_rc_ = (call);                                            \
        QT_CHECK(qt_rc_ == MPI_SUCCESS, "error code %d from %s", qt_rc_, #call); \
    } while (0)

#define QT_CLASS(call, error_class)                                     \
    do {                                                                \
        int qt_rc_ = (call);                                            \
        QT_CHECK(qt_class(qt_rc_) == (error_class), "error class %d instead of %s from %s", \
                 qt_class(qt_rc_), #error_class, #call);                \
    } while (0)

/* The class of an error code without an MPI call, since the first MPI call builds the chain.
 * MPICH keeps the class in the low seven bits of a code. */
int qt_class(int error_code);

/* ---- the frame of a test ---- */

/* Registers a tool; to be called in a constructor. The result is kept for qt_begin. */
void qt_register(const char *name, MPI_Tool_init_function * init);

/* First statement of main. In a library without QMPI this checks that every registration was
 * refused as unsupported, prints " No Errors" and exits: there is nothing else to test then. */
void qt_begin(int argc, char **argv);

/* Prints " No Errors" or the number of errors; the result is main's. For one process. */
int qt_end(void);

/* Starts the program again with the given tool list unless it runs with that list already. Only
 * before the first MPI call. For lists too long for a line of the testlist. */
void qt_ensure_list(char **argv, const char *list);

struct qt_child {
    int exited;                 /* ended by itself, not by a signal */
    int status;                 /* exit status, or the signal */
    char *out;
    char *err;
};

/* Runs this program again as a process of its own with one argument. `env` is a NULL-terminated
 * list of NAME=VALUE; all the names of the tool list that are not in it are removed. */
void qt_run_self(const char *arg, const char *const env[], struct qt_child *child);
void qt_child_free(struct qt_child *child);

/* ---- the recording tool ----
 *
 * qt_record_all is an init function. Its instances note entering and leaving of every function
 * and call on. They look the next function up in every call and check their storage in every call. */

void qt_record_all(int tool_id);

/* The same for one function only; for use in an init function of the test's own. */
void qt_record_begin(int tool_id);
void qt_record_function(int tool_id, int function);

/* Adds an entry of the test's own to the log. */
void qt_log_text(const char *text);
void qt_log_clear(void);

/* The log as text, e.g. "1>MPI_Send 2>MPI_Send 2<MPI_Send 1<MPI_Send"; valid till the next use. */
const char *qt_log(void);

/* Compares the log with the expected text and clears it. */
void qt_expect_log(const char *expected, const char *what);

/* How often instance `tool_id` was entered for the function since the last clearing. */
int qt_count(int tool_id, int function);

/* Names of functions, from the generated list and not from the library. */
const char *qt_function_name(int function);

/* How often an init function of the recorder ran, and for which ids. */
extern int qt_num_inits;

/* Calls f(context, tool_id, function) on entering, if set. */
extern void (*qt_on_enter) (MPI_Context context, int tool_id, int function);

#endif /* QMPI_TEST_H_INCLUDED */
