// Lists every instruction whose results are compared with a GPU's, one form per line (table.h): all mnemonics in the
// rows of opcodes.def, and those of families that compute something. Usage: forms > FILE, see conform.c.
//     forms mnemonics     every mnemonic instead, for docs/simt.md; a family as its first word and a star
#include <stdio.h>
#include <string.h>

#include "decode/opcodes.h"

static void show_row(const char *mnemonic, enum opcode op)
{
    const struct opcode_info *info = &opcode_table[op];
    static const char *const letters[] = {"d", "a", "b", "c"};
    const enum lane_type types[] = {info->d, info->a, info->b, info->c};
    static const char *const names[] = {"", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"};
    static const char *const reals[] = {"bf16x2", "bf16", "f16x2", "f16"};
    const char *type = strrchr(mnemonic, '.') + 1;
    if (info->comparison) {
        printf("setp.%s\nset.%.*s.u32.%s\n", mnemonic, (int)(type - mnemonic - 1), mnemonic, type);
        return;
    }
    if (!info->operands)
        return;
    if (!strncmp(mnemonic, "lop3", 4)) {
        for (int table = 0; table < 256; table += 5)
            printf("lop3.b32 %%d.b32, %%a.b32, %%b.b32, %%c.b32, %d\n", table);
        return;
    }
    const char *real = NULL;
    for (int i = 0; i < 4; i++)
        if (!real && !strcmp(type, reals[i]))
            real = reals[i];
    printf("%s", mnemonic);
    for (int k = 0; k <= info->operands; k++)
        printf("%s%%%s.%s", k ? ", " : " ", letters[k], real ? real : names[types[k]]);
    printf("\n");
}

// ---- families

static void show_conversions(void)
{
    static const char *const integers[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    static const char *const reals[] = {"f16", "bf16", "f32", "f64"};
    static const char *const modes[] = {".rn", ".rz", ".rm", ".rp"}, *const whole[] = {".rni", ".rzi", ".rmi", ".rpi"};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            printf("cvt.%s.%s\ncvt.sat.%s.%s\n", integers[i], integers[k], integers[i], integers[k]);
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 8; i++)
            for (int m = 0; m < 4; m++) {
                printf("cvt%s.%s.%s\ncvt%s.%s.%s\n", modes[m], reals[r], integers[i], whole[m], integers[i], reals[r]);
                if (r == 2)
                    printf("cvt%s.ftz.%s.f32\n", whole[m], integers[i]);
            }
    for (int r = 0; r < 4; r++)
        for (int q = 0; q < 4; q++) {
            printf("cvt.%s.%s\ncvt.sat.%s.%s\ncvt.ftz.%s.%s\n", reals[r], reals[q], reals[r], reals[q], reals[r],
                   reals[q]);
            for (int m = 0; m < 4; m++) {
                const char *how = r == q ? whole[m] : modes[m];
                printf("cvt%s.%s.%s\ncvt%s.sat.%s.%s\ncvt%s.relu.%s.%s\n", how, reals[r], reals[q], how, reals[r],
                       reals[q], how, reals[r], reals[q]);
                printf("cvt%s.ftz.%s.%s\ncvt%s.ftz.sat.%s.%s\n", how, reals[r], reals[q], how, reals[r], reals[q]);
            }
        }
    for (int r = 0; r < 2; r++)
        for (int m = 0; m < 2; m++)
            printf("cvt%s.%sx2.f32 %%d.b32, %%a.f32, %%b.f32\ncvt%s.relu.%sx2.f32 %%d.b32, %%a.f32, %%b.f32\n",
                   modes[m], reals[r], modes[m], reals[r]);
}

static void show_pairs(void)
{
    static const char *const ops[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                      "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (int i = 0; i < 14; i++) {
        printf("setp.%s.f16x2 %%d0.pred|%%d1.pred, %%a.f16x2, %%b.f16x2\n", ops[i]);
        printf("setp.%s.bf16x2 %%d0.pred|%%d1.pred, %%a.bf16x2, %%b.bf16x2\n", ops[i]);
        printf("set.%s.f16x2.f16x2\nset.%s.bf16x2.bf16x2\nset.%s.u32.f16x2 %%d.b32, %%a.f16x2, %%b.f16x2\n", ops[i],
               ops[i], ops[i]);
        printf("set.%s.f16.f16\nset.%s.f32.f32\nset.%s.ftz.f32.f32\n", ops[i], ops[i], ops[i]);
        printf("setp.%s.and.f32 %%d0.pred|%%d1.pred, %%a.f32, %%b.f32, %%c.pred\n", ops[i]);
    }
}

static void show_bits(void)
{
    static const char *const kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (int i = 0; i < 6; i++)
        printf("testp.%s.f32\ntestp.%s.f64\n", kinds[i], kinds[i]);
    printf("selp.b32\nselp.f64\nslct.u32.s32 %%d.u32, %%a.u32, %%b.u32, %%c.s32\n");
    printf("slct.f64.f32 %%d.f64, %%a.f64, %%b.f64, %%c.f32\nslct.ftz.u32.f32 %%d.u32, %%a.u32, %%b.u32, %%c.f32\n");
    for (int n = 32; n <= 64; n += 32) {
        printf("bfi.b%d %%d.b%d, %%a.b%d, %%b.b%d, %%c.b32, %%e.b32\n", n, n, n, n);
        printf("add.cc.u%d %%d0.u%d, %%a.u%d, %%b.u%d; addc.u%d %%d1.u%d, %%c.u%d, %%e.u%d\n", n, n, n, n, n, n, n, n);
        printf("sub.cc.u%d %%d0.u%d, %%a.u%d, %%b.u%d; subc.u%d %%d1.u%d, %%c.u%d, %%e.u%d\n", n, n, n, n, n, n, n, n);
        printf("mad.lo.cc.u%d %%d0.u%d, %%a.u%d, %%b.u%d, %%c.u%d; madc.hi.u%d %%d1.u%d, %%a, %%b, %%e.u%d\n", n, n, n,
               n, n, n, n, n);
    }
    printf("lop3.or.b32 %%d0.b32|%%d1.pred, %%a.b32, %%b.b32, %%c.b32, 0x96, %%q.pred\n");
    printf("lop3.and.b32 %%d0.b32|%%d1.pred, %%a.b32, %%b.b32, %%c.b32, 0x80, %%q.pred\n");
}

static void show_warp(void)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const char *const votes[] = {"all", "any", "uni"}, *const reduce[] = {"add", "min", "max"};
    for (int i = 0; i < 4; i++)
        printf("shfl.sync.%s.b32 %%d0.b32|%%d1.pred, %%a.b32, %%b.b32, %%c.b32, 0xffffffff\n", modes[i]);
    for (int i = 0; i < 3; i++) {
        printf("vote.sync.%s.pred %%d.pred, %%a.pred, %%%%named\n", votes[i]);
        printf("redux.sync.%s.u32 %%d.u32, %%a.u32, %%%%named\nredux.sync.%s.s32 %%d.s32, %%a.s32, %%%%named\n",
               reduce[i], reduce[i]);
    }
    printf("vote.sync.ballot.b32 %%d.b32, %%a.pred, %%%%named\nredux.sync.and.b32 %%d.b32, %%a.b32, %%%%named\n");
    printf("redux.sync.or.b32 %%d.b32, %%a.b32, %%%%named\nredux.sync.xor.b32 %%d.b32, %%a.b32, %%%%named\n");
    printf("and.b32 %%t.b32, %%a.b32, 3; match.any.sync.b32 %%d.b32, %%t, %%%%named\n");
    printf("and.b64 %%t.b64, %%a.b64, 3; match.any.sync.b64 %%d.b32, %%t, %%%%named\n");
    printf("and.b32 %%t.b32, %%a.b32, 0; match.all.sync.b32 %%d0.b32|%%d1.pred, %%t, %%%%named\n");
    printf("and.b32 %%t.b32, %%a.b32, 1; match.all.sync.b32 %%d0.b32|%%d1.pred, %%t, %%%%named\n");
}

static void show_atomics(void)
{
    static const char *const ops[] = {
        "add.u32", "add.s32", "add.u64",       "add.f32",         "add.f64",        "exch.b32",        "exch.b64",
        "min.u32", "min.s32", "min.u64",       "min.s64",         "max.u32",        "max.s32",         "max.u64",
        "max.s64", "inc.u32", "dec.u32",       "and.b32",         "or.b32",         "xor.b32",         "and.b64",
        "or.b64",  "xor.b64", "add.noftz.f16", "add.noftz.f16x2", "add.noftz.bf16", "add.noftz.bf16x2"};
    static const char *const cas[] = {"b16", "b32", "b64"};
    for (int space = 0; space < 2; space++) {
        const char *where = space ? "shared" : "global", *cell = space ? "%%cell" : "%%out+64";
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            const char *t = strrchr(ops[i], '.') + 1;
            int bits = strstr(t, "64") ? 64 : strstr(t, "x2") || strstr(t, "32") ? 32 : 16;
            printf("st.%s.b%d [%s], %%a.%s; atom.%s.%s %%d0.%s, [%s], %%b.%s; ld.%s.b%d %%d1.%s, [%s]\n", where, bits,
                   cell, t, where, ops[i], t, cell, t, where, bits, t, cell);
        }
        for (int i = 0; i < 3; i++)
            printf("and.%s %%t.%s, %%b.%s, 1; and.%s %%t2.%s, %%a.%s, 1; st.%s.%s [%s], %%t2; "
                   "atom.%s.cas.%s %%d0.%s, [%s], %%t, %%c.%s; ld.%s.%s %%d1.%s, [%s]\n",
                   cas[i], cas[i], cas[i], cas[i], cas[i], cas[i], where, cas[i], cell, where, cas[i], cas[i], cell,
                   cas[i], where, cas[i], cas[i], cell);
    }
}

static void show_mnemonic(const char *mnemonic, enum opcode op)
{
    const struct opcode_info *info = &opcode_table[op];
    printf("%s%s%s\n", info->comparison ? "setp." : "", mnemonic, info->operands ? "" : " *");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "mnemonics")) {
        opcodes_each(show_mnemonic);
        return 0;
    }
    opcodes_each(show_row);
    show_conversions();
    show_pairs();
    show_bits();
    show_warp();
    show_atomics();
    return 0;
}
