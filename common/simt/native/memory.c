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

// How the addresses of the lanes lie: a variable for each row of addresses of the block, named after the step that was
// the first to use it.
static uint32_t text_spaced(const struct text *t, const struct step *s)
{
    const struct operand *o = &s->use[0];
    bool none = s->in->a == NONE, constant = !none && o->value < 0 && o->place & CONSTANT_BANK;
    if (none || constant) {
        fprintf(t->out, "    const struct spaced a%u = {0x%llxull, 0, 1};\n", s->index,
                none ? 0 : (unsigned long long)constant_of(t->plan->code, o));
        return s->index;
    }
    for (const struct step *before = s; before-- > t->plan->steps;) {
        bool access = before->kind == STEP_LOAD || before->kind == STEP_STORE;
        if (access && before->in->a != NONE && before->use[0].value == o->value && o->value >= 0)
            return before->spaced;
        if (o->value < 0 && (before->kind == STEP_CALL || before->in->guard != NONE))
            break; // it may have written the row
        if (access && before->in->a != NONE && o->value < 0 && before->use[0].value < 0 &&
            before->use[0].place == o->place)
            return before->spaced;
    }
    fprintf(t->out, "    const struct spaced a%u = spaced_%u(", s->index, o->size * 8);
    text_row(t, o);
    fprintf(t->out, ");\n");
    return s->index;
}

static bool is_usual(const struct text *t, const struct step *s)
{
    return !t->masked && s->in->guard == NONE && s->in->count == 1;
}

static void text_find_row(const struct text *t, const struct step *s, const char *name, uint32_t step, const char *span)
{
    bool shared = s->in->space == PTX_SHARED;
    fprintf(t->out, "        u8 *%s = %s_row(s, a%u, base, %u, %u%s%s);\n", name, shared ? "shared" : "global",
            s->spaced, s->in->size, step, shared ? "" : ", &", shared ? "" : span);
}

static void open_access(const struct text *t, struct step *s)
{
    s->spaced = text_spaced(t, s);
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
    fprintf(t->out, ", 0x%llxull, %d, a%u};\n        %su%u *const d[] = {", (unsigned long long)in->imm,
            (in->order & ADDRESS_32) != 0, s->spaced, load ? "" : "const ", 8 * in->size);
    for (uint32_t k = 0; k < in->count; k++) {
        if (load)
            fprintf(t->out, "v%d", s->def[k]);
        else
            text_row(t, &s->use[k + !none]);
        fprintf(t->out, ", ");
    }
    fprintf(t->out, "};\n        if (!%s_%u(s, &at, %u, k, d, %s)) {\n", load ? "load" : "store", in->size, in->count,
            in->space == PTX_SHARED ? "0" : load ? "&span" : "&written");
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
    fprintf(t->out, "        const u64 base = %s(a%u.first + 0x%llxull);\n",
            s->in->order & ADDRESS_32 ? "(u32)" : "", s->spaced, (unsigned long long)s->in->imm);
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
