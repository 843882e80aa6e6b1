/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes a trace from the journals of a program that ended without MPI_Finalize. See
 * qmpi-trace(7). */

#include "common/text.hpp"
#include "trace/finish.hpp"
#include "trace/otf2_output.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace {

void usage(std::FILE *out)
{
    std::fputs(
        "usage: qmpi_trace_finish [--otf2] [--json] [--html] [--keep] DIRECTORY\n"
        "Makes NAME.otf2 and NAME.html, or the given formats, from the journals in DIRECTORY\n"
        "(NAME.unfinished) of a program that ended early, and removes DIRECTORY.\n"
        "  --keep    keep the directory\n",
        out);
}

int run(std::string folder, tools::trace::Formats formats, bool keeps)
{
    while (folder.size() > 1 && folder.back() == '/')
        folder.pop_back();
    const std::string ending = tools::trace::folder_of("");
    const std::string stem = tools::ends_in(folder, ending)
        ? folder.substr(0, folder.size() - ending.size())
        : folder + ".trace";
    const std::vector<std::string> journals = tools::trace::journals_in(folder, -1);
    if (journals.empty()) {
        std::fprintf(stderr, "qmpi_trace_finish: %s has no journals\n", folder.c_str());
        return 1;
    }
    const std::string reason =
        tools::trace::finish(MPI_COMM_NULL, journals, folder, stem, formats, keeps);
    if (!reason.empty()) {
        std::fprintf(stderr, "qmpi_trace_finish: %s\n", reason.c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    tools::trace::Formats chosen{false, false, false};
    bool keeps = false;
    std::string folder;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--help" || word == "-h") {
            usage(stdout);
            return 0;
        }
        if (word == "--otf2")
            chosen.otf2 = true;
        else if (word == "--json")
            chosen.json = true;
        else if (word == "--html")
            chosen.html = true;
        else if (word == "--keep")
            keeps = true;
        else if (folder.empty() && !word.empty() && word[0] != '-')
            folder = word;
        else {
            usage(stderr);
            return 2;
        }
    }
    if (folder.empty()) {
        usage(stderr);
        return 2;
    }
    if (!chosen.otf2 && !chosen.json && !chosen.html)
        chosen = {tools::trace::has_otf2, !tools::trace::has_otf2, true};
    try {
        return run(folder, chosen, keeps);
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "qmpi_trace_finish: %s\n", exception.what());
        return 1;
    }
}
