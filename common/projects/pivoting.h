// pivoting.h: project 5, many small systems of equations that need pivoting. Write
//
//     void solve_batch(float *d_x, const float *d_a, const float *d_b, int size, int systems);
//
// System s is A x = b with A in d_a[s * size * size + row * size + column], b in d_b[s * size + row] and x likewise. A
// pivot may be 0 although A is regular: choose the largest remaining word of the column (partial pivoting). size is
// from 1 to 32, systems is 0 or more.
//
//     a.out SIZE SYSTEMS SEED KIND     diagonal: KIND 0 as the rest, 1 zero, 2 tiny
#pragma once

#include "projects/check.h"

void solve_batch(float *d_x, const float *d_a, const float *d_b, int size, int systems);

// Elimination with partial pivoting solves a system whose words are off by at most 3 size 2^-24 times the growth of the
// words (Higham, theorem 9.5). For random matrices of 32 rows the growth is below 10: 32 size 2^-24 in all. Without
// pivoting a tiny pivot makes the words grow a million times.
static inline int is_solved(const float *x, const float *a, const float *b, int size)
{
    double largest = 0, norm = 0;
    for (int i = 0; i < size; i++) {
        double row = 0;
        for (int j = 0; j < size; j++)
            row += fabs(a[i * size + j]);
        norm = fmax(norm, row);
        largest = fmax(largest, fabs(x[i]));
    }
    for (int i = 0; i < size; i++) {
        double left = -b[i];
        for (int j = 0; j < size; j++)
            left += (double)a[i * size + j] * x[j];
        if (!(fabs(left) <= 32 * size * 0x1p-24 * (norm * largest + fabs(b[i])))) {
            printf("row %d: A x - b is %.3g, more than rounding can explain\n", i, left);
            return 0;
        }
    }
    return 1;
}

static inline void draw_systems(float *a, float *b, int size, int systems, uint64_t *state, int kind)
{
    for (int s = 0; s < systems; s++)
        for (int i = 0; i < size; i++) {
            b[s * size + i] = small_number(state, 1000) / 1000;
            for (int j = 0; j < size; j++) {
                float word = small_number(state, 1 << 20) * 0x1p-20f;
                a[(s * size + i) * size + j] = i != j || kind == 0 || size == 1 ? word : kind == 1 ? 0 : word * 1e-7f;
            }
        }
}

int main(int argc, char **argv)
{
    int size = argument(argc, argv, 1, 8), systems = argument(argc, argv, 2, 20), right = 1;
    uint64_t state = (uint64_t)argument(argc, argv, 3, 1);
    size_t n = (size_t)size * systems, bytes = n * sizeof(float);
    float *a = (float *)host_buffer(bytes * size), *b = (float *)host_buffer(bytes), *x, *d_a, *d_b, *d_x;

    draw_systems(a, b, size, systems, &state, argument(argc, argv, 4, 0));
    d_a = (float *)device_buffer(a, bytes * size);
    d_b = (float *)device_buffer(b, bytes);
    d_x = (float *)device_buffer(NULL, bytes);
    begin_counted();
    solve_batch(d_x, d_a, d_b, size, systems);
    end_counted();
    x = (float *)fetch(d_x, bytes);
    for (int s = 0; s < systems && right; s++)
        right = is_solved(x + s * size, a + s * size * size, b + s * size, size);
    right = right && is_unchanged("d_a", d_a, a, bytes * size) && is_unchanged("d_b", d_b, b, bytes);
    check_cuda(cudaFree(d_x));
    check_cuda(cudaFree(d_b));
    check_cuda(cudaFree(d_a));
    free(x);
    free(b);
    free(a);
    return verdict(right);
}
