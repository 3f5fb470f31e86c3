// Hunt 7/d: C = A B for A with n rows and k columns, B with k rows and n columns. A block keeps
// ROWS rows of A in shared memory. Their pitch is odd, so that a column has no bank conflicts.
#include <stdio.h>
#include <stdlib.h>

#define ROWS 16
#define BLOCK 64

// A thread for each column of C in the block, and all ROWS rows of it.
__global__ void multiply(float *c, const float *a, const float *b, int n, int k)
{
    extern __shared__ float strip[];
    int first = blockIdx.y * ROWS, rows = min(ROWS, n - first), column = blockIdx.x * BLOCK + threadIdx.x;
    int pitch = k | 1;

    for (int i = threadIdx.x; i < rows * k; i += BLOCK)
        strip[i / k * pitch + i % k] = a[first * k + i];
    __syncthreads();
    for (int row = 0; row < rows && column < n; row++) {
        float sum = 0;
        for (int l = 0; l < k; l++)
            sum += strip[row * pitch + l] * b[l * n + column];
        c[(first + row) * n + column] = sum;
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
    dim3 grid((n + BLOCK - 1) / BLOCK, (n + ROWS - 1) / ROWS);
    multiply<<<grid, BLOCK, ROWS * k * sizeof *a>>>(d_c, d_a, d_b, n, k);
    cudaMemcpy(c, d_c, product, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40, k = argc > 2 ? atoi(argv[2]) : 33, wrong = 0;
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
