/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "report.hpp"

#include "process.hpp"
#include "record.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qmpi {
inline namespace v1 {
namespace {

struct FormatName {
    Format format;
    const char *name;
    const char *ending;
};

constexpr FormatName format_names[] = {{Format::text, "text", ".txt"},
                                       {Format::json, "json", ".json"},
                                       {Format::csv, "csv", ".csv"},
                                       {Format::html, "html", ".html"},
                                       {Format::otf2, "otf2", ".otf2"}};

const char *ending_of(Format format)
{
    return std::find_if(std::begin(format_names), std::end(format_names),
                        [format](const FormatName &name) { return name.format == format; })
        ->ending;
}

const FormatName *find_format(std::string_view name)
{
    const auto *const found =
        std::find_if(std::begin(format_names), std::end(format_names),
                     [name](const FormatName &format) { return name == format.name; });
    return found == std::end(format_names) ? nullptr : found;
}

bool has(const std::vector<Format> &formats, Format format)
{
    return std::find(formats.begin(), formats.end(), format) != formats.end();
}

std::string names_of(const std::vector<Format> &formats, const char *separator = ", ")
{
    std::string names;
    for (const FormatName &format : format_names) {
        if (has(formats, format.format))
            names += std::string(names.empty() ? "" : separator) + format.name;
    }
    return names;
}

std::string help_of_out(const std::vector<Format> &known)
{
    const bool has_text = has(known, Format::text);
    std::string endings;
    for (const Format format : known)
        endings += (endings.empty() ? "" : ", ") + std::string(ending_of(format));
    if (known.size() == 1)
        return has_text ? "file, or - (stderr)" : "file";
    return "one file (" + endings + "), or stem of all files" + (has_text ? ", or - (stderr)" : "");
}

std::vector<Format> read_formats(const std::string &text, const std::vector<Format> &known)
{
    std::vector<Format> wanted;
    for (const std::string &word : option_type<std::vector<std::string>>::read(text)) {
        const FormatName *const found = find_format(word);
        if (found == nullptr || !has(known, found->format))
            throw qmpi::argument_error("argument formats=" + text + ": unknown format '" + word +
                                       "' (expected " + names_of(known) + ")");
        wanted.push_back(found->format);
    }
    return wanted;
}

/* Value of out=: the file of one format, or the stem of all files. */
struct Name {
    std::string stem;
    const FormatName *format = nullptr; /* nullptr: all formats */

    explicit Name(const std::string &out) : stem(out)
    {
        for (const FormatName &each : format_names) {
            if (!ends_in(out, each.ending))
                continue;
            format = &each;
            stem.resize(stem.size() - std::strlen(each.ending));
            return;
        }
    }
};

/* Normalised path. */
std::string path_of(const std::string &name)
{
    std::error_code fault;
    const std::filesystem::path path = std::filesystem::absolute(name, fault);
    return fault ? name : path.lexically_normal().string();
}

bool overlap(const Name &a, const Name &b)
{
    return (a.format == nullptr || b.format == nullptr || a.format == b.format) &&
        path_of(a.stem) == path_of(b.stem);
}

/* out= of any instance in the list; empty if none. */
std::string out_of(int tool_id)
{
    const char *text = "";
    QMPIX_Get_tool_arguments(tool_id, &text);
    try {
        return qmpi::arguments(text).get("out", "");
    } catch (const qmpi::argument_error &) {
        return "";
    }
}

/* Only the list is known of other tools, not their formats: a stem conflicts with all of them. */
void refuse_name_of_other_tool(const char *tool_name, int tool_id, const std::string &out)
{
    for (int other = 1; other < tool_id; other++) {
        const char *other_name = "";
        QMPIX_Get_tool_name(other, &other_name);
        if (std::strcmp(other_name, tool_name) == 0)
            continue;
        const std::string others = out_of(other);
        if (!others.empty() && others != "-" && overlap(Name(others), Name(out)))
            throw qmpi::argument_error(
                print("argument out=%s: output name already used by instance %d (%s)", out.c_str(),
                      other, other_name));
    }
}

/* Claims the files unless another instance in this library has one of them. Constructors run one at
 * a time. */
bool claim(const std::vector<std::string> &files)
{
    static auto *claimed = new std::set<std::string>;
    for (const std::string &file : files) {
        if (claimed->count(file) > 0)
            return false;
    }
    claimed->insert(files.begin(), files.end());
    return true;
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

/* Unique among the processes of a job: processes of several hosts can have the same number. */
std::string process_text()
{
    return host_name() + "-" + std::to_string(getpid());
}

/* Returns -1 if the file exists. */
int create(const std::string &name)
{
    return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

std::string replace(const std::string &name, std::string_view content, const struct stat *existing)
{
    const std::string stem = name + "." + process_text();
    std::string temporary = stem + "~";
    int descriptor = create(temporary);
    /* Of a writer that was killed, or of a container with the same host name. */
    for (int number = 2; descriptor < 0 && errno == EEXIST && number < max_names; number++) {
        temporary = stem + "-" + std::to_string(number) + "~";
        descriptor = create(temporary);
    }
    if (descriptor < 0)
        return std::strerror(errno);
    if (existing != nullptr)
        fchmod(descriptor, existing->st_mode & 0777);
    std::string reason = write_and_close(descriptor, content);
    if (reason.empty() && std::rename(temporary.c_str(), name.c_str()) != 0)
        reason = std::strerror(errno);
    if (!reason.empty())
        unlink(temporary.c_str());
    return reason;
}

}  // namespace

Format format_of(std::string_view name)
{
    const FormatName *const found = find_format(name);
    if (found == nullptr)
        throw std::runtime_error("unknown format " + std::string(name));
    return found->format;
}

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
    /* Replace the target of a symbolic link, not the link. */
    const std::unique_ptr<char, decltype(&std::free)> path(realpath(name.c_str(), nullptr),
                                                           std::free);
    return replace(path == nullptr ? name : path.get(), content, &existing);
}

void write_stderr(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void await_stderr()
{
    int unread = 0;
    for (int i = 0; i < 100 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void complain(const char *tool_name, const std::string &what)
{
    write_stderr(std::string("QMPI tool ") + tool_name + ": " + what + "\n");
}

std::string instance_text(int instance, int instances, int tool_id)
{
    return print("instance %d of %d (tool %d of the chain)", instance, instances, tool_id);
}

std::string ranks_text(const std::set<int> &ranks)
{
    std::string text;
    for (auto rank = ranks.begin(); rank != ranks.end();) {
        const int first = *rank;
        int last = first;
        while (++rank != ranks.end() && *rank == last + 1)
            last = *rank;
        text += (text.empty() ? "" : ", ") +
            (first == last ? "rank " + std::to_string(first)
                           : "ranks " + std::to_string(first) + "-" + std::to_string(last));
    }
    return text;
}

ReportOptions::ReportOptions(const arguments &given, std::vector<Format> all, const char *fallback,
                             std::vector<Format> standard)
    : options(given), known(std::move(all)),
      out(option("out", fallback).value("NAME").help(help_of_out(known))),
      formats(standard.empty() ? known : std::move(standard))
{
    if (known.size() > 1) {
        are_formats_chosen = given.has("formats");
        formats = read_formats(option("formats", names_of(formats, "+"))
                                   .value("A+B")
                                   .help("reports: " + names_of(known)),
                               known);
    }
    records = option("records", "").value("FOLDER").help("folder for record files, on each host");
    if (given.has("records") && records.empty())
        throw argument_error("argument records=: needs a folder");
    if (given.has("out") && out.empty())
        throw argument_error("argument out=: needs a file name");
    if (out == "-" && !has(known, Format::text))
        throw argument_error("argument out=-: there is no text report");
}

Destination::Destination(const Owner &owner, const ReportOptions &options,
                         const std::vector<std::string> &others)
    : tool_name_(owner.tool_name), out_(options.out), folder_(path_of(".")),
      records_(options.records), is_stderr_(out_ == "-"), formats_(options.formats)
{
    if (is_stderr_)
        formats_ = {Format::text};
    if (is_stderr_ || out_.empty())
        return;
    const Name name(options.out);
    out_ = name.stem;
    if (name.format != nullptr)
        choose_one(options, name.format->format);
    claim_name(owner, options.out, others);
}

/* The name has the ending of a format. */
void Destination::choose_one(const ReportOptions &options, Format format)
{
    if (!has(options.known, format))
        throw qmpi::argument_error("argument out=" + options.out + ": unknown format (expected " +
                                   names_of(options.known) + ")");
    if (options.are_formats_chosen && formats_ != std::vector<Format>{format})
        throw qmpi::argument_error("argument out=" + options.out + ": is for " +
                                   names_of({format}) + " only, but formats= has others");
    formats_ = {format};
}

void Destination::claim_name(const Owner &owner, const std::string &out,
                             const std::vector<std::string> &others)
{
    auto claim_files = [&] {
        const std::string path = path_of(out_);
        std::vector<std::string> files;
        for (const Format format : formats_)
            files.push_back(path + ending_of(format));
        for (const std::string &other : others)
            files.push_back(path + other);
        return claim(files);
    };
    refuse_name_of_other_tool(owner.tool_name, owner.tool_id, out);
    if (claim_files())
        return;
    out_ += "-" + std::to_string(owner.instance);
    if (!claim_files())
        throw qmpi::argument_error("argument out=" + out + ": output names " + out + " and " +
                                   out_ + " are already used");
}

std::string Destination::stem(const Reporter &reporter) const
{
    if (is_stderr_)
        return "";
    const std::string wanted = wanted_stem(reporter);
    if (!out_.empty())
        return wanted;
    const std::lock_guard<std::mutex> guard(chosen_->lock);
    std::string &chosen = chosen_->stems[wanted];
    if (chosen.empty())
        chosen = numbered(wanted, unused_number(wanted, 1));
    return chosen;
}

/* The first number from this one on for which there are no reports: a report must not replace that of
 * another job. */
int Destination::unused_number(const std::string &wanted, int number) const
{
    const auto is_used = [&] {
        const std::string stem = path(numbered(wanted, number));
        return std::any_of(formats_.begin(), formats_.end(), [&stem](Format format) {
            return access((stem + ending_of(format)).c_str(), F_OK) == 0;
        });
    };
    while (number < max_names && is_used())
        number++;
    return number;
}

/* Makes a folder for the records of a run whose reports have the default name. Other jobs may be
 * doing the same: who makes the folder has the name. */
std::string Destination::claim_folder(const std::string &wanted, const std::string &ending) const
{
    std::error_code fault;
    const std::lock_guard<std::mutex> guard(chosen_->lock);
    for (int number = 1; !fault && number < max_names; number++) {
        number = unused_number(wanted, number);
        const std::string stem = numbered(wanted, number);
        if (std::filesystem::create_directory(path(stem + ending), fault)) {
            chosen_->stems[wanted] = stem;
            return path(stem + ending);
        }
    }
    throw std::runtime_error("cannot write " + path(wanted + ending) + ": " +
                             (fault ? fault.message() : "too many folders of this name"));
}

std::string Destination::wanted_stem(const Reporter &reporter) const
{
    const std::string stem = out_.empty() ? default_stem(reporter) : out_;
    if (!reporter.is_alone && !reporter.is_spawned && !reporter.is_variant)
        return stem;
    if (reporter.is_spawned || reporter.rank < 0)
        return stem + "." + process_text();
    return stem + ".rank" + std::to_string(reporter.rank);
}

std::string Destination::default_stem(const Reporter &reporter) const
{
    return std::string(program_invocation_short_name) + "." + tool_name_ +
        (reporter.instances > 1 ? "-" + std::to_string(reporter.instance) : "") + "." +
        std::to_string(getpid());
}

namespace {

void make_folders(const std::string &folder)
{
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    if (fault)
        throw std::runtime_error("cannot write " + folder + ": " + fault.message());
}

}  // namespace

std::string Destination::make_record_folder(const qmpi::world &world, const Reporter &reporter,
                                            const std::string &ending) const
{
    const std::string folder =
        world.from_first([&] { return new_record_folder(reporter, ending); });
    if (!records_.empty())
        make_folders(folder);
    return folder;
}

std::string Destination::make_record_folder(const Reporter &reporter,
                                            const std::string &ending) const
{
    const std::string folder = new_record_folder(reporter, ending);
    if (!records_.empty())
        make_folders(folder);
    return folder;
}

/* Without records= the folder is made, too. */
std::string Destination::new_record_folder(const Reporter &reporter,
                                           const std::string &ending) const
{
    if (is_privileged())
        throw std::runtime_error("refusing to write files from a set-uid program");
    if (out_.empty() && records_.empty())
        return claim_folder(wanted_stem(reporter), ending);
    const std::string name = path(is_stderr_ ? default_stem(reporter) : stem(reporter));
    return records_.empty() ? make_new_folder(name, ending) : new_name_in_records(name, ending);
}

/* Host and process number make the name unique, since no process sees the folders of all hosts. */
std::string Destination::new_name_in_records(const std::string &stem,
                                             const std::string &ending) const
{
    const std::string name = std::filesystem::path(stem).filename().string() + "." + process_text();
    std::string folder = path(records_ + "/" + name + ending);
    for (int number = 2; std::filesystem::exists(folder); number++)
        folder = path(records_ + "/" + name + "-" + std::to_string(number) + ending);
    return folder;
}

std::string Destination::path(const std::string &name) const
{
    return (std::filesystem::path(folder_) / name).lexically_normal().string();
}

std::string Destination::file(const Reporter &reporter, Format format) const
{
    return stem(reporter) + ending_of(format);
}

bool Destination::write(const Reporter &reporter,
                        const std::function<std::string(Format)> &make) const
{
    std::vector<std::string> unwritten;
    for (const Format format : formats_) {
        if (is_stderr_ || format == Format::otf2)
            continue;
        const std::string name = file(reporter, format);
        const std::string reason = is_privileged()
            ? "refusing to write files from a set-uid program"
            : write_file(path(name), make(format));
        if (!reason.empty())
            unwritten.push_back("cannot write " + name + ": " + reason);
    }
    for (const std::string &fault : unwritten)
        complain(tool_name_, fault + (&fault == &unwritten.back() ? "; the report follows" : ""));
    if (is_stderr_ || !unwritten.empty())
        write_stderr(make(Format::text));
    return unwritten.empty();
}

}  // namespace v1
}  // namespace qmpi
