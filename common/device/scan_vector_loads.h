// scan_vector_loads.h: from step 9 of chapter 01-reduction, loads of 16 bytes: quads, 4 elements each, with single
// elements at the edges of the array. For steps 08 to 10 of chapter 02-scan.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

// Elements between in and the 16-byte boundary before it, 0 to 3: the first quad begins at that boundary.
static inline __host__ __device__ int quad_offset(const int *in)
{
    return (int)((uintptr_t)in / sizeof *in % 4);
}

// *quad = in[i], ..., in[i + 3], where elements outside 0, ..., n - 1 count as 0.
static inline __device__ void load_edge(int4 *quad, const int *in, int i, int n)
{
    quad->x = i >= 0 && i < n ? in[i] : 0;
    quad->y = i + 1 >= 0 && i + 1 < n ? in[i + 1] : 0;
    quad->z = i + 2 >= 0 && i + 2 < n ? in[i + 2] : 0;
    quad->w = i + 3 >= 0 && i + 3 < n ? in[i + 3] : 0;
}

static inline __device__ void store_edge(int *out, const int4 *quad, int i, int n)
{
    if (i >= 0 && i < n)
        out[i] = quad->x;
    if (i + 1 >= 0 && i + 1 < n)
        out[i + 1] = quad->y;
    if (i + 2 >= 0 && i + 2 < n)
        out[i + 2] = quad->z;
    if (i + 3 >= 0 && i + 3 < n)
        out[i + 3] = quad->w;
}

// A warp loads 32 * quads quads from in[i] on, where a quad begins: a lane gets quads lane, lane + 32, lane + 64, ...
// Elements are loaded singly only at the edges of the array, where a warp reaches past 0 or n.
static inline __device__ void load_quads(int4 *quad, int quads, const int *in, int i, int n)
{
    int first = i + 4 * (threadIdx.x % 32), whole = i >= 0 && i + 128 * quads <= n;
    if (whole)
        for (int k = 0; k < quads; k++)
            quad[k] = *(const int4 *)(in + first + 128 * k); // independent: all in flight together
    else
        for (int k = 0; k < quads; k++)
            load_edge(&quad[k], in, first + 128 * k, n);
}

// Stores what load_quads loads; element by element also if out + i is not aligned as in + i was.
static inline __device__ void store_quads(int *out, const int4 *quad, int quads, int i, int n)
{
    int first = i + 4 * (threadIdx.x % 32), whole = i >= 0 && i + 128 * quads <= n;
    if (whole && quad_offset(out + i) == 0)
        for (int k = 0; k < quads; k++)
            *(int4 *)(out + first + 128 * k) = quad[k];
    else
        for (int k = 0; k < quads; k++)
            store_edge(out, &quad[k], first + 128 * k, n);
}
