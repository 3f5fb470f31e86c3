// The decoder: rows of the opcode table, the body of a function. The families are in arithmetic.c, memory.c, async.c
// and control.c.
#include "decode/decode.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/cas_start.h"
#include "decode/families.h"
#include "decode/flag_load.h"
#include "decode/slots.h"
#include "decode/maybe_unused.h"

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
    struct insn *in = emit(d, (enum action)op);
    in->dst = dst;
    in->a = places[0];
    in->b = places[1];
    in->c = places[2];
    in->imm = imm;
}

static decode_function *const families[OPCODES] = {
#define FAMILY(id, word, class, decoder) [OP_##id] = decode_##decoder,
#include "decode/opcodes.def"
};

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
    for (char *word = d->text; word;) {
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
        if (!in->guarded) { // an ordinary instruction: run it for the lanes that the guard enables
            in->guarded = in->run;
            replace_action(d, in, RUN_guarded);
        }
    }
}

// Advice about an instruction that the machine does not execute.
static const char *refusal_hint(const char *mnemonic)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {{"tcgen05", " (tensor cores of another generation: use mma.sync or wgmma, or a GPU)"},
                 {"sured", " (atomics on surfaces: use plain memory, or a GPU)"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (is_family(mnemonic, hints[i].word))
            return hints[i].hint;
    return "";
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
    d->module->origins[d->id].result_read = ptx->count && is_result_read(d->reads, ptx);
    undefined_follow(d);
    follow_registers(d);
    if (families[op])
        families[op](d);
    else
        decode_row(d, op);
    if (ptx->guard >= 0 && !d->failed)
        set_guards(d);
    undefined_follow_load(d);
}

static void decode_block(struct decoder *d, struct basic_block *out)
{
    const struct cfg_block *block = &d->cfg.blocks[d->block];
    uint32_t first = d->code->insn_count;
    for (uint32_t i = block->first; i < block->last && !d->failed; i++)
        decode_instr(d, &d->f->instrs[i]);
    bool control = ends_block(&d->f->instrs[block->last - 1]);
    if (!control && d->block + 1 < d->cfg.count) {
        struct insn *in = emit_helper(d, RUN_goto);
        in->target = d->block + 1;
    } else if (!control)
        emit_helper(d, RUN_ret);
    out->first = (struct insn *)(uintptr_t)first; // becomes a pointer when the array is final
    out->last = (struct insn *)(uintptr_t)d->code->insn_count;
    out->id = d->module->block_count + d->block;
    out->post_dominator = block->post_dominator;
    out->length = block->last - block->first;
    out->endless = block->endless;
}

static void decode_body(struct decoder *d)
{
    struct code *c = d->code;
    c->block_count = d->cfg.count;
    d->first_id = d->module->origin_count;
    c->blocks = alloc_zeroed(c->block_count + 1, sizeof *c->blocks);
    for (d->block = 0; d->block < c->block_count && !d->failed; d->block++)
        decode_block(d, &c->blocks[d->block]);
    for (uint32_t b = 0; b < c->block_count && !d->failed; b++) {
        c->blocks[b].first = c->insns + (uintptr_t)c->blocks[b].first;
        c->blocks[b].last = c->insns + (uintptr_t)c->blocks[b].last;
    }
    d->module->block_count += c->block_count;
}

// Lays out a thread's frame (parameters, return values, then variables) and the function's own static shared memory.
static void lay_out(struct decoder *d)
{
    struct code *c = d->code;
    const struct ptx_function *f = d->f;
    uint32_t at = 0;
    for (int k = 0; k < f->param_count; k++)
        at = param_start(at, &f->params[k]) + (uint32_t)f->params[k].size;
    c->param_bytes = at;
    c->ret_offset = at = align_up(at, 16);
    for (int k = 0; k < f->ret_count; k++)
        at += align_up((uint32_t)f->rets[k].size, 16);
    d->var_offset = alloc_zeroed((size_t)f->var_count + 1, sizeof *d->var_offset);
    for (int k = 0; k < f->var_count; k++) {
        const struct ptx_variable *v = &f->vars[k];
        if (v->space == PTX_SHARED) {
            d->var_offset[k] = v->external ? 0 : code_place_shared(c, v);
            continue;
        }
        c->has_locals |= v->space == PTX_LOCAL;
        d->var_offset[k] = at = align_up(at, v->align > 16 ? v->align : 16);
        at += (uint32_t)v->size;
    }
    c->local_bytes = align_up(at, 16);
}

static void free_decoder(struct decoder *d)
{
    cfg_free(&d->cfg);
    free(d->places);
    free(d->cas_starts);
    free(d->data);
    undefined_end(d);
    free(d->followed);
    free(d->reads);
    free(d->var_offset);
}

struct code *decode(struct module *module, const struct ptx_function *f, char *error, size_t error_size)
{
    struct decoder d = {.module = module, .f = f, .error = error, .error_size = error_size};
    if (!cfg_build(&d.cfg, module->ptx, f, error, error_size))
        return NULL;
    d.code = alloc_zeroed(1, sizeof *d.code);
    d.code->name = f->name;
    d.code->ptx = f;
    d.code->module = module;
    d.places = alloc_zeroed((size_t)f->reg_count + 1, sizeof *d.places);
    memset(d.temps, 0xff, sizeof d.temps);
    bool *unwritten = alloc_zeroed((size_t)f->reg_count + 1, sizeof *unwritten);
    d.code->reg_bytes = slots_assign(f, &d.cfg, 64, d.places, unwritten); // place 0: the carry
    d.reads = count_reads(f);
    undefined_begin(&d, unwritten);
    follow_begin(&d);
    free(unwritten);
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
