/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Small numbers for the call sites of a process, for use in events and records. */

#ifndef TOOLS_CHECK_SITES_HPP_INCLUDED
#define TOOLS_CHECK_SITES_HPP_INCLUDED

#include "findings.hpp"

#include "../common/call_sites.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace qmpi::check {

/* Thread-safe. */
class Sites {
  public:
    using Visit = std::function<void(std::uint32_t number, const CodeLocation &location)>;

    /* Before any call. visit is called for each new call site before any other thread gets its number;
     * it must not use this object. */
    void on_new(Visit visit) { on_new_.push_back(std::move(visit)); }

    /* Without a lock for call sites that the thread has used last. */
    std::uint32_t number_of(const void *address);

    /* Reads debugging information. */
    Place place(std::uint32_t number) const;

    /* True in the first call of this function for the call site and the purpose, less than 64. Without a
     * lock when the thread knows that it has been. */
    bool is_first(std::uint32_t number, unsigned purpose);

    void each(const Visit &visit) const;

  private:
    struct Site {
        CodeLocation location;
        std::uint64_t known; /* purposes, as bits; see is_first() */
    };

    struct Known {
        const Sites *owner;
        const void *address;
        std::uint32_t number;
    };

    struct Repeated {
        const Sites *owner;
        std::uint32_t number;
        unsigned purpose;
    };

    std::uint32_t look_up(const void *address);

    static inline thread_local Known known_[64]; /* zeros */
    static inline thread_local Repeated repeated_[64];

    std::vector<Visit> on_new_;
    mutable std::mutex lock_;
    mutable CallSites call_sites_;
    std::unordered_map<const void *, std::uint32_t> numbers_;
    std::vector<Site> sites_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SITES_HPP_INCLUDED */
