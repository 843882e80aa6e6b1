// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Times every call of calls.cpp for this number of ranks, or, with "threads", those that several
// threads can make at once, with 1, 2 and 4 threads.
//
//     time_calls CALLS REPETITIONS [all|threads [NAME]...]
//
// Rank 0 prints Google Benchmark's JSON.
//
// CALLS fixes the number of iterations, because all ranks must exchange the same messages.

#include "calls.hpp"

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

struct Silence : benchmark::BenchmarkReporter {
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &) override {}
};

auto repeat_in_batches(const bench::Call &call, long batch)
{
    return [&call, batch](benchmark::State &state) {
        // Bind symbols and fill caches.
        call.repeat(std::min(batch, 100L));
        while (state.KeepRunningBatch(batch))
            call.repeat(batch);
    };
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::fputs("usage: time_calls CALLS REPETITIONS [all|threads [NAME]...]\n", stderr);
        return 2;
    }
    const long calls = std::atol(argv[1]);
    const int repetitions = std::atoi(argv[2]);
    const bool by_threads = argc > 3 && std::string(argv[3]) == "threads";
    int provided, rank, ranks;

    if (by_threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bench::set_up();

    for (const bench::Call &call : bench::calls) {
        const bool is_named =
            argc <= 4 || std::find(argv + 4, argv + argc, std::string(call.name)) != argv + argc;
        if (call.ranks != ranks || !is_named || (by_threads && !call.may_be_shared))
            continue;
        for (int threads = 1; threads <= (by_threads ? 4 : 1); threads *= 2)
            benchmark::RegisterBenchmark(call.name, repeat_in_batches(call, calls))
                ->Iterations(calls)
                ->Repetitions(repetitions)
                ->Threads(threads)
                ->UseRealTime();
    }
    char name[] = "time_calls", *names[] = {name, nullptr};
    int number = 1;
    benchmark::Initialize(&number, names);
    if (rank == 0) {
        benchmark::JSONReporter json;
        json.SetOutputStream(&std::cout);
        benchmark::RunSpecifiedBenchmarks(&json);
    } else {
        Silence silence;
        benchmark::RunSpecifiedBenchmarks(&silence);
    }
    bench::tear_down();
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
