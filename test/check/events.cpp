/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Feeds the analyser of check with the events of a job that was never run:
 *
 *     events RANKS ROUNDS [PACKET | distrust]
 *
 * In each round, every process exchanges messages with its neighbours in a ring, sends one without a
 * request, and takes part in a reduction. The events of a process come in packets of so many rounds, or
 * of one. With "distrust", rank 0 is no longer compared after the first round. Prints the number of
 * events, that of findings, and the memory in KiB. */

#include "take_event.hpp"

#include "check/analyser.hpp"
#include "check/findings.hpp"
#include "check/recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/resource.h>

using namespace qmpi::check;

namespace {

class Job {
  public:
    Job(Analyser &analyser, int size) : analyser_(analyser), size_(size) {}

    void distrust() { take(first_++, Event::distrust, Position()); }

    void rounds(std::uint64_t begin, std::uint64_t end)
    {
        for (int rank = first_; rank < size_; rank++) {
            for (std::uint64_t number = begin; number < end; number++)
                round(rank, number);
        }
    }

    std::uint64_t events() const { return events_; }

  private:
    static constexpr std::uint64_t world = 1;

    void round(int rank, std::uint64_t number)
    {
        const int left = (rank + size_ - 1) % size_, right = (rank + 1) % size_;
        const std::uint64_t first = 3 * number;
        take(rank, Event::receive,
             ReceiveEvent{
                 {MPI_IRECV_T, 0}, world, first + 1, left, 0, false, false, false, one_number()});
        take(rank, Event::send,
             SendEvent{{MPI_SEND_T, 1}, world, first + 2, right, 0, one_number()});
        take(rank, Event::await, OperationEvent{{MPI_WAIT_T, 2}, {false, 0, first + 1}});
        take(rank, Event::received, ReceivedEvent{world, first + 1, left, 0, false});
        CollectiveEvent reduction;
        reduction.position = {MPI_ALLREDUCE_T, 3};
        reduction.communicator = world;
        reduction.number = number;
        reduction.size = size_;
        reduction.rank = rank;
        reduction.same = one_number();
        take(rank, Event::collective, reduction);
    }

    static Signature one_number()
    {
        Signature signature;
        signature.is_known = true;
        signature.times = 1;
        signature.unit = {{basic_type('i', 4), 1}};
        return signature;
    }

    template <typename Fields>
    void take(int rank, Event event, const Fields &fields)
    {
        take_event(analyser_, rank, event, fields);
        events_++;
    }

    Analyser &analyser_;
    const int size_;
    int first_ = 0; /* process that still sends events */
    std::uint64_t events_ = 0;
};

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        return 2;
    const int size = std::atoi(argv[1]);
    const std::uint64_t rounds = std::strtoull(argv[2], nullptr, 10);
    const bool distrusts = argc == 4 && std::strcmp(argv[3], "distrust") == 0;
    const std::uint64_t packet = argc == 4 && !distrusts ? std::strtoull(argv[3], nullptr, 10) : 1;
    Findings findings;
    qmpi::Record record("events", 0);
    Sites sites;
    Recorder recorder(record, 1, sites);
    Analyser analyser(size, std::chrono::seconds(30), findings, recorder);
    Job job(analyser, size);
    for (std::uint64_t i = 0; i < rounds; i += packet) {
        if (i == 1 && distrusts)
            job.distrust();
        job.rounds(i, std::min(i + packet, rounds));
    }
    analyser.find_cycles();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%llu events, %zu findings, %ld KiB\n",
                static_cast<unsigned long long>(job.events()), findings.all().size(),
                usage.ru_maxrss);
    return 0;
}
