// The host's memory for the machine itself (alloc.h).
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// No exit(): its handlers may wait for a lock that this thread holds.
static void *there(void *p, size_t count, size_t size)
{
    if (p)
        return p;
    fprintf(stderr,
            "simt: the host has no %zu bytes left for the machine; use smaller inputs, or raise the limit on memory "
            "(ulimit -v)\n",
            size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    fflush(stdout);
    _exit(1);
}

void *alloc_zeroed(size_t count, size_t size)
{
    return there(calloc(count ? count : 1, size), count, size);
}

void *alloc_more(void *p, size_t count, size_t size)
{
    return there(size && count > SIZE_MAX / size ? NULL : realloc(p, count * size), count, size);
}

void *alloc_aligned(size_t align, size_t size)
{
    return there(aligned_alloc(align, (size + align - 1) / align * align), 1, size);
}

void open_pages(void *p, size_t size)
{
    there(mprotect(p, size, PROT_READ | PROT_WRITE) ? NULL : p, 1, size);
}

void *alloc_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return there(p == MAP_FAILED ? NULL : p, 1, size);
}
