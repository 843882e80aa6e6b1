/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Call sites of programs that use the C++ binding. Most of its functions are inline functions of
 * mpicxx.h. Where the compiler did not inline one, the program or another library has a copy of it,
 * which only its name identifies. */

#define MPICH_SKIP_MPICXX 1     // the interface in C is enough
#include "mpi.h"
#include "mpir_qmpi_call.h"

#include <stdint.h>
#include <string.h>
#include <unwind.h>
#ifdef __ELF__
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <dlfcn.h>
#endif

namespace {

bool is_name_of_binding(const char *name)
{
    // members of namespace MPI, const or not
    return strncmp(name, "_ZN3MPI", 7) == 0 || strncmp(name, "_ZNK3MPI", 8) == 0;
}

#ifdef __ELF__

struct Object {
    uintptr_t address;
    uintptr_t bias;             // address of the file's address 0
    const char *path;           // empty: the program itself
};

int find_object(struct dl_phdr_info *info, size_t, void *found)
{
    Object *object = static_cast<Object *>(found);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && object->address - info->dlpi_addr - segment.p_vaddr < segment.p_memsz) {
            object->bias = info->dlpi_addr;
            object->path = info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

Object object_of(const void *address)
{
    Object object = { reinterpret_cast<uintptr_t>(address), 0, 0 };
    dl_iterate_phdr(find_object, &object);
    return object;
}

// True if a symbol table of the file names the function at the address as the binding's. The
// dynamic linker does not know the names of a program's own functions.
bool is_named_in(const char *file, size_t size, uintptr_t address)
{
    const ElfW(Ehdr) *head = reinterpret_cast<const ElfW(Ehdr) *>(file);
    if (size < sizeof(*head) || head->e_shoff > size || head->e_shnum > (size - head->e_shoff) / sizeof(ElfW(Shdr)))
        return false;
    const ElfW(Shdr) *sections = reinterpret_cast<const ElfW(Shdr) *>(file + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) &table = sections[i];
        if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || table.sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) &names = sections[table.sh_link];
        if (table.sh_offset > size || table.sh_size > size - table.sh_offset ||
            names.sh_offset > size || names.sh_size > size - names.sh_offset)
            continue;
        const ElfW(Sym) *symbols = reinterpret_cast<const ElfW(Sym) *>(file + table.sh_offset);
        for (size_t n = 0; n < table.sh_size / sizeof(*symbols); n++)
            if ((symbols[n].st_info & 0xf) == STT_FUNC && address - symbols[n].st_value < symbols[n].st_size &&
                symbols[n].st_name < names.sh_size &&
                is_name_of_binding(file + names.sh_offset + symbols[n].st_name))
                return true;
    }
    return false;
}

bool is_named(const Object &object)
{
    bool result = false;
    struct stat status;
    int fd = open(object.path[0] ? object.path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0) {
        void *file = mmap(0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            result = is_named_in(static_cast<char *>(file), status.st_size, object.address - object.bias);
            munmap(file, status.st_size);
        }
    }
    close(fd);
    return result;
}

bool look_up(const void *instruction)
{
    const Object object = object_of(instruction);
    if (!object.path)
        return false;
    // a shared library of the binding
    if (object.path[0] && object.bias == object_of(reinterpret_cast<void *>(look_up)).bias)
        return true;
    return is_named(object);
}

#else

bool look_up(const void *instruction)
{
    Dl_info symbol;
    return dladdr(instruction, &symbol) != 0 && symbol.dli_sname && is_name_of_binding(symbol.dli_sname);
}

#endif

// Results of look-ups, twice the address plus the result each: a hash table that only fills up. What
// finds no slot is looked up every time.
const int CACHE_SIZE = 16384;
const int MAX_PROBES = 64;
uintptr_t cache[CACHE_SIZE];

// Probes of the slots that follow that of the address.
__attribute__((noinline))
bool search(uintptr_t address)
{
    const void *instruction = reinterpret_cast<void *>(address);
    for (uintptr_t slot = address / 2; slot < address / 2 + MAX_PROBES; slot++) {
        uintptr_t *known = &cache[slot % CACHE_SIZE];
        uintptr_t entry = __atomic_load_n(known, __ATOMIC_RELAXED);
        if (entry == 0) {
            const uintptr_t own = address * 2 + look_up(instruction);
            if (__atomic_compare_exchange_n(known, &entry, own, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return own & 1;
        }
        if (entry / 2 == address)
            return entry & 1;
    }
    return look_up(instruction);
}

bool is_in_binding(const void *return_address)
{
    // of the call; the return address may be the next function's
    const uintptr_t address = reinterpret_cast<uintptr_t>(return_address) - 1;
    const uintptr_t entry = __atomic_load_n(&cache[address / 2 % CACHE_SIZE], __ATOMIC_RELAXED);
    return entry / 2 == address ? entry & 1 : search(address);
}

struct Search {
    const void *site;
    bool is_past;               // beyond the frame that site is in
    const void *outer;
};

_Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *state)
{
    Search *search = static_cast<Search *>(state);
    const void *address = reinterpret_cast<void *>(_Unwind_GetIP(frame));
    if (!search->is_past) {
        search->is_past = address == search->site;
    } else if (!is_in_binding(address)) {
        search->outer = address;
        return _URC_NORMAL_STOP;
    }
    return _URC_NO_REASON;
}

const void *resolve(const void *site)
{
    if (!is_in_binding(site))
        return site;
    Search search = { site, false, 0 };
    _Unwind_Backtrace(visit_frame, &search);
    return search.outer ? search.outer : site;
}

struct Registration {
    Registration() { MPII_QMPI_set_call_site_resolver(resolve); }
    ~Registration() { MPII_QMPI_set_call_site_resolver(0); }
} registration;

}

// A part of the binding that every program has refers to this.
extern const int MPIR_QMPI_cxx_resolver = 1;
