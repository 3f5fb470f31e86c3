// Half precision (f16: 11 significant bits, bf16: 8) for the expressions of decode/opcodes.def and for conversions. A
// value is computed as a double and rounded once. Sums and products of two values fit a double; so does fma of f16. fma
// of bf16 is first rounded to odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"), so the second
// rounding is correct.
#pragma once

#include "exec/lane.h"

// One operation a line.
// clang-format off

#define CANONICAL_NAN_HALF 0x7fff

LANE f64 f16_value(u16 h)
{
    u64 sign = (u64)(h & 0x8000) << 48, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    if (exponent == 31)
        return f64_bits(sign | UINT64_C(0x7ff) << 52 | fraction << 42 | (fraction ? UINT64_C(1) << 51 : 0));
    f64 v = exponent ? f64_bits((exponent + 1008) << 52 | fraction << 42) : (f64)fraction * 0x1p-24;
    return f64_bits(bits_f64(v) | sign);
}

LANE f64 bf16_value(u16 b) { return f32_bits((u32)b << 16); }

// Rounds v to nearest even. keep: bits of a double's fraction that remain; bias: the format's. A NaN becomes canonical.
LANE u16 half_round(f64 v, u32 keep, u32 bias)
{
    u64 b = bits_f64(v), sign = b >> 48 & 0x8000, drop = 52 - keep;
    b &= ~(UINT64_C(1) << 63);
    if (v != v)
        return CANONICAL_NAN_HALF;
    if (b < (u64)(1024 - bias) << 52) { // subnormal: a multiple of the smallest one
        f64 scaled = f64_bits(b) * f64_bits((u64)(1022 + bias + keep) << 52);
        return (u16)(sign | (u64)__builtin_rint(scaled));
    }
    b += ((UINT64_C(1) << (drop - 1)) - 1) + (b >> drop & 1);
    u64 r = (b >> drop) - ((u64)(1023 - bias) << keep), infinite = ((u64)(2 * bias + 1)) << keep;
    return (u16)(sign | (r < infinite ? r : infinite));
}

LANE u16 f16_round(f64 v) { return half_round(v, 10, 15); }
LANE u16 bf16_round(f64 v) { return half_round(v, 7, 127); }

// 8-bit floats as f16: e4m3 has no infinity, and one NaN of each sign; e5m2 is the upper half of an f16.
LANE u16 f16_of_e4m3(u32 x)
{
    u32 e = x >> 3 & 15, m = x & 7;
    f64 value = e ? (f64)(8 + m) * f64_bits((u64)(e + 1013) << 52) : (f64)m * 0x1p-9;
    return (x & 0x7f) == 0x7f ? CANONICAL_NAN_HALF : (u16)((x & 0x80) << 8 | f16_round(value));
}
LANE u16 f16_of_e5m2(u32 x) { return (x & 0x7f) > 0x7c ? CANONICAL_NAN_HALF : (u16)(x << 8); }

LANE f64 f16_fma(f64 a, f64 b, f64 c) { return a * b + c; }

// a * b + c rounded to odd.
LANE f64 bf16_fma(f64 a, f64 b, f64 c)
{
    f64 p = a * b, s = p + c, back = s - p, lost = (p - (s - back)) + (c - back);
    if (!(lost != 0) || s - s != 0 || bits_f64(s) & 1)
        return s;
    return f64_bits(bits_f64(s) + ((lost > 0) == (s > 0) ? 1 : UINT64_MAX));
}

// Keeps subnormals, or flushes them to zero of the same sign.
LANE u16 half_keep(u16 h) { return h; }
LANE u16 half_flush(u16 h) { return h & 0x7c00 ? h : h & 0x8000; }
LANE f64 keep_f16(u16 h) { return f16_value(h); }
LANE f64 flush_f16(u16 h) { return f16_value(half_flush(h)); }
LANE f64 keep_bf16(u16 h) { return bf16_value(h); }

LANE f64 half_plain(f64 v) { return v; }
LANE f64 half_sat(f64 v) { return v > 0 ? v < 1 ? v : 1 : 0; }
LANE f64 half_relu(f64 v) { return v > 0 || v != v ? v : 0; }

LANE bool half_is_nan(u16 h, u16 infinite) { return (h & 0x7fff) > infinite; }

// -0 is below +0. A NaN loses to a number, or wins if `nan` is set.
LANE u16 half_least(u16 a, u16 b, u16 infinite, bool nan)
{
    if (half_is_nan(a, infinite) || half_is_nan(b, infinite)) {
        u16 other = half_is_nan(a, infinite) ? b : a;
        return nan || half_is_nan(other, infinite) ? CANONICAL_NAN_HALF : other;
    }
    s16 x = a & 0x8000 ? (s16)(0x8000 - a - 1) : (s16)a, y = b & 0x8000 ? (s16)(0x8000 - b - 1) : (s16)b;
    return x < y ? a : b;
}
LANE u16 half_most(u16 a, u16 b, u16 infinite, bool nan)
{
    u16 least = half_least(a, b, infinite, nan);
    if (half_is_nan(a, infinite) || half_is_nan(b, infinite))
        return least;
    return least == a ? b : a;
}

// Rounded; flushed if it is below 2^-14 when rounded to 11 digits with unbounded exponent.
LANE u16 f16_keep_result(f64 v) { return f16_round(v); }
LANE u16 f16_flush_result(f64 v) { return fabs(v) < 0x1.ffep-15 ? (u16)(bits_f64(v) >> 48 & 0x8000) : f16_round(v); }
LANE u16 bf16_keep_result(f64 v) { return bf16_round(v); }

// The operations of one format: T_op, Z: keep or flush subnormals; S: plain, sat or relu.
#define HALF_FUNCTIONS(T, Z, S) \
    LANE u16 T##_out_##Z##_##S(f64 v) { return T##_##Z##_result(half_##S(v)); } \
    LANE u16 T##_add_##Z##_##S(u16 a, u16 b) \
    { \
        return T##_out_##Z##_##S(T##_value(half_##Z(a)) + T##_value(half_##Z(b))); \
    } \
    LANE u16 T##_sub_##Z##_##S(u16 a, u16 b) \
    { \
        return T##_out_##Z##_##S(T##_value(half_##Z(a)) - T##_value(half_##Z(b))); \
    } \
    LANE u16 T##_mul_##Z##_##S(u16 a, u16 b) \
    { \
        return T##_out_##Z##_##S(T##_value(half_##Z(a)) * T##_value(half_##Z(b))); \
    } \
    LANE u16 T##_fma_##Z##_##S(u16 a, u16 b, u16 c) \
    { \
        return T##_out_##Z##_##S(T##_fma(T##_value(half_##Z(a)), T##_value(half_##Z(b)), T##_value(half_##Z(c)))); \
    }
HALF_FUNCTIONS(f16, keep, plain)
HALF_FUNCTIONS(f16, keep, sat)
HALF_FUNCTIONS(f16, keep, relu)
HALF_FUNCTIONS(f16, flush, plain)
HALF_FUNCTIONS(f16, flush, sat)
HALF_FUNCTIONS(f16, flush, relu)
HALF_FUNCTIONS(bf16, keep, plain)
HALF_FUNCTIONS(bf16, keep, relu)
#undef HALF_FUNCTIONS

#define HALF_ONES(T, INFINITE, Z) \
    LANE u16 T##_min_##Z(u16 a, u16 b) { return half_least(half_##Z(a), half_##Z(b), INFINITE, false); } \
    LANE u16 T##_max_##Z(u16 a, u16 b) { return half_most(half_##Z(a), half_##Z(b), INFINITE, false); } \
    LANE u16 T##_min_nan_##Z(u16 a, u16 b) { return half_least(half_##Z(a), half_##Z(b), INFINITE, true); } \
    LANE u16 T##_max_nan_##Z(u16 a, u16 b) { return half_most(half_##Z(a), half_##Z(b), INFINITE, true); } \
    LANE u16 T##_neg_##Z(u16 a) \
    { \
        return half_is_nan(a, INFINITE) ? CANONICAL_NAN_HALF : (u16)(half_##Z(a) ^ 0x8000); \
    } \
    LANE u16 T##_abs_##Z(u16 a) { return half_is_nan(a, INFINITE) ? CANONICAL_NAN_HALF : half_##Z(a) & 0x7fff; }
HALF_ONES(f16, 0x7c00, keep)
HALF_ONES(f16, 0x7c00, flush)
HALF_ONES(bf16, 0x7f80, keep)
#undef HALF_ONES

LANE u16 f16_ex2(u16 a) { return f16_round(exp2(f16_value(a))); }
LANE u16 f16_ex2_ftz(u16 a) { return half_flush(f16_round(exp2(flush_f16(a)))); }
LANE u16 bf16_ex2(u16 a) { return bf16_round(exp2(bf16_value(a))); }
LANE u16 f16_tanh(u16 a) { return f16_round(tanh(f16_value(a))); }
LANE u16 bf16_tanh(u16 a) { return bf16_round(tanh(bf16_value(a))); }

// Applies an operation to both halves of a word.
#define BOTH1(f) halves(f((u16)a), f((u16)(a >> 16)))
#define BOTH2(f) halves(f((u16)a, (u16)b), f((u16)(a >> 16), (u16)(b >> 16)))
#define BOTH3(f) halves(f((u16)a, (u16)b, (u16)c), f((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16)))

// clang-format on
