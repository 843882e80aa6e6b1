/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef RANDOM_HPP
#define RANDOM_HPP

#include <cstdint>
#include <utility>
#include <vector>

/* A stream of numbers that depends on the seeds only. All processes draw the script from equal streams; what a process
   may decide alone comes from its own stream. */
class Random {
  public:
    explicit Random(uint64_t seed, uint64_t second = 0, uint64_t third = 0)
        : state_(mixed(mixed(mixed(seed) + second) + third))
    {
    }

    static uint64_t mixed(uint64_t x)
    {
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    uint64_t next() { return state_ = mixed(state_); }
    int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }

    template <class T>
    T of(const std::vector<T> &all)
    {
        return all[static_cast<size_t>(below(static_cast<int>(all.size())))];
    }

    template <class T>
    void shuffle(std::vector<T> &all)
    {
        for (size_t i = all.size(); i > 1; i--)
            std::swap(all[i - 1], all[static_cast<size_t>(below(static_cast<int>(i)))]);
    }

    std::vector<int> permutation(int n)
    {
        std::vector<int> all;
        for (int i = 0; i < n; i++)
            all.push_back(i);
        shuffle(all);
        return all;
    }

  private:
    uint64_t state_;
};

#endif
