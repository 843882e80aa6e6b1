/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pmpi.hpp"

namespace pmpi {

library::library(const dl_phdr_info &info)
    : base_(info.dlpi_addr), path_(info.dlpi_name), segments_(info.dlpi_phdr),
      segments_end_(info.dlpi_phdr + info.dlpi_phnum)
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

std::vector<library::symbol> library::functions() const
{
    const auto *s = table<elf_symbol>(DT_SYMTAB);
    const auto *strings = table<char>(DT_STRTAB);
    std::vector<symbol> functions;

    for (const auto *end = s + num_symbols(); s < end; s++) {
        if (s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
            ELF64_ST_BIND(s->st_info) != STB_LOCAL)
            functions.push_back(
                {strings + s->st_name, reinterpret_cast<void *>(base_ + s->st_value)});
    }
    return functions;
}

void *library::find_function(std::string_view name) const
{
    for (const auto &[function, value] : functions()) {
        if (name == function)
            return value;
    }
    return nullptr;
}

std::vector<library::reference> library::references() const
{
#ifdef __x86_64__
    constexpr unsigned types[] = {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
#else
    constexpr unsigned types[] = {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
#endif
    constexpr int tables[][2] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
    const auto *symbols = table<elf_symbol>(DT_SYMTAB);
    const auto *strings = table<char>(DT_STRTAB);
    std::vector<reference> references;

    for (const auto &[tag, size_tag] : tables) {
        const auto *r = table<ElfW(Rela)>(tag);
        for (const auto *end = r + (r ? value(size_tag) / sizeof(*r) : 0); r != end; r++) {
            const char *name = strings + symbols[ELF64_R_SYM(r->r_info)].st_name;
            auto *word = reinterpret_cast<address *>(base_ + r->r_offset);
            if (std::count(std::begin(types), std::end(types), ELF64_R_TYPE(r->r_info)) != 0 &&
                *name != '\0')
                references.push_back({name, word, static_cast<address>(r->r_addend)});
        }
    }
    return references;
}

/* Opens or closes the data that the linker closes after relocation. */
void library::protect(int protection) const
{
    const address mask = ~(static_cast<address>(sysconf(_SC_PAGESIZE)) - 1);

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
        const segment *s = segment_of(word);
        if (s == nullptr || (s->p_flags & (PF_W | PF_X)) != PF_W)
            refuse("the addresses of MPI functions are part of the code of " + name() +
                   ", which is not changed (compile it as position-independent code)");
    }
    protect(PROT_READ | PROT_WRITE);
    for (const auto &[word, value] : words)
        *word = value;
    protect(PROT_READ);
}

}  // namespace pmpi
