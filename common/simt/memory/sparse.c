// Sparse allocations (sparse.h). They lie after the dense part of the arena. Their pages are shared mappings: those
// are not counted against the limit on a process's data until they are touched.
#include "memory/sparse.h"

#include <sys/mman.h>

#define GAP (UINT64_C(16) << 30) // bytes that nobody owns after each: more than 2^32 words
#define STEP (UINT64_C(2) << 20)

static unsigned live; // pieces

static bool map(uint8_t *p, uint64_t bytes, bool open)
{
    int protection = open ? PROT_READ | PROT_WRITE : PROT_NONE, kind = open ? MAP_SHARED : MAP_PRIVATE;
    return mmap(p, bytes, protection, kind | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

// The bytes and all that is known of them.
static bool map_all(uint64_t offset, uint64_t bytes, bool open)
{
    const uint64_t word = sizeof *arena.wrote;
    return map(arena.data + offset, bytes, open) && map(arena.written + offset, bytes, open) &&
           map((uint8_t *)arena.wrote + offset / GRANULE * word, bytes / GRANULE * word, open) &&
           map(arena.writes + offset * SHADOW_PER_BYTE, bytes * SHADOW_PER_BYTE, open) &&
           map(arena.reads + offset * SHADOW_PER_BYTE, bytes * SHADOW_PER_BYTE, open) &&
           map(arena.earlier + offset * SHADOW_PER_BYTE, bytes * SHADOW_PER_BYTE, open);
}

static uint64_t rounded(uint64_t size)
{
    return (size + STEP - 1) / STEP * STEP;
}

uint64_t sparse_open(uint64_t size, uint64_t *span, uint32_t index)
{
    if (live == 0)
        atomic_store(&arena.piece_count, 0);
    unsigned n = atomic_load(&arena.piece_count);
    uint64_t first = n ? arena.pieces[n - 1].end : arena.size + GAP, bytes = rounded(size);
    if (n == SPARSE_PIECES || first + bytes + GAP > arena.whole || !map_all(first, bytes, true))
        return 0;
    *span = bytes + GAP;
    arena.pieces[n] = (struct piece){first, first + *span, index};
    atomic_store(&arena.piece_count, n + 1);
    live++;
    return first;
}

void sparse_close(const struct allocation *a)
{
    map_all((uint64_t)((uintptr_t)a->base - (uintptr_t)arena.data), rounded(a->size), false);
    live--;
}
