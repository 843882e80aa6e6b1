/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Follows operations that move data from the call that describes them to their end: the end of the
 * call, or that of a request. */

#ifndef QMPI_OPERATIONS_HPP_INCLUDED
#define QMPI_OPERATIONS_HPP_INCLUDED

#include "movement.hpp"
#include "requests.hpp"

#include <qmpi.hpp>

#include <utility>

namespace qmpi {
inline namespace v1 {

/* Data: what the tool keeps with an operation that has a request. A member of a tool; never destroyed.
 * Thread-safe. */
template <typename Data>
class Operations {
  public:
    /* True if a function describes an operation whose end its request has. A stream ends enqueued
     * operations unseen. */
    template <typename Call>
    static constexpr bool has_request()
    {
        return Call::has(qmpi::role::request) && Call::form != qmpi::form::enqueued &&
            !uses_requests<Call>();
    }

    /* Makes the call of a function that describes an operation, by next(). Then, unless it failed,
     * describe(status) ends an operation that has no request. If it has one, describe returns its data
     * in a std::optional, or nothing if the tool does not follow it.
     *   status   what arrived or was read; nullptr if the call has none */
    template <typename Call, typename Next, typename Describe>
    QMPI_INLINE auto begin(Call &call, Next next, Describe describe)
    {
        MPI_Status own_status;
        [[maybe_unused]] const MPI_Status *status = nullptr;
        if (is_from_nobody(call))
            return next();
        if constexpr (has_status<Call>()) {
            MPI_Status *&given = qmpi::get<qmpi::role::status>(call);
            if (given == MPI_STATUS_IGNORE)
                given = &own_status;
            status = given;
        }
        const auto result = next();
        if (result != MPI_SUCCESS)
            return result;
        if constexpr (!has_request<Call>())
            describe(status);
        else if (auto data = describe(nullptr)) {
            const MPI_Request request = *qmpi::get<qmpi::role::request>(call);
            if constexpr (movement::is_persistent(Call::form))
                requests_->add_persistent(request, std::move(*data));
            else
                requests_->add(request, std::move(*data));
        }
        return result;
    }

    /* Makes a call that starts, completes or frees requests, see qmpi::complete. */
    template <typename Call, typename Visit>
    auto complete(Call &call, Visit visit)
    {
        return qmpi::complete(call, *requests_, std::move(visit));
    }

    /* Calls visit(data, is_active) for each operation whose end was not seen; see Requests. */
    template <typename Visit>
    void each(Visit visit)
    {
        requests_->each([&](MPI_Request, Data &data, bool is_active) { visit(data, is_active); });
    }

  private:
    template <typename Call>
    static constexpr bool has_status()
    {
        return Call::has(qmpi::role::status) &&
            (movement::has_received_status<Call>() || movement::has_read_status<Call>());
    }

    /* A matched receive from MPI_PROC_NULL is recognised by its message before the call only. */
    template <typename Call>
    QMPI_INLINE static bool is_from_nobody([[maybe_unused]] Call &call)
    {
        if constexpr (Call::operation == qmpi::operation::receive &&
                      Call::has(qmpi::role::message)) {
            const MPI_Message *message = qmpi::get<qmpi::role::message>(call);
            return message != nullptr && *message == MPI_MESSAGE_NO_PROC;
        } else
            return false;
    }

    forever<Requests<Data>> requests_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_OPERATIONS_HPP_INCLUDED */
