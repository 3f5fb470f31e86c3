// Hunt 5/f: tridiagonal systems of several sizes, one after another, by the Thomas algorithm. The
// scratch memory is kept from one to the next, and grows if a system needs more.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
    float a, b, c, d; // a x[i - 1] + b x[i] + c x[i + 1] = d
};

struct scratch {
    float *c; // x[i] + c[i] x[i + 1] is left of row i
    int rows;
};

// The scratch memory, with room for that many rows.
static struct scratch reserve(struct scratch s, int rows)
{
    if (rows > s.rows) {
        cudaFree(s.c);
        cudaMalloc(&s.c, rows * sizeof *s.c);
        s.rows = rows;
    }
    return s;
}

__global__ void solve(float *x, float *c, const struct row *rows, int n)
{
    float last_c = 0, last_x = 0;

    for (int i = 0; i < n; i++) {
        float b = rows[i].b - rows[i].a * last_c;
        c[i] = last_c = rows[i].c / b;
        x[i] = last_x = (rows[i].d - rows[i].a * last_x) / b;
    }
    for (int i = n - 2; i >= 0; i--)
        x[i] = last_x = x[i] - c[i] * last_x;
}

// The systems lie one after another.
static void solve_all(float *d_x, const struct row *d_rows, const int *sizes, int systems)
{
    struct scratch s = {NULL, 0};

    s = reserve(s, sizes[0]);
    for (int k = 0, first = 0; k < systems; first += sizes[k++]) {
        reserve(s, sizes[k]);
        solve<<<1, 1>>>(d_x + first, s.c, d_rows + first, sizes[k]);
    }
    cudaFree(s.c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int sizes[] = {argc > 1 ? atoi(argv[1]) : 200, argc > 2 ? atoi(argv[2]) : 100}, all = sizes[0] + sizes[1],
        wrong = 0;
    struct row *rows = (struct row *)malloc(all * sizeof *rows), *d_rows;
    float *x = (float *)malloc(all * sizeof *x), *d_x;

    for (int k = 0; k < all; k++) { // the solution: 1, 2, 3, ...
        int n = sizes[k >= sizes[0]], i = k < sizes[0] ? k : k - sizes[0];
        struct row r = {i > 0 ? -1.0f : 0, 4, i < n - 1 ? -1.0f : 0, 2.0f * (i + 1) + (i < n - 1 ? 0 : n + 1)};
        rows[k] = r;
    }
    cudaMalloc(&d_rows, all * sizeof *rows);
    cudaMalloc(&d_x, all * sizeof *x);
    cudaMemcpy(d_rows, rows, all * sizeof *rows, cudaMemcpyHostToDevice);
    solve_all(d_x, d_rows, sizes, 2);
    cudaMemcpy(x, d_x, all * sizeof *x, cudaMemcpyDeviceToHost);
    for (int k = 0; k < all; k++)
        wrong += !(fabsf(x[k] - (k < sizes[0] ? k + 1 : k - sizes[0] + 1)) < 0.01f);
    cudaFree(d_rows);
    cudaFree(d_x);
    free(rows);
    free(x);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
