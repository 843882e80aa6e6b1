/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Findings that the user does not want to see. A line of the file is an entry
 *     MPI_Isend at halo.c:231: buffer overlap
 * as the report prints it; in each of the three parts * matches any characters, ? one. Empty
 * lines and lines that begin with # are skipped. */

#ifndef TOOLS_CHECK_SUPPRESSIONS_HPP_INCLUDED
#define TOOLS_CHECK_SUPPRESSIONS_HPP_INCLUDED

#include "findings.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qmpi::check {

class Suppressions {
  public:
    struct Entry {
        int line; /* in the file, from 1 */
        std::string function, site, kind;

        std::string text() const { return function + " at " + site + ": " + kind; }

        /* The site is that of the report, or with the function of the program, the path of the file,
         * or the offset in the module; or that function alone. */
        bool matches(const Finding &finding) const;
    };

    Suppressions() = default;

    /* Throws qmpi::argument_error with the name of the file and the line. */
    static Suppressions of_file(const std::string &name);

    /* For records. */
    std::string written() const;
    static Suppressions read(std::string_view bytes);

    bool is_empty() const { return name_.empty(); }
    const std::string &file() const { return name_; }
    const std::vector<Entry> &entries() const { return entries_; }

    /* Index of the first entry that matches, or the number of entries. */
    std::size_t find(const Finding &finding) const;
    bool match(const Finding &finding) const { return find(finding) < entries_.size(); }

  private:
    Suppressions(std::string name, std::string content);

    std::string name_; /* of the file */
    std::string content_;
    std::vector<Entry> entries_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SUPPRESSIONS_HPP_INCLUDED */
