// Compiled code does what interpretation does: the same kernels both ways, results and counters compared, and the same
// accesses refused. Usage: SIMT_CHECK=none SIMT_COUNT=0 SIMT_COMPILE=on test_compiled; skipped (77) where cc is not GCC.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code.h"
#include "decode/module.h"
#include "machine.h"
#include "native/native.h"
#include "report/settings.h"
#include "simt.h"

#define THREADS 256
#define WORDS 4096

// Arithmetic, a loop, a way for some lanes in a way for others, shared memory by rows, strides and scattered, a barrier,
// shuffles, guarded accesses, vectors. in: WORDS words; out: 8 words for each thread.
static const char kernel[] = PTX_HEAD
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
    ".reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %d<20>; .reg .f32 %f<20>;\n"
    ".shared .align 16 .b8 cache[4096];\n"
    "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r5, %r3, %r4, %r2;\n"
    "mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d2, %d3; ld.global.u32 %r6, [%d4];\n"
    "shl.b32 %r7, %r2, 2; mov.u32 %r8, cache; add.s32 %r9, %r8, %r7; st.shared.u32 [%r9], %r6; bar.sync 0;\n"
    "mov.u32 %r10, 0; mov.u32 %r11, 0;\n"
    "LOOP: add.s32 %r12, %r2, %r10; mul.lo.s32 %r13, %r12, 37; and.b32 %r14, %r13, 255; shl.b32 %r15, %r14, 2;\n"
    "add.s32 %r16, %r8, %r15; ld.shared.u32 %r17, [%r16]; xor.b32 %r11, %r11, %r17; shf.l.wrap.b32 %r11, %r11, %r11, 5;\n"
    "setp.lt.u32 %p1, %r17, 0x80000000; @%p1 bra LESS;\n"
    "setp.gt.s32 %p2, %r2, 7; selp.b32 %r18, %r17, %r6, %p2; add.s32 %r11, %r11, %r18; @%p2 bra JOIN;\n"
    "sub.s32 %r11, %r11, %r2; ld.shared.u32 %r19, [%r9]; max.s32 %r11, %r11, %r19; bra JOIN;\n"
    "LESS: min.u32 %r11, %r11, %r17; st.shared.u32 [%r9+1024], %r11;\n"
    "JOIN: add.s32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, %r1; @%p3 bra LOOP;\n"
    "mov.u32 %r20, 1; mov.u32 %r21, 31; mov.u32 %r22, -1; mov.u32 %r23, 0;\n"
    "shfl.sync.down.b32 %r24|%p4, %r11, %r20, %r21, %r22; shfl.sync.up.b32 %r25, %r11, 3, 0, %r22;\n"
    "shfl.sync.bfly.b32 %r26, %r11, 16, %r21, %r22; shfl.sync.idx.b32 %r27|%p5, %r11, 5, %r21, %r22;\n"
    "cvt.rn.f32.s32 %f1, %r24; cvt.rn.f32.u32 %f2, %r25; fma.rn.f32 %f3, %f1, %f2, %f1; div.rn.f32 %f4, %f3, %f2;\n"
    "sqrt.rn.f32 %f5, %f4; add.ftz.f32 %f6, %f5, %f1; setp.gt.f32 %p6, %f6, 0f00000000; mov.b32 %r28, %f6;\n"
    "and.pred %p7, %p6, %p4; selp.b32 %r29, 1, 2, %p7; @%p6 add.s32 %r28, %r28, 9; @!%p4 mov.b32 %r27, 4;\n"
    "cvt.s64.s32 %d5, %r28; shr.s64 %d6, %d5, 3; add.s64 %d7, %d6, %d3; mov.b64 {%r30, %r31}, %d7; mov.b64 %d8, {%r31, %r30};\n"
    "cvt.u32.u64 %r32, %d8; setp.lt.and.s32 %p8, %r32, %r28, %p6; selp.b32 %r33, %r32, %r29, %p8;\n"
    "mul.wide.u32 %d9, %r5, 32; add.s64 %d10, %d1, %d9;\n"
    "st.global.v4.u32 [%d10], {%r11, %r24, %r25, %r26}; st.global.v2.u32 [%d10+16], {%r27, %r28};\n"
    "st.global.u32 [%d10+24], %r33; mov.u32 %r34, 0; @%p6 ld.global.u32 %r34, [%d4]; st.global.u32 [%d10+28], %r34;\n"
    "ret;\n}\n"
    // Thread t of one block writes word t + n.
    ".visible .entry edge(.param .u64 out, .param .u32 n)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %d<9>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; add.s32 %r3, %r1, %r2;\n"
    "mul.wide.u32 %d2, %r3, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2; ret;\n}\n"
    // out[t] = t + 3 n, by n rounds of a loop.
    ".visible .entry lasting(.param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %r2;\n"
    "LOOP: add.s32 %r3, %r3, 3; sub.s32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
    "mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r3; ret;\n}\n";

#define ROUNDS 1000000u
#define MOST_LAUNCHES 2000

struct outcome {
    int error;
    struct simt_counters counters;
    uint32_t out[8 * WORDS];
};

static bool is_compiled(const struct module *m, const char *name)
{
    const struct code *c = m->codes[module_function(m, name)];
    return c->native && atomic_load(native_open((struct code *)c, false));
}

// One launch; compiled: by compiled code, or it is interpreted.
static void launch(struct outcome *o, enum compile how, uint32_t threads, uint32_t n)
{
    struct module *m = machine_load(kernel);
    uint32_t *in = machine_buffer(WORDS * 4, 0), *out = machine_buffer(sizeof o->out, 0), x = 1;
    ((struct settings *)settings())->compile = how;
    for (int i = 0; i < WORDS; i++)
        in[i] = x = x * 1664525u + 1013904223u;
    simt_reset();
    o->error = machine_run(m, "k", machine_line(4, threads), &out, &in, &n);
    simt_read(&o->counters);
    memcpy(o->out, out, sizeof o->out);
    check(is_compiled(m, "k") == (how == COMPILE_ON), "k", "compiled: %d", how == COMPILE_ON);
    machine_free(in);
    machine_free(out);
    machine_unload(m);
}

static void compare(uint32_t threads, uint32_t n)
{
    static struct outcome interpreted, compiled;
    launch(&interpreted, COMPILE_OFF, threads, n);
    launch(&compiled, COMPILE_ON, threads, n);
    check(!interpreted.error && !compiled.error, "k", "errors %d and %d", interpreted.error, compiled.error);
    for (int i = 0; i < 8 * WORDS; i++)
        if (!check(interpreted.out[i] == compiled.out[i], "k", "%u threads, n = %u: word %d is %x, compiled %x", threads,
                   n, i, interpreted.out[i], compiled.out[i]))
            return;
    static const char *const names[] = {
#define SIMT_FIELD(name, meaning) #name,
        SIMT_COUNTERS(SIMT_FIELD)
#undef SIMT_FIELD
    };
    const uint64_t *a = (const uint64_t *)&interpreted.counters, *b = (const uint64_t *)&compiled.counters;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(a[i] == b[i], "k", "%u threads, n = %u: %s is %llu, compiled %llu", threads, n, names[i],
              (unsigned long long)a[i], (unsigned long long)b[i]);
}

// Innocent: the last word of the buffer is the last one written. Guilty: one word further.
static void edge(uint32_t further)
{
    struct module *m = machine_load(kernel);
    uint32_t *out = machine_buffer(WORDS * 4, 0), n = WORDS - 32 + further;
    ((struct settings *)settings())->compile = COMPILE_ON;
    machine_listen();
    int error = machine_run(m, "edge", machine_line(1, 32), &out, &n);
    const char *heard = machine_heard();
    check((error != 0) == (further != 0), "edge", "%u too far: error %d", further, error);
    check(!further == !strstr(heard, "0 bytes past the end"), "edge", "%u too far: %s", further, heard);
    check(is_compiled(m, "edge"), "edge", "is not compiled");
    machine_unload(m);
}

// A kernel that runs long is compiled beside the machine, not at first; its results are right before and after.
static void lasting(void)
{
    struct module *m = machine_load(kernel);
    uint32_t *out = machine_buffer(32 * 4, 0), n = ROUNDS;
    int launches = 0;
    ((struct settings *)settings())->compile = COMPILE_AUTO;
    for (bool was = false, is = false; !was && launches < MOST_LAUNCHES; launches++) {
        was = is; // one more once it is there
        int error = machine_run(m, "lasting", machine_line(1, 32), &out, &n);
        check(!error && out[31] == 31 + 3 * n, "lasting", "launch %d: error %d, %u", launches, error, out[31]);
        is = is_compiled(m, "lasting");
        check(launches || !is, "lasting", "is compiled at once");
    }
    check(launches < MOST_LAUNCHES, "lasting", "is not compiled after %d launches", launches);
    machine_free(out);
    machine_unload(m);
}

int main(void)
{
    if (system("cc -fvect-cost-model=unlimited -E - < /dev/null > /dev/null 2>&1"))
        return 77;
    compare(THREADS, 1);
    compare(THREADS, 40);
    compare(THREADS - 7, 3); // the last warp is not whole
    edge(0);
    edge(1);
    lasting();
    printf("%d failures\n", failures);
    return failures != 0;
}
