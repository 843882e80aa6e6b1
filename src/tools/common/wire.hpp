/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Serialisation between processes of a job: a Reader gets what a Writer put, in the same order.
 * Native byte order. */

#ifndef QMPI_WIRE_HPP_INCLUDED
#define QMPI_WIRE_HPP_INCLUDED

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace qmpi {

class Writer {
  public:
    template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
    void put(Number number)
    {
        put_bytes(&number, sizeof number);
    }

    void put(std::string_view text)
    {
        put(static_cast<std::uint64_t>(text.size()));
        put_bytes(text.data(), text.size());
    }

    template <typename Number>
    void put(const std::vector<Number> &numbers)
    {
        static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
        put(static_cast<std::uint64_t>(numbers.size()));
        put_bytes(numbers.data(), numbers.size() * sizeof(Number));
    }

    /* Returns the bytes and empties the writer. */
    std::string take() { return std::exchange(bytes_, std::string()); }

  private:
    void put_bytes(const void *address, std::size_t size)
    {
        bytes_.append(static_cast<const char *>(address), size);
    }

    std::string bytes_;
};

/* Reads from bytes owned by the caller. Throws std::runtime_error if they end too early. */
class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    /* A number, a std::string, or a std::vector of numbers. */
    template <typename Value>
    Value get()
    {
        if constexpr (std::is_arithmetic_v<Value>) {
            Value number;
            std::memcpy(&number, get_bytes(1, sizeof number).data(), sizeof number);
            return number;
        } else {
            const auto size = get<std::uint64_t>();
            using Element = typename Value::value_type;
            const std::string_view bytes = get_bytes(size, sizeof(Element));
            Value value(static_cast<std::size_t>(size), Element());
            if (!bytes.empty())
                std::memcpy(value.data(), bytes.data(), bytes.size());
            return value;
        }
    }

    bool at_end() const { return bytes_.empty(); }

  private:
    std::string_view get_bytes(std::uint64_t number, std::size_t size)
    {
        if (number > bytes_.size() / size)
            throw std::runtime_error("truncated message between processes");
        const std::string_view found = bytes_.substr(0, static_cast<std::size_t>(number) * size);
        bytes_.remove_prefix(found.size());
        return found;
    }

    std::string_view bytes_;
};

}  // namespace qmpi

#endif /* QMPI_WIRE_HPP_INCLUDED */
