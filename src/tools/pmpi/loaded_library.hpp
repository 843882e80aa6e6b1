/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_PMPI_LOADED_LIBRARY_HPP_INCLUDED
#define QMPI_PMPI_LOADED_LIBRARY_HPP_INCLUDED

#include <link.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace pmpi {

/* True if a library was loaded by that name, or found by it in a folder. */
bool is_file_of(const link_map *map, std::string_view name);

/* A library in this process, seen through its dynamic section: link_map of the C library, program
 * headers by dl_iterate_phdr, tables of the ELF specification. */
class loaded_library {
  public:
    /* The address of a word of the library's data, and its new value. */
    using change = std::pair<ElfW(Addr), ElfW(Addr)>;
    enum class result { done, is_code, is_protected };

    explicit loaded_library(const link_map *map);

    /* All libraries in the order of the linker's list. */
    static std::vector<const link_map *> all_maps();
    /* The library that contains an address, nullptr if none. */
    static const link_map *map_of(const void *address);

    const link_map *map() const { return map_; }
    const char *path() const { return map_->l_name; }
    /* The soname, or the file's name where it has none. */
    std::string_view name() const;

    template <typename Visit>
    void each_needed(Visit visit) const
    {
        for (const ElfW(Dyn) *d = map_->l_ld; d->d_tag != DT_NULL; d++) {
            if (d->d_tag == DT_NEEDED)
                visit(std::string_view(strings_ + d->d_un.d_val));
        }
    }

    /* Calls visit(name, address) for every function that the library exports. */
    template <typename Visit>
    void each_function(Visit visit) const
    {
        const std::size_t n = num_symbols();
        for (std::size_t i = 0; i < n; i++) {
            const ElfW(Sym) &symbol = symbols_[i];
            if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
                visit(strings_ + symbol.st_name,
                      reinterpret_cast<void *>(map_->l_addr + symbol.st_value));
        }
    }

    /* The exported function of that name, nullptr if none. */
    void *find_function(std::string_view name) const;

    /* Calls visit(name, address of the word, addend) for every word that the linker has set to the
     * address of a symbol. */
    template <typename Visit>
    void each_reference(Visit visit) const
    {
        each_reference(DT_RELA, DT_RELASZ, visit);
        each_reference(DT_JMPREL, DT_PLTRELSZ, visit);
    }

    /* Changes words in the data of the library: all of them, or none if one is part of its code. */
    result change_words(const std::vector<change> &changes) const;

    /* True if the library asks the linker to run its constructors before all others. */
    bool is_first() const { return (value_of(DT_FLAGS_1) & DF_1_INITFIRST) != 0; }

  private:
    ElfW(Addr) value_of(ElfW(Sxword) tag) const;
    std::size_t num_symbols() const;
    bool protect(int protection) const;
    static bool is_address(unsigned relocation_type);

    /* Whether the linker has added the load address to the addresses of the dynamic section depends
     * on the platform; only one of both is inside of the library. */
    template <typename Type>
    const Type *table(ElfW(Sxword) tag) const
    {
        ElfW(Addr) address = value_of(tag);
        if (address != 0 && segment_of(address) == nullptr)
            address += map_->l_addr;
        return reinterpret_cast<const Type *>(address);
    }
    const ElfW(Phdr) * segment_of(ElfW(Addr) address) const;

    template <typename Visit>
    void each_reference(ElfW(Sxword) tag, ElfW(Sxword) size_tag, Visit &visit) const
    {
        const auto *rela = table<ElfW(Rela)>(tag);
        const std::size_t n = rela != nullptr ? value_of(size_tag) / sizeof(*rela) : 0;
        for (std::size_t i = 0; i < n; i++) {
            const char *name = strings_ + symbols_[ELF64_R_SYM(rela[i].r_info)].st_name;
            if (is_address(ELF64_R_TYPE(rela[i].r_info)) && *name != '\0')
                visit(name, map_->l_addr + rela[i].r_offset, rela[i].r_addend);
        }
    }

    const link_map *map_;
    std::vector<ElfW(Phdr)> segments_;
    const ElfW(Sym) * symbols_;
    const char *strings_;
};

}  // namespace pmpi

#endif
