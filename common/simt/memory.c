// The arena. Everything is reserved once as address space that costs nothing until it is touched.
#define _GNU_SOURCE // what the processor says of a fault
#include "memory.h"

extern void simt_poison(void *p, int byte, uint64_t size);

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __x86_64__
#include <ucontext.h>
#endif
#include <unistd.h>

#include "report.h"
#include "settings.h"

#define CAPACITY (UINT64_C(4) << 30) // of one device
#define RECORDS (1u << 20)           // allocations in the life of a program
#define SHADOW_PER_BYTE 4
#define FLIGHTS 64 // watched at a time
#define PAGE 4096  // bytes between which touches by kernels are told apart
#define RUNS 8     // of touched pages in an allocation, the last of which holds all further ones
#define QUARANTINE (UINT64_C(256) << 20)

struct flight {
    uint64_t first, end; // addresses
    enum flight_kind kind;
    bool landed; // no longer watched
    struct flight *next;
};

// Registered memory of the program. What is known of its bytes stands where it would for an allocation at `shadow`.
struct mapping {
    struct allocation memory; // not live: free for another one that needs no more span
    uint64_t shadow;          // offset in the arena
    struct mapping *next;
};

static struct {
    uint8_t *data, *written, *writes, *reads, *earlier;
    uint32_t *owner;   // per granule: index of the allocation, 0: none
    uint32_t *touched; // per page: the last kernel there, if it is shared with the host
    judge_touch *judge;
    bool shares;       // some memory is
    struct allocation *records;
    uint32_t record_count;
    uint64_t size, end, committed; // bytes of the arena; first byte never used; bytes that may be touched
    uint32_t *freed;               // indices of freed allocations in the order they were freed
    uint32_t freed_first, freed_last;
    uint64_t freed_bytes;
    uint64_t used[16];
    struct stretch *shared; // offsets in the arena: what the host may touch at any time, in ascending order
    uint32_t shared_count, shared_capacity;
    uint32_t at_work;     // how many hold the rest open
    bool closed, watched; // watched: the host's faults come here
    struct flight *flights;
    uint32_t flight_count;
    struct mapping *mappings; // grows only: host threads look things up without a lock
    pthread_mutex_t lock;
} arena = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *reserve(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool reserve_all(uint64_t size)
{
    arena.data = reserve(size);
    arena.written = reserve(size);
    arena.writes = reserve(size * SHADOW_PER_BYTE);
    arena.reads = reserve(size * SHADOW_PER_BYTE);
    arena.earlier = reserve(size * SHADOW_PER_BYTE);
    arena.owner = reserve(size / GRANULE * sizeof *arena.owner);
    arena.touched = mmap(NULL, size / PAGE * sizeof *arena.touched, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena.data && arena.written && arena.writes && arena.reads && arena.earlier && arena.owner &&
        arena.touched != MAP_FAILED)
        return true;
    if (arena.touched != MAP_FAILED)
        munmap(arena.touched, size / PAGE * sizeof *arena.touched);
    if (arena.data)
        munmap(arena.data, size);
    if (arena.written)
        munmap(arena.written, size);
    if (arena.writes)
        munmap(arena.writes, size * SHADOW_PER_BYTE);
    if (arena.reads)
        munmap(arena.reads, size * SHADOW_PER_BYTE);
    if (arena.earlier)
        munmap(arena.earlier, size * SHADOW_PER_BYTE);
    return false;
}

// Makes the first `end` bytes of the arena usable, in steps. False: the host (or a limit on it) does not give them.
static bool commit(uint64_t end)
{
    const uint64_t step = UINT64_C(16) << 20;
    uint64_t to = (end + step - 1) / step * step, from = arena.committed;
    if (to <= from)
        return true;
    uint64_t n = to - from;
    const int use = PROT_READ | PROT_WRITE;
    if (to > arena.size || mprotect(arena.data + from, n, arena.closed ? PROT_NONE : use) ||
        mprotect(arena.written + from, n, use) ||
        mprotect(arena.writes + from * SHADOW_PER_BYTE, n * SHADOW_PER_BYTE, use) ||
        mprotect(arena.reads + from * SHADOW_PER_BYTE, n * SHADOW_PER_BYTE, use) ||
        mprotect(arena.earlier + from * SHADOW_PER_BYTE, n * SHADOW_PER_BYTE, use) ||
        mprotect((uint8_t *)arena.owner + from / GRANULE * 4, n / GRANULE * 4, use))
        return false;
    madvise(arena.writes + from * SHADOW_PER_BYTE, n * SHADOW_PER_BYTE, MADV_HUGEPAGE);
    madvise(arena.reads + from * SHADOW_PER_BYTE, n * SHADOW_PER_BYTE, MADV_HUGEPAGE);
    arena.committed = to;
    return true;
}

static void use_arena(void);

// ---- the host is kept out

// The devices' part of the arena, all but what is shared, gets this protection.
static void protect(int protection)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i <= arena.shared_count; i++) {
        uint64_t end = i < arena.shared_count ? arena.shared[i].first : arena.committed;
        if (end > at)
            mprotect(arena.data + at, end - at, protection);
        at = i < arena.shared_count ? arena.shared[i].end : at;
    }
}

// The host's rights to the pages of a flight.
static void protect_flight(const struct flight *f, int protection)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = f->first / page * page, end = (f->end + page - 1) / page * page;
    if (!f->landed)
        mprotect((void *)(uintptr_t)first, end - first, protection);
}

// Where two share a page, the one that is being filled decides.
static void protect_flights(void)
{
    for (const struct flight *f = arena.flights; f; f = f->next)
        if (f->kind == FLIGHT_READ)
            protect_flight(f, PROT_READ);
    for (const struct flight *f = arena.flights; f; f = f->next)
        if (f->kind != FLIGHT_READ)
            protect_flight(f, PROT_NONE);
}

static void open_flights(void)
{
    for (const struct flight *f = arena.flights; f; f = f->next)
        protect_flight(f, PROT_READ | PROT_WRITE);
}

struct flight *memory_in_flight(uint64_t address, uint64_t size, enum flight_kind kind)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const struct allocation *a = memory_find(address);
    uint64_t end = address + size;
    struct flight *f = NULL;
    if (a && a->kind == MEMORY_REGISTERED) { // pages that are all its own
        uint64_t first = (a->base + page - 1) / page * page, last = (a->base + a->size) / page * page;
        address = address < first ? first : address;
        end = end > last ? last : end;
    }
    pthread_mutex_lock(&arena.lock);
    if (arena.watched && settings()->check_memory && arena.flight_count < FLIGHTS && address < end) {
        f = malloc(sizeof *f);
        *f = (struct flight){address, end, kind, false, arena.flights};
        arena.flights = f;
        arena.flight_count++;
        if (arena.closed)
            protect_flights();
    }
    pthread_mutex_unlock(&arena.lock);
    return f;
}

void memory_landed(struct flight *f)
{
    pthread_mutex_lock(&arena.lock);
    struct flight **link = &arena.flights;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    arena.flight_count--;
    if (arena.closed) {
        protect_flight(f, PROT_READ | PROT_WRITE);
        protect_flights();
    }
    pthread_mutex_unlock(&arena.lock);
    free(f);
}

void memory_open(void)
{
    if (!settings()->check_memory)
        return;
    use_arena();
    pthread_mutex_lock(&arena.lock);
    arena.at_work++;
    if (arena.closed)
        protect(PROT_READ | PROT_WRITE);
    open_flights();
    arena.closed = false;
    pthread_mutex_unlock(&arena.lock);
}

void memory_close(void)
{
    if (!settings()->check_memory)
        return;
    pthread_mutex_lock(&arena.lock);
    if (--arena.at_work == 0) {
        protect(PROT_NONE);
        protect_flights();
        arena.closed = true;
    }
    pthread_mutex_unlock(&arena.lock);
}

// Pages of their own, for what the host may touch: from *offset on, span bytes. False: there is no more.
static bool share(uint64_t *offset, uint64_t *span)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = (arena.end + page - 1) / page * page;
    *span = (*span + page - 1) / page * page;
    if (arena.shared_count == arena.shared_capacity) {
        uint32_t more = 2 * arena.shared_capacity + 8;
        struct stretch *longer = realloc(arena.shared, more * sizeof *longer);
        if (!longer)
            return false;
        arena.shared = longer;
        arena.shared_capacity = more;
    }
    if (!commit(first + *span) || mprotect(arena.data + first, *span, PROT_READ | PROT_WRITE))
        return false;
    arena.shared[arena.shared_count++] = (struct stretch){first, first + *span};
    *offset = first;
    arena.end = first + *span;
    return true;
}

bool memory_flies(const struct flight *f, uint64_t address, uint64_t size)
{
    return f->kind == FLIGHT_KERNEL && !f->landed && f->first <= address && address + size <= f->end;
}

static void tell(const char *text)
{
    finding_of_the_host();
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

static void tell_of_flight(const struct flight *f, uint64_t at)
{
    const struct allocation *a = memory_find(at);
    char text[256];
    snprintf(text, sizeof text,
             "simt: error: the host %s byte %llu of %llu bytes of page-locked memory before it has waited for the copy "
             "that %s them: cudaStreamSynchronize is missing\n",
             f->kind == FLIGHT_FILLED ? "touches" : "writes", (unsigned long long)(at - a->base),
             (unsigned long long)a->size, f->kind == FLIGHT_FILLED ? "fills" : "reads");
    tell(text);
}

enum touch { TOUCH_READ, TOUCH_WRITE, TOUCH_UNKNOWN };

// The flights of kernels, if the host touched one: all are let go when it had to wait, or was told by the kernel that
// it need not; else this page is, until the next work begins. What the host may do there now.
static int touch_of_kernels(uint64_t at, enum touch touch)
{
    char text[400] = "";
    enum verdict v = arena.judge ? arena.judge(at, touch == TOUCH_WRITE, text, sizeof text) : VERDICT_INNOCENT;
    for (struct flight *f = arena.flights; v != VERDICT_INNOCENT && f; f = f->next)
        if (f->kind == FLIGHT_KERNEL && !f->landed) {
            protect_flight(f, PROT_READ | PROT_WRITE);
            f->landed = true;
        }
    protect_flights(); // copies go on
    if (v == VERDICT_GUILTY)
        tell(text);
    return v == VERDICT_INNOCENT && touch == TOUCH_READ ? PROT_READ : PROT_READ | PROT_WRITE;
}

// The host touched a page of a flight: told if it touched the flight itself; all flights of the page are let go. False:
// no flight has to do with it.
static bool land_early(uint64_t at, enum touch touch)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = at / page * page;
    struct flight *hit = NULL;
    bool any = false, filled = false, kernel = false;
    int protection = PROT_READ | PROT_WRITE;
    pthread_mutex_lock(&arena.lock);
    for (struct flight *f = arena.flights; f; f = f->next) {
        bool here = !f->landed && f->first < start + page && f->end > start;
        filled |= here && f->kind == FLIGHT_FILLED;
        kernel |= here && f->kind == FLIGHT_KERNEL;
        any |= here;
    }
    for (struct flight *f = arena.flights; f; f = f->next) {
        if (!f->landed && f->kind == (filled ? FLIGHT_FILLED : FLIGHT_READ) && at >= f->first && at < f->end)
            hit = f;
        if (f->landed || f->kind == FLIGHT_KERNEL || f->first >= start + page || f->end <= start)
            continue;
        protect_flight(f, PROT_READ | PROT_WRITE);
        f->landed = true;
    }
    if (kernel)
        protection = touch_of_kernels(at, touch);
    if (any)
        mprotect((void *)(uintptr_t)start, page, protection);
    pthread_mutex_unlock(&arena.lock);
    if (hit)
        tell_of_flight(hit, at);
    return any;
}

// What the access was that failed, where the processor says so.
static enum touch touch_of(const void *context)
{
#ifdef __x86_64__
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? TOUCH_WRITE : TOUCH_READ;
#else
    (void)context;
    return TOUCH_UNKNOWN;
#endif
}

// A fault in the arena is the host's: kernels' accesses are checked before they are made. Says so, and lets the fault
// take its course, as on a machine with a GPU.
static void on_fault(int number, siginfo_t *info, void *context)
{
    uint64_t at = (uint64_t)(uintptr_t)info->si_addr;
    const struct allocation *a = memory_find(at);
    char text[256];
    if (a && land_early(at, touch_of(context)))
        return;
    if (a && a->kind != MEMORY_REGISTERED) {
        int length =
            snprintf(text, sizeof text,
                     "simt: error: the host touched device memory: byte %llu of %s allocation of %llu bytes; "
                     "copy with cudaMemcpy\n",
                     (unsigned long long)(at - a->base), a->live ? "an" : "a freed", (unsigned long long)a->size);
        if (write(STDERR_FILENO, text, (size_t)length) < 0)
            _exit(1);
    }
    signal(number, SIG_DFL);
}

static void watch_faults(void)
{
    static char stack[64 << 10]; // a fault may be a full stack
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
    if (sigaction(SIGSEGV, NULL, &old) || old.sa_handler != SIG_DFL) // somebody's own: it stays
        return;
    sigaltstack(&other, NULL);
    arena.watched = !sigaction(SIGSEGV, &action, NULL);
}

static void open_arena(void)
{
    watch_faults();
    arena.records = reserve((uint64_t)RECORDS * sizeof *arena.records);
    arena.freed = reserve((uint64_t)RECORDS * sizeof *arena.freed);
    for (arena.size = UINT64_C(16) << 30; arena.size >= UINT64_C(1) << 28; arena.size /= 2)
        if (arena.records && arena.freed && reserve_all(arena.size)) {
            mprotect(arena.records, (uint64_t)RECORDS * sizeof *arena.records, PROT_READ | PROT_WRITE);
            mprotect(arena.freed, (uint64_t)RECORDS * sizeof *arena.freed, PROT_READ | PROT_WRITE);
            arena.end = GRANULE;
            arena.record_count = 1;
            return;
        }
    fprintf(stderr, "simt: the host gives no address space for device memory; raise the limit (ulimit -v)\n");
    exit(1);
}

static void use_arena(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_arena);
}

uint64_t memory_capacity(void)
{
    use_arena();
    return CAPACITY < arena.size / 2 ? CAPACITY : arena.size / 2;
}

uint64_t memory_used(int device)
{
    return arena.used[device];
}

static void own(const struct allocation *a, uint32_t index)
{
    uint64_t first = (a->base - (uint64_t)(uintptr_t)arena.data) / GRANULE;
    for (uint64_t g = 0; g < a->span / GRANULE; g++)
        arena.owner[first + g] = index;
}

// Bytes that hold nothing any more: whole pages go back to the host and read as zero.
static void clear(uint8_t *p, uint64_t size)
{
    const uint64_t page = 4096;
    uint64_t at = (uint64_t)(uintptr_t)p, from = (at + page - 1) & ~(page - 1), to = (at + size) & ~(page - 1);
    if (size < 2 * page) {
        memset(p, 0, size);
        return;
    }
    memset(p, 0, from - at);
    memset(p + (to - at), 0, at + size - to);
    madvise(p + (from - at), to - from, MADV_DONTNEED);
}

// What is known about the bytes goes. Large contents go, too; they may be closed to the host, and so to us.
static void forget(uint64_t offset, uint64_t size)
{
    const uint64_t page = 4096;
    uint64_t from = (offset + page - 1) & ~(page - 1), to = (offset + size) & ~(page - 1);
    if (size >= 2 * page)
        madvise(arena.data + from, to - from, MADV_DONTNEED);
    clear(arena.written + offset, size);
    clear(arena.writes + offset * SHADOW_PER_BYTE, size * SHADOW_PER_BYTE);
    clear(arena.reads + offset * SHADOW_PER_BYTE, size * SHADOW_PER_BYTE);
    clear(arena.earlier + offset * SHADOW_PER_BYTE, size * SHADOW_PER_BYTE);
}

// Space of the oldest freed allocation that is large enough, once enough was freed after it.
static uint64_t reuse(uint64_t span)
{
    if (arena.freed_bytes < QUARANTINE)
        return 0;
    for (uint32_t i = arena.freed_first; i < arena.freed_last; i++) {
        struct allocation *a = &arena.records[arena.freed[i]];
        if (!arena.freed[i] || a->span < span)
            continue;
        uint64_t offset = a->base - (uint64_t)(uintptr_t)arena.data, rest = a->span - span;
        arena.freed_bytes -= a->span;
        arena.freed[i] = 0;
        while (arena.freed_first < arena.freed_last && !arena.freed[arena.freed_first])
            arena.freed_first++;
        struct allocation left = {.base = a->base + span, .span = rest};
        own(&left, 0); // a remainder is given up: sizes repeat in the programs this machine runs
        return offset;
    }
    return 0;
}

struct allocation *memory_alloc(uint64_t size, enum memory_kind kind, int device)
{
    use_arena();
    struct allocation *a = NULL;
    pthread_mutex_lock(&arena.lock);
    uint64_t span = (size / GRANULE + 2) * GRANULE; // at least GRANULE bytes of redzone behind
    bool fits =
        size <= memory_capacity() && arena.used[device] + size <= memory_capacity() && arena.record_count < RECORDS;
    bool shared = kind != MEMORY_DEVICE && kind != MEMORY_HEAP && kind != MEMORY_GRAPH;
    uint64_t offset = fits && !shared ? reuse(span) : 0;
    if (fits && shared) {
        offset = share(&offset, &span) ? offset : 0;
        __atomic_store_n(&arena.shares, true, __ATOMIC_RELAXED);
    } else if (fits && !offset && commit(arena.end + span)) {
        offset = arena.end;
        arena.end += span;
    }
    if (offset) {
        a = &arena.records[arena.record_count];
        *a = (struct allocation){
            (uint64_t)(uintptr_t)arena.data + offset, size, span, kind, device, true, arena.record_count, NULL, NULL, 0,
        };
        own(a, arena.record_count++);
        forget(offset, span);
        arena.used[device] += size;
    }
    pthread_mutex_unlock(&arena.lock);
    return a;
}

// ---- the program's own memory

static struct mapping *find_mapping(uint64_t address)
{
    struct mapping *m = __atomic_load_n(&arena.mappings, __ATOMIC_ACQUIRE);
    while (m && !(__atomic_load_n(&m->memory.live, __ATOMIC_ACQUIRE) && address - m->memory.base < m->memory.size))
        m = m->next;
    return m;
}

static bool is_mapped(uint64_t base, uint64_t size)
{
    for (const struct mapping *m = arena.mappings; m; m = m->next)
        if (m->memory.live && base < m->memory.base + m->memory.size && m->memory.base < base + size)
            return true;
    return false;
}

// One that is free and has room for span bytes; NULL: there is none.
static struct mapping *open_mapping(uint64_t span)
{
    struct mapping *m = arena.mappings;
    uint64_t start = (arena.end + PAGE - 1) / PAGE * PAGE;
    while (m && (m->memory.live || m->memory.span < span))
        m = m->next;
    if (m || !commit(start + span))
        return m;
    m = calloc(1, sizeof *m);
    m->shadow = start;
    m->memory.span = span;
    m->next = arena.mappings;
    arena.end = start + span;
    __atomic_store_n(&arena.mappings, m, __ATOMIC_RELEASE);
    return m;
}

bool memory_register(uint64_t base, uint64_t size, unsigned flags, int device)
{
    use_arena();
    struct mapping *m = NULL;
    pthread_mutex_lock(&arena.lock);
    if (!is_mapped(base, size) && !memory_find(base))
        m = open_mapping((size / PAGE + 2) * PAGE);
    if (m) {
        forget(m->shadow, m->memory.span);
        m->memory.base = base;
        m->memory.size = size;
        m->memory.kind = MEMORY_REGISTERED;
        m->memory.device = device;
        m->memory.flags = flags;
        memset(arena.written + m->shadow + base % PAGE, 1, size); // by the host, unseen
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
    for (struct flight *f = arena.flights; known && f; f = f->next)
        if (f->first >= base && f->first < base + m->memory.size) {
            protect_flight(f, PROT_READ | PROT_WRITE);
            f->landed = true;
        }
    if (known)
        __atomic_store_n(&m->memory.live, false, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&arena.lock);
    return known;
}

// ---- what is known of an address

// Where it is known: an offset in the arena.
static uint64_t shadow_offset(uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)arena.data;
    const struct mapping *m = offset < arena.size ? NULL : find_mapping(address);
    return m ? m->shadow + m->memory.base % PAGE + (address - m->memory.base) : offset;
}

// ---- what kernels touch of the memory that they share with the host

void memory_judge(judge_touch *judge)
{
    arena.judge = judge;
}

void memory_touch(uint64_t address, uint32_t stamp)
{
    if (!__atomic_load_n(&arena.shares, __ATOMIC_RELAXED))
        return;
    uint32_t *page = &arena.touched[shadow_offset(address) / PAGE];
    if (__atomic_load_n(page, __ATOMIC_RELAXED) != stamp)
        __atomic_store_n(page, stamp, __ATOMIC_RELAXED);
}

static uint32_t touched_runs(const struct allocation *a, uint32_t stamp, struct stretch *out, uint32_t most)
{
    uint32_t runs = 0, limit = most < RUNS ? most : RUNS;
    const uint32_t *pages = &arena.touched[shadow_offset(a->base) / PAGE];
    uint64_t start = a->base / PAGE * PAGE, end = a->base + a->size, from = 0;
    for (uint64_t at = start; at < end + PAGE; at += PAGE) {
        bool hit = at < end && __atomic_load_n(&pages[(at - start) / PAGE], __ATOMIC_RELAXED) == stamp;
        if (hit && !from && runs < limit)
            from = at < a->base ? a->base : at;
        if (hit || !from || (runs == limit - 1 && at < end))
            continue;
        out[runs++] = (struct stretch){from, at < end ? at : end};
        from = 0;
    }
    return runs;
}

uint32_t memory_touched(uint32_t stamp, struct stretch *out, uint32_t most)
{
    uint32_t n = 0;
    if (!__atomic_load_n(&arena.shares, __ATOMIC_RELAXED) || !arena.watched || !settings()->check_memory)
        return 0;
    pthread_mutex_lock(&arena.lock);
    for (uint32_t i = 1; i < arena.record_count; i++) {
        const struct allocation *a = &arena.records[i];
        if (a->live && (a->kind == MEMORY_MANAGED || a->kind == MEMORY_HOST || a->kind == MEMORY_VARIABLE))
            n += touched_runs(a, stamp, out + n, most - n);
    }
    for (const struct mapping *m = arena.mappings; m; m = m->next)
        if (m->memory.live)
            n += touched_runs(&m->memory, stamp, out + n, most - n);
    pthread_mutex_unlock(&arena.lock);
    return n;
}

struct allocation *memory_find(uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)arena.data;
    if (offset >= arena.committed) {
        struct mapping *m = find_mapping(address);
        return m ? &m->memory : NULL;
    }
    uint32_t index = arena.owner[offset / GRANULE];
    return index ? &arena.records[index] : NULL;
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
        arena.freed[arena.freed_last++] = (uint32_t)a->number;
        arena.freed_bytes += a->span;
        forget(base - (uint64_t)(uintptr_t)arena.data, a->size);
        freed = true;
    }
    pthread_mutex_unlock(&arena.lock);
    return freed;
}

struct allocation *memory_nearest(uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)arena.data;
    if (offset >= arena.committed)
        return NULL;
    for (uint64_t g = offset / GRANULE + 1, steps = 0; g-- > 0 && steps < 1u << 20; steps++)
        if (arena.owner[g])
            return &arena.records[arena.owner[g]];
    return NULL;
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

void simt_poison(void *p, int byte, uint64_t size)
{
    memory_open();
    memset(p, byte, size);
    memory_close();
}

void memory_mark_written(uint64_t address, uint64_t size)
{
    memset(memory_written(address), 1, size);
}

void memory_mark_unwritten(uint64_t address, uint64_t size)
{
    memset(memory_written(address), 0, size);
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

void *memory_earlier_reads(uint64_t address)
{
    return arena.earlier + record_offset(address);
}

void memory_each(void (*see)(const struct allocation *a, void *data), void *data)
{
    for (uint32_t i = 1; i < arena.record_count; i++)
        if (arena.records[i].live)
            see(&arena.records[i], data);
}
