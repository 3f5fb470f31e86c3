// reference.h: the expected C: the sums of chapter 07-matmul in double, and the tolerance derived in matmul.h.
#pragma once

#include "harness.h"
#include "matmul/calls.h"
#include "matmul/inputs.h"

struct matmul {
    matmul_function *floats;    // either this
    matmul_bf16_function *bf16; // or this
    int transposed;             // A is stored that way
    int m, n, k, wide;     // wide: the pitch of all matrices on the device; 0: as on the host
    struct matrix a, b, c; // as they are stored
    int exact;             // all sums are whole numbers that floats hold
    double share;          // the largest share of the tolerance that was used
};

struct sum {
    double value, absolute; // of the products, and of their absolute values
};

static double a_of(const struct matmul *p, int i, int l)
{
    return p->transposed ? element(&p->a, l, i) : element(&p->a, i, l);
}

// The bound on |C(i, j) - exact|, given the element of |A| |B|.
static double tolerance(const struct matmul *p, double absolute)
{
    double u = ldexp(1, -24), k = p->k;
    if (p->exact)
        return 0;
    return (p->bf16 ? (k + 16) * 4 * u : k * u / (1 - k * u)) * absolute;
}

// Row i of the product: sums[j] for all columns.
static void sum_row(const struct matmul *p, int i, struct sum *sums)
{
    memset(sums, 0, (size_t)p->n * sizeof *sums);
    for (int l = 0; l < p->k; l++) {
        double a = a_of(p, i, l);
        for (int j = 0; j < p->n; j++) {
            double product = a * element(&p->b, l, j);
            sums[j].value += product;
            sums[j].absolute += fabs(product);
        }
    }
}

static struct sum sum_element(const struct matmul *p, int i, int j)
{
    struct sum s = {};
    for (int l = 0; l < p->k; l++) {
        double product = a_of(p, i, l) * element(&p->b, l, j);
        s.value += product;
        s.absolute += fabs(product);
    }
    return s;
}

// The number of wrong elements so far, and the message about the first.
struct wrong {
    long long count, first;
    char got[64], want[64], note[300];
};

static void check_element(struct matmul *p, int i, int j, struct sum exact, struct wrong *wrong)
{
    const float *word = &((const float *)p->c.host)[(size_t)i * (size_t)p->c.pitch + (size_t)j], got = *word;
    double allowed = tolerance(p, exact.absolute), off = fabs(got - exact.value);
    bool right = off <= allowed; // NaN is not
    if (right && allowed > 0)
        p->share = fmax(p->share, off / allowed);
    if (right || wrong->count++ > 0)
        return;
    wrong->first = (long long)i * p->n + j;
    snprintf(wrong->got, sizeof wrong->got, "%.9g%s", got, record_wrong_word(word));
    snprintf(wrong->want, sizeof wrong->want, allowed > 0 ? "%.9g +- %.3g" : "%.9g", exact.value, allowed);
    snprintf(wrong->note, sizeof wrong->note, "%s\n  where   C(%d, %d): row %d, column %d", harness.note, i, j, i, j);
}

static void judge_wrong(const struct matmul *p, struct wrong *wrong)
{
    if (wrong->count > 0)
        harness.note = wrong->note;
    judge(wrong->count, (long long)p->m * p->n, wrong->first, wrong->got, wrong->want, 0);
}

static void check_every_element(struct matmul *p)
{
    struct wrong wrong = {};
    struct sum *sums = (struct sum *)host_alloc((size_t)p->n * sizeof *sums);
    for (int i = 0; i < p->m; i++) {
        sum_row(p, i, sums);
        for (int j = 0; j < p->n; j++)
            check_element(p, i, j, sums[j], &wrong);
    }
    host_free(sums);
    judge_wrong(p, &wrong);
}

// ---- Large matrices ----------------------------------------------------------------------------------------
static void check_some_elements(struct matmul *p)
{
    uint64_t state = harness.seed;
    struct wrong wrong = {};
    for (int round = 0; round < 4096; round++) {
        int i = (int)(random_bits(&state) % (uint64_t)p->m), j = (int)(random_bits(&state) % (uint64_t)p->n);
        i = round % 8 == 0 ? p->m - 1 : i;
        j = round % 8 == 1 ? p->n - 1 : j;
        check_element(p, i, j, sum_element(p, i, j), &wrong);
    }
    judge_wrong(p, &wrong);
}

// C x against A (B x) for whole numbers: nothing is rounded. |x| <= 2^16, so that sums stay below 2^53.
static void check_products(struct matmul *p)
{
    size_t n = (size_t)p->n, k = (size_t)p->k;
    double *x = (double *)host_alloc((n + k) * sizeof *x), *y = x + n;
    uint64_t state = harness.seed;
    for (int j = 0; j < p->n; j++)
        x[j] = (double)(random_bits(&state) >> 48) + 1;
    for (int l = 0; l < p->k; l++) {
        y[l] = 0;
        for (int j = 0; j < p->n; j++)
            y[l] += element(&p->b, l, j) * x[j];
    }
    for (int i = 0; i < p->m; i++) {
        double got = 0, want = 0;
        for (int j = 0; j < p->n; j++)
            got += element(&p->c, i, j) * x[j];
        for (int l = 0; l < p->k; l++)
            want += a_of(p, i, l) * y[l];
        if (!(got == want))
            fail(WRONG, "wrong answer: row %d of C is wrong; times a vector it gives %.0f, and A (B x) %.0f", i, got,
                 want);
    }
    host_free(x);
}

static const double LARGE_PRODUCT = 1 << 27; // multiplications, from which not every element is summed on the host

static void check_product(struct matmul *p, const struct input *input)
{
    copy_matrix(&p->c, 0);
    check_padding(&p->c, "C", "ldc");
    if ((double)p->m * p->n * p->k < LARGE_PRODUCT)
        check_every_element(p);
    else if (input == &INPUTS[WHOLE])
        check_products(p);
    else
        check_some_elements(p);
    check_matrix_untouched(&p->a);
    check_matrix_untouched(&p->b);
}
