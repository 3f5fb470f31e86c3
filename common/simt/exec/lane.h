// Functions for the expressions of decode/opcodes.def: one lane's arithmetic, as the PTX ISA (version 9.0, chapter
// "Instruction Set") defines it. Shifts clamp; division by zero and its remainder are all ones, as on an H200; a NaN
// result is the canonical one.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "decode/bits.h"

// One operation a line.
// clang-format off

// ---- integers
LANE u16 mul_hi_u16(u16 a, u16 b) { return (u16)(((u32)a * b) >> 16); }
LANE s16 mul_hi_s16(s16 a, s16 b) { return (s16)(((s32)a * b) >> 16); }
LANE u32 mul_hi_u32(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
LANE s32 mul_hi_s32(s32 a, s32 b) { return (s32)(((s64)a * b) >> 32); }
LANE u64 mul_hi_u64(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
LANE s64 mul_hi_s64(s64 a, s64 b) { return (s64)(((__int128)a * b) >> 64); }
LANE s16 div_s16(s16 a, s16 b) { return b ? (s16)(a / b) : -1; }
LANE s16 rem_s16(s16 a, s16 b) { return b ? (s16)(a % b) : -1; }
LANE s32 div_s32(s32 a, s32 b) { return b == 0 ? -1 : (s32)((s64)a / b); }
LANE s32 rem_s32(s32 a, s32 b) { return b == 0 ? -1 : (s32)((s64)a % b); }
LANE s64 div_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b; }
LANE s64 rem_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
LANE s32 saturate_s32(s64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x; }
LANE s32 relu_s32(s32 x) { return x < 0 ? 0 : x; }
// Absolute differences of unsigned bytes.
LANE u32 byte_difference(u32 a, u32 b, u32 at)
{
    u32 x = a >> at & 0xff, y = b >> at & 0xff;
    return (x < y ? y - x : x - y) << at;
}
LANE u32 byte_differences(u32 a, u32 b)
{
    return byte_difference(a, b, 0) | byte_difference(a, b, 8) | byte_difference(a, b, 16) | byte_difference(a, b, 24);
}
LANE u32 sum_of_bytes(u32 a) { return (a & 0xff) + (a >> 8 & 0xff) + (a >> 16 & 0xff) + (a >> 24); }
LANE u32 half_difference(u32 a, u32 b) { return a < b ? b - a : a - b; }
LANE s32 low24(u32 x) { return (s32)(x << 8) >> 8; }

LANE u32 dp4a(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (int i = 0; i < 32; i += 8) {
        s32 x = a_signed ? (s8)(a >> i) : (s32)(a >> i & 0xff);
        s32 y = b_signed ? (s8)(b >> i) : (s32)(b >> i & 0xff);
        c += (u32)(x * y);
    }
    return c;
}

// dp2a: two 16-bit values of a, the low two bytes of b.
LANE u32 dp2a(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (int i = 0; i < 2; i++) {
        s32 x = a_signed ? (s16)(a >> 16 * i) : (s32)(a >> 16 * i & 0xffff);
        s32 y = b_signed ? (s8)(b >> 8 * i) : (s32)(b >> 8 * i & 0xff);
        c += (u32)(x * y);
    }
    return c;
}

LANE u32 halves(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
LANE u32 add_u16x2(u32 a, u32 b) { return halves(a + b, (a >> 16) + (b >> 16)); }
LANE u32 min_u16x2(u32 a, u32 b)
{
    u16 x = (u16)a, y = (u16)b;
    return halves(x < y ? x : y, a >> 16 < b >> 16 ? a >> 16 : b >> 16);
}
LANE u32 max_u16x2(u32 a, u32 b)
{
    u16 x = (u16)a, y = (u16)b;
    return halves(x > y ? x : y, a >> 16 > b >> 16 ? a >> 16 : b >> 16);
}
LANE u32 min_s16x2(u32 a, u32 b)
{
    return halves((s16)a < (s16)b ? a : b, (s16)(a >> 16) < (s16)(b >> 16) ? a >> 16 : b >> 16);
}
LANE u32 max_s16x2(u32 a, u32 b)
{
    return halves((s16)a > (s16)b ? a : b, (s16)(a >> 16) > (s16)(b >> 16) ? a >> 16 : b >> 16);
}

// ---- bits
LANE u32 lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 r = 0;
    r |= -(table >> 0 & 1) & ~a & ~b & ~c;
    r |= -(table >> 1 & 1) & ~a & ~b & c;
    r |= -(table >> 2 & 1) & ~a & b & ~c;
    r |= -(table >> 3 & 1) & ~a & b & c;
    r |= -(table >> 4 & 1) & a & ~b & ~c;
    r |= -(table >> 5 & 1) & a & ~b & c;
    r |= -(table >> 6 & 1) & a & b & ~c;
    r |= -(table >> 7 & 1) & a & b & c;
    return r;
}

// Selector nibbles of the named modes of prmt, by the low two bits of c.
static const u16 PRMT_B4E[4] __attribute__((unused)) = {0x5670, 0x6701, 0x7012, 0x0123};
static const u16 PRMT_ECL[4] __attribute__((unused)) = {0x3210, 0x3211, 0x3222, 0x3333};
static const u16 PRMT_ECR[4] __attribute__((unused)) = {0x0000, 0x1110, 0x2210, 0x3210};

LANE u32 prmt(u32 a, u32 b, u32 selector)
{
    u64 bytes = (u64)b << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; i++) {
        u32 s = selector >> 4 * i & 15;
        u32 byte = (u32)(bytes >> 8 * (s & 7)) & 0xff;
        if (s & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << 8 * i;
    }
    return r;
}

LANE u32 brev(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

// Position of the highest 1 bit; all ones if there is none.
LANE u32 bfind(u64 a, bool wide)
{
    (void)wide;
    return a ? 63 - (u32)__builtin_clzll(a) : 0xffffffffu;
}

// Positions and lengths of fields: PTX defines 0 to 255. Beyond, an H200 uses their low 8 bits for 32-bit fields, and
// all bits for 64-bit ones.
LANE u32 field(u32 n, u32 width) { return width == 32 ? n & 0xff : n < 128 ? n : 128; }

// `length` bits of a from position `start`; the sign is the last bit that exists (PTX: bfe).
LANE u64 bfe(u64 a, u32 start, u32 length, u32 width, bool extend)
{
    start = field(start, width);
    length = field(length, width);
    u64 sign_at = start + length - 1 < width - 1 ? start + length - 1 : width - 1;
    u64 sign = extend && length ? a >> sign_at & 1 : 0;
    u64 low = start < width ? a >> start : 0;
    u32 have = start < width ? width - start : 0;
    u32 take = length < have ? length : have;
    u64 mask = take >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << take) - 1;
    return (low & mask) | (sign ? ~mask : 0);
}

LANE u64 bfi(u64 a, u64 b, u32 start, u32 length, u32 width)
{
    start = field(start, width);
    length = field(length, width);
    if (start >= width || !length)
        return b;
    u32 take = length < width - start ? length : width - start;
    u64 mask = (take >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << take) - 1) << start;
    return (b & ~mask) | (a << start & mask);
}

LANE u32 bmsk(u32 start, u32 length)
{
    u64 ones = length >= 32 ? 0xffffffffu : (UINT64_C(1) << length) - 1;
    return start >= 32 ? 0 : (u32)(ones << start);
}

LANE u32 szext(u32 a, u32 bits, bool extend)
{
    if (bits >= 32)
        return a;
    if (!bits)
        return 0;
    u32 low = a & ((1u << bits) - 1);
    return extend && a >> (bits - 1) & 1 ? low | ~0u << bits : low;
}

LANE u32 fns(u32 mask, u32 base, s32 offset)
{
    if (offset == 0)
        return base < 32 && mask >> base & 1 ? base : 0xffffffffu;
    if (offset == INT32_MIN)
        return 0; // as on an H200
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    for (int p = (int)base; p >= 0 && p < 32; p += step)
        if (mask >> p & 1 && --left == 0)
            return (u32)p;
    return 0xffffffffu;
}

// ---- floating point
#define CANONICAL_NAN_F32 0x7fffffffu

LANE f32 keep_f32(f32 x) { return x == x ? x : f32_bits(CANONICAL_NAN_F32); }
LANE f64 keep_f64(f64 x) { return x; }

// Subnormals become zero of the same sign.
LANE f32 flush_f32(f32 x)
{
    u32 b = bits_f32(x);
    b = b & 0x7f800000u ? b : b & 0x80000000u;
    return keep_f32(f32_bits(b));
}

// Flushes a result r whose inputs were flushed; exact is its exact value, or that rounded to 53 digits. As on an H200,
// r is flushed if exact is below 2^-126 when rounded to 24 digits with unbounded exponent; r itself may have been
// rounded up to 2^-126.
LANE f32 flush_result(f32 r, f64 wide)
{
    bool tiny = (bits_f32(r) & 0x7fffffffu) == 0x00800000u && fabs((f32)(wide * 0x1p100)) < 0x1p-26f;
    return tiny ? f32_bits(bits_f32(r) & 0x80000000u) : flush_f32(r);
}

// A result r of two or three sources. f64: a NaN among the sources comes out made quiet, in the order b, c, a, and the
// sign of a new one is set, as on an H200 (PTX leaves both open).
LANE f32 keep_two_f32(f32 r, f64 wide, f32 a, f32 b) { (void)wide, (void)a, (void)b; return keep_f32(r); }
LANE f32 flush_two_f32(f32 r, f64 wide, f32 a, f32 b) { (void)a, (void)b; return flush_result(r, wide); }
LANE f32 keep_three_f32(f32 r, f64 wide, f32 a, f32 b, f32 c)
{
    (void)wide, (void)a, (void)b, (void)c;
    return keep_f32(r);
}
LANE f32 flush_three_f32(f32 r, f64 wide, f32 a, f32 b, f32 c)
{
    (void)a, (void)b, (void)c;
    return flush_result(r, wide);
}
LANE f64 quiet_f64(f64 x) { return f64_bits(bits_f64(x) | UINT64_C(1) << 51); }
LANE f64 keep_one_f64(f64 r, f64 a) { return r == r ? r : a != a ? quiet_f64(a) : f64_bits(UINT64_C(0xfff8) << 48); }
LANE f64 keep_two_f64(f64 r, f64 wide, f64 a, f64 b)
{
    (void)wide;
    return b != b ? quiet_f64(b) : keep_one_f64(r, a);
}
LANE f64 keep_three_f64(f64 r, f64 wide, f64 a, f64 b, f64 c)
{
    return b != b ? quiet_f64(b) : keep_two_f64(r, wide, a, c);
}

LANE f32 fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
LANE f64 fma_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
LANE f32 sqrt_f32(f32 a) { return __builtin_sqrtf(a); }
LANE f64 sqrt_f64(f64 a) { return keep_one_f64(__builtin_sqrt(a), a); }
LANE f32 abs_f32(f32 a) { return f32_bits(bits_f32(a) & 0x7fffffffu); }
LANE f64 abs_f64(f64 a) { return a != a ? quiet_f64(a) : f64_bits(bits_f64(a) & ~(UINT64_C(1) << 63)); }
LANE f32 neg_f32(f32 a) { return keep_f32(f32_bits(bits_f32(a) ^ 0x80000000u)); }
LANE f64 neg_f64(f64 a) { return a != a ? quiet_f64(a) : f64_bits(bits_f64(a) ^ UINT64_C(1) << 63); }

// A NaN loses to a number; -0 is below +0.
LANE f32 min_f32(f32 a, f32 b)
{
    f32 r = a < b ? a : a > b ? b : f32_bits(bits_f32(a) | (bits_f32(b) & 0x80000000u));
    r = a != a ? b : b != b ? a : r;
    return keep_f32(r);
}
LANE f32 max_f32(f32 a, f32 b)
{
    f32 r = a > b ? a : a < b ? b : f32_bits(bits_f32(a) & (bits_f32(b) | 0x7fffffffu));
    r = a != a ? b : b != b ? a : r;
    return keep_f32(r);
}
LANE f64 min_f64(f64 a, f64 b)
{
    f64 r = a < b ? a : a > b ? b : f64_bits(bits_f64(a) | (bits_f64(b) & UINT64_C(1) << 63));
    return a != a ? b != b ? quiet_f64(b) : b : b != b ? a : r;
}
LANE f64 max_f64(f64 a, f64 b)
{
    f64 r = a > b ? a : a < b ? b : f64_bits(bits_f64(a) & (bits_f64(b) | ~(UINT64_C(1) << 63)));
    return a != a ? b != b ? quiet_f64(b) : b : b != b ? a : r;
}
LANE f32 min_nan_f32(f32 a, f32 b) { return a != a || b != b ? f32_bits(CANONICAL_NAN_F32) : min_f32(a, b); }
LANE f32 max_nan_f32(f32 a, f32 b) { return a != a || b != b ? f32_bits(CANONICAL_NAN_F32) : max_f32(a, b); }

// div.approx: beyond 2^126 the divisor counts as infinite.
LANE f32 near_divisor(f32 b)
{
    bool large = (bits_f32(b) & 0x7fffffffu) > 0x7e800000u && b == b;
    return large ? f32_bits((bits_f32(b) & 0x80000000u) | 0x7f800000u) : b;
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read the upper word of their source and give that of the result.
LANE f64 from_upper_word(f64 x) { return f64_bits(bits_f64(x) >> 32 << 32); }
LANE f64 flush_f64(f64 x)
{
    u64 b = bits_f64(x);
    return f64_bits(b & UINT64_C(0x7ff) << 52 ? b : b & UINT64_C(1) << 63);
}
LANE f64 upper_word(f64 x)
{
    return x == x ? from_upper_word(flush_f64(x)) : f64_bits(UINT64_C(0x7fffffff) << 32);
}

// .sat: into [0, 1], NaN becomes 0.
LANE f32 saturate_f32(f32 x) { return x > 0 ? x < 1 ? x : 1 : 0; }

// clang-format on
