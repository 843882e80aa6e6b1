/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments of an instance: the text in parentheses of the tool list, and options declared once. */

#ifndef QMPI_OPTIONS_HPP_INCLUDED
#define QMPI_OPTIONS_HPP_INCLUDED

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* ---- arguments of an instance ---- */

namespace detail {

template <typename Type>
struct identity {
    using type = Type;
};

/* Excludes a parameter from template argument deduction. */
template <typename Type>
using identity_t = typename identity<Type>::type;

}  // namespace detail

/* Error in the arguments, with a text for the user. A tool's constructor that throws it (or any
 * exception) refuses the instance: the program ends with that message before MPI is initialised. */
class argument_error : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/* Text between the parentheses of name(out=a.json,verbose): key=value arguments and flags (a key
 * alone), separated by commas outside parentheses; white space around keys and values is ignored. A
 * tool queries its arguments in its constructor; any that it did not query are errors. */
class arguments {
  public:
    /* Throws argument_error: empty argument or key, duplicate key, unbalanced parentheses. */
    explicit arguments(std::string_view text = {})
    {
        if (trim(text).empty())
            return;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = end_of_argument(text, begin);
            add(trim(text.substr(begin, end - begin)), text);
            begin = end + 1;
        }
    }

    /* Value of a flag: true if given alone; also accepts yes, true, on, 1 and no, false, off, 0. */
    bool flag(std::string_view key) const
    {
        const argument *found = find(key);
        if (found == nullptr)
            return false;
        if (!found->has_value)
            return true;
        for (const char *word : {"yes", "true", "on", "1"}) {
            if (found->value == word)
                return true;
        }
        for (const char *word : {"no", "false", "off", "0"}) {
            if (found->value == word)
                return false;
        }
        throw argument_error(found->text() + ": must be yes or no");
    }

    /* Value as text, or the fallback if it is not given. Throws argument_error for a key without a
     * value. */
    std::string get(std::string_view key, std::string_view fallback) const
    {
        const argument *found = find(key);
        return std::string(found == nullptr ? fallback : value_of(*found));
    }

    std::string get(std::string_view key, const char *fallback) const
    {
        return get(key, std::string_view(fallback));
    }

    /* Value as a number. Throws argument_error if it is not a number of that type. */
    template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
    Number get(std::string_view key, Number fallback) const
    {
        static_assert(!std::is_same_v<Number, bool>, "ask for a bool by flag()");
        const argument *found = find(key);
        if (found == nullptr)
            return fallback;
        const std::string_view value = value_of(*found);
        try {
            return number<Number>(value);
        } catch (const argument_error &error) {
            throw argument_error(found->text() + ": " + error.what());
        }
    }

    /* The same, and throws argument_error unless least <= value <= most. The fallback may be out of
     * range. */
    template <typename Number>
    Number get(std::string_view key, Number fallback, detail::identity_t<Number> lower,
               detail::identity_t<Number> upper) const
    {
        const argument *found = find(key);
        if (found == nullptr)
            return fallback;
        const Number number = get(key, fallback);
        if (!(number >= lower && number <= upper))
            throw argument_error(found->text() + ": must be from " + text_of(lower) + " to " +
                                 text_of(upper));
        return number;
    }

    bool has(std::string_view key) const { return find(key) != nullptr; }

    /* A text as a number. Throws argument_error with what it must be. */
    template <typename Number>
    static Number number(std::string_view text)
    {
        Number number{};
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (fault == std::errc::result_out_of_range)
            throw argument_error("out of range");
        if (fault != std::errc() || end != text.data() + text.size())
            throw argument_error(std::is_integral_v<Number> ? "must be a whole number"
                                                            : "must be a number");
        return number;
    }

    /* Shortest form. */
    template <typename Number>
    static std::string text_of(Number number)
    {
        char text[64];
        return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
    }

    /* Throws argument_error if the user gave an argument that was never queried. From then on
     * queries are thread-safe. */
    void check_all_known()
    {
        is_checked_ = true;
        for (const argument &given : given_) {
            if (given.is_known)
                continue;
            std::string known;
            for (const std::string &key : queried_)
                known += (known.empty() ? "" : ", ") + key;
            throw argument_error("unknown argument '" + given.key +
                                 "' (known: " + (known.empty() ? "none" : known) + ")");
        }
    }

  private:
    struct argument {
        std::string key;
        std::string value;
        bool has_value = false;
        mutable bool is_known = false;

        std::string text() const { return "argument " + key + (has_value ? "=" + value : ""); }
    };

    static std::string_view trim(std::string_view text)
    {
        const char *white_space = " \t\r\n";
        const std::size_t begin = text.find_first_not_of(white_space);
        if (begin == std::string_view::npos)
            return {};
        return text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
    }

    static std::size_t end_of_argument(std::string_view text, std::size_t begin)
    {
        int depth = 0;
        std::size_t i = begin;
        for (; i < text.size() && (text[i] != ',' || depth > 0); i++) {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
            if (depth < 0)
                break;
        }
        if (depth != 0)
            throw argument_error("unbalanced parentheses in '" + std::string(text) + "'");
        return i;
    }

    void add(std::string_view text, std::string_view all)
    {
        const std::size_t equals = text.find('=');
        argument given;
        given.key = trim(text.substr(0, equals));
        if (given.key.empty())
            throw argument_error("empty argument in '" + std::string(all) + "'");
        if (equals != std::string_view::npos) {
            given.has_value = true;
            given.value = trim(text.substr(equals + 1));
        }
        for (const argument &other : given_) {
            if (other.key == given.key)
                throw argument_error("argument " + given.key + " is given twice");
        }
        given_.push_back(std::move(given));
    }

    const argument *find(std::string_view key) const
    {
        const auto found = std::find_if(given_.begin(), given_.end(),
                                        [key](const argument &given) { return given.key == key; });
        const argument *given = found == given_.end() ? nullptr : &*found;
        if (!is_checked_) {
            if (std::find(queried_.begin(), queried_.end(), key) == queried_.end())
                queried_.emplace_back(key);
            if (given != nullptr)
                given->is_known = true;
        }
        return given;
    }

    static std::string_view value_of(const argument &found)
    {
        if (!found.has_value)
            throw argument_error(found.text() + ": needs a value");
        return found.value;
    }

    std::vector<argument> given_;
    mutable std::vector<std::string> queried_;
    bool is_checked_ = false;
};

/* ---- options ---- */

/* Number of bytes, as an option: 4096, 64k, 16M, 1G, in powers of 1024. */
struct byte_count {
    std::uint64_t value = 0;

    friend bool operator<=(byte_count a, byte_count b) { return a.value <= b.value; }
    friend bool operator==(byte_count a, byte_count b) { return a.value == b.value; }
};

/* How a type is read from an argument and shown in the help; specialize it for own types.
 *   placeholder   of the value in the help
 *   read          value of a text; throws argument_error with what a text must be
 *   text          of a value; empty if the help is not to show it as the default */
template <typename Type, typename = void>
struct option_type;

namespace detail {

template <typename Type, typename = void>
inline constexpr bool is_ordered = false;

template <typename Type>
inline constexpr bool
    is_ordered<Type, std::void_t<decltype(std::declval<Type>() <= std::declval<Type>())>> =
        !std::is_enum_v<Type>;

template <typename Type, typename = void>
inline constexpr bool is_comparable = false;

template <typename Type>
inline constexpr bool
    is_comparable<Type, std::void_t<decltype(std::declval<Type>() == std::declval<Type>())>> = true;

struct unit {
    std::string_view name;
    double factor;
};

/* A number that may be followed by a unit. Throws argument_error. */
inline double number_with_unit(std::string_view text, const unit *units,
                               std::size_t number_of_units, const char *wanted)
{
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    if (fault == std::errc() && number >= 0) {
        if (name.empty())
            return number;
        for (std::size_t i = 0; i < number_of_units; i++) {
            if (units[i].name == name)
                return number * units[i].factor;
        }
    }
    throw argument_error(std::string("must be ") + wanted);
}

/* The largest unit of which the value is a multiple. units: from the largest to the smallest. */
inline std::string text_with_unit(double value, const unit *units, std::size_t number_of_units)
{
    char text[64];
    const unit *used = units;
    while (used + 1 < units + number_of_units &&
           value / used->factor != std::floor(value / used->factor))
        used++;
    const auto end = std::to_chars(text, text + sizeof text, value / used->factor).ptr;
    return std::string(text, end) + (value == 0 ? "" : std::string(used->name));
}

inline constexpr unit byte_units[] = {
    {"T", 1099511627776.0}, {"G", 1073741824.0}, {"M", 1048576.0}, {"k", 1024.0}, {"", 1.0}};
inline constexpr unit time_units[] = {{"h", 3600.0}, {"min", 60.0}, {"s", 1.0},
                                      {"ms", 1e-3},  {"us", 1e-6},  {"ns", 1e-9}};

}  // namespace detail

template <typename Number>
struct option_type<Number, std::enable_if_t<std::is_arithmetic_v<Number>>> {
    static constexpr const char *placeholder = "N";
    static Number read(const std::string &text) { return arguments::number<Number>(text); }
    static std::string text(Number number) { return arguments::text_of(number); }
};

template <>
struct option_type<std::string> {
    static constexpr const char *placeholder = "TEXT";
    static std::string read(const std::string &text) { return text; }
    static std::string text(const std::string &value) { return value; }
};

/* Words separated by +, as in formats=text+json. */
template <>
struct option_type<std::vector<std::string>> {
    static constexpr const char *placeholder = "A+B";
    static std::vector<std::string> read(const std::string &text)
    {
        std::vector<std::string> words;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('+', begin), text.size());
            words.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        return words;
    }
    static std::string text(const std::vector<std::string> &words)
    {
        std::string all;
        for (const std::string &word : words)
            all += (all.empty() ? "" : "+") + word;
        return all;
    }
};

template <>
struct option_type<byte_count> {
    static constexpr const char *placeholder = "BYTES";
    static byte_count read(const std::string &text)
    {
        const double bytes =
            detail::number_with_unit(text, detail::byte_units, std::size(detail::byte_units),
                                     "a number of bytes, as 4096, 64k, 16M or 1G");
        if (bytes >= 18446744073709551616.0)
            throw argument_error("out of range");
        return {static_cast<std::uint64_t>(bytes)};
    }
    static std::string text(byte_count bytes)
    {
        return detail::text_with_unit(static_cast<double>(bytes.value), detail::byte_units,
                                      std::size(detail::byte_units));
    }
};

/* A time with a unit, as 500ms, 1.5s or 2min; without one it is in the type's own. */
template <typename Count, typename Period>
struct option_type<std::chrono::duration<Count, Period>> {
    using duration = std::chrono::duration<Count, Period>;
    static constexpr const char *placeholder = "TIME";
    static duration read(const std::string &text)
    {
        constexpr double seconds = static_cast<double>(Period::num) / Period::den;
        detail::unit units[std::size(detail::time_units)];
        for (std::size_t i = 0; i < std::size(units); i++)
            units[i] = {detail::time_units[i].name, detail::time_units[i].factor / seconds};
        const double number = detail::number_with_unit(text, units, std::size(units),
                                                       "a time, as 500ms, 10s or 2min");
        if (number >= static_cast<double>(std::numeric_limits<Count>::max()))
            throw argument_error("out of range");
        return duration(static_cast<Count>(number));
    }
    static std::string text(duration time)
    {
        return detail::text_with_unit(static_cast<double>(time.count()) * Period::num / Period::den,
                                      detail::time_units, std::size(detail::time_units));
    }
};

/* Options of a tool: the members of a class that inherits from this one. One declaration reads the
 * value, checks it, and writes the line of the help that qmpi_info shows:
 *
 *     struct Options : qmpi::options {
 *         using options::options;
 *         int times = option("times", 1).between(0, 1000).help("number of lines");
 *         bool loud = flag("loud").help("end with an exclamation mark");
 *     };
 *     const Options options{arguments()};
 *
 * The kit finds the type by the name Options. Whoever has the text of an instance's arguments, such as
 * a program that reads the tool's files, constructs it from qmpi::arguments(text). */
class options {
  public:
    /* Throws argument_error. The object does not keep the arguments. */
    explicit options(const qmpi::arguments &given) : given_(given) {}

    /* One line for each option. */
    const std::string &help() const { return help_; }

    template <typename Type>
    class declaration {
      public:
        using choice = std::pair<std::string_view, Type>;

        declaration(options &owner, std::string_view name, Type fallback)
            : owner_(owner), name_(name), value_(std::move(fallback))
        {
        }
        declaration(const declaration &) = delete;

        declaration &help(std::string_view text)
        {
            help_ = text;
            return *this;
        }

        /* Placeholder of the value in the help, as in out=NAME. */
        declaration &value(std::string_view placeholder)
        {
            placeholder_ = placeholder;
            return *this;
        }

        /* The default may be out of the range. */
        declaration &between(const Type &lower, const Type &upper)
        {
            lower_ = lower;
            upper_ = upper;
            return *this;
        }

        declaration &at_least(const Type &lower)
        {
            lower_ = lower;
            return *this;
        }

        /* One of these words. */
        declaration &one_of(std::initializer_list<choice> choices)
        {
            choices_.assign(choices.begin(), choices.end());
            return *this;
        }

        /* The value; the end of the declaration. */
        operator Type() const
        {
            owner_.describe(std::string(name_) + "=" + placeholder(), help_, details());
            if (!owner_.given_.has(name_))
                return value_;
            const std::string text = owner_.given_.get(name_, "");
            try {
                return check(read(text));
            } catch (const argument_error &error) {
                throw argument_error("argument " + std::string(name_) + "=" + text + ": " +
                                     error.what());
            }
        }

      private:
        Type read(const std::string &text) const
        {
            if (choices_.empty()) {
                if constexpr (!std::is_enum_v<Type>)
                    return option_type<Type>::read(text);
            }
            for (const auto &[word, value] : choices_) {
                if (word == text)
                    return value;
            }
            throw argument_error("must be " + words(", ", " or "));
        }

        Type check(Type value) const
        {
            if constexpr (detail::is_ordered<Type>) {
                /* NaN is out of every range. */
                if ((lower_ && !(*lower_ <= value)) || (upper_ && !(value <= *upper_)))
                    throw argument_error("must be " + range());
            }
            return value;
        }

        std::string words(const char *separator, const char *last_separator) const
        {
            std::string all;
            for (std::size_t i = 0; i < choices_.size(); i++) {
                all += i == 0 ? "" : i + 1 == choices_.size() ? last_separator : separator;
                all += choices_[i].first;
            }
            return all;
        }

        std::string range() const
        {
            if (!upper_)
                return "at least " + text_of(*lower_);
            return "from " + text_of(*lower_) + " to " + text_of(*upper_);
        }

        std::string placeholder() const
        {
            if (!placeholder_.empty())
                return placeholder_;
            if constexpr (!std::is_enum_v<Type>) {
                if (choices_.empty())
                    return option_type<Type>::placeholder;
            }
            return words("|", "|");
        }

        std::string details() const
        {
            const std::string limits = lower_ ? range() : "", fallback = text_of(value_);
            return limits + (limits.empty() || fallback.empty() ? "" : "; ") +
                (fallback.empty() ? "" : "default: " + fallback);
        }

        std::string text_of(const Type &value) const
        {
            if constexpr (detail::is_comparable<Type>) {
                for (const auto &[word, meaning] : choices_) {
                    if (meaning == value)
                        return std::string(word);
                }
            }
            if constexpr (!std::is_enum_v<Type>)
                return option_type<Type>::text(value);
            return "";
        }

        options &owner_;
        std::string_view name_;
        Type value_;
        std::string help_, placeholder_;
        std::optional<Type> lower_, upper_;
        std::vector<choice> choices_;
    };

    /* A flag is a name alone; it also takes yes, true, on, 1 and no, false, off, 0. */
    class flag_declaration {
      public:
        flag_declaration(options &owner, std::string_view name, bool fallback)
            : owner_(owner), name_(name), fallback_(fallback)
        {
        }
        flag_declaration(const flag_declaration &) = delete;

        flag_declaration &help(std::string_view text)
        {
            help_ = text;
            return *this;
        }

        operator bool() const
        {
            owner_.describe(fallback_ ? std::string(name_) + "=no" : std::string(name_), help_, "");
            return owner_.given_.has(name_) ? owner_.given_.flag(name_) : fallback_;
        }

      private:
        options &owner_;
        std::string_view name_;
        bool fallback_;
        std::string help_;
    };

    template <typename Type>
    declaration<Type> option(std::string_view name, Type fallback)
    {
        return {*this, name, std::move(fallback)};
    }

    declaration<std::string> option(std::string_view name, const char *fallback)
    {
        return {*this, name, std::string(fallback)};
    }

    flag_declaration flag(std::string_view name, bool fallback = false)
    {
        return {*this, name, fallback};
    }

  private:
    void describe(const std::string &form, const std::string &help, const std::string &details)
    {
        constexpr std::size_t width = 18;
        help_ += form + std::string(form.size() + 2 > width ? 2 : width - form.size(), ' ') + help +
            (details.empty() ? "" : " (" + details + ")") + "\n";
    }

    const qmpi::arguments &given_; /* of the constructor only */
    std::string help_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_OPTIONS_HPP_INCLUDED */
