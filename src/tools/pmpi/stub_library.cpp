/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "stub_library.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace pmpi {

namespace {

/* The first segment: headers and data. The stubs are the second. */
struct head {
    ElfW(Ehdr) header{};
    ElfW(Phdr) segments[4]{};
    ElfW(Dyn) dynamic[9]{};
    ElfW(Sym) no_symbol{};
    void (*constructor)();
};

}  // namespace

std::size_t write_stub_library(private_file &file, const std::string &tool, const instance &owner,
                               any_function dlsym_target, void (*constructor)())
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::string strings = '\0' + tool + '\0';
    const std::size_t size = sizeof(head) + strings.size();
    const std::size_t stubs_offset = (size + page - 1) / page * page;
    const std::size_t stubs_size = num_stubs * sizeof(stub);
    std::vector<char> image(stubs_offset + stubs_size);
    head h;

    std::memcpy(h.header.e_ident, ELFMAG, SELFMAG);
    h.header.e_ident[EI_CLASS] = ELFCLASS64;
    h.header.e_ident[EI_DATA] = ELFDATA2LSB;
    h.header.e_ident[EI_VERSION] = EV_CURRENT;
    h.header.e_type = ET_DYN;
#ifdef __x86_64__
    h.header.e_machine = EM_X86_64;
#else
    h.header.e_machine = EM_AARCH64;
#endif
    h.header.e_version = EV_CURRENT;
    h.header.e_phoff = offsetof(head, segments);
    h.header.e_ehsize = sizeof(h.header);
    h.header.e_phentsize = sizeof(h.segments[0]);
    h.header.e_phnum = 4;
    const auto segment = [](ElfW(Word) type, ElfW(Word) flags, std::size_t offset,
                            std::size_t bytes, std::size_t alignment) {
        return ElfW(Phdr){type, flags, offset, offset, offset, bytes, bytes, alignment};
    };
    h.segments[0] = segment(PT_LOAD, PF_R | PF_W, 0, size, page);
    h.segments[1] = segment(PT_LOAD, PF_R | PF_X, stubs_offset, stubs_size, page);
    h.segments[2] =
        segment(PT_DYNAMIC, PF_R | PF_W, offsetof(head, dynamic), sizeof(h.dynamic), alignof(head));
    /* without it the linker makes the stack executable */
    h.segments[3] = segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16);
    std::size_t n = 0;
    const auto add = [&](ElfW(Sxword) tag, std::size_t value) {
        h.dynamic[n].d_tag = tag;
        h.dynamic[n++].d_un.d_val = value;
    };
    add(DT_NEEDED, 1);
    add(DT_STRTAB, sizeof(head));
    add(DT_STRSZ, strings.size());
    add(DT_SYMTAB, offsetof(head, no_symbol));
    add(DT_SYMENT, sizeof(ElfW(Sym)));
    add(DT_INIT_ARRAY, offsetof(head, constructor));
    add(DT_INIT_ARRAYSZ, sizeof(h.constructor));
    add(DT_FLAGS_1, DF_1_INITFIRST);
    h.constructor = constructor;

    std::memcpy(image.data(), &h, sizeof(h));
    std::memcpy(image.data() + sizeof(h), strings.data(), strings.size());
    for (int i = 0; i < num_stubs; i++) {
        stub s;
        s.instance = &owner;
        s.offset = static_cast<decltype(s.offset)>(calling_instance_offset());
        s.target = i < num_functions ? functions[i].to_chain : dlsym_target;
        std::memcpy(image.data() + stubs_offset + i * sizeof(s), &s, sizeof(s));
    }
    file.append(image.data(), image.size());
    return stubs_offset;
}

}  // namespace pmpi
