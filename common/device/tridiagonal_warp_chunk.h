// tridiagonal_warp_chunk.h: what a warp does within its chunk of rows in step 08 of chapter 05-tridiagonal: the
// functions of step 07, which defines them in the exercise, for a chunk that has neighbours. a, b, c, f: a lane's rows,
// `rows` of them.
#pragma once

#include "device/eliminate.h"
#include "device/tridiagonal_equations.h"

// From step 07: eliminates a lane's rows from the first down; left is the last x of the lane before. All rows but the
// last become x_i = f[i] - a[i] left - c[i] x_{i+1}.
static inline __device__ void eliminate_down(float *a, float *b, float *c, float *f, int rows)
{
    float k = reciprocal(b[0]);
    a[0] *= k, c[0] *= k, f[0] *= k;
#pragma unroll
    for (int i = 1; i < rows; i++) {
        b[i] -= a[i] * c[i - 1], f[i] -= a[i] * f[i - 1], a[i] *= -a[i - 1];
        if (i < rows - 1) {
            k = reciprocal(b[i]);
            a[i] *= k, c[i] *= k, f[i] *= k;
        }
    }
}

// From step 07: a lane's last row after eliminate_down. *second: row 1 in terms of left and of the lane's last x. The
// last lane keeps its coupling to the row after it.
static inline __device__ struct row last_row(const float *a, const float *b, const float *c, const float *f, int rows,
                                             struct row *second)
{
    int lane = threadIdx.x % 32, z = rows - 1;
    struct row r = make_row(a[z - 1], 1, c[z - 1], f[z - 1]);
#pragma unroll
    for (int i = z - 2; i >= 0; i--) {
        *second = r; // finally, row 1
        r = make_row(a[i] - c[i] * r.a, 1, -c[i] * r.c, f[i] - c[i] * r.f);
    }
    r = shuffle_row(r, lane + 1); // the first row of the next lane
    if (lane == 31)
        return make_row(a[z], b[z], c[z], f[z]);
    return make_row(a[z], b[z] - c[z] * r.a, -c[z] * r.c, f[z] - c[z] * r.f);
}

// From step 07: parallel cyclic reduction over the rows of the first `lanes` lanes. The x before the first and after
// the last remain: a row without a neighbour is combined with the equation x = x, so that its a or c stays.
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

// From step 07: back substitution. f of the last row is the lane's last x, left that of the lane before. Computes the
// other x from the rows that eliminate_down left, and stores all of the warp's, count of them, from x on.
static inline __device__ void substitute(float *x, const float *a, const float *c, float *f, int rows, float left,
                                         int count, float4 *cache)
{
#pragma unroll
    for (int i = rows - 2; i >= 0; i--)
        f[i] -= a[i] * left + c[i] * f[i + 1];
    turn_quads(f, rows, cache, 1);
    store_quads(x, f, rows, count);
}
