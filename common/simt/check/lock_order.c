// Locks that threads take in opposite orders. Two threads that each hold one of them and wait for the other wait
// forever. In most orders of the threads this does not happen, so the check looks at who holds what, not at who waits.
//
// A lock is a word that a compare-and-swap or an exchange changes and that the same thread changes back, or a bit that
// an atomicOr or atomicAnd changes in a loop until it was the first. If a thread holds lock A when it takes lock B,
// that is an edge from A to B. When the launch ends, a circle of edges is reported if different threads made them that
// nothing keeps apart: no barrier of theirs lies between, and they hold no other lock in common. Each of them must wait
// for its second lock in a loop that takes and gives back nothing meanwhile: a thread that gives its first lock back,
// and tries again, blocks no other thread.
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "check/check.h"
#include "check/lock_wait.h"
#include "decode/forms.h"
#include "exec/access.h"
#include "exec/finding.h"
#include "report/names.h"

#define HELD 4                // locks that a thread holds, of which it remembers the last
#define TAKERS 2              // threads that an edge remembers
#define EDGES 4096            // of a launch; further ones are ignored
#define SLOTS (2 * EDGES)     // of hash tables, a power of two
#define CIRCLE 6              // edges of a circle
#define VISITS_OF_EDGES 50000 // in the search for circles

struct held {
    uint64_t lock, free; // free: the value that gives it back
    uint32_t id;         // the instruction that took it
};

struct lane_locks {
    uint32_t count;
    struct held list[HELD];
};

struct block_locks {
    struct lane_locks *lanes; // of all threads; NULL: none has taken a lock
    uint32_t barriers;        // passed by all its warps
};

struct warp_locks {
    uint32_t syncs; // passed by all its lanes
};

// A thread that took `to` while it held `from`.
struct taker {
    uint64_t block;
    uint32_t thread, barriers, syncs, outer, inner; // outer, inner: the instructions that took `from` and `to`
    uint64_t others[HELD];                          // further locks that it held; 0: none
};

struct edge {
    uint64_t from, to;
    uint32_t count;
    struct taker by[TAKERS];
};

struct lock_graph {
    pthread_mutex_t guard;
    uint32_t edge_count;
    struct edge edges[EDGES];
    uint32_t table[SLOTS]; // number of an edge, from 1
    uint64_t locks[SLOTS]; // words that were given back
    uint32_t lock_count;
};

static struct observer_state lock_state = {.bytes = {[OF_LAUNCH] = sizeof(struct lock_graph *),
                                                     [OF_BLOCK] = sizeof(struct block_locks),
                                                     [OF_WARP] = sizeof(struct warp_locks)}};

static struct lock_graph *graph_of(const struct launch *launch)
{
    return *(struct lock_graph **)launch_state(launch, &lock_state);
}

static struct block_locks *locks_of(const struct block *b)
{
    return block_state(b, &lock_state);
}

static bool wants(const struct launch *launch)
{
    return launch->locks && !launch->partial;
}

static void launch_start(struct launch *launch)
{
    struct lock_graph *g = alloc_zeroed(1, sizeof *g);
    pthread_mutex_init(&g->guard, NULL);
    *(struct lock_graph **)launch_state(launch, &lock_state) = g;
}

static void block_start(struct block *b)
{
    struct block_locks *k = locks_of(b);
    k->barriers = 0;
    if (k->lanes)
        memset(k->lanes, 0, b->warp_count * LANES * sizeof *k->lanes);
}

static void block_close(struct block *b)
{
    free(locks_of(b)->lanes);
}

static void block_sync(struct block *b, uint32_t warps)
{
    locks_of(b)->barriers += (warps & b->live) == b->live;
}

static void warp_sync(struct warp *w, uint32_t lanes, const uint32_t *named)
{
    (void)named;
    ((struct warp_locks *)warp_state(w, &lock_state))->syncs += lanes == w->alive;
}

// ---- the graph

static uint32_t slot_of(uint64_t a, uint64_t b)
{
    return (uint32_t)((a * UINT64_C(0x9e3779b97f4a7c15) ^ b) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
}

static bool is_lock(const struct lock_graph *g, uint64_t lock, uint32_t *slot)
{
    for (*slot = slot_of(lock, 0); g->locks[*slot]; *slot = (*slot + 1) % SLOTS)
        if (g->locks[*slot] == lock)
            return true;
    return false;
}

static void note_lock(struct lock_graph *g, uint64_t lock)
{
    uint32_t slot;
    pthread_mutex_lock(&g->guard);
    if (!is_lock(g, lock, &slot) && g->lock_count < EDGES) {
        g->locks[slot] = lock;
        g->lock_count++;
    }
    pthread_mutex_unlock(&g->guard);
}

static struct edge *edge_of(struct lock_graph *g, uint64_t from, uint64_t to)
{
    uint32_t slot = slot_of(from, to);
    for (; g->table[slot]; slot = (slot + 1) % SLOTS) {
        struct edge *e = &g->edges[g->table[slot] - 1];
        if (e->from == from && e->to == to)
            return e;
    }
    if (g->edge_count == EDGES)
        return NULL;
    g->table[slot] = ++g->edge_count;
    struct edge *e = &g->edges[g->edge_count - 1];
    *e = (struct edge){.from = from, .to = to};
    return e;
}

static void note_edge(struct lock_graph *g, uint64_t from, uint64_t to, const struct taker *by)
{
    pthread_mutex_lock(&g->guard);
    struct edge *e = edge_of(g, from, to);
    bool known = !e || e->count == TAKERS;
    for (uint32_t i = 0; !known && i < e->count; i++)
        known |= e->by[i].block == by->block && e->by[i].thread == by->thread;
    if (!known)
        e->by[e->count++] = *by;
    pthread_mutex_unlock(&g->guard);
}

// ---- what threads hold

// The number of a lock that is one bit of a word: the bit's place, from 1, stands above the word's number.
#define BIT_AT 56
#define BIT_BITS (UINT64_C(127) << BIT_AT)

static uint64_t bits_of(uint64_t lock)
{
    return lock & BIT_BITS ? UINT64_C(1) << ((lock & BIT_BITS) >> BIT_AT) >> 1 : UINT64_MAX;
}

static bool is_bitwise(const struct access *a)
{
    return a->kind == ATOMIC && (a->in->sub == ATOM_OR || a->in->sub == ATOM_AND);
}

static uint64_t read_value(const void *p, uint32_t size)
{
    uint64_t value = 0;
    memcpy(&value, p, size < sizeof value ? size : sizeof value);
    return value;
}

// A number for the word: its address, or, of shared memory, the block and the offset.
static uint64_t lock_at(const struct warp *w, const struct access *a, uint32_t l)
{
    return a->space == PTX_SHARED ? UINT64_C(1) << 63 | w->block->number << 18 | a->addr[l] : a->addr[l];
}

static uint64_t operand_of(const struct access *a, uint32_t l)
{
    return read_value(a->data + l * a->stride, a->size);
}

// Whether lane l is the first to access the word, or these bits of it (exec/atomic.c). In a random order that is
// unknown if there are others.
static bool is_first(const struct warp *w, const struct access *a, uint32_t l)
{
    enum schedule s = w->block->launch->schedule;
    uint32_t same = 0;
    FOR_LANES(m, a->mask & ~(1u << l))
    same |= (uint32_t)(a->addr[m] == a->addr[l] && (!is_bitwise(a) || operand_of(a, m) == operand_of(a, l))) << m;
    return s == SCHEDULE_RANDOM ? !same : s == SCHEDULE_REVERSE ? !(same >> l) : !(same & ((1u << l) - 1));
}

// What the word holds, and what lane l makes of it. False: other lanes may come before it.
static bool change_of(struct warp *w, const struct access *a, uint32_t l, uint64_t *old, uint64_t *new)
{
    *old = read_value(lane_memory(w, a, l), a->size);
    *new = operand_of(a, l);
    if (is_bitwise(a))
        *new = a->in->sub == ATOM_OR ? *new | *old : operand_of(a, l) & *old;
    if (a->kind == ATOMIC && a->in->sub == ATOM_CAS)
        *new = *new == *old ? read_value((const uint8_t *)row(w, a->in->c) + l * a->stride, a->size) : *old;
    return is_first(w, a, l);
}

static void take(struct warp *w, const struct access *a, uint32_t l, uint64_t lock, uint64_t free_value)
{
    struct block *b = w->block;
    struct block_locks *k = locks_of(b);
    if (!k->lanes)
        k->lanes = alloc_zeroed(b->warp_count * LANES, sizeof *k->lanes);
    struct lane_locks *mine = &k->lanes[w->index * LANES + l];
    struct taker by = {.block = b->number,
                       .thread = w->index * LANES + l,
                       .barriers = k->barriers,
                       .syncs = ((struct warp_locks *)warp_state(w, &lock_state))->syncs,
                       .inner = a->in->id};
    for (uint32_t i = 0; i < mine->count; i++) {
        by.outer = mine->list[i].id;
        for (uint32_t n = 0; n < HELD; n++)
            by.others[n] = n != i && n < mine->count ? mine->list[n].lock : 0;
        note_edge(graph_of(b->launch), mine->list[i].lock, lock, &by);
    }
    if (mine->count == HELD)
        memmove(mine->list, mine->list + 1, --mine->count * sizeof *mine->list);
    mine->list[mine->count++] = (struct held){lock, free_value, a->in->id};
}

// The first lock from i on that is this word, or a bit of it.
static uint32_t held_there(const struct lane_locks *mine, uint32_t i, uint64_t word)
{
    while (mine && i < mine->count && (mine->list[i].lock & ~BIT_BITS) != word)
        i++;
    return mine ? i : 0;
}

static void lane_access(struct warp *w, const struct access *a, uint32_t l)
{
    const struct block_locks *k = locks_of(w->block);
    struct lane_locks *mine = k->lanes ? &k->lanes[w->index * LANES + l] : NULL;
    uint64_t word = lock_at(w, a, l), old, new;
    uint32_t i = held_there(mine, 0, word), count = mine ? mine->count : 0;
    bool takes = a->kind == ATOMIC && a->in->dst != NONE && (is_bitwise(a) ? a->in->spins : i == count);
    if ((!takes && i == count) || !change_of(w, a, l, &old, &new) || old == new)
        return;
    for (; i < count; i = held_there(mine, i + 1, word)) {
        uint64_t bits = bits_of(mine->list[i].lock);
        if (!((old ^ new) & bits) || (bits & new) != mine->list[i].free)
            continue;
        note_lock(graph_of(w->block->launch), mine->list[i].lock);
        memmove(mine->list + i, mine->list + i + 1, (--mine->count - i) * sizeof *mine->list);
        return;
    }
    uint64_t bit = is_bitwise(a) ? old ^ new : 0;
    if (takes && !(bit & (bit - 1)))
        take(w, a, l, word | (bit ? (uint64_t)__builtin_ctzll(bit) + 1 : 0) << BIT_AT, bit ? old & bit : old);
}

static void all_lanes(struct warp *w, const struct access *a)
{
    bool swaps = a->kind == ATOMIC && (a->in->sub == ATOM_CAS || a->in->sub == ATOM_EXCH);
    bool sets = is_bitwise(a) && (a->in->spins || locks_of(w->block)->lanes);
    bool stores = a->kind == STORE && !a->async && locks_of(w->block)->lanes;
    FOR_LANES(l, (swaps || sets || stores) && a->data && !a->peer && a->size <= 8 ? a->mask : 0)
    lane_access(w, a, l);
}

static void ordered_access(struct warp *w, const struct access *a)
{
    all_lanes(w, a);
}

static void access(struct warp *w, const struct access *a)
{
    bool ordered = a->kind == ATOMIC || a->in->order & (ORDER_STRONG | ORDER_VOLATILE);
    if (a->space == PTX_SHARED || (a->space == PTX_GLOBAL && !ordered))
        all_lanes(w, a);
}

// ---- circles

struct search {
    const struct launch *launch;
    const struct lock_graph *graph;
    uint8_t *waits; // per instruction: 1 + whether it waits; 0: unknown
    const struct edge *edges[CIRCLE];
    const struct taker *takers[CIRCLE];
    uint32_t visits;
};

static bool waits(struct search *s, uint32_t id)
{
    if (!s->waits[id])
        s->waits[id] = 1 + lock_waits(&s->launch->module->origins[id], s->launch->module);
    return s->waits[id] - 1;
}

// Whether the two threads may be where they took their second locks at the same time.
static bool may_meet(const struct launch *launch, const struct taker *a, const struct taker *b)
{
    bool same_block = a->block == b->block, met = false;
    if (same_block && a->thread == b->thread)
        return false;
    for (uint32_t i = 0; i < HELD; i++)
        for (uint32_t k = 0; k < HELD; k++)
            met |= a->others[i] && a->others[i] == b->others[k];
    if (same_block && a->thread / LANES == b->thread / LANES && a->syncs != b->syncs)
        return false;
    return !met && (a->barriers == b->barriers || (!same_block && !launch->cooperative));
}

static void report_circle(const struct search *s, uint32_t length)
{
    const struct launch *launch = s->launch;
    const struct module *m = launch->module;
    const struct taker *a = s->takers[0], *b = s->takers[length - 1];
    char others[60] = "";
    if (length > 2)
        snprintf(others, sizeof others, ", in a circle of %u threads", length);
    report_launch(launch, FINDING_SYNC, WARNING, a->inner, b->inner,
                  "Locks taken in opposite orders: %s of %s holds the lock of %s and takes that of %s, "
                  "%s of %s holds that of %s and takes that of %s%s; each may wait for the other forever",
                  thread_in(launch->dim, a->thread), block_in(launch->grid, a->block), origin_place(m, a->outer),
                  origin_place(m, a->inner), thread_in(launch->dim, b->thread), block_in(launch->grid, b->block),
                  origin_place(m, b->outer), origin_place(m, b->inner), others);
}

// Extends the path of `length` edges. True: a circle was reported.
static bool extend(struct search *s, uint32_t length)
{
    uint32_t slot;
    const struct edge *last = s->edges[length - 1];
    for (uint32_t i = 0; i < s->graph->edge_count && length < CIRCLE; i++) {
        const struct edge *e = &s->graph->edges[i];
        if (e->from != last->to || !is_lock(s->graph, e->to, &slot))
            continue;
        for (uint32_t t = 0; t < e->count && s->visits < VISITS_OF_EDGES; t++, s->visits++) {
            bool fits = waits(s, e->by[t].inner);
            for (uint32_t k = 0; k < length; k++)
                fits &= may_meet(s->launch, s->takers[k], &e->by[t]);
            s->edges[length] = e;
            s->takers[length] = &e->by[t];
            if (fits && e->to == s->edges[0]->from) {
                report_circle(s, length + 1);
                return true;
            }
            if (fits && extend(s, length + 1))
                return true;
        }
    }
    return false;
}

static void search(struct search *s)
{
    bool found = false;
    uint32_t slot;
    for (uint32_t i = 0; i < s->graph->edge_count && !found; i++) {
        const struct edge *e = &s->graph->edges[i];
        bool locks = is_lock(s->graph, e->from, &slot) && is_lock(s->graph, e->to, &slot);
        for (uint32_t t = 0; t < e->count && locks && !found && s->visits < VISITS_OF_EDGES; t++, s->visits++) {
            s->edges[0] = e;
            s->takers[0] = &e->by[t];
            found = waits(s, e->by[t].inner) && extend(s, 1);
        }
    }
}

static void launch_end(struct launch *launch, const struct worker *workers)
{
    struct lock_graph *g = graph_of(launch);
    (void)workers;
    if (g->edge_count > 1 && !atomic_load(&launch->failed)) {
        struct search s = {launch, g, alloc_zeroed(launch->module->origin_count, 1), {0}, {0}, 0};
        search(&s);
        free(s.waits);
    }
    pthread_mutex_destroy(&g->guard);
    free(g);
}

const struct observer lock_check = {.state = &lock_state,
                                    .wants = wants,
                                    .launch_start = launch_start,
                                    .block_start = block_start,
                                    .access = access,
                                    .ordered_access = ordered_access,
                                    .warp_sync = warp_sync,
                                    .block_sync = block_sync,
                                    .block_close = block_close,
                                    .launch_end = launch_end};
