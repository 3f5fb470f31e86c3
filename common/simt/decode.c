// The decoder's core: operands, rows of the opcode table, the body of a function. The families are in decode_*.c.
#include "cas_start.h"
#include "decode.h"
#include "flag_load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "alu.h"
#include "handlers.h"
#include "module.h"
#include "slots.h"

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
             place_name(d->module, d->ptx->loc), d->ptx->line, d->ptx->op, why);
}

// ---- emitting

struct insn *emit(struct decoder *d, handler *run)
{
    struct code *c = d->code;
    if (c->insn_count == d->insn_capacity) {
        d->insn_capacity = d->insn_capacity * 2 + 64;
        c->insns = realloc(c->insns, d->insn_capacity * sizeof *c->insns);
    }
    struct insn *in = &c->insns[c->insn_count++];
    memset(in, 0, sizeof *in);
    in->run = run;
    in->dst = in->a = in->b = in->c = in->guard = NONE;
    in->id = d->id;
    in->op = d->module->origins[d->id].op;
    return in;
}

struct insn *emit_helper(struct decoder *d, handler *run)
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
        c->lists = realloc(c->lists, d->list_capacity * sizeof *c->lists);
    }
    memcpy(c->lists + d->list_count, places, count * sizeof *places);
    d->list_count += count;
    return d->list_count - count;
}

// A row with the same value in all lanes, in the bank of constants.
static uint32_t constant_row(struct decoder *d, uint64_t value, uint32_t size)
{
    struct code *c = d->code;
    struct known_constant *known = &d->known[(value * 31 + size) % KNOWN_CONSTANTS];
    if (known->valid && known->value == value && known->size == size)
        return known->place;
    *known = (struct known_constant){value, size, d->constant_bytes | CONSTANT_BANK, true};
    uint32_t bytes = size ? size * LANES : 64, at = d->constant_bytes;
    if (at + bytes > d->constant_capacity) {
        d->constant_capacity = d->constant_capacity * 2 + 4096;
        uint8_t *grown = aligned_alloc(64, d->constant_capacity);
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
        refuse(d, "wants a constant here");
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

static const struct {
    const char *name;
    enum special which;
} specials[] = {
    {"%tid.x", SPECIAL_TID_X}, {"%tid.y", SPECIAL_TID_Y}, {"%tid.z", SPECIAL_TID_Z},
    {"%ntid.x", SPECIAL_NTID_X}, {"%ntid.y", SPECIAL_NTID_Y}, {"%ntid.z", SPECIAL_NTID_Z},
    {"%ctaid.x", SPECIAL_CTAID_X}, {"%ctaid.y", SPECIAL_CTAID_Y}, {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%nctaid.x", SPECIAL_NCTAID_X}, {"%nctaid.y", SPECIAL_NCTAID_Y}, {"%nctaid.z", SPECIAL_NCTAID_Z},
    {"%laneid", SPECIAL_LANEID}, {"%warpid", SPECIAL_WARPID}, {"%nwarpid", SPECIAL_NWARPID},
    {"%smid", SPECIAL_SMID}, {"%nsmid", SPECIAL_NSMID}, {"%gridid", SPECIAL_GRIDID},
    {"%lanemask_eq", SPECIAL_MASK_EQ}, {"%lanemask_le", SPECIAL_MASK_LE}, {"%lanemask_lt", SPECIAL_MASK_LT},
    {"%lanemask_ge", SPECIAL_MASK_GE}, {"%lanemask_gt", SPECIAL_MASK_GT}, {"%clock", SPECIAL_CLOCK},
    {"%clock_hi", SPECIAL_CLOCK_HI}, {"%clock64", SPECIAL_CLOCK64}, {"%globaltimer_lo", SPECIAL_TIME_LO},
    {"%globaltimer_hi", SPECIAL_TIME_HI}, {"%globaltimer", SPECIAL_TIME},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED}, {"%total_smem_size", SPECIAL_TOTAL_SHARED},
    {"%reserved_smem_offset_1", SPECIAL_RESERVED_SHARED},
    {"%envreg1", SPECIAL_GRID_HI}, {"%envreg2", SPECIAL_GRID_LO},
    {"%tid.w", SPECIAL_ZERO}, {"%ctaid.w", SPECIAL_ZERO},
};

static uint32_t read_special(struct decoder *d, const char *name, uint32_t size)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(specials[i].name, name))
            continue;
        uint32_t place = scratch(d, size);
        struct insn *in = emit_helper(d, op_special);
        in->dst = place;
        in->sub = specials[i].which;
        d->code->reserved_shared |= specials[i].which == SPECIAL_RESERVED_SHARED;
        in->size = (uint8_t)size;
        return place;
    }
    refuse(d, "reads the special register %s, which this machine does not have", name);
    return 0;
}

bool is_computed(const struct symbol *s)
{
    return s->frame || s->dynamic_shared || s->module_shared;
}

// Remembers that the function names shared variable i of the module.
static void name_shared(struct code *c, uint32_t i)
{
    for (uint32_t k = 0; k < c->shared_name_count; k++)
        if (c->shared_names[k] == i)
            return;
    c->shared_names = realloc(c->shared_names, (c->shared_name_count + 1) * sizeof *c->shared_names);
    c->shared_names[c->shared_name_count++] = i;
}

uint32_t computed_address(struct decoder *d, const struct symbol *s, int64_t offset, uint32_t size)
{
    uint32_t place = scratch(d, size);
    struct insn *in = emit_helper(d, s->frame ? op_frame_address : s->dynamic_shared ? op_dynamic_shared
                                                                                     : op_module_shared);
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
    case PTX_OP_F64:
        return constant_row(d, immediate_bits(o, type), size);
    case PTX_OP_SYMBOL:
        return symbol_row(d, o, size);
    case PTX_OP_SPECIAL:
        return read_special(d, o->symbol, size);
    default:
        refuse(d, "has an operand of a kind that cannot stand here");
        return 0;
    }
}

uint32_t destination(struct decoder *d, const struct ptx_operand *o, uint32_t size)
{
    if (o->kind == PTX_OP_SINK)
        return scratch(d, size);
    if (o->kind != PTX_OP_REG) {
        refuse(d, "wants a register as its destination");
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
        refuse(d, "wants a predicate");
        return 0;
    }
    return d->places[o->reg];
}

uint32_t destination_predicate(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_SINK)
        return scratch(d, 0);
    if (!is_predicate(d, o)) {
        refuse(d, "wants a predicate as its destination");
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

// ---- arithmetic: rows of the table

static void decode_row(struct decoder *d, enum opcode op)
{
    const struct opcode_info *info = &opcode_table[op];
    const enum lane_type types[3] = {info->a, info->b, info->c};
    uint32_t places[3] = {NONE, NONE, NONE};
    int64_t imm = 0;
    for (int k = 0; k < info->operands; k++)
        places[k] = source(d, operand(d, k + 1), types[k]);
    if (d->ptx->count > info->operands + 1)
        imm = constant(d, operand(d, info->operands + 1)); // lop3's table
    uint32_t dst = destination(d, operand(d, 0), lane_size(info->d));
    struct insn *in = emit(d, alu_handlers[op] ? alu_handlers[op] : round_handlers[op]);
    in->dst = dst;
    in->a = places[0];
    in->b = places[1];
    in->c = places[2];
    in->imm = imm;
}

// ---- a function

static void split_words(struct decoder *d)
{
    size_t n = strlen(d->ptx->op);
    d->word_count = 0;
    if (n >= sizeof d->text) {
        refuse(d, "is too long");
        return;
    }
    memcpy(d->text, d->ptx->op, n + 1);
    for (char *word = d->text; word; ) {
        char *dot = strchr(word, '.');
        if (dot)
            *dot++ = 0;
        if (d->word_count == MAX_WORDS) {
            refuse(d, "has too many modifiers");
            return;
        }
        d->words[d->word_count++] = word;
        word = dot;
    }
}

static enum opcode find_opcode(const struct ptx_instr *ptx)
{
    bool special = is_family(ptx->op, "mov") && ptx->count == 2 &&
                   (ptx->operands[0].kind == PTX_OP_VECTOR || ptx->operands[1].kind == PTX_OP_VECTOR);
    enum opcode op = special ? OPCODES : opcode_find(ptx->op);
    return op != OPCODES ? op : opcode_find_family(ptx->op);
}

static void set_guards(struct decoder *d)
{
    for (uint32_t i = d->from; i < d->code->insn_count; i++) {
        struct insn *in = &d->code->insns[i];
        if (in->id == NONE)
            continue;
        in->guard = d->places[d->ptx->guard] | (d->ptx->guard_negated ? GUARD_NOT : 0);
        if (!in->guarded) { // an ordinary instruction: run it under the lanes that the guard lets through
            in->guarded = in->run;
            in->run = op_guarded;
        }
    }
}

static void decode_instr(struct decoder *d, const struct ptx_instr *ptx)
{
    d->ptx = ptx;
    d->from = d->code->insn_count;
    d->id = module_add_origin(d->module, d->code, ptx, d->module->block_count + d->block);
    memset(d->temp_used, 0, sizeof d->temp_used);
    split_words(d);
    enum opcode op = find_opcode(ptx);
    if (op == OPCODES) {
        refuse(d, "is not an instruction this machine executes%s", refusal_hint(ptx->op));
        return;
    }
    d->module->origins[d->id].op = (uint16_t)op;
    if (opcode_table[op].decode)
        opcode_table[op].decode(d);
    else
        decode_row(d, op);
    if (ptx->guard >= 0 && !d->failed)
        set_guards(d);
}

static void decode_block(struct decoder *d, struct basic_block *out)
{
    const struct cfg_block *block = &d->cfg.blocks[d->block];
    uint32_t first = d->code->insn_count;
    for (uint32_t i = block->first; i < block->last && !d->failed; i++)
        decode_instr(d, &d->f->instrs[i]);
    bool control = ends_block(&d->f->instrs[block->last - 1]);
    if (!control && d->block + 1 < d->cfg.count) {
        struct insn *in = emit_helper(d, op_goto);
        in->target = d->block + 1;
    } else if (!control)
        emit_helper(d, op_ret);
    out->first = (struct insn *)(uintptr_t)first; // made a pointer when the array is final
    out->last = (struct insn *)(uintptr_t)d->code->insn_count;
    out->id = d->module->block_count + d->block;
    out->post_dominator = block->post_dominator;
    out->length = block->last - block->first;
}

static void decode_body(struct decoder *d)
{
    struct code *c = d->code;
    c->block_count = d->cfg.count;
    c->blocks = calloc(c->block_count + 1, sizeof *c->blocks);
    for (d->block = 0; d->block < c->block_count && !d->failed; d->block++)
        decode_block(d, &c->blocks[d->block]);
    for (uint32_t b = 0; b < c->block_count && !d->failed; b++) {
        c->blocks[b].first = c->insns + (uintptr_t)c->blocks[b].first;
        c->blocks[b].last = c->insns + (uintptr_t)c->blocks[b].last;
    }
    d->module->block_count += c->block_count;
}

static uint32_t align_up(uint32_t at, uint32_t align)
{
    return align > 1 ? (at + align - 1) / align * align : at;
}

// Frame of a thread: parameters, return values, then variables; and the function's own static shared memory.
static void lay_out(struct decoder *d)
{
    struct code *c = d->code;
    const struct ptx_function *f = d->f;
    uint32_t at = 0, shared = 0;
    for (int k = 0; k < f->param_count; k++)
        at = align_up(at, f->params[k].align ? f->params[k].align : ptx_type_size(f->params[k].type)) +
             (uint32_t)f->params[k].size;
    c->param_bytes = at;
    c->ret_offset = at = align_up(at, 16);
    for (int k = 0; k < f->ret_count; k++)
        at += align_up((uint32_t)f->rets[k].size, 16);
    d->var_offset = calloc((size_t)f->var_count + 1, sizeof *d->var_offset);
    for (int k = 0; k < f->var_count; k++) {
        const struct ptx_variable *v = &f->vars[k];
        uint32_t *to = v->space == PTX_SHARED ? &shared : &at;
        uint32_t align = v->align > 16 || v->space == PTX_SHARED ? v->align : 16;
        d->var_offset[k] = *to = align_up(*to, align);
        *to += (uint32_t)v->size;
    }
    c->local_bytes = align_up(at, 16);
    c->shared_bytes = shared;
}

struct symbol find_symbol(struct decoder *d, const char *name)
{
    const struct ptx_function *f = d->f;
    uint32_t at = 0;
    for (int k = 0; k < f->var_count; k++)
        if (!strcmp(f->vars[k].name, name)) {
            const struct ptx_variable *v = &f->vars[k];
            bool shared = v->space == PTX_SHARED;
            if (shared && !v->external && !f->entry)
                return (struct symbol){.space = PTX_SHARED, .value = module_shared_id(d->module, v),
                                       .module_shared = true};
            return (struct symbol){v->space, d->var_offset[k], .dynamic_shared = shared && v->external,
                                   .frame = !shared};
        }
    for (int k = 0; k < f->param_count; k++) {
        at = align_up(at, f->params[k].align ? f->params[k].align : ptx_type_size(f->params[k].type));
        if (!strcmp(f->params[k].name, name))
            return (struct symbol){PTX_PARAM, at, .frame = !f->entry};
        at += (uint32_t)f->params[k].size;
    }
    at = d->code->ret_offset;
    for (int k = 0; k < f->ret_count; at += align_up((uint32_t)f->rets[k].size, 16), k++)
        if (!strcmp(f->rets[k].name, name))
            return (struct symbol){PTX_PARAM, at, .frame = true};
    return module_symbol(d->module, name);
}

static void free_decoder(struct decoder *d)
{
    cfg_free(&d->cfg);
    free(d->places);
    free(d->cas_starts);
    free(d->data);
    free(d->var_offset);
}

struct code *decode(struct module *module, const struct ptx_function *f, char *error, size_t error_size)
{
    struct decoder d = {.module = module, .f = f, .error = error, .error_size = error_size};
    if (!cfg_build(&d.cfg, f, error, error_size))
        return NULL;
    d.code = calloc(1, sizeof *d.code);
    d.code->name = f->name;
    d.code->ptx = f;
    d.code->module = module;
    d.places = malloc(sizeof *d.places * ((size_t)f->reg_count + 1));
    memset(d.temps, 0xff, sizeof d.temps);
    d.code->reg_bytes = slots_assign(f, &d.cfg, 64, d.places); // place 0: the carry
    constant_row(&d, 0, 8);
    d.cas_starts = cas_starts(f);
    d.data = data_registers(f);
    lay_out(&d);
    decode_body(&d);
    free_decoder(&d);
    if (d.failed) {
        free_code(d.code);
        return NULL;
    }
    return d.code;
}
