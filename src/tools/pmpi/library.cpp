/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pmpi.hpp"

namespace pmpi {

std::string_view base_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

/* Each library has its own dynamic section, which identifies its program headers. */
static int copy_segments(dl_phdr_info *info, std::size_t, void *data)
{
    auto &[map, segments] = *static_cast<std::pair<const link_map *, std::vector<segment>> *>(data);
    const auto *end = info->dlpi_phdr + info->dlpi_phnum;
    const auto *dynamic =
        std::find_if(info->dlpi_phdr, end, [](const segment &s) { return s.p_type == PT_DYNAMIC; });

    if (dynamic == end ||
        info->dlpi_addr + dynamic->p_vaddr != reinterpret_cast<address>(map->l_ld))
        return 0;
    segments.assign(info->dlpi_phdr, end);
    return 1;
}

library::library(const link_map *map) : map_(map)
{
    std::pair<const link_map *, std::vector<segment>> wanted(map, {});

    dl_iterate_phdr(copy_segments, &wanted);
    segments_ = std::move(wanted.second);
    symbols_ = table<elf_symbol>(DT_SYMTAB);
    strings_ = table<char>(DT_STRTAB);
}

std::vector<const link_map *> library::all_maps()
{
    std::vector<const link_map *> maps;
    Dl_info info;
    link_map *map = nullptr;

    dladdr1(reinterpret_cast<void *>(copy_segments), &info, reinterpret_cast<void **>(&map),
            RTLD_DL_LINKMAP);
    while (map != nullptr && map->l_prev != nullptr)
        map = map->l_prev;
    for (; map != nullptr; map = map->l_next)
        maps.push_back(map);
    return maps;
}

address library::value(std::int64_t tag) const
{
    const dynamic_entry *d = map_->l_ld;

    while (d->d_tag != DT_NULL && d->d_tag != tag)
        d++;
    return d->d_tag == DT_NULL ? 0 : d->d_un.d_val;
}

void library::add_needed(std::vector<std::string_view> &names) const
{
    for (const dynamic_entry *d = map_->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_NEEDED)
            names.emplace_back(strings_ + d->d_un.d_val);
    }
}

std::string library::name() const
{
    const address soname = value(DT_SONAME);
    return soname != 0 ? std::string(strings_ + soname) : std::string(base_name(map_->l_name));
}

const segment *library::segment_of(address place) const
{
    const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const segment &s) {
        return s.p_type == PT_LOAD && place - map_->l_addr - s.p_vaddr < s.p_memsz;
    });
    return found == segments_.end() ? nullptr : &*found;
}

bool library::contains(const void *place) const
{
    return segment_of(reinterpret_cast<address>(place)) != nullptr;
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
    const elf_symbol *end = symbols_ + num_symbols();
    std::vector<symbol> functions;

    for (const elf_symbol *s = symbols_; s < end; s++) {
        if (s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
            ELF64_ST_BIND(s->st_info) != STB_LOCAL)
            functions.push_back(
                {strings_ + s->st_name, reinterpret_cast<void *>(map_->l_addr + s->st_value)});
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
    std::vector<reference> references;

    for (const auto &[tag, size_tag] : tables) {
        const auto *r = table<ElfW(Rela)>(tag);
        for (const auto *end = r + (r ? value(size_tag) / sizeof(*r) : 0); r != end; r++) {
            const char *name = strings_ + symbols_[ELF64_R_SYM(r->r_info)].st_name;
            auto *word = reinterpret_cast<address *>(map_->l_addr + r->r_offset);
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

    for (const segment &s : segments_) {
        const address start = (map_->l_addr + s.p_vaddr) & mask;
        const address end = (map_->l_addr + s.p_vaddr + s.p_memsz) & mask;
        if (s.p_type == PT_GNU_RELRO && end > start &&
            mprotect(reinterpret_cast<void *>(start), end - start, protection) != 0)
            refuse("the data of " + name() + " cannot be changed: " + std::strerror(errno));
    }
}

void library::change(const std::vector<std::pair<address *, address>> &words) const
{
    for (const auto &[word, value] : words) {
        const segment *s = segment_of(reinterpret_cast<address>(word));
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
