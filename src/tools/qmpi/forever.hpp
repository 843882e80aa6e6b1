/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Members of a tool that outlive its object. */

#ifndef QMPI_FOREVER_HPP_INCLUDED
#define QMPI_FOREVER_HPP_INCLUDED

#include <new>
#include <utility>

namespace qmpi {
inline namespace v1 {

/* A member that is constructed with the tool and never destroyed: when the process exits and the tool's
 * object ends, other threads may still be in its calls. The memory is that of the instance, which is
 * never freed. Types that must not be destroyed (Requests, Communicators, PerThread) have no
 * destructor, so that a tool has them by this only:
 *
 *     qmpi::forever<qmpi::Requests<Start>> requests; */
template <typename Type>
class forever {
  public:
    template <typename... Arguments>
    explicit forever(Arguments &&...arguments)
    {
        new (static_cast<void *>(&value_)) Type(std::forward<Arguments>(arguments)...);
    }
    forever(const forever &) = delete;
    forever &operator=(const forever &) = delete;
    ~forever() {} /* not that of the value */

    Type &operator*() noexcept { return value_; }
    const Type &operator*() const noexcept { return value_; }
    Type *operator->() noexcept { return &value_; }
    const Type *operator->() const noexcept { return &value_; }

  private:
    union {
        Type value_;
    };
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_FOREVER_HPP_INCLUDED */
