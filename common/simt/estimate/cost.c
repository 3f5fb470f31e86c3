// Derives the cost of an instruction from its mnemonic and the GPU's table, by the code that ptxas usually emits for
// it.
#include "estimate/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/opcodes.h"

// ---- registers

static void add_read(struct cost *c, int reg)
{
    if (reg >= 0 && c->read_count < MAX_READ)
        c->read[c->read_count++] = (uint16_t)reg;
}

static void add_written(struct cost *c, int reg)
{
    if (reg >= 0 && c->written_count < MAX_WRITTEN)
        c->written[c->written_count++] = (uint16_t)reg;
}

// The registers of an operand and of its parts.
static void add_registers(struct cost *c, const struct ptx_operand *o, void (*add)(struct cost *c, int reg))
{
    bool has = o->kind == PTX_OP_REG || o->kind == PTX_OP_ADDRESS;
    add(c, has ? o->reg : -1);
    for (int i = 0; o->list && i < o->count; i++)
        add_registers(c, &o->list[i], add);
}

// Instructions whose first operand is not a result.
static bool writes_nothing(enum opcode op)
{
    static const enum opcode none[] = {OP_st,   OP_red, OP_bra,    OP_brx,   OP_bar,      OP_barrier, OP_ret,
                                       OP_exit, OP_cp,  OP_membar, OP_fence, OP_stmatrix, OP_trap};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (op == none[i])
            return true;
    return false;
}

static void find_registers(struct cost *c, const struct ptx_instr *in, enum opcode op)
{
    int first = writes_nothing(op) || is_family(in->op, "wmma.store") ? 0 : 1;
    add_read(c, in->guard);
    for (int i = 0; i < in->count; i++)
        add_registers(c, &in->operands[i], i < first ? add_written : add_read);
}

// ---- units

static bool has(const char *op, const char *part)
{
    return strstr(op, part) != NULL;
}

static bool is_float(const char *op)
{
    return has(op, ".f32") || has(op, ".f64") || has(op, ".f16") || has(op, ".bf16");
}

static void set(struct cost *c, enum unit unit, double issues, double per_clock, double latency)
{
    c->unit = unit;
    c->issues = (float)issues;
    c->work = (float)(issues / per_clock);
    c->latency = (float)latency;
}

// The rate of products of a type, relative to FP16.
static double tensor_share(const char *op)
{
    if (is_family(op, "wgmma") && (has(op, ".e4m3") || has(op, ".e5m2")))
        return 0.5; // mma.sync converts them to f16
    return has(op, ".tf32") ? 2 : has(op, ".f64") ? 32 : has(op, ".s8") || has(op, ".u8") ? 0.5 : 1;
}

static void cost_product(struct cost *c, const char *op, const struct gpu *g)
{
    unsigned m, n, k;
    if (!product_shape(op, &m, &n, &k))
        m = 16, n = k = 8;
    set(c, UNIT_TENSOR, 1, 1, g->tensor_latency);
    c->work = (float)(2.0 * m * n * k * tensor_share(op) / g->tensor_flops_per_clock);
    c->issues = is_family(op, "wmma") ? 2 : 1;
}

static void cost_float(struct cost *c, const char *op, const struct gpu *g)
{
    if (ends_with(op, ".f64"))
        set(c, UNIT_DOUBLE, has(op, "div") || has(op, "sqrt") || has(op, "rcp") ? 12 : 1, g->double_per_clock,
            g->double_latency * (has(op, "div") || has(op, "sqrt") || has(op, "rcp") ? 10 : 1));
    else
        set(c, UNIT_FLOAT, 1, g->float_per_clock, g->float_latency);
}

// Division, roots and reciprocals in single precision with IEEE rounding: an approximation, Newton's steps, and a
// branch around the code for very large and very small numbers.
static bool cost_special(struct cost *c, const char *op, const struct gpu *g)
{
    static const char *const words[] = {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "div"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= is_family(op, words[i]);
    if (!found || ends_with(op, ".f64"))
        return false;
    set(c, UNIT_SPECIAL, 1, g->special_per_clock, g->special_latency);
    if (!has(op, ".approx") && !has(op, ".full")) {
        c->issues = 9;
        c->latency += (float)(8 * g->float_latency + g->branch_latency);
        c->splits = true;
    } else if (is_family(op, "div"))
        c->issues = 2;
    return true;
}

// Wide numbers take two instructions; integer division is a sequence around a reciprocal.
static void cost_integer(struct cost *c, const char *op, const struct gpu *g)
{
    bool wide = ends_with(op, "64") && !has(op, ".wide") && !has(op, "setp");
    double issues = is_family(op, "div") || is_family(op, "rem") ? (wide ? 70 : 18)
                    : wide && has(op, "mul")                     ? 4
                    : wide && has(op, "mad")                     ? 5
                    : wide                                       ? 2
                                                                 : 1;
    double steps = issues > 6 ? issues / 2 : issues > 2 ? 2 : 1; // one after the other
    set(c, UNIT_INTEGER, issues, g->integer_per_clock, g->integer_latency * steps);
    if (is_family(op, "popc") || is_family(op, "clz") || is_family(op, "brev") || is_family(op, "bfind"))
        set(c, UNIT_SPECIAL, 1, g->special_per_clock, g->special_latency);
}

// Instructions for which ptxas emits no code: moves of registers and constants, addresses of spaces, parameters.
static bool is_free(const struct ptx_instr *in, enum opcode op)
{
    if (op == OP_mov)
        return in->count < 2 || in->operands[1].kind != PTX_OP_SPECIAL;
    if (is_family(in->op, "ld.const")) // becomes an operand of its user, if its address is known
        return in->count > 1 && in->operands[1].kind == PTX_OP_ADDRESS && in->operands[1].reg < 0;
    return op == OP_cvta || is_family(in->op, "ld.param") || is_family(in->op, "st.param");
}

// Conversions of 64-bit words are as slow as roots.
static void cost_conversion(struct cost *c, const char *op, const struct gpu *g)
{
    if (is_float(op) && has(op, "64"))
        set(c, UNIT_SPECIAL, 1, g->special_per_clock, g->special_latency);
    else
        set(c, UNIT_INTEGER, 1, g->integer_per_clock, g->integer_latency);
}

static bool is_access(enum opcode op)
{
    return op == OP_ld || op == OP_ldu || op == OP_st || op == OP_atom || op == OP_red || op == OP_cp ||
           op == OP_ldmatrix || op == OP_stmatrix || op == OP_mbarrier || op == OP_tex;
}

static void find_order(struct cost *c, const char *op, enum opcode kind)
{
    bool atomic = kind == OP_atom || kind == OP_red;
    c->fence = kind == OP_membar || kind == OP_fence;
    c->acquires = has(op, ".acquire") || has(op, ".acq_rel");
    c->bypasses_l1 = has(op, ".cg") || has(op, ".cv");
    c->acquires |= atomic && has(op, ".cas");
    c->joins = atomic && !is_float(op) && !has(op, ".cas") && !has(op, ".exch");
    c->sums_floats = atomic && is_float(op);
    c->asks = kind == OP_ld || has(op, ".cas") || has(op, ".exch");
    c->pinned = c->fence || kind == OP_cp || has(op, ".volatile") || has(op, ".relaxed") || c->acquires;
}

static void find_spaces(struct cost *c, const char *op, enum opcode kind)
{
    bool load = kind == OP_ld || kind == OP_ldu, other = has(op, ".param") || has(op, ".const") || has(op, ".local");
    bool store = kind == OP_st || kind == OP_atom || kind == OP_red;
    for (int shared = 0; shared < 2 && !other; shared++) {
        bool there = shared ? !has(op, ".global") : !has(op, ".shared");
        c->loads[shared] = load && there;
        c->stores[shared] = store && there;
    }
}

// Vote, match and reductions over the warp.
static bool cost_warp(struct cost *c, enum opcode op, const struct gpu *g)
{
    if (op == OP_shfl)
        set(c, UNIT_MEMORY, 1, g->memory_per_clock, g->shuffle_latency);
    else if (op == OP_match)
        set(c, UNIT_MEMORY, 1, 1 / g->match_value_clocks, g->match_latency);
    else if (op == OP_redux)
        set(c, UNIT_INTEGER, 1, g->special_per_clock, 2 * g->shuffle_latency / 2);
    else if (is_vote(op))
        set(c, UNIT_INTEGER, 1, g->integer_per_clock, g->special_latency);
    else
        return false;
    c->matches = op == OP_match;
    return true;
}

static void cost_control(struct cost *c, enum opcode op, const struct ptx_instr *in, const struct gpu *g)
{
    c->branches = op == OP_bra || op == OP_brx || op == OP_call || op == OP_ret;
    set(c, UNIT_NONE, 1, 1, c->branches ? g->branch_latency : 0);
    c->pinned = true;
    c->barrier = is_block_barrier(op, in->op);
    c->work = 0;
}

static bool is_control(enum opcode op)
{
    static const enum opcode control[] = {OP_bra, OP_brx,     OP_call,   OP_ret,   OP_exit,       OP_trap,
                                          OP_bar, OP_barrier, OP_membar, OP_fence, OP_activemask, OP_nanosleep};
    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        if (op == control[i])
            return true;
    return false;
}

static struct cost cost_of(const struct origin *o, const struct gpu *g)
{
    const char *op = o->ptx->op;
    struct cost c = {0};
    find_order(&c, op, o->op);
    find_spaces(&c, op, o->op);
    if (is_free(o->ptx, o->op))
        set(&c, UNIT_NONE, 0, 1, 0);
    else if (o->op == OP_mov) // of a special register
        set(&c, UNIT_SPECIAL, 1, g->special_per_clock, g->special_latency);
    else if (is_family(op, "ld.const")) // constant_add finds how long the constant cache takes
        set(&c, UNIT_CONSTANT, 1, INFINITY, 0);
    else if (is_product(o->op, op))
        cost_product(&c, op, g);
    else if (is_access(o->op))
        set(&c, UNIT_MEMORY, 1, g->memory_per_clock, 0);
    else if (is_control(o->op))
        cost_control(&c, o->op, o->ptx, g);
    else if (cost_warp(&c, o->op, g) || cost_special(&c, op, g))
        ;
    else if (o->op == OP_cvt)
        cost_conversion(&c, op, g);
    else if (is_float(op) && !has(op, "setp") && !has(op, "selp"))
        cost_float(&c, op, g);
    else
        cost_integer(&c, op, g);
    find_registers(&c, o->ptx, o->op);
    return c;
}

// ---- what is the same in all lanes

// Whether a special register differs from lane to lane.
static bool is_per_lane(const char *name)
{
    static const char *const names[] = {
#define PER_LANE(id, name, value) name,
#include "decode/specials.def"
#undef PER_LANE
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

// Whether an instruction's result may differ from lane to lane, given that the registers in `same` do not.
static bool varies(const struct origin *o, const struct cost *c, const bool *differs)
{
    const struct ptx_function *f = o->code->ptx;
    bool loads = is_access(o->op) && !is_family(o->ptx->op, "ld.param"), may = loads || o->op == OP_shfl;
    may |= !f->entry && is_family(o->ptx->op, "ld.param");
    for (int i = 0; i < o->ptx->count; i++)
        may |= o->ptx->operands[i].kind == PTX_OP_SPECIAL && is_per_lane(o->ptx->operands[i].symbol);
    for (uint32_t i = 0; i < c->read_count; i++)
        may |= differs[c->read[i]];
    return may;
}

static bool address_differs(const struct ptx_instr *in, const bool *differs)
{
    for (int i = 0; i < in->count; i++)
        if (in->operands[i].kind == PTX_OP_ADDRESS)
            return in->operands[i].reg >= 0 && differs[in->operands[i].reg];
    return true;
}

// ptxas adds up the lanes of an atomic whose address it knows to be the same in all of them.
static void find_joined(const struct module *m, struct cost *costs, const struct code *code)
{
    bool *differs = alloc_zeroed((size_t)code->ptx->reg_count + 1, sizeof *differs), more = true;
    while (more) {
        more = false;
        for (uint32_t id = 0; id < m->origin_count; id++) {
            const struct cost *c = &costs[id];
            if (m->origins[id].code != code || !c->written_count || !varies(&m->origins[id], c, differs))
                continue;
            for (uint32_t i = 0; i < c->written_count; i++) {
                more |= !differs[c->written[i]];
                differs[c->written[i]] = true;
            }
        }
    }
    for (uint32_t id = 0; id < m->origin_count; id++)
        if (m->origins[id].code == code && costs[id].joins)
            costs[id].joins = !address_differs(m->origins[id].ptx, differs);
    free(differs);
}

struct cost *find_costs(const struct module *m, const struct gpu *g)
{
    struct cost *costs = alloc_zeroed(m->origin_count + 1, sizeof *costs);
    for (uint32_t id = 0; id < m->origin_count; id++)
        costs[id] = cost_of(&m->origins[id], g);
    for (int f = 0; f < m->ptx->func_count; f++)
        if (m->codes[f])
            find_joined(m, costs, m->codes[f]);
    return costs;
}
