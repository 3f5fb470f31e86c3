// tridiagonal_equations.h: code that the kernels of chapter 05-tridiagonal share: equations, a shuffle of rows,
// corner turning.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

struct bands {
    const float *a, *b, *c, *f;
};

// One equation: a (unknown above) + b (its own) + c (unknown below) = f.
struct row {
    float a, b, c, f;
};

static inline __host__ __device__ struct row make_row(float a, float b, float c, float f)
{
    struct row r = {a, b, c, f};
    return r;
}

// Row i of the bands, or, if there is none, the equation x = 0, which is coupled to no other.
static inline __device__ struct row load_row(struct bands d, int i, int is)
{
    return is ? make_row(d.a[i], d.b[i], d.c[i], d.f[i]) : make_row(0, 1, 0, 0);
}

// 1 / x, to 2 units in the last place, in far fewer instructions than a division.
static inline __device__ float reciprocal(float x)
{
    return __fdividef(1, x);
}

// Lane `from`'s row, for all lanes of a warp; the lane's own if there is no such lane.
static inline __device__ struct row shuffle_row(struct row r, int from)
{
    from = from >= 0 && from < 32 ? from : (int)threadIdx.x % 32;
    return make_row(__shfl_sync(0xffffffff, r.a, from), __shfl_sync(0xffffffff, r.b, from),
                    __shfl_sync(0xffffffff, r.c, from), __shfl_sync(0xffffffff, r.f, from));
}

// ---- Corner turning, as in step 8 of the scan: a warp takes neighbouring elements, `rows` per lane, a multiple of 4
// The place of quad q, 4 elements, in a cache: after every 8 quads, which fill all 32 banks, one quad of padding.
#define PLACE(q) ((q) + (q) / 8)

static inline __device__ int is_aligned(const float *p)
{
    return (uintptr_t)p % sizeof(float4) == 0;
}

// Loads quads lane, lane + 32, ... of a warp's elements into v. All of them must exist. from is aligned to 16 bytes.
static inline __device__ void load_quads(float *v, int rows, const float *from)
{
#pragma unroll
    for (int k = 0; k < rows; k += 4) { // no test in between: all in flight together
        float4 quad = *(const float4 *)(from + 4 * (threadIdx.x % 32) + 32 * k);
        v[k] = quad.x, v[k + 1] = quad.y, v[k + 2] = quad.z, v[k + 3] = quad.w;
    }
}

// The same for from[0], ..., from[count - 1], wherever they begin; elements from count on are `other`.
static inline __device__ void load_edge(float *v, int rows, const float *from, int count, float other)
{
#pragma unroll
    for (int k = 0; k < rows; k += 4) {
        int i = 4 * (threadIdx.x % 32) + 32 * k;
        float4 quad;
        if (is_aligned(from) && i + 4 <= count) {
            quad = *(const float4 *)(from + i);
        } else {
            quad.x = i < count ? from[i] : other;
            quad.y = i + 1 < count ? from[i + 1] : other;
            quad.z = i + 2 < count ? from[i + 2] : other;
            quad.w = i + 3 < count ? from[i + 3] : other;
        }
        v[k] = quad.x, v[k + 1] = quad.y, v[k + 2] = quad.z, v[k + 3] = quad.w;
    }
}

// Stores what load_quads or load_edge loads.
static inline __device__ void store_quads(float *to, const float *v, int rows, int count)
{
    int lane = threadIdx.x % 32;
    if (is_aligned(to) && count == 32 * rows) {
#pragma unroll
        for (int k = 0; k < rows; k += 4)
            *(float4 *)(to + 4 * lane + 32 * k) = make_float4(v[k], v[k + 1], v[k + 2], v[k + 3]);
        return;
    }
#pragma unroll
    for (int k = 0; k < rows; k++) {
        int i = 4 * lane + 32 * (k / 4 * 4);
        if (is_aligned(to) && i + 4 <= count) {
            if (k % 4 == 0)
                *(float4 *)(to + i) = make_float4(v[k], v[k + 1], v[k + 2], v[k + 3]);
        } else if (i + k % 4 < count) {
            to[i + k % 4] = v[k];
        }
    }
}

// Rearranges v from the order of loading to the order of lanes: lane l then holds the elements from l * rows on. back:
// the reverse. The cache is the warp's own.
static inline __device__ void turn_quads(float *v, int rows, float4 *cache, int back)
{
    int lane = threadIdx.x % 32, quads = rows / 4;
#pragma unroll
    for (int k = 0; k < quads; k++)
        cache[back ? PLACE(lane * quads + k) : PLACE(lane + k * 32)] =
            make_float4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < quads; k++) {
        float4 quad = cache[back ? PLACE(lane + k * 32) : PLACE(lane * quads + k)];
        v[4 * k] = quad.x, v[4 * k + 1] = quad.y, v[4 * k + 2] = quad.z, v[4 * k + 3] = quad.w;
    }
    __syncwarp(); // before the cache is reused
}

// The rows of a warp, `rows` for each lane, from row first on: `count` of them, then the equation x = 0.
static inline __device__ void load_rows(float *a, float *b, float *c, float *f, int rows, struct bands d, int first,
                                        int count, float4 *cache)
{
    if (count == 32 * rows && is_aligned(d.a + first) && is_aligned(d.b + first) && is_aligned(d.c + first) &&
        is_aligned(d.f + first)) {
        load_quads(a, rows, d.a + first);
        load_quads(b, rows, d.b + first);
        load_quads(c, rows, d.c + first);
        load_quads(f, rows, d.f + first);
    } else {
        load_edge(a, rows, d.a + first, count, 0);
        load_edge(b, rows, d.b + first, count, 1);
        load_edge(c, rows, d.c + first, count, 0);
        load_edge(f, rows, d.f + first, count, 0);
    }
    turn_quads(a, rows, cache, 0);
    turn_quads(b, rows, cache, 0);
    turn_quads(c, rows, cache, 0);
    turn_quads(f, rows, cache, 0);
}
