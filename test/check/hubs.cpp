/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Connects processes of a job that was never run by hubs in a line, the root first, and prints what
 * arrives where. Process i is on host i. The argument says what happens:
 *
 *     events      each process sends an event that wants an answer, and 1,000 others
 *     end         the root dismisses all processes; then each hub has nobody to wait for
 *     lost        process 2 closes its connection
 *     broken      the hub of host 1 ends
 *     foreign     connections without the password, and with broken frames
 *     held        the root does not read while a thread of process 0 sends and another one adds events
 *     join        two spawned worlds of two processes join; one process of the first one ends, its hub
 *                 ends, and the second world ends before its processes have connected */

#include "check/connection.hpp"
#include "check/relay.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace qmpi::check;

namespace {

constexpr int hosts = 4;

/* Answers the events that want it, except the last ones. */
class Root : public Hub {
  public:
    Root() : Hub(hosts) {}
    ~Root() override { stop(); }

    void dismiss()
    {
        stop();
        for (int rank = 0; rank < hosts; rank++)
            answer({~rank});
    }

    int add(const World &world) override
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const int first = next_;
        next_ += world.size;
        return first;
    }

    /* Takes no events meanwhile. */
    std::unique_lock<std::mutex> hold() { return std::unique_lock<std::mutex>(lock_); }

    std::map<int, int> events() const { return with_lock(events_); }
    std::vector<int> lost() const { return with_lock(lost_); }

  private:
    template <typename Value>
    Value with_lock(const Value &value) const
    {
        const std::lock_guard<std::mutex> guard(lock_);
        return value;
    }

    void take(int rank, std::string_view events) override
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (events.empty())
            answer({rank});
        while (!events.empty()) {
            const auto head = qmpi::Reader(events).get<Head>();
            events_[rank]++;
            if (head.wants_answer && head.event != Event::finalized)
                answer({rank});
            events.remove_prefix(Head::bytes + head.size);
        }
    }

    void lost(int rank) override
    {
        const std::lock_guard<std::mutex> guard(lock_);
        lost_.push_back(rank);
    }

    void idle() override {}

    mutable std::mutex lock_;
    int next_ = hosts;          /* rank */
    std::map<int, int> events_; /* by rank */
    std::vector<int> lost_;
};

struct Job {
    Job()
    {
        Address address = first = root.listen(true, hosts);
        root.start();
        clients[0].connect(address, 0);
        for (int i = 1; i < hosts; i++) {
            Relay &relay = *relays.emplace_back(std::make_unique<Relay>(hosts));
            const Address own = relay.listen(true, hosts);
            relay.connect(connection_to(address));
            relay.start();
            address = own;
            clients[static_cast<std::size_t>(i)].connect(address, i);
        }
        last = address;
    }

    Root root;
    std::deque<std::unique_ptr<Relay>> relays; /* of host 1 and so on */
    std::vector<Client> clients{hosts};
    Address first, last; /* of the hubs of these hosts */
};

template <typename Condition>
void await(Condition condition)
{
    while (!condition())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void print(const std::vector<int> &ranks)
{
    for (const int rank : ranks)
        std::printf("%d ", rank);
    std::printf("\n");
}

void print_answers(Job &job)
{
    for (Client &client : job.clients)
        std::printf("%d ", client.report(Event::site, true));
    std::printf("\n");
}

void send_events(Job &job)
{
    for (Client &client : job.clients) {
        for (int i = 0; i < 1000; i++)
            client.report(Event::found, SiteEvent{0, "module", 0}, false);
    }
    print_answers(job);
    for (const auto &[rank, number] : job.root.events())
        std::printf("%d ", number);
    std::printf("\n");
}

void end_all(Job &job)
{
    std::vector<std::thread> processes;
    std::atomic<int> answered{0};
    for (Client &client : job.clients)
        processes.emplace_back([&] { answered += client.report(Event::finalized, true); });
    await([&] { return job.root.events().size() == hosts; });
    job.root.dismiss();
    for (std::thread &process : processes)
        process.join();
    for (const auto &relay : job.relays)
        relay->finish(std::chrono::hours(1));
    std::printf("%d\n", answered.load());
}

void lose_process(Job &job)
{
    job.clients[2].disconnect();
    await([&] { return !job.root.lost().empty(); });
    print_answers(job);
    print(job.root.lost());
}

void break_hub(Job &job)
{
    job.relays.pop_front();
    await([&] { return job.root.lost().size() == hosts - 1; });
    print_answers(job);
}

/* A connection with these bytes after the password has an end. */
void expect_end(const Address &hub, const std::string &bytes)
{
    Socket socket = connection_to(hub);
    socket.send_all(bytes);
    std::string input;
    await([&] { return !socket.receive_pending(input); });
    std::printf("%zu ", input.size());
}

void send_foreign(Job &job)
{
    const auto bytes = [](const Frame &frame) {
        qmpi::Writer writer;
        writer.put(frame);
        return writer.take();
    };
    Address wrong = job.last;
    wrong.password++;
    expect_end(wrong, bytes({0, 3}));
    expect_end(job.last, bytes({0, hosts}));
    expect_end(job.last, bytes({0, -1}));
    expect_end(job.last, bytes({Frame::lost, hosts}));
    expect_end(job.last, bytes({0, 3})); /* another connection has that process */
    std::printf("\n");
    print_answers(job);
    print(job.root.lost());
}

/* The first thread waits in a call of send() soon. */
void hold_up(Job &job)
{
    Client &client = job.clients[0];
    std::atomic<int> sent{0};
    std::atomic<bool> is_ending{false};
    auto held = job.root.hold();
    std::thread sender([&] {
        const StatementEvent large{std::string(1 << 20, ' ')};
        while (!is_ending && client.report(Event::statement, large, false))
            sent++;
    });
    int before = -1;
    await([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return std::exchange(before, sent.load()) == sent;
    });
    int added = 0;
    for (int i = 0; i < 100; i++)
        added += client.report(Event::found, SiteEvent{0, "module", 0}, false);
    std::printf("%d\n", added);
    is_ending = true;
    held.unlock();
    sender.join();
    print_answers(job);
}

void join_worlds(Job &job)
{
    Entrance entrance = Entrance::of({"first", 2}, job.first);
    Entrance other = Entrance::of({"second", 2}, job.first);
    std::printf("%d %d\n", entrance.first, other.first);
    auto relay = std::make_unique<Relay>(entrance.first + 2);
    const Address hub = relay->listen(true, 2);
    relay->connect(std::move(entrance.socket));
    relay->start();
    Client one, two;
    one.connect(hub, 4);
    two.connect(hub, 5);
    std::printf("%d %d\n", one.report(Event::site, true), two.report(Event::site, true));
    one.disconnect();
    await([&] { return job.root.lost().size() == 1; });
    relay.reset();
    await([&] { return job.root.lost().size() == 2; });
    other.socket.end();
    await([&] { return job.root.lost().size() == 4; });
    std::vector<int> lost = job.root.lost();
    std::sort(lost.begin() + 2, lost.end());
    print(lost);
    print_answers(job);
}

}  // namespace

int main(int, char **argv)
{
    const std::map<std::string, std::function<void(Job &)>> modes{
        {"events", send_events},   {"end", end_all},  {"lost", lose_process}, {"broken", break_hub},
        {"foreign", send_foreign}, {"held", hold_up}, {"join", join_worlds}};
    Job job;
    modes.at(argv[1])(job);
    return 0;
}
