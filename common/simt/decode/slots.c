// Liveness of PTX registers and a linear scan over it (Poletto and Sarkar, "Linear scan register allocation").
//
// Lanes are independent: writes to a row are masked by the active lanes. So only the liveness of one thread counts,
// whatever the other lanes of the warp are doing.
#include "decode/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/code.h"

uint32_t row_bytes(enum ptx_type type)
{
    return type == PTX_PRED ? 4 : LANES * (ptx_type_size(type) < 2 ? 2 : ptx_type_size(type));
}

bool accumulates(const struct ptx_instr *in)
{
    return is_family(in->op, "wgmma.mma_async");
}

bool defines_first(const struct ptx_instr *in)
{
    static const char *const none[] = {"st",        "red",      "bra",        "brx",     "membar", "fence",
                                       "ret",       "exit",     "trap",       "brkpt",   "call",   "prefetch",
                                       "prefetchu", "discard",  "nanosleep",  "pmevent", "cp",     "setmaxnreg",
                                       "tensormap", "stmatrix", "wmma.store", "sust"};
    if (is_family(in->op, "bar") || is_family(in->op, "barrier"))
        return strstr(in->op, ".red") != NULL;
    if (is_family(in->op, "mbarrier"))
        return strstr(in->op, ".arrive") || strstr(in->op, "_wait") || strstr(in->op, ".pending_count");
    if (is_family(in->op, "wgmma"))
        return accumulates(in);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (is_family(in->op, none[i]))
            return false;
    return true;
}

static void visit_operand(const struct ptx_operand *o, bool defines, visit *see, void *data)
{
    if (o->kind == PTX_OP_REG)
        see(data, o->reg, defines);
    if (o->kind == PTX_OP_ADDRESS && o->reg >= 0)
        see(data, o->reg, false);
    if (o->kind == PTX_OP_ADDRESS)
        for (int k = 0; k < o->count; k++) // the coordinates of a texture
            visit_operand(&o->list[k], false, see, data);
    if (o->kind == PTX_OP_VECTOR || o->kind == PTX_OP_PAIR)
        for (int k = 0; k < o->count; k++)
            visit_operand(&o->list[k], defines, see, data);
}

// Uses first, then definitions. A guarded definition leaves the old value in some lanes, so it counts as a use, too.
void visit_instr(const struct ptx_instr *in, visit *see, void *data)
{
    bool defines = defines_first(in);
    if (in->guard >= 0)
        see(data, in->guard, false);
    for (int k = 0; k < in->count; k++)
        if (k || !defines || in->guard >= 0 || accumulates(in))
            visit_operand(&in->operands[k], false, see, data);
    if (defines && in->count)
        visit_operand(&in->operands[0], true, see, data);
}

// The sets contain only registers whose value comes from another block, with their own numbers: a kernel of ten
// thousand registers and a thousand blocks has few of them.
struct liveness {
    uint32_t count, *number, *of;        // their count, the map from register to number (or NONE), and the reverse
    uint32_t words;                      // words of a set
    uint64_t *used, *defined, *in, *out; // per block
    uint64_t *block_used, *block_defined;
    uint32_t *given;        // the block that last wrote a register, from 1
    uint32_t *first, *last; // interval of each register in instruction numbers
    uint32_t at;            // the current block or instruction
};

static void visit_crossing(void *data, int reg, bool defines)
{
    struct liveness *l = data;
    if (defines) {
        l->given[reg] = l->at + 1;
    } else if (l->given[reg] != l->at + 1 && l->number[reg] == NONE) {
        l->number[reg] = l->count;
        l->of[l->count++] = (uint32_t)reg;
    }
}

static void visit_in_block(void *data, int reg, bool defines)
{
    struct liveness *l = data;
    uint32_t number = l->number[reg];
    if (number == NONE)
        return;
    uint64_t bit = UINT64_C(1) << (number & 63);
    if (defines)
        l->block_defined[number >> 6] |= bit;
    else if (!(l->block_defined[number >> 6] & bit))
        l->block_used[number >> 6] |= bit;
}

static void extend(struct liveness *l, uint32_t reg, uint32_t at)
{
    if (l->first[reg] > at)
        l->first[reg] = at;
    if (l->last[reg] == NONE || l->last[reg] < at)
        l->last[reg] = at;
}

static void visit_occurrence(void *data, int reg, bool defines)
{
    struct liveness *l = data;
    (void)defines;
    extend(l, (uint32_t)reg, l->at);
}

static void extend_set(struct liveness *l, const uint64_t *set, uint32_t at)
{
    for (uint32_t i = 0; i < l->words; i++)
        for (uint64_t bits = set[i]; bits; bits &= bits - 1)
            extend(l, l->of[i * 64 + (uint32_t)__builtin_ctzll(bits)], at);
}

static void solve(struct liveness *l, const struct cfg *cfg)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cfg->count; b-- > 0;) {
            const struct cfg_block *block = &cfg->blocks[b];
            size_t row = (size_t)b * l->words;
            for (uint32_t i = 0; i < l->words; i++) {
                uint64_t out = 0;
                for (uint32_t k = 0; k < block->next_count; k++)
                    out |= l->in[(size_t)block->next[k] * l->words + i];
                uint64_t in = l->used[row + i] | (out & ~l->defined[row + i]);
                changed |= in != l->in[row + i];
                l->out[row + i] = out;
                l->in[row + i] = in;
            }
        }
    }
}

// ---- registers of asynchronous products

static void mark(bool *followed, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_REG)
        followed[o->reg] = true;
    for (int k = 0; o->kind == PTX_OP_VECTOR && k < o->count; k++)
        mark(followed, &o->list[k]);
}

bool copies_register(const struct ptx_instr *in)
{
    return is_family(in->op, "mov") && in->count == 2 && in->operands[0].kind == PTX_OP_REG &&
           (in->operands[1].kind == PTX_OP_REG || in->operands[1].kind == PTX_OP_INT ||
            in->operands[1].kind == PTX_OP_F32);
}

static bool mark_copies(const struct ptx_function *f, bool *followed)
{
    bool more = false;
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_operand *o = f->instrs[i].operands;
        if (!copies_register(&f->instrs[i]) || o[1].kind != PTX_OP_REG || !followed[o[1].reg] || followed[o[0].reg])
            continue;
        followed[o[0].reg] = more = true;
    }
    return more;
}

bool *followed_registers(const struct ptx_function *f)
{
    bool *followed = NULL;
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        if (!is_family(in->op, "wgmma.mma_async") || in->count < 2)
            continue;
        followed = followed ? followed : alloc_zeroed((size_t)f->reg_count + 1, sizeof *followed);
        mark(followed, &in->operands[0]);
        if (in->operands[1].kind == PTX_OP_VECTOR)
            mark(followed, &in->operands[1]);
    }
    while (followed && mark_copies(f, followed))
        ;
    return followed;
}

// Products write their registers late (exec/wgmma.c), so no other register may share a place with one.
static void keep_followed(struct liveness *l, const struct ptx_function *f)
{
    bool *followed = followed_registers(f);
    for (int r = 0; r < f->reg_count && followed; r++)
        if (followed[r] && l->first[r] != NONE) {
            l->first[r] = 0;
            l->last[r] = (uint32_t)f->instr_count - 1;
        }
    free(followed);
}

static void visit_block(struct liveness *l, const struct ptx_function *f, const struct cfg_block *block, visit *see)
{
    for (uint32_t i = block->first; i < block->last; i++)
        visit_instr(&f->instrs[i], see, l);
}

// Computes the sets at the start and end of every block.
static void find_live(struct liveness *l, const struct ptx_function *f, const struct cfg *cfg)
{
    for (l->at = 0; l->at < cfg->count; l->at++)
        visit_block(l, f, &cfg->blocks[l->at], visit_crossing);
    l->words = (l->count + 63) / 64;
    size_t words = (size_t)cfg->count * l->words + 1;
    l->used = alloc_zeroed(words, sizeof *l->used);
    l->defined = alloc_zeroed(words, sizeof *l->defined);
    l->in = alloc_zeroed(words, sizeof *l->in);
    l->out = alloc_zeroed(words, sizeof *l->out);
    for (uint32_t b = 0; b < cfg->count; b++) {
        l->block_used = l->used + (size_t)b * l->words;
        l->block_defined = l->defined + (size_t)b * l->words;
        visit_block(l, f, &cfg->blocks[b], visit_in_block);
    }
    solve(l, cfg);
}

static void find_intervals(struct liveness *l, const struct ptx_function *f, const struct cfg *cfg)
{
    find_live(l, f, cfg);
    for (uint32_t b = 0; b < cfg->count; b++) {
        extend_set(l, l->in + (size_t)b * l->words, cfg->blocks[b].first);
        extend_set(l, l->out + (size_t)b * l->words, cfg->blocks[b].last - 1);
        for (l->at = cfg->blocks[b].first; l->at < cfg->blocks[b].last; l->at++)
            visit_instr(&f->instrs[l->at], visit_occurrence, l);
    }
    keep_followed(l, f);
}

struct interval {
    uint32_t first, last, reg;
};

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first ? 1 : x->reg < y->reg ? -1 : x->reg > y->reg;
}

// A pool of places of equal size.
struct pool {
    uint32_t bytes;
    uint32_t *place, *busy_until, count;
};

static uint32_t take(struct pool *p, const struct interval *v, uint32_t *end)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->busy_until[i] < v->first) {
            p->busy_until[i] = v->last;
            return p->place[i];
        }
    p->place[p->count] = *end;
    p->busy_until[p->count++] = v->last;
    *end += p->bytes;
    return *end - p->bytes;
}

static uint32_t scan(const struct ptx_function *f, struct interval *v, uint32_t n, uint32_t end, uint32_t *places)
{
    static const uint32_t sizes[] = {4, 64, 128, 256, 512};
    qsort(v, n, sizeof *v, by_start);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct pool p = {sizes[s], alloc_zeroed(n + 1, 4), alloc_zeroed(n + 1, 4), 0};
        end = (end + 63) & ~63u;
        for (uint32_t i = 0; i < n; i++)
            if (row_bytes(f->regs[v[i].reg].type) == p.bytes)
                places[v[i].reg] = take(&p, &v[i], &end);
        free(p.place);
        free(p.busy_until);
    }
    return (end + 63) & ~63u;
}

uint32_t slots_assign(const struct ptx_function *f, const struct cfg *cfg, uint32_t base, uint32_t *places,
                      bool *unwritten)
{
    uint32_t regs = (uint32_t)f->reg_count, n = 0;
    struct liveness l = {.count = 0};
    struct interval *v = alloc_zeroed(regs + 1, sizeof *v);
    uint32_t **const tables[] = {&l.number, &l.of, &l.given, &l.first, &l.last};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        *tables[i] = alloc_zeroed(regs + 1, sizeof **tables[i]);
    memset(l.number, 0xff, sizeof *l.number * (regs + 1));
    memset(l.first, 0xff, sizeof *l.first * (regs + 1));
    memset(l.last, 0xff, sizeof *l.last * (regs + 1));
    find_intervals(&l, f, cfg);
    for (uint32_t r = 0; r < regs; r++) {
        uint32_t number = l.number[r];
        places[r] = NONE; // never mentioned
        unwritten[r] = cfg->count && number != NONE && l.in[number >> 6] >> (number & 63) & 1;
        if (l.first[r] != NONE)
            v[n++] = (struct interval){l.first[r], l.last[r], r};
    }
    uint32_t end = scan(f, v, n, base, places);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(*tables[i]);
    free(v);
    free(l.used);
    free(l.defined);
    free(l.in);
    free(l.out);
    return end;
}
