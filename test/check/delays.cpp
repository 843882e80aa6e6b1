/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Delays calls by chance, so that the processes meet in another order. The environment variable DELAYS_SEED
 * chooses, different in each process. */

#include <qmpi.hpp>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

struct Delays : qmpi::tool<Delays> {
    template <typename Call>
    auto intercept(Call &call)
    {
        delay(3);
        if constexpr (Call::returns_error_code) {
            const int error_code = call();
            delay(6);
            return error_code;
        } else
            return call();
    }

  private:
    /* Every n-th time. */
    static void delay(int n)
    {
        static thread_local std::minstd_rand numbers = make_numbers();
        if (std::uniform_int_distribution(1, n)(numbers) == 1)
            std::this_thread::sleep_for(
                std::chrono::milliseconds(std::uniform_int_distribution(0, 20)(numbers)));
    }

    static std::minstd_rand make_numbers()
    {
        const char *const rank = std::getenv("PMI_RANK");
        return std::minstd_rand(static_cast<unsigned>(std::atoi(std::getenv("DELAYS_SEED")) * 1000 +
                                                      (rank == nullptr ? 0 : std::atoi(rank))));
    }
};

QMPI_TOOL("delays", Delays)
