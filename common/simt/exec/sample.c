// Which blocks of a sampled launch run: powers of two reveal an index cut off at 16 bits; random ones show the usual
// case.
#include "exec/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/forms.h"
#include "exec/block.h"
#include "exec/bounds.h"

#define SHARE 24     // time slices of a block that reach barriers,
#define LONG_SLICE 8 // a slice without a barrier counts as so many: it takes thousands of instructions
#define MANY 2560    // blocks: in smaller grids each block does much work, and a few of them are enough
#define LONG_BLOCK (UINT64_C(1) << 24) // instructions of such a block in the first launches;
#define FIRST_CUT_SHORT 2
#define PER_INSTRUCTION 64                  // multiplications of tensor products that take as long
#define MANY_PRODUCTS (UINT64_C(336) << 20) // multiplications of a block that is not the last
#define LATER_BLOCK (UINT64_C(1) << 20)     // in later launches
#define MAX_CUT_SHORT 16
#define MAX_SPENT (UINT64_C(1) << 28) // instructions of all blocks that run to their end
#define POWERS 48                     // powers of two from 2^16 on that can be block numbers

// Of the finished launches with these settings: how many blocks were stopped after LONG_BLOCK, and the instructions of
// blocks that ran to their end. A launch uses their values from its start, so the order of its blocks does not matter.
static uint32_t cut_short;
static uint64_t spent;

// Words that launches leave as many tickets further as they have blocks: the host or a kernel knows where each begins.
static const void *running[MOST_TICKET_WORDS];

// Whether a launch has left a word where no whole launch would: its blocks take any number of tickets. The next ones
// may mean nothing to the host.
static bool lost;

// The samples are clusters, or blocks if the launch has no clusters.
static uint64_t clusters(const struct launch *l)
{
    return l->block_count / l->cluster_size;
}

static void add_block(struct launch *l, uint64_t number)
{
    for (uint64_t i = 0; i < l->run_count; i++)
        if (l->sampled[i] == number)
            return;
    l->sampled[l->run_count++] = number;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// The powers of two from 2^16 on: an index cut off there makes such a block do the first one's work.
static void add_powers(struct launch *l)
{
    for (uint64_t number = 1 << 16; number < l->block_count; number *= 2)
        add_block(l, number / l->cluster_size);
}

// Adds count random blocks; spread: one from each of count equal parts of the grid. Launches with the same number of
// blocks get the same ones: they reuse the same pages, and only the first access to a page is expensive.
static void add_random(struct launch *l, uint32_t count, bool spread)
{
    uint64_t bits = settings()->seed + clusters(l);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t part = spread ? clusters(l) / count : clusters(l);
        bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x9e3779b97f4a7c15);
        add_block(l, (spread ? i * part : 0) + (bits >> 7) % part);
    }
}

// The maximum number of instructions of one block, which might run for millions. In a program that launches hundreds of
// such grids, later ones get fewer.
static uint64_t longest_block(void)
{
    uint32_t cut = __atomic_load_n(&cut_short, __ATOMIC_RELAXED);
    bool enough = cut >= MAX_CUT_SHORT || __atomic_load_n(&spent, __ATOMIC_RELAXED) > MAX_SPENT;
    return enough ? 0 : cut < FIRST_CUT_SHORT ? LONG_BLOCK : LATER_BLOCK;
}

void sample_blocks(struct launch *l)
{
    const struct sample *s = &settings()->sample;
    l->longest_block = longest_block();
    uint32_t spread = clusters(l) >= MANY ? s->spread : 0;
    uint64_t most = s->first + s->last + (uint64_t)s->random + spread;
    l->run_count = clusters(l);
    l->partial = s->on && !s->all;
    l->first_ticket = l->partial ? s->tickets : 0;
    l->ticket_at = (const void *)(uintptr_t)s->at;
    if (!l->partial || most >= clusters(l))
        return;
    l->run_count = 0;
    l->sampled = alloc_zeroed(most + POWERS, sizeof *l->sampled);
    if (s->first)
        add_block(l, 0);
    if (s->last)
        add_block(l, clusters(l) - 1);
    if (s->powers)
        add_powers(l);
    add_random(l, s->random, false);
    add_random(l, spread, true);
    qsort(l->sampled, l->run_count, sizeof *l->sampled, by_number);
}

void sample_begin(void)
{
    __atomic_store_n(&cut_short, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&spent, 0, __ATOMIC_RELAXED);
}

void sample_free(struct launch *l)
{
    free(l->sampled);
}

// The word's entry, a new one for a new word; NULL: there are too many words.
static struct ticket_word *entry_of(struct launch *l, const void *word)
{
    for (uint32_t i = 0; i < MOST_TICKET_WORDS; i++) {
        const void *none = NULL;
        if (__atomic_compare_exchange_n(&l->ticket_words[i].at, &none, word, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            none == word)
            return &l->ticket_words[i];
    }
    return NULL;
}

uint64_t sample_ticket(struct block *b, const struct insn *in, const void *word, uint64_t value)
{
    struct launch *l = b->launch;
    struct ticket_word *t = entry_of(l, word);
    uint64_t skipped = 0;
    if (!t)
        return 0;
    uint8_t bit = (uint8_t)(1 << (t - l->ticket_words));
    bool again = b->tickets & bit;
    b->tickets |= bit;
    if (again)
        return 0;
    if (t->blocks == 0)
        t->start = value, t->size = in->size, t->wraps = in->sub == ATOM_INC;
    if (l->first_ticket)
        skipped = t->blocks == 0 ? l->first_ticket : 0;
    else if (t->blocks + 1 == executed_blocks(l)) {
        skipped = l->block_count - executed_blocks(l);
        b->last_ticket = skipped > 0;
    }
    t->blocks++;
    return skipped;
}

static bool is_running(const void *word)
{
    bool found = false;
    for (uint32_t i = 0; i < MOST_TICKET_WORDS; i++)
        found |= running[i] == word;
    return found;
}

// After a launch whose tickets begin at the word's value.
static void note_end(const struct launch *l, const struct ticket_word *t)
{
    static uint32_t next;
    uint64_t after = 0, whole = t->start + l->block_count;
    memcpy(&after, t->at, t->size);
    if (memcmp(&after, &whole, t->size) != 0)
        lost |= memcmp(&after, &t->start, t->size) != 0;
    else if (!is_running(t->at))
        running[next++ % MOST_TICKET_WORDS] = t->at;
}

void sample_mark_tickets(struct launch *l, bool tickets)
{
    l->tickets = tickets;
    l->known_tickets = tickets && !lost && (!l->first_ticket || settings()->sample.valid);
}

void sample_return_tickets(struct launch *l)
{
    for (uint32_t i = 0; i < MOST_TICKET_WORDS && l->run_count < clusters(l); i++) {
        const struct ticket_word *t = &l->ticket_words[i];
        if (!t->at || l->ticket_at || !launch_holds(l, (uint64_t)(uintptr_t)t->at, t->size))
            continue;
        uint64_t value = is_running(t->at) ? t->start + l->block_count : t->start;
        if (l->first_ticket || t->wraps)
            memcpy((void *)(uintptr_t)t->at, &value, t->size);
        else
            note_end(l, t);
    }
}

static bool is_last(const struct block *b)
{
    return b->cluster->number == clusters(b->launch) - 1;
}

// Whether it is the last block, whose end shows how far the others reach, or one in the middle. An index of a
// grid-stride loop over 2^31 elements wraps around in most blocks, but not in the last one if the input ends before its
// part.
static bool runs_to_end(const struct block *b)
{
    const struct launch *l = b->launch;
    uint64_t middle = l->sampled ? l->sampled[l->run_count / 2] : clusters(l) / 2;
    return b->cluster->number == middle || is_last(b);
}

// The block's instructions and, for tensor products, as many as take as long.
static uint64_t work_of(const struct block *b)
{
    return b->issued + b->products / PER_INSTRUCTION;
}

// Whether each running warp polls, or has last tested an mbarrier in vain. In a ring this is often so at the end of a
// slice, although the warps have handed something over in it.
static bool all_test(const struct block *b)
{
    bool all = true;
    FOR_LANES(i, b->runnable)
    all &= b->warps[i].spinning || b->warps[i].mbarrier;
    return all;
}

static bool may_continue(const struct block *b, uint64_t changes)
{
    bool waits = block_polls(b) || (all_test(b) && b->worker->changes == changes);
    return runs_to_end(b) && work_of(b) < b->launch->longest_block && !waits;
}

enum slice_end sample_slice(struct block *b, enum slice_end slice, uint64_t changes)
{
    if (slice == SLICE_DONE && b->launch->partial && runs_to_end(b))
        __atomic_add_fetch(&spent, work_of(b), __ATOMIC_RELAXED);
    if (slice == SLICE_DONE || !b->launch->partial)
        return slice;
    b->slices += slice == SLICE_SPINS ? LONG_SLICE : 1;
    bool has_share = b->slices < SHARE && (b->products < MANY_PRODUCTS || is_last(b));
    if (has_share || may_continue(b, changes))
        return slice;
    if (b->launch->longest_block && work_of(b) >= b->launch->longest_block)
        __atomic_add_fetch(&cut_short, 1, __ATOMIC_RELAXED);
    if (!b->last_ticket) // without its ticket it would have ended
        __atomic_store_n(&b->launch->cut_off, true, __ATOMIC_RELAXED);
    b->cut_off = true;
    block_abandon(b);
    return SLICE_DONE;
}
