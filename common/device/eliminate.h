// eliminate.h: the elimination of cyclic reduction, from step 03 of chapter 05-tridiagonal, which defines it in the
// exercise. Steps 04 to 08 use it.
#pragma once

#include "device/tridiagonal_equations.h"

// Row `row` after the elimination of its neighbours `up` and `down`: subtracts their equations times k1 and k2. The
// upper neighbour of up and the lower one of down become its neighbours. 12 operations, 2 of them divisions.
static inline __device__ struct row eliminate(struct row up, struct row row, struct row down)
{
    float k1 = row.a / up.b, k2 = row.c / down.b;
    return make_row(-k1 * up.a, row.b - k1 * up.c - k2 * down.a, -k2 * down.c, row.f - k1 * up.f - k2 * down.f);
}

// The two x of a system of two rows: p with unknowns b and c, q with unknowns a and b.
static inline __device__ void solve_pair(float *x_p, float *x_q, struct row p, struct row q)
{
    *x_q = (p.b * q.f - q.a * p.f) / (p.b * q.b - q.a * p.c);
    *x_p = (p.f - p.c * *x_q) / p.b;
}
