// Sparse allocations. They lie after the dense part of the arena. The pages of large ones are shared
// mappings: a limit on a process's data does not count those, and most are never touched.
#include "memory/sparse.h"

#include <sys/mman.h>

#include "report/settings.h"

#define GAP (UINT64_C(16) << 30) // bytes without an owner after each allocation: more than 2^32 words
#define STEP (UINT64_C(2) << 20)
#define LARGE (UINT64_C(128) << 20) // bytes including state: a smaller allocation is touched whole

enum pages { CLOSED, PRIVATE, SHARED };

static unsigned live; // pieces

static bool map(uint8_t *p, uint64_t bytes, enum pages pages)
{
    const int protection = pages == CLOSED ? PROT_NONE : PROT_READ | PROT_WRITE;
    const int kind = pages == SHARED ? MAP_SHARED : MAP_PRIVATE;
    if (mmap(p, bytes, protection, kind | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        return false;
    if (pages == PRIVATE)
        madvise(p, bytes, MADV_HUGEPAGE);
    return true;
}

static bool map_records(uint64_t offset, uint64_t bytes, enum pages pages)
{
    return map(arena.writes + offset * SHADOW_PER_BYTE, bytes * SHADOW_PER_BYTE, pages) &&
           map(arena.reads + offset * SHADOW_PER_BYTE, bytes * SHADOW_PER_BYTE, pages) &&
           map(arena.earlier + offset * SHADOW_PER_BYTE, bytes * SHADOW_PER_BYTE, pages);
}

// Commits the bytes and their state.
static bool map_all(uint64_t offset, uint64_t bytes, enum pages pages)
{
    const uint64_t word = sizeof *arena.wrote;
    return map(arena.data + offset, bytes, pages) &&
           (!settings()->check_init || map(arena.written + offset, bytes, pages)) &&
           map((uint8_t *)arena.wrote + offset / GRANULE * word, bytes / GRANULE * word, pages) &&
           (!settings()->check_race || map_records(offset, bytes, pages));
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
    uint64_t known = 1 + settings()->check_init + settings()->check_race * 3 * SHADOW_PER_BYTE; // per byte
    bool small = bytes * known < LARGE; // and the limit may leave no room for it
    if (n == SPARSE_PIECES || first + bytes + GAP > arena.whole ||
        (!(small && map_all(first, bytes, PRIVATE)) && !map_all(first, bytes, SHARED)))
        return 0;
    *span = bytes + GAP;
    arena.pieces[n] = (struct piece){first, first + *span, index};
    atomic_store(&arena.piece_count, n + 1);
    live++;
    return first;
}

void sparse_close(const struct allocation *a)
{
    map_all((uint64_t)((uintptr_t)a->base - (uintptr_t)arena.data), rounded(a->size), CLOSED);
    live--;
}
