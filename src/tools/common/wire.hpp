/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Serialisation between processes of a job: a Reader gets what a Writer put, in the same order.
 * Native byte order. */

#ifndef QMPI_WIRE_HPP_INCLUDED
#define QMPI_WIRE_HPP_INCLUDED

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

namespace wire {

template <typename Value, typename = void>
inline constexpr bool has_fields = false;

template <typename Value>
inline constexpr bool has_fields<Value, std::void_t<decltype(std::declval<Value &>().fields())>> =
    true;

/* Numbers that are one after another in memory, with one size for all. */
template <typename Value>
inline constexpr bool is_list_of_numbers = false;

template <typename Number>
inline constexpr bool is_list_of_numbers<std::vector<Number>> =
    std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>;

template <>
inline constexpr bool is_list_of_numbers<std::string> = true;

template <typename Value>
inline constexpr bool is_pair = false;

template <typename First, typename Second>
inline constexpr bool is_pair<std::pair<First, Second>> = true;

template <typename Value>
inline constexpr bool is_array = false;

template <typename Element, std::size_t size>
inline constexpr bool is_array<std::array<Element, size>> = true;

template <typename Value, typename = void>
inline constexpr bool is_map = false;

template <typename Value>
inline constexpr bool is_map<Value, std::void_t<typename Value::mapped_type>> = true;

}  // namespace wire

/* Values are numbers, enumerations, texts, pairs, std::array, std::vector, std::map, and structures
 * whose member function fields() returns std::tie() of their fields. */
class Writer {
  public:
    Writer() : bytes_(own_) {}

    /* Appends to a string of the caller, which outlives the writer. */
    explicit Writer(std::string &bytes) : bytes_(bytes) {}

    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;

    template <typename... Values>
    void put(const Values &...values)
    {
        (add(values), ...);
        append_collected();
    }

    /* Returns the bytes and empties the writer. */
    std::string take() { return std::exchange(bytes_, std::string()); }

  private:
    template <typename Value>
    void add(const Value &value)
    {
        if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
            if (collected_ + sizeof value > sizeof numbers_)
                append_collected();
            std::memcpy(numbers_ + collected_, &value, sizeof value);
            collected_ += sizeof value;
        } else if constexpr (std::is_convertible_v<const Value &, std::string_view>) {
            const std::string_view text = value;
            add(static_cast<std::uint64_t>(text.size()));
            append(text.data(), text.size());
        } else if constexpr (wire::is_list_of_numbers<Value>) {
            add(static_cast<std::uint64_t>(value.size()));
            append(value.data(), value.size() * sizeof value[0]);
        } else if constexpr (wire::is_pair<Value>) {
            add(value.first);
            add(value.second);
        } else if constexpr (wire::has_fields<Value>)
            std::apply([this](const auto &...fields) { (add(fields), ...); },
                       const_cast<Value &>(value).fields());
        else {
            if constexpr (!wire::is_array<Value>)
                add(static_cast<std::uint64_t>(value.size()));
            for (const auto &element : value)
                add(element);
        }
    }

    void append(const void *address, std::size_t size)
    {
        append_collected();
        bytes_.append(static_cast<const char *>(address), size);
    }

    void append_collected() { bytes_.append(numbers_, std::exchange(collected_, 0)); }

    std::string own_;
    std::string &bytes_;
    /* One call of append() for many numbers */
    char numbers_[256];
    std::size_t collected_ = 0;
};

/* Reads from bytes owned by the caller. Throws std::runtime_error if they end too early. */
class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    template <typename Value>
    Value get()
    {
        Value value{};
        get(value);
        return value;
    }

    template <typename Value>
    void get(Value &value)
    {
        if constexpr (std::is_same_v<Value, bool>)
            value = get<char>() != 0; /* a bool with another value would not be one */
        else if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
            if (bytes_.size() < sizeof value)
                throw std::runtime_error(too_short);
            std::memcpy(&value, bytes_.data(), sizeof value);
            bytes_.remove_prefix(sizeof value);
        } else if constexpr (wire::is_list_of_numbers<Value>) {
            const auto size = get<std::uint64_t>();
            const std::string_view bytes = get_bytes(size, sizeof value[0]);
            value.resize(static_cast<std::size_t>(size));
            if (!bytes.empty())
                std::memcpy(value.data(), bytes.data(), bytes.size());
        } else if constexpr (wire::is_pair<Value>) {
            get(value.first);
            get(value.second);
        } else if constexpr (wire::has_fields<Value>)
            std::apply([this](auto &...fields) { (get(fields), ...); }, value.fields());
        else if constexpr (wire::is_array<Value>) {
            for (auto &element : value)
                get(element);
        } else if constexpr (wire::is_map<Value>) {
            value.clear();
            for (auto left = get<std::uint64_t>(); left > 0; left--) {
                auto key = get<typename Value::key_type>();
                get(value[std::move(key)]);
            }
        } else {
            value.clear();
            for (auto left = get<std::uint64_t>(); left > 0; left--)
                get(value.emplace_back());
        }
    }

    bool at_end() const { return bytes_.empty(); }

  private:
    std::string_view get_bytes(std::uint64_t number, std::size_t size)
    {
        if (number > bytes_.size() / size)
            throw std::runtime_error(too_short);
        const std::string_view found = bytes_.substr(0, static_cast<std::size_t>(number) * size);
        bytes_.remove_prefix(found.size());
        return found;
    }

    static constexpr const char *too_short = "the data end too early";

    std::string_view bytes_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_WIRE_HPP_INCLUDED */
