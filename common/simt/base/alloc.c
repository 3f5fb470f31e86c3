// Wraps malloc, aligned_alloc and mmap so that no caller checks for NULL, and keeps cleared pieces between launches.
#include "base/alloc.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// No exit(): its handlers may wait for a lock that this thread holds.
static void *there(void *p, size_t count, size_t size)
{
    if (p)
        return p;
    fprintf(stderr,
            "simt: the host cannot allocate %zu bytes for the machine; use smaller inputs, or raise ulimit -v\n",
            size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    fflush(stdout);
    _exit(1);
}

void alloc_failed(size_t size)
{
    there(NULL, 1, size);
    _exit(1);
}

void *alloc_zeroed(size_t count, size_t size)
{
    return there(calloc(count ? count : 1, size), count, size);
}

void *alloc_resize(void *p, size_t count, size_t size)
{
    return there(size && count > SIZE_MAX / size ? NULL : realloc(p, count * size), count, size);
}

void *alloc_aligned(size_t align, size_t size)
{
    return there(aligned_alloc(align, (size + align - 1) / align * align), 1, size);
}

void *alloc_padded(size_t count, size_t size)
{
    return alloc_zeroed(1, (count + 1) * size + 128);
}

void open_pages(void *p, size_t size)
{
    there(mprotect(p, size, PROT_READ | PROT_WRITE) ? NULL : p, 1, size);
}

// Zeroed pages, which become memory when they are touched; munmap returns them.
static void *alloc_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return there(p == MAP_FAILED ? NULL : p, 1, size);
}

// ---- memory kept between launches

#define CLASSES 6                // size classes, each twice as large as the one before
#define LEAST ((size_t)32 << 10) // bytes of a piece in the first class
#define SLAB ((size_t)2 << 20)   // bytes of a slab that is cut into pieces: one large page, if the host has them

struct piece {
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *first[CLASSES];
    uint8_t *slab;
    size_t left; // bytes left in the slab
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The size class; CLASSES: too large to be kept.
static unsigned class_of(size_t size)
{
    unsigned class = 0;
    while (class < CLASSES && LEAST << class < size)
        class ++;
    return class;
}

static void *cut(size_t size)
{
    if (kept.left < size) {
        kept.slab = alloc_pages(SLAB);
        kept.left = SLAB;
        madvise(kept.slab, SLAB, MADV_HUGEPAGE);
    }
    kept.left -= size;
    return kept.slab + kept.left;
}

void *alloc_cached(size_t size)
{
    const unsigned class = class_of(size);
    if (class == CLASSES)
        return alloc_pages(size);
    pthread_mutex_lock(&kept.lock);
    struct piece *p = kept.first[class];
    void *new = p ? NULL : cut(LEAST << class);
    kept.first[class] = p ? p->next : NULL;
    pthread_mutex_unlock(&kept.lock);
    return p ? memset(p, 0, size) : new;
}

void free_cached(void *p, size_t size)
{
    const unsigned class = class_of(size);
    struct piece *piece = p;
    if (!p)
        return;
    if (class == CLASSES) {
        munmap(p, size);
        return;
    }
    pthread_mutex_lock(&kept.lock);
    piece->next = kept.first[class];
    kept.first[class] = piece;
    pthread_mutex_unlock(&kept.lock);
}
