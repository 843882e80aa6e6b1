/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_PMPI_STUB_LIBRARY_HPP_INCLUDED
#define QMPI_PMPI_STUB_LIBRARY_HPP_INCLUDED

#include <string>

#include "instance.hpp"
#include "private_file.hpp"

namespace pmpi {

/* Writes the library of an instance's stubs. It needs the tool, so loading it loads both, and it asks
 * the linker to run its constructor before those of all other libraries that are loaded with it
 * (DF_1_INITFIRST, "-z initfirst" of ld): when constructor runs, the tool is loaded and relocated and
 * no code of it has run. The stubs have constructor's library as their only other user, and the address
 * of constructor is part of the file, which is for this process alone. Returns the offset of the stubs
 * from the library's load address. */
std::size_t write_stub_library(private_file &file, const std::string &tool, const instance &owner,
                               any_function dlsym_target, void (*constructor)());

}  // namespace pmpi

#endif
