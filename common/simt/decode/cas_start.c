// Which plain loads start a compare-and-swap loop:
//
//     old = *word;
//     do { seen = old; old = atomicCAS(word, seen, next(seen)); } while (old != seen);
//
// as the CUDA programming guide implements custom atomics. Such a loop works whether the load returns an old value or a
// new one, so the load does not race with the loops of other threads. Two things identify it: its address is that of
// the compare-and-swap, and its value becomes the compared one through moves alone.
#include "decode/cas_start.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define STEPS 8 // maximum of moves through which an address is followed

static bool is_cas(const struct ptx_instr *in)
{
    return is_family(in->op, "atom") && strstr(in->op, ".cas.") && in->count == 4;
}

// A move or a change of address space from one register, or symbol, to one register.
static bool is_move(const struct ptx_instr *in)
{
    return (is_family(in->op, "mov") || is_family(in->op, "cvta")) && in->count == 2 && in->guard < 0 &&
           in->operands[0].kind == PTX_OP_REG;
}

// register + number
static bool is_offset(const struct ptx_instr *in)
{
    return is_family(in->op, "add") && in->count == 3 && in->guard < 0 && in->operands[0].kind == PTX_OP_REG &&
           in->operands[1].kind == PTX_OP_REG && in->operands[2].kind == PTX_OP_INT;
}

// The only instruction that writes the register, if it is a move or adds a number; else NULL.
static const struct ptx_instr *only_move(const struct ptx_function *f, int reg)
{
    const struct ptx_instr *found = NULL;
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        if (!in->count || in->operands[0].kind != PTX_OP_REG || in->operands[0].reg != reg)
            continue;
        if (found || !(is_move(in) || is_offset(in)))
            return NULL;
        found = in;
    }
    return found;
}

// The origin of an address, with moves and additions undone: a register or symbol, and the distance from it.
static struct ptx_operand origin_of(const struct ptx_function *f, const struct ptx_operand *address)
{
    struct ptx_operand o = *address;
    for (int k = 0; k < STEPS && !o.symbol && o.reg >= 0; k++) {
        const struct ptx_instr *move = only_move(f, o.reg);
        const struct ptx_operand *from = move ? &move->operands[1] : NULL;
        if (!from || (from->kind != PTX_OP_REG && from->kind != PTX_OP_SYMBOL))
            break;
        o.reg = from->kind == PTX_OP_REG ? from->reg : -1;
        o.symbol = from->kind == PTX_OP_SYMBOL ? from->symbol : NULL;
        o.value += from->kind == PTX_OP_SYMBOL ? from->value : 0;
        o.value += is_offset(move) ? move->operands[2].value : 0;
    }
    return o;
}

static bool same_address(const struct ptx_function *f, const struct ptx_operand *a, const struct ptx_operand *b)
{
    struct ptx_operand x = origin_of(f, a), y = origin_of(f, b);
    if (x.value != y.value || !x.symbol != !y.symbol)
        return false;
    return x.symbol ? !strcmp(x.symbol, y.symbol) : x.reg >= 0 && x.reg == y.reg;
}

// Adds to `compared` every register whose value moves into a register of the set.
static void follow_moves(const struct ptx_function *f, bool *compared)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < f->instr_count; i++) {
            const struct ptx_operand *o = f->instrs[i].operands;
            if (!is_move(&f->instrs[i]) || o[1].kind != PTX_OP_REG || !compared[o[0].reg] || compared[o[1].reg])
                continue;
            compared[o[1].reg] = more = true;
        }
    }
}

struct cas {
    const struct ptx_operand *address, *compared; // NULL: none
};

// The k-th argument of the call at instruction i: the last value stored to that parameter.
static const struct ptx_operand *argument(const struct ptx_function *f, int i, int k)
{
    const char *name = f->instrs[i].operands[2].list[k].symbol;
    for (int at = i - 1; name && at >= 0; at--) {
        const struct ptx_instr *in = &f->instrs[at];
        if (is_family(in->op, "st") && in->count == 2 && in->operands[0].symbol &&
            !strcmp(in->operands[0].symbol, name))
            return &in->operands[1];
    }
    return NULL;
}

// The compare-and-swap at instruction i: the instruction itself or, in code of nvcc -G, the function that it calls.
static struct cas cas_at(const struct ptx_function *f, int i)
{
    const struct ptx_operand *o = f->instrs[i].operands;
    if (is_cas(&f->instrs[i]))
        return (struct cas){&o[1], &o[2]};
    if (!is_family(f->instrs[i].op, "call") || f->instrs[i].count < 3 || !o[1].symbol || o[2].count != 3 ||
        !strstr(o[1].symbol, "atomicCAS"))
        return (struct cas){NULL, NULL};
    return (struct cas){argument(f, i, 0), argument(f, i, 1)};
}

static void mark_loads(const struct ptx_function *f, struct cas cas, bool *compared, bool *starts)
{
    if (cas.compared->kind != PTX_OP_REG)
        return;
    memset(compared, 0, (size_t)f->reg_count * sizeof *compared);
    compared[cas.compared->reg] = true;
    follow_moves(f, compared);
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        if (is_family(in->op, "ld") && in->count == 2 && in->operands[0].kind == PTX_OP_REG &&
            compared[in->operands[0].reg] && same_address(f, &in->operands[1], cas.address))
            starts[i] = true;
    }
}

bool *cas_starts(const struct ptx_function *f)
{
    bool *starts = NULL, *compared = NULL;
    for (int i = 0; i < f->instr_count; i++) {
        struct cas cas = cas_at(f, i);
        if (!cas.address || !cas.compared)
            continue;
        if (!starts) {
            starts = alloc_zeroed((size_t)f->instr_count, sizeof *starts);
            compared = alloc_zeroed((size_t)f->reg_count + 1, sizeof *compared);
        }
        mark_loads(f, cas, compared, starts);
    }
    free(compared);
    return starts;
}
