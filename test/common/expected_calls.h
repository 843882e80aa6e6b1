/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Expected profile of a program by line of the source, as the program works it out itself from
 * qmpi-count(7), "Bytes": those of the messages between two processes, in the call that describes
 * the operation. Thread-safe. */

#ifndef EXPECTED_CALLS_H_INCLUDED
#define EXPECTED_CALLS_H_INCLUDED

/* One call, noted and made: the function, the bytes that this process sends and receives by it, its
 * arguments in brackets. The value is the function's. */
#define CALL(function, sent, received, arguments) \
    CALL_BY_POINTER(#function, function, sent, received, arguments)

/* The same where the function is only known by a pointer; its name is a text. */
#define CALL_BY_POINTER(name, function, sent, received, arguments) \
    (expect_call(name, __FILE__, __LINE__, sent, received), function arguments)

void expect_call(const char *function, const char *file, int line, long sent, long received);

/* Prints a line "call FUNCTION FILE LINE CALLS SENT RECEIVED" for each place. */
void print_expected_calls(void);

#endif /* EXPECTED_CALLS_H_INCLUDED */
