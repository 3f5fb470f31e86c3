// Inputs of tensor.cu: classes of matrices that reveal how sums are formed, from a generator with the same values
// everywhere.
#pragma once

#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

enum type { F16, BF16, TF32, F64, F32, E4M3, E5M2, S8, U8, S4, U4, B1, S32 };
struct format {
    int bits, exponent, mantissa;
};
static const struct format FORMATS[] = {{16, 5, 10}, {16, 8, 7}, {32, 8, 10}, {64, 11, 52}, {32, 8, 23},
                                        {8, 4, 3},   {8, 5, 2},  {8, 0, 0},   {8, 0, 0},    {4, 0, 0},
                                        {4, 0, 0},   {1, 0, 0},  {32, 0, 0}};

#define MAX_K 256
#define TRIALS 40

// ---- the generator

static u64 state;

static u64 next(void)
{
    u64 z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(int n)
{
    return (int)((next() >> 33) % (u64)n);
}
static int between(int lo, int hi)
{
    return lo + below(hi - lo + 1);
}

static int bias(enum type t)
{
    return (1 << (FORMATS[t].exponent - 1)) - 1;
}
static int top_exponent(enum type t)
{
    return t == E4M3 ? 8 : bias(t);
} // of finite values
static int low_exponent(enum type t)
{
    return 1 - bias(t);
} // of normal values

// The value with this sign, exponent of the leading bit and mantissa (of which the upper bits count), denormal if
// necessary.
static u64 make(enum type t, int negative, int e, u64 mantissa)
{
    struct format f = FORMATS[t];
    u64 m = f.mantissa == 52 ? mantissa >> 12 : mantissa >> (64 - f.mantissa), bits;
    if (e > top_exponent(t))
        e = top_exponent(t);
    if (e >= low_exponent(t))
        bits = (u64)(e + bias(t)) << f.mantissa | m;
    else {
        int down = low_exponent(t) - e;
        bits = down > f.mantissa ? 0 : ((1ull << f.mantissa) | m) >> down;
    }
    if (t == E4M3 && bits == 0x7f)
        bits = 0x7e;
    bits |= (u64)negative << (f.exponent + f.mantissa);
    return t == TF32 ? bits << 13 : bits;
}

static u64 random_at(enum type t, int lo, int hi)
{
    u64 m = next();
    int e = between(lo, hi);
    return make(t, below(2), e, m);
}
static u64 power(enum type t, int lo, int hi)
{
    int e = between(lo, hi);
    return make(t, below(2), e, 0);
}
static u64 zero(enum type t)
{
    return make(t, below(2), -9999, 0);
}

// kind 0: infinity (NaN if the format has none), 1: quiet NaN with a payload, 2: signalling NaN
static u64 special(enum type t, int kind)
{
    struct format f = FORMATS[t];
    u64 all = ((1ull << f.exponent) - 1) << f.mantissa, m = next() & ((1ull << f.mantissa) - 1),
        quiet = 1ull << (f.mantissa - 1), bits;
    if (t == E4M3)
        bits = 0x7f;
    else
        bits = kind == 0 ? all : kind == 1 ? all | quiet | m : all | (m & ~quiet) | 1;
    bits |= (u64)below(2) << (f.exponent + f.mantissa);
    return t == TF32 ? bits << 13 : bits;
}

static u64 edge(enum type t)
{
    struct format f = FORMATS[t];
    switch (below(14)) {
    case 0:
    case 1: return zero(t);
    case 2: return make(t, below(2), low_exponent(t) - f.mantissa, 0); // smallest
    case 3: return make(t, below(2), low_exponent(t) - 1, ~0ull);      // largest denormal
    case 4: return make(t, below(2), low_exponent(t), 0);
    case 5: return make(t, below(2), top_exponent(t), ~0ull);
    case 6: return make(t, below(2), top_exponent(t), 0);
    case 7: return make(t, below(2), 0, 0);
    case 8: return make(t, below(2), 0, 1ull << (64 - f.mantissa)); // 1 + ulp
    case 9: return make(t, below(2), -1, ~0ull);                    // below 1
    case 10: return below(4) ? make(t, below(2), 1, 1ull << 63) : special(t, 0);
    case 11: return below(8) ? make(t, below(2), -f.mantissa, 0) : special(t, 1);
    case 12: return random_at(t, -2, 2);
    default: return make(t, below(2), low_exponent(t) / 2, 0);
    }
}

static u64 integer(enum type t, int v) // exact small integer
{
    if (!v)
        return make(t, 0, -9999, 0);
    int negative = v < 0, e = 0;
    u64 a = (u64)(negative ? -v : v);
    while (a >> (e + 1))
        e++;
    return make(t, negative, e, e ? a << (64 - e) : 0);
}

struct problem {
    enum type ta, tb, tc; // of A, of B, of C
    int m, n, k;
    u64 a[32 * MAX_K], b[MAX_K * 32], c[32 * 32]; // a[i * k + l], b[l * n + j], c[i * n + j]
};

#define A(i, l) p->a[(i)*p->k + (l)]
#define B(l, j) p->b[(l)*p->n + (j)]
#define C(i, j) p->c[(i)*p->n + (j)]
#define EACH_A \
    for (int i = 0; i < p->m; i++) \
        for (int l = 0; l < p->k; l++)
#define EACH_B \
    for (int l = 0; l < p->k; l++) \
        for (int j = 0; j < p->n; j++)
#define EACH_C \
    for (int i = 0; i < p->m; i++) \
        for (int j = 0; j < p->n; j++)

// The classes in order: bits, unit, spread, wide, cancel, edges, sparse, tiny, c_big, c_small, over, under, nans,
// integers, zeros, zero_times, carry, denormal, one_block, ties, two.
#define CLASSES 21

static void fill(struct problem *p, int al, int ah, int bl, int bh, int cl, int ch)
{
    EACH_A A(i, l) = random_at(p->ta, al, ah);
    EACH_B B(l, j) = random_at(p->tb, bl, bh);
    EACH_C C(i, j) = random_at(p->tc, cl, ch);
}

static u64 raw(enum type t)
{
    return next() & (FORMATS[t].bits == 64 ? ~0ull : (1ull << FORMATS[t].bits) - 1);
}

static void fill_cancel(struct problem *p)
{
    int q = 1;
    while (2 * q < p->k && below(2))
        q *= 2;
    fill(p, -4, 4, -2, 2, -28, 2);
    EACH_A if (l & q)
    {
        u64 sign = 1ull << (FORMATS[p->ta].bits - 1), low = p->ta == TF32 ? 1ull << 13 : 1;
        A(i, l) = A(i, l ^ q) ^ sign;
        if (below(4) == 0)
            A(i, l) ^= low;
    }
    EACH_B if (l & q) B(l, j) = B(l ^ q, j);
    EACH_C if (below(4) == 0) C(i, j) = zero(p->tc);
}

static void fill_sparse(struct problem *p)
{
    EACH_A A(i, l) = below(4) ? zero(p->ta) : below(2) ? power(p->ta, -14, 14) : random_at(p->ta, -14, 14);
    EACH_B B(l, j) = below(8) == 0 ? random_at(p->tb, -2, 2) : power(p->tb, -1, 1);
    EACH_C C(i, j) = below(2) ? zero(p->tc) : power(p->tc, -30, 30);
}

// One big product and its negative (or C is its negative), the others tiny: shows what is lost, and where.
static void fill_tiny(struct problem *p)
{
    int drop = between(14, 30), half = FORMATS[p->ta].exponent == 5 || FORMATS[p->ta].exponent == 4;
    int big = half ? 12 : 0, by = p->ta == E4M3 ? 6 : big;
    for (int i = 0; i < p->m; i++) {
        int one = below(p->k), other = below(p->k), negative = below(2);
        for (int l = 0; l < p->k; l++)
            A(i, l) = random_at(p->ta, by - drop - 2, by - drop);
        A(i, one) = make(p->ta, negative, by, 0);
        if (other != one && below(2))
            A(i, other) = make(p->ta, !negative, by, 0);
    }
    EACH_B B(l, j) = make(p->tb, 0, 0, j & 1 ? next() : 0);
    EACH_C C(i, j) = below(3) == 0 ? power(p->tc, by, by) : random_at(p->tc, by - drop - 6, by - drop + 6);
}

static void fill_nans(struct problem *p)
{
    fill(p, -2, 2, -2, 2, -3, 3);
    EACH_A if (below(128) == 0) A(i, l) = below(3) ? special(p->ta, below(3)) : zero(p->ta);
    EACH_B if (below(128) == 0) B(l, j) = below(3) ? special(p->tb, below(3)) : zero(p->tb);
    EACH_C if (below(16) == 0) C(i, j) = special(p->tc, below(3));
}

// Row l of B is huge where column l of A is zero (or the reverse): shows whether a zero product takes part in
// alignment.
static void fill_zero_times(struct problem *p)
{
    int ha = top_exponent(p->ta) > 20 ? 20 : top_exponent(p->ta),
        hb = top_exponent(p->tb) > 20 ? 20 : top_exponent(p->tb);
    fill(p, -5, -3, -6, -4, -14, -4);
    for (int l = 0; l < p->k; l++) {
        int which = below(3);
        for (int i = 0; i < p->m && which; i++)
            A(i, l) = which == 1 ? zero(p->ta) : random_at(p->ta, ha - 2, ha);
        for (int j = 0; j < p->n && which; j++)
            B(l, j) = which == 1 ? random_at(p->tb, hb - 2, hb)
                      : below(2) ? zero(p->tb)
                                 : make(p->tb, 0, low_exponent(p->tb) - FORMATS[p->tb].mantissa, 0);
    }
}

static void fill_denormal(struct problem *p)
{
    int e = low_exponent(p->ta);
    EACH_A A(i, l) = below(4) ? random_at(p->ta, e - FORMATS[p->ta].mantissa, e - 1) : random_at(p->ta, e, e + 1);
    int big = -e > top_exponent(p->tb) ? top_exponent(p->tb) : -e;
    int lo = below(2) ? big - 2 : -2;
    EACH_B B(l, j) = random_at(p->tb, lo, lo + 2);
    EACH_C C(i, j) = below(3) ? random_at(p->tc, e + lo - 24, e + lo)
                              : random_at(p->tc, low_exponent(p->tc) - 8, low_exponent(p->tc) - 1);
}

// Products only in one run of k elements, each with all bits, at scattered exponents; C has their magnitude.
static void fill_one_block(struct problem *p)
{
    int run = 1 << below(5), at = below(p->k);
    EACH_A A(i, l) = (l ^ at) < run ? random_at(p->ta, -7, 7) : zero(p->ta);
    EACH_B B(l, j) = random_at(p->tb, -3, 3);
    EACH_C C(i, j) = below(4) ? random_at(p->tc, -12, 20) : zero(p->tc);
}

// C with all its bits, and products that end half a unit, or nearly so, below its last place.
static void fill_ties(struct problem *p)
{
    int place = -FORMATS[p->tc].mantissa, half = place / 2;
    EACH_A A(i, l) = below(4) == 0 ? power(p->ta, half - 2, half + 1) : zero(p->ta);
    EACH_B B(l, j) = power(p->tb, place - half - 1, place - half + 1);
    EACH_C C(i, j) = random_at(p->tc, -1, 1);
}

// Two products a distance apart, and C.
static void fill_two(struct problem *p)
{
    EACH_A A(i, l) = zero(p->ta);
    for (int i = 0; i < p->m; i++) {
        A(i, below(p->k)) = random_at(p->ta, -14, 14);
        A(i, below(p->k)) = random_at(p->ta, -14, 14);
    }
    EACH_B B(l, j) = random_at(p->tb, -6, 6);
    EACH_C C(i, j) = below(3) ? random_at(p->tc, -40, 24) : zero(p->tc);
}

static void fill_over(struct problem *p)
{
    int t = top_exponent(p->tc), ta = top_exponent(p->ta), tb = top_exponent(p->tb);
    int ea = ta < t / 2 ? ta : t / 2, eb = t - ea < tb ? t - ea : tb;
    fill(p, ea - 2, ea, eb - 3, eb, t - 4, t);
}

static void fill_under(struct problem *p)
{
    int t = low_exponent(p->tc), ea = t / 2 < low_exponent(p->ta) ? low_exponent(p->ta) : t / 2;
    fill(p, ea - 4, ea + 2, t - ea - 12, t - ea + 2, t - 20, t + 4);
}

// Any bits.
static void fill_bits(struct problem *p)
{
    EACH_A A(i, l) = raw(p->ta);
    EACH_B B(l, j) = raw(p->tb);
    EACH_C C(i, j) = raw(p->tc);
}

static void fill_edges(struct problem *p)
{
    EACH_A A(i, l) = edge(p->ta);
    EACH_B B(l, j) = edge(p->tb);
    EACH_C C(i, j) = edge(p->tc);
}

static void fill_exact(struct problem *p)
{
    EACH_A A(i, l) = integer(p->ta, between(-8, 8));
    EACH_B B(l, j) = integer(p->tb, between(-8, 8));
    EACH_C C(i, j) = integer(p->tc, between(-1000, 1000));
}

static void fill_zeros(struct problem *p)
{
    EACH_A A(i, l) = below(32) ? zero(p->ta) : random_at(p->ta, -9, -8);
    EACH_B B(l, j) = below(16) ? zero(p->tb) : random_at(p->tb, -9, -8);
    EACH_C C(i, j) = below(8) ? zero(p->tc) : edge(p->tc);
}

// All ones: carries as long as they come.
static void fill_carry(struct problem *p)
{
    EACH_A A(i, l) = make(p->ta, 0, -below(2), ~0ull);
    EACH_B B(l, j) = make(p->tb, 0, 0, ~0ull);
    EACH_C
    {
        int e = between(-3, 6);
        C(i, j) = make(p->tc, below(8) == 0, e, ~0ull);
    }
}

static void fill_wide(struct problem *p)
{
    fill(p, low_exponent(p->ta) - 4, top_exponent(p->ta), low_exponent(p->tb) - 4, top_exponent(p->tb),
         low_exponent(p->tc) - 4, top_exponent(p->tc));
}

static void fill_unit(struct problem *p)
{
    fill(p, -3, 0, -3, 0, -3, 3);
}
static void fill_spread(struct problem *p)
{
    fill(p, -6, 6, -6, 6, -14, 14);
}
static void fill_c_big(struct problem *p)
{
    fill(p, -3, 0, -3, 0, 8, 30);
}
static void fill_c_small(struct problem *p)
{
    fill(p, -3, 0, -3, 0, -40, -15);
}

static void fill_problem(struct problem *p, int which)
{
    static void (*const fills[])(struct problem *) = {
        fill_bits,  fill_unit,       fill_spread,  fill_wide,     fill_cancel,    fill_edges, fill_sparse,
        fill_tiny,  fill_c_big,      fill_c_small, fill_over,     fill_under,     fill_nans,  fill_exact,
        fill_zeros, fill_zero_times, fill_carry,   fill_denormal, fill_one_block, fill_ties,  fill_two};
    fills[which](p);
    if (p->ta == TF32 && state & 1) { // bits that the hardware ignores
        EACH_A A(i, l) |= next() & 0x1fff;
        EACH_B B(l, j) |= next() & 0x1fff;
    }
}

// Integers: all bits; extremes; few.
static u64 integer_bits(enum type t, int which)
{
    int bits = FORMATS[t].bits;
    u64 all = bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (bits == 1)
        return which == 2 ? below(8) == 0 : below(2);
    if (which == 1)
        switch (below(4)) {
        case 0: return all;
        case 1: return all >> 1;
        case 2: return (all >> 1) + 1;
        default: return next() & all;
        }
    return which == 2 ? (u64)between(-3, 3) & all : next() & all;
}
#define INTEGER_CLASSES 3 // all bits, extremes, small numbers

static void fill_integers(struct problem *p, int which)
{
    EACH_A A(i, l) = integer_bits(p->ta, which);
    EACH_B B(l, j) = integer_bits(p->tb, which);
    EACH_C C(i, j) = integer_bits(S32, which);
}

static u64 hash_name(const char *s)
{
    u64 h = 1469598103934665603u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static int class_count(enum type t)
{
    return FORMATS[t].exponent ? CLASSES : INTEGER_CLASSES;
}

static void make_problem(struct problem *p, const char *form, int which, int trial)
{
    state = hash_name(form) + (u64)which * 1000003 + (u64)trial * 7919;
    next();
    if (FORMATS[p->ta].exponent)
        fill_problem(p, which);
    else
        fill_integers(p, which);
}
