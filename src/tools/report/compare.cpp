/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "compare.hpp"

#include "reports.hpp"

#include "../common/envelope.hpp"
#include "../common/text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <set>
#include <stdexcept>

namespace qmpi::report {
namespace {

nlohmann::json document_of(const std::string &path)
{
    if (ends_in(path, ".json")) {
        std::ifstream file(path);
        if (!file)
            throw std::runtime_error("cannot read " + path);
        return nlohmann::json::parse(file);
    }
    return nlohmann::json::parse(load_one({path})->make("json"));
}

void add(Numbers &numbers, const nlohmann::json &line)
{
    numbers.calls += line.at("calls").get<std::uint64_t>();
    numbers.sent += line.at("sent_bytes").get<std::uint64_t>();
    numbers.received += line.at("received_bytes").get<std::uint64_t>();
    numbers.time += line.value("time_s", 0.0);
}

/* Change in percent; infinite from nothing. */
double change(double before, double after)
{
    if (before == after)
        return 0;
    return before == 0 ? std::numeric_limits<double>::infinity() : 100 * (after / before - 1);
}

std::string change_text(const char *what, const std::string &before, const std::string &after,
                        double percent)
{
    return print("  %s %s -> %s (%s)", what, before.c_str(), after.c_str(),
                 std::isinf(percent) ? "new" : print("%+.1f%%", percent).c_str());
}

}  // namespace

NumbersByName numbers_of(const std::string &path)
{
    try {
        const nlohmann::json document = document_of(path);
        NumbersByName numbers;
        for (const auto &line : document.at("functions"))
            add(numbers[line.at("name")], line);
        if (document.contains("sites")) {
            for (const auto &line : document["sites"])
                add(numbers[line.at("function").get<std::string>() + " at " +
                            text_of_path(line.at("path"))],
                    line);
        }
        return numbers;
    } catch (const nlohmann::json::exception &) {
        throw std::runtime_error(path + " is not a report of count or profile");
    }
}

std::string differences(const NumbersByName &before, const NumbersByName &after,
                        const Thresholds &limits)
{
    std::set<std::string> names;
    for (const NumbersByName *side : {&before, &after}) {
        for (const auto &[name, numbers] : *side)
            names.insert(name);
    }
    std::string text;
    for (const std::string &name : names) {
        const auto first = before.find(name), second = after.find(name);
        const Numbers a = first == before.end() ? Numbers() : first->second;
        const Numbers b = second == after.end() ? Numbers() : second->second;
        std::string changes;
        auto add_number = [&](const char *what, std::uint64_t old_number, std::uint64_t new_number,
                              double limit) {
            const double percent =
                change(static_cast<double>(old_number), static_cast<double>(new_number));
            if (std::abs(percent) > limit)
                changes += change_text(what, std::to_string(old_number), std::to_string(new_number),
                                       percent);
        };
        add_number("calls", a.calls, b.calls, limits.calls);
        add_number("sent", a.sent, b.sent, limits.bytes);
        add_number("received", a.received, b.received, limits.bytes);
        const double percent = change(a.time, b.time);
        if (std::abs(percent) > limits.time && std::abs(b.time - a.time) >= limits.seconds)
            changes +=
                change_text("seconds", print("%.6f", a.time), print("%.6f", b.time), percent);
        if (!changes.empty())
            text += name + changes + "\n";
    }
    return text;
}

}  // namespace qmpi::report
