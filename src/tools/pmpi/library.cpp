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

/* A dynamic section belongs to one library: that identifies its program headers. */
static int copy_segments(dl_phdr_info *info, std::size_t, void *data)
{
    auto &[map, segments] =
        *static_cast<std::pair<const link_map *, std::vector<ElfW(Phdr)> *> *>(data);
    const auto *end = info->dlpi_phdr + info->dlpi_phnum;
    const auto *dynamic = std::find_if(info->dlpi_phdr, end, [](const ElfW(Phdr) & segment) {
        return segment.p_type == PT_DYNAMIC;
    });

    if (dynamic == end ||
        reinterpret_cast<ElfW(Dyn) *>(info->dlpi_addr + dynamic->p_vaddr) != map->l_ld)
        return 0;
    segments->assign(info->dlpi_phdr, end);
    return 1;
}

library::library(const link_map *map) : map_(map)
{
    std::pair<const link_map *, std::vector<ElfW(Phdr)> *> wanted(map, &segments_);

    dl_iterate_phdr(copy_segments, &wanted);
    symbols_ = table<ElfW(Sym)>(DT_SYMTAB);
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

ElfW(Addr) library::value(ElfW(Sxword) tag) const
{
    const ElfW(Dyn) *d = map_->l_ld;

    while (d->d_tag != DT_NULL && d->d_tag != tag)
        d++;
    return d->d_tag == DT_NULL ? 0 : d->d_un.d_val;
}

void library::add_needed(std::vector<std::string_view> &names) const
{
    for (const ElfW(Dyn) *d = map_->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_NEEDED)
            names.emplace_back(strings_ + d->d_un.d_val);
    }
}

std::string library::name() const
{
    const ElfW(Addr) soname = value(DT_SONAME);
    return soname != 0 ? std::string(strings_ + soname) : std::string(base_name(map_->l_name));
}

const ElfW(Phdr) * library::segment_of(ElfW(Addr) address) const
{
    const auto found =
        std::find_if(segments_.begin(), segments_.end(), [&](const ElfW(Phdr) & segment) {
            return segment.p_type == PT_LOAD &&
                address - map_->l_addr - segment.p_vaddr < segment.p_memsz;
        });
    return found == segments_.end() ? nullptr : &*found;
}

bool library::contains(const void *address) const
{
    return segment_of(reinterpret_cast<ElfW(Addr)>(address)) != nullptr;
}

/* Only the hash tables have the number. */
std::size_t library::num_symbols() const
{
    if (const auto *hash = table<ElfW(Word)>(DT_HASH))
        return hash[1];
    const auto *gnu = table<ElfW(Word)>(DT_GNU_HASH);
    if (gnu == nullptr)
        return 0;
    /* number of buckets, first symbol, words of the filter, shift; filter; buckets; chains */
    const ElfW(Word) *buckets = gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / sizeof(ElfW(Word)));
    const ElfW(Word) *chains = buckets + gnu[0];
    std::size_t last = gnu[0] != 0 ? *std::max_element(buckets, chains) : 0;
    if (last < gnu[1])
        return gnu[1];
    /* an odd number ends a chain */
    while ((chains[last - gnu[1]] & 1) == 0)
        last++;
    return last + 1;
}

void *library::find_function(std::string_view name) const
{
    void *found = nullptr;

    each_function([&](const char *function, void *address) {
        if (name == function)
            found = address;
    });
    return found;
}

bool library::is_address(unsigned relocation_type)
{
#ifdef __x86_64__
    return relocation_type == R_X86_64_64 || relocation_type == R_X86_64_GLOB_DAT ||
        relocation_type == R_X86_64_JUMP_SLOT;
#else
    return relocation_type == R_AARCH64_ABS64 || relocation_type == R_AARCH64_GLOB_DAT ||
        relocation_type == R_AARCH64_JUMP_SLOT;
#endif
}

/* Opens or closes the data that the linker closes after relocation. */
void library::protect(int protection) const
{
    const auto mask = ~(static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE)) - 1);

    for (const ElfW(Phdr) & segment : segments_) {
        const ElfW(Addr) start = (map_->l_addr + segment.p_vaddr) & mask;
        const ElfW(Addr) end = (map_->l_addr + segment.p_vaddr + segment.p_memsz) & mask;
        if (segment.p_type == PT_GNU_RELRO && end > start &&
            mprotect(reinterpret_cast<void *>(start), end - start, protection) != 0)
            refuse("the data of " + name() + " cannot be changed: " + std::strerror(errno));
    }
}

void library::change_words(const std::vector<change> &changes) const
{
    for (const auto &[address, value] : changes) {
        const ElfW(Phdr) *segment = segment_of(address);
        if (segment == nullptr || (segment->p_flags & (PF_W | PF_X)) != PF_W)
            refuse("the addresses of MPI functions are part of the code of " + name() +
                   ", which is not changed (compile it as position-independent code)");
    }
    protect(PROT_READ | PROT_WRITE);
    for (const auto &[address, value] : changes)
        *reinterpret_cast<ElfW(Addr) *>(address) = value;
    protect(PROT_READ);
}

}  // namespace pmpi
