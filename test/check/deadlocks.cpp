/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Feeds the analyser of check with calls of two processes that are in MPI for longer than the timeout.
 * Prints for each case whether it is a deadlock. */

#include "take_event.hpp"

#include "check/analyser.hpp"
#include "check/findings.hpp"
#include "check/recorder.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace qmpi::check;

namespace {

class Job {
  public:
    void send(int rank, std::uint64_t number, int tag, int function)
    {
        take(rank, Event::send, SendEvent{{function, 0}, world, number, 1 - rank, tag, {}});
    }

    void receive(int rank, std::uint64_t number, int tag, int function)
    {
        const bool is_certain = function != MPI_IRECV_T;
        take(rank, Event::receive,
             ReceiveEvent{
                 {function, 1}, world, number, 1 - rank, tag, is_certain, false, false, {}});
    }

    /* The program waits for the receive. */
    void expect(int rank, std::uint64_t number, int tag)
    {
        take(rank, Event::received, ReceivedEvent{world, number, 1 - rank, tag, false});
    }

    void block(int rank, int function, const std::vector<Wait> &waits, bool needs_all = true)
    {
        take(rank, Event::blocked, BlockedEvent{{{{function, 2}, needs_all, waits}}});
    }

    void cancel(int rank, std::uint64_t number)
    {
        take(rank, Event::cancelling, OperationKey{false, world, number});
    }

    void make_partitioned(int rank, std::uint64_t number, bool is_send)
    {
        const int function = is_send ? MPI_PSEND_INIT_T : MPI_PRECV_INIT_T;
        take(rank, Event::partitioned,
             PartitionedEvent{{function, 1}, world, number, is_send, 1 - rank, 0, {}});
    }

    void start_partitioned(int rank, std::uint64_t number)
    {
        take(rank, Event::partitioned_started, OperationKey{false, 0, number});
    }

    /* Another thread of that process, too, communicates there. */
    void exclude(int rank) { take(rank, Event::exclude, CommunicatorEvent{world}); }

    static Wait message(int rank, std::uint64_t number, int tag)
    {
        return {Completion::message, "a message", {1 - rank}, world, number, tag};
    }

    static Wait receive_of(int rank, std::uint64_t number, int tag)
    {
        return {Completion::receive, "the receive", {1 - rank}, world, number, tag};
    }

    static Wait partitioned(int rank, std::uint64_t number)
    {
        return {Completion::partitioned, "the other side", {1 - rank}, world, number, 0};
    }

    void end(const char *name)
    {
        std::printf("%s: %s\n", name, analyser_.find_deadlock() ? "deadlock" : "nothing");
    }

  private:
    static constexpr std::uint64_t world = 1;

    template <typename Fields>
    void take(int rank, Event event, const Fields &fields)
    {
        take_event(analyser_, rank, event, fields);
    }

    Findings findings_;
    qmpi::Record record_{"deadlocks", 0};
    Sites sites_;
    Recorder recorder_{record_, 1, sites_};
    Analyser analyser_{2, std::chrono::seconds(0), findings_, recorder_};
};

/* Messages that are in transfer for long. */
void exchange()
{
    Job job;
    for (const int rank : {0, 1}) {
        job.send(rank, 1, 0, MPI_SENDRECV_T);
        job.receive(rank, 2, 0, MPI_SENDRECV_T);
        job.block(rank, MPI_SENDRECV_T, {Job::receive_of(rank, 1, 0), Job::message(rank, 2, 0)});
    }
    job.end("MPI_Sendrecv");
}

void exchange_by_requests()
{
    Job job;
    for (const int rank : {0, 1}) {
        job.receive(rank, 1, 0, MPI_IRECV_T);
        job.send(rank, 2, 0, MPI_ISEND_T);
        job.expect(rank, 1, 0);
        job.block(rank, MPI_WAITALL_T, {Job::message(rank, 1, 0), Job::receive_of(rank, 2, 0)});
    }
    job.end("MPI_Waitall");
}

/* No process waits for the receives. */
void sends_to_open_receives()
{
    Job job;
    for (const int rank : {0, 1}) {
        job.receive(rank, 1, 0, MPI_IRECV_T);
        job.send(rank, 2, 0, MPI_SEND_T);
        job.block(rank, MPI_SEND_T, {Job::receive_of(rank, 2, 0)});
    }
    job.end("MPI_Irecv");
}

/* Of two messages, the first one is in transfer. */
void two_sends(int function)
{
    Job job;
    job.send(0, 1, 0, MPI_ISEND_T);
    job.send(0, 2, 0, MPI_ISEND_T);
    job.block(0, function, {Job::receive_of(0, 1, 0), Job::receive_of(0, 2, 0)},
              function == MPI_WAITALL_T);
    job.send(1, 1, 1, MPI_SENDRECV_T);
    job.receive(1, 2, 0, MPI_SENDRECV_T);
    job.block(1, MPI_SENDRECV_T, {Job::receive_of(1, 1, 1), Job::message(1, 2, 0)});
    job.end(function == MPI_WAITALL_T ? "MPI_Waitall of two" : "MPI_Waitany of two");
}

void sends(int function)
{
    Job job;
    for (const int rank : {0, 1}) {
        job.send(rank, 1, 0, function);
        job.block(rank, MPI_WAIT_T, {Job::receive_of(rank, 1, 0)});
    }
    job.end(function == MPI_ISSEND_T ? "MPI_Issend" : "MPI_Ibsend");
}

void sends_of_threads()
{
    Job job;
    for (const int rank : {0, 1}) {
        job.send(rank, 1, 0, MPI_SSEND_T);
        job.block(rank, MPI_SSEND_T, {Job::receive_of(rank, 1, 0)});
    }
    job.exclude(0);
    job.end("communicator of several threads");
}

/* Their causes are unknown. */
void fences_of_unknown_window()
{
    Job job;
    for (const int rank : {0, 1})
        job.block(rank, MPI_WIN_FENCE_T, {}, false);
    job.end("fence of an unknown window");
}

/* Rank 0 waits for the second of two receives, rank 1 for a message that does not come. */
void two_receives(const char *name, int sends, bool is_cancelled)
{
    Job job;
    job.receive(0, 1, 0, MPI_IRECV_T);
    if (is_cancelled)
        job.cancel(0, 1);
    job.receive(0, 2, 0, MPI_RECV_T);
    job.block(0, MPI_RECV_T, {Job::message(0, 2, 0)});
    for (int i = 0; i < sends; i++)
        job.send(1, static_cast<std::uint64_t>(i + 1), 0, MPI_BSEND_T);
    job.receive(1, 3, 1, MPI_RECV_T);
    job.block(1, MPI_RECV_T, {Job::message(1, 3, 1)});
    job.end(name);
}

/* Rank 0 waits for a partitioned receive that it has started twice, rank 1 for a message that does not come. */
void partitioned(const char *name, int starts)
{
    Job job;
    job.make_partitioned(0, 1, false);
    job.make_partitioned(1, 2, true);
    for (int i = 0; i < 2; i++)
        job.start_partitioned(0, 1);
    for (int i = 0; i < starts; i++)
        job.start_partitioned(1, 2);
    job.block(0, MPI_WAIT_T, {Job::partitioned(0, 1)});
    job.receive(1, 3, 1, MPI_RECV_T);
    job.block(1, MPI_RECV_T, {Job::message(1, 3, 1)});
    job.end(name);
}

}  // namespace

int main()
{
    exchange();
    exchange_by_requests();
    sends_to_open_receives();
    two_sends(MPI_WAITANY_T);
    two_sends(MPI_WAITALL_T);
    sends(MPI_ISSEND_T);
    sends(MPI_IBSEND_T);
    sends_of_threads();
    two_receives("one message for two receives", 1, false);
    two_receives("two messages for two receives", 2, false);
    two_receives("first receive cancelled", 1, true);
    partitioned("partitioned send not started", 1);
    partitioned("partitioned send started", 2);
    fences_of_unknown_window();
    return 0;
}
