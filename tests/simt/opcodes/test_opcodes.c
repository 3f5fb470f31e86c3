// Runs tables of opcode tests (table.h): every instruction for all 32 lanes at once and for some of them, held back by
// a guard and by a branch; with a constant as its last operand; and with one register as source and destination. Usage:
// test_opcodes TABLE... Exit 0: all as wanted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine.h"
#include "table.h"

static const char *const variant_names[VARIANTS] = {"plain", "guarded", "branched", "immediate", "in place"};

struct run {
    const struct group *g;
    int cases; // a multiple of 32; the examples over and over
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
        want = (struct wanted){WANT_BITS, before(o->type, (uint32_t)i % 32), 0};
    if (meets(&want, o->type, got))
        return true;
    char where[64], what[700];
    snprintf(where, sizeof where, "%s:%d", r->g->file, e->line);
    describe(r, e, what, sizeof what);
    return check(false, where, "%s, %s, lane %d%s: %%%s is 0x%llx, wanted %s0x%llx", what, variant_names[v], i % 32,
                 active ? "" : " (inactive)", o->name, (unsigned long long)got,
                 want.kind == WANT_NAN    ? "a NaN "
                 : want.kind == WANT_BITS ? ""
                                          : "about ",
                 (unsigned long long)want.bits);
}

// An immediate stands for the last operand of the first example only.
static bool applies(const struct run *r, int i, enum variant v)
{
    int last = r->g->form.inputs - 1;
    return has_variant(r->g, v) && (v != IMMEDIATE || example_of(r, i)->in[last] == r->g->examples[0].in[last]);
}

// One wrong lane of a group says enough: false.
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

static void run_group(const struct group *g)
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

int main(int argc, char **argv)
{
    int groups = 0, examples = 0;
    for (int a = 1; a < argc; a++) {
        struct table t = table_read(argv[a]);
        for (int i = 0; i < t.count; i++) {
            run_group(&t.groups[i]);
            groups++;
            examples += t.groups[i].count;
            free(t.groups[i].examples);
        }
        free(t.groups);
    }
    printf("%d instructions, %d examples, %d failures\n", groups, examples, failures);
    return failures || !groups;
}
