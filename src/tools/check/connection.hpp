/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Connection of a process to the analyser, by the hub of its host; see hub.hpp. */

#ifndef TOOLS_CHECK_CONNECTION_HPP_INCLUDED
#define TOOLS_CHECK_CONNECTION_HPP_INCLUDED

#include "events.hpp"
#include "hub.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace qmpi::check {

/* Thread-safe. */
class Client {
  public:
    /* Connects as a rank of MPI_COMM_WORLD and waits for the analyser's answer. Throws
     * std::runtime_error. */
    void connect(const Address &hub, int rank);

    bool is_up() const { return is_up_.load(std::memory_order_relaxed); }

    /* Sends an event. With wants_answer: returns when the analyser has processed it and all earlier
     * ones, and printed its findings; false if it does not answer. Otherwise flush() sends it. thread:
     * see Threads::number(); none if it does not matter. */
    template <typename Fields>
    bool report(Event event, const Fields &fields, bool wants_answer,
                std::optional<std::uint32_t> thread = {})
    {
        return put(event, fields, wants_answer, thread).has_value();
    }

    bool report(Event event, bool wants_answer, std::optional<std::uint32_t> thread = {})
    {
        return report(event, NoFields(), wants_answer, thread);
    }

    /* The value of the answer to an event, if there is one. */
    template <typename Fields>
    std::optional<int> ask(Event event, const Fields &fields)
    {
        return put(event, fields, true, {});
    }

    /* Also finds out if the connection has ended. */
    void flush();
    void disconnect();

  private:
    struct NoFields {
        template <typename Visit>
        void each(Visit &&)
        {
        }
    };

    /* The value of the last answer; none if the connection has ended. */
    template <typename Fields>
    std::optional<int> put(Event event, const Fields &fields, bool wants_answer,
                           std::optional<std::uint32_t> thread)
    {
        if (!is_up())
            return {};
        const std::lock_guard<std::mutex> guard(lock_);
        if (thread && *thread != std::exchange(thread_, *thread))
            append(Event::thread, ThreadEvent{thread_}, false);
        return append(event, fields, wants_answer) ? std::optional<int>(value_) : std::nullopt;
    }

    template <typename Fields>
    bool append(Event event, const Fields &fields, bool wants_answer)
    {
        const std::size_t begin = output_.size();
        Writer(output_).put(Head{0, event, wants_answer}, fields);
        return close_event(begin, wants_answer);
    }

    /* The event is in the output from there on. */
    bool close_event(std::size_t begin, bool wants_answer);
    void send();
    bool is_answered();
    void end();

    std::mutex lock_;
    Socket socket_;
    std::string output_;       /* a frame */
    int value_ = 0;            /* of the last answer */
    std::uint32_t thread_ = 0; /* of the last event */
    std::atomic<bool> is_up_{false};
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_CONNECTION_HPP_INCLUDED */
