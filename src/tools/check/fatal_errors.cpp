/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "fatal_errors.hpp"

#include <utility>

namespace qmpi::check {
namespace {

/* The last error of the thread that the handler has got. */
struct Error {
    MPI_Comm communicator = MPI_COMM_NULL;
    int code = MPI_SUCCESS;
};
thread_local Error last;

/* In the library, which may hold locks. The type is that of MPI_Comm_errhandler_function. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
void remember(MPI_Comm *communicator, int *error_code, ...)
{
    last = {*communicator, *error_code};
}

bool has_handler(MPI_Comm communicator, MPI_Errhandler handler)
{
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    if (QMPI_Comm_get_errhandler(communicator, &found) != MPI_SUCCESS)
        return false;
    const bool is_equal = found == handler;
    QMPI_Errhandler_free(&found);
    return is_equal;
}

}  // namespace

void FatalErrors::begin()
{
    if (!has_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL))
        return;
    QMPI_Comm_dup(MPI_COMM_SELF, &without_handler_);
    QMPI_Comm_create_errhandler(remember, &handler_);
    QMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
}

void FatalErrors::end()
{
    if (handler_ == MPI_ERRHANDLER_NULL)
        return;
    if (has_handler(MPI_COMM_WORLD, handler_))
        QMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    QMPI_Errhandler_free(&handler_);
    QMPI_Comm_free(&without_handler_);
}

/* The communicator with the handler that counts for one without, which depends on the release of
 * MPICH: the library is asked, by a message that is too long. MPI_COMM_SELF has a handler. */
MPI_Comm FatalErrors::substitute() const
{
    const MPI_Comm candidates[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler saved[] = {MPI_ERRHANDLER_NULL, MPI_ERRHANDLER_NULL};
    for (int i = 0; i < 2; i++) {
        QMPI_Comm_get_errhandler(candidates[i], &saved[i]);
        QMPI_Comm_set_errhandler(candidates[i], handler_);
    }
    char sent = 0, received = 0;
    QMPI_Sendrecv(&sent, 1, MPI_BYTE, 0, 0, &received, 0, MPI_BYTE, 0, 0, without_handler_,
                  MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        QMPI_Comm_set_errhandler(candidates[i], saved[i]);
        QMPI_Errhandler_free(&saved[i]);
    }
    return std::exchange(last, {}).communicator;
}

void FatalErrors::raise(int error_code)
{
    if (handler_ == MPI_ERRHANDLER_NULL)
        return;
    const Error error = std::exchange(last, {});
    if (error.communicator == MPI_COMM_NULL || error.code != error_code)
        return;
    MPI_Comm source =
        has_handler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL) ? MPI_COMM_WORLD : substitute();
    if (source == MPI_COMM_WORLD && has_handler(MPI_COMM_WORLD, handler_)) {
        source = error.communicator; /* for the library's message */
        QMPI_Comm_set_errhandler(source, MPI_ERRORS_ARE_FATAL);
    }
    QMPI_Comm_call_errhandler(source, error_code);
}

void FatalErrors::hide(MPI_Errhandler &handler) const
{
    if (handler_ == MPI_ERRHANDLER_NULL || handler != handler_)
        return;
    QMPI_Errhandler_free(&handler);
    handler = MPI_ERRORS_ARE_FATAL;
}

}  // namespace qmpi::check
