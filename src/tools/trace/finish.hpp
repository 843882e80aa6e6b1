/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes a trace from journals. */

#ifndef TOOLS_TRACE_FINISH_HPP_INCLUDED
#define TOOLS_TRACE_FINISH_HPP_INCLUDED

#include <mpi.h>

#include <string>
#include <vector>

namespace qmpi::trace {

/* Folder with the journals of a trace. */
inline std::string folder_of(const std::string &stem)
{
    return stem + ".unfinished";
}

/* Journals in a folder. Throws std::runtime_error if it cannot be read. */
std::vector<std::string> journals_in(const std::string &folder);

/* Journals of one run, in folders of several hosts. Throws std::runtime_error if two are the same
 * thread's. */
std::vector<std::string> journals_in(const std::vector<std::string> &folders);

struct Formats {
    bool otf2 = true, json = false, html = true;
};

/* Writes the folder STEM.otf2, STEM.json and STEM.html from journals.
 *   comm      processes that call this, each with the journals of its rank; or MPI_COMM_NULL for
 *             one process with all journals
 * Collective. Returns, in all processes, the reason of a failure or an empty text; then it removes
 * the journals and their folders, unless keeps_journals. */
std::string finish(MPI_Comm comm, const std::vector<std::string> &journals, const std::string &stem,
                   const Formats &formats, bool keeps_journals = false);

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_FINISH_HPP_INCLUDED */
