// Liveness of registers in decoded code, by their places (effects.h).
#include <stdlib.h>

#include "base/alloc.h"
#include "native/effects.h"

#define UNIT 4 // bytes

static uint32_t units(struct row_use r)
{
    return r.size ? r.size * LANES / UNIT : 1;
}

bool is_live(const uint64_t *set, struct row_use r)
{
    if (r.place & CONSTANT_BANK)
        return false;
    for (uint32_t u = r.place / UNIT, n = units(r); n--; u++)
        if (set[u / 64] >> u % 64 & 1)
            return true;
    return false;
}

static void set_row(uint64_t *set, struct row_use r, bool live)
{
    if (r.place & CONSTANT_BANK)
        return;
    for (uint32_t u = r.place / UNIT, n = units(r); n--; u++)
        set[u / 64] = live ? set[u / 64] | UINT64_C(1) << u % 64 : set[u / 64] & ~(UINT64_C(1) << u % 64);
}

// What is live before an instruction, made of what is live after it.
static void step_back(const struct liveness *l, const struct code *c, const struct insn *in, uint64_t *set)
{
    struct effects e = effects_of(c, in);
    if (!e.known) {
        memset(set, 0xff, l->words * sizeof *set);
        return;
    }
    for (uint32_t k = 0; k < e.def_count; k++)
        set_row(set, e.def[k], false);
    for (uint32_t k = 0; k < e.use_count; k++)
        set_row(set, e.use[k], true);
}

void live_at_end(const struct liveness *l, const struct code *c, uint32_t block, uint64_t *set)
{
    uint32_t next[2];
    int n = successors(c, &c->blocks[block], next, 2);
    memset(set, n < 0 ? 0xff : 0, l->words * sizeof *set);
    for (int k = 0; k < n; k++)
        for (uint32_t i = 0; i < l->words && next[k] != NONE; i++)
            set[i] |= l->in[(size_t)next[k] * l->words + i];
    step_back(l, c, c->blocks[block].last - 1, set);
}

void live_open(struct liveness *l, const struct code *c)
{
    l->words = c->reg_bytes / UNIT / 64 + 2;
    l->in = alloc_zeroed((size_t)c->block_count * l->words + 1, sizeof *l->in);
    uint64_t *set = alloc_zeroed(l->words, sizeof *set);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->block_count; b-- > 0;) {
            uint64_t *in = l->in + (size_t)b * l->words;
            live_at_end(l, c, b, set);
            for (const struct insn *i = c->blocks[b].last - 1; i-- > c->blocks[b].first;)
                step_back(l, c, i, set);
            changed |= memcmp(in, set, l->words * sizeof *set) != 0;
            memcpy(in, set, l->words * sizeof *set);
        }
    }
    free(set);
}

void live_close(struct liveness *l)
{
    free(l->in);
}
