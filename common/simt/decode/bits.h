// The types of lanes, and floating-point values as bits.
#pragma once

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#define LANE static inline __attribute__((always_inline, unused))

LANE u32 bits_f32(f32 x)
{
    u32 b;
    memcpy(&b, &x, 4);
    return b;
}
LANE f32 f32_bits(u32 b)
{
    f32 x;
    memcpy(&x, &b, 4);
    return x;
}
LANE u64 bits_f64(f64 x)
{
    u64 b;
    memcpy(&b, &x, 8);
    return b;
}
LANE f64 f64_bits(u64 b)
{
    f64 x;
    memcpy(&x, &b, 8);
    return x;
}
