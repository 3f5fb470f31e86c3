// cvt: any type to any type, through a 64-bit integer or a double in between.
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "decode/forms.h"
#include "exec/convert.h"
#include "exec/finding.h"
#include "exec/half.h"
#include "exec/handlers.h"

#define FAST(name, D, A) \
    void op_cvt_##name(struct warp *w, const struct insn *in) \
    { \
        D *d = row(w, in->dst); \
        const A *a = row(w, in->a); \
        if (w->mask == ALL_LANES) { \
            _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++) d[l] = (D)a[l]; \
        } else \
            FOR_LANES(l, w->mask) \
        d[l] = (D)a[l]; \
    }
FAST(64_u32, u64, u32)
FAST(64_s32, s64, s32)
FAST(32_u64, u32, u64)
FAST(f32_s32, f32, s32)
FAST(f32_u32, f32, u32)
FAST(f64_f32, f64, f32)

// ---- half precision

// Rounds v to `digits` significant bits with smallest normal exponent `lowest`, in the host's rounding mode. Exact for
// every double that holds a float.
static double round_to_format(double v, int digits, int lowest)
{
    int exponent;
    if (v == 0 || !isfinite(v))
        return v;
    frexp(v, &exponent);
    int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - (digits - 1);
    return ldexp(rint(ldexp(v, -unit)), unit);
}

static double overflow_value(double largest, double v)
{
    int mode = fegetround();
    bool stays = mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && v > 0) || (mode == FE_UPWARD && v < 0);
    return copysign(stays ? largest : INFINITY, v);
}

static uint16_t half_bits(double v)
{
    v = round_to_format(v, 11, -14);
    if (fabs(v) > 65504 && !isinf(v))
        v = overflow_value(65504, v);
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    v = fabs(v);
    if (isinf(v))
        return sign | 0x7c00;
    if (v < ldexp(1, -14))
        return (uint16_t)(sign | (uint16_t)ldexp(v, 24));
    int exponent;
    double m = frexp(v, &exponent);
    return (uint16_t)(sign | (uint16_t)((exponent + 14) << 10) | ((uint16_t)ldexp(m, 11) & 0x3ff));
}

static uint16_t bf16_bits(double v)
{
    v = round_to_format(v, 8, -126);
    double largest = ldexp(255, 120);
    if (fabs(v) > largest && !isinf(v))
        v = overflow_value(largest, v);
    return (uint16_t)(bits_f32((float)v) >> 16);
}

// ---- one lane

static bool is_float(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64;
}

static bool is_signed(enum ptx_type t)
{
    return t >= PTX_S8 && t <= PTX_S64;
}

static double float_value(uint64_t bits, enum ptx_type t, bool flush)
{
    if (t == PTX_F16)
        return f16_value((uint16_t)bits);
    if (t == PTX_BF16)
        return bf16_value((uint16_t)bits);
    if (t == PTX_F32)
        return flush ? flush_f32(f32_bits((uint32_t)bits)) : f32_bits((uint32_t)bits);
    return f64_bits(bits);
}

// Flushes a value that is below 2^-126 when rounded to 24 digits with unbounded exponent: as on an H200.
static float flushed(double v)
{
    double r = round_to_format(v, 24, -2000);
    return fabs(r) < ldexp(1, -126) ? copysignf(0, (float)v) : (float)r;
}

static uint64_t float_bits(double v, enum ptx_type t, bool flush)
{
    if (t == PTX_F16)
        return half_bits(v);
    if (t == PTX_BF16)
        return bf16_bits(v);
    if (t == PTX_F32)
        return bits_f32(flush ? flushed(v) : (float)v);
    return bits_f64(v);
}

// A NaN becomes the canonical one. Conversions from or to f64 keep the bits that fit, made quiet (as on an H200; PTX
// leaves it open).
static uint64_t nan_bits(double v, enum ptx_type from, enum ptx_type to)
{
    uint64_t b = bits_f64(v) | UINT64_C(1) << 51, sign = b >> 63 << 15;
    if (to == PTX_F64)
        return b;
    if (from != PTX_F64)
        return to == PTX_F32 ? CANONICAL_NAN_F32 : CANONICAL_NAN_HALF;
    if (to == PTX_F32)
        return bits_f32((float)f64_bits(b));
    return sign | (to == PTX_F16 ? 0x7c00 | (b >> 42 & 0x3ff) : 0x7f80 | (b >> 45 & 0x7f));
}

// Conversions that are moves: NaNs pass as they are.
static bool moves(const struct insn *in)
{
    enum ptx_type from = in->space, to = in->scope;
    bool same = from == to && (from == PTX_F32 || from == PTX_F64) && (in->sub == ROUND_NONE || in->sub == RN);
    return (same || (from == PTX_BF16 && to == PTX_F32)) && !in->order;
}

// The low bits of an integer register as a value of type t.
static uint64_t integer_value(uint64_t bits, enum ptx_type t)
{
    uint32_t width = ptx_type_size(t) * 8;
    if (width == 64)
        return bits;
    bits &= (UINT64_C(1) << width) - 1;
    return is_signed(t) && bits >> (width - 1) ? bits | ~UINT64_C(0) << width : bits;
}

static uint64_t clamp_integer(uint64_t v, bool from_signed, enum ptx_type t)
{
    uint32_t width = ptx_type_size(t) * 8;
    if (is_signed(t)) {
        int64_t high = (int64_t)(UINT64_MAX >> (65 - width)), low = -high - 1;
        if (!from_signed)
            return v > (uint64_t)high ? (uint64_t)high : v;
        return (int64_t)v > high ? (uint64_t)high : (int64_t)v < low ? (uint64_t)low : v;
    }
    uint64_t high = UINT64_MAX >> (64 - width);
    if (from_signed && (int64_t)v < 0)
        return 0;
    return v > high ? high : v;
}

static double round_integral(double v, enum rounding how)
{
    switch (how) {
    case RZI: return trunc(v);
    case RMI: return floor(v);
    case RPI: return ceil(v);
    case RNI: return nearbyint(v);
    default: return v;
    }
}

// PTX: clamps values out of range. NaN becomes 0, or only the top bit is set if either type has 64 bits.
static uint64_t integer_of(double v, enum ptx_type from, enum ptx_type t)
{
    uint32_t width = ptx_type_size(t) * 8;
    if (v != v)
        return from == PTX_F64 || width == 64 ? integer_value(UINT64_C(1) << (width - 1), t) : 0;
    double high = ldexp(1, is_signed(t) ? (int)width - 1 : (int)width), low = is_signed(t) ? -high : 0;
    uint64_t most = is_signed(t) ? UINT64_MAX >> (65 - width) : UINT64_MAX >> (64 - width);
    if (v >= high)
        return most;
    if (v <= low)
        return is_signed(t) ? UINT64_C(0) - most - 1 : 0;
    return is_signed(t) ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static uint64_t from_integer(uint64_t v, bool from_signed, enum ptx_type t)
{
    if (t == PTX_F32)
        return bits_f32(from_signed ? (float)(int64_t)v : (float)v);
    if (t == PTX_F64)
        return bits_f64(from_signed ? (double)(int64_t)v : (double)v);
    return float_bits(from_signed ? (double)(int64_t)v : (double)v, t, false);
}

static uint64_t convert_lane(const struct insn *in, uint64_t bits)
{
    enum ptx_type from = in->space, to = in->scope;
    enum rounding how = in->sub;
    bool flush = in->order & CVT_FLUSH && to != PTX_F16, saturate = in->order & CVT_SATURATE;
    if (!is_float(from)) {
        uint64_t v = integer_value(bits, from);
        if (is_float(to))
            return from_integer(v, is_signed(from), to);
        return integer_value(saturate ? clamp_integer(v, is_signed(from), to) : v, to);
    }
    if (is_float(to) && moves(in))
        return from == to ? bits : bits << 16;
    double v = float_value(bits, from, flush);
    if (!is_float(to))
        return integer_of(round_integral(v, how), from, to);
    v = round_integral(v, how);
    if (saturate)
        v = v > 0 ? v < 1 ? v : 1 : 0;
    if (in->order & CVT_RELU)
        v = v > 0 ? v : v != v ? v : 0;
    return v != v ? nan_bits(v, from, to) : float_bits(v, to, flush);
}

static int host_rounding(enum rounding how)
{
    return how == RZ ? FE_TOWARDZERO : how == RM ? FE_DOWNWARD : how == RP ? FE_UPWARD : FE_TONEAREST;
}

// ---- floats too large for every integer, in sampled launches: see exec/convert.h

static struct {
    pthread_mutex_t lock;
    bool any;
    char place[400];
} rounded = {.lock = PTHREAD_MUTEX_INITIALIZER};

const char *convert_rounded(void)
{
    pthread_mutex_lock(&rounded.lock);
    bool any = rounded.any;
    pthread_mutex_unlock(&rounded.lock);
    return any ? rounded.place : NULL;
}

void convert_forget(void)
{
    pthread_mutex_lock(&rounded.lock);
    rounded.any = false;
    pthread_mutex_unlock(&rounded.lock);
}

static void note_rounded(const struct warp *w, const struct insn *in)
{
    pthread_mutex_lock(&rounded.lock);
    if (!rounded.any)
        snprintf(rounded.place, sizeof rounded.place, "%s", origin_place(w->block->launch->module, in->id));
    rounded.any = true;
    pthread_mutex_unlock(&rounded.lock);
}

static void look_for_rounded(const struct warp *w, const struct insn *in, const float *from)
{
    bool found = false;
    FOR_LANES(l, w->mask)
    found |= fabsf(from[l]) >= 0x1p24f && fabsf(from[l]) < 0x1p63f;
    if (found)
        note_rounded(w, in);
}

// Two sources: the result of the first is the upper half.
void op_convert(struct warp *w, const struct insn *in)
{
    const uint8_t *a = row(w, in->a), *low = in->b == NONE ? NULL : row(w, in->b);
    uint8_t *d = row(w, in->dst);
    uint64_t values[LANES];
    int mode = host_rounding(in->sub);
    if (w->block->launch->partial && in->space == PTX_F32 && !is_float(in->scope) && in->size == sizeof(float))
        look_for_rounded(w, in, (const float *)a);
    if (mode != FE_TONEAREST)
        fesetround(mode);
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t bits = 0;
        memcpy(&bits, a + l * in->size, in->size);
        values[l] = convert_lane(in, bits);
        if (low) {
            memcpy(&bits, low + l * in->size, in->size);
            values[l] = values[l] << 16 | convert_lane(in, bits);
        }
    }
    if (mode != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    FOR_LANES(l, w->mask)
    memcpy(d + l * in->count, &values[l], in->count);
}

// ---- formats of tensor cores, as an H200 converts them

// f32 to ten mantissa bits. An H200 does .rna with integer operations, which NaNs pass through.
static uint32_t tf32_bits(uint32_t x, enum rounding how, uint32_t flags)
{
    uint32_t sign = x & 0x80000000u, m = x & 0x7fffffffu, infinite = 0x7f800000u;
    if (how != RNA && m > infinite)
        return 0x7fffe000u;
    if (m < infinite)
        m += how == RNA ? 0x1000u : how == RN ? 0xfffu + (m >> 13 & 1) : 0;
    m &= ~0x1fffu;
    if (flags & CVT_SATURATE && m >= infinite)
        m -= 0x2000;
    return flags & CVT_RELU && sign ? 0 : sign | m;
}

// v to eight bits, rounded to nearest even; values out of range become the largest number.
static uint32_t eighth_bits(double v, bool e4m3, uint32_t flags)
{
    int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, exponent;
    double largest = e4m3 ? 448 : 57344, size = fabs(v) > largest ? largest : fabs(v);
    uint32_t sign = signbit(v) ? 0x80 : 0;
    if (v != v)
        return 0x7f;
    if (flags & CVT_RELU && sign)
        return 0;
    size = round_to_format(size, mantissa + 1, 1 - bias);
    if (size < ldexp(1, 1 - bias))
        return sign | (uint32_t)ldexp(size, bias - 1 + mantissa);
    double m = frexp(size, &exponent);
    return sign | (((uint32_t)(exponent + bias - 2) << mantissa) + (uint32_t)ldexp(m, mantissa + 1));
}

static uint32_t half_of_eighth(uint32_t x, bool e4m3, uint32_t flags)
{
    uint32_t half = e4m3 ? f16_of_e4m3(x) : f16_of_e5m2(x);
    return flags & CVT_RELU && half & 0x8000 ? 0 : half;
}

static uint32_t convert_narrow(const struct insn *in, uint32_t a, uint32_t b)
{
    uint32_t flags = in->order;
    bool e4m3 = in->sub == NARROW_E4M3 || in->sub == NARROW_E4M3_HALVES || in->sub == HALVES_E4M3;
    switch (in->sub) {
    case NARROW_TF32: return tf32_bits(a, in->scope, flags);
    case NARROW_E4M3:
    case NARROW_E5M2: return eighth_bits(f32_bits(a), e4m3, flags) << 8 | eighth_bits(f32_bits(b), e4m3, flags);
    case NARROW_E4M3_HALVES:
    case NARROW_E5M2_HALVES:
        return eighth_bits(f16_value((uint16_t)(a >> 16)), e4m3, flags) << 8 |
               eighth_bits(f16_value((uint16_t)a), e4m3, flags);
    default: return half_of_eighth(a >> 8 & 0xff, e4m3, flags) << 16 | half_of_eighth(a & 0xff, e4m3, flags);
    }
}

void op_convert_narrow(struct warp *w, const struct insn *in)
{
    bool wide = in->sub == NARROW_TF32 || in->sub >= HALVES_E4M3, from_halves = in->sub >= HALVES_E4M3;
    const void *a = row(w, in->a), *b = in->b == NONE ? a : row(w, in->b);
    void *d = row(w, in->dst);
    FOR_LANES(l, w->mask)
    {
        uint32_t x = from_halves ? ((const uint16_t *)a)[l] : ((const uint32_t *)a)[l];
        uint32_t y = from_halves ? 0 : ((const uint32_t *)b)[l], result = convert_narrow(in, x, y);
        if (wide)
            ((uint32_t *)d)[l] = result;
        else
            ((uint16_t *)d)[l] = (uint16_t)result;
    }
}
