/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "sites.hpp"

#include <utility>

namespace qmpi::check {

std::uint32_t Sites::number_of(const void *address)
{
    /* Calls are at least two bytes apart; the others are spread by the product. */
    const auto hash = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address));
    Known &known = known_[hash * 2654435769u >> 26];
    if (known.address != address || known.owner != this)
        known = {this, address, look_up(address)};
    return known.number;
}

std::uint32_t Sites::look_up(const void *address)
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto [found, is_new] =
        numbers_.insert({address, static_cast<std::uint32_t>(sites_.size())});
    if (is_new) {
        sites_.push_back({locate(address), 0});
        for (const Visit &visit : on_new_)
            visit(found->second, sites_.back().location);
    }
    return found->second;
}

Place Sites::place(std::uint32_t number) const
{
    std::lock_guard<std::mutex> guard(lock_);
    return Place(call_sites_.find(sites_[number].location));
}

bool Sites::is_first(std::uint32_t number, unsigned purpose)
{
    Repeated &repeated = repeated_[(number + purpose) % 64];
    if (repeated.owner == this && repeated.number == number && repeated.purpose == purpose)
        return false;
    repeated = {this, number, purpose};
    const std::uint64_t bit = std::uint64_t{1} << purpose;
    std::lock_guard<std::mutex> guard(lock_);
    return (std::exchange(sites_[number].known, sites_[number].known | bit) & bit) == 0;
}

void Sites::each(const Visit &visit) const
{
    std::lock_guard<std::mutex> guard(lock_);
    for (std::uint32_t i = 0; i < sites_.size(); i++)
        visit(i, sites_[i].location);
}

}  // namespace qmpi::check
