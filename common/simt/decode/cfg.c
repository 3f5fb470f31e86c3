// Basic blocks, their successors and their immediate post-dominators.
//
// Post-dominators are dominators of the reversed graph, found by the iteration of Cooper, Harvey and Kennedy ("A
// simple, fast dominance algorithm"). The exit is a separate node, which all blocks that leave the function reach. A
// trap ends the grid, so it does not lead to the exit: lanes that skip a trap reconverge where they would without it.
#include "decode/cfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

// Whether the instruction waits for other lanes or warps.
static bool is_synchronising(const char *mnemonic)
{
    static const char *const words[] = {"bar", "barrier", "shfl",     "vote",     "match",     "redux", "elect",
                                        "mma", "wmma",    "ldmatrix", "stmatrix", "movmatrix", "wgmma", "setmaxnreg"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_family(mnemonic, words[i]))
            return true;
    return false;
}

// Whether lanes may call different functions here: then they run the instruction and its block one after another.
static bool calls_indirectly(const struct ptx_instr *i)
{
    bool gives = i->count && i->operands[0].kind == PTX_OP_VECTOR;
    return is_family(i->op, "call") && i->count > gives && i->operands[gives].kind == PTX_OP_REG;
}

static bool ends_grid(const struct ptx_instr *i)
{
    return is_family(i->op, "trap") || is_family(i->op, "brkpt");
}

static bool leaves(const struct ptx_instr *i)
{
    return is_family(i->op, "ret") || is_family(i->op, "exit") || ends_grid(i);
}

// The non-returning function that i calls; NULL: none.
static const struct ptx_function *noreturn_callee(const struct ptx_module *m, const struct ptx_instr *i)
{
    for (int k = 0; is_family(i->op, "call") && k < 2 && k < i->count; k++)
        for (int f = 0; i->operands[k].kind == PTX_OP_SYMBOL && f < m->func_count; f++)
            if (m->funcs[f].noreturn && !strcmp(m->funcs[f].name, i->operands[k].symbol))
                return &m->funcs[f];
    return NULL;
}

// Whether every thread that reaches the end of f ends its grid there.
static bool only_traps(const struct ptx_function *f)
{
    bool traps = false, exits = false;
    for (int i = 0; i < f->instr_count; i++) {
        traps |= ends_grid(&f->instrs[i]);
        exits |= is_family(f->instrs[i].op, "exit");
    }
    return traps && !exits;
}

bool ends_block(const struct ptx_instr *i)
{
    return leaves(i) || is_family(i->op, "bra") || is_family(i->op, "brx") || is_family(i->op, "call") ||
           is_synchronising(i->op);
}

// Returns the number of labels to which an instruction may jump, and the labels.
static int targets(const struct ptx_instr *i, const struct ptx_operand **out)
{
    if (is_family(i->op, "bra") && i->count == 1) {
        *out = i->operands;
        return 1;
    }
    if (is_family(i->op, "brx") && i->count == 2 && i->operands[1].kind == PTX_OP_VECTOR) {
        *out = i->operands[1].list;
        return i->operands[1].count;
    }
    return 0;
}

// Marks the first instruction of every block; false: a branch has no target.
static bool mark_starts(const struct ptx_function *f, uint8_t *starts, char *error, size_t error_size)
{
    const struct ptx_operand *to;
    starts[0] = 1;
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        int n = targets(in, &to);
        if (is_synchronising(in->op) || calls_indirectly(in))
            starts[i] = 1;
        if (ends_block(in))
            starts[i + 1] = 1;
        if (!n && (is_family(in->op, "bra") || is_family(in->op, "brx"))) {
            snprintf(error, error_size, "PTX line %d: '%s' names no label", in->line, in->op);
            return false;
        }
        for (int k = 0; k < n; k++) {
            if (to[k].kind != PTX_OP_LABEL || to[k].value < 0 || to[k].value > f->instr_count) {
                snprintf(error, error_size, "PTX line %d: '%s' names no label of this function", in->line, in->op);
                return false;
            }
            starts[to[k].value] = 1;
        }
    }
    return true;
}

// Successors of block b; a jump to the very end of the function leaves it.
static void link_block(struct cfg *cfg, const struct ptx_module *m, const struct ptx_function *f, uint32_t b)
{
    struct cfg_block *block = &cfg->blocks[b];
    const struct ptx_instr *in = &f->instrs[block->last - 1];
    const struct ptx_function *callee = noreturn_callee(m, in);
    const struct ptx_operand *to;
    int n = targets(in, &to);
    block->next = alloc_zeroed((size_t)n + 1, sizeof *block->next);
    block->exits = callee ? !only_traps(callee) : leaves(in) && !ends_grid(in);
    for (int k = 0; k < n; k++) {
        if (to[k].value < f->instr_count)
            block->next[block->next_count++] = cfg->block_of[to[k].value];
        else
            block->exits = true;
    }
    bool falls = !(leaves(in) || callee || n) || in->guard >= 0;
    if (falls && b + 1 < cfg->count)
        block->next[block->next_count++] = b + 1;
    else if (falls)
        block->exits = true;
}

static bool exits_function(const struct cfg *cfg, const struct ptx_function *f, const struct cfg_block *block)
{
    const struct ptx_instr *last = &f->instrs[block->last - 1];
    bool out = block->exits || ends_grid(last) || is_family(last->op, "call"); // the callee may exit
    for (uint32_t k = 0; k < block->next_count; k++)
        out |= !cfg->blocks[block->next[k]].endless;
    return out;
}

static void find_endless(struct cfg *cfg, const struct ptx_function *f)
{
    bool changed = true;
    for (uint32_t b = 0; b < cfg->count; b++)
        cfg->blocks[b].endless = true;
    while (changed) {
        changed = false;
        for (uint32_t b = cfg->count; b-- > 0;)
            if (cfg->blocks[b].endless && exits_function(cfg, f, &cfg->blocks[b])) {
                cfg->blocks[b].endless = false;
                changed = true;
            }
    }
}

struct order {
    uint32_t *sequence; // nodes in reverse post-order of the reversed graph, the exit first
    uint32_t *rank;     // position of each node; UINT32_MAX: not reached
    uint32_t count;
};

// The successors of each block in the reversed graph, which are its predecessors in the flow, as one edge array.
static uint32_t **predecessors(const struct cfg *cfg, uint32_t **counts)
{
    uint32_t n = cfg->count, **list = alloc_zeroed(n + 1, sizeof *list);
    *counts = alloc_zeroed(n + 1, sizeof **counts);
    for (int pass = 0; pass < 2; pass++) {
        memset(*counts, 0, (n + 1) * sizeof **counts);
        for (uint32_t b = 0; b < n; b++) {
            const struct cfg_block *block = &cfg->blocks[b];
            for (uint32_t k = 0; k < block->next_count + block->exits; k++) {
                uint32_t to = k == block->next_count ? n : block->next[k];
                if (pass)
                    list[to][(*counts)[to]] = b;
                (*counts)[to]++;
            }
        }
        for (uint32_t b = 0; !pass && b <= n; b++)
            list[b] = alloc_zeroed((*counts)[b] + 1, sizeof **list);
    }
    return list;
}

// Depth-first search from the exit over reversed edges, without recursion.
static void order_nodes(struct order *o, uint32_t n, uint32_t **before, const uint32_t *counts)
{
    uint32_t *stack = alloc_zeroed(n + 1, sizeof *stack), *edge = alloc_zeroed(n + 1, sizeof *edge), depth = 0;
    uint8_t *seen = alloc_zeroed(n + 1, 1);
    o->count = n + 1;
    stack[depth++] = n;
    seen[n] = 1;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (edge[node] < counts[node]) {
            uint32_t to = before[node][edge[node]++];
            if (!seen[to]) {
                seen[to] = 1;
                stack[depth++] = to;
            }
        } else {
            o->sequence[--o->count] = node;
            depth--;
        }
    }
    memmove(o->sequence, o->sequence + o->count, sizeof *o->sequence * (n + 1 - o->count));
    o->count = n + 1 - o->count;
    for (uint32_t i = 0; i <= n; i++)
        o->rank[i] = UINT32_MAX;
    for (uint32_t i = 0; i < o->count; i++)
        o->rank[o->sequence[i]] = i;
    free(stack);
    free(edge);
    free(seen);
}

static uint32_t meet(const struct order *o, const uint32_t *parent, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (o->rank[a] > o->rank[b])
            a = parent[a];
        while (o->rank[b] > o->rank[a])
            b = parent[b];
    }
    return a;
}

static uint32_t best_parent(const struct cfg *cfg, const struct order *o, const uint32_t *parent, uint32_t b)
{
    const struct cfg_block *block = &cfg->blocks[b];
    uint32_t best = block->exits ? cfg->count : UINT32_MAX;
    for (uint32_t k = 0; k < block->next_count; k++) {
        uint32_t to = block->next[k];
        if (o->rank[to] == UINT32_MAX || parent[to] == UINT32_MAX)
            continue;
        best = best == UINT32_MAX ? to : meet(o, parent, to, best);
    }
    return best;
}

static void find_post_dominators(struct cfg *cfg)
{
    uint32_t n = cfg->count, *counts, **before = predecessors(cfg, &counts);
    struct order o = {alloc_zeroed(n + 1, sizeof(uint32_t)), alloc_zeroed(n + 1, sizeof(uint32_t)), 0};
    uint32_t *parent = alloc_zeroed(n + 1, sizeof *parent);
    order_nodes(&o, n, before, counts);
    memset(parent, 0xff, sizeof *parent * (n + 1));
    parent[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < o.count; i++) {
            uint32_t b = o.sequence[i], best = best_parent(cfg, &o, parent, b);
            if (best != parent[b]) {
                parent[b] = best;
                changed = true;
            }
        }
    }
    for (uint32_t b = 0; b < n; b++) {
        cfg->blocks[b].post_dominator = parent[b] == n ? UINT32_MAX : parent[b];
        free(before[b]);
    }
    free(before[n]);
    free(before);
    free(counts);
    free(parent);
    free(o.sequence);
    free(o.rank);
}

bool cfg_build(struct cfg *cfg, const struct ptx_module *m, const struct ptx_function *f, char *error,
               size_t error_size)
{
    uint32_t n = (uint32_t)f->instr_count;
    uint8_t *starts = alloc_zeroed(n + 2, 1);
    memset(cfg, 0, sizeof *cfg);
    if (!mark_starts(f, starts, error, error_size)) {
        free(starts);
        return false;
    }
    cfg->block_of = alloc_zeroed(n + 1, sizeof *cfg->block_of);
    cfg->blocks = alloc_zeroed(n + 1, sizeof *cfg->blocks);
    for (uint32_t i = 0; i < n; i++) {
        if (starts[i])
            cfg->blocks[cfg->count++].first = i;
        cfg->block_of[i] = cfg->count - 1;
        cfg->blocks[cfg->count - 1].last = i + 1;
    }
    for (uint32_t b = 0; b < cfg->count; b++)
        link_block(cfg, m, f, b);
    find_post_dominators(cfg);
    find_endless(cfg, f);
    free(starts);
    return true;
}

void cfg_free(struct cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        free(cfg->blocks[b].next);
    free(cfg->blocks);
    free(cfg->block_of);
}

void cfg_reach(const struct cfg *cfg, uint32_t from, uint32_t end, bool *reached)
{
    if (from == end || reached[from])
        return;
    reached[from] = true;
    for (uint32_t i = 0; i < cfg->blocks[from].next_count; i++)
        cfg_reach(cfg, cfg->blocks[from].next[i], end, reached);
}

void cfg_mark_decided(const struct cfg *cfg, uint32_t b, bool *reached)
{
    const struct cfg_block *block = &cfg->blocks[b];
    memset(reached, 0, cfg->count * sizeof *reached);
    for (uint32_t i = 0; block->next_count > 1 && i < block->next_count; i++)
        cfg_reach(cfg, block->next[i], block->post_dominator, reached);
}
