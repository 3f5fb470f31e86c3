// Sums of products in eight columns at once (exec/tensor_columns.c) equal those of one after another
// (exec/tensor_sum.c), bit for bit: of any bits, of zeros, near the smallest and the largest numbers. A form of sixteen
// columns is always summed one after another.
#include <stdio.h>
#include <string.h>

#include "exec/tensor_sum.h"

#define ROWS 16
#define MAX_K 16
#define MAX_PRINTED 5

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

enum kind { ANY, FINITE, USUAL, SPARSE, ZEROS, SMALL, LARGE, NEAR_SMALLEST, KINDS };

// A word of this type. Its mantissa has as many bits, its exponent likewise.
static uint32_t word_of(uint32_t mantissa, uint32_t exponent, enum kind kind)
{
    uint32_t most = (1u << exponent) - 1, bias = most / 2, sign = draw(2) << (mantissa + exponent);
    uint32_t m = draw(1u << mantissa), e = 0;
    switch (kind) {
    case ANY: e = draw(most + 1); break;
    case FINITE: e = draw(most); break;
    case USUAL: e = bias - draw(8); break;
    case SPARSE: return draw(3) ? 0 : sign | (bias + draw(3)) << mantissa;
    case ZEROS: return sign;
    case SMALL: e = draw(4); break;
    case LARGE: e = most - 1 - draw(4); break;
    default: e = bias / 2 + draw(8);
    }
    return sign | e << mantissa | m;
}

struct form {
    enum tensor_type type;
    uint32_t mantissa, exponent, unused, k, block;
};

static const struct form forms[] = {{TENSOR_BF16, 7, 8, 0, 16, 16},
                                    {TENSOR_BF16, 7, 8, 0, 8, 8},
                                    {TENSOR_F16, 10, 5, 0, 16, 16},
                                    {TENSOR_TF32, 10, 8, 13, 8, 8},
                                    {TENSOR_TF32, 10, 8, 13, 8, 4}};
enum { FORMS = sizeof forms / sizeof *forms };

static struct tensor_form form_of(const struct form *f, uint32_t columns)
{
    struct tensor_form t = {
        .m = ROWS, .n = (uint16_t)columns, .k = (uint16_t)f->k, .block = (uint16_t)f->block, .count = 1};
    t.part[PART_A].type = t.part[PART_B].type = (uint8_t)f->type;
    t.part[PART_C].type = t.part[PART_D].type = TENSOR_F32;
    return t;
}

struct matrices {
    uint32_t a[ROWS * MAX_K], b[16 * MAX_K], c[ROWS * 16], d[ROWS * 16];
};

static void fill(struct matrices *m, const struct form *f, const enum kind *kind)
{
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < ROWS * f->k; i++) // some rows of zeros
        m->a[i] = i / f->k % 4 == 3 ? 0 : word_of(f->mantissa, f->exponent, kind[0]) << f->unused;
    for (uint32_t i = 0; i < 8 * f->k; i++)
        m->b[i] = word_of(f->mantissa, f->exponent, kind[1]) << f->unused;
    for (uint32_t i = 0; i < ROWS * 8; i++)
        m->c[i] = word_of(23, 8, kind[2]);
}

// Whether eight columns could be summed at once. Adds the words that differ to *wrong.
static bool compare(const struct form *f, const struct matrices *m, long *wrong)
{
    static struct matrices wide;
    uint32_t d[ROWS * 8];
    struct tensor_form eight = form_of(f, 8), sixteen = form_of(f, 16);
    memset(&wide, 0, sizeof wide);
    memcpy(wide.a, m->a, sizeof wide.a);
    memcpy(wide.b, m->b, sizeof wide.b);
    for (uint32_t i = 0; i < ROWS * 8; i++)
        wide.c[i / 8 * 16 + i % 8] = m->c[i];
    multiply_floats(&sixteen, wide.a, wide.b, wide.c, wide.d);
    if (!multiply_columns(&eight, m->a, m->b, m->c, d))
        return false;
    for (uint32_t i = 0; i < ROWS * 8; i++) {
        uint32_t want = wide.d[i / 8 * 16 + i % 8];
        if (d[i] != want && (*wrong)++ < MAX_PRINTED)
            printf("form %td: row %u, column %u, c %08x: got %08x, wanted %08x\n", f - forms, i / 8, i % 8, m->c[i],
                   d[i], want);
    }
    return true;
}

int main(void)
{
    long wrong = 0, done = 0, tried = 0;
    static struct matrices m;
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < KINDS * KINDS * KINDS; i++) {
            const enum kind kind[] = {(enum kind)(i % KINDS), (enum kind)(i / KINDS % KINDS),
                                      (enum kind)(i / KINDS / KINDS)};
            fill(&m, &forms[form], kind);
            tried++;
            done += compare(&forms[form], &m, &wrong);
        }
    printf("%ld of %ld products in eight columns at once, %ld words differ\n", done, tried, wrong);
    return wrong || (done && done < tried / 4);
}
