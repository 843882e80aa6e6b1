/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Page of a trace: bounded in size, independent of the number of ranks. */

#ifndef TOOLS_TRACE_OVERVIEW_HPP_INCLUDED
#define TOOLS_TRACE_OVERVIEW_HPP_INCLUDED

#include "definitions.hpp"

#include "../common/page.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace qmpi::trace {

class Overview : public Sink {
  public:
    explicit Overview(const Definitions &definitions);

    void begin(std::int32_t rank, std::int32_t thread) override;
    void enter(std::uint64_t time, std::uint32_t function, std::uint32_t site) override;
    void leave(std::uint64_t time, std::uint32_t function, bool has_ended) override;
    void transfer(Kind kind, std::uint64_t time, std::uint32_t communicator,
                  const Transfer &transfer) override;
    void end() override;

    void write(qmpi::Writer &writer) const;
    void merge(qmpi::Reader &reader);

    std::string html() const;

  private:
    struct Sums {
        std::uint64_t calls = 0, sent = 0, received = 0;
        double time = 0; /* seconds */

        Sums &operator+=(const Sums &other)
        {
            calls += other.calls;
            sent += other.sent;
            received += other.received;
            time += other.time;
            return *this;
        }

        auto fields() { return std::tie(calls, sent, received, time); }
    };

    /* An interval of a lane. */
    struct Slot {
        std::uint64_t lane, number;
    };

    void add_time(std::uint64_t begin, std::uint64_t end, std::uint32_t function);
    std::vector<qmpi::Span> spans() const;
    void add_open_calls(qmpi::Page &page) const;

    /* Key over all slots, lanes and functions; few are used. */
    std::uint64_t key_of(Slot slot, std::uint32_t function) const
    {
        return (slot.lane * number_of_slots_ + slot.number) * times_.front().size() + function;
    }

    const Definitions &definitions_;
    std::map<std::int32_t, std::size_t> index_of_rank_;
    std::map<std::uint64_t, std::uint32_t> number_of_function_; /* by id */
    std::size_t number_of_lanes_, number_of_slots_, number_of_rows_;
    double slot_ = 0; /* nanoseconds */

    std::map<std::uint64_t, double> slots_;  /* seconds, by key_of() */
    std::vector<double> threads_;            /* of each lane */
    std::vector<std::vector<double>> times_; /* seconds, by row and function */
    std::vector<Sums> sums_;                 /* of each function */
    std::vector<std::uint64_t> sizes_;       /* messages by log2 of the size */

    const Clock *clock_ = nullptr;
    std::size_t lane_ = 0, row_ = 0;
    std::int32_t rank_ = 0, thread_ = 0;
    struct Open {
        std::uint64_t begin;
        std::uint32_t function, site;
    };
    std::vector<Open> open_;
    std::vector<OpenCall>
        in_progress_; /* only in a trace that qmpi_report makes, without merging */
};

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_OVERVIEW_HPP_INCLUDED */
