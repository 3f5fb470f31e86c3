// Words that blocks talk to one another by (talk.h).
#include "estimate/talk.h"

#include "estimate/cache.h"
#include "estimate/words.h"
#include "exec/warp.h"

enum { STAMPS = 1 << 14 };

static struct {
    struct words words, lines;      // of the launch; lines: of atomics
    uint64_t stamps[STAMPS], stamp; // when words were written last, by a hash of their addresses
} talk;

static uint32_t stamp_of(uint64_t address)
{
    return (uint32_t)((address >> 2) * UINT32_C(0x9e3779b1)) >> 18;
}

// Remembers at what the block looks, until somebody writes it.
static void note_looks(struct block_time *b, const struct access *a)
{
    b->look_count = 0;
    FOR_LANES(l, a->mask)
    b->looked[b->look_count++] = stamp_of(a->addr[l]);
    b->looked_at = talk.stamp;
}

double talk_goes_on(const struct block *b)
{
    const struct block_time *t = b->time;
    for (uint32_t i = 0; t->waits && i < t->look_count; i++)
        if (talk.stamps[t->looked[i]] > t->looked_at)
            return t->now;
    return t->waits ? 1e300 : t->now;
}

static bool one_word(const struct access *a, uint32_t lanes)
{
    uint64_t address = a->addr[__builtin_ctz(lanes)];
    FOR_LANES(l, lanes)
    if (a->addr[l] != address)
        return false;
    return true;
}

// How often an atomic visits a line: each lane for itself, but lanes at neighbouring words together, sector by sector,
// and integers of one word at once. Such a visit is shorter.
static double visits_of(const struct running *r, const struct access *a, uint32_t lanes, const struct cost *c)
{
    if ((c->joins || !(lanes & (lanes - 1))) && one_word(a, lanes))
        return r->gpu->atomics_on_line_per_ns / r->gpu->atomics_on_word_per_ns;
    return a->contiguous ? LINE_SECTORS : __builtin_popcount(lanes);
}

// Adds an atomic to the lines that it visits; the most visits that one of them has from it.
static double count_atomics(struct running *r, const struct access *a, const struct cost *c)
{
    double most = 0;
    r->totals.atomics += __builtin_popcount(a->mask);
    for (uint32_t left = a->mask, same; left; left &= ~same) {
        uint64_t line = a->addr[__builtin_ctz(left)] / LINE_BYTES;
        same = 0;
        FOR_LANES(l, left)
        same |= (uint32_t)(a->addr[l] / LINE_BYTES == line) << l;
        struct word *place = words_at(&talk.lines, line);
        double visits = visits_of(r, a, same, c);
        place->visits += visits;
        r->totals.atomics_on_line = later(r->totals.atomics_on_line, place->visits);
        most = later(most, visits);
    }
    return most;
}

// When the word had what the load at hand gets from it. Blocks run in the order of their clocks only up to where they
// wait: the newest value may be one of later. Who has not waited for it takes an older one.
static double when_published(const struct running *r, const struct word *word, bool waited)
{
    bool older = !waited && word->published > r->issued_at && word->before > 0;
    return older ? word->before : word->published;
}

// A strong load sees a word half a trip after it was published; and it had looked in vain half a trip before.
static void see_published(struct running *r, const struct access *a, bool waited)
{
    double trip = r->gpu->l2_latency, seen = r->issued_at + trip;
    FOR_LANES(l, a->mask)
    seen = later(seen, when_published(r, words_at(&talk.words, a->addr[l]), waited) + trip);
    r->latency = later(r->latency, seen - r->issued_at);
}

static void publish(const struct access *a, double time)
{
    FOR_LANES(l, a->mask)
    {
        struct word *word = words_at(&talk.words, a->addr[l]);
        word->before = a->kind == ATOMIC ? 0 : word->published;
        word->published = later(word->published, time);
        talk.stamps[stamp_of(a->addr[l])] = ++talk.stamp;
    }
}

// An atomic waits for those before it only where these have something to tell: after a fence, or with
// compare-and-swap.
static void order_atomic(struct running *r, const struct warp *w, const struct access *a, const struct cost *c)
{
    double half = r->gpu->l2_latency / 2, there = r->issued_at + half;
    double same = count_atomics(r, a, c), clocks_each = r->gpu->clock_ghz / r->gpu->atomics_on_line_per_ns;
    if (w->block->time->fenced || c->acquires || (a->in->spins && c->asks))
        FOR_LANES(l, a->mask)
    there = later(there, words_at(&talk.words, a->addr[l])->published);
    publish(a, there);
    double latency = there + half + (same - 1) * clocks_each - r->issued_at;
    r->latency = later(r->latency, latency);
}

void talk_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c)
{
    struct block_time *b = w->block->time;
    bool strong = a->in->order & (ORDER_VOLATILE | ORDER_STRONG);
    if (a->kind == ATOMIC)
        order_atomic(r, w, a, c);
    else if (strong && a->kind == LOAD && a->in->spins) {
        note_looks(b, a);
        see_published(r, a, b->waits);
    } else if (strong && a->kind != LOAD)
        publish(a, r->issued_at + r->gpu->l2_latency / 2);
}

void talk_forget_vain_look(const struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c)
{
    uint64_t address = 0;
    if (!in->spins || !c->asks)
        return;
    if (in->a != NONE && !(in->order & ADDRESS_32))
        address = ((const uint64_t *)row(w, in->a))[__builtin_ctz(w->mask)];
    bool again = t->poll == in && t->polled == address;
    if (again)
        t->now = t->entered = t->poll_began;
    w->block->time->waits = again;
    t->poll = in;
    t->polled = address;
    t->poll_began = t->now;
}

void talk_over(void)
{
    words_clear(&talk.words);
    words_clear(&talk.lines);
}
