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
 *     dlopen                          qmpi_pmpi_dlopen, which changes the library too
 *     pmpi_x_ (Fortran)               qmpi_x_: the library itself, or the call would come back
 *     other names that it defines     the tool's own: the linker prefers those of the program and of
 *                                     the C library, and has one for all copies of the tool
 *
 * Libraries that the tool needs and that use MPI are changed with it: some tools have wrappers in one
 * library and the calls of PMPI_X in another. The linker loads such a library once, so it belongs to
 * one instance. The tool itself, and a library that it opens, is loaded from a copy when it is in the
 * process already.
 *
 * RTLD_DEEPBIND would give the tool its own names as well, but also an allocator, standard streams and
 * variables of the C and C++ libraries other than the program's, and the sanitizers refuse it. */

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>

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

/* Libraries that were changed, and for which instance. They stay loaded. */
std::vector<std::pair<library, const instance *>> &changed =
    *new std::vector<std::pair<library, const instance *>>;
std::mutex &changed_lock = *new std::mutex;

library libmpi;
library libmpifort; /* without a path while it is not loaded */

/* A library that is being loaded for an instance. */
struct loading {
    instance &owner;
    std::string file;       /* by which the linker loads it */
    std::string original;   /* the file that it is a copy of and whose name it gets, or empty */
    bool is_tool;           /* or a library that the tool opens */
    std::string stubs = {}; /* path of the library of stubs */
    std::size_t stubs_offset = 0;
    bool keeps_files = false; /* mapped, because their inode numbers would be used again */
    libraries before = {};    /* in the process */
    std::string refusal = {}; /* why it cannot be used */
};

thread_local loading *current = nullptr; /* in this thread */

bool contains(const libraries &list, const library &l)
{
    return std::find(list.begin(), list.end(), l) != list.end();
}

const instance *owner_of(const library &l)
{
    const std::lock_guard<std::mutex> lock(changed_lock);
    const auto found = std::find_if(changed.begin(), changed.end(),
                                    [&](const auto &entry) { return entry.first == l; });
    return found != changed.end() ? found->second : nullptr;
}

bool begins_with(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
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

/* ---- changing the tool ---- */

/* The new value of a reference in one of these libraries, those of the tool and what they need; nothing
 * if it stays as it is. */
std::optional<address> find_target(const libraries &tool, const library::reference &r)
{
    const instance &owner = current->owner;
    bool is_pmpi;
    const auto plus_addend = [&r](const void *value) {
        return reinterpret_cast<address>(value) + r.addend;
    };

    if (std::strcmp(r.name, "dlsym") == 0)
        return plus_addend(stub_of(owner, dlsym_stub));
    const int f = function_of(r.name, is_pmpi);
    if (f >= 0) {
        any_function own = is_pmpi && !owner.own_pmpi[f] ? nullptr : owner.own[f];
        return plus_addend(own != nullptr ? reinterpret_cast<void *>(own) : stub_of(owner, f));
    }
    if (void *procedure = find_procedure(r.name)) {
        for (const library &l : tool) {
            if (void *own = l.find_function(r.name))
                return plus_addend(own);
        }
        return plus_addend(procedure);
    }
    if (!r.is_data)
        return {};
    /* one for the whole process, that of the C++ library for example, unless only copies have it */
    const auto *found = reinterpret_cast<const void *>(*r.word - r.addend);
    if (r.own && r.is_unique && std::any_of(tool.begin(), tool.end(), [&](const library &l) {
            return owner_of(l) != &owner && l.contains(found);
        }))
        return {};
    if (r.own)
        return *r.own + r.addend;
    if (std::strcmp(r.name, "dlopen") == 0)
        return plus_addend(stub_of(owner, dlopen_stub));
    const bool is_bound = std::any_of(owner.libraries.begin(), owner.libraries.end(),
                                      [&](const library &l) { return l.contains(found); });
    const auto symbol = owner.symbols.find(r.name);
    if (!is_bound && symbol != owner.symbols.end())
        return plus_addend(symbol->second);
    return {};
}

void claim(const library &l)
{
    const instance *const earlier = owner_of(l);
    const bool is_new = !contains(current->before, l);

    if (!is_new && earlier != nullptr)
        refuse("it needs " + l.name() +
               ", which uses MPI or dlsym and belongs to an earlier entry"
               " of the list: a process can load such a library only once");
    if (!is_new)
        refuse("it needs " + l.name() +
               ", which uses MPI and which the program has loaded for"
               " itself: calls of the tool cannot be distinguished from those of the program");
    if ((l.value(DT_FLAGS_1) & DF_1_INITFIRST) != 0)
        refuse(l.name() + " must be initialized first (it is linked with -z initfirst)");
    if (earlier == nullptr) {
        const std::lock_guard<std::mutex> lock(changed_lock);
        changed.emplace_back(l, &current->owner);
    }
}

/* Finds the functions that the tool defines. Of several the first counts, as for the linker. A tool can
 * make MPI_X an alias of its PMPI_X; an MPI library has in addition variables that no tool has. */
void find_own(const libraries &tool)
{
    instance &owner = current->owner;
    std::string fortran;
    bool has_own = false, is_pmpi;

    for (const library &l : tool) {
        std::vector<void *> pmpi(num_functions), mpi(num_functions);
        bool has_variables = false;

        for (const auto &[name, value, is_function] : l.symbols()) {
            const int f = is_function ? function_of(name, is_pmpi) : -1;
            if (f >= 0)
                (is_pmpi ? pmpi : mpi)[f] = value;
            else if (is_function && begins_with(name, "mpi_"))
                fortran = name;
            has_variables = has_variables || std::strcmp(name, "MPI_F_STATUS_IGNORE") == 0;
        }
        for (int f = 0; f < num_functions; f++) {
            if (pmpi[f] != nullptr && (pmpi[f] != mpi[f] || has_variables))
                refuse(std::string(l.path()) +
                       ", which belongs to it, is an MPI library and not"
                       " the program's (it defines P" +
                       functions[f].name + ")");
            if (mpi[f] != nullptr && owner.own[f] == nullptr) {
                claim(l);
                owner.own[f] = reinterpret_cast<any_function>(mpi[f]);
                owner.own_pmpi[f] = pmpi[f] != nullptr;
                has_own = true;
            }
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

bool uses_mpi(const library &l)
{
    const std::vector<library::reference> references = l.references();
    bool is_pmpi;

    /* a weak reference that the linker did not find stays so */
    return std::any_of(references.begin(), references.end(), [&](const auto &r) {
        return *r.word != 0 &&
            (function_of(r.name, is_pmpi) >= 0 || find_procedure(r.name) != nullptr);
    });
}

bool uses_dlsym(const library &l)
{
    const std::vector<library::reference> references = l.references();

    return std::any_of(references.begin(), references.end(),
                       [](const auto &r) { return std::strcmp(r.name, "dlsym") == 0; });
}

void change_references(const libraries &tool, const library &l)
{
    std::vector<std::pair<address *, address>> words;

    for (const library::reference &r : l.references()) {
        const auto target = r.own || *r.word != 0 ? find_target(tool, r) : std::nullopt;
        if (target && *target != *r.word)
            words.emplace_back(r.word, *target);
    }
    l.change(words);
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

/* The loaded library and what it needs, directly or not, in the order in which the linker looks for
 * symbols. MPI's own libraries belong to no tool. */
libraries find_needed(const libraries &all)
{
    std::vector<std::string_view> names = {current->file};
    libraries found;

    for (std::size_t i = 0; i < names.size(); i++) {
        const library *l = find(all, names[i]);
        if (l == nullptr || contains(found, *l) || *l == libmpi || *l == libmpifort ||
            begins_with(l->file(), QMPI_LIBMPICXX ".so"))
            continue;
        found.push_back(*l);
        l->add_needed(names);
    }
    return found;
}

void find_mpi(const libraries &all)
{
    const auto *some = reinterpret_cast<void *>(functions[MPI_GET_VERSION_T].library);

    libmpifort = library();
    for (const library &l : all) {
        if (l.contains(some))
            libmpi = l;
        if (begins_with(l.file(), QMPI_LIBMPIFORT ".so"))
            libmpifort = l;
    }
}

void change_tool(const libraries &all)
{
    instance &owner = current->owner;

    find_mpi(all);
    owner.stubs = reinterpret_cast<const stub *>(find(all, current->stubs)->load_address() +
                                                 current->stubs_offset);
    const libraries tool = find_needed(all);
    find_own(tool);
    for (const library &l : tool) {
        /* dlsym alone does not matter in a library of the program, the C library for one */
        const bool may_look_up = !contains(current->before, l) || owner_of(l) != nullptr;
        if (owner_of(l) != &owner && (uses_mpi(l) || (may_look_up && uses_dlsym(l))))
            claim(l);
        if (owner_of(l) != &owner)
            continue;
        owner.libraries.push_back(l);
        for (const auto &[name, value, is_function] : l.symbols())
            owner.symbols.emplace(name, value);
    }
    for (const library &l : owner.libraries)
        change_references(tool, l);
}

/* Changes a library that the tool opens, and what is loaded with it. */
void change_opened(const libraries &all)
{
    const libraries opened = find_needed(all);

    for (const library &l : opened) {
        if (contains(current->before, l))
            continue;
        if (uses_mpi(l))
            claim(l);
        if (uses_mpi(l) || uses_dlsym(l))
            change_references(opened, l);
    }
}

/* Constructor of the library of stubs: the library is loaded and relocated, and none of its code has
 * run. */
void change_loaded()
{
    try {
        const libraries all = library::all();
        const library *stubs = find(all, current->stubs);
        const library *copy = current->original.empty() ? nullptr : find(all, current->file);

        try {
            current->is_tool ? change_tool(all) : change_opened(all);
        } catch (const std::exception &exception) {
            current->refusal = exception.what();
        }
        if (current->keeps_files)
            return;
        stubs->replace_file(-1, "");
        if (copy != nullptr) {
            const int file = open(current->original.c_str(), O_RDONLY | O_CLOEXEC);
            copy->replace_file(file, current->original);
            if (file >= 0)
                close(file);
        }
    } catch (const std::exception &exception) {
        current->refusal = exception.what();
    }
}

/* Loads a library, with a generated one that it needs; returns the linker's message, if it fails. */
std::string load(loading &now, const std::vector<stub> &stubs,
                 const std::vector<stub_symbol> &symbols, int mode)
{
    private_file file("stubs");

    now.stubs = file.path();
    now.keeps_files = file.is_temporary();
    now.stubs_offset = write_stubs(file, now.file, stubs, symbols, change_loaded);
    now.before = library::all();
    loading *const outer = std::exchange(current, &now);
    const bool is_loaded = dlopen(file.path().c_str(), mode) != nullptr;
    current = outer;
    return is_loaded ? "" : dlerror();
}

/* ---- dlsym and dlopen ---- */

/* Opens the instance's copy of a library that is loaded. Makes one if it belongs to another instance;
 * otherwise the library itself is right, and the result is nullptr. */
void *open_copy(instance &caller, void *loaded, int mode)
{
    const auto *map = static_cast<const link_map *>(loaded);
    const auto find_copy = [&]() -> std::string {
        const std::lock_guard<std::mutex> lock(caller.copies_lock);
        for (const private_copy &copy : caller.copies) {
            if (copy.original == loaded)
                return copy.path;
        }
        return "";
    };

    std::string path = find_copy();
    if (path.empty()) {
        const libraries all = library::all();
        const auto original =
            std::find_if(all.begin(), all.end(), [&](const library &l) { return l.is(*map); });
        const instance *owner = original != all.end() ? owner_of(*original) : nullptr;
        if (owner == nullptr || owner == &caller || (mode & RTLD_NOLOAD) != 0)
            return nullptr;
        private_file copy(std::string(original->file()));
        copy.copy(map->l_name);
        loading now{caller, copy.path(), map->l_name, false};
        if (!load(now, {stub()}, {}, mode).empty())
            return nullptr;
        path = copy.path();
        const std::lock_guard<std::mutex> lock(caller.copies_lock);
        caller.copies.push_back({loaded, path});
    }
    return dlopen(path.c_str(), mode);
}

/* The file of a library that the code at call_site opens, if the linker finds it by the paths of the
 * library that this code is in; otherwise the name. */
std::string locate(const std::string &name, const void *call_site)
{
    link_map *map = nullptr;
    Dl_info info;
    Dl_serinfo size;

    if (name.find('/') != name.npos ||
        dladdr1(call_site, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) == 0 ||
        dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0)
        return name;
    std::vector<char> memory(size.dls_size);
    auto *paths = reinterpret_cast<Dl_serinfo *>(memory.data());
    if (dlinfo(map, RTLD_DI_SERINFOSIZE, paths) != 0 || dlinfo(map, RTLD_DI_SERINFO, paths) != 0)
        return name;
    for (unsigned i = 0; i < paths->dls_cnt; i++) {
        std::string path = std::string(paths->dls_serpath[i].dls_name) + "/" + name;
        if (access(path.c_str(), R_OK) == 0)
            return path;
    }
    return name;
}

/* Result of the tool's dlopen; nullptr if the C library's dlopen is to open the library, which is
 * loaded for the instance by then. */
void *open_library(instance &caller, const std::string &name, int mode, const void *call_site)
{
    std::string path = name;
    void *loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);

    if (loaded == nullptr) {
        path = locate(name, call_site);
        loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    }
    if (loaded != nullptr) {
        dlclose(loaded);
        return open_copy(caller, loaded, mode);
    }
    loading now{caller, path, "", false};
    if ((mode & RTLD_NOLOAD) == 0)
        load(now, {stub()}, {}, mode);
    return nullptr;
}

extern "C" {
void qmpi_pmpi_dlsym();
void qmpi_pmpi_dlopen();

/* Result of the tool's dlsym(handle, name); nullptr where the C library's result is right: of a library
 * that the tool names itself, every function but MPI's. */
__attribute__((used, visibility("hidden"))) void *qmpi_pmpi_find(void *handle, const char *name)
{
    const instance &caller = calling_instance();
    const bool is_default = handle == RTLD_DEFAULT || handle == _r_debug.r_map;
    bool is_pmpi;

    if (name == nullptr)
        return nullptr;
    const int f = function_of(name, is_pmpi);
    const any_function own = f < 0 || (is_pmpi && !caller.own_pmpi[f]) ? nullptr : caller.own[f];
    if (is_default && own != nullptr)
        return reinterpret_cast<void *>(own);
    if (!is_default && handle != RTLD_NEXT) {
        const void *found = f >= 0 || begins_with(name, "mpi") || begins_with(name, "pmpi")
            ? dlsym(handle, name)
            : nullptr;
        if (!libmpi.contains(found) && !libmpifort.contains(found))
            return nullptr;
    }
    if (f >= 0)
        return stub_of(caller, f);
    if (void *procedure = find_procedure(name))
        return procedure;
    const auto symbol = caller.symbols.find(name);
    return handle == RTLD_DEFAULT && symbol != caller.symbols.end() ? symbol->second : nullptr;
}

/* The same of dlopen(name, mode), for a call at call_site. */
__attribute__((used, visibility("hidden"))) void *qmpi_pmpi_open(const char *name, int mode,
                                                                 const void *call_site)
{
    try {
        const bool has_token = name != nullptr && std::strchr(name, '$') != nullptr;
        return name == nullptr || has_token
            ? nullptr
            : open_library(calling_instance(), name, mode, call_site);
    } catch (const std::exception &) {
        return nullptr;
    }
}
}

/* The C library's dlsym and dlopen learn from the return address whose RTLD_NEXT or search path is
 * meant, so they are jumped to. */
// clang-format off
#ifdef __x86_64__
#define FIND_OR_JUMP(name, find, target) \
    __asm__(".pushsection .text\n" \
            ".hidden " name "\n" \
            ".type " name ", %function\n" \
            name ":\n" \
            "    .cfi_startproc\n" \
            "    sub $24, %rsp\n" \
            "    .cfi_adjust_cfa_offset 24\n" \
            "    mov %rdi, (%rsp)\n" \
            "    mov %rsi, 8(%rsp)\n" \
            "    mov 24(%rsp), %rdx\n" \
            "    call " find "\n" \
            "    mov (%rsp), %rdi\n" \
            "    mov 8(%rsp), %rsi\n" \
            "    add $24, %rsp\n" \
            "    .cfi_adjust_cfa_offset -24\n" \
            "    test %rax, %rax\n" \
            "    jz 1f\n" \
            "    ret\n" \
            "1:  jmp *" target "@GOTPCREL(%rip)\n" \
            "    .cfi_endproc\n" \
            "    .size " name ", . - " name "\n" \
            ".popsection\n")
#else
#define FIND_OR_JUMP(name, find, target) \
    __asm__(".pushsection .text\n" \
            ".hidden " name "\n" \
            ".type " name ", %function\n" \
            name ":\n" \
            "    .cfi_startproc\n" \
            "    stp x29, x30, [sp, #-32]!\n" \
            "    .cfi_adjust_cfa_offset 32\n" \
            "    .cfi_offset 30, -24\n" \
            "    stp x0, x1, [sp, #16]\n" \
            "    mov x2, x30\n" \
            "    bl " find "\n" \
            "    mov x16, x0\n" \
            "    ldp x0, x1, [sp, #16]\n" \
            "    ldp x29, x30, [sp], #32\n" \
            "    .cfi_adjust_cfa_offset -32\n" \
            "    .cfi_restore 30\n" \
            "    cbz x16, 1f\n" \
            "    mov x0, x16\n" \
            "    ret\n" \
            "1:  adrp x16, :got:" target "\n" \
            "    ldr x16, [x16, :got_lo12:" target "]\n" \
            "    br x16\n" \
            "    .cfi_endproc\n" \
            "    .size " name ", . - " name "\n" \
            ".popsection\n")
#endif
// clang-format on
FIND_OR_JUMP("qmpi_pmpi_dlsym", "qmpi_pmpi_find", "dlsym");
FIND_OR_JUMP("qmpi_pmpi_dlopen", "qmpi_pmpi_open", "dlopen");

/* ---- loading ---- */

/* The function of MPI that the linker has not found, by its message; empty for other messages. Names of
 * variables have no lower-case letters. */
std::string undefined_function(const std::string &message)
{
    static constexpr std::string_view intro = "undefined symbol: ";
    const std::size_t start = message.find(intro);

    if (start == message.npos)
        return "";
    std::string name = message.substr(start + intro.size());
    name.erase(std::min(name.size(), name.find(',')));
    std::string_view base = name;
    if (base.front() == 'P' || base.front() == 'p')
        base.remove_prefix(1);
    for (const std::string_view prefix : {"MPI_", "MPIX_", "mpi_", "mpix_"}) {
        if (begins_with(base, prefix) &&
            std::any_of(base.begin() + prefix.size(), base.end(), is_lower))
            return name;
    }
    return "";
}

/* Loads the tool. As in a program, a function of MPI that nothing defines matters only when it is
 * called, so the library of stubs defines it. */
void load(loading &now, const std::string &path)
{
    instance &owner = now.owner;
    std::vector<stub> stubs;
    std::vector<stub_symbol> missing;

    for (const function &f : functions)
        stubs.push_back(make_stub(&owner, f.to_chain));
    stubs.push_back(make_stub(&owner, qmpi_pmpi_dlsym));
    stubs.push_back(make_stub(&owner, qmpi_pmpi_dlopen));
    for (;;) {
        const std::string reason = load(now, stubs, missing, RTLD_NOW | RTLD_LOCAL);
        if (reason.empty())
            break;
        const std::string name = undefined_function(reason);
        const bool is_new = std::none_of(missing.begin(), missing.end(),
                                         [&](const stub_symbol &s) { return s.name == name; });
        /* the message begins with the path where the file itself is at fault */
        if (name.empty() || !is_new)
            refuse(begins_with(reason, path + ": ") ? reason.substr(path.size() + 2) : reason);
        owner.missing.push_back({name, path});
        missing.push_back({name, stubs.size()});
        stubs.push_back(make_stub(&owner.missing.back(), fail_missing_function));
    }
    if (!now.refusal.empty())
        refuse(now.refusal);
}

void load_tool(const std::string &path, instance &owner)
{
    if (path.find('/') != path.npos)
        check_library_file(path);
    void *loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) {
        loading now{owner, path, "", true};
        return load(now, path);
    }
    const std::string file = static_cast<const link_map *>(loaded)->l_name;
    dlclose(loaded);
    private_file copy(path.substr(path.rfind('/') + 1));
    copy.copy(file);
    owner.copies.push_back({loaded, copy.path()});
    loading now{owner, copy.path(), file, true};
    load(now, path);
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
        QMPI_Get_next_tool_function(tool_id, static_cast<MPI_Functions_enum>(f),
                                    &self.all_links[f].function, &self.all_links[f].tool_id);
    /* a thread that the tool started in a constructor may be calling */
    self.links.store(self.all_links, std::memory_order_release);
}

std::string path_argument(int tool_id)
{
    const char *argument = "";

    QMPIX_Get_tool_arguments(tool_id, &argument);
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
        QMPIX_Register_tool_ready_function(tool_id, find_links);
        for (int f = 0; f < num_functions; f++) {
            if (self->own[f] != nullptr)
                QMPI_Register_tool_function(tool_id, static_cast<MPI_Functions_enum>(f),
                                            functions[f].from_chain);
        }
    } catch (const std::exception &exception) {
        QMPIX_Fail_tool(tool_id, (what + exception.what()).c_str());
    }
}

[[maybe_unused]] const bool is_registered = [] {
    fill_functions();
    if (QMPIX_Register_tool("pmpi", init, MPIX_TOOL_INTERFACE_VERSION,
                            MPIX_TOOL_INTERFACE_SUBVERSION) != MPI_SUCCESS)
        return false;
    QMPIX_Set_tool_info("pmpi", "", "",
                        "runs an unmodified PMPI tool\nPATH  the PMPI tool's shared library");
    return true;
}();

}  // namespace

}  // namespace pmpi
