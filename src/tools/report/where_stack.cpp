/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "where_stack.hpp"

#include "../common/text.hpp"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#endif

namespace qmpi::report {

#ifdef HAVE_LIBDW
namespace {

struct Frame {
    std::string function, module, file;
    int line = 0;
    std::uint64_t offset = 0;
};

/* For the callbacks of libdwfl, which are called from C. */
struct Walk {
    Dwfl *dwfl;
    std::vector<Frame> frames; /* innermost first */
};

constexpr std::size_t most_frames = 200;

int add_frame(Dwfl_Frame *state, void *argument)
{
    Walk &walk = *static_cast<Walk *>(argument);
    Dwarf_Addr address = 0;
    bool is_activation = false;
    if (walk.frames.size() == most_frames || !dwfl_frame_pc(state, &address, &is_activation))
        return DWARF_CB_ABORT;
    const Dwarf_Addr call = is_activation ? address : address - 1;
    Frame frame;
    if (Dwfl_Module *module = dwfl_addrmodule(walk.dwfl, call)) {
        Dwarf_Addr begin = 0;
        const char *const path =
            dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
        frame.module = path == nullptr ? "" : path;
        frame.offset = address - begin;
        const char *const name = dwfl_module_addrname(module, call);
        frame.function = name == nullptr ? "" : name;
        if (Dwfl_Line *line = dwfl_module_getsrc(module, call)) {
            const char *const file =
                dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr);
            frame.file = file == nullptr ? "" : file;
        }
    }
    walk.frames.push_back(frame);
    return DWARF_CB_OK;
}

int find_library(Dwfl_Module *, void **, const char *path, Dwarf_Addr, void *argument)
{
    const std::string_view name(path);
    if (name.substr(name.rfind('/') + 1).substr(0, 6) == "libmpi")
        *static_cast<bool *>(argument) = true;
    return DWARF_CB_OK;
}

bool is_of_mpi(const Frame &frame)
{
    return frame.module.compare(frame.module.rfind('/') + 1, 6, "libmpi") == 0;
}

/* "MPI_Recv" of PMPI_Recv, MPIR_QMPI_body_MPI_Recv and pmpi_recv_; empty of other names. */
std::string mpi_name(const std::string &symbol)
{
    const std::size_t at = symbol.rfind("MPI_");
    if (at != std::string::npos)
        return symbol.substr(at);
    std::size_t small = symbol.rfind("mpi_");
    if (small == std::string::npos || small > 1)
        return "";
    std::string name = "MPI_" + symbol.substr(small + 4);
    while (name.size() > 5 && name.back() == '_')
        name.pop_back();
    if (name.size() > 4)
        name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[4])));
    return name;
}

[[noreturn]] void fail(int process, const char *reason)
{
    throw std::runtime_error("cannot read the stack of process " + std::to_string(process) + ": " +
                             (reason == nullptr ? "unknown reason" : reason));
}

}  // namespace

StackFacts stack_of(int process)
{
    static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo,
                                             nullptr, nullptr};
    const std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl(dwfl_begin(&callbacks), dwfl_end);
    if (dwfl == nullptr)
        fail(process, dwfl_errmsg(-1));
    if (const int reason = dwfl_linux_proc_report(dwfl.get(), process))
        fail(process, reason > 0 ? std::strerror(reason) : dwfl_errmsg(-1));
    dwfl_report_end(dwfl.get(), nullptr, nullptr);
    StackFacts facts;
    dwfl_getmodules(dwfl.get(), find_library, &facts.has_mpi, 0);
    if (!facts.has_mpi)
        return facts;
    if (const int reason = dwfl_linux_proc_attach(dwfl.get(), process, false))
        fail(process, reason > 0 ? std::strerror(reason) : dwfl_errmsg(-1));
    Walk walk{dwfl.get(), {}};
    /* It fails, too, if it cannot find the last frame. */
    if (dwfl_getthread_frames(dwfl.get(), process, add_frame, &walk) < 0 && walk.frames.empty())
        fail(process, dwfl_errmsg(-1));

    /* The outermost frame in MPI, or the innermost one with a line. */
    const Frame *site = nullptr;
    for (std::size_t i = walk.frames.size(); i-- > 0;) {
        if (!is_of_mpi(walk.frames[i]))
            continue;
        if (i + 1 < walk.frames.size())
            site = &walk.frames[i + 1];
        for (std::size_t inner = i + 1; inner-- > 0 && facts.function.empty();)
            facts.function = mpi_name(walk.frames[inner].function);
        if (facts.function.empty())
            facts.function = "MPI";
        break;
    }
    if (facts.function.empty()) {
        for (const Frame &frame : walk.frames) {
            if (site == nullptr || (frame.line > 0 && site->line == 0))
                site = &frame;
        }
    }
    if (site != nullptr)
        facts.site = {site->function, site->file, site->line, site->module, site->offset};
    return facts;
}

#else

StackFacts stack_of(int)
{
    throw std::runtime_error("qmpi_report was built without libdw: it cannot read stacks");
}

#endif

}  // namespace qmpi::report
