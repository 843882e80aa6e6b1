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
#include <tuple>
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
        if (wants_answer)
            return ask(event, fields, thread).has_value();
        if (!is_up())
            return false;
        if (append(event, fields, false, thread)) {
            const std::lock_guard<std::mutex> guard(socket_lock_);
            send();
        }
        return is_up();
    }

    bool report(Event event, bool wants_answer, std::optional<std::uint32_t> thread = {})
    {
        return report(event, NoFields(), wants_answer, thread);
    }

    /* The value of the answer to an event, if there is one. One question at a time: answers come in
     * another order than events. */
    template <typename Fields>
    std::optional<int> ask(Event event, const Fields &fields,
                           std::optional<std::uint32_t> thread = {})
    {
        if (!is_up())
            return {};
        const std::lock_guard<std::mutex> guard(socket_lock_);
        append(event, fields, true, thread);
        send();
        return answer();
    }

    /* Also finds out if the connection has ended. */
    void flush();
    void disconnect();

  private:
    struct NoFields {
        auto fields() { return std::tie(); }
    };

    /* True if the output is long enough to be sent. */
    template <typename Fields>
    bool append(Event event, const Fields &fields, bool wants_answer,
                std::optional<std::uint32_t> thread)
    {
        constexpr std::size_t full = 16384;
        const std::lock_guard<std::mutex> guard(lock_);
        if (thread && *thread != std::exchange(thread_, *thread))
            append(Event::thread, ThreadEvent{thread_}, false);
        append(event, fields, wants_answer);
        return output_.size() >= full;
    }

    template <typename Fields>
    void append(Event event, const Fields &fields, bool wants_answer)
    {
        const std::size_t begin = output_.size();
        Writer(output_).put(Head{0, event, wants_answer}, fields);
        close_event(begin);
    }

    /* The event is in the output from there on. */
    void close_event(std::size_t begin);
    void send();
    std::optional<int> answer();
    void end();

    /* A thread that sends can lose its core; others add events meanwhile. */
    std::mutex socket_lock_; /* before lock_ */
    Socket socket_;
    std::string sent_; /* a frame */
    std::atomic<bool> is_up_{false};

    std::mutex lock_;
    std::string output_;       /* the next frame */
    std::uint32_t thread_ = 0; /* of the last event */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_CONNECTION_HPP_INCLUDED */
