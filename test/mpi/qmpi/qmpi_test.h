/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_TEST_H_INCLUDED
#define QMPI_TEST_H_INCLUDED

#include <mpi.h>
#include <mpi_qmpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weak, because a library without Fortran lacks the functions for Fortran types and statuses.
 * Programs test the address before the call. */
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

/* A failed check prints one line to standard error; the test continues. */
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

/* Class of an error code, without an MPI call, because the first MPI call builds the chain. MPICH
 * keeps the class in the low seven bits of a code. */
int qt_class(int error_code);

/* ---- the frame of a test ---- */

/* Registers a tool; for constructors. qt_begin checks the result. */
void qt_register(const char *name, MPI_Tool_init_function * init);

/* First statement of main: checks that the tools could be registered. */
void qt_begin(void);

/* Prints " No Errors" or the number of errors; returns the exit status. For one process only. */
int qt_end(void);

/* Restarts the program with the given tool list unless it has that list already. Only before the
 * first MPI call. For lists that are too long for a line of the testlist. */
void qt_ensure_list(char **argv, const char *list);

struct qt_child {
    int exited;                 /* not killed by a signal */
    int status;                 /* exit status or signal */
    char *out;
    char *err;
};

/* Runs this program as a separate process with one argument. `env` is a NULL-terminated list of
 * NAME=VALUE; the variables of the tool list are removed from the environment first. */
void qt_run_self(const char *arg, const char *const env[], struct qt_child *child);
void qt_child_free(struct qt_child *child);

/* ---- the recording tool ----
 *
 * qt_record_all is an init callback. Its instances log entry and exit of every function. In every
 * call they check their storage and look up the next function. */

void qt_record_all(int tool_id);

/* The same for single functions; for init callbacks of the test. */
void qt_record_begin(int tool_id);
void qt_record_function(int tool_id, int function);

/* Adds an entry to the log. */
void qt_log_text(const char *text);
void qt_log_clear(void);

/* The log as text, e.g. "1>MPI_Send 2>MPI_Send 2<MPI_Send 1<MPI_Send"; valid until the next
 * call. */
const char *qt_log(void);

/* Compares the log with the expected text and clears it. */
void qt_expect_log(const char *expected, const char *what);

/* Calls of the function that reached instance `tool_id` since the log was cleared. */
int qt_count(int tool_id, int function);

/* Name of a function, from the generated list, not from the library. */
const char *qt_function_name(int function);

/* True if this library has the function. The enumeration also has ids of functions that MPICH no
 * longer has or does not have yet. */
int qt_is_present(int function);

/* Number of instances of the recording tool. */
extern int qt_num_inits;

/* If not NULL, called on entry to each function. */
extern void (*qt_on_enter) (MPI_Context context, int tool_id, int function);

#endif /* QMPI_TEST_H_INCLUDED */
