// Order by fences, releases and acquires.
//
// A strong write by a thread that has fenced leaves a struct release at the word it writes; atomics there extend the
// chain, a plain strong store begins a new chain. A strong read acquires what it finds; this stays pending until the
// thread's next fence (at once if it is an acquire) or the block's next barrier. What a block has acquired is a list
// that only grows at its head, so a release can keep a snapshot. A thread knows what the list held at the block's last
// barrier, and up to the latest entry that it, or a lane that it has synchronized with since, has acquired.
//
// A block's releases are freed with the block, unless it has released something in global memory: then others may reach
// all of them, and they live until the launch ends.
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"
#include "report/settings.h"

#define BUCKETS 4096 // of blocks

enum { MIN_CHUNK = 1024, MAX_CHUNK = 1 << 16 }; // bytes

struct sync_word {
    uint64_t address;
    const struct release *head;
    struct sync_word *next;
};

// Memory that is all freed together.
struct chunk {
    struct chunk *next;
    size_t used, size;
    char bytes[];
};

struct race_launch {
    struct sync_word *words[CHAINS];
    const struct release *_Atomic of_blocks[BUCKETS]; // the latest release of some blocks
    struct chunk *chunks;
    pthread_mutex_t lock;
    struct weak_launch *weak;
};

struct observer_state race_state = {.bytes = {[OF_LAUNCH] = sizeof(struct race_launch),
                                              [OF_WORKER] = sizeof(struct race_worker),
                                              [OF_BLOCK] = sizeof(struct block_race),
                                              [OF_WARP] = sizeof(struct warp_clock)}};

struct weak_launch *race_weak(struct launch *launch)
{
    return race_of_launch(launch)->weak;
}

void order_launch_start(struct launch *launch)
{
    struct race_launch *r = race_of_launch(launch);
    pthread_mutex_init(&r->lock, NULL);
    if (launch->weak)
        r->weak = weak_launch_open();
}

static void free_chunks(struct chunk *c)
{
    for (struct chunk *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

void order_launch_end(struct launch *launch)
{
    struct race_launch *r = race_of_launch(launch);
    free_chunks(r->chunks);
    pthread_mutex_destroy(&r->lock);
    free(r->weak);
}

static void *take(struct chunk **chunks, size_t size)
{
    struct chunk *c = *chunks;
    if (!c || c->used + size > c->size) {
        size_t room = c && c->size < MAX_CHUNK ? 2 * c->size : c ? MAX_CHUNK : MIN_CHUNK;
        c = alloc_resize(NULL, 1, sizeof *c + (room > size ? room : size));
        *c = (struct chunk){.next = *chunks, .size = room > size ? room : size};
        *chunks = c;
    }
    void *p = c->bytes + c->used;
    c->used += (size + 15) & ~(size_t)15;
    return p;
}

void *race_alloc(struct launch *launch, size_t size)
{
    struct race_launch *r = race_of_launch(launch);
    pthread_mutex_lock(&r->lock);
    void *p = take(&r->chunks, size);
    pthread_mutex_unlock(&r->lock);
    return p;
}

// As race_alloc, for what can be reached only from the block's own words and lanes.
static void *race_alloc_own(struct block *b, size_t size)
{
    return race_of(b)->published ? race_alloc(b->launch, size) : take(&race_of(b)->chunks, size);
}

static void enter_of_block(const struct block *b, struct release *node)
{
    const struct release *_Atomic *head = &race_of_launch(b->launch)->of_blocks[(uint32_t)b->number % BUCKETS];
    node->previous = atomic_load(head);
    while (!atomic_compare_exchange_weak(head, &node->previous, node))
        ;
}

// Before the block's first release in global memory, its own records become the launch's.
static void publish_notes(struct block *b)
{
    struct block_race *r = race_of(b);
    struct race_launch *all = race_of_launch(b->launch);
    for (struct release *node = r->releases, *next; node; node = next) {
        next = (struct release *)node->previous;
        enter_of_block(b, node);
    }
    if (r->chunks) {
        struct chunk *last = r->chunks;
        while (last->next)
            last = last->next;
        pthread_mutex_lock(&all->lock);
        last->next = all->chunks;
        all->chunks = r->chunks;
        pthread_mutex_unlock(&all->lock);
    }
    r->chunks = NULL;
    r->releases = NULL;
    r->published = true;
}

static void enter_release_of(struct block *b, struct release *node, bool shared)
{
    struct block_race *r = race_of(b);
    node->before = r->of_warp[node->by.warp];
    r->of_warp[node->by.warp] = node;
    node->made = clock_of(&b->warps[node->by.warp])->now;
    node->seen = acquired_number(r->known);
    if (!shared && !r->published)
        publish_notes(b);
    if (r->published) {
        enter_of_block(b, node);
        return;
    }
    node->previous = r->releases;
    r->releases = node;
}

void order_forget(struct block_race *r)
{
    known_forget(r->set);
    free_chunks(r->chunks);
    r->set = NULL;
    r->chunks = NULL;
    r->releases = NULL;
    r->published = false;
    memset(r->of_warp, 0, sizeof r->of_warp);
}

// The releases of a block that b may have reached, the latest first; other blocks' may be among them.
const struct release *order_releases_of(const struct block *b, uint32_t block)
{
    bool own = block == (uint32_t)b->number && !race_of(b)->published;
    return own ? race_of(b)->releases : atomic_load(&race_of_launch(b->launch)->of_blocks[block % BUCKETS]);
}

// Notes by which entry the block has first acquired its own releases of a chain.
static void mark_taken(const struct release *r, uint32_t number)
{
    for (; r && !r->taken; r = r->earlier)
        ((struct release *)r)->taken = number; // only its own block, on this host thread, uses it
}

// Adds a release to the list, unless the list has it. Of two releases in one chain, the later one leads to the earlier.
// Returns the release's entry.
static const struct acquired *add(struct block *b, const struct acquired **list, const struct release *what,
                                  bool narrow)
{
    const struct acquired *a = *list, *rest = *list;
    for (int visited = 0; a && visited < 4; a = a->next, visited++)
        if (a->release->first == what->first && a->narrow == narrow && a->release->place >= what->place)
            return a;
    if (rest && rest->release->first == what->first && rest->narrow == narrow)
        rest = rest->next;
    uint32_t number = acquired_number(*list) + 1;
    bool foreign = what->by.block != b->number || !what->alone;
    struct acquired *more = race_alloc_own(b, sizeof *more);
    *more = (struct acquired){.release = what, .next = rest, .narrow = narrow, .number = number};
    more->foreign = foreign ? number : *list ? (*list)->foreign : 0;
    return *list = more;
}

// Adds a release to what the block knows. Returns its entry.
static const struct acquired *learn(struct block *b, const struct release *what, bool narrow)
{
    const struct acquired *entry = add(b, &race_of(b)->known, what, narrow);
    if (what->by.block == b->number && what->alone)
        mark_taken(what, entry->number);
    return entry;
}

// ---- fences and barriers

// The block acquires all of a list. Returns the latest entry.
static const struct acquired *acquire(struct block *b, const struct acquired **from)
{
    const struct acquired *latest = NULL;
    for (const struct acquired *a = *from; a; a = a->next)
        latest = later_acquired(latest, learn(b, a->release, a->narrow));
    *from = NULL;
    return latest;
}

// A fence of block scope: everything stays pending for a wider fence.
static const struct acquired *acquire_in_block(struct block *b, const struct acquired *from)
{
    const struct acquired *latest = NULL;
    for (const struct acquired *a = from; a; a = a->next) {
        if (!a->taken)
            latest = later_acquired(latest, learn(b, a->release, true));
        ((struct acquired *)a)->taken = true; // nothing else references the pending list
    }
    return latest;
}

// The lock that the lane has taken last; NULL: none.
static struct lane_lock *lock_of(const struct warp *w, uint32_t l)
{
    struct lane_lock *lock = race_of(w->block)->locks;
    lock = lock ? lock + w->index * LANES + l : NULL;
    return lock && lock->block == w->block->number + 1 ? lock : NULL;
}

// The first fence after a lock was taken guards what follows.
static void guard(struct unguarded *u, enum scope scope, uint32_t now)
{
    if (!u->block_to)
        u->block_to = now;
    if (!u->device_to && scope != SCOPE_BLOCK)
        u->device_to = now;
}

static void set_latest(struct warp *w, uint32_t l, const struct acquired *entry)
{
    struct lane_order *lane = order_of(w, l);
    lane->latest = later_acquired(lane->latest, entry);
    clock_of(w)->latest = later_acquired(clock_of(w)->latest, entry);
}

const struct acquired *order_latest(const struct warp *w, uint32_t l)
{
    const struct acquired *own = later_acquired(order_of(w, l)->latest, clock_of(w)->known);
    return later_acquired(own, race_of(w->block)->floor_known);
}

void order_sync_warp(struct warp *w)
{
    clock_of(w)->known = clock_of(w)->latest;
}

void order_sync_lanes(struct warp *w, uint32_t lanes)
{
    const struct acquired *latest = NULL;
    FOR_LANES(l, lanes)
    latest = later_acquired(latest, order_of(w, l)->latest);
    FOR_LANES(l, lanes)
    order_of(w, l)->latest = latest;
}

void order_sync_warps(struct block *b, uint32_t warps)
{
    const struct acquired *latest = NULL;
    FOR_LANES(i, warps)
    latest = later_acquired(latest, clock_of(&b->warps[i])->latest);
    FOR_LANES(i, warps)
    clock_of(&b->warps[i])->latest = clock_of(&b->warps[i])->known = latest;
}

void order_fence(struct warp *w, enum scope scope, enum fence_kind kind)
{
    struct block_race *r = race_of(w->block);
    FOR_LANES(l, w->mask)
    {
        struct lane_order *lane = order_of(w, l);
        bool narrow = scope == SCOPE_BLOCK;
        set_latest(w, l, narrow ? acquire_in_block(w->block, lane->pending) : acquire(w->block, &lane->pending));
        const struct acquired *before =
            narrow ? acquire_in_block(w->block, r->before_barrier) : acquire(w->block, &r->before_barrier);
        r->from_barrier = later_acquired(r->from_barrier, before);
        set_latest(w, l, r->from_barrier);
        if (lock_of(w, l))
            guard(&lock_of(w, l)->unguarded, scope, clock_of(w)->now);
        lane->fenced = true;
        lane->scope = scope;
        lane->clock = clock_of(w)->now;
        lane->init_clock = scope == SCOPE_BLOCK ? lane->init_clock : lane->clock;
        if (scope != SCOPE_BLOCK && kind != FENCE_OF_INIT)
            lane->wide_clock = lane->clock, lane->wide_floor = r->floor;
        lane->floor = r->floor;
        lane->lane_floor = clock_of(w)->lane_floor;
        lane->known = order_latest(w, l);
    }
}

// A barrier of the whole block. In hardware no thread reads after the barrier until atomics before it are done, and
// programs rely on that (the ticket of the last block): so the barrier counts as the fence of an acquire. With
// SIMT_CHECK=acquire it does so for strong accesses only: a plain read may still find an old value in a cache.
static void pass_barrier(struct block *b, const struct acquired **pending)
{
    if (!settings()->check_acquire)
        acquire(b, pending);
    for (const struct acquired *a = *pending; a; a = a->next)
        add(b, &race_of(b)->before_barrier, a->release, a->narrow);
    *pending = NULL;
}

void order_barrier(struct block *b, bool all_fenced)
{
    for (uint32_t t = 0; race_of(b)->pending && t < b->warp_count * LANES; t++)
        if (race_of(b)->lanes[t].pending)
            pass_barrier(b, &race_of(b)->lanes[t].pending);
    race_of(b)->pending = false;
    race_of(b)->from_barrier = NULL;
    race_of(b)->floor_known = race_of(b)->known;
    if (all_fenced) {
        race_of(b)->soft_floor = race_of(b)->floor;
        race_of(b)->soft_known = race_of(b)->known;
    }
}

const struct release *order_block_release(struct block *b, struct release what)
{
    struct release *node = race_alloc(b->launch, sizeof *node);
    *node = what;
    node->known = race_of(b)->known;
    node->first = node;
    node->alone = true;
    enter_release_of(b, node, false);
    return node;
}

void order_block_learn(struct block *b, const struct release *what)
{
    learn(b, what, false);
    race_of(b)->floor_known = race_of(b)->known;
}

// ---- strong accesses

static struct sync_word *word_at(struct block *b, const struct access *a, uint64_t address, bool make)
{
    struct sync_word **chains = a->space == PTX_SHARED ? race_of(b)->shared_words : race_of_launch(b->launch)->words;
    struct sync_word **head = &chains[chain_of(a, address)];
    for (struct sync_word *s = *head; s; s = s->next)
        if (s->address == address)
            return s;
    if (!make)
        return NULL;
    struct sync_word *s = a->space == PTX_SHARED ? race_alloc_own(b, sizeof *s) : race_alloc(b->launch, sizeof *s);
    *s = (struct sync_word){address, NULL, *head};
    *head = s;
    return s;
}

static bool is_redundant(const struct release *head, const struct release *r)
{
    return head && head->by.block == r->by.block && head->by.warp == r->by.warp && head->by.lane == r->by.lane &&
           head->by.clock == r->by.clock && head->floor == r->floor && head->known == r->known &&
           head->narrow == r->narrow;
}

// An atomic that changes a word may acquire a lock. If the lane later restores the old value, a thread that reads it
// may just as well have come first.
static bool may_take_lock(const struct access *a, uint32_t l, const uint8_t *memory)
{
    bool right = a->kind == ATOMIC && (a->in->sub == ATOM_CAS || a->in->sub == ATOM_EXCH) && a->in->dst != NONE;
    return right && race_changes(a, l, memory);
}

static bool record_lock(struct warp *w, const struct access *a, uint32_t l)
{
    struct block *b = w->block;
    const uint8_t *memory = lane_memory(w, a, l);
    if (!may_take_lock(a, l, memory))
        return false;
    if (!race_of(b)->locks)
        race_of(b)->locks = alloc_zeroed(b->warp_count * LANES, sizeof *race_of(b)->locks);
    struct lane_lock *lock = &race_of(b)->locks[w->index * LANES + l];
    *lock = (struct lane_lock){
        .block = b->number + 1, .address = a->addr[l], .waited = a->in->spins, .unguarded.from = clock_of(w)->now + 1};
    memcpy(&lock->free, memory, a->in->size);
    if (a->in->order & ORDER_ACQUIRE)
        guard(&lock->unguarded, is_narrow(w, a) ? SCOPE_BLOCK : SCOPE_DEVICE, clock_of(w)->now);
    return true;
}

// What a write by lane l leaves unguarded: it releases a lock.
static struct unguarded release_lock(struct warp *w, const struct access *a, uint32_t l)
{
    struct lane_lock *lock = lock_of(w, l);
    bool sets = a->kind == STORE || (a->kind == ATOMIC && a->in->sub == ATOM_EXCH);
    if (!lock || !sets || lock->address != a->addr[l] || memcmp(a->data + l * a->stride, &lock->free, a->in->size))
        return (struct unguarded){0};
    struct unguarded u = lock->unguarded;
    lock->block = 0;
    guard(&u, SCOPE_DEVICE, clock_of(w)->now);
    return u;
}

// Fills in what a strong write by lane l publishes now; false: nothing. Of what its block has acquired, it publishes
// what the lane knows.
static bool publishes(struct warp *w, const struct access *a, uint32_t l, struct release *out)
{
    const struct block_race *r = race_of(w->block);
    const struct lane_order *lane = order_of(w, l);
    struct moment self = {w->block->number, w->index, l, 0};
    if (a->in->order & ORDER_RELEASE) {
        self.clock = clock_of(w)->now;
        *out = (struct release){self, r->floor, clock_of(w)->lane_floor, .narrow = is_narrow(w, a),
                                .known = order_latest(w, l)};
        return true;
    }
    if (!lane->fenced && !r->soft_floor)
        return false;
    self.clock = lane->clock;
    *out = (struct release){self, lane->floor, lane->lane_floor,
                            .narrow = is_narrow(w, a) || (lane->fenced && lane->scope == SCOPE_BLOCK),
                            .known = lane->fenced ? lane->known : r->known};
    if (r->soft_floor > out->floor) { // the barrier was later than this thread's own fence
        out->floor = r->soft_floor;
        out->known = r->soft_known;
    }
    return a->space != PTX_SHARED || self.clock >= r->floor; // its block knows everything before its barrier
}

// Records that the lane has read a word with this head. If the head continues a chain that the lane has read before,
// the record advances: a thread that spins on a word reads a long chain.
static void acquire_head(struct block *b, struct lane_order *lane, const struct release *head, bool narrow)
{
    int notes = 0;
    for (const struct acquired *n = lane->pending; n && notes < 4; n = n->next, notes++) {
        const struct release *r = head;
        for (int steps = 0; r && r != n->release && steps < 64; steps++)
            r = r->earlier;
        if (r == n->release && n->narrow == narrow) {
            struct acquired *note = (struct acquired *)n; // nothing else holds the records of a lane
            note->taken &= note->release == head;
            note->release = head;
            return;
        }
    }
    add(b, &lane->pending, head, narrow);
    race_of(b)->pending = true;
}

void order_read(struct warp *w, const struct access *a, uint32_t l, const struct release *head)
{
    if (!head || !race_of(w->block)->lanes)
        return;
    struct lane_order *lane = order_of(w, l);
    if (a->in->order & ORDER_ACQUIRE) {
        set_latest(w, l, acquire(w->block, &lane->pending));
        set_latest(w, l, learn(w->block, head, is_narrow(w, a)));
    } else {
        acquire_head(w->block, lane, head, is_narrow(w, a));
    }
}

const struct release *order_head(struct warp *w, const struct access *a, uint32_t l)
{
    const struct sync_word *word = word_at(w->block, a, a->addr[l], false);
    return word ? word->head : NULL;
}

static bool lane_access(struct warp *w, const struct access *a, uint32_t l)
{
    struct block *b = w->block;
    struct release mine;
    bool writes = a->kind != LOAD, gives = writes && publishes(w, a, l, &mine);
    if (gives)
        mine.unguarded = release_lock(w, a, l);
    bool takes = !(gives && mine.unguarded.from) && record_lock(w, a, l);
    struct sync_word *word = word_at(b, a, a->addr[l], gives);
    if (!word)
        return takes;
    const struct release *head = word->head;
    if (a->kind != STORE)
        order_read(w, a, l, head);
    if (a->kind == STORE)
        word->head = NULL; // a plain store ends a chain that atomics have continued
    if (gives && !(a->kind == ATOMIC && is_redundant(head, &mine))) {
        struct release *node = race_alloc_own(b, sizeof *node);
        mine.earlier = a->kind == ATOMIC ? head : NULL;
        *node = mine;
        node->first = node->earlier ? node->earlier->first : node;
        node->place = node->earlier ? node->earlier->place + 1 : 0;
        node->mixed = node->narrow || (node->earlier && node->earlier->mixed);
        node->alone = !node->earlier || (node->earlier->alone && node->earlier->by.block == b->number);
        enter_release_of(b, node, a->space == PTX_SHARED);
        word->head = node;
    }
    return takes;
}

bool order_access(struct warp *w, const struct access *a)
{
    bool takes = false;
    FOR_LANES(l, a->mask)
    takes |= lane_access(w, a, l);
    return takes;
}

bool order_unguarded(struct warp *w, uint32_t l, uint64_t block)
{
    const struct lane_lock *lock = lock_of(w, l);
    const struct unguarded *u = lock ? &lock->unguarded : NULL;
    return lock && lock->waited && !(block == w->block->number ? u->block_to : u->device_to);
}

// ---- what lanes have read

static struct lane_observed *observed_of(struct warp *w, uint32_t l)
{
    struct lane_observed *s = race_of(w->block)->observed;
    if (!s)
        return NULL;
    s += w->index * LANES + l;
    if (s->block != w->block->number + 1)
        *s = (struct lane_observed){.block = w->block->number + 1};
    return s;
}

void order_observe(struct warp *w, uint32_t l, const struct observation *sight)
{
    struct lane_observed *s = observed_of(w, l);
    for (int i = 0; s && i < OBSERVATIONS; i++)
        if (s->list[i].address == sight->address) {
            s->list[i] = *sight;
            return;
        }
    if (s)
        s->list[s->next++ % OBSERVATIONS] = *sight;
}

static bool same_moment(const struct moment *a, const struct moment *b)
{
    return a->block == b->block && a->warp == b->warp && a->lane == b->lane && a->clock == b->clock;
}

bool order_has_seen(struct warp *w, uint32_t l, uint64_t address, const struct moment *writer)
{
    const struct lane_observed *s = observed_of(w, l);
    for (int i = 0; s && i < OBSERVATIONS; i++)
        if (s->list[i].address == address && same_moment(&s->list[i].writer, writer))
            return true;
    return false;
}

const struct observation *order_observation(struct warp *w, uint32_t l, const struct moment *past)
{
    const struct lane_observed *s = observed_of(w, l);
    for (int i = 0; s && i < OBSERVATIONS; i++)
        if (s->list[i].address && s->list[i].writer.block == past->block && s->list[i].writer.clock >= past->clock)
            return &s->list[i];
    return NULL;
}
