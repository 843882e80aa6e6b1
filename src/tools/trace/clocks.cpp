/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "clocks.hpp"

#include "../common/process.hpp"

#include <qmpi.hpp>

#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include <unistd.h>

namespace qmpi::trace {
namespace {

/* Offset to the clock of rank 0, by ping-pong: the fastest round has the least asymmetry. More
 * rounds if none is fast, as when processes share a core. Called by rank 0 and the other process,
 * which decides when to stop. */
ClockPoint measure_offset(MPI_Comm comm, int rank, int other)
{
    constexpr int min_rounds = 20, max_rounds = 400;
    constexpr double good_deviation = 10000; /* nanoseconds */
    ClockPoint best{0, 0, std::numeric_limits<double>::max()};

    std::uint64_t continues = 1;
    for (int i = 1; continues != 0; i++) {
        if (rank == 0) {
            if (QMPI_Recv(&continues, 1, MPI_UINT64_T, other, 0, comm, MPI_STATUS_IGNORE) !=
                MPI_SUCCESS)
                break;
            const std::uint64_t time = qmpi::now();
            if (QMPI_Send(&time, 1, MPI_UINT64_T, other, 0, comm) != MPI_SUCCESS)
                break;
            continue;
        }
        continues = i < min_rounds || (i < max_rounds && best.deviation > good_deviation);
        std::uint64_t time = 0;
        const std::uint64_t begin = qmpi::now();
        if (QMPI_Send(&continues, 1, MPI_UINT64_T, 0, 0, comm) != MPI_SUCCESS ||
            QMPI_Recv(&time, 1, MPI_UINT64_T, 0, 0, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        const std::uint64_t end = qmpi::now();
        const double uncertain = static_cast<double>(end - begin) / 2;
        if (uncertain < best.deviation) {
            const std::uint64_t middle = begin + (end - begin) / 2;
            best = {middle, static_cast<std::int64_t>(time - middle), uncertain};
        }
    }
    return best;
}

}  // namespace

std::uint64_t clock_identity()
{
    std::string text;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), text);
    char space[64] = "";
    if (readlink("/proc/self/ns/time", space, sizeof space - 1) > 0)
        text += space;
    if (text.empty())
        text = qmpi::host_name();
    return std::hash<std::string>()(text);
}

ClockPoint measure_clock(MPI_Comm comm, std::uint64_t identity)
{
    int rank = 0, size = 1;
    QMPI_Comm_rank(comm, &rank);
    QMPI_Comm_size(comm, &size);
    std::vector<std::uint64_t> identities(static_cast<std::size_t>(size));
    await([&](MPI_Request *request) {
        return QMPI_Iallgather(&identity, 1, MPI_UINT64_T, identities.data(), 1, MPI_UINT64_T, comm,
                               request);
    });

    std::unordered_map<std::uint64_t, int> leaders;
    for (int i = 0; i < size; i++)
        leaders.emplace(identities[static_cast<std::size_t>(i)], i);
    const int leader = leaders[identity];
    ClockPoint point{qmpi::now(), 0, 0};
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            if (leaders[identities[static_cast<std::size_t>(i)]] == i)
                measure_offset(comm, rank, i);
        }
    } else if (rank == leader)
        point = measure_offset(comm, rank, 0);
    if (leader == 0)
        return point;
    if (rank != leader) {
        await([&](MPI_Request *request) {
            return QMPI_Irecv(&point, sizeof point, MPI_BYTE, leader, 1, comm, request);
        });
        return point;
    }
    for (int i = leader + 1; i < size; i++) {
        if (identities[static_cast<std::size_t>(i)] == identity)
            QMPI_Send(&point, sizeof point, MPI_BYTE, i, 1, comm);
    }
    return point;
}

}  // namespace qmpi::trace
