// Sums of products by tensor_sum.c's rule, eight columns at once: the usual ones, of finite factors in f16, bf16 or
// tf32 and sums in f32. The loops over columns become a few wide instructions.
#include <string.h>

#include "exec/tensor_sum.h"

#define COLUMNS 8
#define MAX_LINES 64      // of a block: k
#define MAX_ROWS 32       // m
#define LOWEST (-300)     // below the exponent of any sum but zero
#define NOTHING (-100000) // exponent of a zero factor

typedef int32_t lanes_i __attribute__((vector_size(4 * COLUMNS)));
typedef uint32_t lanes_u __attribute__((vector_size(4 * COLUMNS)));
typedef float lanes_f __attribute__((vector_size(4 * COLUMNS)));
typedef double lanes_d __attribute__((vector_size(8 * COLUMNS)));
typedef int64_t lanes_l __attribute__((vector_size(8 * COLUMNS)));

// Eight factors: the value is digits * 2^(exponent - bits of the mantissa). Their products are exact in f32.
struct eight {
    lanes_f digits;
    lanes_i exponent;
};

struct factors {
    struct eight line[MAX_LINES];           // of B: one factor of each column
    float digits[MAX_LINES * MAX_ROWS];     // of A, by rows
    int32_t exponent[MAX_LINES * MAX_ROWS]; // likewise
    bool zero;                              // all of B is
    uint32_t k, block;
    int32_t shift;
};

static inline bool any_lane(const lanes_i *x)
{
    int32_t any = 0;
    for (uint32_t i = 0; i < COLUMNS; i++)
        any |= (*x)[i];
    return any;
}

// *special becomes nonzero where a factor is not finite.
static inline void read_eight(const struct float_format *f, const lanes_u *bits, struct eight *to, lanes_i *special)
{
    uint32_t top = (1u << f->exponent) - 1, most = (1u << f->mantissa) - 1;
    lanes_u x = *bits >> f->unused, e = x >> f->mantissa & top, m = x & most;
    lanes_i subnormal = e == 0, negative = -(lanes_i)(x >> (f->exponent + f->mantissa) & 1);
    lanes_i size = (lanes_i)(m | (~(lanes_u)subnormal & (most + 1))), none = size == 0;
    to->digits = __builtin_convertvector((size ^ negative) - negative, lanes_f);
    to->exponent = (((lanes_i)e - subnormal - (int32_t)(top >> 1)) & ~none) | (none & NOTHING);
    *special |= e == top;
}

// n, a multiple of 8, factors of A. False: one is not finite.
static bool read_rows(const struct float_format *format, const uint32_t *bits, uint32_t n, struct factors *f)
{
    lanes_i special = {0};
    for (uint32_t i = 0; i < n; i += COLUMNS) {
        struct eight x;
        lanes_u word;
        memcpy(&word, bits + i, sizeof word);
        read_eight(format, &word, &x, &special);
        memcpy(f->digits + i, &x.digits, sizeof x.digits);
        memcpy(f->exponent + i, &x.exponent, sizeof x.exponent);
    }
    return !any_lane(&special);
}

// Eight columns of B.
static bool read_columns(const struct float_format *format, const uint32_t *bits, struct factors *f)
{
    lanes_i special = {0}, any = {0};
    for (uint32_t l = 0; l < f->k; l++) {
        lanes_u word;
        for (uint32_t x = 0; x < COLUMNS; x++)
            word[x] = bits[x * f->k + l];
        read_eight(format, &word, &f->line[l], &special);
        any |= f->line[l].digits != 0;
    }
    f->zero = !any_lane(&any);
    return !any_lane(&special);
}

static inline void raise(lanes_i *x, const lanes_i *to)
{
    lanes_i more = *to > *x;
    *x = (*to & more) | (*x & ~more);
}

// digits * 2^(shift - drop), truncated: below 2^31. A drop of more than 60 leaves nothing.
static inline void cut(const lanes_f *digits, int32_t shift, const lanes_i *drop, lanes_i *to)
{
    lanes_i far = *drop > 60, scale = ((127 + shift - *drop) << 23) & ~far;
    *to = __builtin_convertvector(*digits * (lanes_f)scale, lanes_i);
}

// Digits and exponents of finite numbers in f32; a zero's exponent is LOWEST.
static inline void read_sums(const lanes_u *bits, struct eight *to)
{
    lanes_i field = (lanes_i)(*bits >> 23 & 255), subnormal = field == 0, negative = (lanes_i)*bits >> 31;
    lanes_i size = (lanes_i)(*bits & 0x7fffff) | (~subnormal & 0x800000), none = size == 0;
    to->digits = __builtin_convertvector((size ^ negative) - negative, lanes_f);
    to->exponent = ((field - subnormal - 127) & ~none) | (none & LOWEST);
}

// x * 2^(top - SUM_PLACES), truncated to f32. False: one is zero for its size, subnormal or too large.
static inline bool pack_sums(const lanes_d *x, const lanes_i *top, lanes_u *bits)
{
    lanes_l scale = (__builtin_convertvector(*top, lanes_l) - SUM_PLACES + 1023) << 52, some = *x != 0;
    lanes_d kept = (lanes_d)((lanes_l)*x & ~INT64_C(0x1fffffff)) * (lanes_d)scale; // 24 digits
    *bits = (lanes_u) __builtin_convertvector(kept, lanes_f);
    lanes_u size = *bits & INT32_MAX;
    lanes_i odd = (size >= 0x7f800000) | ((size <= 0x800000) & __builtin_convertvector(some, lanes_i));
    return !any_lane(&odd);
}

// Adds a block of products of a row of A and the columns, from factor l on. The sum of their digits has 31 bits.
static inline bool add_products(const struct factors *f, uint32_t row, uint32_t l, lanes_u *sum)
{
    const float *digits = f->digits + row * f->k + l;
    const int32_t *exponent = f->exponent + row * f->k + l;
    const struct eight *b = f->line + l;
    struct eight own;
    lanes_i total = {0}, term;
    read_sums(sum, &own);
    lanes_i top = own.exponent;
    for (uint32_t i = 0; i < f->block; i++) {
        term = exponent[i] + b[i].exponent;
        raise(&top, &term);
    }
    for (uint32_t i = 0; i < f->block; i++) {
        lanes_f product = digits[i] * b[i].digits;
        lanes_i drop = top - exponent[i] - b[i].exponent;
        cut(&product, f->shift, &drop, &term);
        total += term;
    }
    own.exponent = top - own.exponent;
    cut(&own.digits, SUM_PLACES - 23, &own.exponent, &term);
    lanes_d exact = __builtin_convertvector(total, lanes_d) + __builtin_convertvector(term, lanes_d);
    return pack_sums(&exact, &top, sum);
}

static bool is_zero_row(const struct factors *f, uint32_t row)
{
    bool any = false;
    for (uint32_t l = 0; l < f->k; l++)
        any |= f->digits[row * f->k + l] != 0;
    return !any;
}

// d = c + a row of A times the columns. Products that are all zero leave c, but +0 of -0.
static bool multiply_row(const struct factors *f, uint32_t row, const uint32_t *c, uint32_t *d)
{
    lanes_u sum;
    memcpy(&sum, c, sizeof sum);
    lanes_i special = (sum & 0x7f800000) == 0x7f800000;
    bool fits = !any_lane(&special);
    if (f->zero || is_zero_row(f, row))
        sum &= (lanes_u)(sum != 0x80000000);
    else
        for (uint32_t l = 0; l < f->k && fits; l += f->block)
            fits = add_products(f, row, l, &sum);
    memcpy(d, &sum, sizeof sum);
    return fits;
}

// Without AVX2 the loops of tensor_sum.c are as fast.
static bool is_usual(const struct tensor_form *t)
{
#ifndef __AVX2__
    return false;
#endif
    enum tensor_type a = t->part[PART_A].type, b = t->part[PART_B].type;
    bool halves = (a == TENSOR_F16 || a == TENSOR_BF16) && t->block <= 16, words = a == TENSOR_TF32 && t->block <= 8;
    return a == b && (halves || words) && t->n == COLUMNS && t->m <= MAX_ROWS && t->k <= MAX_LINES && !t->places &&
           t->m * t->k % COLUMNS == 0 && t->part[PART_C].type == TENSOR_F32 && t->part[PART_D].type == TENSOR_F32;
}

bool multiply_columns(const struct tensor_form *t, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    struct factors f;
    if (!is_usual(t))
        return false;
    const struct float_format *format = float_format_of(t->part[PART_A].type);
    f.k = t->k;
    f.block = t->block;
    f.shift = SUM_PLACES - 2 * (int32_t)format->mantissa;
    if (!read_columns(format, b, &f) || !read_rows(format, a, (uint32_t)t->m * t->k, &f))
        return false;
    for (uint32_t i = 0; i < t->m; i++)
        if (!multiply_row(&f, i, c + i * COLUMNS, d + i * COLUMNS))
            return false;
    return true;
}
