// Allocations: how the arena is divided, and how freed parts are reused.
#include "memory/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "memory/other_host.h"
#include "memory/sparse.h"
#include "report/settings.h"

#define QUARANTINE (UINT64_C(256) << 20)
#define SHORT_QUARANTINE (UINT64_C(4) << 20) // or with this many allocations:
#define QUARANTINED 32

// The gap after an allocation is as large as the allocation, so that an index too large by a row, or by the whole size,
// hits nothing. Each byte has fourteen bytes of state and a student's program has a memory limit, so all gaps together
// take at most GAPS.
#define MIN_GAP (UINT64_C(16) << 10)
#define MAX_GAP (UINT64_C(4) << 20)
#define GAPS (UINT64_C(16) << 20)

uint64_t memory_capacity(void)
{
    use_memory();
    if (settings()->sample.on && arena.whole > arena.size)
        return arena.whole - arena.size;
    uint64_t wanted = (uint64_t)settings()->memory << 30;
    return wanted < arena.size / 2 ? wanted : arena.size / 2;
}

uint64_t memory_used(int device)
{
    return arena.used[device];
}

// Replaces the pages by ones that the host may touch. False: it failed.
static bool allow_host(uint64_t first, uint64_t span)
{
    const struct simt_other_host *host = other_host();
    const int use = PROT_READ | PROT_WRITE;
    if (!host)
        return mprotect(arena.data + first, span, use) == 0;
    if (mmap(arena.data + first, span, use, MAP_SHARED | MAP_FIXED, host->window, (off_t)first) == MAP_FAILED)
        return false;
    host->map((uint64_t)(uintptr_t)arena.data + first, span, first);
    return true;
}

// The gap after size bytes; 0 when all gaps are used up.
static uint64_t take_gap(uint64_t size)
{
    uint64_t gap = size < MIN_GAP ? MIN_GAP : size > MAX_GAP ? MAX_GAP : (size + PAGE - 1) / PAGE * PAGE;
    if (arena.gaps + gap > GAPS || !arena_commit(arena.end + gap))
        return 0;
    arena.gaps += gap;
    return gap;
}

// Allocates separate pages for memory that the host may touch: span bytes from *offset. False: no memory is left.
static bool share(uint64_t *offset, uint64_t *span)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = (arena.end + page - 1) / page * page;
    *span = (*span + page - 1) / page * page;
    if (arena.shared_count == arena.shared_capacity) {
        uint32_t more = 2 * arena.shared_capacity + 8;
        struct stretch *longer = alloc_resize(arena.shared, more, sizeof *longer);
        arena.shared = longer;
        arena.shared_capacity = more;
    }
    if (!arena_commit(first + *span) || !allow_host(first, *span))
        return false;
    arena.shared[arena.shared_count++] = (struct stretch){first, first + *span};
    *offset = first;
    arena.end = first + *span;
    arena.end += take_gap(*span);
    return true;
}

static void own(const struct allocation *a, uint32_t index)
{
    uint64_t first = (a->base - (uint64_t)(uintptr_t)arena.data) / GRANULE;
    for (uint64_t g = 0; g < a->span / GRANULE; g++)
        arena.owner[first + g] = index;
}

#define HOST_PAGE UINT64_C(4096)
#define MANY (UINT64_C(2) << 20) // bytes of records of one kind

// Zeroes the bytes but skips absent pages: touching one would create and clear a page, perhaps a large one.
static void wipe(uint8_t *p, uint64_t size)
{
    unsigned char there[MANY / HOST_PAGE + 1];
    uint8_t *first = p - (uintptr_t)p % HOST_PAGE, *end = p + size;
    uint64_t pages = ((uint64_t)(end - first) + HOST_PAGE - 1) / HOST_PAGE;
    bool known = mincore(first, pages * HOST_PAGE, there) == 0;
    for (uint64_t i = 0; i < pages; i++) {
        uint8_t *page = first + i * HOST_PAGE, *from = page < p ? p : page, *to = page + HOST_PAGE;
        if (!known || (there[i] & 1))
            memset(from, 0, (size_t)((to > end ? end : to) - from));
    }
}

// Clears freed bytes. If there are many, returns whole pages to the host, which then read as zero. That interrupts all
// its cores, and the pages fault in again.
static void clear(uint8_t *p, uint64_t size)
{
    uint64_t at = (uint64_t)(uintptr_t)p, from = (at + HOST_PAGE - 1) & ~(HOST_PAGE - 1),
             to = (at + size) & ~(HOST_PAGE - 1);
    if (size < MANY) {
        wipe(p, size);
        return;
    }
    wipe(p, from - at);
    wipe(p + (to - at), at + size - to);
    madvise(p + (from - at), to - from, MADV_DONTNEED);
}

// Zeroes the contents. Device pages may be protected from the host, and so from this code; all other pages are shared.
static void empty(uint64_t from, uint64_t to, bool device)
{
    if (to <= from)
        return;
    if (device && to - from < MANY && (!arena.closed || other_host()))
        wipe(arena.data + from, to - from);
    else
        madvise(arena.data + from, to - from, MADV_DONTNEED);
}

// Clears the state of the first `used` of span bytes; the rest has none. A long span has its contents cleared, too.
static void forget(uint64_t offset, uint64_t span, uint64_t used, bool device)
{
    uint64_t from = (offset + HOST_PAGE - 1) & ~(HOST_PAGE - 1), to = (offset + span) & ~(HOST_PAGE - 1);
    if (span >= 2 * HOST_PAGE)
        empty(from, offset + used < to ? offset + used : to, device);
    if (settings()->check_init) {
        clear(arena.written + offset, used);
        arena_forget_complete(offset, used);
    }
    if (!settings()->check_race)
        return;
    clear(arena.writes + offset * SHADOW_PER_BYTE, used * SHADOW_PER_BYTE);
    clear(arena.reads + offset * SHADOW_PER_BYTE, used * SHADOW_PER_BYTE);
    clear(arena.earlier + offset * SHADOW_PER_BYTE, used * SHADOW_PER_BYTE);
}

// The bytes in the first `span` of freed space that may have state: only an allocation's own bytes are ever written.
// Space that keeps room for larger allocations has megabytes after it, and each page there would fault in again.
static uint64_t used_of(const struct allocation *old, uint64_t span)
{
    uint64_t used = old->kind == MEMORY_DEVICE ? (old->size / GRANULE + 1) * GRANULE : old->span;
    return used < span ? used : span;
}

// In sampled launches memory begins as zeros, since skipped blocks write nothing.
static void begin_as_zeros(const struct allocation *a)
{
    memory_open();
    clear((uint8_t *)(uintptr_t)a->base, a->size);
    memory_close();
}

static uint64_t offset_of(const struct allocation *a)
{
    return a->base - (uint64_t)(uintptr_t)arena.data;
}

// The oldest freed allocation of span to `most` bytes, the most recently freed ones excluded.
static const struct allocation *reuse(uint64_t span, uint64_t most, uint32_t last)
{
    for (uint32_t i = arena.freed_first; i + last < arena.freed_last; i++) {
        struct allocation *a = &arena.records[arena.freed[i]];
        if (!arena.freed[i] || a->span < span || a->span > most)
            continue;
        arena.freed_bytes -= a->span;
        arena.freed[i] = 0;
        while (arena.freed_first < arena.freed_last && !arena.freed[arena.freed_first])
            arena.freed_first++;
        struct allocation left = {.base = a->base + span, .span = a->span - span};
        own(&left, 0); // a small remainder is lost
        return a;
    }
    return NULL;
}

// The last allocation at this place, if it is freed and has *span bytes; *span becomes its whole span. NULL: it does
// not fit.
static const struct allocation *reuse_place(uint32_t place, uint64_t *span)
{
    uint32_t index = arena.placed[place];
    const struct allocation *a = &arena.records[index];
    for (uint32_t i = arena.freed_first; i < arena.freed_last && a->span >= *span; i++)
        if (index && arena.freed[i] == index) {
            arena.freed[i] = 0;
            arena.freed_bytes -= a->span;
            *span = a->span;
            return a;
        }
    return NULL;
}

// A freed allocation of about this size that has spent its quarantine: enough bytes, or enough allocations, were freed
// after it.
static const struct allocation *reuse_old(uint64_t span)
{
    if (arena.freed_bytes >= QUARANTINE)
        return reuse(span, 2 * span, 0);
    return arena.freed_bytes >= SHORT_QUARANTINE ? reuse(span, 2 * span, QUARANTINED) : NULL;
}

// Finds a freed allocation to reuse. If place is not 0, the one at that place; a new place gets room for larger ones,
// too. Otherwise an old one of about this size, so that small ones do not split large ones; any, if the arena is full.
// NULL: none.
static const struct allocation *find_space(uint64_t *span, uint32_t place)
{
    const struct allocation *old = place ? reuse_place(place, span) : reuse_old(*span);
    *span = place && !old ? 4 * *span + 16 * MIN_GAP : *span;
    return old || arena_commit(arena.end + *span) ? old : reuse(*span, UINT64_MAX, 0);
}

void memory_place(int place)
{
    use_memory();
    pthread_mutex_lock(&arena.lock);
    arena.place = place > 0 && place < PLACES ? (uint32_t)place : 0;
    pthread_mutex_unlock(&arena.lock);
}

static struct allocation *add_record(uint64_t offset, uint64_t size, uint64_t span, enum memory_kind kind, int device)
{
    struct allocation *a = &arena.records[arena.record_count];
    *a = (struct allocation){.base = (uint64_t)(uintptr_t)arena.data + offset,
                             .size = size,
                             .span = span,
                             .kind = kind,
                             .device = device,
                             .live = true,
                             .number = arena.record_count++};
    arena.used[device] += size;
    return a;
}

struct allocation *memory_alloc(uint64_t size, enum memory_kind kind, int device)
{
    use_memory();
    struct allocation *a = NULL;
    pthread_mutex_lock(&arena.lock);
    uint64_t span = (size / GRANULE + 2) * GRANULE; // at least GRANULE bytes of redzone after
    bool fits =
        size <= memory_capacity() && arena.used[device] + size <= memory_capacity() && arena.record_count < RECORDS;
    bool shared = kind == MEMORY_MANAGED || kind == MEMORY_HOST;
    bool sparse = settings()->sample.on && (kind == MEMORY_DEVICE || kind == MEMORY_ARRAY) && size >= SPARSE_FROM;
    uint32_t place = kind == MEMORY_DEVICE && !sparse ? arena.place : 0;
    const struct allocation *old = fits && !shared && !sparse ? find_space(&span, place) : NULL;
    uint64_t offset = old ? offset_of(old) : 0;
    if (fits && !shared && sparse)
        offset = sparse_open(size, &span, arena.record_count);
    if (fits && shared) {
        offset = share(&offset, &span) ? offset : 0;
        __atomic_store_n(&arena.shares, true, __ATOMIC_RELAXED);
    } else if (fits && !sparse && !offset && arena_commit(arena.end + span)) {
        offset = arena.end;
        arena.end += span;
        arena.end += take_gap(size);
    }
    if (offset) {
        a = add_record(offset, size, span, kind, device);
        arena.placed[place] = (uint32_t)a->number;
    }
    if (offset && !sparse)
        own(a, (uint32_t)a->number);
    if (old)
        forget(offset, span, used_of(old, span), old->kind == MEMORY_DEVICE);
    pthread_mutex_unlock(&arena.lock);
    if (old && settings()->sample.on)
        begin_as_zeros(a);
    return a;
}

// ---- the program's own memory

static bool is_mapped(uint64_t base, uint64_t size)
{
    for (const struct mapping *m = arena.mappings; m; m = m->next)
        if (m->memory.live && base < m->memory.base + m->memory.size && m->memory.base < base + size)
            return true;
    return false;
}

// A free mapping with room for span bytes; NULL: there is none.
static struct mapping *open_mapping(uint64_t span)
{
    struct mapping *m = arena.mappings;
    uint64_t start = (arena.end + PAGE - 1) / PAGE * PAGE;
    while (m && (m->memory.live || m->memory.span < span))
        m = m->next;
    if (m || !arena_commit(start + span))
        return m;
    m = alloc_zeroed(1, sizeof *m);
    m->shadow = start;
    m->memory.span = span;
    m->next = arena.mappings;
    arena.end = start + span;
    __atomic_store_n(&arena.mappings, m, __ATOMIC_RELEASE);
    return m;
}

bool memory_register(uint64_t base, uint64_t size, unsigned flags, int device)
{
    use_memory();
    struct mapping *m = NULL;
    pthread_mutex_lock(&arena.lock);
    if (!is_mapped(base, size) && !memory_find(base))
        m = open_mapping((size / PAGE + 2) * PAGE);
    if (m) {
        forget(m->shadow, m->memory.span, m->memory.span, false);
        m->memory.base = base;
        m->memory.size = size;
        m->memory.kind = MEMORY_REGISTERED;
        m->memory.device = device;
        m->memory.flags = flags;
        if (settings()->check_init)
            memset(arena.written + m->shadow + base % PAGE, 1, size); // by the host, unnoticed
        __atomic_store_n(&arena.shares, true, __ATOMIC_RELAXED);
        __atomic_store_n(&m->memory.live, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&arena.lock);
    return m != NULL;
}

bool memory_unregister(uint64_t base)
{
    pthread_mutex_lock(&arena.lock);
    struct mapping *m = find_mapping(base);
    bool known = m && m->memory.base == base;
    if (known)
        land_all(base, base + m->memory.size);
    if (known)
        __atomic_store_n(&m->memory.live, false, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&arena.lock);
    return known;
}

bool memory_free(uint64_t base, const struct allocation **found)
{
    bool freed = false;
    pthread_mutex_lock(&arena.lock);
    struct allocation *a = memory_find(base);
    *found = a;
    if (a && a->live && a->base == base) {
        a->live = false;
        arena.used[a->device] -= a->size;
        freed = true;
    }
    if (freed && base - (uint64_t)(uintptr_t)arena.data >= arena.size) {
        sparse_close(a);
    } else if (freed) {
        arena.freed[arena.freed_last++] = (uint32_t)a->number;
        arena.freed_bytes += a->span;
        forget(offset_of(a), a->size, a->size, a->kind == MEMORY_DEVICE);
    }
    pthread_mutex_unlock(&arena.lock);
    return freed;
}

const char *memory_kind_word(enum memory_kind kind)
{
    static const char *const words[] = {"device",           "managed",   "page-locked host", "__device__ variable",
                                        "device heap",      "a graph's", "registered host",  "CUDA array",
                                        "another process's"};
    return words[kind];
}
