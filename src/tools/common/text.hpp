/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Text functions. */

#ifndef QMPI_TEXT_HPP_INCLUDED
#define QMPI_TEXT_HPP_INCLUDED

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace qmpi {
inline namespace v1 {

/* std::sprintf to a string. */
template <typename... Values>
std::string print(const char *format, Values... values)
{
    std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, values...)), '\0');
    std::snprintf(text.data(), text.size() + 1, format, values...);
    return text;
}

/* 1234567 as "1,234,567" */
inline std::string grouped(std::uint64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3)
        text.insert(i - 3, ",");
    return text;
}

/* "1 rank", "2 ranks"; ending: of the plural */
template <typename Number>
std::string number_of(Number number, const char *what, const char *ending = "s")
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : ending);
}

/* True if the text has the ending and something before it. */
constexpr bool ends_in(std::string_view text, std::string_view ending)
{
    return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_TEXT_HPP_INCLUDED */
