/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* dladdr1, link_map, memfd_create */
#endif
#include "mpiimpl.h"
#include "mpii_qmpi.h"

#ifdef ENABLE_QMPI

#include "mpii_qmpi_member.h"

/* An unmodified PMPI tool is a shared library that defines MPI_X and calls PMPI_X. As a member of the
 * chain its MPI_X has to be called by the tool before it and its PMPI_X has to lead to the tool
 * behind it, for each instance of its own. The system's linker knows one PMPI_X for all, so the
 * references of the tool are bound anew, in its data, when it is loaded:
 *
 *     PMPI_X                          the next link, behind this member
 *     MPI_X that it defines           its own
 *     MPI_X that it does not define   the next link
 *     dlsym                           a function that answers in the same way
 *     pmpi_x_ and its like            qmpi_x_: what it calls in Fortran reaches no tool, but neither
 *                                     does it come back to the member
 *
 * Both ends of every function are in a library of their own (qmpi_member.c), the shim. For every
 * member it is loaded from another copy of its file, which gives each its own data and so a PMPI_X
 * that knows where it is in the chain, in whatever thread it is called.
 *
 * All that must be done when the tool is bound and none of its constructors has run, for many tools
 * look their functions up in one. The linker runs constructors from the last library that it loads
 * to the first, so both are loaded as what a third library needs: a few headers made here, which
 * need the tool, then the shim. The shim's constructor comes first and calls MPII_QMPI_Pmpi_attach.
 *
 * The libraries that come with the tool belong to it where they use MPI: some tools keep their wrappers
 * apart from what calls PMPI for them. Since the linker loads them once for all, they can
 * belong to one entry of the list only. */

/* without weak symbols MPI has a library for MPI_X and one for PMPI_X: not supported */
#if defined(MPII_QMPI_HAVE_MEMBERS) && defined(USE_WEAK_SYMBOLS)

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define RELOC_ADDRESS R_X86_64_64
#define RELOC_GOT R_X86_64_GLOB_DAT
#define RELOC_CALL R_X86_64_JUMP_SLOT
#else
#define MACHINE EM_AARCH64
#define RELOC_ADDRESS R_AARCH64_ABS64
#define RELOC_GOT R_AARCH64_GLOB_DAT
#define RELOC_CALL R_AARCH64_JUMP_SLOT
#endif
#if __BYTE_ORDER == __LITTLE_ENDIAN
#define BYTE_ORDER_HERE ELFDATA2LSB
#else
#define BYTE_ORDER_HERE ELFDATA2MSB
#endif

typedef struct link_map Library;

typedef struct {
    Library **library;
    int number;
} Libraries;

/* All libraries that were bound to a member. */
static Libraries bound;

/* The entry that is being opened: there is one at a time, the chain's lock is held. */
static struct {
    const char *path;           /* as the user named it, NULL while no entry is opened */
    const char *wrapper;        /* file that needs the tool and the shim */
    char *message;
    size_t size;
    MPII_QMPI_Member *member;   /* set by the shim's constructor */
    int error;
} opening;

static int ATTRIBUTE((format(printf, 1, 2))) refuse(const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    vsnprintf(opening.message, opening.size, format, varargs);
    va_end(varargs);
    return MPI_ERR_OTHER;
}

static void *resize(void *memory, size_t number, size_t size)
{
    void *resized = MPL_direct_realloc(memory, number * size);

    if (!resized)
        MPII_QMPI_fatal("out of memory");
    return resized;
}

static void add(Libraries * libraries, Library * library)
{
    libraries->library = resize(libraries->library, libraries->number + 1, sizeof(Library *));
    libraries->library[libraries->number++] = library;
}

static bool contains(const Libraries * libraries, const Library * library)
{
    for (int i = 0; i < libraries->number; i++)
        if (libraries->library[i] == library)
            return true;
    return false;
}

static void ATTRIBUTE((destructor)) release_bound(void)
{
    MPL_direct_free(bound.library);
    bound.library = NULL;
    bound.number = 0;
}

/* ---- what a loaded library says of itself ---- */

static ElfW(Addr) entry_of(const Library * library, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) * d = library->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_val;
    return 0;
}

/* The linker replaces what is an address in the file by that in memory, unless it cannot write there. */
static const void *table_of(const Library * library, ElfW(Sxword) tag)
{
    ElfW(Addr) address = entry_of(library, tag);

    if (address && address < library->l_addr)
        address += library->l_addr;
    return (const void *) address;
}

static const char *string_of(const Library * library, ElfW(Word) offset)
{
    return (const char *) table_of(library, DT_STRTAB) + offset;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Without a name of its own a library goes by its file's. */
static const char *name_of(const Library * library)
{
    ElfW(Addr) name = entry_of(library, DT_SONAME);
    return name ? string_of(library, name) : base_name(library->l_name);
}

/* Number of symbols: that is known to hash tables only. */
static size_t num_symbols(const Library * library)
{
    const ElfW(Word) * hash = table_of(library, DT_HASH);
    const ElfW(Word) * gnu = table_of(library, DT_GNU_HASH);
    const ElfW(Word) * buckets, *chains;
    ElfW(Word) last = 0;

    if (hash)
        return hash[1];
    if (!gnu)
        return 0;
    /* number of buckets, first symbol, words of the filter, shift; filter; buckets; chains */
    buckets = gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / sizeof(ElfW(Word)));
    chains = buckets + gnu[0];
    for (ElfW(Word) i = 0; i < gnu[0]; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < gnu[1])
        return gnu[1];
    /* the end of a chain is marked by an odd number */
    while (!(chains[last - gnu[1]] & 1))
        last++;
    return last + 1;
}

static bool is_definition(const ElfW(Sym) * symbol)
{
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
        ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

/* A function that the library exports, NULL if it has none of that name. */
static void *find_defined(const Library * library, const char *name)
{
    const ElfW(Sym) * symbol = table_of(library, DT_SYMTAB);
    size_t n = num_symbols(library);

    for (size_t i = 0; i < n; i++)
        if (is_definition(&symbol[i]) && !strcmp(string_of(library, symbol[i].st_name), name))
            return (void *) (library->l_addr + symbol[i].st_value);
    return NULL;
}

/* ---- libraries of this process ---- */

static Library *first_library(const Library * any)
{
    while (any->l_prev)
        any = any->l_prev;
    return (Library *) any;
}

static Library *library_of(const void *address)
{
    Dl_info info;
    Library *library;

    return dladdr1(address, &info, (void **) &library, RTLD_DL_LINKMAP) ? library : NULL;
}

static Library *libmpi(void)
{
    return library_of(MPIR_QMPI_tail);
}

/* A loaded library by the name under which another one needs it. */
static Library *find_needed(const char *name)
{
    Library *library;

    for (library = first_library(libmpi()); library; library = library->l_next) {
        if (!strcmp(library->l_name, name))
            break;
        if (!strchr(name, '/') && library->l_name[0] &&
            (!strcmp(name_of(library), name) || !strcmp(base_name(library->l_name), name)))
            break;
    }
    return library;
}

static bool is_libmpifort(const Library * library)
{
    return !strncmp(name_of(library), MPII_QMPI_LIBMPIFORT ".so",
                    sizeof(MPII_QMPI_LIBMPIFORT ".so") - 1);
}

/* MPI's own libraries serve the whole process. What is in them is never a tool's. */
static bool is_part_of_mpi(const Library * library)
{
    return library == libmpi() || is_libmpifort(library) ||
        !strncmp(name_of(library), MPII_QMPI_LIBMPICXX ".so",
                 sizeof(MPII_QMPI_LIBMPICXX ".so") - 1);
}

/* The tool and what it needs, directly or not, in the order in which the linker looks for symbols. */
static void collect(Library * tool, Libraries * libraries)
{
    add(libraries, tool);
    for (int i = 0; i < libraries->number; i++) {
        const Library *library = libraries->library[i];
        for (const ElfW(Dyn) * d = library->l_ld; d->d_tag != DT_NULL; d++) {
            Library *needed = d->d_tag == DT_NEEDED ?
                find_needed(string_of(library, d->d_un.d_val)) : NULL;
            if (needed && !is_part_of_mpi(needed) && !contains(libraries, needed))
                add(libraries, needed);
        }
    }
}

/* Whether a library was loaded together with the tool: it stands behind the wrapper then. */
static bool is_new(const Library * library)
{
    for (; library; library = library->l_prev)
        if (!strcmp(library->l_name, opening.wrapper))
            return true;
    return false;
}

/* ---- names of functions ---- */

/* The function of which name is the MPI_ or, with P in front, the PMPI_ form; -1 if of none. */
static int function_of(const char *name, bool * is_pmpi)
{
    *is_pmpi = name[0] == 'P';
    name += *is_pmpi;
    if (strncmp(name, "MPI", 3))
        return -1;
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        if (!strcmp(MPIR_QMPI_function_name[f], name))
            return f;
    return -1;
}

/* Name of a Fortran procedure of MPI: gives its QMPI_ form, which is as long at most. */
static bool qmpi_form(const char *name, char *form, size_t size)
{
    static const struct {
        const char *from, *to;
    } prefix[] = { {"pmpir_", "qmpir_"}, {"pmpixr_", "qmpixr_"}, {"pmpi_", "qmpi_"},
    {"pmpix_", "qmpix_"}, {"mpi_", "qmpi_"}, {"mpix_", "qmpix_"}
    };

    for (int i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++) {
        size_t length = strlen(prefix[i].from);
        if (!strncmp(name, prefix[i].from, length)) {
            /* mpi_send_f08ts_ of mpi_f08 */
            bool is_f08 = strstr(name, "_f08") && !strchr(prefix[i].to, 'r');
            return snprintf(form, size, "%.*s%s_%s", (int) strlen(prefix[i].to) - 1, prefix[i].to,
                            is_f08 ? "r" : "", name + length) < (int) size;
        }
    }
    return false;
}

/* The library's own procedure for a Fortran name, without tools. */
static void *find_procedure(const char *name)
{
    char form[256];
    void *procedure = NULL;

    if (qmpi_form(name, form, sizeof(form)))
        for (Library * library = first_library(libmpi()); library && !procedure;
             library = library->l_next)
            if (is_libmpifort(library))
                procedure = find_defined(library, form);
    return procedure;
}

/* What a reference of the tool to a name is bound to; NULL where the linker's choice stands. */
static void *find_target(const MPII_QMPI_Member * member, const Libraries * libraries,
                         const char *name)
{
    bool is_pmpi;
    int f;

    if (!strcmp(name, "dlsym"))
        return (void *) member->dlsym;
    f = function_of(name, &is_pmpi);
    if (f < 0) {
        void *procedure = find_procedure(name);
        for (int i = 0; i < libraries->number && procedure; i++) {
            void *own = find_defined(libraries->library[i], name);
            if (own)
                return own;
        }
        return procedure;
    }
    return (void *) (!is_pmpi && member->own[f] ? member->own[f] : member->ends[f].onward);
}

/* See MPII_QMPI_Member. */
static void *find_for_tool(MPII_QMPI_Member * member, void *handle, const char *name)
{
    bool is_pmpi;
    int f = name ? function_of(name, &is_pmpi) : -1;
    void *found = NULL;

    if (f < 0)
        return name && (handle == RTLD_NEXT || handle == RTLD_DEFAULT) ? find_procedure(name) : NULL;
    /* a library that has no such function has none here either */
    if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && !(found = dlsym(handle, name)))
        return NULL;
    if (!is_pmpi && member->own[f] && (handle == RTLD_DEFAULT || found == (void *) member->own[f]))
        return found ? found : (void *) member->own[f];
    return (void *) member->ends[f].onward;
}

/* ---- binding ---- */

/* What of a library can be written, and where the linker closed it again (RELRO). */
typedef struct {
    const Library *library;
    const ElfW(Phdr) * segments;
    int number;
} Layout;

static int find_layout(struct dl_phdr_info *info, size_t size, void *data)
{
    Layout *layout = data;

    if (info->dlpi_addr != layout->library->l_addr || info->dlpi_name != layout->library->l_name)
        return 0;
    layout->segments = info->dlpi_phdr;
    layout->number = info->dlpi_phnum;
    return 1;
}

static bool is_data(const Layout * layout, ElfW(Addr) offset)
{
    for (int i = 0; i < layout->number; i++) {
        const ElfW(Phdr) * s = &layout->segments[i];
        if (s->p_type == PT_LOAD && offset >= s->p_vaddr && offset < s->p_vaddr + s->p_memsz)
            return (s->p_flags & PF_W) && !(s->p_flags & PF_X);
    }
    return false;
}

static bool protect(const Layout * layout, int protection)
{
    const ElfW(Addr) page = ~((ElfW(Addr)) sysconf(_SC_PAGESIZE) - 1);

    for (int i = 0; i < layout->number; i++) {
        const ElfW(Phdr) * s = &layout->segments[i];
        if (s->p_type == PT_GNU_RELRO) {
            ElfW(Addr) start = layout->library->l_addr + s->p_vaddr;
            ElfW(Addr) end = (start + s->p_memsz) & page;
            start &= page;
            if (end > start && mprotect((void *) start, end - start, protection))
                return false;
        }
    }
    return true;
}

/* One reference: where its address is kept, and what it has to be. */
typedef struct {
    ElfW(Addr) offset;
    ElfW(Addr) value;
} Reference;

typedef struct {
    Reference *reference;
    int number;
    int of_mpi;                 /* without those to dlsym */
} References;

/* Adds the library's references that have to be bound anew from one of its tables. */
static void find_references(const MPII_QMPI_Member * member, const Libraries * libraries,
                            const Library * library, ElfW(Sxword) table, ElfW(Sxword) size_of_table,
                            References * references)
{
    const ElfW(Rela) * rela = table_of(library, table);
    const ElfW(Sym) * symbols = table_of(library, DT_SYMTAB);
    size_t n = rela ? entry_of(library, size_of_table) / sizeof(*rela) : 0;

    for (size_t i = 0; i < n; i++) {
        unsigned type = ELF64_R_TYPE(rela[i].r_info);
        const ElfW(Sym) * symbol = &symbols[ELF64_R_SYM(rela[i].r_info)];
        const char *name = string_of(library, symbol->st_name);
        const void *const *place = (const void *const *) (library->l_addr + rela[i].r_offset);
        Reference *added;
        void *target;

        if ((type != RELOC_ADDRESS && type != RELOC_GOT && type != RELOC_CALL) || !*name)
            continue;
        target = find_target(member, libraries, name);
        /* what a weak reference did not find stays missing */
        if (!target || !*place)
            continue;
        references->reference = resize(references->reference, references->number + 1,
                                       sizeof(*added));
        added = &references->reference[references->number++];
        added->offset = rela[i].r_offset;
        added->value = (ElfW(Addr)) target + rela[i].r_addend;
        references->of_mpi += strcmp(name, "dlsym") != 0;
    }
}

static int bind_references(const Library * library, const References * references)
{
    Layout layout = { .library = library };

    dl_iterate_phdr(find_layout, &layout);
    for (int i = 0; i < references->number; i++)
        if (!is_data(&layout, references->reference[i].offset))
            return refuse("the addresses of MPI functions are part of the code of %s, which is "
                          "not changed (compile it as position-independent code)", name_of(library));
    if (!protect(&layout, PROT_READ | PROT_WRITE))
        return refuse("the data of %s cannot be written: %s", name_of(library), strerror(errno));
    for (int i = 0; i < references->number; i++)
        *(ElfW(Addr) *) (library->l_addr + references->reference[i].offset) =
            references->reference[i].value;
    protect(&layout, PROT_READ);
    return 0;
}

/* Makes a library the member's, unless somebody else has it already. */
static int claim(Library * library)
{
    const bool is_bound = contains(&bound, library);

    if (!is_new(library) && is_bound)
        return refuse("it needs %s, which uses MPI or dlsym and belongs to an earlier entry of "
                      "the list: of such libraries there is only one in a process", name_of(library));
    if (!is_new(library))
        return refuse("it needs %s, which uses MPI and which the program has loaded for itself: "
                      "calls of the tool and of the program cannot be told apart", name_of(library));
    if (!is_bound)
        add(&bound, library);
    return 0;
}

static int bind_library(const MPII_QMPI_Member * member, const Libraries * libraries,
                        Library * library)
{
    References references = { NULL, 0, 0 };
    int error = 0;

    find_references(member, libraries, library, DT_RELA, DT_RELASZ, &references);
    find_references(member, libraries, library, DT_JMPREL, DT_PLTRELSZ, &references);
    /* dlsym alone is of no interest in what the program has loaded, the C library for one */
    if (references.of_mpi ||
        (references.number && (is_new(library) || contains(&bound, library)))) {
        error = claim(library);
        if (!error)
            error = bind_references(library, &references);
    }
    MPL_direct_free(references.reference);
    return error;
}

/* Finds the functions that the tool wraps. Of several the first counts, as for the linker. */
static int find_own(MPII_QMPI_Member * member, const Libraries * libraries)
{
    const char *fortran = NULL;
    int number = 0;

    for (int i = 0; i < libraries->number; i++) {
        Library *library = libraries->library[i];
        const ElfW(Sym) * symbol = table_of(library, DT_SYMTAB);
        size_t n = num_symbols(library);
        for (size_t s = 0; s < n; s++) {
            const char *name = string_of(library, symbol[s].st_name);
            bool is_pmpi;
            int f;

            if (!is_definition(&symbol[s]))
                continue;
            f = function_of(name, &is_pmpi);
            if (f < 0 && !strncmp(name, "mpi_", 4))
                fortran = name;
            if (f < 0)
                continue;
            if (is_pmpi)
                return refuse("%s, which belongs to it, is an MPI library and not the program's "
                              "(it defines %s)", library->l_name, name);
            if (!member->own[f]) {
                int error = claim(library);
                if (error)
                    return error;
                member->own[f] = (MPIR_QMPI_Any_function *) (library->l_addr + symbol[s].st_value);
                number++;
            }
        }
    }
    if (number)
        return 0;
    if (fortran)
        return refuse("it wraps functions of Fortran (%s) and none of C; a member of the chain "
                      "needs those of C, by which calls from Fortran come too", fortran);
    return refuse("it defines no function of MPI, so it is no PMPI tool");
}

static int adopt(MPII_QMPI_Member * member)
{
    Libraries libraries = { NULL, 0 };
    Library *tool = first_library(libmpi());
    int error;

    if (member->num_functions != MPI_LAST_FUNC_T)
        return refuse("%s belongs to another version of this MPI library",
                      library_of(member)->l_name);
    while (strcmp(tool->l_name, opening.wrapper))
        tool = tool->l_next;
    /* what a library needs first is listed behind it */
    tool = tool->l_next;
    collect(tool, &libraries);
    error = find_own(member, &libraries);
    for (int i = 0; i < libraries.number && !error; i++)
        error = bind_library(member, &libraries, libraries.library[i]);
    MPL_direct_free(libraries.library);
    return error;
}

void MPII_QMPI_Pmpi_attach(MPII_QMPI_Member * member)
{
    if (!opening.path)
        return;
    member->next = MPIR_QMPI_tail;
    member->find = find_for_tool;
    opening.error = adopt(member);
    opening.member = member;
}

/* ---- files ---- */

/* Whether the path leads to the open file, and code can be loaded from it: /proc may be missing or
 * another system's, and a folder may be mounted without execution. */
static bool can_load(int fd, const char *path)
{
    struct stat by_path, by_fd;
    void *code;

    if (stat(path, &by_path) || fstat(fd, &by_fd) || by_path.st_dev != by_fd.st_dev ||
        by_path.st_ino != by_fd.st_ino)
        return false;
    code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    if (code == MAP_FAILED)
        return false;
    munmap(code, 1);
    return true;
}

/* Makes an empty file of which this process alone knows: memory that the system shows as a file,
 * else a temporary one. Returns it open, -1 if there is no place, and its path, which is no other
 * file's while it is open. */
static int create_private(const char *name, char *path)
{
    const char *folder = getenv("TMPDIR");
    int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd >= 0) {
        snprintf(path, PATH_MAX, "/proc/%ld/fd/%d", (long) getpid(), fd);
        if (can_load(fd, path))
            return fd;
        close(fd);
    }
    if (snprintf(path, PATH_MAX, "%s/qmpi-XXXXXX", folder && *folder ? folder : "/tmp") >= PATH_MAX)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0 && !can_load(fd, path)) {
        unlink(path);
        close(fd);
        fd = -1;
    }
    return fd;
}

static int create_copy(const char *file, const char *name, char *path, int *fd)
{
    ssize_t copied = 0;
    int from = open(file, O_RDONLY | O_CLOEXEC);

    if (from < 0)
        return refuse("%s: %s", file, strerror(errno));
    *fd = create_private(name, path);
    if (*fd >= 0)
        while ((copied = sendfile(*fd, from, NULL, 1 << 30)) > 0);
    close(from);
    if (*fd < 0 || copied < 0)
        return refuse("no private copy of %s can be made: %s", file, strerror(errno));
    return 0;
}

/* A library that has nothing but needs: the tool, then the shim. */
static int create_wrapper(const char *tool, const char *shim, char *path, int *fd)
{
    const size_t tool_size = strlen(tool) + 1, shim_size = strlen(shim) + 1;
    struct {
        ElfW(Ehdr) header;
        ElfW(Phdr) segments[3];
        ElfW(Dyn) needs[7];
        ElfW(Sym) no_symbol;
        char strings[1 + 2 * PATH_MAX];
    } file;
    const size_t size = sizeof(file);

    memset(&file, 0, size);
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = BYTE_ORDER_HERE;
    file.header.e_ident[EI_VERSION] = EV_CURRENT;
    file.header.e_type = ET_DYN;
    file.header.e_machine = MACHINE;
    file.header.e_version = EV_CURRENT;
    file.header.e_phoff = (char *) file.segments - (char *) &file;
    file.header.e_ehsize = sizeof(file.header);
    file.header.e_phentsize = sizeof(file.segments[0]);
    file.header.e_phnum = 3;
    file.segments[0] = (ElfW(Phdr)) {
        .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = size, .p_memsz = size,
            .p_align = 0x10000};
    file.segments[1] = (ElfW(Phdr)) {
        .p_type = PT_DYNAMIC, .p_flags = PF_R | PF_W, .p_filesz = sizeof(file.needs), .p_memsz =
            sizeof(file.needs), .p_align = 8, .p_offset = (char *) file.needs - (char *) &file};
    file.segments[1].p_vaddr = file.segments[1].p_paddr = file.segments[1].p_offset;
    /* without it the linker believes that the stack must be executable */
    file.segments[2] = (ElfW(Phdr)) {
        .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    file.needs[0] = (ElfW(Dyn)) { DT_NEEDED, {1}};
    file.needs[1] = (ElfW(Dyn)) { DT_NEEDED, {1 + tool_size}};
    file.needs[2] = (ElfW(Dyn)) { DT_STRTAB, {(char *) file.strings - (char *) &file}};
    file.needs[3] = (ElfW(Dyn)) { DT_STRSZ, {sizeof(file.strings)}};
    file.needs[4] = (ElfW(Dyn)) { DT_SYMTAB, {(char *) &file.no_symbol - (char *) &file}};
    file.needs[5] = (ElfW(Dyn)) { DT_SYMENT, {sizeof(ElfW(Sym))}};
    memcpy(file.strings + 1, tool, tool_size);
    memcpy(file.strings + 1 + tool_size, shim, shim_size);

    *fd = create_private("qmpi-wrapper", path);
    if (*fd < 0 || write(*fd, &file, size) != (ssize_t) size)
        return refuse("no private file can be made: %s", strerror(errno));
    return 0;
}

/* The shim lies beside libmpi. */
static int find_shim(char *path)
{
    const Library *library = libmpi();
    char *end;

    if (!library->l_name[0])
        return refuse("the program contains the MPI library; a PMPI tool in the chain needs it as a "
                      "shared library");
    if (!realpath(library->l_name, path))
        return refuse("%s: %s", library->l_name, strerror(errno));
    end = strrchr(path, '/') + 1;
    if (snprintf(end, path + PATH_MAX - end, "mpich/qmpi-member.so") >= path + PATH_MAX - end)
        return refuse("the path of %s is too long", library->l_name);
    return 0;
}

/* ---- opening ---- */

/* The linker begins with the path where the file itself is at fault. */
static int refuse_as_linker(const char *reason)
{
    const size_t length = strlen(opening.path);

    if (!strncmp(reason, opening.path, length) && !strncmp(reason + length, ": ", 2))
        reason += length + 2;
    return refuse("%s", reason);
}

enum { SHIM, TOOL, WRAPPER, NUM_FILES };

static int load(int instance)
{
    char path[NUM_FILES][PATH_MAX];
    char shim_name[64], tool_name[64];
    int fd[NUM_FILES] = { -1, -1, -1 };
    int error;
    Library *loaded;

    if (strlen(opening.path) >= PATH_MAX)
        return refuse("the path is too long");
    error = find_shim(path[WRAPPER]);
    if (error)
        return error;
    snprintf(tool_name, sizeof(tool_name), "%.40s:%d", base_name(opening.path), instance);
    snprintf(shim_name, sizeof(shim_name), "qmpi-member:%d", instance);
    error = create_copy(path[WRAPPER], shim_name, path[SHIM], &fd[SHIM]);

    /* the file itself, where it is not in the process yet: what it needs may lie beside it */
    loaded = dlopen(opening.path, RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded)
        strcpy(path[TOOL], opening.path);
    else if (!error)
        error = create_copy(loaded->l_name, tool_name, path[TOOL], &fd[TOOL]);
    if (loaded)
        dlclose(loaded);

    if (!error)
        error = create_wrapper(path[TOOL], path[SHIM], path[WRAPPER], &fd[WRAPPER]);
    opening.wrapper = path[WRAPPER];
    if (!error && dlopen(path[WRAPPER], RTLD_NOW | RTLD_LOCAL)) {
        error = opening.member ? opening.error : refuse("the program has two MPI libraries");
    } else {
        if (!error)
            error = refuse_as_linker(dlerror());
        for (int i = 0; i < NUM_FILES; i++)
            if (fd[i] >= 0)
                close(fd[i]);
    }
    /* only temporary files can be removed, and nobody needs their names any more */
    for (int i = 0; i < NUM_FILES; i++)
        if (fd[i] >= 0)
            unlink(path[i]);
    return error;
}

int MPII_QMPI_Pmpi_open(const char *path, int instance, void **member, char *message, size_t size)
{
    int error;

    opening.path = path;
    opening.message = message;
    opening.size = size;
    opening.member = NULL;
    opening.error = 0;
    error = load(instance);
    opening.path = NULL;
    *member = error ? NULL : opening.member;
    return error;
}

/* ---- in the chain ---- */

static void find_links(int tool_id)
{
    MPII_QMPI_Member *member;

    PMPI_Get_tool_storage(NULL, tool_id, &member);
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        PMPI_Get_next_tool_function(tool_id, f, &member->links[f].fn, &member->links[f].tool_id);
    /* a thread that the tool started in its constructor may be calling */
    __atomic_store_n(&member->next, member->links, __ATOMIC_RELEASE);
}

void MPII_QMPI_Pmpi_init(int tool_id, void *opened)
{
    MPII_QMPI_Member *member = opened;

    PMPI_Register_tool_storage(tool_id, member);
    PMPIX_Register_tool_ready_function(tool_id, find_links);
    for (int f = 0; f < MPI_LAST_FUNC_T; f++)
        if (member->own[f])
            PMPI_Register_tool_function(tool_id, f, member->ends[f].enter);
}

#else

int MPII_QMPI_Pmpi_open(const char *path, int instance, void **member, char *message, size_t size)
{
    snprintf(message, size, "PMPI tools in the chain need Linux with the GNU C library on x86-64 or "
             "AArch64, and MPI built with weak symbols");
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

void MPII_QMPI_Pmpi_init(int tool_id, void *opened)
{
}

void MPII_QMPI_Pmpi_attach(MPII_QMPI_Member * member)
{
}

#endif

#endif /* ENABLE_QMPI */
