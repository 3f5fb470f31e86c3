// Hunt 5/b: tridiagonal systems by cyclic reduction: every other row, every fourth, ... until one
// is left, then back. A block solves a system of at most 255 rows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

struct row {
    float a, b, c, d; // a x[i - 1] + b x[i] + c x[i + 1] = d
};

// Row r with the unknowns of rows up and down eliminated.
static __device__ struct row eliminate(struct row r, struct row up, struct row down)
{
    float k = r.a / up.b, m = r.c / down.b;
    struct row made = {-up.a * k, r.b - up.c * k - down.a * m, -down.c * m, r.d - up.d * k - down.d * m};

    return made;
}

__global__ void solve(float *x, const struct row *rows, int n)
{
    __shared__ struct row s[BLOCK];
    __shared__ float result[BLOCK];
    int tid = threadIdx.x;

    if (tid < n)
        s[tid] = rows[blockIdx.x * n + tid];
    __syncthreads();
    for (int stride = 1; stride < BLOCK / 2; stride *= 2) {
        int i = 2 * stride * (tid + 1) - 1;
        if (i < n)
            s[i] = eliminate(s[i], s[i - stride], s[i + stride]);
        __syncthreads();
    }
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        int i = 2 * stride * tid + stride - 1;
        if (i < n) {
            float up = i >= stride ? result[i - stride] : 0, down = i + stride < n ? result[i + stride] : 0;
            result[i] = (s[i].d - s[i].a * up - s[i].c * down) / s[i].b;
        }
        __syncthreads();
    }
    if (tid < n)
        x[blockIdx.x * n + tid] = result[tid];
}

static void solve_all(float *x, const struct row *rows, int n, int systems)
{
    int all = n * systems;
    struct row *d_rows;
    float *d_x;

    cudaMalloc(&d_rows, all * sizeof *rows);
    cudaMalloc(&d_x, all * sizeof *x);
    cudaMemcpy(d_rows, rows, all * sizeof *rows, cudaMemcpyHostToDevice);
    solve<<<systems, BLOCK>>>(d_x, d_rows, n);
    cudaMemcpy(x, d_x, all * sizeof *x, cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
    cudaFree(d_x);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 255, systems = argc > 2 ? atoi(argv[2]) : 2, wrong = 0;
    struct row *rows = (struct row *)malloc(n * systems * sizeof *rows);
    float *x = (float *)malloc(n * systems * sizeof *x);

    srand(1);
    for (int k = 0; k < n * systems; k++) {
        int i = k % n;
        struct row r = {i > 0 ? -1.0f : 0, 3.0f + rand() % 3, i < n - 1 ? -1.0f : 0, 0};
        r.d = r.a * (k - 1) + r.b * k + r.c * (k + 1);
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
