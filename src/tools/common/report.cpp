/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "report.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

namespace tools {
namespace {

struct FormatName {
    Format format;
    const char *name;
    const char *ending;
};

constexpr FormatName format_names[] = {
    {Format::text, "text", ".txt"}, {Format::json, "json", ".json"}, {Format::html, "html", ".html"},
    {Format::otf2, "otf2", ".otf2"}};

const char *ending_of(Format format)
{
    return std::find_if(std::begin(format_names), std::end(format_names),
                        [format](const FormatName &name) { return name.format == format; })->ending;
}

bool has(const std::vector<Format> &formats, Format format)
{
    return std::find(formats.begin(), formats.end(), format) != formats.end();
}

std::string names_of(const std::vector<Format> &formats)
{
    std::string names;
    for (const FormatName &format : format_names) {
        if (has(formats, format.format))
            names += std::string(names.empty() ? "" : ", ") + format.name;
    }
    return names;
}

/* In the order of format_names, whatever the user's. */
std::vector<Format> read_formats(const std::string &text, const std::vector<Format> &known)
{
    std::vector<Format> wanted;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('+', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        const auto found = std::find_if(std::begin(format_names), std::end(format_names),
                                        [&](const FormatName &format) {
                                            return word == format.name && has(known, format.format);
                                        });
        if (found == std::end(format_names))
            throw qmpi::argument_error("argument formats=" + text + ": '" + word +
                                       "' is none of " + names_of(known));
        wanted.push_back(found->format);
        begin = end + 1;
    }
    return wanted;
}

bool ends_in(const std::string &text, std::string_view ending)
{
    return text.size() > ending.size() &&
        text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

bool write_all(int descriptor, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/* Closes as well. */
std::string write_and_close(int descriptor, std::string_view content)
{
    const bool is_written = write_all(descriptor, content);
    const int reason = errno;
    if (close(descriptor) != 0 && is_written)
        return std::strerror(errno);
    return is_written ? "" : std::strerror(reason);
}

std::string write_directly(const std::string &name, std::string_view content)
{
    const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor < 0 ? std::strerror(errno) : write_and_close(descriptor, content);
}

std::string replace(const std::string &name, std::string_view content, const struct stat *existing)
{
    const std::string temporary = name + "." + std::to_string(getpid()) + "~";
    const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return std::strerror(errno);
    if (existing != nullptr)
        fchmod(descriptor, existing->st_mode & 07777);
    std::string reason = write_and_close(descriptor, content);
    if (reason.empty() && std::rename(temporary.c_str(), name.c_str()) != 0)
        reason = std::strerror(errno);
    if (!reason.empty())
        unlink(temporary.c_str());
    return reason;
}

}  // namespace

bool is_privileged()
{
    return getauxval(AT_SECURE) != 0;
}

std::string write_file(const std::string &name, std::string_view content)
{
    struct stat existing;
    if (stat(name.c_str(), &existing) != 0)
        return replace(name, content, nullptr);
    if (S_ISDIR(existing.st_mode))
        return std::strerror(EISDIR);
    if (!S_ISREG(existing.st_mode))
        return write_directly(name, content);
    /* What a symbolic link leads to is replaced, not the link. */
    const std::unique_ptr<char, decltype(&std::free)> path(realpath(name.c_str(), nullptr), std::free);
    return replace(path == nullptr ? name : path.get(), content, &existing);
}

void write_stderr(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

Destination::Destination(const qmpi::arguments &arguments, const char *tool_name,
                         std::vector<Format> known, const char *fallback)
    : tool_name_(tool_name), out_(arguments.get("out", fallback == nullptr ? "" : fallback)),
      formats_(known)
{
    if (arguments.has("out") && out_.empty())
        throw qmpi::argument_error("argument out=: needs the name of a file");
    const bool is_chosen = arguments.has("formats");
    if (is_chosen)
        formats_ = read_formats(arguments.get("formats", ""), known);
    if (out_ == "-") {
        is_stderr_ = true;
        if (!has(known, Format::text))
            throw qmpi::argument_error("argument out=-: there is no text report");
        formats_ = {Format::text};
        return;
    }
    for (const FormatName &format : format_names) {
        if (!ends_in(out_, format.ending))
            continue;
        if (!has(known, format.format))
            throw qmpi::argument_error("argument out=" + out_ + ": no such report; there is " +
                                       names_of(known));
        if (is_chosen && formats_ != std::vector<Format>{format.format})
            throw qmpi::argument_error("argument out=" + out_ + ": is for " + format.name +
                                       " alone, but formats asks for something else");
        formats_ = {format.format};
        out_.resize(out_.size() - std::strlen(format.ending));
        return;
    }
}

std::string Destination::stem(const Reporter &reporter) const
{
    if (is_stderr_)
        return "";
    const std::string number = "-" + std::to_string(reporter.instance);
    const std::string process = "." + std::to_string(getpid());
    if (out_.empty())
        return std::string(program_invocation_short_name) + "." + tool_name_ +
            (reporter.instances > 1 ? number : "") + process;
    const std::string name = out_ + (reporter.is_alone ? process : "");
    return belongs_to_other(name, reporter.instance) ? out_ + number +
        (reporter.is_alone ? process : "") : name;
}

/* The instance that has a file's name first keeps it. */
bool Destination::belongs_to_other(const std::string &name, int instance) const
{
    static std::mutex mutex;
    static auto *owners = new std::map<std::string, int>;
    const std::lock_guard<std::mutex> guard(mutex);
    return std::any_of(formats_.begin(), formats_.end(), [&](Format format) {
        return owners->emplace(name + ending_of(format), instance).first->second != instance;
    });
}

std::string Destination::file(const Reporter &reporter, Format format) const
{
    return stem(reporter) + ending_of(format);
}

void Destination::write(const Reporter &reporter,
                        const std::function<std::string(Format)> &make) const
{
    bool is_complete = !is_stderr_;
    for (const Format format : formats_) {
        if (!is_complete)
            break;
        if (format == Format::otf2)
            continue;
        const std::string name = file(reporter, format);
        const std::string reason = is_privileged() ? "the program has more rights than its user" :
            write_file(name, make(format));
        if (!reason.empty()) {
            is_complete = false;
            write_stderr(print("QMPI tool %s: cannot write %s: %s; the report follows here\n", tool_name_,
                               name.c_str(), reason.c_str()));
        }
    }
    if (!is_complete)
        write_stderr(make(Format::text));
}

}  // namespace tools
