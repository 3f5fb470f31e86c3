// What the decoders of all families share: emitting instructions, and turning operands, symbols and addresses into
// places of rows. A decoder refuses an unknown form, with kernel, line and mnemonic; nothing becomes a no-op.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/bits.h"
#include "decode/decode.h"
#include "decode/idle_clock.h"
#include "decode/slots.h"

void refuse(struct decoder *d, const char *format, ...)
{
    char why[256];
    va_list args;
    if (d->failed)
        return;
    d->failed = true;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    snprintf(d->error, d->error_size, "%s: %s (PTX line %d): '%s' %s", kernel_name(d->f->name),
             place_name(d->module->ptx, d->ptx->loc), d->ptx->line, d->ptx->op, why);
}

// ---- emitting

void replace_action(struct decoder *d, struct insn *in, enum action run)
{
    in->run = d->module->handlers[run];
}

struct insn *emit(struct decoder *d, enum action run)
{
    struct code *c = d->code;
    if (c->insn_count == d->insn_capacity) {
        d->insn_capacity = d->insn_capacity * 2 + 64;
        c->insns = alloc_resize(c->insns, d->insn_capacity, sizeof *c->insns);
    }
    struct insn *in = &c->insns[c->insn_count++];
    memset(in, 0, sizeof *in);
    replace_action(d, in, run);
    in->dst = in->a = in->b = in->c = in->guard = NONE;
    in->id = d->id;
    in->op = d->module->origins[d->id].op;
    return in;
}

struct insn *emit_helper(struct decoder *d, enum action run)
{
    struct insn *in = emit(d, run);
    in->id = NONE;
    return in;
}

uint32_t add_list(struct decoder *d, const uint32_t *places, uint32_t count)
{
    struct code *c = d->code;
    if (d->list_count + count > d->list_capacity) {
        d->list_capacity = d->list_capacity * 2 + count + 16;
        c->lists = alloc_resize(c->lists, d->list_capacity, sizeof *c->lists);
    }
    if (count > 0)
        memcpy(c->lists + d->list_count, places, count * sizeof *places);
    d->list_count += count;
    return d->list_count - count;
}

uint32_t constant_row(struct decoder *d, uint64_t value, uint32_t size)
{
    struct code *c = d->code;
    struct known_constant *known = &d->known[(value * 31 + size) % KNOWN_CONSTANTS];
    if (known->valid && known->value == value && known->size == size)
        return known->place;
    *known = (struct known_constant){value, size, d->constant_bytes | CONSTANT_BANK, true};
    uint32_t bytes = size ? size * LANES : 64, at = d->constant_bytes;
    if (at + bytes > d->constant_capacity) {
        d->constant_capacity = d->constant_capacity * 2 + 4096;
        uint8_t *grown = alloc_aligned(64, d->constant_capacity);
        if (at)
            memcpy(grown, c->constants, at);
        free(c->constants);
        c->constants = grown;
    }
    for (uint32_t l = 0; l < LANES && size; l++)
        memcpy(c->constants + at + l * size, &value, size);
    if (!size)
        memset(c->constants + at, value ? 0xff : 0, 64);
    d->constant_bytes += (bytes + 63) & ~63u;
    return known->place;
}

uint32_t scratch(struct decoder *d, uint32_t size)
{
    int kind = size == 0 ? 0 : size <= 4 ? 1 : 2;
    uint32_t bytes = kind == 0 ? 64 : kind == 1 ? 128 : 256, n = d->temp_used[kind]++;
    if (n >= MAX_TEMPS) {
        refuse(d, "has too many operands");
        return 0;
    }
    if (d->temps[kind][n] == NONE) {
        d->temps[kind][n] = d->code->reg_bytes;
        d->code->reg_bytes += bytes;
    }
    return d->temps[kind][n];
}

// ---- operands

const struct ptx_operand *operand(struct decoder *d, int k)
{
    static const struct ptx_operand none = {.kind = PTX_OP_SINK, .reg = -1};
    if (k < d->ptx->count)
        return &d->ptx->operands[k];
    refuse(d, "has %d operands, one more is needed", d->ptx->count);
    return &none;
}

bool has_word(const struct decoder *d, const char *word)
{
    for (int i = 0; i < d->word_count; i++)
        if (!strcmp(d->words[i], word))
            return true;
    return false;
}

bool is_one_of(const char *word, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

bool refuse_other_words(struct decoder *d, const char *const known[], size_t count)
{
    for (int i = 1; i < d->word_count; i++)
        if (!is_one_of(d->words[i], known, count))
            refuse(d, "has the modifier .%s, which this machine does not know", d->words[i]);
    return !d->failed;
}

const char *last_word(const struct decoder *d)
{
    return d->words[d->word_count - 1];
}

uint32_t register_size(struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OP_REG ? ptx_type_size(d->f->regs[o->reg].type) : 0;
}

int64_t constant(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind != PTX_OP_INT)
        refuse(d, "needs a constant here");
    return o->value;
}

static uint64_t immediate_bits(const struct ptx_operand *o, enum lane_type type)
{
    double value;
    memcpy(&value, &o->value, 8);
    if (o->kind == PTX_OP_F64 && type == LANE_f32)
        return bits_f32((float)value);
    if (o->kind == PTX_OP_INT && type == LANE_f32)
        return bits_f32((float)o->value);
    if (o->kind == PTX_OP_INT && type == LANE_f64)
        return bits_f64((double)o->value);
    if (o->kind == PTX_OP_F32 && type == LANE_f64)
        return bits_f64(f32_bits((uint32_t)o->value));
    return (uint64_t)o->value;
}

static const char *const special_names[] = {
#define PER_LANE(id, name, value) [SPECIAL_##id] = name,
#define PER_WARP(id, name, value) [SPECIAL_##id] = name,
#include "decode/specials.def"
};

static uint32_t read_special(struct decoder *d, const char *name, uint32_t size)
{
    for (size_t i = 0; i < sizeof special_names / sizeof *special_names; i++) {
        if (strcmp(special_names[i], name))
            continue;
        uint32_t place = scratch(d, size);
        struct insn *in = emit_helper(d, RUN_special);
        in->dst = place;
        in->sub = (uint8_t)i;
        if (i >= SPECIAL_CLOCK && i <= SPECIAL_TIME)
            in->idle = clock_is_idle(d->f, &d->cfg, (int)(d->ptx - d->f->instrs));
        d->code->reserved_shared |= i == SPECIAL_RESERVED_SHARED;
        in->size = (uint8_t)size;
        return place;
    }
    refuse(d, "reads the special register %s, which this machine does not have", name);
    return 0;
}

// Whether its address is known only at run time; then computed_address emits code that fills a row with it.
static bool is_computed(const struct symbol *s)
{
    return s->frame || s->dynamic_shared || s->module_shared;
}

// Notes that the function names shared variable i of the module.
static void name_shared(struct code *c, uint32_t i)
{
    for (uint32_t k = 0; k < c->shared_name_count; k++)
        if (c->shared_names[k] == i)
            return;
    c->shared_names = alloc_resize(c->shared_names, c->shared_name_count + 1, sizeof *c->shared_names);
    c->shared_names[c->shared_name_count++] = i;
}

static uint32_t computed_address(struct decoder *d, const struct symbol *s, int64_t offset, uint32_t size)
{
    uint32_t place = scratch(d, size);
    struct insn *in = emit_helper(d, s->frame            ? RUN_frame_address
                                     : s->dynamic_shared ? RUN_dynamic_shared
                                                         : RUN_module_shared);
    in->dst = place;
    in->imm = (s->module_shared ? 0 : (int64_t)s->value) + offset;
    in->size = (uint8_t)size;
    if (s->module_shared) {
        in->target = (uint32_t)s->value;
        name_shared(d->code, in->target);
    }
    return place;
}

// The address of a symbol as a value: constant where it is known now, else computed.
static uint32_t symbol_row(struct decoder *d, const struct ptx_operand *o, uint32_t size)
{
    struct symbol s = find_symbol(d, o->symbol);
    if (s.space == PTX_REG)
        refuse(d, "names %s, which is not declared", o->symbol);
    if (is_computed(&s))
        return computed_address(d, &s, o->value, size);
    return constant_row(d, s.value + (uint64_t)o->value, size);
}

uint32_t source(struct decoder *d, const struct ptx_operand *o, enum lane_type type)
{
    uint32_t size = lane_size(type);
    switch (o->kind) {
    case PTX_OP_REG:
        if (register_size(d, o) != size)
            refuse(d, "reads %s, which has %u bytes, as %u", d->f->regs[o->reg].name, register_size(d, o), size);
        return d->places[o->reg];
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64: return constant_row(d, immediate_bits(o, type), size);
    case PTX_OP_SYMBOL: return symbol_row(d, o, size);
    case PTX_OP_SPECIAL: return read_special(d, o->symbol, size);
    default: refuse(d, "has an operand of a kind that is not allowed here"); return 0;
    }
}

uint32_t destination(struct decoder *d, const struct ptx_operand *o, uint32_t size)
{
    if (o->kind == PTX_OP_SINK)
        return scratch(d, size);
    if (o->kind != PTX_OP_REG) {
        refuse(d, "needs a register as its destination");
        return 0;
    }
    if (register_size(d, o) != size)
        refuse(d, "writes %s, which has %u bytes, as %u", d->f->regs[o->reg].name, register_size(d, o), size);
    return d->places[o->reg];
}

static bool is_predicate(struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OP_REG && d->f->regs[o->reg].type == PTX_PRED;
}

uint32_t source_predicate(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_INT)
        return constant_row(d, o->value != 0, 0);
    if (!is_predicate(d, o)) {
        refuse(d, "needs a predicate");
        return 0;
    }
    return d->places[o->reg];
}

uint32_t destination_predicate(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_SINK)
        return scratch(d, 0);
    if (!is_predicate(d, o)) {
        refuse(d, "needs a predicate as its destination");
        return 0;
    }
    return d->places[o->reg];
}

enum lane_type lane_type_of(enum ptx_type type)
{
    switch (type) {
    case PTX_B16:
    case PTX_U16:
    case PTX_F16:
    case PTX_BF16: return LANE_u16;
    case PTX_S16: return LANE_s16;
    case PTX_B32:
    case PTX_U32:
    case PTX_F16X2:
    case PTX_BF16X2: return LANE_u32;
    case PTX_S32: return LANE_s32;
    case PTX_B64:
    case PTX_U64: return LANE_u64;
    case PTX_S64: return LANE_s64;
    case PTX_F32: return LANE_f32;
    case PTX_F64: return LANE_f64;
    default: return 0;
    }
}

// ---- symbols and addresses

static void align_dynamic(struct code *c, const struct ptx_variable *v)
{
    c->dynamic_align = v->align > c->dynamic_align ? v->align : c->dynamic_align;
}

static void name_dynamic(struct code *c, const char *name)
{
    const char **names = c->dynamic_names;
    const struct ptx_module *m = c->module->ptx;
    for (int k = 0; k < m->var_count; k++)
        if (m->vars[k].space == PTX_SHARED && !strcmp(m->vars[k].name, name))
            align_dynamic(c, &m->vars[k]);
    if (!names[0])
        names[0] = name;
    else if (!names[1] && strcmp(names[0], name))
        names[1] = name;
}

struct symbol find_symbol(struct decoder *d, const char *name)
{
    const struct ptx_function *f = d->f;
    uint32_t at = 0;
    for (int k = 0; k < f->var_count; k++)
        if (!strcmp(f->vars[k].name, name)) {
            const struct ptx_variable *v = &f->vars[k];
            bool shared = v->space == PTX_SHARED;
            if (shared && v->external)
                align_dynamic(d->code, v);
            if (shared && !v->external && !f->entry)
                return (struct symbol){
                    .space = PTX_SHARED, .value = module_shared_id(d->module, v), .module_shared = true};
            return (struct symbol){v->space, d->var_offset[k], .dynamic_shared = shared && v->external,
                                   .frame = !shared};
        }
    for (int k = 0; k < f->param_count; k++) {
        at = param_start(at, &f->params[k]);
        if (!strcmp(f->params[k].name, name))
            return (struct symbol){PTX_PARAM, at, .frame = !f->entry};
        at += (uint32_t)f->params[k].size;
    }
    at = d->code->ret_offset;
    for (int k = 0; k < f->ret_count; at += align_up((uint32_t)f->rets[k].size, 16), k++)
        if (!strcmp(f->rets[k].name, name))
            return (struct symbol){PTX_PARAM, at, .frame = true};
    struct symbol s = module_symbol(d->module, name);
    if (s.dynamic_shared)
        name_dynamic(d->code, name);
    return s;
}

static struct address symbol_address(struct decoder *d, const struct ptx_operand *o, enum ptx_space space)
{
    struct symbol s = find_symbol(d, o->symbol);
    struct address at = {NONE, (int64_t)s.value + o->value, false, space};
    if (s.space == PTX_REG || s.function) {
        refuse(d, "names %s, which is not a variable", o->symbol);
        return at;
    }
    if (s.space == PTX_PARAM)
        at.space = s.frame ? SPACE_FRAME : PTX_PARAM;
    if (is_computed(&s)) {
        at.place = computed_address(d, &s, o->value, 8);
        at.imm = 0;
    }
    return at;
}

struct address read_address(struct decoder *d, const struct ptx_operand *o, enum ptx_space space)
{
    struct address at = {NONE, o->value, false, space};
    if (o->kind != PTX_OP_ADDRESS) {
        refuse(d, "needs an address in brackets");
        return at;
    }
    if (o->symbol)
        return symbol_address(d, o, space);
    if (space == PTX_PARAM && !d->f->entry)
        at.space = SPACE_FRAME;
    if (o->reg >= 0) {
        at.place = d->places[o->reg];
        at.narrow = row_bytes(d->f->regs[o->reg].type) == 128;
        if (row_bytes(d->f->regs[o->reg].type) < 128)
            refuse(d, "takes its address from %s, which is too narrow", d->f->regs[o->reg].name);
    }
    return at;
}
