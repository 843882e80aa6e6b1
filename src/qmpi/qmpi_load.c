/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"
#include "mpii_qmpi_list.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __ELF__
#include <elf.h>
#include <link.h>
#endif
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds a tool for every entry of the list. A name that is not registered yet is searched for in
 * the directories of MPIR_CVAR_QMPI_TOOL_PATH, then in mpich/tools beside libmpi, as
 * libqmpi_NAME.so or libNAME.so. A library is loaded once and never unloaded, because the process
 * may hold pointers into it. Its tools are those whose init callback it contains; if there are
 * none, a dependency may have registered for it, and its tools are those that were registered
 * while it was loaded. */

/* Libraries loaded for the list. */
typedef struct Library {
    struct Library *next;
    dev_t device;
    ino_t inode;
    int number;                 /* from 1, in the order of loading */
    const MPII_QMPI_Tool *conflicting;  /* tool whose name it tried to register, or NULL */
} Library;

static Library *libraries = NULL;

/* Why an entry cannot be used, as a sentence. */
typedef char Message[MPII_QMPI_MAX_MESSAGE / 2];

/* Sets the message; returns false for functions that find no tool. */
static bool ATTRIBUTE((format(printf, 2, 3))) fail(Message message, const char *format, ...)
{
    va_list varargs;

    va_start(varargs, format);
    vsnprintf(message, sizeof(Message), format, varargs);
    va_end(varargs);
    return false;
}

static const char *show(const char *text, char *shown, size_t size)
{
    return MPII_QMPI_show(text, strlen(text), shown, size);
}

/* ---- names of tools for messages ---- */

typedef struct {
    char text[MPII_QMPI_MAX_MESSAGE / 4];
    size_t used;
    bool is_full;
} Names;

static void add_name(Names * names, const char *name)
{
    char shown[MPII_QMPI_SHOWN];
    const size_t room = sizeof(names->text) - names->used;

    if (names->is_full)
        return;
    show(name, shown, sizeof(shown));
    names->is_full = strlen(shown) + sizeof(", , ...") > room;
    names->used += snprintf(names->text + names->used, room, "%s%s", names->used ? ", " : "",
                            names->is_full ? "..." : shown);
}

static const char *text_of(const Names * names)
{
    return names->used ? names->text : "none";
}

/* ---- a library ---- */

static bool is_same_file(const char *path, const struct stat *file)
{
    struct stat other;

    return path && stat(path, &other) == 0 && other.st_dev == file->st_dev &&
        other.st_ino == file->st_ino;
}

/* The dynamic linker maps segments without comparing them with the file's length: a truncated
 * library would end the process with SIGBUS. It names other defects itself. */
static bool is_truncated(int fd, off_t size)
{
#ifdef __ELF__
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;

    if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof(segment))
        return false;
    for (int i = 0; i < header.e_phnum; i++) {
        const off_t place = header.e_phoff + (off_t) i * sizeof(segment);
        if (pread(fd, &segment, sizeof(segment), place) != sizeof(segment) ||
            (segment.p_type == PT_LOAD && (segment.p_offset > (uintmax_t) size ||
                                           segment.p_filesz > size - segment.p_offset)))
            return true;
    }
#endif
    return false;
}

/* The dynamic linker may open regular files only: it would wait for the writer of a pipe. */
static bool is_loadable(const char *path, struct stat *file, Message message)
{
    char shown[MPII_QMPI_MAX_MESSAGE / 4];
    bool truncated;
    int fd;

    show(path, shown, sizeof(shown));
    if (stat(path, file) != 0)
        return fail(message, "'%s' cannot be loaded: %s", shown, strerror(errno));
    if (S_ISDIR(file->st_mode))
        return fail(message, "'%s' cannot be loaded: it is a directory", shown);
    if (!S_ISREG(file->st_mode))
        return fail(message, "'%s' cannot be loaded: it is not a regular file", shown);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(message, "'%s' cannot be loaded: %s", shown, strerror(errno));
    truncated = is_truncated(fd, file->st_size);
    close(fd);
    if (truncated)
        return fail(message, "'%s' cannot be loaded: it is truncated", shown);
    return true;
}

/* Tools that are not linked with the MPI library find its functions even if an interpreter loaded
 * it without RTLD_GLOBAL. */
static void make_mpi_global(void)
{
    static bool done = false;
    Dl_info info;

    if (!done && dladdr((void *) make_mpi_global, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    done = true;
}

static Library *find_library(const struct stat *file)
{
    Library *library = libraries;

    while (library && (library->device != file->st_dev || library->inode != file->st_ino))
        library = library->next;
    return library;
}

/* Loads a library unless it is loaded and sets file to its stat data; NULL with a message if it
 * cannot be loaded. */
static const Library *load(const char *path, struct stat *file, Message message)
{
    char shown[MPII_QMPI_MAX_MESSAGE / 4];
    const char *error;
    Library *library;

    if (!is_loadable(path, file, message))
        return NULL;
    library = find_library(file);
    if (!library) {
        library = MPII_QMPI_allocate(1, sizeof(*library));
        library->next = libraries;
        library->device = file->st_dev;
        library->inode = file->st_ino;
        library->number = libraries ? libraries->number + 1 : 1;
        make_mpi_global();
        MPII_QMPI_set_loading(library->number);
        dlerror();
        error = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) ? NULL : dlerror();
        library->conflicting = MPII_QMPI_conflicting_tool();
        MPII_QMPI_set_loading(0);
        if (error) {
            /* remove the path with which many of the linker's messages begin */
            char reason[MPII_QMPI_MAX_MESSAGE / 4];
            const size_t length = strlen(path);
            if (!strncmp(error, path, length) && !strncmp(error + length, ": ", 2))
                error += length + 2;
            MPL_direct_free(library);
            fail(message, "'%s' cannot be loaded: %s", show(path, shown, sizeof(shown)),
                 show(error, reason, sizeof(reason)));
            return NULL;
        }
        libraries = library;
    }
    return library;
}

/* A library's tools. */
typedef struct {
    const MPII_QMPI_Tool *last;
    const MPII_QMPI_Tool *wanted;       /* the one with the wanted name, or NULL */
    int count;
    Names names;
} Found;

static void add_found(Found * found, const MPII_QMPI_Tool * tool, const char *wanted)
{
    found->last = tool;
    found->count++;
    if (wanted && !strcmp(tool->name, wanted))
        found->wanted = tool;
    add_name(&found->names, tool->name);
}

static void find_tools(const struct stat *file, int number, const char *wanted, Found * found)
{
    const MPII_QMPI_Tool *tool;

    memset(found, 0, sizeof(*found));
    for (tool = MPII_QMPI_first_tool(); tool; tool = MPII_QMPI_next_tool(tool))
        if (is_same_file(tool->file, file))
            add_found(found, tool, wanted);
    if (found->count)
        return;
    for (tool = MPII_QMPI_first_tool(); tool; tool = MPII_QMPI_next_tool(tool))
        if (tool->library == number)
            add_found(found, tool, wanted);
}

/* The library's tool with the name, or its only tool if name is NULL; NULL with a message if there
 * is none. */
static const MPII_QMPI_Tool *load_tool(const char *path, const char *name, Message message)
{
    char shown[MPII_QMPI_SHOWN * 4], wanted[MPII_QMPI_SHOWN];
    struct stat file;
    Found found;
    const Library *library = load(path, &file, message);

    if (!library)
        return NULL;
    find_tools(&file, library->number, name, &found);
    show(path, shown, sizeof(shown));
    if (found.count == 0 && library->conflicting)
        fail(message, "'%s' has registered no tool: another one has the name '%s' already", shown,
             show(library->conflicting->name, wanted, sizeof(wanted)));
    else if (found.count == 0)
        fail(message, "'%s' has registered no tool", shown);
    else if (name && !found.wanted)
        fail(message, "'%s' has not registered '%s' (it has registered: %s)", shown,
             show(name, wanted, sizeof(wanted)), text_of(&found.names));
    else if (!name && found.count > 1)
        fail(message, "'%s' has registered several tools: write NAME=%s with one of %s", shown,
             shown, text_of(&found.names));
    else
        return name ? found.wanted : found.last;
    return NULL;
}

/* ---- directories ---- */

/* The directory of tools beside the file of this library; NULL if unknown, as in a static program
 * that was started by a name without a slash. The caller frees it. */
static char *own_directory(void)
{
#ifdef BUILD_MPI_ABI
    static const char below[] = "mpich/tools_abi";
#else
    static const char below[] = "mpich/tools";
#endif
    char *library = NULL, *directory = NULL;
    Dl_info info;

    if (dladdr((void *) own_directory, &info) && strchr(info.dli_fname, '/'))
        library = realpath(info.dli_fname, NULL);
    if (library) {
        const size_t length = strrchr(library, '/') + 1 - library;
        directory = MPII_QMPI_allocate(length + sizeof(below), 1);
        memcpy(directory, library, length);
        strcpy(directory + length, below);
    }
    MPL_external_free(library);
    return directory;
}

/* The tool's file in the directory; NULL if there is none. The caller frees it. */
static char *find_in(const char *directory, const char *name)
{
    static const char *const prefixes[] = { "libqmpi_", "lib" };
    const size_t size = strlen(directory) + strlen(name) + sizeof("/libqmpi_.so");
    char *path = MPII_QMPI_allocate(size, 1);
    struct stat file;

    for (int i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        snprintf(path, size, "%s/%s%s.so", directory, prefixes[i], name);
        if (stat(path, &file) == 0)
            return path;
    }
    MPL_direct_free(path);
    return NULL;
}

/* The same in the directories that are searched, and their names. */
static char *find_file(const char *name, Names * directories)
{
    char *path = MPII_QMPI_copy(MPII_QMPI_settings.path), *own = own_directory();
    char *rest = NULL, *found = NULL;

    for (const char *directory = strtok_r(path, ":", &rest); directory && !found;
         directory = strtok_r(NULL, ":", &rest)) {
        add_name(directories, directory);
        found = find_in(directory, name);
    }
    if (own && !found) {
        add_name(directories, own);
        found = find_in(own, name);
    }
    MPL_direct_free(path);
    MPL_direct_free(own);
    return found;
}

/* ---- entries ---- */

static const MPII_QMPI_Tool *find_name(const char *name, Message message)
{
    const MPII_QMPI_Tool *tool = MPII_QMPI_find_tool(name);
    Names directories = {.used = 0 };
    char shown[MPII_QMPI_SHOWN], *path = NULL;

    if (!tool)
        path = find_file(name, &directories);
    if (path)
        tool = load_tool(path, name, message);
    else if (!tool)
        fail(message, "no tool named '%s': it is not registered and not in the tool directories "
             "(%s); qmpi_info lists the tools", show(name, shown, sizeof(shown)),
             text_of(&directories));
    MPL_direct_free(path);
    return tool;
}

static bool find_entry(const MPII_QMPI_Entry * entry, MPII_QMPI_Instance * instance,
                       Message message)
{
    const MPII_QMPI_Tool *tool;

    if (entry->fault)
        return fail(message, "%s", entry->fault);
    tool = entry->path ? load_tool(entry->path, entry->name, message) : find_name(entry->name,
                                                                                  message);
    if (!tool || MPII_QMPI_is_unusable(tool, message, sizeof(Message)))
        return false;
    instance->tool = tool;
    instance->arguments = MPII_QMPI_copy(entry->arguments);
    return true;
}

static void forget_libraries(void)
{
    while (libraries) {
        Library *library = libraries;
        libraries = library->next;
        MPL_direct_free(library);
    }
}

MPII_QMPI_Instance *MPII_QMPI_load_list(const char *list, int *count)
{
    MPII_QMPI_Instance *instances;
    MPII_QMPI_Entry *entries;
    Message message;
    int num_entries;

    *count = 0;
    if (MPII_QMPI_parse_list(list, &entries, &num_entries, message, sizeof(message)) != 0)
        MPII_QMPI_fault("%s", message);
    instances = MPII_QMPI_allocate(num_entries, sizeof(*instances));
    for (int i = 0; i < num_entries; i++) {
        if (find_entry(&entries[i], &instances[*count], message))
            ++*count;
        else
            MPII_QMPI_fault("%s", message);
    }
    MPII_QMPI_free_entries(entries, num_entries);
    forget_libraries();
    return instances;
}
