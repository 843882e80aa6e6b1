/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "call_sites.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#endif

namespace qmpi {
inline namespace v1 {
namespace {

std::string demangled(const char *name)
{
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> found(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return status == 0 ? found.get() : name;
}

std::string path_of_program()
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

/* For dl_iterate_phdr: finds the object whose segment contains the address. */
struct Search {
    std::uint64_t address;
    bool is_found;
    std::uint64_t load_address;
    std::string path;
};

int visit_object(dl_phdr_info *object, std::size_t, void *argument)
{
    Search &search = *static_cast<Search *>(argument);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const auto &segment = object->dlpi_phdr[i];
        const std::uint64_t begin = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && search.address >= begin &&
            search.address - begin < segment.p_memsz) {
            search.is_found = true;
            search.load_address = object->dlpi_addr;
            search.path = object->dlpi_name;
            return 1;
        }
    }
    return 0;
}

std::string base_name(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

CodeLocation locate(const void *return_address)
{
    const auto address = reinterpret_cast<std::uintptr_t>(return_address);
    /* Address of the call instruction; the return address may be past the end of the segment. */
    Search search{address - 1, false, 0, ""};
    dl_iterate_phdr(visit_object, &search);
    if (!search.is_found)
        return {"", address};
    return {search.path.empty() ? path_of_program() : search.path, address - search.load_address};
}

std::string text_of(const CallSite &site)
{
    if (site.module.empty())
        return "unknown place";
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(site.offset));
    const std::string place = site.line > 0 ? base_name(site.file) + ":" + std::to_string(site.line)
                                            : base_name(site.module) + offset;
    return site.function.empty() ? place : site.function + " (" + place + ")";
}

#ifdef HAVE_LIBDW

/* A file with its debugging information, at the file's own addresses. */
class CallSites::Module {
  public:
    explicit Module(const std::string &path)
    {
        /* debuginfod would query servers; not at the end of an MPI program. */
        static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf,
                                                 std::getenv("DEBUGINFOD_URLS") == nullptr
                                                     ? dwfl_standard_find_debuginfo
                                                     : dwfl_build_id_find_debuginfo,
                                                 dwfl_offline_section_address, nullptr};
        dwfl_ = dwfl_begin(&callbacks);
        if (dwfl_ == nullptr)
            return;
        dwfl_report_begin(dwfl_);
        module_ = dwfl_report_elf(dwfl_, path.c_str(), path.c_str(), -1, 0, true);
        dwfl_report_end(dwfl_, nullptr, nullptr);
    }

    ~Module()
    {
        if (dwfl_ != nullptr)
            dwfl_end(dwfl_);
    }

    Module(const Module &) = delete;
    Module &operator=(const Module &) = delete;

    void describe(CallSite &site)
    {
        if (module_ == nullptr)
            return;
        const Dwarf_Addr address = site.offset - 1;
        if (Dwfl_Line *line = dwfl_module_getsrc(module_, address)) {
            const char *file = dwfl_lineinfo(line, nullptr, &site.line, nullptr, nullptr, nullptr);
            site.file = file == nullptr ? "" : file;
        }
        site.function = function_at(address);
        if (site.function.empty()) {
            GElf_Off offset;
            GElf_Sym symbol;
            const char *name =
                dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
            site.function = name == nullptr ? "" : demangled(name);
        }
    }

  private:
    std::string function_at(Dwarf_Addr address)
    {
        Dwarf_Addr bias = 0;
        Dwarf_Die *unit = dwfl_module_addrdie(module_, address, &bias);
        if (unit == nullptr)
            return "";
        Dwarf_Die function;
        return find_function(*unit, address - bias, function) ? name_of(function) : "";
    }

    /* Innermost function, including inlined ones, below an entry. (dwarf_getscopes() skips entries
     * without addresses, such as Fortran modules.) */
    static bool find_function(Dwarf_Die &parent, Dwarf_Addr address, Dwarf_Die &found)
    {
        Dwarf_Die child;
        if (dwarf_child(&parent, &child) != 0)
            return false;
        do {
            switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram:
            case DW_TAG_inlined_subroutine:
                if (dwarf_haspc(&child, address) > 0) {
                    found = child;
                    find_function(child, address, found);
                    return true;
                }
                [[fallthrough]]; /* a nested procedure has its own addresses */
            case DW_TAG_module:
            case DW_TAG_namespace:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_lexical_block:
            case DW_TAG_try_block:
            case DW_TAG_catch_block:
                if (find_function(child, address, found))
                    return true;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
        return false;
    }

    /* C++: the linkage name has the full name. Other languages: the name. */
    static std::string name_of(Dwarf_Die &function)
    {
        Dwarf_Attribute attribute;
        const char *linkage =
            dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute));
        if (linkage != nullptr) {
            const std::string name = demangled(linkage);
            if (name != linkage)
                return name;
        }
        const char *name = dwarf_diename(&function);
        return name == nullptr ? "" : name;
    }

    Dwfl *dwfl_ = nullptr;
    Dwfl_Module *module_ = nullptr;
};

#else

/* Without libdw: the dynamic symbol table of a loaded file. */
class CallSites::Module {
  public:
    explicit Module(const std::string &path) : path_(path) {}

    void describe(CallSite &site)
    {
        /* Maps the file's addresses to those of this process. */
        struct Loaded {
            const std::string *path;
            const std::string program;
            std::uint64_t load_address;
            bool is_found;
        } loaded{&path_, path_of_program(), 0, false};
        dl_iterate_phdr(
            [](dl_phdr_info *object, std::size_t, void *argument) {
                Loaded &wanted = *static_cast<Loaded *>(argument);
                const std::string path =
                    *object->dlpi_name == '\0' ? wanted.program : object->dlpi_name;
                wanted.is_found = path == *wanted.path;
                wanted.load_address = object->dlpi_addr;
                return wanted.is_found ? 1 : 0;
            },
            &loaded);
        Dl_info info;
        if (loaded.is_found &&
            dladdr(reinterpret_cast<void *>(loaded.load_address + site.offset - 1), &info) != 0 &&
            info.dli_sname != nullptr)
            site.function = demangled(info.dli_sname);
    }

  private:
    const std::string path_;
};

#endif

CallSites::CallSites() = default;
CallSites::~CallSites() = default;

CallSite CallSites::find(const CodeLocation &location)
{
    CallSite site;
    site.module = location.module;
    site.offset = location.offset;
    if (location.module.empty())
        return site;
    std::unique_ptr<Module> &module = modules_[location.module];
    if (module == nullptr)
        module = std::make_unique<Module>(location.module);
    module->describe(site);
    return site;
}

}  // namespace v1
}  // namespace qmpi
