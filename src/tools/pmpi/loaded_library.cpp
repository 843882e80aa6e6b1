/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "loaded_library.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace pmpi {

namespace {

std::string_view base_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

/* The segments of the library whose dynamic section is at a given address. */
struct search {
    const link_map *map;
    std::vector<ElfW(Phdr)> *segments;
};

int copy_segments(dl_phdr_info *info, std::size_t, void *data)
{
    const auto *wanted = static_cast<const search *>(data);
    const auto *end = info->dlpi_phdr + info->dlpi_phnum;
    const auto is_wanted = [&](const ElfW(Phdr) & segment) {
        return segment.p_type == PT_DYNAMIC &&
            info->dlpi_addr + segment.p_vaddr == reinterpret_cast<ElfW(Addr)>(wanted->map->l_ld);
    };

    if (std::none_of(info->dlpi_phdr, end, is_wanted))
        return 0;
    wanted->segments->assign(info->dlpi_phdr, end);
    return 1;
}

}  // namespace

bool is_file_of(const link_map *map, std::string_view name)
{
    const std::string_view path = map->l_name;
    return !path.empty() && name == (name.find('/') == name.npos ? base_name(path) : path);
}

loaded_library::loaded_library(const link_map *map) : map_(map)
{
    search wanted{map, &segments_};
    dl_iterate_phdr(copy_segments, &wanted);
    symbols_ = table<ElfW(Sym)>(DT_SYMTAB);
    strings_ = table<char>(DT_STRTAB);
}

const link_map *loaded_library::map_of(const void *address)
{
    Dl_info info;
    void *map = nullptr;

    return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<link_map *>(map)
                                                               : nullptr;
}

std::vector<const link_map *> loaded_library::all_maps()
{
    std::vector<const link_map *> maps;
    const link_map *map = map_of(reinterpret_cast<const void *>(&copy_segments));

    while (map->l_prev != nullptr)
        map = map->l_prev;
    for (; map != nullptr; map = map->l_next)
        maps.push_back(map);
    return maps;
}

ElfW(Addr) loaded_library::value_of(ElfW(Sxword) tag) const
{
    for (const ElfW(Dyn) *d = map_->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == tag)
            return d->d_un.d_val;
    }
    return 0;
}

const ElfW(Phdr) * loaded_library::segment_of(ElfW(Addr) address) const
{
    for (const ElfW(Phdr) & segment : segments_) {
        if (segment.p_type == PT_LOAD && address - map_->l_addr >= segment.p_vaddr &&
            address - map_->l_addr < segment.p_vaddr + segment.p_memsz)
            return &segment;
    }
    return nullptr;
}

std::string_view loaded_library::name() const
{
    const ElfW(Addr) soname = value_of(DT_SONAME);
    return soname != 0 ? std::string_view(strings_ + soname) : base_name(path());
}

/* Only the hash tables tell it. */
std::size_t loaded_library::num_symbols() const
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

void *loaded_library::find_function(std::string_view name) const
{
    void *found = nullptr;

    each_function([&](const char *function, void *address) {
        if (name == function)
            found = address;
    });
    return found;
}

bool loaded_library::is_address(unsigned relocation_type)
{
#ifdef __x86_64__
    return relocation_type == R_X86_64_64 || relocation_type == R_X86_64_GLOB_DAT ||
        relocation_type == R_X86_64_JUMP_SLOT;
#else
    return relocation_type == R_AARCH64_ABS64 || relocation_type == R_AARCH64_GLOB_DAT ||
        relocation_type == R_AARCH64_JUMP_SLOT;
#endif
}

/* Opens or closes the part of the data that the linker closes after relocation. */
bool loaded_library::protect(int protection) const
{
    const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));

    for (const ElfW(Phdr) & segment : segments_) {
        if (segment.p_type != PT_GNU_RELRO)
            continue;
        const ElfW(Addr) start = (map_->l_addr + segment.p_vaddr) & ~(page - 1);
        const ElfW(Addr) end = (map_->l_addr + segment.p_vaddr + segment.p_memsz) & ~(page - 1);
        if (end > start && mprotect(reinterpret_cast<void *>(start), end - start, protection) != 0)
            return false;
    }
    return true;
}

loaded_library::result loaded_library::change_words(const std::vector<change> &changes) const
{
    for (const auto &[address, value] : changes) {
        const ElfW(Phdr) *segment = segment_of(address);
        if (segment == nullptr || (segment->p_flags & (PF_W | PF_X)) != PF_W)
            return result::is_code;
    }
    if (!protect(PROT_READ | PROT_WRITE))
        return result::is_protected;
    for (const auto &[address, value] : changes)
        *reinterpret_cast<ElfW(Addr) *>(address) = value;
    return protect(PROT_READ) ? result::done : result::is_protected;
}

}  // namespace pmpi
