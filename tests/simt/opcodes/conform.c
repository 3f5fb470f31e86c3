// Conformance to hardware, bit for bit: runs every instruction of a list (forms.c) on CASES inputs: pairs of edge
// values, then values near edges and random values.
//
//     conform record FORMS > RECORDING     with gpu.c on a GPU (see there): runs the list
//     conform check RECORDING              runs the recording's instructions again and compares
//     conform dump FORMS > RESULTS         all results, 8 bytes each, to look for a difference;
//     conform inputs FORMS > INPUTS        and what they were computed from
//
// A line of a recording is "form | hash of all results | the first SHOWN results", or "form | refused" if the GPU's
// assembler does not accept it; group.awk joins lines that differ only in the form to "form & form | ...". Results of
// approximate instructions are compared within a bound (bounds below), on the results that the recording shows; all
// others must be equal in every bit. Instructions that compute each lane independently must then give the same results
// in the other variants of table_run: under a guard, after a branch, with a constant, in place.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../machine.h"
#include "table.h"

#define CASES 2048
#define EXAMPLES 32           // cases that are run in all variants
#define SHOWN 24              // results of a line
#define SHOWN_APPROXIMATE 256 // if only these are compared
#define RECORD 80             // bytes per case: 8 outputs, and 8 bytes for an atomic at 64
#define NAMED 0xf0f0ff3bu     // active lanes for instructions that use %named

// ---- inputs

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

struct edges {
    const char *type;
    int count;
    uint64_t at[24];
};

// clang-format off
static const struct edges edges[] = {
    {"f32", 24, {0, 0x80000000, 0x3f800000, 0xbf800000, 0x00800000, 0x80800000, 0x007fffff, 1, 0x7f7fffff, 0xff7fffff,
                 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x3f000000, 0x34000000, 0x33800000,
                 0x3f800001, 0x40490fdb, 0x4b000001, 0x5f000000, 0x807fffff, 0x1fffffff}},
    {"f64", 22, {0, UINT64_C(0x8000000000000000), UINT64_C(0x3ff0000000000000), UINT64_C(0xbff0000000000000),
                 UINT64_C(0x0010000000000000), UINT64_C(0x8010000000000000), UINT64_C(0x000fffffffffffff), 1,
                 UINT64_C(0x7fefffffffffffff), UINT64_C(0xffefffffffffffff), UINT64_C(0x7ff0000000000000),
                 UINT64_C(0xfff0000000000000), UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000012345678),
                 UINT64_C(0x7ff0000000000001), UINT64_C(0x3fe0000000000000), UINT64_C(0x3cb0000000000000),
                 UINT64_C(0x3ff0000000000001), UINT64_C(0x380fffffe0000000), UINT64_C(0x36a0000000000000),
                 UINT64_C(0x43e0000000000000), UINT64_C(0x41f0000000000000)}},
    {"f16", 20, {0, 0x8000, 0x3c00, 0xbc00, 0x0400, 0x8400, 0x03ff, 1, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe12,
                 0x7c01, 0x3800, 0x1400, 0x1000, 0x3c01, 0x6400}},
    {"bf16", 20, {0, 0x8000, 0x3f80, 0xbf80, 0x0080, 0x8080, 0x007f, 1, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1,
                  0x7f81, 0x3f00, 0x3c00, 0x3b80, 0x3f81, 0x4b00}},
    {"", 20, {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
              UINT64_C(0xffffffffffffffff), UINT64_C(0x8000000000000000)}},
};
// clang-format on

static const struct edges *edges_of(const char *type)
{
    const struct edges *e = edges;
    while (e->type[0] && strncmp(type, e->type, strlen(e->type)))
        e++;
    return e;
}

static uint64_t one_value(const char *type, uint64_t r)
{
    const struct edges *e = edges_of(type);
    uint64_t edge = e->at[mix(r) % (uint64_t)e->count], any = mix(r + 1);
    switch (r % 5) {
    case 0: return edge;
    case 1: return edge + any % 5 - 2;
    case 2: return e->type[0] ? edge ^ any % 4096 : any >> any % 64;
    default: return any;
    }
}

static uint64_t input(const struct form *f, const struct operand *o, int i)
{
    const struct edges *e = edges_of(o->type);
    uint64_t step = 1, most = f->inputs < 3 ? 24 : 11, count = (uint64_t)e->count < most ? (uint64_t)e->count : most;
    if (!strcmp(o->type, "pred"))
        return mix((uint64_t)i * 8 + (uint64_t)o->slot) & 1;
    if (strstr(o->type, "x2")) { // two of each
        char half[8];
        snprintf(half, sizeof half, "%.*s", (int)(strlen(o->type) - 2), o->type);
        uint64_t r = mix((uint64_t)i * 64 + (uint64_t)o->slot * 2);
        return (one_value(half, r) & 0xffff) | (one_value(half, mix(r)) & 0xffff) << 16;
    }
    for (int k = 0; k < o->slot; k++)
        step *= count;
    if (f->inputs <= 3 && (uint64_t)i < 1400 && (f->inputs > 1 || (uint64_t)i < count))
        return e->at[(uint64_t)i / step % count];
    return one_value(o->type, mix((uint64_t)i * 8 + (uint64_t)o->slot));
}

// ---- the kernel

static char kernel[1 << 14];
static size_t length;

#define PUT(...) (length += (size_t)snprintf(kernel + length, sizeof kernel - length, __VA_ARGS__))

static const char *class_of(const char *type)
{
    return !strcmp(type, "pred") ? "pred" : type_bytes(type) == 2 ? "b16" : type_bytes(type) == 4 ? "b32" : "b64";
}

static void put_operands(const struct form *f)
{
    for (int i = 0; i < f->count; i++)
        PUT(".reg .%s %%%s;\n", class_of(f->operands[i].type), f->operands[i].name);
    for (int i = 0; i < f->count; i++) {
        const struct operand *o = &f->operands[i];
        if (!strcmp(o->type, "pred") && o->output)
            PUT("setp.ne.u32 %%%s, %%lane, %%lane;\n", o->name);
        else if (o->output)
            PUT("mov.%s %%%s, 0;\n", class_of(o->type), o->name);
        else if (!strcmp(o->type, "pred"))
            PUT("ld.global.u32 %%word, [%%in+%d];\nsetp.ne.u32 %%%s, %%word, 0;\n", o->slot * 8, o->name);
        else if (!o->temporary)
            PUT("ld.global.%s %%%s, [%%in+%d];\n", class_of(o->type), o->name, o->slot * 8);
    }
}

static void put_results(const struct form *f)
{
    for (int i = 0; i < f->count; i++) {
        const struct operand *o = &f->operands[i];
        if (o->output && !strcmp(o->type, "pred"))
            PUT("selp.u32 %%word, 1, 0, %%%s;\nst.global.b32 [%%out+%d], %%word;\n", o->name, o->slot * 8);
        else if (o->output)
            PUT("st.global.%s [%%out+%d], %%%s;\n", class_of(o->type), o->slot * 8, o->name);
    }
}

static void write_kernel(const struct form *f)
{
    bool named = strstr(f->text, "%named");
    length = 0;
    PUT(".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 8 .b8 cells[256];\n.reg .pred %%on;\n"
        ".reg .b32 %%lane, %%block, %%index, %%word, %%cell, %%named;\n.reg .b64 %%in, %%out;\n"
        "mov.u32 %%lane, %%tid.x;\nmov.u32 %%block, %%ctaid.x;\nmad.lo.u32 %%index, %%block, 32, %%lane;\n"
        "mov.u32 %%cell, cells;\nmad.lo.u32 %%cell, %%lane, 8, %%cell;\nld.param.u64 %%in, [in];\n"
        "ld.param.u64 %%out, [out];\nmad.wide.u32 %%in, %%index, %d, %%in;\nmad.wide.u32 %%out, %%index, %d, %%out;\n",
        f->inputs * 8, RECORD);
    put_operands(f);
    if (named) // every other block with all lanes
        PUT("and.b32 %%word, %%block, 1;\nsetp.eq.u32 %%on, %%word, 0;\nselp.b32 %%named, 0xffffffff, 0x%x, %%on;\n"
            "shr.u32 %%word, %%named, %%lane;\nand.b32 %%word, %%word, 1;\nsetp.ne.u32 %%on, %%word, 0;\n"
            "@!%%on bra SKIP;\n",
            NAMED);
    PUT("%s;\n%s", f->text, named ? "SKIP:\n" : "");
    put_results(f);
    PUT("ret;\n}\n");
}

static uint64_t *make_inputs(const struct form *f)
{
    uint64_t *in = machine_buffer((size_t)(CASES * (f->inputs + 1)) * 8, 0);
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < f->count; k++)
            if (!f->operands[k].output && !f->operands[k].temporary)
                in[i * f->inputs + f->operands[k].slot] = input(f, &f->operands[k], i);
    return in;
}

// Runs the form; out receives CASES * outputs values. False: it is refused, or the launch failed.
static bool run(const struct form *f, uint64_t *in, uint64_t *out)
{
    uint8_t *raw = machine_buffer((size_t)CASES * RECORD, 0);
    write_kernel(f);
    struct module *m = machine_load(kernel);
    int error = machine_run(m, "k", machine_line(CASES / 32, 32), &in, &raw);
    for (int i = 0; i < CASES; i++)
        memcpy(out + i * f->outputs, raw + (size_t)i * RECORD, (size_t)f->outputs * 8);
    machine_unload(m);
    machine_free(raw);
    return error == 0;
}

static uint64_t hash_of(const uint64_t *v, int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++)
        h = mix(h * 31 + v[i]);
    return h;
}

// ---- comparing

// The maximum error of an approximate instruction, in units in the last place and, for results near zero, absolute. The
// PTX ISA 9.0 ("Instruction Set") gives the instruction's error; the rounded result itself adds half a unit. limit: PTX
// bounds the error only for sources up to it.
//
//     rcp, div, ex2: 1 or 2 ulp; sqrt: relative 2^-23; rsqrt: relative 2^-22.9; lg2: absolute 2^-22 or relative the
//     same; sin, cos: absolute 2^-20.9 up to pi; tanh: relative 2^-11; rcp and rsqrt of f64 with .ftz: the upper word,
//     gross; rsqrt.approx.f64: relative 2^-26 on paper; f16: 2^-9.9 and 2^-10.987; bf16: 2^-7 and 2^-8
struct bound {
    const char *word, *type;
    double ulps, absolute, limit;
};

// clang-format off
static const struct bound bounds[] = {
    {"rcp.approx.ftz.f64", "f64", 0x1p33, 0, 0}, {"rsqrt.approx.ftz.f64", "f64", 0x1p33, 0, 0},
    {"rcp.approx", "f32", 1.5, 0, 0},            {"rsqrt.approx", "f32", 2.5, 0, 0},
    {"rsqrt.approx", "f64", 0x1p26, 0, 0},       {"sqrt.approx", "f32", 2.5, 0, 0},
    {"div.approx", "f32", 2.5, 0, 0},            {"div.full", "f32", 2.5, 0, 0},
    {"ex2.approx", "bf16", 2.5, 0, 0},           {"ex2.approx", "f16", 2.5, 0, 0},
    {"ex2.approx", "f32", 2.5, 0, 0},            {"lg2.approx", "f32", 2.5, 0x1p-22, 0},
    {"sin.approx", "f32", 0, 0x1p-20, 3.1416},   {"cos.approx", "f32", 0, 0x1p-20, 3.1416},
    {"tanh.approx", "bf16", 1.5, 0, 0},          {"tanh.approx", "f16", 1.5, 0, 0},
    {"tanh.approx", "f32", 0x1p13, 0, 0},
};
// clang-format on

static const struct bound *bound_of(const char *name)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!strncmp(name, bounds[i].word, strlen(bounds[i].word)) && strstr(name, bounds[i].type))
            return &bounds[i];
    return NULL;
}

static double value_of(const char *type, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    double d;
    if (!strncmp(type, "f64", 3)) {
        memcpy(&d, &bits, 8);
        return d;
    }
    if (!strncmp(type, "f16", 3)) {
        int exponent = low >> 10 & 31, fraction = low & 0x3ff;
        d = exponent == 31 ? fraction ? NAN : INFINITY
            : exponent     ? ldexp(1024 + fraction, exponent - 25)
                           : ldexp(fraction, -24);
        return low & 0x8000 ? -d : d;
    }
    low = !strncmp(type, "bf16", 4) ? low << 16 : low;
    memcpy(&f, &low, 4);
    return f;
}

static bool number_within(const struct bound *b, const char *type, uint64_t got, uint64_t want)
{
    uint64_t top = UINT64_C(1) << (8 * (strstr(type, "16") ? 2 : type_bytes(type)) - 1);
    double x = value_of(type, got), y = value_of(type, want);
    if (got == want || (x != x && y != y) || fabs(x - y) <= b->absolute)
        return true;
    return (got & top) == (want & top) && fabs((double)(got & ~top) - (double)(want & ~top)) <= b->ulps;
}

static bool within(const struct bound *b, const char *type, uint64_t got, uint64_t want)
{
    if (!strstr(type, "x2"))
        return number_within(b, type, got, want);
    return number_within(b, type, got & 0xffff, want & 0xffff) && number_within(b, type, got >> 16, want >> 16);
}

// ---- a line of a recording

static void record(const char *name, const struct form *f, const uint64_t *out, bool ran)
{
    printf("%s | ", name);
    if (!ran) {
        printf("refused\n");
        return;
    }
    printf("%016llx |", (unsigned long long)hash_of(out, CASES * f->outputs));
    for (int i = 0; i < (bound_of(name) ? SHOWN_APPROXIMATE : SHOWN) * f->outputs; i++)
        printf(" %llx", (unsigned long long)out[i]);
    printf("\n");
}

struct line {
    char *form; // the first form of the line, or the one that is compared
    uint64_t hash, shown[SHOWN_APPROXIMATE * 2];
    int count;
    bool refused;
};

static struct line read_recorded(char *text)
{
    struct line l = {.form = text};
    char *bar = strstr(text, " | "), *at = bar ? bar + 3 : NULL; // no form has a bar between spaces
    if (!at) {
        printf("not a line of a recording: %s\n", text);
        exit(1);
    }
    *bar = 0;
    l.refused = !strncmp(at, "refused", 7);
    l.hash = strtoull(at, &at, 16);
    for (at = strchr(at, '|'); at && l.count < SHOWN_APPROXIMATE * 2; l.count++) {
        char *end;
        l.shown[l.count] = strtoull(at + (l.count == 0), &end, 16);
        if (end == at + (l.count == 0))
            break;
        at = end;
    }
    return l;
}

static void tell(const struct line *l, const struct form *f, const uint64_t *in, int i, uint64_t got)
{
    char inputs[200] = "";
    int n = 0;
    for (int k = 0; k < f->inputs; k++)
        n += snprintf(inputs + n, sizeof inputs - (size_t)n, "%s0x%llx", k ? ", " : "",
                      (unsigned long long)in[i / f->outputs * f->inputs + k]);
    check(false, l->form, "case %d (%s): result %d is 0x%llx, the GPU's is 0x%llx", i / f->outputs, inputs,
          i % f->outputs, (unsigned long long)got, (unsigned long long)l->shown[i]);
}

static bool compare(const struct line *l, const struct form *f, const uint64_t *in, const uint64_t *out)
{
    const struct bound *b = bound_of(l->form);
    const char *type = f->operands[0].type;
    for (int i = 0; i < l->count; i++) {
        if (b && b->limit && !(fabs(value_of(type, in[i])) <= b->limit))
            continue;
        if (b ? !within(b, type, out[i], l->shown[i]) : out[i] != l->shown[i]) {
            tell(l, f, in, i, out[i]);
            return false;
        }
    }
    return b || check(hash_of(out, CASES * f->outputs) == l->hash, l->form,
                      "a result differs from the GPU's, but none of the %d shown", l->count);
}

// Examples from all inputs, and others that share the last operand of the first example, the constant.
static void run_in_all_ways(const char *file, struct form f, const uint64_t *in, const uint64_t *out)
{
    struct example examples[EXAMPLES];
    struct group g = {file, f, examples, 0};
    const struct operand *last = &f.operands[f.count - 1];
    const char *end = f.text + strlen(f.text) - strlen(last->name);
    g.form.simple = !strpbrk(f.text, ";|") && !strcmp(end, last->name);
    for (int i = 0, first = 700; i < CASES && g.count < EXAMPLES; i++) {
        int at = (first + i * 67) % CASES;
        const uint64_t *from = in + at * f.inputs, *to = out + at * f.outputs;
        if (g.count >= EXAMPLES / 2 && from[f.inputs - 1] != in[first * f.inputs + f.inputs - 1])
            continue;
        struct example *e = &examples[g.count++];
        e->line = at;
        memcpy(e->in, from, sizeof *from * (size_t)f.inputs);
        for (int k = 0; k < f.outputs; k++)
            e->out[k] = (struct wanted){WANT_BITS, to[k]};
    }
    table_run(&g);
}

// ---- what to do

static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (end)
        *end = 0;
    *at = end ? end + 1 : line + strlen(line);
    return line;
}

static void record_all(char *forms, const char *what)
{
    static uint64_t out[CASES * 8];
    while (*forms) {
        char *line = next_line(&forms);
        struct form f = table_form(line);
        uint64_t *in = make_inputs(&f);
        bool ran = run(&f, in, out);
        if (!strcmp(what, "record"))
            record(line, &f, out, ran);
        else
            fwrite(!strcmp(what, "inputs") ? in : out, 8,
                   (size_t)(CASES * (!strcmp(what, "inputs") ? f.inputs : f.outputs)), stdout);
        fflush(stdout);
        machine_free(in);
    }
}

// Terminates the first form of "form & form". Returns the rest, or NULL.
static char *next_form(char *form)
{
    char *rest = strstr(form, " & ");
    if (!rest)
        return NULL;
    *rest = 0;
    return rest + strlen(" & ");
}

static void check_form(const struct line *l)
{
    static uint64_t out[CASES * 8];
    struct form f = table_form(l->form);
    uint64_t *in = make_inputs(&f);
    if (check(run(&f, in, out), l->form, "does not run") && compare(l, &f, in, out) && f.inputs &&
        !strstr(f.text, ".sync") && !strstr(f.text, "atom."))
        run_in_all_ways("input", f, in, out);
    machine_free(in);
}

static int check_all(char *recording)
{
    int compared = 0, refused = 0;
    while (*recording) {
        char *text = next_line(&recording);
        if (*text == '#')
            continue;
        struct line l = read_recorded(text);
        for (char *rest; l.form; l.form = rest) {
            rest = next_form(l.form);
            refused += l.refused;
            compared += !l.refused;
            if (!l.refused)
                check_form(&l);
        }
    }
    printf("%d instructions compared with a GPU's on %d inputs each (%d more its assembler refuses), %d differ\n",
           compared, CASES, refused, failures);
    return failures || !compared;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    char *text = read_text(argv[2]);
    int failed = 0;
    if (!strcmp(argv[1], "check"))
        failed = check_all(text);
    else
        record_all(text, argv[1]);
    free(text);
    return failed;
}
