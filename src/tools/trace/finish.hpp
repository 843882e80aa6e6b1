/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes a trace out of journals. */

#ifndef QMPI_TRACE_FINISH_HPP_INCLUDED
#define QMPI_TRACE_FINISH_HPP_INCLUDED

#include <mpi.h>

#include <string>
#include <vector>

namespace trace {

/* The name of the folder with the journals of a trace. */
inline std::string folder_of(const std::string &stem)
{
    return stem + ".unfinished";
}

/* The journals in a folder; rank -1 for those of all ranks. Throws std::runtime_error if it cannot be
 * read. */
std::vector<std::string> journals_in(const std::string &folder, int rank);

struct Formats {
    bool otf2 = true, json = false, html = true;
};

/* Writes the folder STEM.otf2, STEM.json and STEM.html from journals.
 *   comm      the processes that call this, each with the journals of its own rank; or MPI_COMM_NULL
 *             for one that has all
 *   folder    for files that go away again; all processes see the same
 * Collective. Returns, in all of them, the reason why something could not be written, or an empty
 * text; then the journals are removed, unless they are to be kept. */
std::string finish(MPI_Comm comm, const std::vector<std::string> &journals,
                   const std::string &folder, const std::string &stem, const Formats &formats,
                   bool keeps_journals = false);

}  // namespace trace

#endif /* QMPI_TRACE_FINISH_HPP_INCLUDED */
