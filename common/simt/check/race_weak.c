// Weak memory: which older values a strong load may return, in a random order.
//
// Memory holds the newest value of every word. For words that strong accesses write, it also keeps the last few
// versions, with their writers and readers. A strong load may give any version that PTX allows: none older than one
// whose write, or whose reading, comes before the load in causality order (race_order.c knows that order), and none
// older than what a fence.sc before the load makes visible. Atomics see the newest value. So threads may read old
// values as long as nothing orders them. Loads are never made early, so load buffering does not occur, and two writes
// to one word are never seen in reverse. All elements of a vector are loaded at one time: PTX promises this only for
// each element, but GPUs do it, and CUB's scan relies on it. In doubt, two accesses count as ordered.
//
// fence.sc: all such fences have one order, here that of their execution. All later ones know what one of them makes
// visible: a write belongs to its warp's cell, which the warp's next fence stamps with the time. After a barrier of the
// block, a fence of any warp is enough: a cell of the block continues the warp's cell.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"

#define MAX_VERSIONS 8
#define MAX_READERS 16
#define STALE_IN_A_ROW 3 // so that a spinning lane sees the new value soon
#define MAX_CELLS 64     // maximum of words with a history
#define MAX_ELEMENTS 8   // of a vector

struct cell {
    _Atomic uint64_t block_fence, device_fence; // times of the first fences after the cell's writes; 0: none yet
    struct cell *_Atomic then;                  // the block's cell, after a barrier
};

// An access that other threads may know of.
struct event {
    struct moment when;
    struct cell *cell;
    uint32_t id;
};

struct version {
    uint64_t value; // the newest version's value is in memory
    uint64_t time;  // of its write, counted in weak_launch.writes; 0: before the launch
    struct event write;
    const struct release *head; // what its writer had published there (race_order.c)
};

struct reader {
    struct event read;
    uint32_t version;
};

struct history {
    struct history *next;
    uint64_t address;
    uint32_t size;
    uint32_t newest; // number of the version in memory; version 0 was there before the launch
    uint32_t floor;  // the oldest version that some thread may read
    uint32_t version_room, reader_room, reader_count;
    struct version *versions; // version v is at v % version_room
    struct reader *readers;
};

struct weak_launch {
    struct history *histories[CHAINS]; // of global memory
    atomic_uint_fast64_t fences;       // the number of fence.sc so far
    atomic_uint_fast64_t writes;       // the number of strong stores and atomics so far
};

// The state of a block.
struct block_weak {
    struct cell *cells[MAX_WARPS], *common;   // the open cells of the warps, and of the block
    struct history *histories[SHARED_CHAINS]; // of shared memory
    uint32_t stale;                           // lanes for which the last load returns an older value
    uint64_t chosen[LANES * MAX_ELEMENTS];    // the values that it returns
    struct lane_weak lanes[];
};

struct weak_launch *weak_launch_open(void)
{
    return alloc_zeroed(1, sizeof(struct weak_launch));
}

void weak_block_start(struct block *b)
{
    size_t size = sizeof *race_of(b)->weak + b->warp_count * LANES * sizeof *race_of(b)->weak->lanes;
    if (!race_of(b)->weak)
        race_of(b)->weak = alloc_resize(NULL, 1, size);
    memset(race_of(b)->weak, 0, size);
}

void weak_block_free(struct block_race *r)
{
    free(r->weak);
}

static struct lane_weak *lane_of(struct warp *w, uint32_t l)
{
    return &race_of(w->block)->weak->lanes[w->index * LANES + l];
}

// ---- fences

static struct cell *cell_of(struct warp *w)
{
    struct cell **open = &race_of(w->block)->weak->cells[w->index];
    if (!*open) {
        *open = race_alloc(w->block->launch, sizeof **open);
        **open = (struct cell){0};
    }
    return *open;
}

// Any later fence by the warp makes its open cell, and its block's, visible.
static void close_cells(struct warp *w, enum scope scope, uint64_t now)
{
    struct block_weak *r = race_of(w->block)->weak;
    struct cell **open[2] = {&r->cells[w->index], &r->common};
    for (int i = 0; i < 2; i++) {
        struct cell *c = *open[i];
        if (!c)
            continue;
        c->block_fence = c->block_fence ? c->block_fence : now;
        if (scope == SCOPE_BLOCK)
            continue;
        c->device_fence = now;
        *open[i] = NULL;
    }
}

void weak_fence(struct warp *w, enum scope scope)
{
    uint64_t now = atomic_fetch_add(&race_weak(w->block->launch)->fences, 1) + 1;
    close_cells(w, scope, now);
    FOR_LANES(l, w->mask)
    {
        struct lane_weak *lane = lane_of(w, l);
        lane->block_fence = now;
        if (scope != SCOPE_BLOCK)
            lane->device_fence = now;
    }
}

void weak_barrier(struct block *b, uint32_t warps)
{
    struct block_weak *r = race_of(b)->weak;
    struct cell *common = race_alloc(b->launch, sizeof *common);
    *common = (struct cell){0};
    if (r->common)
        r->common->then = common;
    r->common = common;
    FOR_LANES(i, warps)
    if (r->cells[i]) {
        r->cells[i]->then = common;
        r->cells[i] = NULL;
    }
}

// Whether a fence.sc after the event comes before one of the lane.
static bool fenced(struct warp *w, uint32_t l, const struct event *e)
{
    const struct lane_weak *lane = lane_of(w, l);
    bool same_block = e->when.block == w->block->number;
    uint64_t last = same_block ? lane->block_fence : lane->device_fence;
    int steps = 0;
    for (const struct cell *c = e->cell; c; c = c->then) {
        uint64_t first = same_block ? c->block_fence : c->device_fence;
        if ((first && first <= last) || ++steps == MAX_CELLS)
            return true;
    }
    return false;
}

static bool knows(struct warp *w, uint32_t l, const struct event *e)
{
    return race_ordered(w, l, &e->when, PROOF_KNOWN) || fenced(w, l, e) || order_known_after_barrier(w, &e->when);
}

// ---- histories

static struct history *history_at(struct block *b, const struct access *a, uint64_t address, bool make)
{
    struct history **chains = a->space == PTX_SHARED ? race_of(b)->weak->histories : race_weak(b->launch)->histories;
    struct history **head = &chains[chain_of(a, address)];
    for (struct history *h = *head; h; h = h->next)
        if (h->address == address)
            return h;
    if (!make)
        return NULL;
    struct history *h = race_alloc(b->launch, sizeof *h);
    *h = (struct history){.next = *head, .address = address, .size = a->in->size};
    *head = h;
    return h;
}

static struct event event_of(struct warp *w, const struct access *a, uint32_t l)
{
    return (struct event){{w->block->number, w->index, l, clock_of(w)->now}, cell_of(w), a->in->id};
}

static struct version *version_at(const struct history *h, uint32_t number)
{
    return &h->versions[number % h->version_room];
}

// When the version was written. A history that was created without a write has no versions.
static uint64_t time_of(const struct history *h, uint32_t number)
{
    return h->version_room ? version_at(h, number)->time : 0;
}

static void grow_versions(struct launch *launch, struct history *h)
{
    uint32_t room = h->version_room ? 2 * h->version_room : 2;
    struct version *larger = race_alloc(launch, room * sizeof *larger);
    for (uint32_t v = h->floor; h->version_room && v <= h->newest; v++)
        larger[v % room] = *version_at(h, v);
    if (!h->version_room)
        larger[0] = (struct version){.write.id = NONE};
    h->versions = larger;
    h->version_room = room;
}

// Lane l is about to write at this time: the value in memory becomes an older version.
static void add_version(struct warp *w, const struct access *a, uint32_t l, struct history *h, const void *memory,
                        uint64_t time)
{
    uint64_t old = 0;
    memcpy(&old, memory, h->size);
    while (h->newest + 1 - h->floor >= h->version_room)
        if (h->version_room < MAX_VERSIONS)
            grow_versions(w->block->launch, h);
        else
            h->floor++;
    version_at(h, h->newest)->value = old;
    h->newest++;
    *version_at(h, h->newest) = (struct version){.time = time, .write = event_of(w, a, l), .head = order_head(w, a, l)};
}

// Lane l reads a version: a thread that knows of this read may not read an older one.
static void add_reader(struct warp *w, const struct access *a, uint32_t l, struct history *h, uint32_t version)
{
    struct event read = event_of(w, a, l);
    uint32_t i = 0;
    if (version == h->floor)
        return;
    while (i < h->reader_count &&
           (h->readers[i].read.when.block != read.when.block || h->readers[i].read.when.warp != read.when.warp ||
            h->readers[i].read.when.lane != l) &&
           h->readers[i].version > h->floor)
        i++;
    if (i == h->reader_count && i == h->reader_room) {
        if (h->reader_room >= MAX_READERS) {
            h->floor = version;
            return;
        }
        struct reader *more = race_alloc(w->block->launch, (h->reader_room * 2 + 2) * sizeof *more);
        if (i)
            memcpy(more, h->readers, i * sizeof *more);
        h->readers = more;
        h->reader_room = h->reader_room ? h->reader_room * 2 + 2 : 2;
    }
    h->reader_count += i == h->reader_count;
    h->readers[i] = (struct reader){read, version};
}

// The oldest version that lane l may read.
static uint32_t oldest_for(struct warp *w, uint32_t l, const struct history *h)
{
    uint32_t oldest = h->floor;
    for (uint32_t i = 0; i < h->reader_count; i++)
        if (h->readers[i].version > oldest && knows(w, l, &h->readers[i].read))
            oldest = h->readers[i].version;
    for (uint32_t v = h->newest; v > oldest; v--)
        if (knows(w, l, &version_at(h, v)->write))
            oldest = v;
    return oldest;
}

// ---- loads

// A value that is not a flag is older than the flag that announced a newer one.
static void report_stale(struct warp *w, const struct access *a, uint32_t l, const struct event *newer)
{
    struct block *b = w->block;
    const struct module *m = b->launch->module;
    const struct observation *flag = reads_data(a) ? order_observation(w, l, &newer->when) : NULL;
    char other[80];
    if (!flag)
        return;
    if (newer->when.block == b->number)
        snprintf(other, sizeof other, "%s", thread_name(b, newer->when.warp * LANES + newer->when.lane));
    else
        snprintf(other, sizeof other, "%s of %s", thread_name(b, newer->when.warp * LANES + newer->when.lane),
                 block_name(b->launch, newer->when.block));
    bool released = order_known_if_fenced(w, l, &newer->when);
    const char *fence = newer->when.block == b->number ? "__threadfence_block" : "__threadfence";
    report(b, FINDING_RACE, ERROR, a->in->id, newer->id,
           "Race (stale read) in %s memory: %s read by %s returned the value before the write at %s by %s, "
           "though the flag read at %s announced it: no %s between %s",
           a->space == PTX_SHARED ? "__shared__" : "__global__", origin_place(m, a->in->id),
           thread_name(b, w->index * LANES + l), origin_place(m, newer->id), other, origin_place(m, flag->read), fence,
           released ? "that flag and this read" : "the write and its flag");
}

// The history of element k of lane l's load; NULL: the load returns what is in memory.
static struct history *loaded_history(struct warp *w, const struct access *a, uint32_t l, uint32_t k)
{
    struct history *h = history_at(w->block, a, a->addr[l] + k * a->in->size, false);
    return h && h->size == a->in->size && !race_plainly_written(w, a, l) ? h : NULL;
}

// Chooses the time whose values lane l's load returns: the time of a version of the first element that has several, but
// not one at which some element was older than lane l may read. UINT64_MAX: now.
static uint64_t choose_time(struct warp *w, const struct access *a, uint32_t l, struct history *const *loaded)
{
    uint64_t earliest = 0, time = UINT64_MAX;
    for (uint32_t k = 0; k < a->in->count; k++) {
        const struct history *h = loaded[k];
        uint32_t oldest = h ? oldest_for(w, l, h) : 0;
        if (!h)
            continue;
        if (time_of(h, oldest) > earliest)
            earliest = time_of(h, oldest);
        if (oldest < h->newest && time == UINT64_MAX && lane_of(w, l)->stale < STALE_IN_A_ROW &&
            random_bits(w->block->worker) & 1)
            time = time_of(h, oldest + (uint32_t)(random_bits(w->block->worker) % (h->newest - oldest + 1)));
    }
    return time > earliest ? time : earliest;
}

// Takes the value of element k of lane l's load at this time; h: its history. True: it is older than the value in
// memory.
static bool take(struct warp *w, const struct access *a, uint32_t l, uint32_t k, struct history *h, uint64_t time)
{
    uint64_t *chosen = &race_of(w->block)->weak->chosen[l * MAX_ELEMENTS + k];
    *chosen = 0;
    memcpy(chosen, lane_memory(w, a, l) + k * a->in->size, a->in->size);
    if (!h)
        return false;
    uint32_t version = h->newest;
    while (version > h->floor && time_of(h, version) > time)
        version--;
    add_reader(w, a, l, h, version);
    if (version == h->newest)
        return false;
    *chosen = version_at(h, version)->value;
    order_read(w, a, l, version_at(h, version)->head);
    report_stale(w, a, l, &version_at(h, version + 1)->write);
    return true;
}

void weak_load(struct warp *w, const struct access *a)
{
    uint32_t *stale = &race_of(w->block)->weak->stale;
    *stale = 0;
    FOR_LANES(l, a->mask)
    {
        struct history *loaded[MAX_ELEMENTS];
        for (uint32_t k = 0; k < a->in->count; k++)
            loaded[k] = loaded_history(w, a, l, k);
        uint64_t time = choose_time(w, a, l, loaded);
        for (uint32_t k = 0; k < a->in->count; k++)
            *stale |= (uint32_t)take(w, a, l, k, loaded[k], time) << l;
        lane_of(w, l)->stale = *stale >> l & 1 ? lane_of(w, l)->stale + 1 : 0;
    }
}

uint32_t weak_stale(const struct warp *w)
{
    return race_of(w->block)->weak ? race_of(w->block)->weak->stale : 0;
}

void weak_write(struct warp *w, const struct access *a)
{
    uint32_t elements = a->kind == STORE ? a->in->count : 1;
    FOR_LANES(l, a->mask)
    {
        uint64_t time = atomic_fetch_add(&race_weak(w->block->launch)->writes, 1) + 1;
        for (uint32_t k = 0; k < elements; k++) {
            const uint8_t *memory = lane_memory(w, a, l) + k * a->in->size;
            struct history *h = history_at(w->block, a, a->addr[l] + k * a->in->size, true);
            if (h->size != a->in->size)
                h->floor = h->newest; // read as it is, and reported as a race: race_torn
            else if (!race_changes(a, l, memory))
                add_reader(w, a, l, h, h->newest);
            else
                add_version(w, a, l, h, memory, time);
        }
    }
    if (a->in->order & ORDER_RELEASE)
        close_cells(w, a->in->scope, atomic_load(&race_weak(w->block->launch)->fences) + 1);
}

uint64_t weak_value(const struct warp *w, uint32_t l, uint32_t k)
{
    return race_of(w->block)->weak->chosen[l * MAX_ELEMENTS + k];
}
