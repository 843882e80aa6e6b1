// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Times short MPI calls: one function alone, and rounds of different functions in turn. The same
// program is run with every library.
//
//     entry one SECONDS CORE          one thread, after MPI_Init
//     entry two SECONDS CORE CORE     two threads at once, after MPI_Init_thread
//
// Every case is repeated about 100 microseconds at a time, all cases in turn, for the given time. The
// clock frequency of the processor changes meanwhile, so each repetition is compared with the chains of
// additions right before and after it, one cycle for each addition. Prints a line for each case:
//     CYCLES NANOSECONDS FUNCTIONS CASE    of one call: lower quartile, shortest; different functions

#include <mpi.h>
#include <sched.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

extern "C" {
void entry_fortran_rank(long rounds);
void entry_fortran_send(long rounds);
void entry_fortran_round4(long rounds);
void entry_fortran_round16(long rounds);
}

namespace {

using Clock = std::chrono::steady_clock;

void rank(long rounds)
{
    int value;
    for (long i = 0; i < rounds; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
}

void send(long rounds)
{
    int value = 0;
    for (long i = 0; i < rounds; i++)
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void round4(long rounds)
{
    int value;
    for (long i = 0; i < rounds; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
        MPI_Comm_size(MPI_COMM_WORLD, &value);
        MPI_Type_size(MPI_INT, &value);
        MPI_Initialized(&value);
    }
}

void round16(long rounds)
{
    int value;
    MPI_Aint low, extent;
    MPI_Status status = {};
    for (long i = 0; i < rounds; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
        MPI_Comm_size(MPI_COMM_WORLD, &value);
        MPI_Type_size(MPI_INT, &value);
        MPI_Initialized(&value);
        MPI_Comm_test_inter(MPI_COMM_WORLD, &value);
        MPI_Topo_test(MPI_COMM_WORLD, &value);
        MPI_Type_get_extent(MPI_INT, &low, &extent);
        MPI_Type_get_true_extent(MPI_INT, &low, &extent);
        MPI_Group_size(MPI_GROUP_EMPTY, &value);
        MPI_Group_rank(MPI_GROUP_EMPTY, &value);
        MPI_Get_count(&status, MPI_INT, &value);
        MPI_Get_elements(&status, MPI_INT, &value);
        MPI_Test_cancelled(&status, &value);
        MPI_Query_thread(&value);
        MPI_Is_thread_main(&value);
        MPI_Finalized(&value);
    }
}

struct Case {
    const char *name;
    void (*repeat)(long rounds);
    long rounds;          // of a repetition
    int functions;        // of a round
    bool by_two_threads;  // takes no lock that two threads would wait for
};

const Case cases[] = {
    {"C MPI_Comm_rank", rank, 40000, 1, true},
    {"C MPI_Send to MPI_PROC_NULL", send, 10000, 1, false},
    {"C 4 functions in turn", round4, 10000, 4, true},
    {"C 16 functions in turn", round16, 2500, 16, true},
    {"mpif.h MPI_Comm_rank", entry_fortran_rank, 40000, 1, true},
    {"mpif.h MPI_Send to MPI_PROC_NULL", entry_fortran_send, 10000, 1, false},
    {"mpif.h 4 functions in turn", entry_fortran_round4, 10000, 4, true},
    {"mpif.h 16 functions in turn", entry_fortran_round16, 2500, 16, true},
};

struct Time {
    double cycles;
    double nanoseconds;
};

template <typename Work>
double nanoseconds_of(Work work)
{
    const auto began = Clock::now();
    work();
    return std::chrono::duration<double, std::nano>(Clock::now() - began).count();
}

constexpr int additions = 64000;

void add()
{
    // Addition of a constant could be free: processors fold it into renaming.
    unsigned long sum = 0, step = 1;
    __asm__ volatile("" : "+r"(step));
    for (int i = 0; i < additions / 8; i++) {
#define ADD      \
    sum += step; \
    __asm__ volatile("" : "+r"(sum));
        ADD ADD ADD ADD ADD ADD ADD ADD
#undef ADD
    }
}

Time time_of(const Case &one)
{
    const double before = nanoseconds_of(add);
    const double call = nanoseconds_of([&] { one.repeat(one.rounds); }) /
        static_cast<double>(one.rounds * one.functions);
    // An interruption can lengthen one of the two chains.
    const double cycle = std::min(before, nanoseconds_of(add)) / additions;
    return {call / cycle, call};
}

void stay_on(const char *core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(std::atoi(core), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        std::fprintf(stderr, "entry: core %s cannot be used\n", core);
        std::exit(2);
    }
}

using Times = std::vector<std::vector<Time>>;  // by case

void print(const Case &one, std::vector<Time> times)
{
    auto quartile = times.begin() + static_cast<long>(times.size() / 4);
    std::nth_element(times.begin(), quartile, times.end(),
                     [](const Time &a, const Time &b) { return a.cycles < b.cycles; });
    auto shortest = std::min_element(times.begin(), times.end(), [](const Time &a, const Time &b) {
        return a.nanoseconds < b.nanoseconds;
    });
    std::printf("%.5f %.5f %d %s\n", quartile->cycles, shortest->nanoseconds, one.functions,
                one.name);
}

void run_one(double seconds)
{
    Times times(std::size(cases));
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end)
        for (size_t i = 0; i < std::size(cases); i++)
            times[i].push_back(time_of(cases[i]));
    for (size_t i = 0; i < std::size(cases); i++)
        print(cases[i], times[i]);
}

// Lets both threads continue at the same moment.
class Meeting {
    std::atomic<long> arrivals{0};

  public:
    void wait()
    {
        const long all = (arrivals.fetch_add(1) / 2 + 1) * 2;
        while (arrivals.load() < all) {
        }
    }
};

void run_two(double seconds, const char *const cores[2])
{
    Times times[2] = {Times(std::size(cases)), Times(std::size(cases))};
    Meeting meeting;
    std::atomic<bool> is_over{false};
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);

    auto run = [&](int thread) {
        stay_on(cores[thread]);
        for (;;) {
            meeting.wait();
            if (is_over)
                return;
            for (size_t i = 0; i < std::size(cases); i++) {
                if (!cases[i].by_two_threads)
                    continue;
                meeting.wait();
                times[thread][i].push_back(time_of(cases[i]));
            }
            meeting.wait();
            if (thread == 0)
                is_over = Clock::now() >= end;
        }
    };
    std::thread other(run, 1);
    run(0);
    other.join();
    for (size_t i = 0; i < std::size(cases); i++) {
        // A repetition counts with the slower thread: the other one may have run alone meanwhile.
        std::vector<Time> slower(times[0][i].size());
        std::transform(times[0][i].begin(), times[0][i].end(), times[1][i].begin(), slower.begin(),
                       [](const Time &a, const Time &b) { return a.cycles > b.cycles ? a : b; });
        if (cases[i].by_two_threads)
            print(cases[i], slower);
    }
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string threads = argc > 1 ? argv[1] : "";
    int provided;
    if (!(threads == "one" && argc == 4) && !(threads == "two" && argc == 5)) {
        std::fputs("usage: entry one SECONDS CORE | entry two SECONDS CORE CORE\n", stderr);
        return 2;
    }
    stay_on(argv[3]);
    if (threads == "one") {
        MPI_Init(nullptr, nullptr);
        run_one(std::atof(argv[2]));
    } else {
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
        run_two(std::atof(argv[2]), &argv[3]);
    }
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
