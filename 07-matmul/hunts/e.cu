// Hunt 7/e: C = A B for small n and large k. The warps of a block share WARP elements of C: each
// adds up a part of the products, and all of them add their sums in shared memory.
#include <stdio.h>
#include <stdlib.h>

#define WARP 32
#define PART 64 // products of a warp

// A block for WARP columns of a row.
__global__ void multiply(float *c, const float *a, const float *b, int n, int k)
{
    __shared__ float sums[WARP];
    int x = threadIdx.x, column = blockIdx.x * WARP + x, row = blockIdx.y;
    int first = threadIdx.y * PART, end = min(first + PART, k);
    float sum = 0;

    if (threadIdx.y == 0)
        sums[x] = 0;
    for (int l = first; l < end && column < n; l++)
        sum += a[row * k + l] * b[l * n + column];
    __syncthreads();
    sums[x] += sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < n)
        c[row * n + column] = sums[x];
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
    dim3 grid((n + WARP - 1) / WARP, n), block(WARP, (k + PART - 1) / PART);
    multiply<<<grid, block>>>(d_c, d_a, d_b, n, k);
    cudaMemcpy(c, d_c, product, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, k = argc > 2 ? atoi(argv[2]) : 64, wrong = 0;
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
