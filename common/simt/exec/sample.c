// The choice of blocks (sample.h).
#include "exec/sample.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/block.h"

#define SHARE 24     // turns of a block that come to barriers,
#define LONG_TURN 8 // or so many fewer where none is met: such a turn takes thousands of instructions

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

void sample_blocks(struct launch *l)
{
    const struct sample *s = &settings()->sample;
    uint64_t most = s->first + s->last + (uint64_t)s->random, bits = settings()->seed + l->number;
    l->run_count = l->block_count;
    l->partial = s->on && !s->all;
    if (!l->partial || most >= l->block_count)
        return;
    l->run_count = 0;
    l->sampled = alloc_zeroed(most + 1, sizeof *l->sampled);
    if (s->first)
        add_block(l, 0);
    if (s->last)
        add_block(l, l->block_count - 1);
    for (uint32_t i = 0; i < s->random; i++) {
        bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x9e3779b97f4a7c15);
        add_block(l, (bits >> 7) % l->block_count);
    }
    qsort(l->sampled, l->run_count, sizeof *l->sampled, by_number);
}

void sample_free(struct launch *l)
{
    free(l->sampled);
}

enum turn sample_turn(struct block *b, enum turn turn)
{
    if (turn == TURN_DONE || !b->launch->partial || (b->turns += turn == TURN_SPINS ? LONG_TURN : 1) < SHARE)
        return turn;
    __atomic_store_n(&b->launch->let_go, true, __ATOMIC_RELAXED);
    block_abandon(b);
    return TURN_DONE;
}
