/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Histogram bins of message sizes: bin 0 is empty messages, bin i is 2^(i-1) to 2^i - 1 bytes. */

#ifndef QMPI_SIZES_HPP_INCLUDED
#define QMPI_SIZES_HPP_INCLUDED

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace qmpi {
inline namespace v1 {

constexpr std::size_t size_bins = 65;

inline std::size_t bin_of(std::uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(bytes));
}

/* Bounds of a bin: smallest size in it, smallest size above it. */
inline double first_size(std::size_t bin)
{
    return bin == 0 ? 0 : std::ldexp(1.0, static_cast<int>(bin) - 1);
}

inline double next_size(std::size_t bin)
{
    return std::ldexp(1.0, static_cast<int>(bin));
}

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_SIZES_HPP_INCLUDED */
