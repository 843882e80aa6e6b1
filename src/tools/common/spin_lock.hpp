/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_SPIN_LOCK_HPP_INCLUDED
#define QMPI_SPIN_LOCK_HPP_INCLUDED

#include <atomic>
#include <thread>

namespace qmpi {
inline namespace v1 {

/* Lock for a few instructions, cheaper than a std::mutex that nobody else holds. */
class SpinLock {
  public:
    void lock()
    {
        for (int tries = 1; is_locked_.test_and_set(std::memory_order_acquire); tries++) {
            if (tries % 64 == 0)
                std::this_thread::yield();
        }
    }

    void unlock() { is_locked_.clear(std::memory_order_release); }

  private:
    std::atomic_flag is_locked_ = ATOMIC_FLAG_INIT;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_SPIN_LOCK_HPP_INCLUDED */
