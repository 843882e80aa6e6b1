/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "pmpi": makes an unmodified PMPI tool, a shared library that defines MPI_X and calls PMPI_X, a
 * member of the chain. Its argument is the path of the library.
 *
 * The linker knows one PMPI_X for the whole process. Each instance needs its own, so the words of the
 * tool's data to which the linker has written addresses of MPI functions are changed, before any
 * code of the tool runs, because many tools look functions up in a constructor:
 *
 *     PMPI_X                          the instance's stub: the next link
 *     MPI_X that the tool defines     the tool's own
 *     MPI_X that it does not define   the stub
 *     dlsym                           a function that finds the same
 *     pmpi_x_ (Fortran)               qmpi_x_: the library itself, or the call would come back
 *
 * Libraries that the tool needs and that use MPI are changed with it: some tools have their wrappers in
 * one library and the calls of PMPI_X in another. The linker loads such a library once, so it belongs
 * to one instance only. The tool itself is loaded from a copy of its file from the second time on. */

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instance.hpp"
#include "loaded_library.hpp"
#include "private_file.hpp"
#include "stub_library.hpp"

#ifndef QMPI_LIBMPIFORT
#define QMPI_LIBMPIFORT "libmpifort"
#endif
#ifndef QMPI_LIBMPICXX
#define QMPI_LIBMPICXX "libmpicxx"
#endif

namespace pmpi {

namespace {

using maps = std::vector<const link_map *>;

/* Maps of all libraries that belong to an instance. Never freed, calls come until the process ends. */
maps &owned = *new maps;

/* Dynamic sections of all libraries in the process, which identify them. */
using sections = std::vector<ElfW(Addr)>;

/* The instance that is being loaded, one at a time. */
struct loading {
    instance &owner;
    const std::string &tool;  /* path or name by which the linker loads it */
    const std::string &stubs; /* path of the stub library */
    std::size_t stubs_offset;
    sections before;     /* in the process before */
    std::string refusal; /* of the constructor */
} *current = nullptr;

[[noreturn]] void refuse(const std::string &reason)
{
    throw std::runtime_error(reason);
}

template <typename List, typename Value>
bool contains(const List &list, const Value &value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool begins_with(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

/* ---- names ---- */

/* A function of MPI by a name in the MPI_ or PMPI_ form; -1 if it has none of these. */
int function_of(std::string_view name, bool &is_pmpi)
{
    static const auto &ids = *[] {
        auto *map = new std::unordered_map<std::string_view, int>;
        for (int f = 0; f < num_functions; f++) {
            if (functions[f].library != nullptr)
                (*map)[functions[f].name] = f;
        }
        return map;
    }();
    is_pmpi = begins_with(name, "PMPI");
    if (!is_pmpi && !begins_with(name, "MPI"))
        return -1;
    const auto found = ids.find(is_pmpi ? name.substr(1) : name);
    return found == ids.end() ? -1 : found->second;
}

/* The library's own procedure for the Fortran name of an MPI procedure: mpi_send_ and pmpi_send_ are
 * qmpi_send_, mpi_send_f08ts_ is qmpir_send_f08ts_. nullptr for other names. */
void *find_procedure(std::string_view name)
{
    static constexpr std::string_view prefixes[][2] = {{"pmpir_", "qmpir_"}, {"pmpixr_", "qmpixr_"},
                                                       {"pmpi_", "qmpi_"},   {"pmpix_", "qmpix_"},
                                                       {"mpi_", "qmpi_"},    {"mpix_", "qmpix_"}};

    for (const auto &[prefix, own] : prefixes) {
        if (!begins_with(name, prefix))
            continue;
        std::string procedure(own);
        if (name.find("_f08") != name.npos && prefix.find('r') == prefix.npos)
            procedure.insert(procedure.size() - 1, "r");
        procedure += name.substr(prefix.size());
        for (const link_map *map : loaded_library::all_maps()) {
            const loaded_library library(map);
            if (begins_with(library.name(), QMPI_LIBMPIFORT ".so"))
                return library.find_function(procedure);
        }
    }
    return nullptr;
}

const link_map *libmpi()
{
    return loaded_library::map_of(reinterpret_cast<void *>(functions[MPI_GET_VERSION_T].library));
}

/* MPI's own libraries are part of no tool. */
bool is_part_of_mpi(const loaded_library &library)
{
    return library.map() == libmpi() || begins_with(library.name(), QMPI_LIBMPIFORT ".so") ||
        begins_with(library.name(), QMPI_LIBMPICXX ".so");
}

/* ---- changing the tool's words ---- */

const void *stub_of(const instance &owner, int function)
{
    return &owner.stubs[function];
}

/* The new value of a reference to a name; nullptr if it stays as it is. */
const void *find_target(const std::vector<loaded_library> &libraries, const char *name)
{
    const instance &owner = current->owner;
    bool is_pmpi;

    if (std::strcmp(name, "dlsym") == 0)
        return stub_of(owner, num_functions);
    const int f = function_of(name, is_pmpi);
    if (f >= 0 && !is_pmpi && owner.own[f] != nullptr)
        return reinterpret_cast<void *>(owner.own[f]);
    if (f >= 0)
        return stub_of(owner, f);
    void *procedure = find_procedure(name);
    for (const loaded_library &library : libraries) {
        void *own = procedure != nullptr ? library.find_function(name) : nullptr;
        if (own != nullptr)
            return own;
    }
    return procedure;
}

bool is_new(const loaded_library &library)
{
    return !contains(current->before, reinterpret_cast<ElfW(Addr)>(library.map()->l_ld));
}

/* Makes a library the instance's. */
void claim(const loaded_library &library)
{
    const bool is_owned = contains(owned, library.map());
    const std::string name(library.name());

    if (!is_new(library) && is_owned)
        refuse("it needs " + name +
               ", which uses MPI or dlsym and belongs to an earlier entry of the "
               "list: of such libraries there is only one in a process");
    if (!is_new(library))
        refuse("it needs " + name +
               ", which uses MPI and which the program has loaded for itself: calls "
               "of the tool and of the program cannot be told apart");
    if (library.is_first())
        refuse(name + " asks to be initialized before all other libraries");
    if (!is_owned)
        owned.push_back(library.map());
}

void change_references(const std::vector<loaded_library> &libraries, const loaded_library &library)
{
    std::vector<loaded_library::change> changes;
    bool uses_mpi = false;

    library.each_reference([&](const char *name, ElfW(Addr) address, ElfW(Sxword) addend) {
        /* a weak reference that the linker did not find stays so */
        if (*reinterpret_cast<ElfW(Addr) *>(address) == 0)
            return;
        const void *target = find_target(libraries, name);
        if (target == nullptr)
            return;
        changes.emplace_back(address, reinterpret_cast<ElfW(Addr)>(target) + addend);
        uses_mpi = uses_mpi || std::strcmp(name, "dlsym") != 0;
    });
    /* dlsym alone does not matter in libraries of the program, the C library for one */
    if (!uses_mpi && (changes.empty() || (!is_new(library) && !contains(owned, library.map()))))
        return;
    claim(library);
    const auto result = library.change_words(changes);
    if (result == loaded_library::result::is_code)
        refuse("the addresses of MPI functions are part of the code of " +
               std::string(library.name()) +
               ", which is not changed (compile it as position-independent code)");
    if (result == loaded_library::result::is_protected)
        refuse("the data of " + std::string(library.name()) +
               " cannot be changed: " + std::strerror(errno));
}

/* Finds the functions that the tool defines. Of several the first counts, as for the linker. */
void find_own(const std::vector<loaded_library> &libraries)
{
    std::string fortran;
    bool has_own = false;

    for (const loaded_library &library : libraries) {
        library.each_function([&](const char *name, void *address) {
            bool is_pmpi;
            const int f = function_of(name, is_pmpi);

            if (f < 0 && begins_with(name, "mpi_"))
                fortran = name;
            if (f < 0)
                return;
            if (is_pmpi)
                refuse(std::string(library.path()) +
                       ", which belongs to it, is an MPI library and not "
                       "the program's (it defines " +
                       name + ")");
            if (current->owner.own[f] == nullptr) {
                claim(library);
                current->owner.own[f] = reinterpret_cast<any_function>(address);
                has_own = true;
            }
        });
    }
    if (!has_own && !fortran.empty())
        refuse("it wraps functions of Fortran (" + fortran +
               ") and none of C; a member of the chain needs "
               "those of C, by which calls from Fortran come too");
    if (!has_own)
        refuse("it defines no function of MPI, so it is no PMPI tool");
}

/* A loaded library by the name under which another one needs it; nullptr if there is none. */
const link_map *find_needed(const maps &all, std::string_view name)
{
    for (const link_map *map : all) {
        if (is_file_of(map, name))
            return map;
    }
    for (const link_map *map : all) {
        if (loaded_library(map).name() == name)
            return map;
    }
    return nullptr;
}

/* The tool and the libraries that it needs, directly or not, in the linker's order. */
std::vector<loaded_library> find_libraries(const maps &all)
{
    std::vector<loaded_library> libraries;
    maps known;
    const auto add = [&](std::string_view name) {
        const link_map *map = find_needed(all, name);
        if (map == nullptr || contains(known, map))
            return;
        known.push_back(map);
        const loaded_library library(map);
        if (!is_part_of_mpi(library))
            libraries.push_back(library);
    };

    add(current->tool);
    for (std::size_t i = 0; i < libraries.size(); i++)
        loaded_library(libraries[i]).each_needed(add);
    return libraries;
}

/* The constructor of the stub library: the tool is loaded and relocated, and none of its code has run. */
void change_tool()
{
    try {
        const maps all = loaded_library::all_maps();
        const link_map *stubs = find_needed(all, current->stubs);
        current->owner.stubs =
            reinterpret_cast<const stub *>(stubs->l_addr + current->stubs_offset);
        const auto libraries = find_libraries(all);
        find_own(libraries);
        for (const loaded_library &library : libraries)
            change_references(libraries, library);
    } catch (const std::exception &exception) {
        current->refusal = exception.what();
    }
}

/* ---- dlsym ---- */

extern "C" {

/* What the tool's dlsym(handle, name) gives; nullptr where the C library's gives the right thing. */
__attribute__((used, visibility("hidden"))) void *qmpi_pmpi_find(void *handle, const char *name)
{
    const instance &caller = calling_instance();
    const bool is_search = handle == RTLD_NEXT || handle == RTLD_DEFAULT;
    bool is_pmpi;
    const int f = name != nullptr ? function_of(name, is_pmpi) : -1;
    void *found = nullptr;

    if (f < 0)
        return name != nullptr && is_search ? find_procedure(name) : nullptr;
    /* a library that has no such function has none here either */
    if (!is_search && (found = dlsym(handle, name)) == nullptr)
        return nullptr;
    void *own = is_pmpi ? nullptr : reinterpret_cast<void *>(caller.own[f]);
    if (own != nullptr && (handle == RTLD_DEFAULT || found == own))
        return own;
    return const_cast<void *>(stub_of(caller, f));
}

void qmpi_pmpi_dlsym();
}

/* The C library's dlsym learns from its return address whose RTLD_NEXT is meant, so it is jumped to. */
#ifdef __x86_64__
__asm__(R"(
    .pushsection .text
    .type qmpi_pmpi_dlsym, @function
    .hidden qmpi_pmpi_dlsym
qmpi_pmpi_dlsym:
    .cfi_startproc
    push %rdi
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call qmpi_pmpi_find
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    test %rax, %rax
    jz 1f
    ret
1:  jmp *dlsym@GOTPCREL(%rip)
    .cfi_endproc
    .size qmpi_pmpi_dlsym, . - qmpi_pmpi_dlsym
    .popsection
)");
#else
__asm__(R"(
    .pushsection .text
    .type qmpi_pmpi_dlsym, %function
    .hidden qmpi_pmpi_dlsym
qmpi_pmpi_dlsym:
    .cfi_startproc
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset 29, -32
    .cfi_offset 30, -24
    stp x0, x1, [sp, #16]
    bl qmpi_pmpi_find
    mov x9, x0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_def_cfa_offset 0
    .cfi_restore 29
    .cfi_restore 30
    cbz x9, 1f
    mov x0, x9
    ret
1:  adrp x16, :got:dlsym
    ldr x16, [x16, :got_lo12:dlsym]
    br x16
    .cfi_endproc
    .size qmpi_pmpi_dlsym, . - qmpi_pmpi_dlsym
    .popsection
)");
#endif

/* ---- loading ---- */

int add_section(dl_phdr_info *info, std::size_t, void *data)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            static_cast<sections *>(data)->push_back(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    return 0;
}

/* The file of a library that is in the process; empty if it is not. */
std::string loaded_file(const std::string &path)
{
    void *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    const link_map *map = nullptr;
    std::string file;

    if (handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
        file = map->l_name;
    if (handle != nullptr)
        dlclose(handle);
    return file;
}

/* Loads the tool that is in a file, or has a name, together with the instance's stubs. */
void load(const std::string &path, const std::string &tool, instance &owner)
{
    private_file stubs("stubs");
    const std::size_t offset = write_stub_library(stubs, tool, owner, qmpi_pmpi_dlsym, change_tool);
    loading now{owner, tool, stubs.path(), offset, {}, {}};

    dl_iterate_phdr(add_section, &now.before);
    current = &now;
    const void *handle = dlopen(stubs.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    current = nullptr;
    if (handle == nullptr) {
        /* the message begins with the path where the file itself is at fault */
        std::string_view reason = dlerror();
        if (begins_with(reason, path + ": "))
            reason.remove_prefix(path.size() + 2);
        refuse(std::string(reason));
    }
    if (!now.refusal.empty())
        refuse(now.refusal);
}

void load_tool(const std::string &path, instance &owner)
{
    if (path.find('/') != path.npos)
        check_library_file(path);
    if (*libmpi()->l_name == '\0')
        refuse(
            "the program contains the MPI library; a PMPI tool in the chain needs it as a shared "
            "library");
    const std::string loaded = loaded_file(path);
    if (loaded.empty()) {
        load(path, path, owner);
        return;
    }
    private_file copy(path.substr(path.rfind('/') + 1));
    copy.append_file(loaded);
    load(path, copy.path(), owner);
}

/* ---- in the chain ---- */

void add_instance(int tool_id, instance *added)
{
    static std::vector<instance *> &by_id = *new std::vector<instance *>;

    if (by_id.size() <= static_cast<std::size_t>(tool_id))
        by_id.resize(tool_id + 1);
    by_id[tool_id] = added;
    instances = by_id.data();
}

/* The chain is built. A thread that the tool started in a constructor may be calling. */
void find_links(int tool_id)
{
    instance &self = *instances[tool_id];

    for (int f = 0; f < num_functions; f++)
        MPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(f),
                                   &self.all_links[f].function, &self.all_links[f].tool_id);
    self.links.store(self.all_links, std::memory_order_release);
}

void init(int tool_id)
{
    const char *argument = "";
    std::string path;

    try {
        MPIX_Get_tool_arguments(tool_id, &argument);
        path = argument;
        path.erase(0, path.find_first_not_of(" \t\n"));
        path.erase(path.find_last_not_of(" \t\n") + 1);
        if (path.empty())
            refuse("no path: write pmpi(PATH) with the path of the PMPI tool's library");
        instance *self = new instance;
        try {
            load_tool(path, *self);
        } catch (const std::exception &exception) {
            refuse("'" + path + "' cannot be loaded: " + exception.what());
        }
        add_instance(tool_id, self);
        MPIX_Register_tool_ready_function(tool_id, find_links);
        for (int f = 0; f < num_functions; f++) {
            if (self->own[f] != nullptr)
                MPI_Register_tool_function(tool_id, static_cast<MPI_Functions_enum>(f),
                                           functions[f].from_chain);
        }
    } catch (const std::exception &exception) {
        MPIX_Fail_tool(tool_id, exception.what());
    }
}

const bool is_registered = [] {
    fill_functions();
    const int error_code = MPI_Register_tool_name("pmpi", init);
    if (error_code == MPI_ERR_UNSUPPORTED_OPERATION)
        std::fputs(
            "QMPI tool pmpi: this MPI library was built without QMPI; the tool does nothing\n",
            stderr);
    MPIX_Set_tool_info("pmpi", "", "",
                       "runs an unmodified PMPI tool\nPATH  the PMPI tool's shared library");
    return error_code == MPI_SUCCESS;
}();

}  // namespace

}  // namespace pmpi
