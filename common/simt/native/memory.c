// Loads, stores, and what the machine's handlers do (text.h).
#include "decode/opcodes.h"
#include "native/text.h"

// The lanes at work that the guard lets through, as an expression.
static void text_mask(const struct text *t, const struct step *s)
{
    if (s->in->guard != NONE) {
        text_guard_bits(t, s);
        fprintf(t->out, t->masked ? " & mask" : "");
    } else
        fprintf(t->out, t->masked ? "mask" : "NATIVE_ALL");
}

// Values that the handler reads from the registers.
static void flush_used(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->e.use_count; k++)
        if (s->use[k].value >= 0)
            text_flush(t, s->use[k].value);
}

static void run_handler(const struct text *t, const struct step *s)
{
    fprintf(t->out, "C->run(s->warp, %u, %u, k);\n", t->plan->block, s->index);
}

// A row of addresses as another one and a constant: a value, else the registers at a place after so many calls.
struct row_origin {
    int value;
    uint32_t place, calls;
    uint64_t add;
};

static bool is_constant_row(const struct operand *o)
{
    return o->value < 0 && o->place & CONSTANT_BANK;
}

// Follows sums with constants back within the block.
static struct row_origin origin_of(const struct plan *p, const struct step *s)
{
    const struct operand *o = &s->use[0];
    uint64_t add = 0;
    while (o->value >= 0) {
        const struct step *from = &p->steps[p->values[o->value].step];
        bool sums = from->kind == STEP_LANES && (from->action == OP_add_u32 || from->action == OP_add_u64) &&
                    from->in->guard == NONE;
        int k = sums && is_constant_row(&from->use[1]) ? 1 : 0;
        if (!sums || !is_constant_row(&from->use[k]))
            return (struct row_origin){o->value, 0, 0, add};
        add += constant_of(p->code, &from->use[k]);
        s = from;
        o = &from->use[1 - k];
    }
    return (struct row_origin){-1, o->place, s->calls, add};
}

static bool is_row_access(const struct step *s)
{
    return (s->kind == STEP_LOAD || s->kind == STEP_STORE) && s->in->a != NONE && !is_constant_row(&s->use[0]);
}

// How the addresses of the lanes lie: a variable that is named after the step. Found once for all rows of the block
// that differ by a constant.
static void text_spaced(const struct text *t, const struct step *s)
{
    const struct operand *o = &s->use[0];
    fprintf(t->out, "    const struct spaced a%u = ", s->index);
    if (!is_row_access(s)) {
        fprintf(t->out, "{0x%llxull, 0, 1};\n",
                s->in->a == NONE ? 0 : (unsigned long long)constant_of(t->plan->code, o));
        return;
    }
    struct row_origin here = origin_of(t->plan, s);
    for (const struct step *before = s; before-- > t->plan->steps;) {
        if (!is_row_access(before) || before->use[0].size != o->size)
            continue;
        struct row_origin there = origin_of(t->plan, before);
        if (here.value == there.value && here.place == there.place && here.calls == there.calls) {
            fprintf(t->out, "{(u%u)(a%u.first + 0x%llxull), a%u.step, a%u.is};\n", 8 * o->size, before->index,
                    (unsigned long long)(here.add - there.add), before->index, before->index);
            return;
        }
    }
    fprintf(t->out, "spaced_%u(", o->size * 8);
    text_row(t, o);
    fprintf(t->out, ");\n");
}

static bool is_usual(const struct text *t, const struct step *s)
{
    return !t->masked && s->in->guard == NONE && s->in->count == 1;
}

static void text_find_row(const struct text *t, const struct step *s, const char *name, uint32_t step, const char *span)
{
    bool shared = s->in->space == PTX_SHARED;
    fprintf(t->out, "        u8 *%s = %s_row(s, a%u, base, %u, %u%s%s);\n", name, shared ? "shared" : "global",
            s->index, s->in->size, step, shared ? "" : ", &", shared ? "" : span);
}

static void open_access(const struct text *t, struct step *s)
{
    text_spaced(t, s);
    fprintf(t->out, "    {\n        const u32 k = ");
    text_mask(t, s);
    fprintf(t->out, ";\n");
    if (s->in->guard != NONE)
        fprintf(t->out, "        G[%u] += (u64)__builtin_popcount(k);\n        if (k) {\n", s->in->id);
}

static void close_access(const struct text *t, const struct step *s)
{
    fprintf(t->out, s->in->guard != NONE ? "        }\n    }\n" : "    }\n");
}

// Arrays of the values, and what they hold in lanes that a guard holds back.
static void open_values(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->e.def_count; k++) {
        fprintf(t->out, "    u%u v%d[32] ROW;\n", 8 * s->e.def[k].size, s->def[k]);
        if (s->in->guard == NONE)
            continue;
        fprintf(t->out, "    EACH_LANE v%d[l] = ", s->def[k]);
        text_row(t, &s->use[s->e.use_count - 1 - s->e.def_count + k]);
        fprintf(t->out, "[l];\n");
    }
}

// Row k of the values that an access moves.
static void text_moved(const struct text *t, const struct step *s, uint32_t k, bool load)
{
    if (load)
        fprintf(t->out, "v%d", s->def[k]);
    else
        text_row(t, &s->use[k + (s->in->a != NONE)]);
}

// The call that moves them between the rows and `at`.
static void text_move(const struct text *t, const struct step *s, bool load)
{
    const struct insn *in = s->in;
    const char *name = load ? "load" : "store";
    const char *span = in->space == PTX_SHARED ? "0" : load ? "&span" : "&written";
    if (in->count == 1) {
        fprintf(t->out, "        if (!%s_%u(s, &at, k, ", name, in->size);
        text_moved(t, s, 0, load);
    } else {
        fprintf(t->out, "        %su%u *const d[] = {", load ? "" : "const ", 8 * in->size);
        for (uint32_t k = 0; k < in->count; k++) {
            text_moved(t, s, k, load);
            fprintf(t->out, ", ");
        }
        fprintf(t->out, "};\n        if (!%s_vector_%u(s, &at, %u, k, d", name, in->size, in->count);
    }
    fprintf(t->out, ", %s)) {\n", span);
}

// All other cases; what has to be reported is left to the machine.
static void text_rest(const struct text *t, const struct step *s, bool load)
{
    const struct insn *in = s->in;
    bool none = in->a == NONE;
    fprintf(t->out, "{\n        const struct addresses at = {");
    if (none)
        fprintf(t->out, "(const u64[32]){0}");
    else
        text_row(t, &s->use[0]);
    fprintf(t->out, ", 0x%llxull, %d, a%u};\n", (unsigned long long)in->imm, (in->order & ADDRESS_32) != 0, s->index);
    text_move(t, s, load);
    flush_used(t, s);
    fprintf(t->out, "            ");
    run_handler(t, s);
    for (uint32_t k = 0; k < s->e.def_count; k++)
        fprintf(t->out, "            EACH_LANE v%d[l] = k >> l & 1 ? ((const u%u *)(R + %u))[l] : v%d[l];\n", s->def[k],
                8 * in->size, s->e.def[k].place, s->def[k]);
    fprintf(t->out, "        }\n        }\n");
}

static void text_base(const struct text *t, const struct step *s)
{
    fprintf(t->out, "        const u64 base = %s(a%u.first + 0x%llxull);\n", s->in->order & ADDRESS_32 ? "(u32)" : "",
            s->index, (unsigned long long)s->in->imm);
}

static void text_load(const struct text *t, struct step *s)
{
    uint32_t bits = 8 * s->in->size;
    open_values(t, s);
    open_access(t, s);
    if (is_usual(t, s)) {
        text_base(t, s);
        text_find_row(t, s, "row", s->in->size, "span");
        text_find_row(t, s, "one", 0, "span");
        fprintf(t->out, "        if (row) {\n            EACH_LANE v%d[l] = ((const u%u *)row)[l];\n", s->def[0], bits);
        fprintf(t->out, "        } else if (one) {\n            const u%u x = *(const u%u *)one;\n", bits, bits);
        fprintf(t->out, "            EACH_LANE v%d[l] = x;\n        } else ", s->def[0]);
    }
    text_rest(t, s, true);
    close_access(t, s);
    for (uint32_t k = 0; k < s->e.def_count; k++)
        if (t->plan->values[s->def[k]].live)
            text_flush(t, s->def[k]);
}

static void text_store(const struct text *t, struct step *s)
{
    open_access(t, s);
    if (is_usual(t, s)) {
        text_base(t, s);
        text_find_row(t, s, "row", s->in->size, "written");
        fprintf(t->out, "        if (row) {\n            EACH_LANE ((u%u *)row)[l] = ", 8 * s->in->size);
        text_row(t, &s->use[s->in->a != NONE]);
        fprintf(t->out, "[l];\n        } else ");
    }
    text_rest(t, s, false);
    close_access(t, s);
}

void text_access(const struct text *t, struct step *s)
{
    if (s->kind == STEP_LOAD)
        text_load(t, s);
    else
        text_store(t, s);
}

void text_call(const struct text *t, const struct step *s)
{
    for (uint32_t k = 0; k < s->flush_count; k++)
        text_flush(t, t->plan->flushes[s->first_flush + k]);
    fprintf(t->out, "    {\n        const u32 k = ");
    text_mask(t, s);
    fprintf(t->out, ";\n");
    if (s->in->guard != NONE)
        fprintf(t->out, "        G[%u] += (u64)__builtin_popcount(k);\n        if (k) ", s->in->id);
    run_handler(t, s);
    if (s->action == RUN_atomic || !s->e.known) // it may wait for what others do, a free for example
        fprintf(t->out, "        span.size = written.size = 0;\n");
    fprintf(t->out, "    }\n");
}
