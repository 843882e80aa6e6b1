/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Where the reports of a tool go. */

#ifndef TOOLS_REPORT_HPP_INCLUDED
#define TOOLS_REPORT_HPP_INCLUDED

#include "text.hpp"

#include <qmpi.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tools {

/* Whether the process has more rights than its user, who must not make it write files then. */
bool is_privileged();

/* Puts a file in place of what is there, in one step, so that nobody ever finds half of it; what is
 * no regular file, such as a device, is written to directly.
 * Returns the reason why not, in the words of the system, or an empty text. */
std::string write_file(const std::string &name, std::string_view content);

/* A text on standard error in one piece, since other processes may write there as well. */
void write_stderr(std::string_view text);

/* What a tool has to say to the user: "QMPI tool NAME: ..." on standard error, one line in one piece.
 *   what    without the end of the line */
void complain(const char *tool_name, const std::string &what);

/* otf2: a folder of several files, which the tool writes itself. */
enum class Format { text, json, html, otf2 };

/* Who makes a report. */
struct Reporter {
    int instance = 1;      /* number of the tool's instance, from 1 */
    int instances = 1;     /* how many there are */
    bool is_alone = false; /* a process on its own account, not one for the whole job; or one for
                                 * processes that were spawned, which are not the whole job either */
};

/* The files that the user wants, by the arguments of the instance:
 *   out=NAME         with the ending .txt, .json, .html, .otf2 one report of that format; else what all
 *                    files begin with; - is a text on standard error. Without it: the program, the
 *                    tool and the process number, as in halo.profile.4711
 *   formats=A+B      text, json, html, otf2; without it all that the tool has
 * A name belongs to the first instance of the list that has it. Another instance of the same tool adds
 * its number, -2 for the second; another tool is refused. A process that reports alone adds its process
 * number, unless it is there already. */
class Destination {
  public:
    /* For the constructor of a tool, as a member:  Destination destination{*this, {Format::text}};
     *   known        what the tool can make
     *   fallback     stands for out= where the user gave none; nullptr: as above
     *   others       endings of files that the tool writes besides, as in ".unfinished"
     * Throws qmpi::argument_error. */
    template <typename Tool>
    Destination(const qmpi::tool<Tool> &tool, std::vector<Format> known,
                const char *fallback = nullptr, std::vector<std::string> others = {})
        : Destination({tool.name(), tool.tool_id(), tool.instance_number()}, tool.arguments(),
                      std::move(known), fallback, others)
    {
    }

    /* Makes each report that is wanted, but otf2, and writes it. What cannot be written is one message, and
     * then the text report is on standard error in its place. Not for two threads at once. */
    void write(const Reporter &reporter, const std::function<std::string(Format)> &make) const;

    /* Name of the file without the ending of its format; empty for standard error. For tools that
     * have files of other kinds besides. */
    std::string stem(const Reporter &reporter) const;

    /* Name of the file of a format. */
    std::string file(const Reporter &reporter, Format format) const;

    const std::vector<Format> &formats() const { return formats_; }

    /* False where all goes to standard error. */
    bool has_files() const { return !is_stderr_; }

  private:
    struct Owner {
        const char *tool_name;
        int tool_id;
        int instance;
    };

    Destination(const Owner &owner, const qmpi::arguments &arguments, std::vector<Format> known,
                const char *fallback, const std::vector<std::string> &others);
    void choose_one(const std::string &out, Format format, const std::vector<Format> &known,
                    bool is_chosen);
    void claim_name(const Owner &owner, const std::string &out,
                    const std::vector<std::string> &others);

    const char *tool_name_;
    std::string out_; /* without the ending of a format; empty: by default */
    bool is_stderr_ = false;
    std::vector<Format> formats_;
};

}  // namespace tools

#endif /* TOOLS_REPORT_HPP_INCLUDED */
