// Hunt 7/f: C = A B for A with n rows and k columns, B with k rows and n columns. A block keeps
// COLUMNS whole columns of B in shared memory.
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 16
#define ROWS 8

__global__ void multiply(float *c, const float *a, const float *b, int n, int k)
{
    extern __shared__ float panel[]; // k rows of COLUMNS words
    int x = threadIdx.x, column = blockIdx.x * COLUMNS + x;

    for (int l = threadIdx.y; l < k; l += ROWS)
        panel[l * COLUMNS + x] = column < n ? b[l * n + column] : 0;
    __syncthreads();
    for (int row = threadIdx.y; row < n && column < n; row += ROWS) {
        float sum = 0;
        for (int l = 0; l < k; l++)
            sum += a[row * k + l] * panel[l * COLUMNS + x];
        c[row * n + column] = sum;
    }
}

static void matmul(float *c, const float *a, const float *b, int n, int k)
{
    size_t bytes = n * k * sizeof *a, product = n * n * sizeof *c;
    float *d_a, *d_b, *d_c;

    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, product);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    int panel = k * COLUMNS * sizeof *b; // at most 200 KB
    cudaMemset(d_c, 0, product);
    multiply<<<(n + COLUMNS - 1) / COLUMNS, dim3(COLUMNS, ROWS), panel>>>(d_c, d_a, d_b, n, k);
    cudaMemcpy(c, d_c, product, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, k = argc > 2 ? atoi(argv[2]) : 500, wrong = 0;
    float *a = (float *)malloc(n * k * sizeof *a), *b = (float *)malloc(n * k * sizeof *b);
    float *c = (float *)malloc(n * n * sizeof *c);

    srand(1);
    for (int i = 0; i < n * k; i++) {
        a[i] = rand() % 10;
        b[i] = rand() % 10;
    }
    matmul(c, a, b, n, k);
    for (int i = 0; i < n * n; i++) {
        float sum = 0;
        for (int l = 0; l < k; l++)
            sum += a[i / n * k + l] * b[l * n + i % n];
        wrong += !(c[i] == sum);
    }
    free(a);
    free(b);
    free(c);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
