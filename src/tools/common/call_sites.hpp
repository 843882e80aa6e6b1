/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Maps return addresses to positions in the source. */

#ifndef QMPI_CALL_SITES_HPP_INCLUDED
#define QMPI_CALL_SITES_HPP_INCLUDED

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace qmpi {
inline namespace v1 {

/* Code address that is the same in all processes with the same files. */
struct CodeLocation {
    std::string module;       /* path of the program or library; empty if none */
    std::uint64_t offset = 0; /* return address relative to the file */
};

/* Unknown parts are empty, or line 0. */
struct CallSite {
    std::string function; /* innermost, as in the source; C++ names demangled */
    std::string file;     /* path as given to the compiler */
    int line = 0;
    std::string module;
    std::uint64_t offset = 0;
};

/* "solve (halo.c:231)", or what is known: "solve (halo+0x1f30)", "unknown place" */
std::string text_of(const CallSite &site);

/* Location of an address in a library that is still loaded. Thread-safe. */
CodeLocation locate(const void *return_address);

/* Reads debugging information with libdw on first use and caches it. Without libdw or debugging
 * information, function names come from the symbol table. Not thread-safe. */
class CallSites {
  public:
    CallSites();
    ~CallSites();
    CallSites(const CallSites &) = delete;
    CallSites &operator=(const CallSites &) = delete;

    CallSite find(const CodeLocation &location);

    /* Call site of an address, as qmpi::call::calling_address() returns it. */
    CallSite find(const void *return_address) { return find(locate(return_address)); }

  private:
    class Module;
    std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_CALL_SITES_HPP_INCLUDED */
