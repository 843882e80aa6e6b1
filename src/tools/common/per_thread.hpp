/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Data for each thread. */

#ifndef QMPI_PER_THREAD_HPP_INCLUDED
#define QMPI_PER_THREAD_HPP_INCLUDED

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

/* initial-exec: access needs no call. musl refuses to dlopen a library with such variables. */
#ifdef __GLIBC__
#define QMPI_TLS_MODEL [[gnu::tls_model("initial-exec")]]
#else
#define QMPI_TLS_MODEL
#endif

namespace qmpi {
inline namespace v1 {

/* The calling thread's objects, by the number of their PerThread. Hidden: another tool may have another
 * version of the class. */
class [[gnu::visibility("hidden")]] ThreadSlots
{
  public:
    static void *get(std::size_t number)
    {
        return number < known_ ? by_number_[number] : nullptr;
    }

    /* give_back is called when the thread ends. */
    static void set(std::size_t number, void *object, std::function<void()> give_back)
    {
        /* Calls from thread-local destructors that run later get new objects, which stay with
         * them. */
        static thread_local Owned *owned = nullptr;
        static thread_local struct End {
            ~End() { delete std::exchange(owned, nullptr); }
        } end;
        (void) end;
        if (owned == nullptr)
            owned = new Owned;
        owned->give_back.push_back(std::move(give_back));
        if (owned->by_number.size() <= number)
            owned->by_number.resize(number + 1);
        owned->by_number[number] = object;
        by_number_ = owned->by_number.data();
        known_ = owned->by_number.size();
    }

    static std::size_t new_number()
    {
        static std::mutex mutex;
        static std::size_t numbers = 0;
        const std::lock_guard<std::mutex> guard(mutex);
        return numbers++;
    }

  private:
    struct Owned {
        std::vector<std::function<void()>> give_back;
        std::vector<void *> by_number;

        ~Owned()
        {
            known_ = 0;
            for (const auto &each : give_back)
                each();
        }
    };

    QMPI_TLS_MODEL static inline thread_local void **by_number_ = nullptr;
    QMPI_TLS_MODEL static inline thread_local std::size_t known_ = 0;
};

#undef QMPI_TLS_MODEL

/* An object for each thread that calls own(). The object of a thread that has ended goes to the next
 * new thread, with what is in it. Nothing is destroyed. */
template <typename Type>
class PerThread {
  public:
    explicit PerThread(std::function<std::unique_ptr<Type>()> make =
                           [] { return std::make_unique<Type>(); })
        : make_(std::move(make))
    {
    }
    ~PerThread() = delete; /* threads may be in a call when the process exits: see qmpi::forever */
    PerThread(const PerThread &) = delete;
    PerThread &operator=(const PerThread &) = delete;

    /* Without a lock, but for the first call of each thread. */
    Type &own()
    {
        void *const found = ThreadSlots::get(number_);
        return __builtin_expect(found != nullptr, 1) ? *static_cast<Type *>(found) : take();
    }

    /* Calls visit(object) for each. Threads may change their objects meanwhile: what visit reads must
     * be atomic. */
    template <typename Visit>
    void each(Visit visit)
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        for (const std::unique_ptr<Type> &object : all_)
            visit(*object);
    }

  private:
    [[gnu::noinline]] Type &take()
    {
        Type *object = nullptr;
        {
            const std::lock_guard<std::mutex> guard(mutex_);
            if (unused_.empty()) {
                all_.push_back(make_());
                unused_.reserve(all_.size());
                object = all_.back().get();
            } else {
                object = unused_.back();
                unused_.pop_back();
            }
        }
        ThreadSlots::set(number_, object, [this, object] { give_back(object); });
        return *object;
    }

    void give_back(Type *object)
    {
        /* In a child of fork the lock may be held by a thread that no longer exists; skip it then. */
        const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
        if (lock.owns_lock())
            unused_.push_back(object);
    }

    const std::size_t number_ = ThreadSlots::new_number();
    const std::function<std::unique_ptr<Type>()> make_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Type>> all_;
    std::vector<Type *> unused_; /* of ended threads */
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_PER_THREAD_HPP_INCLUDED */
