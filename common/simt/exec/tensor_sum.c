// Sums of products as the tensor cores of an H200 round them (tests/hardware/h200-tensor.txt records one).
//
// Products are exact. The sum so far (C at first) and a block of products are added at once. The digits of each are
// shifted to the largest exponent among them, truncated 25 binary places below it, and added exactly. The result is
// truncated to f32, or rounded to nearest even to f16; a sum that is zero is +0. Exponents are those of the operands'
// encodings: a subnormal has the smallest one, a product the sum of its factors' exponents, and a zero none.
//
// A block is all of k, but 4 products in wmma's m16n16k8, and 16 of factors of 8 bits, which become f16 first. For
// 8-bit factors C is added last, rounded to nearest even. m8n8k4 of f16 uses ordinary additions.
//
// wgmma sums f16, bf16 and tf32 by the same rule. It does not convert 8-bit factors: C and all 32 products are added at
// once, truncated 13 places below the largest exponent, and a sum in f32 keeps 13 digits after its first one. The 13
// digits are reported for an H100 (arXiv 2512.07004); we have not compared any of it with a card.
#include "exec/tensor_sum.h"

#include <string.h>

#include "exec/half.h"

#define MAX_NUMBERS 512   // of a matrix
#define NOTHING (-100000) // exponent of zero: below all others

static const struct float_format FORMATS[] = {
    [TENSOR_F16] = {5, 10, 0, false}, [TENSOR_BF16] = {8, 7, 0, false}, [TENSOR_TF32] = {8, 10, 13, false},
    [TENSOR_F32] = {8, 23, 0, false}, [TENSOR_E4M3] = {4, 3, 0, true},  [TENSOR_E5M2] = {5, 2, 0, false}};

const struct float_format *float_format_of(enum tensor_type type)
{
    return &FORMATS[type];
}

static int32_t bias_of(const struct float_format *f)
{
    return (1 << (f->exponent - 1)) - 1;
}

enum special { FINITE, INFINITE, NO_NUMBER };

// The value is digits * 2^(exponent - bits of the mantissa); for an infinity, digits has the sign.
struct number {
    int32_t digits, exponent;
    uint8_t special; // enum special
};

struct numbers {
    int32_t digits[MAX_NUMBERS], exponent[MAX_NUMBERS];
    uint8_t special[MAX_NUMBERS];
};

static inline struct number read_number(struct float_format f, uint32_t bits)
{
    uint32_t top = (1u << f.exponent) - 1, most = (1u << f.mantissa) - 1;
    uint32_t x = bits >> f.unused, e = x >> f.mantissa & top, m = x & most;
    int32_t digits = (int32_t)(e ? m | (most + 1) : m), exponent = (int32_t)(e ? e : 1) - bias_of(&f);
    uint8_t special = e != top ? FINITE : m == (f.no_infinity ? most : m) && m ? NO_NUMBER : INFINITE;
    special = f.no_infinity && special == INFINITE ? FINITE : special;
    bool negative = x >> (f.exponent + f.mantissa) & 1;
    return (struct number){negative ? -digits : digits, digits ? exponent : NOTHING, special};
}

static void read_numbers(enum tensor_type type, const uint32_t *bits, uint32_t n, struct numbers *to)
{
    const struct float_format f = FORMATS[type];
    for (uint32_t i = 0; i < n; i++) {
        struct number x = read_number(f, bits[i]);
        to->digits[i] = x.digits;
        to->exponent[i] = x.exponent;
        to->special[i] = x.special;
    }
}

// A block of n products of part of a row of A and part of a column of B.
struct block {
    const struct numbers *a, *b;
    uint32_t at_a, at_b, n;
    int32_t shift;  // shift that brings a product's last digit to `places` places below its exponent
    int32_t places; // binary places below the largest exponent that are kept
};

// ---- sums of numbers

// |digits| * 2^shift, truncated, with the sign of digits.
static inline int64_t shifted(int32_t digits, int32_t shift)
{
    int64_t size = digits < 0 ? -(int64_t)digits : digits;
    int64_t cut = shift >= 0 ? size << shift : shift > -63 ? size >> -shift : 0;
    return digits < 0 ? -cut : cut;
}

static int32_t largest_exponent(const struct block *p, int32_t largest)
{
    const int32_t *a = p->a->exponent + p->at_a, *b = p->b->exponent + p->at_b;
    for (uint32_t l = 0; l < p->n; l++)
        largest = a[l] + b[l] > largest ? a[l] + b[l] : largest;
    return largest;
}

// In units of 2^(top - places).
static int64_t add_products(const struct block *p, int32_t top)
{
    const int32_t *a = p->a->digits + p->at_a, *b = p->b->digits + p->at_b;
    const int32_t *ea = p->a->exponent + p->at_a, *eb = p->b->exponent + p->at_b;
    int64_t sum = 0;
    for (uint32_t l = 0; l < p->n; l++) {
        int32_t product = a[l] * b[l], drop = top - ea[l] - eb[l];
        uint32_t size = (uint32_t)(product < 0 ? -product : product) << p->shift;
        int32_t cut = (int32_t)(drop < 31 ? size >> drop : 0);
        sum += product < 0 ? -cut : cut;
    }
    return sum;
}

// digits * 2^lowest, truncated to f32 or rounded to nearest even to f16.
static uint32_t pack(enum tensor_type type, int64_t digits, int32_t lowest)
{
    const struct float_format f = FORMATS[type];
    int32_t mantissa = (int32_t)f.mantissa, bias = bias_of(&f);
    uint64_t d = digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits;
    if (!d)
        return 0;
    int32_t top = 63 - __builtin_clzll(d) + lowest, unit = (top < 1 - bias ? 1 - bias : top) - mantissa;
    int32_t drop = unit - lowest;
    uint64_t kept = drop <= 0 ? d << -drop : drop > 63 ? 0 : d >> drop;
    if (type == TENSOR_F16 && drop > 0 && drop < 64) {
        uint64_t rest = d & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
        kept += rest > half || (rest == half && kept & 1);
    }
    uint64_t infinite = ((UINT64_C(1) << f.exponent) - 1) << mantissa;
    uint64_t packed = ((uint64_t)(unit + mantissa + bias - 1) << mantissa) + kept;
    uint32_t sign = (uint32_t)(digits < 0 && packed) << (f.exponent + f.mantissa);
    return sign | (uint32_t)(packed < infinite ? packed : infinite);
}

static uint32_t finite_sum(enum tensor_type type, const struct block *p, struct number start)
{
    int32_t top = largest_exponent(p, start.exponent);
    int64_t sum = add_products(p, top);
    sum += shifted(start.digits, start.exponent - (int32_t)FORMATS[type].mantissa - top + p->places);
    uint32_t bits = pack(type, sum, top - p->places);
    return type == TENSOR_F32 && p->places < 23 ? bits & ~0u << (23 - p->places) : bits;
}

// ---- infinities and NaNs

static uint32_t special_bits(enum tensor_type type, bool nan, bool negative)
{
    uint32_t infinite = type == TENSOR_F16 ? 0x7c00 : 0x7f800000, sign = type == TENSOR_F16 ? 0x8000 : 0x80000000;
    return nan ? sign - 1 : negative ? infinite | sign : infinite;
}

// Whether exact arithmetic results in an infinity or a NaN, and in which.
static bool special_sum(enum tensor_type type, const struct block *p, struct number start, uint32_t *bits)
{
    const uint8_t *a = p->a->special + p->at_a, *b = p->b->special + p->at_b;
    const int32_t *x = p->a->digits + p->at_a, *y = p->b->digits + p->at_b;
    bool nan = start.special == NO_NUMBER, seen[2] = {false, false};
    if (start.special == INFINITE)
        seen[start.digits < 0] = true;
    for (uint32_t l = 0; l < p->n; l++) {
        nan |= a[l] == NO_NUMBER || b[l] == NO_NUMBER;
        if (a[l] == INFINITE || b[l] == INFINITE)
            nan |= !x[l] || !y[l], seen[(x[l] < 0) != (y[l] < 0)] = true;
    }
    *bits = special_bits(type, nan || (seen[0] && seen[1]), seen[1]);
    return nan || seen[0] || seen[1];
}

static bool any_special(const struct numbers *x, uint32_t from, uint32_t n)
{
    uint8_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= x->special[from + i];
    return any;
}

// ---- elements

// The factors of one instruction, and how their products are added.
struct factors {
    struct numbers a, b;
    uint32_t k, block;
    int32_t shift, places;
    enum tensor_type type; // of the sums
    bool special_row;      // the current row of A holds a value that is not finite
};

static uint32_t add_blocks(const struct factors *f, uint32_t at_a, uint32_t at_b, uint32_t sum)
{
    bool special = f->special_row || any_special(&f->b, at_b, f->k);
    for (uint32_t l = 0; l < f->k; l += f->block) {
        struct block p = {&f->a, &f->b, at_a + l, at_b + l, f->block, f->shift, f->places};
        struct number start = read_number(FORMATS[f->type], sum);
        if (!(special || start.special) || !special_sum(f->type, &p, start, &sum))
            sum = finite_sum(f->type, &p, start);
    }
    return sum;
}

static uint32_t add_last(uint32_t sum, uint32_t c)
{
    return bits_f32(keep_f32(f32_bits(sum) + f32_bits(c)));
}

// n factors; mma.sync multiplies 8-bit ones as f16.
static void read_factors(enum tensor_type type, bool halve, const uint32_t *bits, uint32_t n, struct numbers *to)
{
    uint32_t halves[MAX_NUMBERS];
    if (!halve) {
        read_numbers(type, bits, n, to);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        halves[i] = type == TENSOR_E5M2 ? f16_of_e5m2(bits[i]) : f16_of_e4m3(bits[i]);
    read_numbers(TENSOR_F16, halves, n, to);
}

// wmma may have C and D of different types: then it sums in f32.
static enum tensor_type sum_type(const struct tensor_form *t)
{
    return t->part[PART_C].type == t->part[PART_D].type ? t->part[PART_D].type : TENSOR_F32;
}

static uint32_t start_of(const struct tensor_form *t, uint32_t c)
{
    bool widens = t->part[PART_C].type == TENSOR_F16 && t->part[PART_D].type == TENSOR_F32;
    return widens ? bits_f32(keep_f32((f32)f16_value((u16)c))) : c;
}

static uint32_t end_of(const struct tensor_form *t, uint32_t sum)
{
    bool narrows = t->part[PART_C].type == TENSOR_F32 && t->part[PART_D].type == TENSOR_F16;
    return narrows ? f16_round(f32_bits(sum)) : sum;
}

static void multiply_blocks(const struct tensor_form *t, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                            uint32_t *d)
{
    struct factors f;
    enum tensor_type factor = t->part[PART_A].type, other = t->part[PART_B].type;
    bool apart = tensor_is_eighth(factor) && !t->places;
    f.k = t->k;
    f.block = t->block;
    f.type = sum_type(t);
    f.places = t->places ? t->places : SUM_PLACES;
    f.shift = f.places - (int32_t)FORMATS[apart ? TENSOR_F16 : factor].mantissa -
              (int32_t)FORMATS[apart ? TENSOR_F16 : other].mantissa;
    read_factors(factor, apart, a, (uint32_t)t->m * t->k, &f.a);
    read_factors(other, apart, b, (uint32_t)t->n * t->k, &f.b);
    for (uint32_t i = 0; i < t->m; i++) {
        f.special_row = any_special(&f.a, i * f.k, f.k);
        for (uint32_t j = 0; j < t->n; j++) {
            uint32_t at = i * t->n + j, start = start_of(t, c[at]);
            uint32_t sum = add_blocks(&f, i * f.k, j * f.k, apart ? 0 : start);
            d[at] = apart ? add_last(sum, start) : end_of(t, sum);
        }
    }
}

// ---- m8n8k4 of f16

// The products of f16 are exact in f32.
static uint32_t quad_f32(const f32 *x, const f32 *y, uint32_t c)
{
    f32 sum = 0;
    for (int l = 0; l < 4; l++)
        sum = fma_f32(x[l], y[l], sum);
    return add_last(bits_f32(sum), c);
}

static uint32_t quad_f16(const f32 *x, const f32 *y, uint32_t c)
{
    f32 first = fma_f32(x[0], y[0], x[1] * y[1]) + (f32)f16_value((u16)c);
    return f16_round(first + fma_f32(x[2], y[2], x[3] * y[3]));
}

static void multiply_quads(const struct tensor_form *t, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                           uint32_t *d)
{
    f32 x[4], y[4];
    for (uint32_t i = 0; i < (uint32_t)t->count * t->m; i++)
        for (uint32_t j = 0; j < t->n; j++) {
            uint32_t at = i * t->n + j;
            for (uint32_t l = 0; l < 4; l++) {
                x[l] = (f32)f16_value((u16)a[i * 4 + l]);
                y[l] = (f32)f16_value((u16)b[(i / t->m * t->n + j) * 4 + l]);
            }
            d[at] = t->part[PART_D].type == TENSOR_F16 ? quad_f16(x, y, c[at]) : quad_f32(x, y, c[at]);
        }
}

void multiply_floats(const struct tensor_form *f, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    if (f->count > 1)
        multiply_quads(f, a, b, c, d);
    else if (!multiply_columns(f, a, b, c, d))
        multiply_blocks(f, a, b, c, d);
}
