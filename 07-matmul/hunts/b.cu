// Hunt 7/b: C = A B + beta C, as in BLAS. If beta is 0, C need not have a value.
#include <stdio.h>
#include <stdlib.h>

#define SIDE 16

__global__ void multiply(float *c, const float *a, const float *b, int n, float beta)
{
    int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0;

    if (row >= n || column >= n)
        return;
    for (int l = 0; l < n; l++)
        sum += a[row * n + l] * b[l * n + column];
    c[row * n + column] = sum + beta * c[row * n + column];
}

static void matmul(float *c, const float *a, const float *b, int n, float beta)
{
    int bytes = n * n * sizeof *a, blocks = (n + SIDE - 1) / SIDE;
    float *d_a, *d_b, *d_c;

    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    if (beta != 0)
        cudaMemcpy(d_c, c, bytes, cudaMemcpyHostToDevice);
    multiply<<<dim3(blocks, blocks), dim3(SIDE, SIDE)>>>(d_c, d_a, d_b, n, beta);
    cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30, beta = argc > 2 ? atoi(argv[2]) : 1, wrong = 0, size = n * n * sizeof(float);
    float *a = (float *)malloc(size), *b = (float *)malloc(size), *c = (float *)malloc(size),
          *old = (float *)malloc(size);

    srand(1);
    for (int i = 0; i < n * n; i++) {
        a[i] = rand() % 10;
        b[i] = rand() % 10;
        old[i] = c[i] = rand() % 10;
    }
    matmul(c, a, b, n, beta);
    for (int i = 0; i < n * n; i++) {
        float sum = beta * old[i];
        for (int l = 0; l < n; l++)
            sum += a[i / n * n + l] * b[l * n + i % n];
        wrong += !(c[i] == sum);
    }
    free(a);
    free(b);
    free(c);
    free(old);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
