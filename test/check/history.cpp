/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* history NOTHING|LONG|READERS: adds, compares and removes memory of pending operations: after
 * nothing, after a range of 1 GB was in use, or of many operations that read the same buffer. */

#include "check/resources.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace qmpi::check;

int main(int argc, char **argv)
{
    constexpr std::uint64_t number = 5000;
    constexpr std::uintptr_t begin = std::uintptr_t{1} << 31, longest = std::uintptr_t{1} << 30;
    if (argc != 2)
        return 2;
    const bool is_same = std::strcmp(argv[1], "READERS") == 0;
    PendingMemory memory;
    if (std::strcmp(argv[1], "LONG") == 0) {
        const Ranges all{{0, longest, true}, {0, longest, false}};
        memory.add(0, all, {MPI_IRECV_T, 0});
        memory.remove(0, all);
    }
    const auto range = [&](std::uint64_t i) {
        const std::uintptr_t first = begin + (is_same ? 0 : 16 * i);
        return Range{first, first + 16, false};
    };
    int conflicts = 0;
    for (std::uint64_t i = 1; i <= number; i++) {
        conflicts += memory.conflict(range(i)).has_value();
        memory.add(i, {range(i)}, {MPI_ISEND_T, 1});
    }
    for (std::uint64_t i = 1; i <= number; i++)
        memory.remove(i, {range(i)});
    for (std::uint64_t i = 1; i <= number; i++) {
        Range written = range(i);
        written.is_written = true;
        conflicts += memory.conflict(written).has_value();
        memory.add(i, {written}, {MPI_IRECV_T, 2});
        memory.remove(i, {written});
    }
    std::printf("%d conflicts\n", conflicts);
    return 0;
}
