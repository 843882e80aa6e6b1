/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_PMPI_HPP_INCLUDED
#define QMPI_PMPI_HPP_INCLUDED

/* An unmodified PMPI tool in the chain. Calls cross the border between both in two directions, each
 * with a function for every function of MPI:
 *
 *     from_chain   registered with MPI; calls the tool's MPI_X
 *     to_chain     what the tool calls as PMPI_X; calls the next link
 *
 * to_chain must know the instance, but the tool calls it from any thread with the arguments of PMPI_X
 * alone. So every instance has a stub for each function: a few instructions that note the
 * instance in the thread and jump to to_chain. The stubs are in a library that is generated for the
 * instance. calls.cpp has the functions, files.cpp the files to be loaded, library.cpp what can be
 * read and changed in a loaded library, pmpi.cpp the tool. */

#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <link.h>
#include <mpi.h>

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pmpi {

using any_function = void (*)();
constexpr int num_functions = MPI_LAST_FUNC_T;

/* ---- library.cpp ---- */

using address = ElfW(Addr);
using dynamic_entry = ElfW(Dyn);
using elf_header = ElfW(Ehdr);
using elf_symbol = ElfW(Sym);
using segment = ElfW(Phdr);

/* A loaded library: its program headers and the tables of its dynamic section. */
class library {
  public:
    struct symbol {
        const char *name;
        void *value;
        bool is_function;
    };
    /* A word in which the linker has put the address of a symbol. */
    struct reference {
        const char *name;
        address *word;
        address addend;
        std::optional<address> own; /* of the definition in this library, if it has one */
        bool is_unique;             /* the linker takes one definition for the whole process */
        bool is_data;               /* the word is no part of code */
    };

    library() = default;
    explicit library(const dl_phdr_info &info);
    static std::vector<library> all();
    bool operator==(const library &other) const { return dynamic_ == other.dynamic_; }
    bool is(const link_map &map) const { return dynamic_ == map.l_ld; }

    address load_address() const { return base_; }
    std::string_view path() const { return path_; }
    std::string_view file() const { return path().substr(path().rfind('/') + 1); }
    std::string name() const; /* the soname, or the file's name where there is none */
    bool contains(const void *place) const { return segment_of(place) != nullptr; }
    address value(std::int64_t tag) const; /* in the dynamic section; 0 if it is missing */
    void add_needed(std::vector<std::string_view> &names) const;
    std::vector<symbol> symbols() const; /* functions and variables that it exports */
    void *find_function(std::string_view name) const;
    std::vector<reference> references() const;

    /* Gives words of the data new values; refuses to change code. */
    void change(const std::vector<std::pair<address *, address>> &words) const;

    /* Replaces the mappings of the library's file, which is to be deleted, by those of an equal file or, if
     * fd is -1, by memory, and gives it the name of that file, so that neither /proc/self/maps nor the
     * linker's list names a deleted file. For constructors that run before those of the library. */
    void replace_file(int fd, const std::string &name) const;

  private:
    const segment *segment_of(const void *place) const;
    bool is_data(const void *place) const;
    std::size_t num_symbols() const;
    bool is_plain(const elf_symbol &s) const;
    void protect(int protection) const;

    /* The linker may have added the load address to the addresses in the dynamic section or not. Only
     * one of both is in the library. */
    template <typename Type>
    const Type *table(std::int64_t tag) const
    {
        const auto *place = reinterpret_cast<const char *>(value(tag));
        const bool is_relocated = place == nullptr || contains(place);
        return reinterpret_cast<const Type *>(is_relocated ? place : place + base_);
    }

    address base_ = 0;
    const char *path_ = "";
    const segment *segments_ = nullptr;
    const segment *segments_end_ = nullptr;
    std::size_t tls_module_ = 0;
    const dynamic_entry *dynamic_ = nullptr; /* identifies the library */
};

/* ---- calls.cpp ---- */

struct function {
    const char *name;
    any_function from_chain;
    any_function to_chain;
    any_function library; /* QMPI_X, nullptr where this library lacks the function */
};

/* by MPI_Functions_enum */
extern function functions[num_functions];
void fill_functions();

struct link {
    any_function function;
    int tool_id;
};

#ifdef __x86_64__
/* r10 and r11 carry no argument */
struct [[gnu::packed]] stub {
    std::uint8_t load_instance[2] = {0x49, 0xbb}; /* movabs $instance, %r11 */
    const void *instance;
    std::uint8_t note[5] = {0x64, 0x4c, 0x89, 0x1c, 0x25}; /* mov %r11, %fs:offset */
    std::int32_t offset;
    std::uint8_t load_target[2] = {0x49, 0xba}; /* movabs $target, %r10 */
    any_function target;
    std::uint8_t jump[3] = {0x41, 0xff, 0xe2}; /* jmp *%r10 */
};
#else
struct stub {
    std::uint32_t code[6] = {
        0x580000c9, /* ldr x9, instance */
        0x580000ea, /* ldr x10, offset */
        0xd53bd04b, /* mrs x11, tpidr_el0 */
        0xf82a6969, /* str x9, [x11, x10] */
        0x580000d0, /* ldr x16, target */
        0xd61f0200, /* br x16 */
    };
    const void *instance;
    std::int64_t offset;
    any_function target;
};
#endif

/* What the stub of a function that no library defines notes in place of an instance. */
struct missing_function {
    std::string name;
    std::string tool;
};

/* The copy that an instance has of a library that others use. */
struct private_copy {
    const void *original; /* its handle */
    std::string path;     /* by which the linker knows the copy; the file is gone */
};

struct instance {
    any_function own[num_functions] = {};     /* the tool's MPI_X, nullptr where it has none */
    std::bitset<num_functions> own_pmpi;      /* it defines PMPI_X too, as another name of MPI_X */
    const stub *stubs = nullptr;              /* by function, then those of special_stubs */
    std::atomic<const link *> links{nullptr}; /* by function; nullptr until the chain is built */
    link all_links[num_functions];
    std::vector<library> libraries;                       /* the tool's, in the linker's order */
    std::unordered_map<std::string_view, void *> symbols; /* that they export */
    std::deque<missing_function> missing;
    std::mutex copies_lock;
    std::vector<private_copy> copies;
};

/* Indices of the stubs that follow those of the functions. */
enum special_stubs { dlsym_stub = num_functions, dlopen_stub, num_stubs };

/* By tool id; written in init callbacks only. */
extern instance **instances;

/* The instance whose stub was called last in this thread, and where the stubs note it, relative to
 * the thread pointer. */
instance &calling_instance();
std::intptr_t calling_instance_offset();

/* Target of the stub of a missing function: writes a message and ends the process. */
[[noreturn]] void fail_missing_function();

/* ---- files.cpp; the functions throw std::runtime_error ---- */

[[noreturn]] void refuse(const std::string &reason);

/* A file to be loaded as a library: memory, or a temporary file if the system has no such files or allows
 * no code in them. The object removes the file and closes its descriptor; what was loaded from it stays. No
 * two have the same path, because the dynamic linker takes equal paths for one library. */
class private_file {
  public:
    explicit private_file(const std::string &name);
    ~private_file();
    private_file(const private_file &) = delete;
    private_file &operator=(const private_file &) = delete;

    const std::string &path() const { return path_; }
    bool is_temporary() const { return is_temporary_; }
    void write(const void *data, std::size_t size);
    void copy(const std::string &from);

  private:
    bool open_memory(const std::string &name);
    bool open_temporary(const std::string &name);
    bool check_executable();

    int fd_ = -1;
    bool is_temporary_ = false;
    std::string path_;
};

/* Refuses what the dynamic linker waits for, crashes on or has no clear message for. */
void check_library_file(const std::string &path);

/* A symbol that a generated library defines as one of its stubs. */
struct stub_symbol {
    std::string name;
    std::size_t stub;
};

stub make_stub(const void *instance, any_function target);

/* Writes a library of stubs that needs another library. When it is loaded, the linker calls constructor
 * before any other constructor of the libraries that it loads with it (DF_1_INITFIRST;
 * ld -z initfirst). Returns the offset of the stubs from the load address. */
std::size_t write_stubs(private_file &file, const std::string &needed,
                        const std::vector<stub> &stubs, const std::vector<stub_symbol> &symbols,
                        any_function constructor);

}  // namespace pmpi

#endif
