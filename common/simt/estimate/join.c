// PTX has more instructions than machine code. These peephole rules set the cost of instructions that ptxas folds into
// others to 0.
#include "estimate/join.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/opcodes.h"

// ---- addresses

static void make_free(struct cost *c)
{
    c->issues = c->work = c->latency = 0;
}

// An addition to a wide product is part of the product (IMAD.WIDE).
static void join_product(struct cost *costs, const struct module *m, uint32_t id)
{
    const struct origin *sum = &m->origins[id];
    if (strncmp(sum->ptx->op, "add.s64", 7) && strncmp(sum->ptx->op, "add.u64", 7))
        return;
    for (uint32_t past = id, near = 0; past-- > 0 && near < 8; near++) {
        const struct origin *o = &m->origins[past];
        if (o->code != sum->code || o->block != sum->block)
            return;
        bool made = costs[past].written_count && costs[id].read_count;
        for (uint32_t i = 0; made && i < costs[id].read_count; i++)
            if (costs[past].written[0] == costs[id].read[i] && strstr(o->ptx->op, ".wide")) {
                make_free(&costs[id]);
                return;
            }
    }
}

// For each register of a function: whether it is read other than as an address.
static bool *find_values(const struct cost *costs, const struct code *code)
{
    const struct module *m = code->module;
    bool *value = alloc_zeroed((size_t)code->ptx->reg_count + 1, sizeof *value);
    for (uint32_t id = 0; id < m->origin_count; id++) {
        const struct ptx_instr *in = m->origins[id].ptx;
        const struct cost *c = &costs[id];
        if (m->origins[id].code != code)
            continue;
        bool accesses = c->loads[0] || c->loads[1] || c->stores[0] || c->stores[1];
        for (uint32_t r = 0; r < c->read_count; r++) {
            bool address = false;
            for (int i = 0; accesses && i < in->count; i++)
                address |= in->operands[i].kind == PTX_OP_ADDRESS && in->operands[i].reg == c->read[r];
            value[c->read[r]] |= !address;
        }
    }
    return value;
}

// An addition of a constant whose result is only an address is part of the accesses.
static void join_offsets(struct cost *costs, const struct code *code)
{
    const struct module *m = code->module;
    bool *value = find_values(costs, code);
    for (uint32_t id = 0; id < m->origin_count; id++) {
        const struct ptx_instr *in = m->origins[id].ptx;
        struct cost *c = &costs[id];
        if (m->origins[id].code == code && is_family(in->op, "add") && in->count == 3 && in->guard < 0 &&
            in->operands[2].kind == PTX_OP_INT && c->written_count == 1 && !value[c->written[0]])
            make_free(c);
    }
    free(value);
}

// ---- pairs

static bool is_logic(const char *op)
{
    return ends_with(op, ".b32") && (is_family(op, "and") || is_family(op, "or") || is_family(op, "xor"));
}

static bool is_sum(const char *op, const char *bits)
{
    return is_family(op, "add") && (strstr(op, ".s") || strstr(op, ".u")) && ends_with(op, bits);
}

// Whether two instructions become one: three-operand logic (LOP3), a three-operand sum (IADD3), or a sum with a
// shifted (LEA) or widened (LEA.HI.X.SX32) operand.
static bool is_pair(const struct ptx_instr *first, const struct ptx_instr *second)
{
    bool shifts = is_family(first->op, "shl") && first->count == 3 && first->operands[2].kind == PTX_OP_INT;
    if (is_logic(first->op))
        return is_logic(second->op);
    if (is_sum(second->op, "32"))
        return is_sum(first->op, "32") || (shifts && ends_with(first->op, "32"));
    return is_sum(second->op, "64") && ((shifts && ends_with(first->op, "64")) || !strcmp(first->op, "cvt.s64.s32"));
}

// The readers of a register: their number, and the last one.
struct readers {
    uint32_t count, last;
};

static struct readers *find_readers(const struct cost *costs, const struct code *code)
{
    const struct module *m = code->module;
    struct readers *r = alloc_zeroed((size_t)code->ptx->reg_count + 1, sizeof *r);
    for (uint32_t id = 0; id < m->origin_count; id++)
        for (uint32_t i = 0; m->origins[id].code == code && i < costs[id].read_count; i++) {
            r[costs[id].read[i]].count++;
            r[costs[id].read[i]].last = id;
        }
    return r;
}

// Whether `first`, whose result only `second` reads, becomes a part of it.
static bool joins(const struct origin *first, const struct origin *second)
{
    return second > first && second->block == first->block && first->ptx->guard < 0 && second->ptx->guard < 0 &&
           is_pair(first->ptx, second->ptx);
}

// The first instruction of a pair costs nothing. An instruction belongs to one pair at most.
static void join_pairs(struct cost *costs, const struct code *code)
{
    const struct module *m = code->module;
    struct readers *readers = find_readers(costs, code);
    bool *paired = alloc_zeroed((size_t)m->origin_count + 1, sizeof *paired);
    for (uint32_t id = 0; id < m->origin_count; id++) {
        struct cost *c = &costs[id];
        if (m->origins[id].code != code || c->written_count != 1 || readers[c->written[0]].count != 1)
            continue;
        uint32_t reader = readers[c->written[0]].last;
        bool each = !paired[id] && !paired[reader] && c->issues > 0 && costs[reader].issues > 0;
        if (!each || !joins(&m->origins[id], &m->origins[reader]))
            continue;
        make_free(c);
        paired[id] = paired[reader] = true;
    }
    free(paired);
    free(readers);
}

// ---- short bodies

#define MAX_PREDICATED 7 // instructions that ptxas predicates instead of branching around them

static bool is_branch(const struct code *code, const struct insn *in)
{
    return in->id != NONE && code->module->origins[in->id].op == OP_bra;
}

// By basic block: how many other blocks enter it. A lower bound, because a return from a call does not count.
static uint32_t *count_entries(const struct code *code)
{
    uint32_t *entries = alloc_zeroed((size_t)code->block_count + 1, sizeof *entries);
    for (uint32_t i = 0; i < code->block_count; i++) {
        const struct insn *last = code->blocks[i].last - 1;
        bool branch = is_branch(code, last);
        if (branch && last->target < code->block_count)
            entries[last->target]++;
        if (!branch || last->guard != NONE)
            entries[i + 1]++;
    }
    return entries;
}

// How ptxas compiles a basic block that a branch skips: with the branch; without it, with each instruction predicated;
// or also moved up into the previous block.
enum body { BRANCHED, PREDICATED, MOVED };

static enum body body_of(const struct cost *costs, const struct basic_block *b)
{
    bool loads = false, stores = false;
    double count = 0;
    for (const struct insn *in = b->first; in < b->last; in++) {
        const struct cost *c = in->id != NONE ? &costs[in->id] : NULL;
        if (c && (c->pinned || c->splits || c->branches || c->barrier))
            return BRANCHED;
        loads |= c && c->loads[0];
        stores |= c && (c->stores[0] || c->stores[1]);
        count += c ? ceil(c->issues) : 0;
    }
    if (loads && !stores)
        return b->length <= MAX_PREDICATED ? MOVED : BRANCHED;
    return stores && count <= MAX_PREDICATED ? PREDICATED : BRANCHED;
}

// A warp whose lanes all skip predicated instructions still issues them; an access takes a pass.
static void skip_predicated(struct cost *branch, const struct cost *costs, const struct basic_block *body)
{
    for (const struct insn *in = body->first; in < body->last; in++) {
        const struct cost *c = in->id != NONE ? &costs[in->id] : NULL;
        branch->skipped_issues += c ? c->issues : 0;
        branch->skipped_passes += c && c->unit == UNIT_MEMORY;
    }
}

// A branch around a short body does not exist in machine code. If the body only loads, as after a bounds check, the
// code before it, the body and the code after it form one basic block.
static void join_blocks(struct cost *costs, const struct code *code)
{
    uint32_t *entries = count_entries(code);
    for (uint32_t i = 0; i + 2 < code->block_count; i++) {
        const struct basic_block *around = &code->blocks[i], *body = around + 1, *after = around + 2;
        const struct insn *branch = around->last - 1;
        bool skips = is_branch(code, branch) && branch->guard != NONE && branch->target == i + 2;
        bool alone = skips && entries[i + 1] == 1 && entries[i + 2] == 2;
        enum body made = alone ? body_of(costs, body) : BRANCHED;
        if (made == BRANCHED)
            continue;
        struct cost *c = &costs[branch->id];
        c->issues = c->latency = 0;
        c->branches = c->pinned = false;
        if (made == PREDICATED) {
            skip_predicated(c, costs, body);
            continue;
        }
        if (body->first->id != NONE)
            costs[body->first->id].continues_block = true;
        if (after->first->id != NONE)
            costs[after->first->id].continues_block = true;
    }
    free(entries);
}

void join_costs(struct cost *costs, const struct module *m)
{
    for (uint32_t id = 0; id < m->origin_count; id++)
        join_product(costs, m, id);
    for (int f = 0; f < m->ptx->func_count; f++)
        if (m->codes[f]) {
            join_offsets(costs, m->codes[f]);
            join_pairs(costs, m->codes[f]);
            join_blocks(costs, m->codes[f]);
        }
}
