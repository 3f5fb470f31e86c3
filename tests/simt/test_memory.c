// Loads and stores: every type, vector and space, with sign extension into wider registers; modifiers of cache, order
// and scope; addresses of every form; conversions of addresses between spaces.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "decode/code.h"
#include "report/report.h"

#define LANES 32
#define SLOT 32 // bytes of a lane in every space: the widest vector

static char text[1 << 15];
static size_t length;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, args);
    va_end(args);
}

static const char *const types[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "b32",
                                    "u32", "s32", "f32", "b64", "u64", "s64", "f64"};
#define TYPES (sizeof types / sizeof *types)

static uint32_t size_of(const char *type)
{
    return (uint32_t)atoi(type + 1) / 8;
}

// "%r0" or "{%r0, %r1}"
static const char *registers(uint32_t vector)
{
    return vector == 1 ? "%r0" : vector == 2 ? "{%r0, %r1}" : "{%r0, %r1, %r2, %r3}";
}

static const char *suffix(uint32_t vector)
{
    return vector == 1 ? "" : vector == 2 ? ".v2" : ".v4";
}

// ---- the spaces: where a lane's slot is, and how it is filled from global memory at %in and read back to %out

struct space {
    const char *name;    // of the instruction
    const char *declare; // in the kernel
    const char *address; // leaves the slot's address in %slot
    bool writable;       // else filled beforehand with the module's bytes 0, 7, 14, ...
};

#define GENERIC(space, variable) \
    "mov.u64 %%slot, " variable ";\nadd.u64 %%slot, %%slot, %%at;\ncvta." space ".u64 %%slot, %%slot;\n"
#define OWN(variable) "mov.u64 %%slot, " variable ";\nadd.u64 %%slot, %%slot, %%at;\n"

static const struct space spaces[] = {
    {".global", "", "add.u64 %%slot, %%work, %%at;\n", true},
    {"", "", "add.u64 %%slot, %%work, %%at;\n", true},
    {".shared", ".shared .align 16 .b8 s[1024];\n", OWN("s"), true},
    {"", ".shared .align 16 .b8 s[1024];\n", GENERIC("shared", "s"), true},
    {".local", ".local .align 16 .b8 s[1024];\n", OWN("s"), true},
    {"", ".local .align 16 .b8 s[1024];\n", GENERIC("local", "s"), true},
    {".const", "", OWN("constants"), false},
    {"", "", GENERIC("const", "constants"), false},
    {".global", "", OWN("variables"), false},
    {".param", "", "mov.b64 %%slot, bytes;\nadd.u64 %%slot, %%slot, %%at;\n", false},
};
#define SPACES (sizeof spaces / sizeof *spaces)

static uint8_t known_byte(uint32_t i)
{
    return (uint8_t)(i * 7 + (i >> 5));
}

static void put_variable(const char *space, const char *name)
{
    put(".%s .align 16 .b8 %s[1024] = {", space, name);
    for (uint32_t i = 0; i < 1024; i++)
        put("%s%u", i ? "," : "", known_byte(i));
    put("};\n");
}

static void put_head(const struct space *s, const char *wide)
{
    length = 0;
    put("%s", PTX_HEAD);
    put_variable("const", "constants");
    put_variable("global", "variables");
    put(".visible .entry k(.param .u64 in, .param .u64 work, .param .u64 out, .param .align 16 .b8 bytes[1024])\n{\n%s",
        s->declare);
    put(".reg .%s %%r<4>;\n.reg .b32 %%l;\n.reg .b64 %%in, %%work, %%out, %%at, %%slot;\nmov.u32 %%l, %%tid.x;\n"
        "mul.wide.u32 %%at, %%l, %d;\nld.param.u64 %%in, [in];\nadd.u64 %%in, %%in, %%at;\nld.param.u64 %%work, "
        "[work];\n"
        "ld.param.u64 %%out, [out];\nadd.u64 %%out, %%out, %%at;\n",
        wide, SLOT);
}

// Copies through the space and back: global in -> registers -> space -> wide registers -> out, 8 bytes per element.
static void put_kernel(const struct space *s, const char *type, const char *wide, uint32_t vector)
{
    put_head(s, wide);
    put(s->address, 0);
    if (s->writable) {
        put("ld.global%s.%s %s, [%%in];\n", suffix(vector), type, registers(vector));
        put("st%s%s.%s [%%slot], %s;\n", s->name, suffix(vector), type, registers(vector));
    }
    put("ld%s%s.%s %s, [%%slot];\n", s->name, suffix(vector), type, registers(vector));
    for (uint32_t k = 0; k < vector; k++)
        put("st.global.%s [%%out+%u], %%r%u;\n", wide, k * 8, k);
    put("ret;\n}\n");
}

static uint64_t extended(const uint8_t *from, const char *type, const char *wide)
{
    uint64_t v = 0;
    uint32_t bits = size_of(type) * 8, width = size_of(wide) * 8;
    memcpy(&v, from, bits / 8);
    if (type[0] == 's' && bits < 64 && v >> (bits - 1) & 1)
        v |= ~UINT64_C(0) << bits;
    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

struct buffers {
    uint8_t *in, *work, *out, params[1024];
};

static void run(struct buffers *b, const struct space *s, const char *type, const char *wide, uint32_t vector)
{
    char where[96];
    put_kernel(s, type, wide, vector);
    struct module *m = machine_load(text);
    memset(b->out, 0, 1024);
    int error = machine_run(m, "k", machine_line(1, LANES), &b->in, &b->work, &b->out, b->params);
    snprintf(where, sizeof where, "ld/st%s%s.%s, %s, register of %s", s->name, suffix(vector), type, s->address, wide);
    check(error == 0, where, "launch error %d", error);
    for (uint32_t l = 0; l < LANES && !error; l++)
        for (uint32_t k = 0; k < vector; k++) {
            uint32_t at = l * SLOT + k * size_of(type);
            uint64_t got,
                want = extended(s->writable ? b->in + at
                                            : (uint8_t[8]){known_byte(at), known_byte(at + 1), known_byte(at + 2),
                                                           known_byte(at + 3), known_byte(at + 4), known_byte(at + 5),
                                                           known_byte(at + 6), known_byte(at + 7)},
                                type, wide);
            memcpy(&got, b->out + l * SLOT + k * 8, 8);
            if (!check(got == want, where, "lane %u element %u: 0x%llx, wanted 0x%llx", l, k, (unsigned long long)got,
                       (unsigned long long)want))
                l = k = LANES;
        }
    machine_unload(m);
}

static void run_types(struct buffers *b, const struct space *s)
{
    static const char *const widths[] = {"b16", "b32", "b64"};
    for (uint32_t t = 0; t < TYPES; t++)
        for (uint32_t vector = 1; vector <= 4; vector *= 2)
            for (uint32_t w = 0; w < 3; w++) {
                uint32_t size = size_of(types[t]), width = size_of(widths[w]);
                bool real = types[t][0] == 'f';
                if (size * vector <= 16 && size <= width && (!real || size == width))
                    run(b, s, types[t], widths[w], vector);
            }
}

// ---- modifiers and forms of addresses: each copies a word; the first operand of %% is the source

static const char *const copies[] = {
    "ld.global.ca.u32 %r0, [%a];\nst.global.wb.u32 [%b], %r0;",
    "ld.global.cg.u32 %r0, [%a];\nst.global.cg.u32 [%b], %r0;",
    "ld.global.cs.u32 %r0, [%a];\nst.global.cs.u32 [%b], %r0;",
    "ld.global.lu.u32 %r0, [%a];\nst.global.wt.u32 [%b], %r0;",
    "ld.global.cv.u32 %r0, [%a];\nst.u32 [%b], %r0;",
    "ld.global.nc.u32 %r0, [%a];\nst.volatile.global.u32 [%b], %r0;",
    "ld.volatile.global.u32 %r0, [%a];\nst.weak.global.u32 [%b], %r0;",
    "ld.volatile.u32 %r0, [%a];\nst.volatile.u32 [%b], %r0;",
    "ld.weak.global.u32 %r0, [%a];\nst.relaxed.cta.global.u32 [%b], %r0;",
    "ld.relaxed.gpu.global.u32 %r0, [%a];\nst.relaxed.gpu.global.u32 [%b], %r0;",
    "ld.relaxed.sys.u32 %r0, [%a];\nst.relaxed.sys.u32 [%b], %r0;",
    "ld.acquire.cta.global.u32 %r0, [%a];\nst.release.cta.global.u32 [%b], %r0;",
    "ld.acquire.gpu.u32 %r0, [%a];\nst.release.gpu.u32 [%b], %r0;",
    "ld.acquire.sys.global.u32 %r0, [%a];\nst.release.sys.global.u32 [%b], %r0;",
    "ld.global.L1::evict_last.u32 %r0, [%a];\nst.global.L1::no_allocate.u32 [%b], %r0;",
    "ld.global.L2::128B.u32 %r0, [%a];\nst.global.u32 [%b], %r0;",
    "ld.global.nc.L1::no_allocate.L2::256B.u32 %r0, [%a];\nst.global.u32 [%b], %r0;",
    "ldu.global.u32 %r0, [%a];\nst.global.u32 [%b], %r0;",
    "add.u64 %a, %a, -8;\nld.global.u32 %r0, [%a+8];\nadd.u64 %b, %b, 12;\nst.global.u32 [%b+-12], %r0;",
    "setp.eq.u32 %q, %l, 0;\nld.global.u32 %r0, [%a];\n@%q st.shared.u32 [s+64], %r0;\nbar.warp.sync -1;\n"
    "ld.shared.u32 %r0, [s+64];\nst.global.u32 [%b], %r0;",
    "ld.global.u32 %r0, [%a];\nst.volatile.shared.u32 [%o], %r0;\nld.volatile.shared.u32 %r0, [%o];\nst.global.u32 "
    "[%b], %r0;",
    "ld.global.u32 %r0, [%a];\nst.shared::cta.u32 [%o], %r0;\nld.shared::cta.u32 %r0, [%o];\nst.global.u32 [%b], %r0;",
    "prefetch.global.L1 [%a];\nprefetch.global.L2 [%a];\nprefetchu.L1 [%a];\nld.global.u32 %r0, [%a];\nst.global.u32 "
    "[%b], %r0;",
    "membar.cta;\nmembar.gl;\nmembar.sys;\nfence.acq_rel.gpu;\nfence.sc.cta;\nnanosleep.u32 20;\npmevent 3;\n"
    "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
    "ld.global.u32 %r0, [%a];\nst.global.u32 [%b], %r0;",
    "ld.global.u32 %r0, [%a];\nst.global.u32 [%b], 0;\nred.global.add.u32 [%b], %r0;\nred.relaxed.gpu.global.or.b32 "
    "[%b], 0;",
    "setp.eq.u32 %q, %l, 0;\n@%q discard.global.L2 [%b], 128;\nld.global.u32 %r0, [%a];\nbarrier.sync "
    "0;\nbarrier.cta.sync 0;\n"
    "activemask.b32 %r1;\nshr.u32 %r1, %r1, %l;\nand.b32 %r1, %r1, 1;\nsetp.eq.u32 %p, %r1, 0;\n@%p trap;\n"
    "barrier.cta.red.popc.u32 %r2, 0, %q;\nsetp.ne.u32 %p, %r2, 1;\n@%p trap;\nst.global.u32 [%b], %r0;\nexit;",
    "cvta.to.global.u64 %a, %a;\ncvta.global.u64 %a, %a;\nld.u32 %r0, [%a];\ncvta.to.global.u64 %b, %b;\nst.global.u32 "
    "[%b], %r0;",
    "ld.global.u32 %r0, [%a];\nmov.u64 %g, s;\ncvta.shared.u64 %g, %g;\nsetp.eq.u32 %q, %l, 0;\n"
    "@%q st.u32 [%g+16], %r0;\nbar.warp.sync -1;\ncvta.to.shared.u64 %g, %g;\nld.shared.u32 %r0, [%g+16];\n"
    "st.global.u32 [%b], %r0;",
    "ld.global.u32 %r0, [%a];\nst.local.u32 [p+4], %r0;\nmov.u64 %g, p;\ncvta.local.u64 %g, %g;\nld.u32 %r0, "
    "[%g+4];\nst.global.u32 [%b], %r0;",
    // isspacep: 1 for the space the address is in, 0 for the others
    "mov.u64 %g, s;\ncvta.shared.u64 %g, %g;\nisspacep.shared %p, %g;\nisspacep.global %q, %g;\n@!%p trap;\n@%q trap;\n"
    "isspacep.local %q, %g;\n@%q trap;\nisspacep.global %p, %a;\n@!%p trap;\nisspacep.shared %q, %a;\n@%q trap;\n"
    "mov.u64 %g, p;\ncvta.local.u64 %g, %g;\nisspacep.local %p, %g;\n@!%p trap;\n"
    "ld.global.u32 %r0, [%a];\nst.global.u32 [%b], %r0;",
    // a branch by index that splits the lanes four ways
    "ld.global.u32 %r0, [%a];\nand.b32 %r1, %l, 3;\nTABLE: .branchtargets A, B, C, D;\nbrx.idx %r1, TABLE;\n"
    "A:\nadd.u32 %r0, %r0, 10;\nbra E;\nB:\nadd.u32 %r0, %r0, 11;\nbra E;\nC:\nadd.u32 %r0, %r0, 12;\nbra E;\n"
    "D:\nadd.u32 %r0, %r0, 13;\nE:\nsub.u32 %r0, %r0, 10;\nsub.u32 %r0, %r0, %r1;\nst.global.u32 [%b], %r0;",
    // a generic access whose lanes address different spaces
    "ld.global.u32 %r0, [%a];\nand.b32 %r1, %l, 1;\nsetp.eq.u32 %p, %r1, 0;\nmov.u64 %g, p;\ncvta.local.u64 %g, %g;\n"
    "selp.u64 %g, %g, %b, %p;\nst.u32 [%g], %r0;\nld.u32 %r0, [%g];\nst.global.u32 [%b], %r0;",
};

static void run_copy(const char *instructions)
{
    uint32_t *in = machine_buffer(128, 0), *out = machine_buffer(128, 0);
    length = 0;
    put("%s.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 16 .b8 s[256];\n.local .align 8 .b8 "
        "p[16];\n"
        ".reg .b32 %%r<4>, %%l, %%o;\n.reg .b64 %%a, %%b, %%at, %%g;\n.reg .pred %%p, %%q;\nmov.u32 %%l, %%tid.x;\n"
        "mul.wide.u32 %%at, %%l, 4;\nld.param.u64 %%a, [in];\nld.param.u64 %%b, [out];\nadd.u64 %%a, %%a, %%at;\n"
        "add.u64 %%b, %%b, %%at;\nmov.u32 %%o, s;\nmad.lo.u32 %%o, %%l, 4, %%o;\n",
        PTX_HEAD);
    put("%s\nret;\n}\n", instructions);
    bool one_word = strstr(instructions, "[s+64]") || strstr(instructions, "[%g+16]"); // of lane 0, for all
    for (uint32_t l = 0; l < LANES; l++)
        in[l] = one_word ? 77 : 1000 + l * 3;
    struct module *m = machine_load(text);
    int error = machine_run(m, "k", machine_line(1, LANES), &in, &out);
    check(error == 0, "copy", "%s: launch error %d", instructions, error);
    check(!memcmp(in, out, 128), "copy", "%s: lane 0 got %u, lane 31 %u", instructions, out[0], out[31]);
    machine_unload(m);
    machine_free(in);
    machine_free(out);
}

// Instructions that must be refused by name, never run as something else.
static const char *const refused[] = {
    "ld.global.sideways.u32 %r0, [%a];",  "st.global.u32.v3 [%b], %r0;",  "ld.global.v2.u32 %r0, [%a];",
    "atom.global.nand.b32 %r0, [%a], 1;", "shfl.up.b32 %r0, %r0, 1, 0;",  "wmma.load.a.sync %r0, [%a];",
    "add.u32.sideways %r0, %r0, 1;",      "setp.between.u32 %p, %r0, 1;", "cvt.u32.f8 %r0, %r0;",
};

// One instruction in a kernel; the launch's results and reports.
static void run_alone(const char *instruction, int code, const char *message)
{
    uint32_t *in = machine_buffer(128, 0), *out = machine_buffer(128, 0);
    snprintf(text, sizeof text,
             "%s.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%r<4>;\n"
             ".reg .b64 %%a, %%b;\n.reg .pred %%p;\nld.param.u64 %%a, [in];\nld.param.u64 %%b, [out];\n%s\nret;\n}\n",
             PTX_HEAD, instruction);
    struct module *m = machine_load(text);
    machine_listen();
    int error = machine_run(m, "k", machine_line(1, 1), &in, &out);
    const char *heard = machine_heard();
    machine_unload(m);
    check(error == code && strstr(heard, message), "alone", "%s: error %d, message '%s'", instruction, error, heard);
}

// A finding is printed once; after a module is unloaded its findings may be printed again.
static void run_again(void)
{
    snprintf(text, sizeof text, "%s.visible .entry k()\n{\ntrap;\nret;\n}\n", PTX_HEAD);
    struct module *m = machine_load(text);
    for (int run = 0; run < 3; run++) {
        if (run == 2)
            findings_forget(m->ptx);
        machine_listen();
        machine_launch(m, "k", machine_line(1, 1), NULL);
        bool heard = strstr(machine_heard(), "Trap at");
        check(heard == (run != 1), "again", "run %d was %s", run, heard ? "reported" : "not reported");
    }
    machine_unload(m);
}

// A trap at the end of a function is nvcc's own; __trap() has code after it.
static void run_replaced(void)
{
    for (int ends = 0; ends < 2; ends++) {
        snprintf(text, sizeof text, "%s.visible .entry k()\n{\ntrap;\n%s}\n", PTX_HEAD, ends ? "" : "ret;\n");
        struct module *m = machine_load(text);
        machine_listen();
        machine_launch(m, "k", machine_line(1, 1), NULL);
        bool heard = strstr(machine_heard(), "nvcc replaced code");
        check(heard == ends, "replaced", "a trap %s: it was %s", ends ? "at the end" : "before ret", machine_heard());
        machine_unload(m);
    }
}

// Registers and local memory are zero when a kernel starts, whatever the previous kernel left there.
static void run_unset(void)
{
    uint32_t *out = machine_buffer(2 * sizeof *out, 0xff), sum = 0;
    snprintf(text, sizeof text,
             "%s.visible .entry k(.param .u64 to, .param .u32 leave)\n{\n.reg .b32 %%a, %%b, %%l;\n.reg .b64 %%t;\n"
             ".reg .pred %%p;\n.local .b32 there;\nld.param.u64 %%t, [to];\nld.param.u32 %%l, [leave];\n"
             "setp.eq.u32 %%p, %%l, 0;\n@%%p bra LOOK;\nmov.u32 %%a, 77;\nst.local.u32 [there], %%a;\nLOOK:\n"
             "ld.local.u32 %%b, [there];\nst.global.u32 [%%t], %%a;\nst.global.u32 [%%t+4], %%b;\nret;\n}\n",
             PTX_HEAD);
    struct module *m = machine_load(text);
    for (uint32_t leave = 1; leave < 2; leave--) {
        int error = machine_run(m, "k", machine_line(1, 1), &out, &leave);
        sum = error ? 1 : out[0] + out[1];
        check(sum == (leave ? 154 : 0), "unset", "%u after a kernel that left %s", sum, leave ? "nothing" : "77");
    }
    machine_unload(m);
    machine_free(out);
}

int main(void)
{
    struct buffers b = {machine_buffer(1024, 0), machine_buffer(1024, 0), machine_buffer(1024, 0), {0}};
    for (uint32_t i = 0; i < 1024; i++) {
        b.in[i] = (uint8_t)(i * 37 + 11);
        b.params[i] = known_byte(i);
    }
    for (uint32_t s = 0; s < SPACES; s++)
        run_types(&b, &spaces[s]);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        run_copy(copies[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        run_alone(refused[i], 801, "PTX line");
    run_alone("trap;", 719, "Trap at PTX line");
    run_alone("brkpt;", 719, "Trap at PTX line");
    run_again();
    run_replaced();
    run_unset();
    printf("%d failures\n", failures);
    return failures != 0;
}
