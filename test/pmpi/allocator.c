/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* To be preloaded: an allocator that ends the process when it gets memory that is not its own. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char arena[1 << 29];
static size_t used;

static void *get(size_t size, size_t alignment)
{
    size_t gross = size + alignment + 64;
    uintptr_t start = (uintptr_t) arena + __atomic_fetch_add(&used, gross, __ATOMIC_RELAXED) + 32;

    start = (start + alignment - 1) / alignment * alignment;
    if (start + size > (uintptr_t) arena + sizeof(arena))
        abort();
    ((size_t *) start)[-1] = size;
    return (void *) start;
}

void *malloc(size_t size)
{
    return get(size, 16);
}

void *calloc(size_t number, size_t size)
{
    return get(number * size, 16);
}

void *memalign(size_t alignment, size_t size)
{
    return get(size, alignment < 16 ? 16 : alignment);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = memalign(alignment, size);
    return 0;
}

void free(void *memory)
{
    if (memory && ((char *) memory < arena || (char *) memory >= arena + sizeof(arena)))
        abort();
}

void *realloc(void *memory, size_t size)
{
    void *larger = malloc(size);

    if (memory) {
        size_t old = ((size_t *) memory)[-1];
        memcpy(larger, memory, old < size ? old : size);
        free(memory);
    }
    return larger;
}
