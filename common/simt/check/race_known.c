// What a thread knows of earlier accesses through releases: the queries on what its block has acquired (race_order.c).
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"

#define KNOWN_BUCKETS 256
#define SEARCH_LIMIT 300      // visits of releases, before all of them are expanded
#define QUESTIONS 16          // likewise
#define WARP_LISTS 16         // chains of a block's releases
#define ENTRY_SEARCH_LIMIT 64 // entries that a new release may replace

// Whether a block that finds the release by such a read acquires what it publishes.
static bool reaches(const struct release *r, uint64_t reader, bool narrow)
{
    return !(r->narrow || narrow) || r->by.block == reader;
}

// What a block knows, expanded: every release that its list reaches, by the block that made it. It grows with the list,
// so each release is visited once, however many queries there are.
struct known_set {
    const struct acquired *head; // head of the part of the list that is in the set
    struct seen {
        const void *what; // a release or a list element
        uint64_t way;     // the path by which a release was found; 0: irrelevant
    } * slots;            // a hash table
    size_t size, count;
    const struct release **stack;
    size_t depth, room;
    struct known_entry {
        const struct release *release;
        uint32_t next;
    } * entries; // chains per block and warp; entry 0 ends them
    uint32_t used, capacity;
    struct known_block {
        uint32_t block, floor;        // everything of the block before floor is known
        uint32_t entries[WARP_LISTS]; // releases that publish more, by warp
        uint32_t next;
    } * blocks; // chains per bucket; block 0 ends them
    uint32_t block_count, first[KNOWN_BUCKETS];
    uint32_t asked; // queries since the list last grew
};

static bool see(struct known_set *k, const void *what, uint64_t way)
{
    if (k->count * 2 >= k->size) {
        struct known_set larger = {.size = k->size * 2 + 64};
        larger.slots = alloc_zeroed(larger.size, sizeof *larger.slots);
        for (size_t i = 0; i < k->size; i++)
            if (k->slots[i].what)
                see(&larger, k->slots[i].what, k->slots[i].way);
        free(k->slots);
        k->slots = larger.slots;
        k->size = larger.size;
    }
    size_t h = ((((uintptr_t)what >> 4) + way) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % k->size; // adjacent ones apart
    for (; k->slots[h].what; h = (h + 1) % k->size)
        if (k->slots[h].what == what && k->slots[h].way == way)
            return false;
    k->slots[h] = (struct seen){what, way};
    k->count++;
    return true;
}

static void push(struct known_set *k, const struct release *r)
{
    if (k->depth == k->room) {
        k->room = k->room * 2 + 64;
        k->stack = alloc_resize(k->stack, k->room, sizeof *k->stack);
    }
    k->stack[k->depth++] = r;
}

// Adds what block `reader` reaches of a chain. If no release is narrow, a block that reaches a release also reaches the
// chain before it.
static void push_chain(struct known_set *k, const struct release *r, uint64_t reader, bool narrow)
{
    for (; r; r = r->earlier) {
        bool any = !r->mixed && !narrow;
        if (!see(k, r, any ? 0 : 2 * reader + narrow + 1))
            return;
        if (reaches(r, reader, narrow))
            push(k, r);
    }
}

static void push_list(struct known_set *k, const struct acquired *a, uint64_t reader)
{
    for (; a && see(k, a, 0); a = a->next) // every element after a known one is known
        push_chain(k, a->release, reader, a->narrow);
}

static struct known_block *find_block(const struct known_set *k, uint32_t block)
{
    for (uint32_t i = k->first[block % KNOWN_BUCKETS]; i; i = k->blocks[i].next)
        if (k->blocks[i].block == block)
            return &k->blocks[i];
    return NULL;
}

static struct known_block *add_block(struct known_set *k, uint32_t block)
{
    uint32_t *first = &k->first[block % KNOWN_BUCKETS], i = k->block_count + !k->block_count;
    if ((i & (i - 1)) == 0) // the list is full, or this is the first entry
        k->blocks = alloc_resize(k->blocks, 2 * i, sizeof *k->blocks);
    k->blocks[i] = (struct known_block){.block = block, .next = *first};
    *first = i;
    k->block_count = i + 1;
    return &k->blocks[i];
}

// Whether r publishes more of its block than everything before floor.
static bool exceeds_floor(const struct release *r, uint32_t floor)
{
    return r->by.clock >= floor || r->lane_floor > floor;
}

// Whether one of the first entries publishes all that r publishes. Without this the list would grow without bound if
// data cycle in a ring without block barriers.
static bool joins_entry(struct known_set *k, uint32_t list, const struct release *r)
{
    int visited = 0;
    for (uint32_t i = list; i && visited < ENTRY_SEARCH_LIMIT; i = k->entries[i].next, visited++) {
        const struct release **entry = &k->entries[i].release;
        if (release_includes(*entry, r))
            return true;
        if (release_includes(r, *entry)) {
            *entry = r;
            return true;
        }
    }
    return false;
}

static void enter_release(struct known_set *k, const struct release *r)
{
    struct known_block *of = find_block(k, (uint32_t)r->by.block);
    if (!of)
        of = add_block(k, (uint32_t)r->by.block);
    if (of->floor < r->floor)
        of->floor = r->floor;
    uint32_t *list = &of->entries[r->by.warp % WARP_LISTS];
    if (!exceeds_floor(r, of->floor) || joins_entry(k, *list, r))
        return;
    if (k->used == k->capacity) {
        k->capacity = k->capacity * 2 + 64;
        k->entries = alloc_resize(k->entries, k->capacity, sizeof *k->entries);
    }
    k->used += !k->used;
    k->entries[k->used] = (struct known_entry){r, *list};
    *list = k->used++;
}

// Whether a release in the set covers the moment for this reader. Removes entries that the floor has overtaken.
static bool set_covers(struct known_set *k, const struct moment *past, uint64_t reader)
{
    struct known_block *of = find_block(k, (uint32_t)past->block);
    if (!of)
        return false;
    bool found = past->clock < of->floor;
    for (uint32_t *i = &of->entries[past->warp % WARP_LISTS]; *i && !found;) {
        const struct known_entry *e = &k->entries[*i];
        found = release_covers(e->release, past, reader);
        if (exceeds_floor(e->release, of->floor))
            i = &k->entries[*i].next;
        else
            *i = e->next;
    }
    return found;
}

static void spread(struct known_set *k, const struct acquired *list, uint64_t reader)
{
    push_list(k, list, reader);
    while (k->depth) {
        const struct release *r = k->stack[--k->depth];
        enter_release(k, r);
        push_list(k, r->known, r->by.block);
    }
    k->head = list;
}

void known_forget(struct known_set *set)
{
    if (!set)
        return;
    free(set->slots);
    free(set->stack);
    free(set->entries);
    free(set->blocks);
    free(set);
}

enum reached { NOWHERE, REACHED, UNCLEAR };

// Whether a release that covers the moment is near the head of the list, or earlier in one of those chains: most are
// found this way. NOWHERE: there is no such release at all.
static enum reached find_release(const struct block *b, const struct acquired *list, const struct moment *past)
{
    enum reached found = NOWHERE;
    const struct release *r = order_releases_of(b, (uint32_t)past->block);
    for (int visited = 0; r; r = r->previous, visited++) {
        if (visited == SEARCH_LIMIT)
            return UNCLEAR;
        if (!release_covers(r, past, b->number))
            continue;
        found = UNCLEAR;
        int steps = 0;
        for (const struct acquired *a = list; a && steps < SEARCH_LIMIT; a = a->next, steps++)
            if (a->release->first == r->first && a->release->place >= r->place && reaches(r, b->number, a->narrow))
                return REACHED;
    }
    return found;
}

bool order_block_knows(struct block *b, const struct moment *past)
{
    struct block_race *r = race_of(b);
    if (!r->known)
        return false;
    if (!r->set)
        r->set = alloc_zeroed(1, sizeof *r->set);
    if (r->set->head != r->known) {
        enum reached way = r->set->asked++ < QUESTIONS ? find_release(b, r->known, past) : UNCLEAR;
        if (way != UNCLEAR)
            return way == REACHED;
        spread(r->set, r->known, b->number);
        r->set->asked = 0;
    }
    return set_covers(r->set, past, b->number);
}

// Whether a release that covers a moment of the block itself is known with this entry of its list: the block has
// acquired it by then or, perhaps, learnt of it from another block.
static bool own_release_known(const struct block *b, const struct acquired *latest, const struct moment *past)
{
    const struct release *r = race_of(b)->of_warp[past->warp];
    int visited = 0;
    for (; r && r->made >= past->clock && visited < SEARCH_LIMIT; r = r->before, visited++) {
        bool taken = r->taken && r->taken <= acquired_number(latest);
        if ((taken || (latest && latest->foreign > r->seen)) && release_covers(r, past, b->number))
            return true;
    }
    return visited == SEARCH_LIMIT;
}

bool order_knows(struct warp *w, uint32_t l, const struct moment *past)
{
    const struct block_race *r = race_of(w->block);
    if (!order_block_knows(w->block, past))
        return false;
    const struct acquired *latest = order_latest(w, l);
    if (latest == r->known)
        return true;
    if (past->block == w->block->number)
        return own_release_known(w->block, latest, past);
    if (latest != r->floor_known) // of other blocks' releases, a lane that has acquired any counts as knowing all
        return true;
    return latest && find_release(w->block, latest, past) != NOWHERE;
}

bool order_knows_others(struct warp *w, uint32_t l, const struct moment *past)
{
    struct moment other = *past;
    for (other.lane = 0; other.lane < LANES; other.lane++)
        if (other.lane != past->lane && order_knows(w, l, &other))
            return true;
    return false;
}

static bool list_reaches(struct block *b, const struct acquired *list, const struct moment *past)
{
    enum reached way = list ? find_release(b, list, past) : NOWHERE;
    if (way != UNCLEAR)
        return way == REACHED;
    struct known_set *set = alloc_zeroed(1, sizeof *set);
    spread(set, list, b->number);
    bool found = set_covers(set, past, b->number);
    known_forget(set);
    return found;
}

bool order_known_after_barrier(struct warp *w, const struct moment *past)
{
    return list_reaches(w->block, race_of(w->block)->before_barrier, past);
}

bool order_known_if_fenced(struct warp *w, uint32_t l, const struct moment *past)
{
    bool pending = race_of(w->block)->lanes && list_reaches(w->block, order_of(w, l)->pending, past);
    return pending || order_known_after_barrier(w, past);
}
