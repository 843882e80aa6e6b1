// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Parts of the library for tools. sdk_units UNIT prints "passed" or the first fault.

#include <qmpi/log.hpp>
#include <qmpi/per_thread.hpp>
#include <qmpi/requests.hpp>
#include <qmpi/testing.hpp>

#include <qmpi.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

void need(bool is_right, const std::string &what)
{
    if (is_right)
        return;
    std::printf("FAILED: %s\n", what.c_str());
    std::exit(1);
}

// ---- per_thread ----

struct Sum {
    std::atomic<long> value{0};
};

void per_thread()
{
    auto &sums = *new qmpi::PerThread<Sum>;
    auto &others = *new qmpi::PerThread<Sum>;
    const auto objects = [&sums] {
        std::set<const Sum *> all;
        sums.each([&all](const Sum &sum) { all.insert(&sum); });
        return all;
    };
    const auto total = [&sums] {
        long all = 0;
        sums.each([&all](const Sum &sum) { all += sum.value; });
        return all;
    };

    const int threads = 8, calls = 1000;
    std::atomic<int> ready{0};
    std::vector<std::thread> running;
    for (int i = 0; i < threads; i++)
        running.emplace_back([&] {
            for (int call = 0; call < calls; call++)
                sums.own().value++;
            others.own().value = -1;
            for (ready++; ready < threads;)
                std::this_thread::yield();
        });
    for (std::thread &thread : running)
        thread.join();
    need(objects().size() == threads, "an object for each thread");
    need(total() == threads * calls, "nothing is lost when threads end");

    std::thread([&sums] { sums.own().value++; }).join();
    need(objects().size() == threads, "a new thread takes the object of one that has ended");
    need(total() == threads * calls + 1, "with what is in it");
    need(&sums.own() == &sums.own() && objects().size() == threads, "a thread keeps its object");
}

// ---- testing ----

struct Doubles : qmpi::tool<Doubles> {
    int times = arguments().get("times", 2);
    int worlds = 0;
    static inline int ended = 0;

    int MPI_Comm_rank(qmpi::call<MPI_COMM_RANK_T> &call, MPI_Comm, int *rank)
    {
        const int result = call();
        *rank *= times;
        return result;
    }
    int MPI_Comm_size(qmpi::call<MPI_COMM_SIZE_T> &call)
    {
        call.next<MPI_BARRIER_T>(MPI_COMM_WORLD);
        return call();
    }
    void at_world_begin(const qmpi::world &world) { worlds += world.size(); }
    ~Doubles() { ended++; }
};

struct AnyCount : qmpi::tool<AnyCount> {
    int calls = 0;
    int intercept(qmpi::any_call &call)
    {
        calls++;
        return call();
    }
};

void testing()
{
    int rank = 0;
    {
        qmpi::testing::Instance<Doubles> one, three("times=3");
        for (auto *tool : {&one, &three})
            tool->library<MPI_COMM_RANK_T>([](MPI_Comm, int *result) {
                *result = 7;
                return MPI_SUCCESS;
            });
        one.call<MPI_COMM_RANK_T>(MPI_COMM_WORLD, &rank);
        need(rank == 14, "the call goes through the tool to the library");
        three.call<MPI_COMM_RANK_T>(MPI_COMM_WORLD, &rank);
        need(rank == 21, "instances have arguments");
        three.library<MPI_COMM_RANK_T>([](auto...) { return MPI_ERR_COMM; });
        need(three.call<MPI_COMM_RANK_T>(MPI_COMM_WORLD, &rank) == MPI_ERR_COMM, "results");
        one.begin_world();
        need(one.tool().worlds == 1, "the world has one process");
    }
    need(Doubles::ended == 2, "instances end");

    std::string fault;
    try {
        qmpi::testing::Instance<Doubles> wrong("times=often");
    } catch (const std::exception &error) {
        fault = error.what();
    }
    need(fault == "argument times=often: must be a whole number", "wrong arguments: " + fault);

    qmpi::testing::Instance<AnyCount> any;
    any.library<MPI_WTIME_T>([] { return 2.5; });
    need(any.call<MPI_WTIME_T>() == 2.5 && any.tool().calls == 1, "any_call");
}

void missing()
{
    int size;
    qmpi::testing::Instance<Doubles> tool;
    tool.library<MPI_COMM_SIZE_T>([](auto...) { return MPI_SUCCESS; });
    tool.call<MPI_COMM_SIZE_T>(MPI_COMM_WORLD, &size);
}

// ---- requests ----

struct Waits : qmpi::tool<Waits> {
    qmpi::forever<qmpi::Requests<int>> requests;
    int error = MPI_SUCCESS;

    int MPI_Irecv(qmpi::call<MPI_IRECV_T> &call)
    {
        const int result = call();
        requests->add(*qmpi::get<qmpi::role::request>(call), 0);
        return result;
    }
    int MPI_Wait(qmpi::call<MPI_WAIT_T> &call)
    {
        return qmpi::complete(call, *requests,
                              [this](int, const MPI_Status *status, qmpi::Outcome outcome) {
                                  if (outcome == qmpi::Outcome::failed)
                                      error = status->MPI_ERROR;
                              });
    }
};

void requests()
{
    qmpi::testing::Instance<Waits> waits;
    MPI_Request request = MPI_REQUEST_NULL;
    waits.library<MPI_IRECV_T>([](auto... arguments) {
        *std::get<6>(std::make_tuple(arguments...)) = MPI_Request{1};
        return MPI_SUCCESS;
    });
    waits.library<MPI_WAIT_T>([](MPI_Request *done, MPI_Status *) {
        *done = MPI_REQUEST_NULL;
        return MPI_ERR_TRUNCATE;
    });
    waits.call<MPI_IRECV_T>(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Status status{};
    status.MPI_ERROR = 99;
    need(waits.call<MPI_WAIT_T>(&request, &status) == MPI_ERR_TRUNCATE, "the call fails");
    need(waits.tool().error == MPI_ERR_TRUNCATE, "the tool gets the error of the call");
    need(status.MPI_ERROR == 99, "the program's status has none");
}

struct Starts : qmpi::tool<Starts> {
    qmpi::forever<qmpi::Requests<int>> requests;
    std::vector<qmpi::Outcome> outcomes;

    int MPI_Send_init(qmpi::call<MPI_SEND_INIT_T> &call)
    {
        const int result = call();
        requests->add_persistent(*qmpi::get<qmpi::role::request>(call), 0);
        return result;
    }
    int MPI_Startall(qmpi::call<MPI_STARTALL_T> &call)
    {
        return qmpi::complete(call, *requests,
                              [this](int, const MPI_Status *, qmpi::Outcome outcome) {
                                  outcomes.push_back(outcome);
                              });
    }
};

void starts()
{
    using qmpi::Outcome;
    qmpi::testing::Instance<Starts> starts;
    MPI_Request requests[2];
    int made = 0, result = MPI_SUCCESS;
    std::size_t outcomes_before = 0;
    starts.library<MPI_SEND_INIT_T>([&](auto... arguments) {
        *std::get<6>(std::make_tuple(arguments...)) = MPI_Request{++made};
        return MPI_SUCCESS;
    });
    starts.library<MPI_STARTALL_T>([&](auto...) {
        outcomes_before = starts.tool().outcomes.size();
        return result;
    });
    for (MPI_Request &request : requests)
        starts.call<MPI_SEND_INIT_T>(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    result = MPI_ERR_OTHER;
    starts.call<MPI_STARTALL_T>(1, requests);
    result = MPI_SUCCESS;
    starts.call<MPI_STARTALL_T>(2, requests);
    need(outcomes_before == 4, "the library starts after the tool has heard of each");
    need(starts.tool().outcomes ==
             std::vector<Outcome>{Outcome::starting, Outcome::failed, Outcome::starting,
                                  Outcome::starting, Outcome::started, Outcome::started},
         "the outcome follows");
    starts.call<MPI_STARTALL_T>(2, requests);
    need(starts.tool().outcomes.size() == 6, "nothing is told of active requests");
}

// ---- log ----

struct Logs : qmpi::tool<Logs> {
    qmpi::Log log{*this, 2};
    int calls = 0;
    int MPI_Comm_rank(qmpi::call<MPI_COMM_RANK_T> &call)
    {
        log.warn("call " + std::to_string(++calls));
        return call();
    }
};

void log()
{
    qmpi::testing::Instance<Logs> logs;
    logs.library<MPI_COMM_RANK_T>([](auto...) { return MPI_SUCCESS; });
    int rank;
    for (int i = 0; i < 5; i++)
        logs.call<MPI_COMM_RANK_T>(MPI_COMM_WORLD, &rank);
    need(logs.tool().log.number() == 5, "messages that are not printed count");
}

void log_in_a_program()
{
    int rank;
    MPI_Init(nullptr, nullptr);
    for (int i = 0; i < 5; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
}

}  // namespace

QMPI_TOOL("logs", Logs)

int main(int, char **argv)
{
    const std::pair<const char *, void (*)()> units[] = {{"per_thread", per_thread},
                                                         {"testing", testing},
                                                         {"missing", missing},
                                                         {"requests", requests},
                                                         {"starts", starts},
                                                         {"log", log},
                                                         {"log_in_a_program", log_in_a_program}};
    for (const auto &[name, unit] : units) {
        if (argv[1] != nullptr && std::string(argv[1]) == name) {
            unit();
            std::printf("passed\n");
            return 0;
        }
    }
    return 2;
}
