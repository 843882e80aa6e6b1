/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Errors that end the job. The library would end it in the call, before a rule can say what was wrong.
 * MPI_COMM_WORLD, and communicators that are made from it, have a handler of this tool instead, which
 * remembers the error; the job ends when the rules have seen it. */

#ifndef TOOLS_CHECK_FATAL_ERRORS_HPP_INCLUDED
#define TOOLS_CHECK_FATAL_ERRORS_HPP_INCLUDED

#include <qmpi.hpp>

namespace qmpi::check {

/* The program sees the handlers that it would have. Without the tool these communicators would have
 * none, for which MPICH takes that of MPI_COMM_WORLD or MPI_COMM_SELF when there is an error
 * (errutil.c). Thread-safe between begin() and end(). */
class FatalErrors {
  public:
    /* In the call that begins the world. Does nothing if the program or a tool has set a handler. */
    void begin();

    /* Before MPI_Finalize */
    void end();

    /* After a call that has an error. Returns if the error is not fatal. */
    void raise(int error_code);

    /* After a successful call */
    template <typename Call>
    void follow(Call &call)
    {
        constexpr std::size_t handler = Call::index(qmpi::role::errhandler);
        if constexpr (handler != qmpi::none &&
                      Call::parameters[handler].direction == qmpi::direction::out)
            hide(*qmpi::get<qmpi::role::errhandler>(call));
        else if constexpr (Call::id == MPI_COMM_CALL_ERRHANDLER_T)
            raise(qmpi::get<qmpi::role::error_code>(call));
    }

  private:
    MPI_Comm substitute() const;
    void hide(MPI_Errhandler &handler) const;

    MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL; /* null: of the program */
    MPI_Comm without_handler_ = MPI_COMM_NULL;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_FATAL_ERRORS_HPP_INCLUDED */
