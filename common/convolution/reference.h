// reference.h: the expected output: the sums of chapter 08-convolution in double, and the tolerance derived in
// convolution.h.
#pragma once

#include "convolution/calls.h"
#include "harness.h"
#include "matmul/inputs.h"

enum problem { SIGNAL, IMAGE, SEPARABLE };

struct convolution {
    enum problem problem;
    signal_function *signal; // one of the three
    image_function *image;
    separable_function *separable;
    int width, height, radius, wide; // wide: the pitch of all images on the device; 0: as on the host
    struct matrix in, out, scratch;  // a signal is an image of one row
    float weights[MOST_TAPS * MOST_TAPS];
    float *d_filter;
    int exact;    // all sums are whole numbers that floats hold
    double share; // the largest share of the tolerance that was used
};

struct sum {
    double value, absolute; // of the products, and of their absolute values
};

static int taps(const struct convolution *c)
{
    return 2 * c->radius + 1;
}

static int filter_rows(const struct convolution *c)
{
    return c->problem == SIGNAL ? 1 : taps(c);
}

// The number of words in d_filter.
static int weight_count(const struct convolution *c)
{
    return c->problem == SEPARABLE ? 2 * taps(c) : taps(c) * filter_rows(c);
}

// Weight (j, k), both from 0; exact in double for a separable filter, too.
static double weight(const struct convolution *c, int j, int k)
{
    if (c->problem == SEPARABLE)
        return (double)c->weights[k] * c->weights[taps(c) + j];
    return c->weights[j * taps(c) + k];
}

// The bound on |out - exact|; sizes: the sum of the absolute values of the products.
static double tolerance(const struct convolution *c, double absolute)
{
    double t = c->problem == SEPARABLE ? 2 * taps(c) : taps(c) * filter_rows(c), u = ldexp(1, -24);
    return c->exact ? 0 : t * u / (1 - t * u) * absolute;
}

// Adds the contribution of row y + j of the input, times row j of the filter, to (y, x).
static void add_products(const struct convolution *c, int from, int j, int x, struct sum *sum)
{
    int first = x < c->radius ? c->radius - x : 0;
    int end = c->width - x + c->radius < taps(c) ? c->width - x + c->radius : taps(c);
    for (int k = first; k < end; k++) {
        double product = weight(c, j, k) * element(&c->in, from, x + k - c->radius);
        sum->value += product;
        sum->absolute += fabs(product);
    }
}

static struct sum sum_around(const struct convolution *c, int y, int x)
{
    struct sum sum = {};
    for (int j = 0; j < filter_rows(c); j++) {
        int from = y + j - filter_rows(c) / 2;
        if (from >= 0 && from < c->height)
            add_products(c, from, j, x, &sum);
    }
    return sum;
}

// The number of wrong words so far, and the message about the first.
struct wrong {
    long long count, first;
    char got[64], want[64], note[300];
};

static void check_word(struct convolution *c, int y, int x, struct wrong *wrong)
{
    struct sum exact = sum_around(c, y, x);
    const float *word = &((const float *)c->out.host)[(size_t)y * (size_t)c->out.pitch + (size_t)x], got = *word;
    double allowed = tolerance(c, exact.absolute), off = fabs(got - exact.value);
    bool right = off <= allowed; // NaN is not
    if (right && allowed > 0)
        c->share = fmax(c->share, off / allowed);
    if (right || wrong->count++ > 0)
        return;
    wrong->first = (long long)y * c->width + x;
    snprintf(wrong->got, sizeof wrong->got, "%.9g%s", got, record_wrong_word(word));
    snprintf(wrong->want, sizeof wrong->want, allowed > 0 ? "%.9g +- %.3g" : "%.9g", exact.value, allowed);
    snprintf(wrong->note, sizeof wrong->note, "%s\n  where   row %d, column %d", harness.note, y, x);
}

static void judge_wrong(const struct convolution *c, struct wrong *wrong)
{
    if (wrong->count > 0 && c->problem != SIGNAL)
        harness.note = wrong->note;
    judge(wrong->count, (long long)c->width * c->height, wrong->first, wrong->got, wrong->want, 0);
}

static void check_every_word(struct convolution *c)
{
    struct wrong wrong = {};
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++)
            check_word(c, y, x, &wrong);
    judge_wrong(c, &wrong);
}

// ---- Large images ------------------------------------------------------------------------------------------
// Around the last row and the last column, too.
static void check_some_words(struct convolution *c)
{
    uint64_t state = harness.seed;
    struct wrong wrong = {};
    for (int round = 0; round < 4096; round++) {
        int y = (int)(random_bits(&state) % (uint64_t)c->height), x = (int)(random_bits(&state) % (uint64_t)c->width);
        y = round % 8 == 0 ? c->height - 1 : y;
        x = round % 8 == 1 ? c->width - 1 : x;
        check_word(c, y, x, &wrong);
    }
    judge_wrong(c, &wrong);
}

// The sum over x of v[x] times the word k columns to the right of (row, x).
static double shifted_product(const struct convolution *c, int row, int k, const float *v)
{
    const float *words = (const float *)c->in.host + (size_t)row * (size_t)c->in.pitch;
    double sum = 0;
    for (int x = k < 0 ? -k : 0; x < c->width && x + k < c->width; x++)
        sum += (double)words[x + k] * v[x];
    return sum;
}

// The expected value of row y of the output times v: products[taps * row + k] holds the shifted ones.
static double wanted_product(const struct convolution *c, int y, const double *products)
{
    double sum = 0;
    for (int j = 0; j < filter_rows(c); j++) {
        int from = y + j - filter_rows(c) / 2;
        for (int k = 0; k < taps(c) && from >= 0 && from < c->height; k++)
            sum += weight(c, j, k) * products[(size_t)from * (size_t)taps(c) + (size_t)k];
    }
    return sum;
}

static void check_row_products(struct convolution *c, double *products, const float *v)
{
    for (int y = 0; y < c->height; y++)
        for (int k = 0; k < taps(c); k++)
            products[(size_t)y * (size_t)taps(c) + (size_t)k] = shifted_product(c, y, k - c->radius, v);
    for (int y = 0; y < c->height; y++) {
        double got = 0, want = wanted_product(c, y, products);
        for (int x = 0; x < c->width; x++)
            got += element(&c->out, y, x) * v[x];
        if (!(got == want))
            fail(WRONG, "wrong answer: row %d is wrong; times a vector it gives %.0f, not %.0f", y, got, want);
    }
}

// Every row times a vector, for whole numbers: nothing is rounded. |v| <= 2^8, and a row's sum stays below 2^53.
static void check_rows(struct convolution *c)
{
    size_t columns = (size_t)c->width, rows = (size_t)c->height * (size_t)taps(c);
    float *v = (float *)host_alloc(columns * sizeof *v);
    double *products = (double *)host_alloc(rows * sizeof *products);
    uint64_t state = harness.seed;
    for (size_t x = 0; x < columns; x++)
        v[x] = (float)(random_bits(&state) >> 56) + 1;
    check_row_products(c, products, v);
    host_free(products);
    host_free(v);
}

static const double LARGE_WORK = 1 << 27; // products, from which not every word is summed on the host

static double products_of(const struct convolution *c)
{
    return (double)c->width * c->height * taps(c) * filter_rows(c);
}

static void check_output(struct convolution *c, const struct input *input)
{
    copy_matrix(&c->out, 0);
    check_padding(&c->out, "the output", "out_pitch");
    if (products_of(c) < LARGE_WORK)
        check_every_word(c);
    else if (input == &INPUTS[WHOLE])
        check_rows(c);
    else
        check_some_words(c);
    check_matrix_untouched(&c->in);
    check_untouched(c->d_filter, c->weights, (size_t)weight_count(c) * sizeof(float));
}
