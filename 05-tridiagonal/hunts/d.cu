// Hunt 5/d: tridiagonal systems of at most 32 rows by parallel cyclic reduction in a warp: a lane
// has a row, and shuffles fetch the others. A row outside has no effect: there a or c is 0.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WARP 32

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

static __device__ struct row row_of(unsigned int lanes, struct row r, int lane)
{
    struct row other = {__shfl_sync(lanes, r.a, lane), __shfl_sync(lanes, r.b, lane), __shfl_sync(lanes, r.c, lane),
                        __shfl_sync(lanes, r.d, lane)};

    return other;
}

__global__ void solve(float *x, const struct row *rows, int n)
{
    int lane = threadIdx.x;
    unsigned int lanes = __ballot_sync(0xffffffff, lane < n); // that have a row

    if (lane >= n)
        return;
    struct row r = rows[blockIdx.x * n + lane];
    for (int stride = 1; stride < n; stride *= 2) {
        struct row up = row_of(lanes, r, max(lane - stride, 0));
        struct row down = row_of(lanes, r, min(lane + stride, WARP - 1));
        r = eliminate(r, up, down);
    }
    x[blockIdx.x * n + lane] = r.d / r.b;
}

static void solve_all(float *x, const struct row *rows, int n, int systems)
{
    int all = n * systems;
    struct row *d_rows;
    float *d_x;

    cudaMalloc(&d_rows, all * sizeof *rows);
    cudaMalloc(&d_x, all * sizeof *x);
    cudaMemcpy(d_rows, rows, all * sizeof *rows, cudaMemcpyHostToDevice);
    solve<<<systems, WARP>>>(d_x, d_rows, n);
    cudaMemcpy(x, d_x, all * sizeof *x, cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
    cudaFree(d_x);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32, systems = argc > 2 ? atoi(argv[2]) : 4, wrong = 0;
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
