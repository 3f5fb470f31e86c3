// Runs the instruction of one group for all its examples, in each variant: one example per thread, so that the lanes of
// a warp hold different values.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine.h"
#include "table.h"

static char text[1 << 16];
static size_t length;

#define PUT(...) (length += (size_t)snprintf(text + length, sizeof text - length, __VA_ARGS__))

static const char *class_of(const char *type)
{
    return !strcmp(type, "pred") ? "pred" : type_bytes(type) == 2 ? "b16" : type_bytes(type) == 4 ? "b32" : "b64";
}

// The initial value of an output in lane l.
static uint64_t before(const char *type, uint32_t lane)
{
    uint32_t bytes = type_bytes(type);
    uint64_t pattern = UINT64_C(0xa5a5a5a5a5a5a5a5);
    return !strcmp(type, "pred") ? lane & 1 : bytes == 8 ? pattern : pattern & ((UINT64_C(1) << 8 * bytes) - 1);
}

static bool is_predicate(const struct operand *o)
{
    return !strcmp(o->type, "pred");
}

// The first input that may share the register of the only output.
static const struct operand *shares(const struct form *f)
{
    if (f->outputs != 1)
        return NULL;
    const struct operand *d = NULL;
    for (int i = 0; i < f->count; i++)
        if (f->operands[i].output)
            d = &f->operands[i];
    for (int i = 0; i < f->count; i++)
        if (f->operands + i != d && !f->operands[i].temporary &&
            !strcmp(class_of(f->operands[i].type), class_of(d->type)) && !is_predicate(d))
            return &f->operands[i];
    return NULL;
}

static bool has_variant(const struct group *g, enum variant v)
{
    const struct form *f = &g->form;
    if (v == IMMEDIATE)
        return f->simple && f->inputs > 1 && !is_predicate(&f->operands[f->count - 1]) && !strstr(f->text, "x2 ");
    if (v == IN_PLACE)
        return shares(f) != NULL;
    return true;
}

// ---- one execution

static void put_immediate(const struct operand *o, uint64_t value)
{
    if (!strcmp(o->type, "f32"))
        PUT("0f%08x", (uint32_t)value);
    else if (!strcmp(o->type, "f64"))
        PUT("0d%016llx", (unsigned long long)value);
    else if (o->type[0] == 's')
        PUT("%lld", type_bytes(o->type) == 2   ? (long long)(int16_t)value
                    : type_bytes(o->type) == 4 ? (long long)(int32_t)value
                                               : (long long)value);
    else
        PUT("0x%llx", (unsigned long long)value);
}

// The instructions, with each operand named as the variant requires.
static void put_instructions(const struct group *g, enum variant v)
{
    const struct form *f = &g->form;
    const struct operand *shared = v == IN_PLACE ? shares(f) : NULL, *last = &f->operands[f->count - 1];
    bool starts = true;
    for (const char *at = f->text; *at; at++) {
        if (starts && v == GUARDED && *at != ' ')
            PUT("@%%on ");
        starts = *at == ';' || (starts && *at == ' ');
        char name[8] = "";
        if (*at == '%')
            sscanf(at + 1, "%7[a-z0-9]", name);
        bool is_last = v == IMMEDIATE && name[0] && !strcmp(name, last->name);
        if (is_last)
            put_immediate(last, g->examples[0].in[last->slot]);
        else if (shared && name[0] && (!strcmp(name, shared->name) || name[0] == 'd'))
            PUT("%%same");
        else
            PUT("%c", *at);
        if (is_last || (shared && name[0] && (!strcmp(name, shared->name) || name[0] == 'd')))
            at += strlen(name);
    }
    PUT(";\n");
}

static void put_before(const struct form *f)
{
    for (int i = 0; i < f->count; i++) {
        const struct operand *o = &f->operands[i];
        if (o->output && is_predicate(o))
            PUT("setp.ne.u32 %%%s, %%odd, 0;\n", o->name);
        else if (o->output)
            PUT("mov.%s %%%s, 0x%llx;\n", class_of(o->type), o->name, (unsigned long long)before(o->type, 0));
    }
}

static void put_stores(const struct form *f, enum variant v)
{
    for (int i = 0; i < f->count; i++) {
        const struct operand *o = &f->operands[i];
        int at = (v * f->outputs + o->slot) * 8;
        if (!o->output)
            continue;
        if (is_predicate(o)) {
            PUT("selp.u32 %%word, 1, 0, %%%s;\n", o->name);
            PUT("st.global.b32 [%%out+%d], %%word;\n", at);
        } else
            PUT("st.global.%s [%%out+%d], %%%s;\n", class_of(o->type), at, v == IN_PLACE ? "same" : o->name);
    }
}

static void put_variant(const struct group *g, enum variant v)
{
    PUT("// variant %d\n", v);
    put_before(&g->form);
    if (v == BRANCHED)
        PUT("@!%%on bra SKIP;\n");
    if (v == IN_PLACE)
        PUT("mov.%s %%same, %%%s;\n", class_of(shares(&g->form)->type), shares(&g->form)->name);
    put_instructions(g, v);
    if (v == BRANCHED)
        PUT("SKIP:\n");
    put_stores(&g->form, v);
}

// ---- the whole

static void put_declarations(const struct form *f)
{
    PUT(PTX_HEAD
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 mask)\n{\n"
        ".reg .pred %%on;\n.reg .b32 %%lane, %%odd, %%block, %%index, %%mask, %%word;\n.reg .b64 %%in, %%out;\n");
    for (int i = 0; i < f->count; i++)
        PUT(".reg .%s %%%s;\n", class_of(f->operands[i].type), f->operands[i].name);
    if (shares(f))
        PUT(".reg .%s %%same;\n", class_of(shares(f)->type));
}

static void put_inputs(const struct form *f)
{
    PUT("mov.u32 %%lane, %%tid.x;\nmov.u32 %%block, %%ctaid.x;\nmad.lo.u32 %%index, %%block, 32, %%lane;\n"
        "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u32 %%mask, [mask];\n"
        "mad.wide.u32 %%in, %%index, %d, %%in;\nmad.wide.u32 %%out, %%index, %d, %%out;\n"
        "shr.u32 %%word, %%mask, %%lane;\nand.b32 %%word, %%word, 1;\nsetp.ne.u32 %%on, %%word, 0;\n"
        "and.b32 %%odd, %%lane, 1;\n",
        f->inputs * 8, VARIANTS * f->outputs * 8);
    for (int i = 0; i < f->count; i++) {
        const struct operand *o = &f->operands[i];
        if (o->output || o->temporary)
            continue;
        if (is_predicate(o))
            PUT("ld.global.u32 %%word, [%%in+%d];\nsetp.ne.u32 %%%s, %%word, 0;\n", o->slot * 8, o->name);
        else
            PUT("ld.global.%s %%%s, [%%in+%d];\n", class_of(o->type), o->name, o->slot * 8);
    }
}

static char *table_kernel(const struct group *g)
{
    length = 0;
    put_declarations(&g->form);
    put_inputs(&g->form);
    for (int v = 0; v < VARIANTS; v++)
        if (has_variant(g, v))
            put_variant(g, v);
    PUT("ret;\n}\n");
    return text;
}

// ---- running it

static const char *const variant_names[VARIANTS] = {"plain", "guarded", "branched", "immediate", "in place"};

struct run {
    const struct group *g;
    int cases; // a multiple of 32; the examples repeat
    uint64_t *in, *out;
};

static const struct example *example_of(const struct run *r, int i)
{
    return &r->g->examples[i % r->g->count];
}

static void describe(const struct run *r, const struct example *e, char *out, size_t size)
{
    int n = snprintf(out, size, "%s (", r->g->form.text);
    for (int i = 0; i < r->g->form.inputs; i++)
        n += snprintf(out + n, size - (size_t)n, "%s0x%llx", i ? ", " : "", (unsigned long long)e->in[i]);
    snprintf(out + n, size - (size_t)n, ")");
}

static bool compare(const struct run *r, int i, enum variant v, const struct operand *o, bool active)
{
    const struct example *e = example_of(r, i);
    uint32_t bytes = type_bytes(o->type);
    uint64_t got = r->out[(i * VARIANTS + (int)v) * r->g->form.outputs + o->slot];
    struct wanted want = e->out[o->slot];
    if (bytes < 8)
        got &= (UINT64_C(1) << 8 * bytes) - 1;
    if (!active)
        want = (struct wanted){WANT_BITS, before(o->type, (uint32_t)i % 32)};
    if (meets(&want, o->type, got))
        return true;
    char where[64], what[700];
    snprintf(where, sizeof where, "%s:%d", r->g->file, e->line);
    describe(r, e, what, sizeof what);
    return check(false, where, "%s, %s, lane %d%s: %%%s is 0x%llx, wanted %s0x%llx", what, variant_names[v], i % 32,
                 active ? "" : " (inactive)", o->name, (unsigned long long)got, want.kind == WANT_NAN ? "a NaN " : "",
                 (unsigned long long)want.bits);
}

// An immediate holds the last operand of the first example only.
static bool applies(const struct run *r, int i, enum variant v)
{
    int last = r->g->form.inputs - 1;
    return has_variant(r->g, v) && (v != IMMEDIATE || example_of(r, i)->in[last] == r->g->examples[0].in[last]);
}

// Checks one lane; false: it is wrong, and one report per group is enough.
static bool compare_variant(const struct run *r, enum variant v, uint32_t mask)
{
    const struct form *f = &r->g->form;
    for (int i = 0; i < r->cases; i++)
        for (int k = 0; k < f->count; k++) {
            bool active = (v != GUARDED && v != BRANCHED) || mask >> i % 32 & 1;
            if (f->operands[k].output && applies(r, i, v) && !compare(r, i, v, &f->operands[k], active))
                return false;
        }
    return true;
}

void table_run(const struct group *g)
{
    struct run r = {.g = g, .cases = (g->count + 31) / 32 * 32};
    size_t in_size = (size_t)(r.cases * (g->form.inputs + 1)) * 8;
    size_t out_size = (size_t)(r.cases * VARIANTS * g->form.outputs) * 8;
    static const uint32_t masks[] = {0xffffffff, 0x5a0f3c69, 0x80000000};
    struct module *m = machine_load(table_kernel(g));
    r.in = machine_buffer(in_size, 0);
    for (int i = 0; i < r.cases; i++)
        memcpy(r.in + i * g->form.inputs, example_of(&r, i)->in, (size_t)g->form.inputs * 8);
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        uint32_t mask = masks[k];
        r.out = machine_buffer(out_size, 0);
        int error = machine_run(m, "k", machine_line((uint32_t)r.cases / 32, 32), &r.in, &r.out, &mask);
        good = check(error == 0, g->file, "line %d: %s: launch error %d", g->examples[0].line, g->form.text, error);
        for (int v = 0; v < VARIANTS && good; v++)
            if (k == 0 || v == GUARDED || v == BRANCHED)
                good = compare_variant(&r, v, mask);
        machine_free(r.out);
    }
    machine_free(r.in);
    machine_unload(m);
}
