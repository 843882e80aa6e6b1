/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pmpi.hpp"

namespace pmpi {

namespace {

/* Memory from malloc in one library may be freed in another, so all have one allocator, the process's. */
bool is_allocator(std::string_view name)
{
    static constexpr std::string_view names[] = {
        "malloc", "calloc",  "realloc",  "reallocarray",  "free",           "cfree",
        "valloc", "pvalloc", "memalign", "aligned_alloc", "posix_memalign", "malloc_usable_size"};
    static constexpr std::string_view operators[] = {"_Znw", "_Zna", "_Zdl", "_Zda"};

    return std::count(std::begin(names), std::end(names), name) != 0 ||
        std::count(std::begin(operators), std::end(operators), name.substr(0, 4)) != 0;
}

address page_mask()
{
    return ~(static_cast<address>(sysconf(_SC_PAGESIZE)) - 1);
}

int protection_of(const segment &s)
{
    return ((s.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((s.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
        ((s.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

/* Replaces a mapping by one with the same contents, in one step for other threads. Where the system
 * refuses it, executable memory for example, the mapping stays. */
void replace_mapping(address start, std::size_t size, int protection, int fd, off_t offset)
{
    auto *old = reinterpret_cast<char *>(start);
    const int kind = MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0);
    void *copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, kind, fd, fd < 0 ? 0 : offset);

    if (copy == MAP_FAILED)
        return;
    /* pages of a file that stay unchanged are shared */
    if (std::memcmp(copy, old, size) != 0)
        std::memcpy(copy, old, size);
    if ((protection & PROT_EXEC) != 0)
        __builtin___clear_cache(static_cast<char *>(copy), static_cast<char *>(copy) + size);
    /* UCX replaces mremap by a function that ignores the new address */
    if (mprotect(copy, size, protection) != 0 ||
        syscall(SYS_mremap, copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, old) == -1)
        munmap(copy, size);
}

}  // namespace

library::library(const dl_phdr_info &info)
    : base_(info.dlpi_addr), path_(info.dlpi_name), segments_(info.dlpi_phdr),
      segments_end_(info.dlpi_phdr + info.dlpi_phnum), tls_module_(info.dlpi_tls_modid)
{
    for (const segment *s = segments_; s < segments_end_; s++) {
        if (s->p_type == PT_DYNAMIC)
            dynamic_ = reinterpret_cast<const dynamic_entry *>(base_ + s->p_vaddr);
    }
}

std::vector<library> library::all()
{
    std::vector<library> found;
    const auto add = [](dl_phdr_info *info, std::size_t, void *data) {
        const library l(*info);
        if (l.dynamic_ != nullptr)
            static_cast<std::vector<library> *>(data)->push_back(l);
        return 0;
    };

    dl_iterate_phdr(add, &found);
    return found;
}

address library::value(std::int64_t tag) const
{
    const dynamic_entry *d = dynamic_;

    while (d->d_tag != DT_NULL && d->d_tag != tag)
        d++;
    return d->d_tag == DT_NULL ? 0 : d->d_un.d_val;
}

void library::add_needed(std::vector<std::string_view> &names) const
{
    for (const dynamic_entry *d = dynamic_; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_NEEDED)
            names.emplace_back(table<char>(DT_STRTAB) + d->d_un.d_val);
    }
}

std::string library::name() const
{
    const address soname = value(DT_SONAME);
    return std::string(soname != 0 ? table<char>(DT_STRTAB) + soname : file());
}

const segment *library::segment_of(const void *place) const
{
    const address offset = reinterpret_cast<address>(place) - base_;
    const auto *found = std::find_if(segments_, segments_end_, [&](const segment &s) {
        return s.p_type == PT_LOAD && offset - s.p_vaddr < s.p_memsz;
    });
    return found == segments_end_ ? nullptr : found;
}

bool library::is_data(const void *place) const
{
    const segment *s = segment_of(place);
    return s != nullptr && (s->p_flags & (PF_W | PF_X)) == PF_W;
}

/* Only the hash tables have the number. */
std::size_t library::num_symbols() const
{
    if (const auto *hash = table<std::uint32_t>(DT_HASH))
        return hash[1];
    const auto *gnu = table<std::uint32_t>(DT_GNU_HASH);
    if (gnu == nullptr || gnu[0] == 0)
        return 0;
    /* number of buckets, first symbol, words of the filter, shift; filter; buckets; chains */
    const std::uint32_t *buckets = gnu + 4 + gnu[2] * (sizeof(address) / sizeof(*gnu));
    const std::uint32_t *chains = buckets + gnu[0];
    std::size_t last = *std::max_element(buckets, chains);
    if (last < gnu[1])
        return gnu[1];
    /* an odd number ends a chain */
    while ((chains[last - gnu[1]] & 1) == 0)
        last++;
    return last + 1;
}

std::vector<library::symbol> library::symbols() const
{
    const auto *s = table<elf_symbol>(DT_SYMTAB);
    const auto *strings = table<char>(DT_STRTAB);
    const auto *versions = table<ElfW(Versym)>(DT_VERSYM);
    std::vector<symbol> symbols;

    for (std::size_t i = 0, size = num_symbols(); i < size; i++, s++) {
        const bool is_function = ELF64_ST_TYPE(s->st_info) == STT_FUNC;
        const bool is_old_version = versions != nullptr && (versions[i] & 0x8000) != 0;
        if (is_plain(*s) && (is_function || ELF64_ST_TYPE(s->st_info) == STT_OBJECT) &&
            ELF64_ST_BIND(s->st_info) != STB_LOCAL && !is_old_version)
            symbols.push_back(
                {strings + s->st_name, reinterpret_cast<void *>(base_ + s->st_value), is_function});
    }
    return symbols;
}

void *library::find_function(std::string_view name) const
{
    for (const symbol &s : symbols()) {
        if (s.is_function && name == s.name)
            return s.value;
    }
    return nullptr;
}

/* A symbol that is defined in this library, at an address that the symbol table has. */
bool library::is_plain(const elf_symbol &s) const
{
    return s.st_shndx != SHN_UNDEF && s.st_shndx != SHN_ABS &&
        ELF64_ST_TYPE(s.st_info) != STT_GNU_IFUNC &&
        !is_allocator(table<char>(DT_STRTAB) + s.st_name);
}

/* Of thread-local variables the linker has put a module and an offset into two words, so that they are
 * references too. */
std::vector<library::reference> library::references() const
{
#ifdef __x86_64__
    constexpr unsigned types[] = {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
    constexpr unsigned tls_module = R_X86_64_DTPMOD64, tls_offset = R_X86_64_DTPOFF64;
#else
    constexpr unsigned types[] = {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
    constexpr unsigned tls_module = R_AARCH64_TLS_DTPMOD, tls_offset = R_AARCH64_TLS_DTPREL;
#endif
    constexpr int tables[][2] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
    const auto *symbols = table<elf_symbol>(DT_SYMTAB);
    const auto *strings = table<char>(DT_STRTAB);
    std::vector<reference> references;

    for (const auto &[tag, size_tag] : tables) {
        const auto *r = table<ElfW(Rela)>(tag);
        for (const auto *end = r + (r ? value(size_tag) / sizeof(*r) : 0); r != end; r++) {
            const elf_symbol &s = symbols[ELF64_R_SYM(r->r_info)];
            const unsigned type = ELF64_R_TYPE(r->r_info);
            const bool is_tls = ELF64_ST_TYPE(s.st_info) == STT_TLS;
            reference found = {strings + s.st_name,
                               reinterpret_cast<address *>(base_ + r->r_offset),
                               static_cast<address>(r->r_addend),
                               {},
                               ELF64_ST_BIND(s.st_info) == STB_GNU_UNIQUE && !is_tls,
                               false};
            found.is_data = is_data(found.word);
            if (type == tls_module) {
                found.addend = 0;
                found.own = tls_module_;
            } else if (type == tls_offset)
                found.own = s.st_value;
            else if (std::count(std::begin(types), std::end(types), type) != 0 && !is_tls)
                found.own = base_ + s.st_value;
            else
                continue;
            if (!is_plain(s))
                found.own.reset();
            if (*found.name != '\0')
                references.push_back(found);
        }
    }
    return references;
}

/* Opens or closes the data that the linker closes after relocation. */
void library::protect(int protection) const
{
    const address mask = page_mask();

    for (const segment *s = segments_; s < segments_end_; s++) {
        const address start = (base_ + s->p_vaddr) & mask;
        const address end = (base_ + s->p_vaddr + s->p_memsz) & mask;
        if (s->p_type == PT_GNU_RELRO && end > start &&
            mprotect(reinterpret_cast<void *>(start), end - start, protection) != 0)
            refuse("the data of " + name() + " cannot be changed: " + std::strerror(errno));
    }
}

void library::change(const std::vector<std::pair<address *, address>> &words) const
{
    for (const auto &[word, value] : words) {
        if (!is_data(word))
            refuse("the addresses of MPI functions are part of the code of " + name() +
                   ", which is not changed (compile it as position-independent code)");
    }
    protect(PROT_READ | PROT_WRITE);
    for (const auto &[word, value] : words)
        *word = value;
    protect(PROT_READ);
}

void library::replace_file(int fd, const std::string &name) const
{
    /* new and old names: neither is freed */
    static auto &names = *new std::deque<std::pair<std::string, const char *>>;
    const address mask = page_mask();
    address mapped_end = 0;
    struct stat status;

    if (fd >= 0 && fstat(fd, &status) != 0)
        return;
    for (const segment *s = segments_; s < segments_end_; s++) {
        if (s->p_type != PT_LOAD || s->p_filesz == 0)
            continue;
        const address start = (base_ + s->p_vaddr) & mask;
        const address end = (base_ + s->p_vaddr + s->p_filesz + ~mask) & mask;
        const bool is_in_file =
            fd >= 0 && s->p_offset + s->p_filesz <= static_cast<std::size_t>(status.st_size);
        /* the linker reserves the addresses between segments by a mapping of the file */
        if (mapped_end != 0 && start > mapped_end)
            mmap(reinterpret_cast<void *>(mapped_end), start - mapped_end, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if ((s->p_flags & PF_R) != 0)
            replace_mapping(start, end - start, protection_of(*s), is_in_file ? fd : -1,
                            static_cast<off_t>(s->p_offset & mask));
        mapped_end = (base_ + s->p_vaddr + s->p_memsz + ~mask) & mask;
    }
    protect(PROT_READ);
    for (link_map *map = _r_debug.r_map; map != nullptr; map = map->l_next) {
        if (!is(*map))
            continue;
        names.emplace_back(name, map->l_name);
        map->l_name = names.back().first.data();
    }
}

}  // namespace pmpi
