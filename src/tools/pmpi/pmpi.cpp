/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "pmpi": an unmodified PMPI tool, a shared library that defines MPI_X and calls PMPI_X, as an
 * instance of the chain. The argument is the library's path.
 *
 * The linker knows one PMPI_X for the whole process, and each instance needs its own. So the words of
 * the tool's data in which the linker has put addresses of MPI functions are changed before any code
 * of the tool runs, because many tools look functions up in a constructor:
 *
 *     PMPI_X                          the instance's stub: the next link
 *     MPI_X that the tool defines     the tool's own
 *     MPI_X that it does not define   the stub
 *     dlsym                           qmpi_pmpi_dlsym, which finds the same
 *     pmpi_x_ (Fortran)               qmpi_x_: the library itself, or the call would come back
 *
 * Libraries that the tool needs and that use MPI are changed with it: some tools have wrappers in one
 * library and the calls of PMPI_X in another. The linker loads such a library once, so it belongs to
 * one instance. The tool itself is loaded from a copy when it is in the process already. */

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <unordered_map>

#include "pmpi.hpp"

#ifndef QMPI_LIBMPIFORT
#define QMPI_LIBMPIFORT "libmpifort"
#endif
#ifndef QMPI_LIBMPICXX
#define QMPI_LIBMPICXX "libmpicxx"
#endif

namespace pmpi {

namespace {

using libraries = std::vector<library>;

/* Libraries that were changed for an instance. They stay loaded. */
libraries &changed = *new libraries;

library libmpifort; /* without a path while it is not loaded */

/* The instance that is being loaded: init callbacks run one at a time. */
struct loading {
    instance &owner;
    const std::string &tool;  /* by which the linker loads it */
    const std::string &stubs; /* path of the library of stubs */
    std::size_t stubs_offset;
    libraries before;    /* in the process */
    std::string refusal; /* why it cannot be used */
} *current = nullptr;

bool contains(const libraries &list, const library &l)
{
    return std::find(list.begin(), list.end(), l) != list.end();
}

bool begins_with(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

/* ---- names ---- */

/* The function of an MPI_ or PMPI_ name; -1 for other names. */
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
    const auto found = ids.find(name.substr(is_pmpi ? 1 : 0));
    return found == ids.end() ? -1 : found->second;
}

/* The library's own procedure for a Fortran name: qmpi_send_ for mpi_send_ and pmpi_send_,
 * qmpir_send_f08ts_ for mpi_send_f08ts_. nullptr for other names. */
void *find_procedure(std::string_view name)
{
    static constexpr std::string_view prefixes[][2] = {{"pmpir_", "qmpir_"}, {"pmpixr_", "qmpixr_"},
                                                       {"pmpi_", "qmpi_"},   {"pmpix_", "qmpix_"},
                                                       {"mpi_", "qmpi_"},    {"mpix_", "qmpix_"}};

    for (const auto &[from, to] : prefixes) {
        if (libmpifort.path().empty() || !begins_with(name, from))
            continue;
        const bool is_f08 = name.find("_f08") != name.npos && to.find('r') == to.npos;
        return libmpifort.find_function(std::string(to.substr(0, to.size() - 1)) +
                                        (is_f08 ? "r_" : "_") +
                                        std::string(name.substr(from.size())));
    }
    return nullptr;
}

void *stub_of(const instance &owner, int function)
{
    return const_cast<stub *>(&owner.stubs[function]);
}

/* The new value of a reference to a name; nullptr if it stays as it is. */
void *find_target(const libraries &all, const char *name)
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
    for (const library &l : all) {
        if (void *own = procedure != nullptr ? l.find_function(name) : nullptr)
            return own;
    }
    return procedure;
}

/* ---- changing the tool ---- */

void claim(const library &l)
{
    const bool is_new = !contains(current->before, l), is_changed = contains(changed, l);

    if (!is_new && is_changed)
        refuse("it needs " + l.name() +
               ", which uses MPI or dlsym and belongs to an earlier entry"
               " of the list: a process can load such a library only once");
    if (!is_new)
        refuse("it needs " + l.name() +
               ", which uses MPI and which the program has loaded for"
               " itself: calls of the tool cannot be distinguished from those of the program");
    if ((l.value(DT_FLAGS_1) & DF_1_INITFIRST) != 0)
        refuse(l.name() + " must be initialized first (it is linked with -z initfirst)");
    if (!is_changed)
        changed.push_back(l);
}

/* Finds the functions that the tool defines. Of several the first counts, as for the linker. */
void find_own(const libraries &all)
{
    auto &own = current->owner.own;
    std::string fortran;
    bool has_own = false, is_pmpi;

    for (const library &l : all) {
        for (const auto &[name, value] : l.functions()) {
            const int f = function_of(name, is_pmpi);
            if (f >= 0 && is_pmpi)
                refuse(std::string(l.path()) +
                       ", which belongs to it, is an MPI library and not"
                       " the program's (it defines " +
                       name + ")");
            if (f >= 0 && own[f] == nullptr) {
                claim(l);
                own[f] = reinterpret_cast<any_function>(value);
                has_own = true;
            } else if (begins_with(name, "mpi_"))
                fortran = name;
        }
    }
    if (!has_own && !fortran.empty())
        refuse(
            "it wraps Fortran functions (" + fortran +
            ") but no C functions; a member of the chain must wrap the C functions, which Fortran"
            " calls also reach");
    if (!has_own)
        refuse("it defines no function of MPI, so it is no PMPI tool");
}

void change_references(const libraries &all, const library &l)
{
    std::vector<std::pair<address *, address>> words;
    bool uses_mpi = false;

    for (const auto &[name, word, addend] : l.references()) {
        /* a weak reference that the linker did not find stays so */
        void *target = *word != 0 ? find_target(all, name) : nullptr;
        if (target == nullptr)
            continue;
        words.emplace_back(word, reinterpret_cast<address>(target) + addend);
        uses_mpi = uses_mpi || std::strcmp(name, "dlsym") != 0;
    }
    /* dlsym alone does not matter in a library of the program, the C library for one */
    if (uses_mpi || (!words.empty() && (!contains(current->before, l) || contains(changed, l)))) {
        claim(l);
        l.change(words);
    }
}

/* A library by the path by which it was loaded, or the name by which another one needs it. */
const library *find(const libraries &all, std::string_view name)
{
    const bool is_path = name.find('/') != name.npos;

    for (const library &l : all) {
        if (name == (is_path ? l.path() : l.file()))
            return &l;
    }
    for (const library &l : all) {
        if (!is_path && l.name() == name)
            return &l;
    }
    return nullptr;
}

/* The tool and what it needs, directly or not, in the order in which the linker looks for symbols. MPI's
 * own libraries belong to no tool. */
libraries find_tool(const libraries &all)
{
    const auto *some = reinterpret_cast<void *>(functions[MPI_GET_VERSION_T].library);
    std::vector<std::string_view> names = {current->tool};
    libraries found;

    for (std::size_t i = 0; i < names.size(); i++) {
        const library *l = find(all, names[i]);
        if (l == nullptr || contains(found, *l) || l->contains(some) || *l == libmpifort ||
            begins_with(l->file(), QMPI_LIBMPICXX ".so"))
            continue;
        found.push_back(*l);
        l->add_needed(names);
    }
    return found;
}

/* Constructor of the library of stubs: the tool is loaded and relocated, and none of its code has run. */
void change_tool()
{
    try {
        const libraries all = library::all();
        const library *stubs = find(all, current->stubs);
        const auto fortran = std::find_if(all.begin(), all.end(), [](const library &l) {
            return begins_with(l.file(), QMPI_LIBMPIFORT ".so");
        });

        libmpifort = fortran != all.end() ? *fortran : library();
        current->owner.stubs =
            reinterpret_cast<const stub *>(stubs->load_address() + current->stubs_offset);
        const libraries tool = find_tool(all);
        find_own(tool);
        for (const library &l : tool)
            change_references(tool, l);
    } catch (const std::exception &exception) {
        current->refusal = exception.what();
    }
}

/* ---- dlsym ---- */

extern "C" {
void qmpi_pmpi_dlsym();

/* Result of the tool's dlsym(handle, name); nullptr where the C library's result is right. */
__attribute__((used, visibility("hidden"))) void *qmpi_pmpi_find(void *handle, const char *name)
{
    const instance &caller = calling_instance();
    const bool is_search = handle == RTLD_NEXT || handle == RTLD_DEFAULT;
    bool is_pmpi;
    const int f = name != nullptr ? function_of(name, is_pmpi) : -1;

    if (f < 0)
        return name != nullptr && is_search ? find_procedure(name) : nullptr;
    void *found = is_search ? nullptr : dlsym(handle, name);
    if (!is_search && found == nullptr)
        return nullptr;
    void *own = is_pmpi ? nullptr : reinterpret_cast<void *>(caller.own[f]);
    return own != nullptr && (handle == RTLD_DEFAULT || found == own) ? own : stub_of(caller, f);
}
}

/* The C library's dlsym learns from its return address whose RTLD_NEXT is meant, so it is jumped to. */
__asm__(R"(
    .pushsection .text
    .hidden qmpi_pmpi_dlsym
    .type qmpi_pmpi_dlsym, %function
qmpi_pmpi_dlsym:
    .cfi_startproc
)"
#ifdef __x86_64__
        R"(
    sub $24, %rsp
    .cfi_adjust_cfa_offset 24
    mov %rdi, (%rsp)
    mov %rsi, 8(%rsp)
    call qmpi_pmpi_find
    mov (%rsp), %rdi
    mov 8(%rsp), %rsi
    add $24, %rsp
    .cfi_adjust_cfa_offset -24
    test %rax, %rax
    jz 1f
    ret
1:  jmp *dlsym@GOTPCREL(%rip)
)"
#else
        R"(
    stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_offset 30, -24
    stp x0, x1, [sp, #16]
    bl qmpi_pmpi_find
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    .cfi_restore 30
    cbz x16, 1f
    mov x0, x16
    ret
1:  adrp x16, :got:dlsym
    ldr x16, [x16, :got_lo12:dlsym]
    br x16
)"
#endif
        R"(
    .cfi_endproc
    .size qmpi_pmpi_dlsym, . - qmpi_pmpi_dlsym
    .popsection
)");

/* ---- loading ---- */

/* Loads the tool, which the linker finds by its path, its name or the path of its copy. */
void load(const std::string &tool, const std::string &path, instance &owner)
{
    private_file stubs("stubs");
    const std::size_t offset = write_stubs(stubs, tool, owner, qmpi_pmpi_dlsym, change_tool);
    loading now{owner, tool, stubs.path(), offset, library::all(), {}};

    current = &now;
    const bool is_loaded = dlopen(stubs.path().c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
    current = nullptr;
    if (!is_loaded) {
        /* the message begins with the path where the file itself is at fault */
        const std::string reason = dlerror();
        refuse(begins_with(reason, path + ": ") ? reason.substr(path.size() + 2) : reason);
    }
    if (!now.refusal.empty())
        refuse(now.refusal);
}

void load_tool(const std::string &path, instance &owner)
{
    const link_map *map = nullptr;

    if (path.find('/') != path.npos)
        check_library_file(path);
    void *loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr)
        return load(path, path, owner);
    dlinfo(loaded, RTLD_DI_LINKMAP, &map);
    const std::string file = map->l_name;
    dlclose(loaded);
    private_file copy(path.substr(path.rfind('/') + 1));
    copy.copy(file);
    load(copy.path(), path, owner);
}

/* ---- the tool of the chain ---- */

void add_instance(int tool_id, instance *added)
{
    static auto &by_id = *new std::vector<instance *>;

    by_id.resize(std::max<std::size_t>(by_id.size(), tool_id + 1));
    by_id[tool_id] = added;
    instances = by_id.data();
}

void find_links(int tool_id)
{
    instance &self = *instances[tool_id];

    for (int f = 0; f < num_functions; f++)
        MPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(f),
                                   &self.all_links[f].function, &self.all_links[f].tool_id);
    /* a thread that the tool started in a constructor may be calling */
    self.links.store(self.all_links, std::memory_order_release);
}

std::string path_argument(int tool_id)
{
    const char *argument = "";

    MPIX_Get_tool_arguments(tool_id, &argument);
    std::string path = argument;
    path.erase(0, path.find_first_not_of(" \t\n"));
    path.erase(path.find_last_not_of(" \t\n") + 1);
    if (path.empty())
        refuse("no library: write pmpi(PATH) with the path of a PMPI tool");
    return path;
}

void init(int tool_id)
{
    std::string what;

    try {
        const std::string path = path_argument(tool_id);
        auto *self = new instance;
        what = "'" + path + "' cannot be loaded: ";
        load_tool(path, *self);
        add_instance(tool_id, self);
        MPIX_Register_tool_ready_function(tool_id, find_links);
        for (int f = 0; f < num_functions; f++) {
            if (self->own[f] != nullptr)
                MPI_Register_tool_function(tool_id, static_cast<MPI_Functions_enum>(f),
                                           functions[f].from_chain);
        }
    } catch (const std::exception &exception) {
        MPIX_Fail_tool(tool_id, (what + exception.what()).c_str());
    }
}

[[maybe_unused]] const bool is_registered = [] {
    fill_functions();
    if (MPI_Register_tool_name("pmpi", init) != MPI_SUCCESS)
        return false;
    MPIX_Set_tool_info("pmpi", "", "",
                       "runs an unmodified PMPI tool\nPATH  the PMPI tool's shared library");
    return true;
}();

}  // namespace

}  // namespace pmpi
