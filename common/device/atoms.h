// atoms.h: atoms and the map of their potential, as the kernels of chapter 09-gather get them, and code that
// its steps share.
#pragma once

#include "device/launch.h"

#define SOFTENING 0.0625f // added to every squared distance, so that no distance is 0
#define CUTOFF 16.0f      // from step 4: atoms at this distance or farther do not count
#define CUTOFF2 (CUTOFF * CUTOFF)

// The points (x, y, 0), x = 0 ... width - 1, y = 0 ... height - 1.
struct plane {
    int width, height;
};

static inline __host__ __device__ size_t points_of(struct plane p)
{
    return (size_t)p.width * (size_t)p.height;
}

// A grid with tiles of that many points per block; at least one block, as a launch requires.
static inline dim3 tiles_of(struct plane p, int width, int height)
{
    return dim3(max(1, ceil_div(p.width, width)), max(1, ceil_div(p.height, height)));
}

// From step 3: 1 / sqrt(x). It omits rsqrtf's three instructions for x below 2^-126, which SOFTENING excludes.
static inline __device__ float inverse_root(float x)
{
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
