// Atomic operations: every operation and type in global, shared and generic memory; all lanes on one address, on
// addresses shared by four, and on different ones; and special registers, whose values depend on the launch.
//
// The lanes of one instruction may run in any order: the values that they return must be possible in one of these
// orders.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define LANES 32

static uint64_t random_state = 88172645463325252;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

// ---- one operation

struct operation {
    const char *name, *type;
};

static const struct operation operations[] = {
    {"add", "u32"}, {"add", "s32"}, {"add", "u64"}, {"add", "f32"}, {"add", "f64"}, {"exch", "b32"}, {"exch", "b64"},
    {"cas", "b32"}, {"cas", "b64"}, {"min", "u32"}, {"min", "s32"}, {"min", "u64"}, {"min", "s64"},  {"max", "u32"},
    {"max", "s32"}, {"max", "u64"}, {"max", "s64"}, {"inc", "u32"}, {"dec", "u32"}, {"and", "b32"},  {"or", "b32"},
    {"xor", "b32"}, {"and", "b64"}, {"or", "b64"},  {"xor", "b64"},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

static bool is(const struct operation *o, const char *name)
{
    return !strcmp(o->name, name);
}

static bool wide(const struct operation *o)
{
    return !strcmp(o->type + 1, "64");
}

static uint64_t add(const struct operation *o, uint64_t x, uint64_t y)
{
    float f, g;
    double d, e;
    if (o->type[0] != 'f')
        return x + y;
    if (wide(o)) {
        memcpy(&d, &x, 8);
        memcpy(&e, &y, 8);
        d += e;
        memcpy(&x, &d, 8);
        return x;
    }
    memcpy(&f, &x, 4);
    memcpy(&g, &y, 4);
    f += g;
    x = 0;
    memcpy(&x, &f, 4);
    return x;
}

static bool below(const struct operation *o, uint64_t x, uint64_t y)
{
    if (o->type[0] == 'u')
        return x < y;
    return wide(o) ? (int64_t)x < (int64_t)y : (int32_t)x < (int32_t)y;
}

// The value in memory after the operation with operand y (and z for cas), by the ISA.
static uint64_t after(const struct operation *o, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t r = is(o, "add")    ? add(o, x, y)
                 : is(o, "exch") ? y
                 : is(o, "cas")  ? (x == y ? z : x)
                 : is(o, "min")  ? (below(o, y, x) ? y : x)
                 : is(o, "max")  ? (below(o, x, y) ? y : x)
                 : is(o, "inc")  ? (x >= y ? 0 : x + 1)
                 : is(o, "dec")  ? (x == 0 || x > y ? y : x - 1)
                 : is(o, "and")  ? (x & y)
                 : is(o, "or")   ? (x | y)
                                 : (x ^ y);
    return wide(o) ? r : (uint32_t)r;
}

// ---- is there an order of the lanes that gives these results?

struct lane {
    uint64_t b, c, old;
};

// Runs the lanes of left one after another from the value now; true if the last leaves `end`.
static bool possible(const struct operation *o, const struct lane *lanes, uint32_t left, uint64_t now, uint64_t end)
{
    if (!left)
        return now == end;
    for (int pass = 0; pass < 2; pass++) // a lane that changes nothing can always go first
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(left >> l & 1) || lanes[l].old != now)
                continue;
            uint64_t next = after(o, now, lanes[l].b, lanes[l].c);
            if (pass == 0 && next == now)
                return possible(o, lanes, left & ~(1u << l), now, end);
            if (pass == 1 && possible(o, lanes, left & ~(1u << l), next, end))
                return true;
        }
    return false;
}

static uint64_t operand(const struct operation *o, uint32_t l)
{
    uint64_t r = random_bits();
    float f = (float)((int)(r % 2001) - 1000) / 8; // sums of these are exact in any order
    double d = f;
    if (is(o, "inc") || is(o, "dec"))
        return r % 7;
    if (is(o, "cas"))
        return l % 5;
    if (o->type[0] != 'f')
        return wide(o) ? r : (uint32_t)r;
    if (wide(o))
        memcpy(&r, &d, 8);
    else {
        r = 0;
        memcpy(&r, &f, 4);
    }
    return r;
}

// ---- kernels: lane l works on cell (l & spread) of 8-byte cells; slots of 32 bytes: b, c, old, the cell afterwards

static const char *const places[] = {"global", "shared", "generic"};

static char *kernel(const struct operation *o, int place, bool red, const char *modifiers)
{
    static char text[8192];
    const char *reg = wide(o) ? "b64" : "b32", *space = place == 0 ? ".global" : place == 1 ? ".shared" : "";
    const char *start = place == 1   ? "mov.u64 %cell, s;\nadd.u64 %cell, %cell, %at;\n"
                        : place == 0 ? "mov.u64 %cell, g;\nadd.u64 %cell, %cell, %at;\n"
                                     : "mov.u64 %cell, s;\nadd.u64 %cell, %cell, %at;\ncvta.shared.u64 %cell, %cell;\n";
    char result[8] = "", third[8] = "";
    if (!red)
        snprintf(result, sizeof result, "%%old, ");
    if (is(o, "cas"))
        snprintf(third, sizeof third, ", %%c");
    snprintf(
        text, sizeof text,
        PTX_HEAD
        ".global .align 8 .b8 g[256];\n"
        ".visible .entry k(.param .u64 slots, .param .u32 spread, .param .u64 first)\n{\n.shared .align 8 .b8 s[256];\n"
        ".reg .b32 %%l, %%spread;\n.reg .b64 %%slot, %%cell, %%at, %%first;\n.reg .%s %%b, %%c, %%old;\n"
        "mov.u32 %%l, %%tid.x;\nld.param.u64 %%slot, [slots];\nmad.wide.u32 %%slot, %%l, 32, %%slot;\n"
        "ld.param.u32 %%spread, [spread];\nld.param.u64 %%first, [first];\nmul.wide.u32 %%at, %%l, 8;\n%s"
        "st%s.b64 [%%cell], %%first;\nbar.warp.sync -1;\nand.b32 %%l, %%l, %%spread;\nmul.wide.u32 %%at, %%l, 8;\n%s"
        "ld.global.%s %%b, [%%slot];\nld.global.%s %%c, [%%slot+8];\nmov.%s %%old, 0;\n"
        "%s%s%s.%s.%s %s[%%cell], %%b%s;\nbar.warp.sync -1;\nst.global.%s [%%slot+16], %%old;\n"
        "ld%s.b64 %%first, [%%cell];\nst.global.b64 [%%slot+24], %%first;\nret;\n}\n",
        reg, start, space, start, reg, reg, reg, red ? "red" : "atom", modifiers, space, o->name, o->type, result,
        third, reg, space);
    return text;
}

static bool lane_ok(const struct operation *o, const uint64_t *slots, uint32_t spread, uint64_t first, uint32_t cell,
                    bool red)
{
    struct lane lanes[LANES];
    uint32_t group = 0;
    uint64_t end = slots[cell * 4 + 3];
    for (uint32_t l = 0; l < LANES; l++) {
        lanes[l] = (struct lane){slots[l * 4], slots[l * 4 + 1], slots[l * 4 + 2]};
        group |= (uint32_t)((l & spread) == cell) << l;
    }
    if (!wide(o))
        end = (uint32_t)end;
    if (!red)
        return possible(o, lanes, group, first, end);
    uint64_t now = first; // in lane order: red's operations here give the same result in any order
    for (uint32_t l = 0; l < LANES; l++)
        if (group >> l & 1)
            now = after(o, now, lanes[l].b, lanes[l].c);
    return now == end;
}

static void run(const struct operation *o, int place, uint32_t spread, bool red, const char *modifiers)
{
    uint64_t *slots = machine_buffer(LANES * 32, 0), first = is(o, "cas") ? 3 : operand(o, 0);
    char where[96];
    for (uint32_t l = 0; l < LANES; l++) {
        slots[l * 4] = operand(o, l);
        slots[l * 4 + 1] = (l * 7 + 1) % 5;
    }
    struct module *m = machine_load(kernel(o, place, red, modifiers));
    int error = machine_run(m, "k", machine_line(1, LANES), &slots, &spread, &first);
    snprintf(where, sizeof where, "%s%s.%s.%s.%s, cells & %u", red ? "red" : "atom", modifiers, places[place], o->name,
             o->type, spread);
    check(error == 0, where, "launch error %d", error);
    for (uint32_t cell = 0; cell < LANES && !error; cell++)
        if ((cell & spread) == cell)
            check(lane_ok(o, slots, spread, first, cell, red), where, "what cell %u and its lanes got is not possible",
                  cell);
    machine_unload(m);
    machine_free(slots);
}

static void run_operation(const struct operation *o)
{
    static const char *const modifiers[] = {"",     ".relaxed.gpu", ".acquire.cta", ".release.sys", ".acq_rel.gpu",
                                            ".gpu", ".cta",         ".sys"};
    static const uint32_t spreads[] = {0, 7, 31};
    bool commutes = !is(o, "cas") && !is(o, "exch") && !is(o, "inc") && !is(o, "dec");
    for (int place = 0; place < 3; place++)
        for (int s = 0; s < 3; s++) {
            run(o, place, spreads[s], false, "");
            if (commutes)
                run(o, place, spreads[s], true, "");
        }
    for (int k = 1; k < 8; k++)
        run(o, 0, 7, false, modifiers[k]);
}

// ---- special registers

static const char *const registers[] = {
    "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",
    "%ntid.z",      "%ctaid.x",     "%ctaid.y",     "%ctaid.z",     "%nctaid.x",
    "%nctaid.y",    "%nctaid.z",    "%laneid",      "%warpid",      "%lanemask_eq",
    "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%dynamic_smem_size",
};
#define REGISTERS (sizeof registers / sizeof *registers)

static void expected(const struct machine_shape *s, const uint32_t block[3], const uint32_t tid[3], uint32_t *out)
{
    uint32_t t = tid[0] + s->block[0] * (tid[1] + s->block[1] * tid[2]), lane = t % 32, self = 1u << lane;
    for (int k = 0; k < 3; k++) {
        out[k] = tid[k];
        out[3 + k] = s->block[k];
        out[6 + k] = block[k];
        out[9 + k] = s->grid[k];
    }
    out[12] = lane;
    out[13] = t / 32;
    out[14] = self;
    out[15] = self | (self - 1);
    out[16] = self - 1;
    out[17] = ~(self - 1);
    out[18] = ~(self | (self - 1));
    out[19] = s->shared;
}

static char *special_kernel(void)
{
    static char text[8192];
    int n = snprintf(
        text, sizeof text,
        PTX_HEAD
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<8>;\n.reg .b64 %%o;\n"
        "ld.param.u64 %%o, [out];\nmov.u32 %%r0, %%ctaid.z;\nmov.u32 %%r1, %%nctaid.y;\nmov.u32 %%r2, %%ctaid.y;\n"
        "mad.lo.u32 %%r0, %%r0, %%r1, %%r2;\nmov.u32 %%r1, %%nctaid.x;\nmov.u32 %%r2, %%ctaid.x;\nmad.lo.u32 %%r0, "
        "%%r0, %%r1, %%r2;\n"
        "mov.u32 %%r1, %%ntid.z;\nmov.u32 %%r2, %%tid.z;\nmad.lo.u32 %%r0, %%r0, %%r1, %%r2;\nmov.u32 %%r1, %%ntid.y;\n"
        "mov.u32 %%r2, %%tid.y;\nmad.lo.u32 %%r0, %%r0, %%r1, %%r2;\nmov.u32 %%r1, %%ntid.x;\nmov.u32 %%r2, %%tid.x;\n"
        "mad.lo.u32 %%r0, %%r0, %%r1, %%r2;\nmad.wide.u32 %%o, %%r0, %d, %%o;\n",
        (int)REGISTERS * 4);
    for (size_t k = 0; k < REGISTERS; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "mov.u32 %%r3, %s;\nst.global.u32 [%%o+%zu], %%r3;\n",
                      registers[k], k * 4);
    snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
    return text;
}

static void compare_block(const struct machine_shape *s, const uint32_t b[3], const uint32_t *out)
{
    uint32_t threads = s->block[0] * s->block[1] * s->block[2], want[REGISTERS];
    uint32_t number = b[0] + s->grid[0] * (b[1] + s->grid[1] * b[2]);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t tid[3] = {t % s->block[0], t / s->block[0] % s->block[1], t / s->block[0] / s->block[1]};
        const uint32_t *got = out + (number * threads + t) * REGISTERS;
        expected(s, b, tid, want);
        for (size_t k = 0; k < REGISTERS; k++)
            if (!check(got[k] == want[k], registers[k], "thread %u of block %u: %u, wanted %u", t, number, got[k],
                       want[k]))
                return;
    }
}

static void run_special(struct machine_shape s)
{
    uint32_t blocks = s.grid[0] * s.grid[1] * s.grid[2], b[3];
    uint32_t *out = machine_buffer((size_t)blocks * s.block[0] * s.block[1] * s.block[2] * REGISTERS * 4, 0);
    struct module *m = machine_load(special_kernel());
    int error = machine_run(m, "k", s, &out);
    check(error == 0, "special registers", "launch error %d", error);
    for (b[2] = 0; b[2] < s.grid[2]; b[2]++)
        for (b[1] = 0; b[1] < s.grid[1]; b[1]++)
            for (b[0] = 0; b[0] < s.grid[0]; b[0]++)
                compare_block(&s, b, out);
    machine_unload(m);
    machine_free(out);
}

int main(void)
{
    for (size_t i = 0; i < OPERATIONS; i++)
        run_operation(&operations[i]);
    run_special((struct machine_shape){{3, 1, 1}, {70, 1, 1}, 128, false, 0});
    run_special((struct machine_shape){{2, 3, 1}, {8, 9, 1}, 0, false, 0});
    run_special((struct machine_shape){{2, 2, 3}, {3, 5, 7}, 256, false, 0});
    run_special((struct machine_shape){{1, 1, 1}, {1024, 1, 1}, 0, false, 0});
    printf("%d failures\n", failures);
    return failures != 0;
}
