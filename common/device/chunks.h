// chunks.h: what step 08 of chapter 05-tridiagonal does within a warp's chunk of rows, as step 07 does with its
// systems. a, b, c, f: the rows of a lane, `rows` of them.
#ifndef DEVICE_CHUNKS_H
#define DEVICE_CHUNKS_H

#include "device/rows.h"

// Eliminates as in step 7 and returns the lane's last row. *second: row 1 in terms of left, the last x of the lane
// before, and of the lane's last x. The last lane keeps in its row what stands behind it.
static inline __device__ struct row eliminate_lane(float *a, float *b, float *c, float *f, int rows, struct row *second)
{
    int lane = threadIdx.x % 32, z = rows - 1;
#pragma unroll
    for (int i = 0; i < rows; i++) {
        if (i > 0)
            b[i] -= a[i] * c[i - 1], f[i] -= a[i] * f[i - 1], a[i] *= -a[i - 1];
        if (i < z) {
            float k = reciprocal(b[i]);
            a[i] *= k, c[i] *= k, f[i] *= k;
        }
    }
    struct row r = make_row(a[z - 1], 1, c[z - 1], f[z - 1]);
#pragma unroll
    for (int i = z - 2; i >= 0; i--) {
        *second = r; // at last, row 1
        r = make_row(a[i] - c[i] * r.a, 1, -c[i] * r.c, f[i] - c[i] * r.f);
    }
    r = shuffle_row(r, lane + 1); // the first row of the lane behind
    if (lane == 31)
        return make_row(a[z], b[z], c[z], f[z]);
    return make_row(a[z], b[z] - c[z] * r.a, -c[z] * r.c, f[z] - c[z] * r.f);
}

// Frees the rows of the first `lanes` lanes of each other. What remains are the x before the first and behind the last:
// a row without a neighbour meets one that says x = x, so that its a or c stays.
static inline __device__ struct row eliminate_warp(struct row r, int lanes)
{
    int lane = threadIdx.x % 32;
    for (int stride = 1; stride < 32; stride *= 2) {
        struct row up = shuffle_row(r, lane - stride), down = shuffle_row(r, lane + stride);
        if (lane < stride)
            up = make_row(-1, 1, 0, 0);
        if (lane + stride >= lanes)
            down = make_row(0, 1, -1, 0);
        if (lane < lanes)
            r = eliminate(up, r, down);
    }
    return r;
}

// The last x of every lane is in f, that of the lane before in left: computes the others by what eliminate_lane has
// left, and stores all, count of the warp's, from x on.
static inline __device__ void substitute(float *x, const float *a, const float *c, float *f, int rows, float left,
                                         int count, float4 *cache)
{
#pragma unroll
    for (int i = rows - 2; i >= 0; i--)
        f[i] -= a[i] * left + c[i] * f[i + 1];
    turn_quads(f, rows, cache, 1);
    store_quads(x, f, rows, count);
}
#endif
