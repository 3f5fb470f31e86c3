// How far sampled launches reach. A block records the bytes that it touches as ranges, which grow as its warps
// continue. When it ends they are merged and kept until a query.
#include "count/reach.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/load_dependence.h"
#include "report/names.h"

#define MAX_STRETCHES 4096     // of a block; beyond that only its first and last byte in each array are known
#define FAR (UINT64_C(8) << 30) // bytes: a lower bound on the distance of large arrays (memory/sparse.h)
#define MAX_STORES 64
#define OPEN 6     // recent ranges that may grow, so a loop may alternate among this many arrays
#define WRAP 65536 // blocks so far apart, or a multiple, look the same to a truncated index
#define LATE 16                  // instructions whose last address is kept
#define BACK (UINT64_C(1) << 30) // bytes; a loop that jumps back this far has wrapped around

struct stretch {
    uint64_t low, high;
    bool store;
};

struct block_reach {
    struct block_reach *next;
    const char *kernel;
    uint64_t number, launch_number, blocks; // blocks: of the launch
    bool cut_off, last, coarse, tickets, last_ticket;
    uint32_t count, room;
    struct stretch *ranges;
    struct late { // of the first warp: an instruction's last address
        uint32_t id;
        uint64_t at;
    } late[LATE];
    uint32_t late_count;
    struct stretch back; // the first jump back by BACK or more in one instruction; high 0: none
    const struct module *module;
    uint32_t stores[MAX_STORES], store_count; // instructions that store; a count above MAX_STORES: there are more
};

static struct {
    pthread_mutex_t lock;
    struct block_reach *blocks; // since the last reset
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- what a block touches

static bool grows(struct stretch *r, uint64_t low, uint64_t high, bool store)
{
    if (r->store != store || low > r->high || high < r->low)
        return false;
    r->low = low < r->low ? low : r->low;
    r->high = high > r->high ? high : r->high;
    return true;
}

// From now on keeps only where the block starts and ends in each array: within FAR.
static void grow_coarse(struct block_reach *b, uint64_t low, uint64_t high, bool store)
{
    for (uint32_t i = b->count; i-- > 0;) {
        struct stretch *r = &b->ranges[i];
        if (r->store == store && low <= r->high + FAR && r->low <= high + FAR) {
            r->low = low < r->low ? low : r->low;
            r->high = high > r->high ? high : r->high;
            return;
        }
    }
    if (b->count < MAX_STRETCHES)
        b->ranges[b->count++] = (struct stretch){low, high, store};
}

static void make_coarse(struct block_reach *b)
{
    uint32_t count = b->count;
    b->coarse = true;
    b->count = 0;
    for (uint32_t i = 0; i < count; i++)
        grow_coarse(b, b->ranges[i].low, b->ranges[i].high, b->ranges[i].store);
}

static void touch(struct block_reach *b, uint64_t low, uint64_t high, bool store)
{
    for (uint32_t i = 0; i < OPEN && i < b->count && !b->coarse; i++)
        if (grows(&b->ranges[b->count - 1 - i], low, high, store))
            return;
    if (b->count == MAX_STRETCHES && !b->coarse)
        make_coarse(b);
    if (b->coarse) {
        grow_coarse(b, low, high, store);
        return;
    }
    if (b->count == b->room) {
        b->room = 2 * b->room + 16;
        b->ranges = alloc_resize(b->ranges, b->room, sizeof *b->ranges);
    }
    b->ranges[b->count++] = (struct stretch){low, high, store};
}

static struct observer_state reach_state = {.bytes = {[OF_BLOCK] = sizeof(struct block_reach *)}};

// The reach of a running block; NULL: the block has ended.
static struct block_reach **reach_of(const struct block *b)
{
    return block_state(b, &reach_state);
}

static void start_block(struct block *b)
{
    *reach_of(b) = alloc_zeroed(1, sizeof(struct block_reach));
}

static void record_store(struct block_reach *b, uint32_t instruction)
{
    for (uint32_t i = 0; i < b->store_count && i < MAX_STORES; i++)
        if (b->stores[i] == instruction)
            return;
    if (b->store_count < MAX_STORES)
        b->stores[b->store_count] = instruction;
    b->store_count += b->store_count <= MAX_STORES;
}

// A loop over an array advances in one direction. If its index wraps around, it starts again.
static void record_direction(struct block_reach *b, const struct access *a)
{
    uint32_t i = 0;
    while (i < b->late_count && b->late[i].id != a->in->id)
        i++;
    if (i == LATE)
        return;
    if (i < b->late_count && a->low + BACK < b->late[i].at && !b->back.high)
        b->back = (struct stretch){a->low, b->late[i].at, a->kind != LOAD};
    b->late_count += i == b->late_count;
    b->late[i] = (struct late){a->in->id, a->low};
}

static void note_access(struct warp *w, const struct access *a)
{
    struct block_reach *b = *reach_of(w->block);
    if (!b || a->space != PTX_GLOBAL || is_async_end(a->async))
        return;
    if (w->index == 0)
        record_direction(b, a);
    if (a->kind != LOAD)
        record_store(b, a->in->id);
    if (b->coarse || a->high - a->low == (uint64_t)__builtin_popcount(a->mask) * a->size) { // usually contiguous
        touch(b, a->low, a->high, a->kind != LOAD);
        return;
    }
    for (uint32_t left = a->mask; left; left &= left - 1) {
        uint64_t at = a->addr[__builtin_ctz(left)];
        touch(b, at, at + a->size, a->kind != LOAD);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct stretch *a = x, *b = y;
    return a->store != b->store ? a->store - b->store : a->low < b->low ? -1 : a->low > b->low;
}

static void join_ranges(struct block_reach *b)
{
    uint32_t kept = 0;
    if (b->count > 0)
        qsort(b->ranges, b->count, sizeof *b->ranges, by_place);
    for (uint32_t i = 0; i < b->count; i++) {
        const struct stretch *r = &b->ranges[i];
        if (kept == 0 || !grows(&b->ranges[kept - 1], r->low, r->high, r->store))
            b->ranges[kept++] = *r;
    }
    b->count = kept;
}

static void end_block(struct block *b)
{
    struct block_reach *r = *reach_of(b);
    *reach_of(b) = NULL;
    if (!r)
        return;
    if (b->cut_off && b->last_ticket) { // it waits for skipped blocks, and those before it do not
        free(r->ranges);
        free(r);
        return;
    }
    join_ranges(r);
    r->kernel = b->launch->code->name;
    r->module = b->launch->module;
    r->number = b->number;
    r->launch_number = b->launch->number;
    r->blocks = b->launch->block_count;
    r->cut_off |= b->cut_off;
    r->tickets = b->launch->tickets;
    r->last_ticket = b->last_ticket;
    r->last = b->number == b->launch->block_count - 1;
    pthread_mutex_lock(&all.lock);
    r->next = all.blocks;
    all.blocks = r;
    pthread_mutex_unlock(&all.lock);
}

// Frees the state of a block that a failure has stopped.
static void close_block(struct block *b)
{
    struct block_reach *r = *reach_of(b);
    if (r)
        free(r->ranges);
    free(r);
}

const struct observer reach_observer = {.state = &reach_state,
                                        .block_start = start_block,
                                        .access = note_access,
                                        .block_end = end_block,
                                        .block_close = close_block};

// ---- what the ranges show

// The part of r within [p, p + bytes); false: there is none.
static bool clip(struct stretch *r, uint64_t p, uint64_t bytes)
{
    r->low = r->low > p ? r->low : p;
    r->high = r->high < p + bytes ? r->high : p + bytes;
    return r->low < r->high;
}

static struct simt_reach *entry_of(struct simt_reach *out, int *count, int max, const char *mangled)
{
    const char *kernel = kernel_name(mangled);
    for (int i = 0; i < *count; i++)
        if (!strncmp(out[i].kernel, kernel, sizeof out[i].kernel - 1))
            return &out[i];
    if (*count == max)
        return NULL;
    struct simt_reach *new = &out[(*count)++];
    *new = (struct simt_reach){.low = 1};
    snprintf(new->kernel, sizeof new->kernel, "%s", kernel);
    return new;
}

// Where one block touches the queried bytes, as shares; high 0: nowhere.
struct span {
    double low, high;
};

static struct span span_of(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    struct span s = {1, 0};
    for (uint32_t i = 0; i < b->count; i++) {
        struct stretch r = b->ranges[i];
        if (r.store != stores || !clip(&r, p, bytes))
            continue;
        double low = (double)(r.low - p) / (double)bytes, high = (double)(r.high - p) / (double)bytes;
        s.low = low < s.low ? low : s.low;
        s.high = high > s.high ? high : s.high;
    }
    return s;
}

// Where all blocks of a launch reach, the block that reaches furthest, and the last block.
struct extent {
    struct span all, top, last;
    uint64_t top_number, last_number;
    uint32_t executed;
    bool unknown, last_ended; // a block was stopped early; the last block was not
    bool last_ticket;         // a block has taken the last ticket of the launch
    bool idle;          // the last block was not stopped early, and touches nothing
    uint32_t idles;     // executed blocks that touch nothing
    double widest;      // the longest distance from where a block begins to where it ends
};

static struct extent extent_of(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    struct extent e = {.all = {1, 0}};
    for (uint64_t number = b->launch_number; b && b->launch_number == number; b = b->next) {
        struct span s = span_of(b, p, bytes, stores);
        e.executed++;
        e.unknown |= b->cut_off;
        e.last_ticket |= b->last_ticket;
        e.last_ended |= b->last && !b->cut_off && s.high > 0;
        e.idle |= b->last && !b->cut_off && s.high == 0;
        e.idles += s.high == 0;
        if (s.high > e.all.high)
            e.top = s, e.top_number = b->number;
        if (s.high > 0 && b->number >= e.last_number)
            e.last = s, e.last_number = b->number;
        e.widest = s.high - s.low > e.widest ? s.high - s.low : e.widest;
        e.all.low = s.low < e.all.low ? s.low : e.all.low;
        e.all.high = s.high > e.all.high ? s.high : e.all.high;
    }
    return e;
}

// The first executed block after that number; UINT64_MAX: there is none, or with `ended` it was stopped early.
static uint64_t block_after(const struct block_reach *b, uint64_t after, bool ended)
{
    const struct block_reach *next = NULL;
    for (uint64_t number = b->launch_number; b && b->launch_number == number; b = b->next)
        if (b->number > after && (!next || b->number < next->number))
            next = b;
    return next && !(ended && next->cut_off) ? next->number : UINT64_MAX;
}

// How far blocks that were stopped early would reach, if the last block touches nothing and each block stays within its
// part, as in a loop over the grid. Then all parts have one length, and they end where the first idle block would
// begin.
static double reach_of_parts(const struct extent *e, uint64_t first_idle)
{
    double part = e->last_number > 0 ? e->last.low / (double)e->last_number : 0;
    return e->widest <= 1.01 * part ? part * (double)first_idle : 1;
}

// An upper bound on how far a launch reaches; its executed blocks start at b. Skipped blocks may reach up to the first
// idle block after the one that reaches furthest. If a block was stopped early, the launch may reach the end, unless
// the last block gives a bound: in a loop over the grid other blocks may have one more round, and a round ends where
// the last block begins. Blocks that take tickets are not placed by their numbers: then skipped blocks extend the reach
// in proportion to their number, unless one has taken the last ticket.
static struct span span_of_launch(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    struct extent e = extent_of(b, p, bytes, stores);
    bool tickets = b->tickets && !e.last_ticket && e.last.high > 0 && e.last.high <= e.top.low;
    uint64_t next = block_after(b, e.top_number, false), blocks = b->blocks;
    if (tickets)
        e.all.high *= (double)blocks / e.executed;
    else if (e.all.high > 0 && next < UINT64_MAX && !e.last_ticket)
        e.all.high *= (double)next / (double)(e.top_number + 1);
    if (e.all.high > 0 && e.unknown && e.last_ended && blocks > 1)
        e.all.high += e.last.low * (double)blocks / (double)(blocks - 1);
    if (e.all.high > 0 && e.unknown && (tickets || !e.last_ended))
        e.all.high = !tickets && e.idle ? reach_of_parts(&e, block_after(b, e.last_number, true)) : 1;
    e.all.high = e.all.high < 1 ? e.all.high : 1;
    return e.all;
}

static uint64_t bytes_of(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        struct stretch r = b->ranges[i];
        sum += r.store == stores && clip(&r, p, bytes) ? r.high - r.low : 0;
    }
    return sum;
}

static double share_of(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    return (double)bytes_of(b, p, bytes, stores) / (double)bytes;
}

// The share that all blocks of a launch touch if skipped blocks are like executed ones; executed blocks start at b, and
// the last may do less. If they differ much, the result is a bound: half as much again. 2 or more: unknown.
static double share_of_launch(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    double sum = 0, most = 0, last = 0;
    uint32_t count = 0, odd = 0;
    uint64_t number = b->launch_number, others = b->blocks - 1;
    const struct block_reach *first = b;
    for (; b && b->launch_number == number; b = b->next) {
        double share = b->cut_off || b->coarse ? 2 : share_of(b, p, bytes, stores);
        *(b->last ? &last : &sum) += share;
        count += !b->last;
        most = share > most ? share : most;
    }
    for (b = first; b && b->launch_number == number; b = b->next)
        odd += share_of(b, p, bytes, stores) < 0.9 * most;
    return (odd > 2 ? 1.5 : 1) * (last + (count ? sum * (double)others / count : 0));
}

// Bytes of [p, p + bytes) that a loads, and of these those that b loads as well. Both are sorted.
static uint64_t shared_bytes(const struct block_reach *a, const struct block_reach *b, uint64_t p, uint64_t bytes,
                             uint64_t *of_a)
{
    uint64_t sum = 0;
    uint32_t k = 0;
    *of_a = 0;
    for (uint32_t i = 0; i < a->count && !a->ranges[i].store; i++) {
        struct stretch r = a->ranges[i];
        if (!clip(&r, p, bytes))
            continue;
        *of_a += r.high - r.low;
        while (k < b->count && !b->ranges[k].store && b->ranges[k].high <= r.low)
            k++;
        for (uint32_t j = k; j < b->count && !b->ranges[j].store && b->ranges[j].low < r.high; j++) {
            struct stretch both = b->ranges[j];
            sum += clip(&both, r.low, r.high - r.low) ? both.high - both.low : 0;
        }
    }
    return sum;
}

// Whether a and b mostly load the same bytes.
static bool loads_alike(const struct block_reach *a, const struct block_reach *b, uint64_t p, uint64_t bytes)
{
    uint64_t whole, shared = shared_bytes(a, b, p, bytes, &whole);
    return 2 * shared > whole;
}

// Whether each executed block of the launch loads what a loads.
static bool all_load_alike(const struct block_reach *first, const struct block_reach *a, uint64_t p, uint64_t bytes)
{
    bool alike = true;
    for (const struct block_reach *b = first; b && alike && b->launch_number == a->launch_number; b = b->next)
        alike = b->cut_off || b->coarse || loads_alike(a, b, p, bytes);
    return alike;
}

// Whether block a loads what an earlier block of its launch has loaded, so far before it that an index must have
// wrapped around, but that not every block loads. first: the launch's first block.
static void find_twin(struct simt_reach *to, const struct block_reach *first, const struct block_reach *a, uint64_t p,
                      uint64_t bytes)
{
    for (const struct block_reach *b = first; b && !to->block && b->launch_number == a->launch_number; b = b->next)
        if (a->number > b->number && (a->number - b->number) % WRAP == 0 && !a->cut_off && !a->coarse && !b->coarse &&
            loads_alike(a, b, p, bytes) && !all_load_alike(first, a, p, bytes))
            to->block = a->number, to->other = b->number;
}

// Whether an instruction of b jumps back by BACK or more within the array.
static bool jumps_back(const struct block_reach *b, uint64_t p, uint64_t bytes, bool stores)
{
    return b->back.high && b->back.store == stores && b->back.low >= p && b->back.high < p + bytes;
}

// Bytes after the last block's part, if it touches nothing else and no block reaches further; else 0.
static uint64_t lacks_of(const struct extent *e, uint64_t blocks, uint64_t bytes)
{
    double part = e->last.high - e->last.low;
    bool known = e->last_ended && e->top_number == blocks - 1 && part * (double)blocks < 2 && e->last.high > 0.9;
    return known ? bytes - (uint64_t)(e->last.high * (double)bytes + 0.5) : 0;
}

// Adds one launch to the result; first: its first block.
static void read_launch(struct simt_reach *to, const struct block_reach *first, uint64_t p, uint64_t bytes, bool stores)
{
    struct span s = span_of_launch(first, p, bytes, stores);
    struct extent e = extent_of(first, p, bytes, stores);
    uint64_t lacks = e.all.high > 0 ? lacks_of(&e, first->blocks, bytes) : to->lacks;
    to->lacks = to->high > 0 && to->lacks < lacks ? to->lacks : lacks;
    to->low = s.low < to->low ? s.low : to->low;
    to->high = s.high > to->high ? s.high : to->high;
    to->share += share_of_launch(first, p, bytes, stores);
    to->idle |= e.idle && e.idles == 1 && e.executed > 2;
}

int reach_read(const void *p, uint64_t bytes, int stores, struct simt_reach *out, int max)
{
    int count = 0;
    uint64_t start = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&all.lock);
    for (const struct block_reach *b = all.blocks, *first = NULL; b; b = b->next) {
        struct simt_reach *to = entry_of(out, &count, max, b->kernel);
        if (to && (!first || b->launch_number != first->launch_number)) // one launch after the other
            read_launch(to, first = b, start, bytes, stores);
        if (to && jumps_back(b, start, bytes, stores))
            to->back = b->number + 1;
        if (to && !b->cut_off && !b->coarse)
            to->done += bytes_of(b, start, bytes, stores);
        if (to && !stores)
            find_twin(to, first, b, start, bytes);
    }
    pthread_mutex_unlock(&all.lock);
    return count;
}

// Whether the block loads from nowhere else.
static bool loads_known(const struct block_reach *b, const struct simt_range *known, int count)
{
    bool found = true;
    for (uint32_t i = 0; i < b->count && found; i++) {
        const struct stretch *r = &b->ranges[i];
        found = r->store;
        for (int k = 0; k < count && !found; k++) {
            uint64_t start = (uint64_t)(uintptr_t)known[k].p;
            found = r->low >= start && r->high <= start + known[k].bytes;
        }
    }
    return found;
}

// Whether its store addresses depend only on parameters and its own number, and on no load.
static bool addresses_known(const struct block_reach *b)
{
    bool known = b->store_count <= MAX_STORES;
    for (uint32_t i = 0; i < b->store_count && known; i++)
        known = !address_is_loaded(&b->module->origins[b->stores[i]]);
    return known;
}

// The first nonzero byte of the range; with floats, of a finite word. NULL: none.
static const uint8_t *nonzero_in(const uint8_t *low, const uint8_t *high, bool floats)
{
    for (const uint8_t *at = low; at < high; at++) {
        uint32_t bits;
        if (!*at)
            continue;
        memcpy(&bits, (const uint8_t *)((uintptr_t)at & ~(uintptr_t)3), sizeof bits);
        bits &= INT32_MAX;
        if (!floats || (bits != 0 && bits < 0x7f800000))
            return at;
    }
    return NULL;
}

const void *reach_nonzero(const void *p, uint64_t bytes, int floats, const struct simt_range *known, int count)
{
    const uint8_t *found = NULL;
    pthread_mutex_lock(&all.lock);
    for (const struct block_reach *b = all.blocks; b && !found; b = b->next) {
        bool looked_at = !b->coarse && loads_known(b, known, count);
        for (uint32_t i = 0; i < b->count && looked_at && !found; i++) {
            struct stretch r = b->ranges[i];
            if (r.store && clip(&r, (uint64_t)(uintptr_t)p, bytes))
                found = nonzero_in((const uint8_t *)(uintptr_t)r.low, (const uint8_t *)(uintptr_t)r.high, floats);
        }
        found = found && addresses_known(b) ? found : NULL;
    }
    pthread_mutex_unlock(&all.lock);
    return found;
}

void reach_reset(void)
{
    pthread_mutex_lock(&all.lock);
    while (all.blocks) {
        struct block_reach *b = all.blocks;
        all.blocks = b->next;
        free(b->ranges);
        free(b);
    }
    pthread_mutex_unlock(&all.lock);
}
