/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Prints how often one thread adds and removes memory of pending operations, at most, while another
 * compares data of 32,768 blocks with a pending operation. */

#include "check/resources.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

using namespace qmpi::check;

int main(int argc, char **argv)
{
    constexpr int number = 32768, rounds = 20;
    MPI_Init(&argc, &argv);
    MPI_Datatype every_other;
    MPI_Type_vector(number, 1, 2, MPI_BYTE, &every_other);
    Types types;
    types.made(every_other, MPI_BYTE, {});
    const Types::Shared type = types.of(every_other);
    type->blocks(every_other);

    PendingMemory memory;
    memory.add(0, {{0, 2 * number, true, type, 0, 1}}, {MPI_IRECV_T, 0});
    const Range between{1, 2 * number + 1, true, type, 1, 1};
    const Ranges elsewhere{{4 * number, 4 * number + 1, true}};
    long most = 0;
    for (int i = 0; i < rounds; i++) {
        std::atomic<bool> is_comparing{false}, is_done{false};
        std::thread other([&] {
            is_comparing = true;
            if (memory.conflict(between))
                std::printf("conflict\n");
            is_done = true;
        });
        long changes = 0;
        while (!is_comparing)
            std::this_thread::yield();
        for (; !is_done; changes++) {
            memory.add(1, elsewhere, {MPI_ISEND_T, 1});
            memory.remove(1, elsewhere);
        }
        other.join();
        most = std::max(most, changes);
    }
    std::printf("%ld changes\n", most);
    MPI_Type_free(&every_other);
    MPI_Finalize();
    return 0;
}
