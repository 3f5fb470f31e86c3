// cyclic.h: cyclic reduction in shared memory, from step 03 of chapter 05-tridiagonal, which defines it in the
// exercise. Step 06 uses it. Here the rows stay in place, and a word of padding after every 32 avoids bank conflicts,
// as in step 5 of the scan. All threads of the block call it, at least one for every other row.
#pragma once

#include "device/eliminate.h"

#define MAX_SIZE 1024                    // rows of a system
#define WORDS (MAX_SIZE + MAX_SIZE / 32) // words of shared memory per band

struct cache {
    float a[WORDS], b[WORDS], c[WORDS], f[WORDS];
};

// The word of a band that holds row i.
static inline __device__ int word(int i)
{
    return i + i / 32;
}

// Row i of `rows`, or the equation x = 0 if there is none.
static inline __device__ struct row get(const struct cache *s, int i, int rows)
{
    int w = word(i);
    return i >= 0 && i < rows ? make_row(s->a[w], s->b[w], s->c[w], s->f[w]) : make_row(0, 1, 0, 0);
}

static inline __device__ void put(struct cache *s, int i, struct row r)
{
    int w = word(i);
    s->a[w] = r.a, s->b[w] = r.b, s->c[w] = r.c, s->f[w] = r.f;
}

// Forward reduction, until `left` rows are left: rows step - 1, 2 * step - 1, ..., rows - 1. Returns step. Call it
// after a barrier; it ends with one. rows and left are powers of 2.
static inline __device__ unsigned reduce_rows(struct cache *s, int rows, int left)
{
    int tid = threadIdx.x, step = 1;
    for (; step < rows / left; step *= 2) {
        int i = 2 * step * (tid + 1) - 1;
        if (i < rows)
            put(s, i, eliminate(get(s, i - step, rows), get(s, i, rows), get(s, i + step, rows)));
        __syncthreads();
    }
    return step;
}

// Back substitution: s->f becomes x in all rows, starting from those that are step apart. Barriers as above.
static inline __device__ void substitute_rows(struct cache *s, int rows, unsigned step)
{
    int tid = threadIdx.x;
    for (int stride = step / 2; stride > 0; stride /= 2) {
        int i = 2 * stride * tid + stride - 1;
        if (i < rows) {
            struct row r = get(s, i, rows);
            s->f[word(i)] = (r.f - r.a * get(s, i - stride, rows).f - r.c * s->f[word(i + stride)]) / r.b;
        }
        __syncthreads();
    }
}
