// Shared allocations. Processes can share only whole pages, so an allocation's neighbours on its first and last page
// are shared, too.
#define _GNU_SOURCE
#include "memory/exported.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "memory/arena.h"

// The pages of an exported or imported allocation, while it is live.
struct shared_pages {
    uint64_t base, first, size;
    int file;
    struct shared_pages *next;
};

static struct {
    pthread_mutex_t lock;
    struct shared_pages *exports, *imports;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static struct shared_pages **find_pages(struct shared_pages **list, uint64_t base)
{
    while (*list && (*list)->base != base)
        list = &(*list)->next;
    return list;
}

static struct shared_pages *add_pages(struct shared_pages **list, uint64_t base, uint64_t size, int file)
{
    struct shared_pages *p = alloc_zeroed(1, sizeof *p);
    *p = (struct shared_pages){base, page_of(base), page_of(base + size + PAGE - 1) - page_of(base), file, *list};
    return *list = p;
}

// Remaps the pages to a file or, with file < 0, to private memory. Their contents stay.
static bool move_pages(const struct shared_pages *p, int file)
{
    void *copy = alloc_zeroed(1, p->size);
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    memory_open();
    memcpy(copy, at(p->first), p->size);
    bool moved = mmap(at(p->first), p->size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0) != MAP_FAILED;
    if (moved)
        memcpy(at(p->first), copy, p->size);
    memory_close();
    free(copy);
    return moved;
}

static void drop(struct shared_pages **link)
{
    struct shared_pages *p = *link;
    *link = p->next;
    move_pages(p, -1);
    close(p->file);
    free(p);
}

// ---- export

static struct shared_pages *share_pages(const struct allocation *a)
{
    int file = memfd_create("simt", MFD_CLOEXEC);
    struct shared_pages *p = file < 0 ? NULL : add_pages(&shared.exports, a->base, a->size, file);
    if (p && !ftruncate(file, (off_t)p->size) && move_pages(p, file))
        return p;
    if (p)
        drop(&shared.exports);
    return NULL;
}

bool memory_export(uint64_t address, struct exported *out)
{
    const struct allocation *a = memory_find(address);
    if (!a || !a->live || a->kind != MEMORY_DEVICE || a->base != address)
        return false;
    pthread_mutex_lock(&shared.lock);
    struct shared_pages *p = *find_pages(&shared.exports, a->base);
    p = p ? p : share_pages(a);
    if (p)
        *out = (struct exported){getpid(), p->file, a->device, a->base - p->first, a->size};
    pthread_mutex_unlock(&shared.lock);
    if (p)
        memory_mark_written(a->base, a->size); // by another process, unnoticed
    return p != NULL;
}

void memory_end_export(uint64_t base)
{
    pthread_mutex_lock(&shared.lock);
    struct shared_pages **link = find_pages(&shared.exports, base);
    if (*link)
        drop(link);
    pthread_mutex_unlock(&shared.lock);
}

// ---- import

static int open_export(const struct exported *e)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)e->process, e->file);
    return open(path, O_RDWR | O_CLOEXEC);
}

// Separate pages for an allocation that begins `offset` bytes into the first page.
static struct allocation *take_pages(const struct exported *e, int device)
{
    struct allocation *a = memory_alloc(e->size + 3 * PAGE, MEMORY_IMPORTED, device);
    if (!a)
        return NULL;
    uint64_t base = page_of(a->base + PAGE - 1) + e->offset;
    pthread_mutex_lock(&arena.lock);
    arena.used[a->device] -= a->size - e->size;
    a->span -= base - a->base;
    a->base = base;
    a->size = e->size;
    pthread_mutex_unlock(&arena.lock);
    return a;
}

uint64_t memory_import(const struct exported *e, int device)
{
    int file = e->offset < PAGE && e->size && e->size <= memory_capacity() ? open_export(e) : -1;
    struct allocation *a = file < 0 ? NULL : take_pages(e, device);
    if (!a) {
        if (file >= 0)
            close(file);
        return 0;
    }
    pthread_mutex_lock(&shared.lock);
    const struct shared_pages *p = add_pages(&shared.imports, a->base, a->size, file);
    memory_open();
    bool mapped = lseek(file, 0, SEEK_END) >= (off_t)p->size &&
                  mmap(at(p->first), p->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
    memory_close();
    pthread_mutex_unlock(&shared.lock);
    if (!mapped)
        memory_end_import(a->base);
    else
        memory_mark_written(a->base, a->size);
    return mapped ? a->base : 0;
}

bool memory_end_import(uint64_t base)
{
    const struct allocation *found;
    pthread_mutex_lock(&shared.lock);
    struct shared_pages **link = find_pages(&shared.imports, base);
    bool known = *link != NULL;
    if (known)
        drop(link);
    pthread_mutex_unlock(&shared.lock);
    return known && memory_free(base, &found);
}
