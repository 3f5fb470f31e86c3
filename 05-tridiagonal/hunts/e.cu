// Hunt 5/e: batches of tridiagonal systems by the Thomas algorithm. A batch fills only a small
// part of the device, so two streams take turns.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 64 // systems, and threads

struct row {
    float a, b, c, d; // a x[i - 1] + b x[i] + c x[i + 1] = d
};

// One system per thread: row i of system s is at i * systems + s. left: the c and d left
// of each row.
__global__ void solve(float *x, float2 *left, const struct row *rows, int n, int systems)
{
    int s = threadIdx.x;
    float2 last = {0, 0};
    float below = 0;

    for (int k = s; k < n * systems; k += systems) {
        struct row r = rows[k];
        float b = r.b - r.a * last.x;
        last = make_float2(r.c / b, (r.d - r.a * last.y) / b);
        left[k] = last;
    }
    for (int k = (n - 1) * systems + s; k >= 0; k -= systems)
        x[k] = below = left[k].y - left[k].x * below;
}

static void solve_all(float *x, const struct row *rows, int n, int batches)
{
    int size = n * BATCH;
    cudaStream_t stream[2];
    struct row *d_rows;
    float2 *d_left;
    float *d_x;

    cudaMalloc(&d_rows, batches * size * sizeof *rows);
    cudaMalloc(&d_x, batches * size * sizeof *x);
    cudaMalloc(&d_left, size * sizeof *d_left);
    cudaMemcpy(d_rows, rows, batches * size * sizeof *rows, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        cudaStreamCreate(&stream[s]);
    for (int b = 0, at = 0; b < batches; b++, at += size)
        solve<<<1, BATCH, 0, stream[b % 2]>>>(d_x + at, d_left, d_rows + at, n, BATCH);
    cudaMemcpy(x, d_x, batches * size * sizeof *x, cudaMemcpyDeviceToHost);
    for (int s = 0; s < 2; s++)
        cudaStreamDestroy(stream[s]);
    cudaFree(d_rows);
    cudaFree(d_x);
    cudaFree(d_left);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, batches = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
    struct row *rows = (struct row *)malloc(n * batches * BATCH * sizeof *rows);
    float *x = (float *)malloc(n * batches * BATCH * sizeof *x);

    srand(1);
    for (int k = 0; k < n * batches * BATCH; k++) {
        int i = k / BATCH % n;
        struct row r = {i > 0 ? -1.0f : 0, 3.0f + rand() % 3, i < n - 1 ? -1.0f : 0, 0};
        r.d = r.a * (k - BATCH) + r.b * k + r.c * (k + BATCH);
        rows[k] = r; // the solution: x[k] = k
    }
    solve_all(x, rows, n, batches);
    for (int k = 0; k < n * batches * BATCH; k++)
        wrong += !(fabsf(x[k] - k) < 0.01f);
    free(rows);
    free(x);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
