// Hunt 5/c: many small tridiagonal systems by the Thomas algorithm, a thread for each. The systems
// are interleaved: row i of system s is at i * systems + s.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64 // rows of a system
#define BLOCK 64

struct row {
    float a, b, c, d; // a x[i - 1] + b x[i] + c x[i + 1] = d
};

// Down: x[i] = d[i] - c[i] x[i + 1] is left of row i - 1. Up: each x from the one below.
__global__ void solve(float *x, const struct row *rows, int n, int systems)
{
    int s = blockIdx.x * BLOCK + threadIdx.x;
    float c[MOST], d[MOST], last = 0;

    if (s >= systems)
        return;
    c[0] = d[0] = 0; // before the first row
    for (int i = 1; i <= n; i++) {
        struct row r = rows[(i - 1) * systems + s];
        float b = r.b - r.a * c[i - 1];
        c[i] = r.c / b;
        d[i] = (r.d - r.a * d[i - 1]) / b;
    }
    for (int i = n; i > 0; i--) {
        last = d[i] - c[i] * last;
        x[(i - 1) * systems + s] = last;
    }
}

static void solve_all(float *x, const struct row *rows, int n, int systems)
{
    int all = n * systems;
    struct row *d_rows;
    float *d_x;

    cudaMalloc(&d_rows, all * sizeof *rows);
    cudaMalloc(&d_x, all * sizeof *x);
    cudaMemcpy(d_rows, rows, all * sizeof *rows, cudaMemcpyHostToDevice);
    solve<<<(systems + BLOCK - 1) / BLOCK, BLOCK>>>(d_x, d_rows, n, systems);
    cudaMemcpy(x, d_x, all * sizeof *x, cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
    cudaFree(d_x);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50, systems = argc > 2 ? atoi(argv[2]) : 100, wrong = 0;
    struct row *rows = (struct row *)malloc(n * systems * sizeof *rows);
    float *x = (float *)malloc(n * systems * sizeof *x);

    srand(1);
    for (int k = 0; k < n * systems; k++) {
        int i = k / systems;
        struct row r = {i > 0 ? -1.0f : 0, 3.0f + rand() % 3, i < n - 1 ? -1.0f : 0, 0};
        r.d = r.a * (k - systems) + r.b * k + r.c * (k + systems);
        rows[k] = r; // the solution: x[k] = k
    }
    solve_all(x, rows, n, systems);
    for (int k = 0; k < n * systems; k++)
        wrong += !(fabsf(x[k] - k) < 0.01f);
    free(rows);
    free(x);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
