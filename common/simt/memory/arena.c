// The arena: address space reserved once, which costs nothing until it is touched, and the state of every address in
// it.
#include "memory/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "memory/other_host.h"
#include "report/settings.h"

#define PLACE UINT64_C(0x100000000000) // must be free in another host, too: systems map nothing there by default

#define SPARSE (UINT64_C(512) << 30) // bytes for sparse allocations
#define STEP (UINT64_C(16) << 20)    // bytes committed at a time
#define BYTE_STEP (UINT64_C(1) << 20) // bytes whose byte records are committed at a time

struct arena arena = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *reserve_near(uint64_t place, uint64_t bytes)
{
    void *p = mmap((void *)(uintptr_t)place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void *reserve(uint64_t bytes)
{
    return reserve_near(0, bytes);
}

// Requests large pages, if the host has them: the first touch of a page costs more than clearing it.
static void *reserve_large(uint64_t place, uint64_t bytes)
{
    void *p = reserve_near(place, bytes);
    if (p)
        madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

// A table of so many bytes, initially 0; NULL: no address space.
static void *reserve_table(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void release(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

// False: the host cannot provide all of it, and nothing is reserved.
static bool reserve_all(uint64_t size, uint64_t touchable)
{
    arena.data = reserve_large(other_host() ? PLACE : 0, size);
    arena.written = reserve_large(0, size);
    arena.writes = reserve_large(0, size * SHADOW_PER_BYTE);
    arena.reads = reserve_large(0, size * SHADOW_PER_BYTE);
    arena.earlier = reserve_large(0, size * SHADOW_PER_BYTE);
    arena.byte_writes = reserve_large(0, size * RECORD_BYTES);
    arena.byte_reads = reserve_large(0, size * RECORD_BYTES);
    arena.owner = reserve_large(0, size / GRANULE * sizeof *arena.owner);
    arena.wrote = reserve_large(0, size / GRANULE * sizeof *arena.wrote);
    arena.visits = reserve(touchable / VISITS * sizeof *arena.visits);
    arena.complete = reserve_table(size / GRANULE);
    arena.touched = reserve_table(touchable / PAGE * sizeof *arena.touched);
    arena.reached = reserve_table(size / PAGE * sizeof *arena.reached);
    if (arena.data && arena.written && arena.writes && arena.reads && arena.earlier && arena.byte_writes &&
        arena.byte_reads && arena.owner && arena.wrote && arena.visits && arena.complete && arena.touched &&
        arena.reached)
        return true;
    release(arena.data, size);
    release(arena.written, size);
    release(arena.writes, size * SHADOW_PER_BYTE);
    release(arena.reads, size * SHADOW_PER_BYTE);
    release(arena.earlier, size * SHADOW_PER_BYTE);
    release(arena.byte_writes, size * RECORD_BYTES);
    release(arena.byte_reads, size * RECORD_BYTES);
    release(arena.owner, size / GRANULE * sizeof *arena.owner);
    release(arena.wrote, size / GRANULE * sizeof *arena.wrote);
    release(arena.visits, touchable / VISITS * sizeof *arena.visits);
    release(arena.complete, size / GRANULE);
    release(arena.touched, touchable / PAGE * sizeof *arena.touched);
    release(arena.reached, size / PAGE * sizeof *arena.reached);
    return false;
}

// The race checker's records, if it is on.
static bool open_records(uint64_t from, uint64_t n)
{
    const int use = PROT_READ | PROT_WRITE;
    const uint64_t first = from * SHADOW_PER_BYTE, bytes = n * SHADOW_PER_BYTE;
    return !settings()->check_race ||
           (mprotect(arena.writes + first, bytes, use) == 0 && mprotect(arena.reads + first, bytes, use) == 0 &&
            mprotect(arena.earlier + first, bytes, use) == 0 &&
            mprotect(arena.visits + from / VISITS, n / VISITS * sizeof *arena.visits, use) == 0);
}

bool arena_commit(uint64_t end)
{
    uint64_t to = (end + STEP - 1) / STEP * STEP, from = arena.committed;
    if (to <= from)
        return true;
    uint64_t n = to - from;
    const int use = PROT_READ | PROT_WRITE;
    if (to > arena.size || mprotect(arena.data + from, n, arena.closed && !other_host() ? PROT_NONE : use) ||
        mprotect(arena.written + from, n, use) || !open_records(from, n) ||
        mprotect((uint8_t *)arena.owner + from / GRANULE * 4, n / GRANULE * 4, use) ||
        mprotect((uint8_t *)arena.wrote + from / GRANULE * 4, n / GRANULE * 4, use))
        return false;
    arena.committed = to;
    return true;
}

// Reserves a dense part as large as the host allows, followed by a sparse part if possible.
static bool reserve_some(void)
{
    const uint64_t most = (uint64_t)setting_memory() << 32; // room for freed memory, gaps and other devices, too
    arena.size = most;
    arena.whole = most + SPARSE;
    if (reserve_all(arena.whole, most))
        return true;
    for (; arena.size >= UINT64_C(1) << 28; arena.size /= 2) {
        arena.whole = arena.size;
        if (reserve_all(arena.size, arena.size))
            return true;
    }
    return false;
}

static void open_arena(void)
{
    arena.records = reserve((uint64_t)RECORDS * sizeof *arena.records);
    arena.freed = reserve((uint64_t)RECORDS * sizeof *arena.freed);
    if (arena.records && arena.freed && reserve_some()) {
        open_pages(arena.records, (uint64_t)RECORDS * sizeof *arena.records);
        open_pages(arena.freed, (uint64_t)RECORDS * sizeof *arena.freed);
        arena.byte_steps = alloc_zeroed(arena.whole / BYTE_STEP + 1, sizeof *arena.byte_steps);
        arena.end = GRANULE;
        arena.record_count = 1;
        return;
    }
    fprintf(stderr, "simt: the host has no address space left for device memory; raise the limit (ulimit -v)\n");
    exit(1);
}

void use_arena(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_arena);
}

void simt_device_range(uint64_t *first, uint64_t *size)
{
    use_arena();
    *first = (uint64_t)(uintptr_t)arena.data;
    *size = arena.whole;
}

// ---- the state of an address

struct mapping *find_mapping(uint64_t address)
{
    struct mapping *m = __atomic_load_n(&arena.mappings, __ATOMIC_ACQUIRE);
    while (m && !(__atomic_load_n(&m->memory.live, __ATOMIC_ACQUIRE) && address - m->memory.base < m->memory.size))
        m = m->next;
    return m;
}

uint64_t shadow_offset(uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)arena.data;
    const struct mapping *m = offset < arena.whole ? NULL : find_mapping(address);
    return m ? m->shadow + m->memory.base % PAGE + (address - m->memory.base) : offset;
}

static struct allocation *find_sparse(uint64_t offset)
{
    for (unsigned n = atomic_load_explicit(&arena.piece_count, memory_order_acquire); n-- > 0;)
        if (offset >= arena.pieces[n].first && offset < arena.pieces[n].end)
            return &arena.records[arena.pieces[n].index];
    return NULL;
}

struct allocation *memory_find(uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)arena.data;
    if (offset >= arena.size && offset < arena.whole)
        return find_sparse(offset);
    if (offset >= arena.committed) {
        struct mapping *m = find_mapping(address);
        return m ? &m->memory : NULL;
    }
    uint32_t index = arena.owner[offset / GRANULE];
    return index ? &arena.records[index] : NULL;
}

struct allocation *memory_nearest(uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)arena.data;
    if (offset >= arena.committed)
        return NULL;
    const struct allocation *below = NULL, *above = NULL;
    uint64_t g = offset / GRANULE, last = arena.committed / GRANULE;
    for (uint64_t steps = 0; steps < 1u << 20 && !below && !above; steps++) {
        below = steps <= g && arena.owner[g - steps] ? &arena.records[arena.owner[g - steps]] : NULL;
        above = g + steps < last && arena.owner[g + steps] ? &arena.records[arena.owner[g + steps]] : NULL;
    }
    bool nearer = below && above && address - below->base - below->size < above->base - address;
    return (struct allocation *)(above && !nearer ? above : below);
}

bool memory_shares(void)
{
    return __atomic_load_n(&arena.shares, __ATOMIC_RELAXED);
}

void memory_note_fill(uint64_t address, uint8_t byte)
{
    struct allocation *a = memory_find(address);
    if (a)
        a->filled = byte;
    __atomic_store_n(&arena.fills, true, __ATOMIC_RELAXED);
}

bool memory_fills(void)
{
    return __atomic_load_n(&arena.fills, __ATOMIC_RELAXED);
}

bool memory_is_shared(uint64_t address)
{
    if (!memory_shares())
        return false;
    const struct allocation *a = memory_find(address);
    return a && (a->kind == MEMORY_MANAGED || a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED);
}

bool memory_holds(uint64_t address, uint64_t size)
{
    const struct allocation *a = memory_find(address);
    return a && a->live && address >= a->base && size <= a->size && address - a->base <= a->size - size;
}

uint8_t *memory_written(uint64_t address)
{
    return arena.written + shadow_offset(address);
}

void arena_forget_complete(uint64_t offset, uint64_t size)
{
    if (size)
        memset(arena.complete + offset / GRANULE, 0, (offset + size - 1) / GRANULE - offset / GRANULE + 1);
}

void memory_mark_written(uint64_t address, uint64_t size)
{
    if (!settings()->check_init)
        return;
    memset(memory_written(address), 1, size);
    arena_forget_complete(shadow_offset(address), size);
}

void memory_mark_unwritten(uint64_t address, uint64_t size)
{
    if (!settings()->check_init)
        return;
    memset(memory_written(address), 0, size);
    arena_forget_complete(shadow_offset(address), size);
}

void memory_copy_written(uint64_t to, uint64_t from, uint64_t size)
{
    if (!settings()->check_init)
        return;
    memmove(memory_written(to), memory_written(from), size);
    arena_forget_complete(shadow_offset(to), size);
}

static uint64_t record_offset(uint64_t address)
{
    return (shadow_offset(address) & ~UINT64_C(3)) * SHADOW_PER_BYTE;
}

void *memory_write_records(uint64_t address)
{
    return arena.writes + record_offset(address);
}

void *memory_read_records(uint64_t address)
{
    return arena.reads + record_offset(address);
}

bool memory_written_by(uint64_t address, uint32_t stamp)
{
    uint64_t offset = shadow_offset(address);
    return offset >= arena.whole || arena.wrote[offset / GRANULE] == stamp;
}

void memory_note_write(uint64_t address, uint32_t stamp)
{
    uint64_t offset = shadow_offset(address);
    if (offset < arena.whole)
        __atomic_store_n(&arena.wrote[offset / GRANULE], stamp, __ATOMIC_RELAXED);
}

bool memory_shadow(uint64_t low, uint64_t high, struct record_range *s)
{
    *s = (struct record_range){
        (uint64_t)(uintptr_t)arena.data, arena.written, arena.complete, arena.reads, arena.writes, arena.wrote};
    return low >= s->first && high > low && high - s->first <= arena.whole;
}

bool memory_reaches(uint64_t address, uint32_t launch)
{
    uint64_t offset = shadow_offset(address);
    return offset < arena.whole &&
           __atomic_exchange_n(&arena.reached[offset / PAGE], launch, __ATOMIC_RELAXED) != launch;
}

uint64_t *memory_visits(uint64_t address)
{
    uint64_t offset = shadow_offset(address);
    return offset < arena.size && settings()->check_race ? &arena.visits[offset / VISITS] : NULL;
}

void *memory_earlier_reads(uint64_t address)
{
    return arena.earlier + record_offset(address);
}

// Few programs need these records: a piece is committed at first use.
static bool open_byte_step(uint64_t step)
{
    const uint64_t bytes = BYTE_STEP * RECORD_BYTES;
    const int use = PROT_READ | PROT_WRITE;
    pthread_mutex_lock(&arena.lock);
    bool open = atomic_load(&arena.byte_steps[step]) || (mprotect(arena.byte_writes + step * bytes, bytes, use) == 0 &&
                                                         mprotect(arena.byte_reads + step * bytes, bytes, use) == 0);
    atomic_store(&arena.byte_steps[step], open);
    pthread_mutex_unlock(&arena.lock);
    return open;
}

bool memory_open_bytes(uint64_t address)
{
    uint64_t step = shadow_offset(address) / BYTE_STEP;
    return atomic_load_explicit(&arena.byte_steps[step], memory_order_acquire) || open_byte_step(step);
}

void *memory_byte_writes(uint64_t address)
{
    return arena.byte_writes + shadow_offset(address) * RECORD_BYTES;
}

void *memory_byte_reads(uint64_t address)
{
    return arena.byte_reads + shadow_offset(address) * RECORD_BYTES;
}

uint64_t memory_count(void)
{
    return arena.record_count ? arena.record_count - 1 : 0;
}

void memory_each(void (*see)(const struct allocation *a, void *data), void *data)
{
    for (uint32_t i = 1; i < arena.record_count; i++)
        if (arena.records[i].live)
            see(&arena.records[i], data);
}
