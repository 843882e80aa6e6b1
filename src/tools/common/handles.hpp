/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles as keys: they are numbers in MPICH's ABI and pointers in that of MPI. */

#ifndef QMPI_HANDLES_HPP_INCLUDED
#define QMPI_HANDLES_HPP_INCLUDED

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace qmpi {
inline namespace v1 {

/* Spreads handles over a table whose size is a power of two; the high bits are the best. */
template <typename Handle>
std::uint64_t hash_of_handle(Handle handle)
{
    return qmpi::handle_value(handle) * 0x9e3779b97f4a7c15u;
}

/* Datatypes that programs use as they are. MPI_DATATYPE_NULL stands for those that the library lacks. */
inline auto predefined_datatypes()
{
    return std::array{MPI_BYTE,
                      MPI_CHAR,
                      MPI_SIGNED_CHAR,
                      MPI_UNSIGNED_CHAR,
                      MPI_WCHAR,
                      MPI_SHORT,
                      MPI_UNSIGNED_SHORT,
                      MPI_INT,
                      MPI_UNSIGNED,
                      MPI_LONG,
                      MPI_UNSIGNED_LONG,
                      MPI_LONG_LONG,
                      MPI_UNSIGNED_LONG_LONG,
                      MPI_FLOAT,
                      MPI_DOUBLE,
                      MPI_LONG_DOUBLE,
                      MPI_INT8_T,
                      MPI_INT16_T,
                      MPI_INT32_T,
                      MPI_INT64_T,
                      MPI_UINT8_T,
                      MPI_UINT16_T,
                      MPI_UINT32_T,
                      MPI_UINT64_T,
                      MPI_C_BOOL,
                      MPI_C_FLOAT_COMPLEX,
                      MPI_C_DOUBLE_COMPLEX,
                      MPI_AINT,
                      MPI_OFFSET,
                      MPI_COUNT,
                      MPI_PACKED,
                      MPI_CHARACTER,
                      MPI_LOGICAL,
                      MPI_INTEGER,
                      MPI_REAL,
                      MPI_DOUBLE_PRECISION,
                      MPI_COMPLEX,
                      MPI_DOUBLE_COMPLEX,
                      MPI_FLOAT_INT,
                      MPI_DOUBLE_INT,
                      MPI_2INT};
}

/* Index of the parameter by which a function returns a new handle; qmpi::none if there is none. */
template <typename Call>
constexpr std::size_t index_of_made(qmpi::role handle)
{
    for (std::size_t i = 0; i < Call::parameters.size(); i++) {
        if (Call::parameters[i].role == handle &&
            Call::parameters[i].direction == qmpi::direction::out)
            return i;
    }
    return qmpi::none;
}

template <typename Call>
constexpr bool frees_handle(qmpi::role handle)
{
    const std::size_t index = Call::index(qmpi::effect::frees);
    return index != qmpi::none && Call::parameters[index].role == handle;
}

/* Values of handles, the same for all instances in a library. Thread-safe; without a lock for handles
 * that the thread has used last. Thus a tool need not query the library about an object that another
 * thread may free: the query would fail, and call the program's error handler. */
template <typename Handle, typename Value>
class QMPI_DETAIL_HIDDEN HandleTable {
  public:
    /* False if unknown. */
    QMPI_INLINE static bool find(Handle handle, Value &value)
    {
        Slot &slot = slots_[hash_of_handle(handle) >> 60];
        if (slot.handle != handle || slot.generation != generation_.load(std::memory_order_acquire))
            return search(handle, slot, value);
        value = slot.value;
        return true;
    }

    static void set(Handle handle, const Value &value)
    {
        Table &all = table();
        const std::unique_lock<std::shared_mutex> guard(all.lock);
        all.values[handle] = value;
        generation_.fetch_add(1, std::memory_order_release);
    }

    static void forget(Handle handle)
    {
        Table &all = table();
        const std::unique_lock<std::shared_mutex> guard(all.lock);
        all.values.erase(handle);
        generation_.fetch_add(1, std::memory_order_release);
    }

  private:
    struct Slot {
        Handle handle;
        std::uint64_t generation;
        Value value;
    };

    struct Table {
        std::shared_mutex lock;
        std::unordered_map<Handle, Value> values;
    };

    /* Never destroyed: other threads may be in a call when the process exits. */
    static Table &table()
    {
        static Table &all = *new Table;
        return all;
    }

    [[gnu::noinline]] static bool search(Handle handle, Slot &slot, Value &value)
    {
        Table &all = table();
        const std::shared_lock<std::shared_mutex> guard(all.lock);
        const auto found = all.values.find(handle);
        if (found == all.values.end())
            return false;
        value = found->second;
        slot = {handle, generation_.load(std::memory_order_relaxed), value};
        return true;
    }

    /* Changes with the table. */
    static inline std::atomic<std::uint64_t> generation_{1};
    static inline thread_local Slot slots_[16] = {};
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_HANDLES_HPP_INCLUDED */
