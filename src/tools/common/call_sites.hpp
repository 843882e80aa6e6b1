/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* From the address to which a call returns to the place in the source. */

#ifndef TOOLS_CALL_SITES_HPP_INCLUDED
#define TOOLS_CALL_SITES_HPP_INCLUDED

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace tools {

/* An address in a form that is the same in all processes that run the same files. */
struct CodeLocation {
    std::string module;       /* path of the program or library; empty where there is none */
    std::uint64_t offset = 0; /* of the return address, in the file's own addresses */
};

/* What is not known is empty, or line 0. */
struct CallSite {
    std::string function; /* innermost, as the source has it; C++ names demangled */
    std::string file;     /* path as the compiler had it */
    int line = 0;
    std::string module;
    std::uint64_t offset = 0;
};

/* "solve (halo.c:231)", or what else is known: "solve (halo+0x1f30)", "unknown place" */
std::string text_of(const CallSite &site);

/* Finds the location of an address of this process, as long as the library that it lies in is
 * loaded. Any thread. */
CodeLocation locate(const void *return_address);

/* Reads the debugging information of files, with libdw, when they are first asked for, and keeps it;
 * to be used where reports are made. Without libdw or without debugging information a function is
 * what the table of symbols says. An object is for one thread at a time. */
class CallSites {
  public:
    CallSites();
    ~CallSites();
    CallSites(const CallSites &) = delete;
    CallSites &operator=(const CallSites &) = delete;

    /* The call site of a location of this process or of another one with the same files. */
    CallSite find(const CodeLocation &location);

    /* The same for an address of this process, as qmpi::call::calling_address() gives it. */
    CallSite find(const void *return_address) { return find(locate(return_address)); }

  private:
    class Module;
    std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace tools

#endif /* TOOLS_CALL_SITES_HPP_INCLUDED */
