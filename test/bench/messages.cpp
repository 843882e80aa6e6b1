// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Latency, bandwidth and message rate between two ranks for several message sizes, as in the OSU
// benchmarks: latency is half of a ping-pong, bandwidth a window of nonblocking sends and one answer,
// message rate the same with messages of 8 bytes.
//
//     messages VOLUME      bytes that each test moves at most; at least 1000 messages are sent

#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int window = 64;
constexpr int largest = 4 << 20;

struct Test {
    int rank;
    std::vector<char> buffer = std::vector<char>(largest);
    std::vector<MPI_Request> requests = std::vector<MPI_Request>(window);

    void ping_pong(int size, long repeats)
    {
        char *data = buffer.data();
        for (long i = 0; i < repeats; i++) {
            if (rank == 0)
                MPI_Send(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }

    void windows(int size, long repeats)
    {
        char *data = buffer.data();
        for (long i = 0; i < repeats; i++) {
            for (MPI_Request &request : requests) {
                if (rank == 0)
                    MPI_Isend(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
                else
                    MPI_Irecv(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
            }
            MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
            if (rank == 0)
                MPI_Recv(nullptr, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Send(nullptr, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
    }

    template <typename Repeat>
    double seconds(Repeat repeat)
    {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        repeat();
        return MPI_Wtime() - begin;
    }
};

}  // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Test test;
    MPI_Comm_rank(MPI_COMM_WORLD, &test.rank);
    const long volume = argc > 1 ? std::atol(argv[1]) : 1 << 24;
    std::vector<int> sizes = {0};
    for (int size = 1; size <= largest; size *= 2)
        sizes.push_back(size);

    const char *separator = "";
    if (test.rank == 0)
        std::printf("[");
    for (int size : sizes) {
        const long most = volume / std::max(size, 1);
        const long messages = std::clamp(most, 4L, 2000L);
        const long windows = std::clamp(most / window, 1L, 30L);
        test.ping_pong(size, std::min(messages, 10L));
        test.windows(size, 1);
        const double there_and_back =
            test.seconds([&] { test.ping_pong(size, messages); }) / static_cast<double>(messages);
        const double of_window =
            test.seconds([&] { test.windows(size, windows); }) / static_cast<double>(windows);
        if (test.rank == 0) {
            std::printf(
                "%s\n{\"bytes\": %d, \"latency\": %.6e, \"bandwidth\": %.6e, "
                "\"messages_per_second\": %.6e}",
                separator, size, there_and_back / 2, size * static_cast<double>(window) / of_window,
                window / of_window);
        }
        separator = ",";
    }
    if (test.rank == 0)
        std::printf("\n]\n");
    MPI_Finalize();
}
